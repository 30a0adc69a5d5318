#!/usr/bin/env python3
"""A storm over a cluster: replicas of ticketgate over a real etcd, a backend that counts, clients at every replica, and
faults at random. At its end it says whether the promise of a clustered queue has held (docs/cluster.md), and exits with 1
if it has not.

Usage: cluster_storm.py TICKETGATE [--seconds 20] [--nodes 1] [--replicas 3] [--clients 8] [--seed N]
                        [--faults kill,stop,term,etcd,cut] [--keep]
"""
import argparse
import asyncio
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

from real_test import free_port

LEASE = 2
WAIT_TIMEOUT = 10
PATIENCE = WAIT_TIMEOUT + 10  # a request that takes longer hangs, unless its replica stood still meanwhile
FAULTS = ("kill", "stop", "term", "etcd", "cut")


def now():
    return time.monotonic()


# ── the backend ──

class Run:
    def __init__(self, replica, method, ident, token):
        self.replica, self.method, self.ident, self.token = replica, method, ident, token
        self.begun, self.ended = now(), None


class Backend:
    """One port for each replica, so that it is known whose request runs. A request runs to its end, also when its
    connection ends before: as a script does."""

    def __init__(self, world):
        self.world = world
        self.runs, self.running, self.connections = [], set(), collections.Counter()
        self.overlaps, self.inversions, self.faults = [], [], []
        self.highest, self.seen = None, collections.Counter()
        self.pauses = []

    async def listen(self, replica):
        server = await asyncio.start_server(lambda r, w: self.serve(replica, r, w), "127.0.0.1", 0, limit=1 << 20)
        return server.sockets[0].getsockname()[1]

    async def serve(self, replica, reader, writer):
        self.connections[replica] += 1
        try:
            while await self.answer_one(replica, reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            self.connections[replica] -= 1
            writer.close()

    async def answer_one(self, replica, reader, writer):
        line = await reader.readline()
        if not line:
            return False
        method, target, _ = line.decode().split(" ", 2)
        ident, work = target.rsplit("/", 2)[-2:]
        run = Run(replica, method, ident, None)
        self.begin(run)  # with the first byte
        try:
            fields = {}
            while (line := await reader.readline()) not in (b"\r\n", b""):
                name, _, value = line.decode().partition(":")
                fields[name.strip().lower()] = value.strip()
            run.token = int(fields.get("fencing-token", 0))
            self.check(run)
            body = await self.body(reader, fields)
            if method == "POST" and body and not body.startswith(ident.encode() + b" "):
                self.faults.append(f"{ident} has another request's body: {body[:40]}")
            await asyncio.sleep(int(work) / 1000)
        finally:
            self.end(run)  # before the last byte of its answer
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n")
        await writer.drain()
        return True

    @staticmethod
    async def body(reader, fields):
        if "chunked" not in fields.get("transfer-encoding", ""):
            return await reader.readexactly(int(fields.get("content-length", 0)))
        out = b""
        while size := int((await reader.readline()).split(b";")[0], 16):
            out += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
        return out

    def begin(self, run):
        if self.running:
            self.overlaps.append((run, set(self.running)))
        if self.runs:
            self.pauses.append((run.begun - max(r.ended or run.begun for r in self.runs[-3:]), run.begun))
        self.running.add(run)
        self.runs.append(run)
        self.seen[run.method, run.ident] += 1
        if run.method == "POST" and self.seen[run.method, run.ident] > 1:
            self.faults.append(f"POST {run.ident} was sent twice")

    def check(self, run):
        if not run.token:
            self.faults.append(f"{run.ident} came without a token")
        elif self.highest and run.token <= self.highest.token and \
                (run.token < self.highest.token or run.ident != self.highest.ident):
            self.inversions.append((self.highest, run))
        if self.highest is None or run.token >= self.highest.token:
            self.highest = run

    def end(self, run):
        run.ended = now()
        self.running.discard(run)


# ── a connection that can be cut ──

class Relay:
    def __init__(self, port):
        self.target, self.mode, self.pairs = port, "open", set()
        self.open = asyncio.Event()
        self.open.set()

    async def listen(self):
        server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]

    def set(self, mode):
        """open; stands: no byte passes; closed: connections end, new ones too."""
        self.mode = mode
        self.open.set() if mode == "open" else self.open.clear()
        if mode == "closed":
            for writer in list(self.pairs):
                writer.transport.abort()

    async def serve(self, reader, writer):
        if self.mode == "closed":
            return writer.transport.abort()
        await self.open.wait()
        try:
            to_reader, to_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return writer.transport.abort()
        self.pairs |= {writer, to_writer}
        await asyncio.gather(self.pump(reader, to_writer), self.pump(to_reader, writer))
        self.pairs -= {writer, to_writer}
        writer.close()
        to_writer.close()

    async def pump(self, reader, writer):
        try:
            while data := await reader.read(1 << 16):
                await self.open.wait()
                writer.write(data)
                await writer.drain()
            if not writer.is_closing():
                writer.write_eof()
        except (OSError, RuntimeError):
            writer.transport.abort()


