"""The processes of a storm: etcd's nodes, replicas of ticketgate, relays that can be cut, and the drivers."""
import asyncio
import dataclasses
import json
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests" / "real"))
from real_test import free_port  # noqa: E402

LEASE = 2
WAIT_TIMEOUT = 10
VIOLATIONS = "ticketgate_exclusion_violations_total"


def now():
    return time.monotonic()


async def fetch(port, path, patience=5):
    """The body; empty: no answer."""
    writer = None
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), patience)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        return (await asyncio.wait_for(reader.read(), patience)).partition(b"\r\n\r\n")[2]
    except (OSError, asyncio.TimeoutError):
        return b""
    finally:
        if writer:
            writer.transport.abort()


class Process:
    def __init__(self, world, name, command=()):
        self.world, self.name, self.command = world, name, command
        self.child, self.expected = None, False
        self.down = []  # [from, to] of kills and stops
        self.errors, self.out = world.folder / f"{name}.err", world.folder / f"{name}.out"
        world.processes.append(self)

    async def start(self):
        with open(self.errors, "ab") as err, open(self.out, "ab") as out:
            self.child = await asyncio.create_subprocess_exec(*map(str, self.command), stdout=out, stderr=err,
                                                              stdin=asyncio.subprocess.DEVNULL,
                                                              start_new_session=True)
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
        if self.child.returncode is None:
            self.child.kill()
        await self.child.wait()

    def stop(self):
        self.begin_down()
        self.signal(signal.SIGSTOP)

    def go_on(self):
        self.signal(signal.SIGCONT)
        self.end_down()

    def signal(self, number):
        if self.child.returncode is None:
            self.child.send_signal(number)

    async def ends(self, seconds):
        """Its exit code; null: it did not end."""
        try:
            return await asyncio.wait_for(self.child.wait(), seconds)
        except asyncio.TimeoutError:
            return None

    def end_by_force(self):
        if self.child and self.child.returncode is None:
            self.expected = True
            os.kill(self.child.pid, signal.SIGKILL)


class Relay(Process):
    """A connection that can be cut. stands: no byte passes; closed: connections end, and new ones are refused."""

    def __init__(self, world, name, target):
        super().__init__(world, name)
        self.port = free_port()
        self.command = [world.tools / "tg_relay", "--listen", f"127.0.0.1:{self.port}", "--to", f"127.0.0.1:{target}",
                        "--seconds", 1 << 20]

    async def cut(self, how):
        if how == "stands":
            self.stop()
        else:
            await self.kill()

    async def mend(self, how):
        if how == "stands":
            self.go_on()
        else:
            await self.start()


class Node(Process):
    """Of etcd."""

    def __init__(self, world, number):
        super().__init__(world, f"n{number}")
        self.port, self.peer_port = free_port(), free_port()

    def prepare(self, nodes):
        mine, peer = f"http://127.0.0.1:{self.port}", f"http://127.0.0.1:{self.peer_port}"
        everyone = ",".join(f"{node.name}=http://127.0.0.1:{node.peer_port}" for node in nodes)
        self.command = ["etcd", "--name", self.name, "--data-dir", self.world.folder / self.name,
                        "--listen-client-urls", mine, "--advertise-client-urls", mine, "--listen-peer-urls", peer,
                        "--initial-advertise-peer-urls", peer, "--initial-cluster", everyone,
                        "--heartbeat-interval", 50, "--election-timeout", 500, "--auto-compaction-retention", "1h"]

    async def begin(self):
        await self.start()
        self.end_down()


@dataclasses.dataclass
class Life:
    """Of one process of a replica."""
    log_from: int  # in the file of its errors
    counted: int = 0  # violations, as its metric said last
    log: bytes = b""
    whole: bool = False  # it ended in peace, and its metric was read last


class Replica(Process):
    def __init__(self, world, number):
        super().__init__(world, "abcdefgh"[number])
        self.ports = [free_port() for _ in range(3)]  # clients, admin, other replicas
        self.died, self.instance, self.earlier = 0.0, None, set()
        self.lives = []
        self.busy = asyncio.Lock()  # of one fault

    async def prepare(self, ticketgate, nodes, relays_peers, queue):
        world, name = self.world, self.name
        self.stores = [Relay(world, f"{name}-{node.name}", node.port) for node in nodes]
        self.peers = [Relay(world, f"{name}-peer", self.ports[2])] if relays_peers else []
        for relay in self.stores + self.peers:
            await relay.start()
        advertised = self.peers[0].port if self.peers else self.ports[2]
        endpoints = ", ".join(f'"http://127.0.0.1:{relay.port}"' for relay in self.stores)
        file = world.folder / f"{name}.yaml"
        file.write_text(
            f"listen: [{{address: \"127.0.0.1:{self.ports[0]}\"}}]\n"
            f"admin: {{address: \"127.0.0.1:{self.ports[1]}\"}}\n"
            f"upstreams: {{app: {world.backend.upstream()}}}\n"
            f"queues: {{app: {{cluster: true, {queue}}}}}\n"
            f"routes: [{{prefix: /, upstream: app, queue: app, wait_timeout: {WAIT_TIMEOUT}s}}]\n"
            "log: {access: off}\n"
            "drain_timeout: 30s\n"
            f"cluster:\n  name: storm\n  replica: {name}\n  lease: {LEASE}s\n  idle_after: 200ms\n"
            f"  store: {{endpoints: [{endpoints}], timeout: 600ms}}\n"
            f"  peer: {{listen: \"127.0.0.1:{self.ports[2]}\", advertise: \"127.0.0.1:{advertised}\", "
            "secret: 0123456789abcdef}\n")
        self.command = [ticketgate, "-c", file]

    async def ask(self, path, patience=5):
        return await fetch(self.ports[1], path, patience)

    async def begin(self):
        self.lives.append(Life(self.errors.stat().st_size if self.errors.exists() else 0))
        await self.start()
        for _ in range(600):
            page = await self.ask("/api/v1/cluster")
            if page:
                self.instance = json.loads(page)["this_instance"]
                break
            await asyncio.sleep(0.05)
        self.end_down()

    async def kill(self):
        await self.count(0.2)
        await super().kill()
        self.is_over()

    def is_over(self, whole=False):
        self.died = now()
        self.earlier.add(self.instance)
        self.instance = None
        life = self.lives[-1]
        life.log, life.whole = self.errors.read_bytes()[life.log_from:], whole

    async def count(self, patience=1):
        """Looks at how many violations of exclusion this process has counted."""
        for line in (await self.ask("/metrics", patience)).decode().splitlines():
            if line.startswith(VIOLATIONS):
                self.lives[-1].counted = int(float(line.rpartition(" ")[2]))


class Driver(Process):
    """tg_driver at one replica, with a path of its own."""

    def __init__(self, world, replica, method):
        super().__init__(world, f"driver-{replica.name}-{method}")
        words = ["--method", method, "--us", 500 if method == "GET" else 1000]
        if method == "POST":
            words += ["--body-size", 2000]
        self.command = [world.tools / "tg_driver", f"http://127.0.0.1:{replica.ports[0]}/{self.name}", *words,
                        "--connections", world.options.connections, "--check", "--retry-ms", 50,
                        "--seconds", 1 << 20, "--timeout", 1 << 20]

    def finish(self):
        self.expected = True
        self.signal(signal.SIGUSR1)

    def report(self):
        text = self.out.read_text()
        return json.loads(text) if text.strip() else {}
