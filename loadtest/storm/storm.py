#!/usr/bin/env python3
"""A storm over a cluster: replicas of ticketgate over a real etcd, in front of one tg_backend, with clients at every
replica, and faults from a plan that a seed reproduces. The backend's journal gives the verdict: how many requests
overlapped, how many fencing numbers were out of order, how many requests were sent twice. README.md explains it.

Usage: storm.py [--requests 20000] [--seed N] [--nodes 1|3] [--replicas 3] [--faults kill,stop,...] [--release]
                [--php] [--bin FOLDER] [--binary FILE] [--seconds MOST] [--must-break] [--plan STEPS] [--keep]
SIGTERM and SIGINT end the storm early, with its verdict.
Exit: 0 every promise held (with --must-break: one was broken), 1 not, 2 usage.
"""
import argparse
import asyncio
import collections
import itertools
import json
import pathlib
import random
import shutil
import signal
import sys
import tempfile

import backends
import plan
import verdict
from clients import Client
from parts import LEASE, Driver, Node, Replica, now

LONG = 5  # seconds of work of a request that outlasts a lease, and the takeover behind it
OPERATOR_WAITS = 1  # behind a replica's end: what it has sent before has begun at the backend by then
PEACE = 120  # seconds within which all must be well again behind the last fault


class World:
    def __init__(self, options):
        self.options, self.seed = options, options.seed
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ticketgate-storm-"))
        self.tools = options.bin.resolve()
        self.processes, self.faults, self.answers = [], [], collections.Counter()
        self.over, self.longest = False, 0
        self.done, self.left_out = collections.Counter(), collections.Counter()
        self.begun, self.last_fault, self.calm = now(), now(), False
        self.settled, self.injuries, self.keeper = 0, 0, None
        self.long_seq = itertools.count(1_000_000_000)
        self.backend = backends.make(self)

    def tell(self, text):
        if self.options.keep:
            print(f"{now() - self.begun:8.2f} {text}", flush=True)

    def quiet_since(self):
        return self.last_fault if self.calm else now()

    # ── beginning ──

    async def build(self):
        options = self.options
        await self.backend.begin()
        self.nodes = [Node(self, number) for number in range(options.nodes)]
        for node in self.nodes:
            node.prepare(self.nodes)
            await node.begin()
        self.replicas = [Replica(self, number) for number in range(options.replicas)]
        queue = "hold_timeout: 1s, on_hold_timeout: release" if options.release else "hold_timeout: never"
        queue += ", release: worker_idle" if options.php else ""
        program = options.binary or options.bin / "ticketgate"
        for replica in self.replicas:
            await replica.prepare(program, self.nodes, plan.relays_peers(self.seed, options.faults), queue)
        self.write_operators_file()
        await self.until(self.initialised, "ticketgate cluster init", 60)
        for replica in self.replicas:
            await replica.begin()
        self.drivers = [Driver(self, replica, method) for replica in self.replicas for method in ("GET", "POST")]
        for driver in self.drivers:
            await driver.start()

    def write_operators_file(self):
        """The operator reaches the store without a relay."""
        endpoints = ", ".join(f'"http://127.0.0.1:{node.port}"' for node in self.nodes)
        text = (self.folder / "a.yaml").read_text().split("  store:")[0]
        (self.folder / "operator.yaml").write_text(
            text + f"  store: {{endpoints: [{endpoints}], timeout: 600ms}}\n"
            "  peer: {listen: \"127.0.0.1:1\", advertise: \"127.0.0.1:1\", secret: 0123456789abcdef}\n")

    async def initialised(self):
        return (await self.command("cluster", "init"))[0] == 0

    async def until(self, condition, what, seconds):
        deadline = now() + seconds
        while not await condition():
            if now() > deadline:
                raise RuntimeError(f"not within {seconds} s: {what}")
            await asyncio.sleep(0.2)

    async def command(self, *words):
        child = await asyncio.create_subprocess_exec(
            str(self.options.bin / "ticketgate"), *words, "-c", str(self.folder / "operator.yaml"),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        out, _ = await child.communicate()
        return child.returncode, out.decode()

    # ── faults ──

    async def injure(self):
        """Begins one step after the other; several may last at once. A step whose target is hurt already is left out."""
        names, nodes = [one.name for one in self.replicas], [one.name for one in self.nodes]
        running = set()
        steps = plan.steps(self.seed, names, nodes, self.options.faults)
        while not await self.has_enough():
            step = next(steps)
            await asyncio.sleep(step.after)
            work = asyncio.ensure_future(self.perform(step))
            running.add(work)
            work.add_done_callback(running.discard)
        if running:
            await asyncio.wait(running)
        self.last_fault, self.calm = now(), True

    async def has_enough(self):
        stats = await self.backend.stats()
        if now() - self.begun > self.options.seconds:
            self.tell("the time is over")
            return True
        return stats.get("tokens", 0) >= self.options.requests

    async def perform(self, step):
        try:
            if step.kind == "etcd":
                return await self.do_etcd(step)
            for target in self.targets(step):
                if target.busy.locked():
                    self.left_out[step.kind] += 1
                    continue
                async with target.busy:
                    self.done[step.kind] += 1
                    self.tell(f"{step} ({target.name})")
                    await getattr(self, "do_" + step.kind)(step, target)
        except Exception as failed:  # a fault of the kit: it must not pass as a storm without faults
            self.faults.append(f"the kit failed at {step}: {failed!r}")

    def targets(self, step):
        if step.target == "all":
            return self.replicas
        name = self.keeper if step.target == plan.KEEPER else step.target
        return [one for one in self.replicas if one.name == name] or self.replicas[:1]

    async def do_kill(self, step, one):
        await one.kill()
        await asyncio.sleep(step.seconds)
        await one.begin()

    async def do_kill_busy(self, step, one):
        await self.occupy(one)
        await self.do_kill(step, one)

    async def do_stop(self, step, one):
        await one.count()
        one.stop()
        await asyncio.sleep(step.seconds)
        one.go_on()

    async def do_stop_busy(self, step, one):
        await self.occupy(one)
        await self.do_stop(step, one)

    async def occupy(self, one):
        """Through this replica a request begins that runs for longer than a lease and a takeover."""
        seq = next(self.long_seq)
        asyncio.ensure_future(fetch_long(one.ports[0], seq))
        for _ in range(100):
            if await self.backend.has_begun(seq):
                return
            await asyncio.sleep(0.03)

    async def do_term(self, step, one):
        one.begin_down()
        one.expected = True
        one.signal(15)
        begun, code = now(), None
        while code is None and now() - begun < 60:
            await one.count(0.3)
            code = await one.ends(0.3)
        if code is None:
            self.faults.append(f"{one.name} did not end after SIGTERM")
            one.end_by_force()
            await one.child.wait()
        elif code != 0:
            self.faults.append(f"{one.name} ended with {code} after SIGTERM: {one.errors.read_text()[-800:]}")
        one.is_over()
        self.tell(f"{one.name} ended {now() - begun:.2f} s after SIGTERM")
        await one.begin()

    async def do_etcd(self, step):
        node = next(one for one in self.nodes if one.name == step.target)
        if node.was_down(now(), now()):
            self.left_out[step.kind] += 1
            return
        self.done[step.kind] += 1
        self.tell(str(step))
        if step.how == "stop":
            node.stop()
        else:
            await node.kill()
        await asyncio.sleep(step.seconds)
        if step.how == "stop":
            node.go_on()
        else:
            await node.begin()

    async def do_cut(self, step, one):
        relays = one.peers * ("peers" in step.ways) + one.stores * ("store" in step.ways)
        for relay in relays:
            await relay.cut(step.how)
        await asyncio.sleep(step.seconds)
        for relay in relays:
            await relay.mend(step.how)

    # ── the operator ──

    async def operate(self):
        """Settles what a killed replica has left, once nothing of it runs at the backend."""
        while True:
            await asyncio.sleep(0.4)
            for one in self.replicas:
                if not one.was_down(now(), now()):
                    await one.count()
            code, out = await self.command("cluster", "status", "--json")
            if code != 0:
                continue
            for queue in json.loads(out)["queues"]:
                self.keeper = queue.get("keeper", {}).get("name")
                prior = queue.get("waits_for")
                if prior and not self.options.release and not self.options.php:
                    await self.settle(prior)

    async def settle(self, prior):
        one = next(each for each in self.replicas if each.name == prior["name"])
        if prior["instance"] not in one.earlier or now() - one.died < OPERATOR_WAITS:
            return
        # While a line is settling no replica sends anything, so what runs is of the lost one.
        if (await self.backend.stats()).get("in_flight", 1) != 0:
            return
        code, out = await self.command("settle", "app", str(prior["epoch"]))
        self.tell(f"settle {prior['epoch']} of {one.name}: {code} {out.strip()}")
        self.settled += code == 0

    # ── the end ──

    def end_early(self):
        self.options.seconds = 0

    async def run(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self.end_early)
        await self.build()
        self.begun = now()
        operator = asyncio.ensure_future(self.operate())
        clients = [Client(self, f"odd{number}") for number in range(3)]
        work = [asyncio.ensure_future(client.run()) for client in clients]
        await self.injure()
        await asyncio.sleep(2 * LEASE)
        self.over = True
        await asyncio.gather(*work)
        await self.settle_down()
        for replica in self.replicas:
            await replica.count(5)
        operator.cancel()
        await self.all_drain()
        broken = await self.judge()
        for one in self.processes:
            one.expected = True
            if one.child.returncode is None:
                await one.kill()
        return broken

    async def settle_down(self):
        """The line moves again at every replica, nothing hangs, and nothing is left."""
        after = Client(self, "after")
        for replica in self.replicas:
            since, answer = now(), None
            while answer != "200" and now() - since < PEACE:
                answer = await after.one(replica)
            if answer != "200":
                self.faults.append(f"after the storm {replica.name} answers {answer}")
        for driver in self.drivers:
            driver.finish()
        for driver in self.drivers:
            if await driver.ends(PEACE) is None:
                self.faults.append(f"a request of {driver.name} hangs")
                driver.signal(15)
                await driver.ends(PEACE)
        for replica in self.replicas:
            await self.wait_empty(replica)

    async def wait_empty(self, replica):
        text = b""
        for _ in range(100):
            text = await replica.ask("/api/v1/queues")
            queue = json.loads(text)["queues"][0] if text else {}
            if queue.get("waiting") == 0 and queue.get("in_flight") == 0:
                return
            await asyncio.sleep(0.1)
        self.faults.append(f"{replica.name} has left {text}")

    async def all_drain(self):
        for one in self.replicas:
            one.expected = True
            one.signal(15)
        for one in self.replicas:
            code = await one.ends(60)
            if code != 0:
                self.faults.append(f"{one.name} ended with {code} when all were stopped: {one.errors.read_text()[-800:]}")
            one.is_over(whole=True)

    async def judge(self):
        broken = await verdict.judge(self)
        for fault in self.faults[:40]:
            print(f"FAULT {fault}")
        if self.options.keep or broken:
            print(f"logs: {self.folder}")
        else:
            shutil.rmtree(self.folder)
        return broken != self.options.must_break


async def fetch_long(port, seq):
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"POST /long?ms={LONG * 1000} HTTP/1.1\r\nHost: a\r\nX-Seq: {seq}\r\nContent-Length: 0\r\n"
                     "Connection: close\r\n\r\n".encode())
        await asyncio.wait_for(reader.read(), 120)
        writer.close()
    except (OSError, asyncio.TimeoutError):
        pass