# ── processes ──

class Process:
    def __init__(self, world, name, command):
        self.world, self.name, self.command = world, name, command
        self.child, self.stopped, self.down = None, False, []  # down: [from, to] of kills and stops
        self.errors = world.folder / f"{name}.err"

    async def start(self):
        with open(self.errors, "ab") as err:
            self.child = await asyncio.create_subprocess_exec(*map(str, self.command), stdout=err, stderr=err,
                                                              stdin=asyncio.subprocess.DEVNULL)
        self.expected = False
        asyncio.ensure_future(self.watch(self.child))

    async def watch(self, child):
        code = await child.wait()
        if not self.expected:
            self.world.faults.append(f"{self.name} ended by itself with {code}: {self.errors.read_text()[-1500:]}")

    def begin_down(self):
        self.down.append([now(), None])

    def end_down(self):
        if self.down and self.down[-1][1] is None:
            self.down[-1][1] = now()

    def was_down(self, since, until):
        return any(begin <= until and (end is None or end >= since) for begin, end in self.down)

    def time_down(self, since, until):
        return sum(max(0, min(end or until, until) - max(begin, since)) for begin, end in self.down)

    async def kill(self):
        self.begin_down()
        self.expected = True
        self.child.kill()
        await self.child.wait()

    def stop(self):
        self.begin_down()
        self.child.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.child.send_signal(signal.SIGCONT)
        self.end_down()


class Replica(Process):
    def __init__(self, world, number):
        super().__init__(world, "abcdefgh"[number], None)
        self.ports = [free_port() for _ in range(3)]  # clients, admin, other replicas
        self.died, self.instance, self.earlier = 0.0, None, set()

    async def prepare(self, ticketgate, nodes):
        world = self.world
        backend = await world.backend.listen(self.name)
        self.stores = [Relay(node.port) for node in nodes]
        # A relay accepts what a replica that is gone would refuse, so half of the storms have none between replicas.
        self.peers = [Relay(self.ports[2])] if world.relays_peers else []
        for relay in self.stores + self.peers:
            await relay.listen()
        advertised = self.peers[0].port if self.peers else self.ports[2]
        endpoints = ", ".join(f'"http://127.0.0.1:{relay.port}"' for relay in self.stores)
        file = world.folder / f"{self.name}.yaml"
        file.write_text(
            f"listen: [{{address: \"127.0.0.1:{self.ports[0]}\"}}]\n"
            f"admin: {{address: \"127.0.0.1:{self.ports[1]}\"}}\n"
            f"upstreams: {{app: {{url: \"http://127.0.0.1:{backend}\"}}}}\n"
            "queues: {app: {cluster: true, hold_timeout: never}}\n"
            f"routes: [{{prefix: /, upstream: app, queue: app, wait_timeout: {WAIT_TIMEOUT}s}}]\n"
            f"log: {{access_file: \"{world.folder / self.name}.log\"}}\n"
            "drain_timeout: 30s\n"
            f"cluster:\n  name: storm\n  replica: {self.name}\n  lease: {LEASE}s\n  idle_after: 200ms\n"
            f"  store: {{endpoints: [{endpoints}], timeout: 600ms}}\n"
            f"  peer: {{listen: \"127.0.0.1:{self.ports[2]}\", advertise: \"127.0.0.1:{advertised}\", "
            "secret: 0123456789abcdef}\n")
        self.command = [ticketgate, "-c", file]

    async def kill(self):
        await super().kill()
        self.is_over()

    def is_over(self):
        self.died = now()
        self.earlier.add(self.instance)
        self.instance = None

    def saw(self, listed):
        """What the store lists under this name. Each start is another instance."""
        if self.instance is None and now() - self.began > 2 * LEASE and len(listed - self.earlier) == 1:
            (self.instance,) = listed - self.earlier

    def has_ended(self, instance):
        return instance in self.earlier or self.instance not in (None, instance)

    async def ask(self, path):
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.ports[1])
            writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            answer = await asyncio.wait_for(reader.read(), 5)
            writer.close()
            return answer.partition(b"\r\n\r\n")[2]
        except (OSError, asyncio.TimeoutError):
            return b""

    async def begin(self):
        await self.start()
        self.began = now()
        for _ in range(600):
            if await self.ask("/livez"):
                break
            await asyncio.sleep(0.05)
        self.end_down()