def parse():
    parser = argparse.ArgumentParser(description="See the head of this file.")
    root = pathlib.Path(__file__).resolve().parents[2]
    parser.add_argument("--requests", type=int, default=20_000, help="that the backend executes")
    parser.add_argument("--seconds", type=float, default=86_400, help="at most")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--nodes", type=int, choices=(1, 3), default=3, help="of etcd")
    parser.add_argument("--replicas", type=int, default=3)
    parser.add_argument("--connections", type=int, default=4, help="of each of the two drivers of a replica")
    parser.add_argument("--faults", type=lambda text: tuple(text.split(",")), default=plan.FAULTS)
    parser.add_argument("--release", action="store_true", help="hold_timeout: 1s, on_hold_timeout: release")
    parser.add_argument("--php", action="store_true", help="a real php-fpm, with release: worker_idle and no operator")
    parser.add_argument("--bin", type=pathlib.Path, default=root / "build" / "release", help="with the tools")
    parser.add_argument("--binary", type=pathlib.Path, help="ticketgate of the replicas, such as one with a sanitizer")
    parser.add_argument("--uncounted", type=int, default=1,
                        help="violations whose count may be lost with a process that is killed at that moment")
    parser.add_argument("--must-break", action="store_true", help="succeeds if a promise is broken")
    parser.add_argument("--plan", type=int, metavar="STEPS", help="prints the plan's beginning, and does nothing")
    parser.add_argument("--keep", action="store_true", help="tell each fault; keep the logs")
    options = parser.parse_args()
    if not set(options.faults) <= set(plan.FAULTS):
        parser.error(f"faults: {', '.join(plan.FAULTS)}")
    return options


def main():
    options = parse()
    if options.plan:
        names = list("abcdefgh"[:options.replicas])
        plan.show(options.seed, names, [f"n{i}" for i in range(options.nodes)], options.faults, options.plan)
        return 0
    world = World(options)
    try:
        return 1 if asyncio.run(world.run()) else 0
    finally:
        for one in world.processes:
            one.end_by_force()


if __name__ == "__main__":
    sys.exit(main())