class Node(Process):
    def __init__(self, world, number, count):
        super().__init__(world, f"n{number}", None)
        self.port, self.peer_port = free_port(), free_port()

    def prepare(self, nodes):
        mine, peer = f"http://127.0.0.1:{self.port}", f"http://127.0.0.1:{self.peer_port}"
        everyone = ",".join(f"{node.name}=http://127.0.0.1:{node.peer_port}" for node in nodes)
        self.command = ["etcd", "--name", self.name, "--data-dir", self.world.folder / self.name,
                        "--listen-client-urls", mine, "--advertise-client-urls", mine, "--listen-peer-urls", peer,
                        "--initial-advertise-peer-urls", peer, "--initial-cluster", everyone,
                        "--heartbeat-interval", 50, "--election-timeout", 500]

    async def begin(self):
        await self.start()
        self.end_down()


# ── clients ──

class Client:
    """Sends one request after another, each to the next replica."""

    def __init__(self, world, number):
        self.world, self.number, self.count = world, number, 0
        self.random = random.Random(f"{world.seed} {number}")
        self.kept = {}

    async def run(self):
        at = self.number
        while not self.world.over:
            at += 1
            await self.one(self.world.replicas[at % len(self.world.replicas)])
            await asyncio.sleep(self.random.expovariate(1 / 0.05))

    async def one(self, replica, patience=PATIENCE):
        self.count += 1
        ident = f"{self.number}-{self.count}"
        method, size, chunked = self.random.choice(
            [("GET", 0, False)] * 4 + [("POST", 0, False)] * 2 + [("POST", 1000, False)] * 2 +
            [("POST", 200_000, False), ("POST", 3000, True)])
        work = self.random.choice([0, 1, 2, 3, 5, 10, 20, 50])
        if self.random.random() < 0.01:
            work = 1500
        since = now()
        request = asyncio.ensure_future(self.send(replica, method, ident, work, size, chunked))
        answer = "hangs"
        if self.random.random() < 0.03:
            await asyncio.wait([request], timeout=self.random.random() * 0.3)
            if not request.done():
                answer = "left"
        while answer == "hangs" and not request.done():
            down = sum(each.time_down(since, now()) for each in self.world.replicas)
            if now() - since > patience + down:
                break
            await asyncio.wait([request], timeout=1)
        if request.done():
            answer = request.result()
        request.cancel()
        self.note(replica, method, ident, size, answer, since)
        return answer

    async def send(self, replica, method, ident, work, size, chunked):
        reader, writer = self.kept.pop(replica, (None, None))
        fresh = reader is None
        try:
            if fresh:
                reader, writer = await asyncio.open_connection("127.0.0.1", replica.ports[0], limit=1 << 20)
        except OSError:
            return "refused"
        begun = False
        try:
            body = (ident + " ").encode().ljust(size, b"x") if size else b""
            lines = f"{method} /r/{ident}/{work} HTTP/1.1\r\nHost: a\r\n"
            if chunked:
                lines += "Transfer-Encoding: chunked\r\n"
                body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:10], body[10:])) + b"0\r\n\r\n"
            elif method == "POST":
                lines += f"Content-Length: {size}\r\n"
            expects = size and self.random.random() < 0.2
            if expects:
                lines += "Expect: 100-continue\r\n"
            writer.write(lines.encode() + b"\r\n" + (b"" if expects else body))
            await writer.drain()
            line = await reader.readline()
            while line.startswith(b"HTTP/1.1 1"):
                await reader.readline()
                if expects:
                    writer.write(body)
                    await writer.drain()
                    expects = False
                line = await reader.readline()
            if not line:
                return "closed" if fresh else "closed kept"
            begun = True
            status, fields = int(line.split()[1]), {}
            while (line := await reader.readline()) not in (b"\r\n", b""):
                name, _, value = line.decode().partition(":")
                fields[name.strip().lower()] = value.strip()
            text = await reader.readexactly(int(fields.get("content-length", 0)))
            if fields.get("connection") != "close" and not expects and self.random.random() < 0.7:
                self.kept[replica], writer = (reader, writer), None
            return "200" if status == 200 else f"{status} {self.reason(text)}"
        except (OSError, asyncio.IncompleteReadError):
            return "cut" if begun else "closed" if fresh else "closed kept"
        finally:
            if writer:
                writer.transport.abort()

    @staticmethod
    def reason(text):
        try:
            return json.loads(text)["detail"]
        except (ValueError, KeyError):
            return text[:60].decode(errors="replace")

    def note(self, replica, method, ident, size, answer, since):
        world = self.world
        world.answers[answer] += 1
        world.longest = max(world.longest, (now() - since, ident))
        if answer in ("200", "left") or world.explains(answer, replica, since):
            return
        world.faults.append(f"{method} {ident} ({size} bytes) at {replica.name}: {answer} after {now() - since:.2f} s, "
                            f"at {since - world.begun:.2f} s")


# ── the storm ──

class World:
    def __init__(self, options):
        self.options, self.seed = options, options.seed
        self.random = random.Random(self.seed)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ticketgate-storm-"))
        self.backend, self.faults, self.answers = Backend(self), [], collections.Counter()
        self.over, self.longest, self.done = False, (0, ""), collections.Counter()
        self.relays_peers = "cut" in options.faults and self.random.random() < 0.5
        self.history, self.begun, self.settled = [], now(), 0

    async def build(self):
        self.nodes = [Node(self, n, self.options.nodes) for n in range(self.options.nodes)]
        for node in self.nodes:
            node.prepare(self.nodes)
            await node.begin()
        self.replicas = [Replica(self, n) for n in range(self.options.replicas)]
        for replica in self.replicas:
            await replica.prepare(self.options.ticketgate, self.nodes)
        endpoints = ", ".join(f'"http://127.0.0.1:{node.port}"' for node in self.nodes)
        file = self.folder / "operator.yaml"
        text = (self.folder / "a.yaml").read_text().split("  store:")[0]
        file.write_text(text + f"  store: {{endpoints: [{endpoints}], timeout: 600ms}}\n"
                        "  peer: {listen: \"127.0.0.1:1\", advertise: \"127.0.0.1:1\", secret: 0123456789abcdef}\n")
        for _ in range(100):
            code, out = await self.command("cluster", "init")
            if code == 0:
                break
            await asyncio.sleep(0.2)
        assert code == 0, out
        for replica in self.replicas:
            await replica.begin()

    async def command(self, *words):
        child = await asyncio.create_subprocess_exec(
            self.options.ticketgate, *words, "-c", str(self.folder / "operator.yaml"),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        out, _ = await child.communicate()
        return child.returncode, out.decode()

    def tell(self, text):
        self.history.append((now(), text))
        if self.options.keep:
            print(f"{now() - self.begun:8.2f} {text}", flush=True)

    def explains(self, answer, replica, since):
        """Whether a fault that was injected is a reason for this answer."""
        until = now()
        if answer == "refused":
            return replica.was_down(since - 1, until)
        if answer in ("closed", "cut"):
            return replica.was_down(since - 1, until)
        if answer == "closed kept":
            return replica.was_down(since - 60, until)  # the connection had ended before
        if answer == "hangs":
            return False
        # Another replica, the store, or a connection: what lasts for some leases.
        return self.quiet_since() > since - 3 * LEASE - WAIT_TIMEOUT and not answer.startswith(("4", "500"))

    def quiet_since(self):
        return self.last_fault if self.calm else now()

    # each fault begins, lasts and ends

    async def injure(self):
        self.calm, self.last_fault = False, now()
        while now() < self.ends:
            kind = self.random.choice(self.options.faults)
            self.done[kind] += 1
            await getattr(self, "do_" + kind)()
            await asyncio.sleep(self.random.choice([0.1, 0.5, 1, 2, 4]))
        self.last_fault, self.calm = now(), True

    def length(self):
        return self.random.choice([0.2, 0.5, 1, 1.5, 2, 2.5, 3, 4, 6])

    async def some(self, of):
        """One of them, or the keeper half of the time."""
        if of is self.replicas and self.random.random() < 0.6 and self.backend.runs:
            name = self.backend.runs[-1].replica
            return next(each for each in of if each.name == name)
        return self.random.choice(of)

    async def do_kill(self):
        one = await self.some(self.replicas)
        self.tell(f"kill {one.name}")
        await one.kill()
        await asyncio.sleep(self.random.choice([0, 0.3, 3]))
        await one.begin()
        self.tell(f"{one.name} is back")

    async def do_stop(self):
        one = await self.some(self.replicas)
        for _ in range(self.random.choice([1, 1, 4])):
            seconds = self.length()
            self.tell(f"stop {one.name} for {seconds} s")
            one.stop()
            await asyncio.sleep(seconds)
            one.go_on()
            await asyncio.sleep(0.05)

    async def do_term(self):
        for one in self.random.choice([self.replicas, [await self.some(self.replicas)]]):
            await self.replace(one)

    async def replace(self, one):
        self.tell(f"term {one.name}")
        one.begin_down()
        one.expected, begun = True, now()
        one.child.terminate()
        try:
            code = await asyncio.wait_for(one.child.wait(), 45)
            if code != 0:
                self.faults.append(f"{one.name} ended with {code} after SIGTERM: {one.errors.read_text()[-800:]}")
        except asyncio.TimeoutError:
            self.faults.append(f"{one.name} did not end after SIGTERM")
            one.child.kill()
            await one.child.wait()
        one.is_over()
        self.tell(f"{one.name} ended {now() - begun:.2f} s after SIGTERM")
        await one.begin()

    async def do_etcd(self):
        one = self.random.choice(self.nodes)
        seconds = self.length()
        if self.random.random() < 0.5:
            self.tell(f"stop {one.name} for {seconds} s")
            one.stop()
            await asyncio.sleep(seconds)
            return one.go_on()
        self.tell(f"kill {one.name} for {seconds} s")
        await one.kill()
        await asyncio.sleep(seconds)
        await one.begin()

    async def do_cut(self):
        one = await self.some(self.replicas)
        relays, what = self.random.choice([(one.peers, "peers"), (one.stores, "store"),
                                           (one.peers + one.stores, "peers and store")])
        mode, seconds = self.random.choice(["stands", "closed"]), self.length()
        self.tell(f"cut {one.name} from {what}: {mode} for {seconds} s")
        for relay in relays:
            relay.set(mode)
        await asyncio.sleep(seconds)
        for relay in relays:
            relay.set("open")

    async def operate(self):
        """The operator: settles what a killed replica has left, once nothing of it runs at the backend."""
        while True:
            await asyncio.sleep(0.5)
            code, out = await self.command("cluster", "status", "--json")
            if code != 0:
                continue
            status = json.loads(out)
            for one in self.replicas:
                one.saw({each["instance"] for each in status["replicas"] if each["name"] == one.name})
            for queue in status["queues"]:
                prior = queue.get("waits_for")
                if prior:
                    await self.settle(prior)

    async def settle(self, prior):
        one = next(each for each in self.replicas if each.name == prior["name"])
        # What it has sent before its end has begun here a second later.
        if any(run.replica == one.name and run.begun < one.died + 1 for run in self.backend.running):
            return
        if not one.has_ended(prior["instance"]) or now() - one.died < 1:
            return
        code, out = await self.command("settle", "app", str(prior["epoch"]))
        self.tell(f"settle {prior['epoch']} of {one.name}: {code} {out.strip()}")
        self.settled += code == 0

    # ── the whole ──

    async def run(self):
        await self.build()
        self.begun = now()
        self.ends = now() + self.options.seconds
        operator = asyncio.ensure_future(self.operate())
        clients = [Client(self, number) for number in range(self.options.clients)]
        work = [asyncio.ensure_future(client.run()) for client in clients]
        await self.injure()
        await asyncio.sleep(2 * LEASE)
        self.over = True
        await asyncio.gather(*work)
        await self.settle_down()
        operator.cancel()
        await self.all_drain()
        return self.judge()

    async def settle_down(self):
        """The line moves again at every replica, and nothing is left."""
        after = Client(self, "after")
        for replica in self.replicas:
            for _ in range(3):
                since, answer = now(), None
                while answer != "200" and now() - since < 30:
                    answer = await after.one(replica)
                    if answer in ("left", "closed kept"):
                        continue
                if answer != "200":
                    self.faults.append(f"after the storm {replica.name} answers {answer}")
        for replica in self.replicas:
            await self.wait_empty(replica)

    async def wait_empty(self, replica):
        for _ in range(50):
            text = await replica.ask("/api/v1/queues")
            queue = json.loads(text)["queues"][0] if text else {}
            if queue.get("waiting") == 0 and queue.get("in_flight") == 0:
                break
            await asyncio.sleep(0.1)
        else:
            self.faults.append(f"{replica.name} has left {text}")
        metrics = (await replica.ask("/metrics")).decode()
        for line in metrics.splitlines():
            name, _, value = line.rpartition(" ")
            if name.startswith("ticketgate_exclusion_violations_total") and float(value):
                self.faults.append(f"{replica.name}: {line}")

    async def all_drain(self):
        for one in self.replicas:
            one.expected = True
            one.child.terminate()
        for one in self.replicas:
            try:
                code = await asyncio.wait_for(one.child.wait(), 40)
            except asyncio.TimeoutError:
                code = "nothing within 40 s"
                one.child.kill()
            if code != 0:
                self.faults.append(f"{one.name} ended with {code} when all were stopped: {one.errors.read_text()[-800:]}")
        for node in self.nodes:
            await node.kill()
        for one in self.replicas:
            text = one.errors.read_text()
            for bad in ("Sanitizer", "terminate called", "runtime error", "check failed"):
                if bad in text:
                    at = text.index(bad)
                    self.faults.append(f"{one.name}: {text[max(0, at - 300):at + 1500]}")

    def judge(self):
        backend = self.backend
        pause, at = max(backend.pauses, default=(0, self.begun))
        near = [text for when, text in self.history if at - pause - 5 <= when <= at]
        print(f"seed {self.seed}: {len(backend.runs)} requests executed, {len(backend.overlaps)} overlaps, "
              f"{len(backend.inversions)} inversions, {len(self.faults) + len(backend.faults)} other faults")
        print(f"answers: {dict(self.answers.most_common())}")
        print(f"faults injected: {dict(self.done)}; settled by the operator: {self.settled}")
        print(f"longest pause {pause:.2f} s, at {at - self.begun:.2f} s behind {near}")
        print(f"longest request {self.longest[0]:.2f} s ({self.longest[1]})")
        for run, others in backend.overlaps[:20]:
            print(f"OVERLAP at {run.begun - self.begun:.2f} s: {vars(run)} with {[vars(other) for other in others]}")
        for before, run in backend.inversions[:20]:
            print(f"INVERSION at {run.begun - self.begun:.2f} s: {vars(run)} after {vars(before)}")
        for fault in (self.faults + backend.faults)[:40]:
            print(f"FAULT {fault}")
        bad = bool(backend.overlaps or backend.inversions or backend.faults or self.faults)
        if not self.options.keep and not bad:
            shutil.rmtree(self.folder)
        else:
            print(f"logs: {self.folder}")
        return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ticketgate")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--replicas", type=int, default=3)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--faults", type=lambda text: text.split(","), default=list(FAULTS))
    parser.add_argument("--keep", action="store_true", help="tell each fault; keep the logs")
    world = World(parser.parse_args())
    try:
        return asyncio.run(world.run())
    finally:
        for one in [*getattr(world, "replicas", []), *getattr(world, "nodes", [])]:
            if one.child and one.child.returncode is None:
                os.kill(one.child.pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
