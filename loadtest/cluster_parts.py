"""The processes that cluster.py measures, on loopback: etcd, a backend, two replicas of ticketgate, and one without a
cluster."""
import glob
import http.client
import json
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests" / "real"))
from real_test import answers, free_port, wait_for  # noqa: E402

LEASE, HOLD, IDLE_AFTER = 3, 2, 1  # seconds
PATIENCE = 60


def ask(port, path, method="GET", seconds=PATIENCE):
    """Status and text. OSError or HTTPException: no whole answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        connection.request(method, path, "" if method == "POST" else None)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def counters(port):
    """The metrics that a process shows, by name with labels."""
    pairs = (line.rsplit(" ", 1) for line in ask(port, "/metrics")[1].splitlines() if not line.startswith("#"))
    return {name: float(value) for name, value in pairs}


class Process:
    def __init__(self, world, name, command):
        self.world, self.name, self.command, self.child = world, name, [str(word) for word in command], None
        world.processes.append(self)

    def start(self):
        with open(self.world.folder / f"{self.name}.log", "ab") as log:
            self.child = subprocess.Popen(self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        return self

    def signal(self, number):
        self.child.send_signal(number)

    def kill(self):
        self.child.kill()
        self.child.wait()

    def end(self):
        if self.child and self.child.poll() is None:
            self.child.send_signal(signal.SIGCONT)
            self.child.terminate()
            try:
                self.child.wait(10)
            except subprocess.TimeoutExpired:
                self.kill()

    def cpu_us(self):
        """The run time of its threads until now."""
        total = 0
        for file in glob.glob(f"/proc/{self.child.pid}/task/*/schedstat"):
            total += int(pathlib.Path(file).read_text().split()[0])
        return total / 1000


class Gate(Process):
    """ticketgate. `name`: of a replica; `plain`: without a cluster."""

    def __init__(self, world, name):
        self.port, self.admin = free_port(), free_port()
        file = world.folder / f"{name}.yaml"
        super().__init__(world, name, [world.tools / "ticketgate", "-c", file])
        self.file = file
        app, held, more = "{}", "{}", ""
        if name != "plain":
            app = "{ cluster: true, hold_timeout: never }"
            held = f"{{ cluster: true, hold_timeout: {HOLD}s, on_hold_timeout: release }}"
            peer, store = free_port(), free_port()
            self.relay = Process(world, f"{name}-store", [world.tools / "tg_relay", "--listen", f"127.0.0.1:{store}",
                                                          "--to", f"127.0.0.1:{world.store_port}"]).start()
            more = (f"cluster:\n  name: bench\n  replica: {name}\n  lease: {LEASE}s\n  idle_after: {IDLE_AFTER}s\n"
                    f"  store: {{ endpoints: [\"http://127.0.0.1:{store}\"] }}\n"
                    f"  peer: {{ listen: \"127.0.0.1:{peer}\", advertise: \"127.0.0.1:{peer}\", "
                    "secret: 0123456789abcdef }\n")
        file.write_text(
            f"listen: [{{ address: \"127.0.0.1:{self.port}\" }}]\nadmin: {{ address: \"127.0.0.1:{self.admin}\" }}\n"
            "threads: 1\nlog: { access: off }\n"
            f"upstreams: {{ app: {{ url: \"http://127.0.0.1:{world.backend_port}\" }} }}\n"
            f"queues: {{ app: {app}, held: {held} }}\ndefaults: {{ upstream: app }}\n"
            "routes: [{ prefix: /, queue: app }, { prefix: /held, queue: held }]\n" + more)

    def begin(self):
        self.start()
        wait_for(lambda: answers(self.port) and answers(self.admin), f"{self.name} listens", PATIENCE)
        return self

    def metric(self, name):
        return counters(self.admin).get(name, 0)

    def keeps(self, queue):
        return self.child.poll() is None and self.metric(f'ticketgate_queue_keeper{{queue="{queue}"}}') == 1

    def is_idle(self, queue):
        return self.metric(f'ticketgate_queue_state{{queue="{queue}",state="idle"}}') == 1

    def sees_store(self):
        return self.metric("ticketgate_cluster_sure_seconds") > 0


class World:
    def __init__(self, tools, folder):
        self.tools, self.folder, self.processes = tools, folder, []
        self.store_port, self.backend_port = free_port(), free_port()

    def begin(self):
        store, raft = f"http://127.0.0.1:{self.store_port}", f"http://127.0.0.1:{free_port()}"
        self.etcd = Process(self, "etcd", [
            "etcd", "--data-dir", self.folder / "etcd", "--listen-client-urls", store, "--advertise-client-urls", store,
            "--listen-peer-urls", raft, "--initial-advertise-peer-urls", raft, "--initial-cluster",
            f"default={raft}"]).start()
        self.backend = Process(self, "backend", [self.tools / "tg_backend", "--listen",
                                                 f"127.0.0.1:{self.backend_port}"]).start()
        wait_for(lambda: answers(self.backend_port) and self.store_is_well(), "etcd and the backend answer", PATIENCE)
        self.plain = Gate(self, "plain").begin()
        self.replicas = [Gate(self, "a"), Gate(self, "b")]
        subprocess.run([self.tools / "ticketgate", "cluster", "init", "-c", self.replicas[0].file], check=True,
                       stdout=subprocess.DEVNULL)
        for replica in self.replicas:
            replica.begin()
        self.settle()

    def store_is_well(self):
        try:
            return ask(self.store_port, "/health", seconds=5)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def settle(self):
        """Waits until both queues have a keeper and both replicas see the store."""
        wait_for(lambda: all(replica.sees_store() for replica in self.replicas), "both replicas see the store", PATIENCE)
        for queue in ("app", "held"):
            wait_for(lambda queue=queue: any(replica.keeps(queue) for replica in self.replicas), "a keeper", PATIENCE)

    def roles(self, queue="app"):
        """The keeper of a queue, and the other replica."""
        first, second = self.replicas
        return (first, second) if first.keeps(queue) else (second, first)

    def rest(self, queue="app"):
        """Waits until the queue is written down as idle."""
        wait_for(lambda: self.roles(queue)[0].is_idle(queue), f"{queue} is idle", PATIENCE)

    def stats(self):
        return json.loads(ask(self.backend_port, "/__stats")[1])

    def starts(self):
        """When requests began at the backend since its last reset, by time.monotonic(): its clock is the same."""
        lines = ask(self.backend_port, "/__log")[1].splitlines()
        return [int(line.split()[1]) / 1e6 for line in lines if line.startswith("S ")]

    def driver(self, gate, *words):
        """The command of tg_driver; with the backend's counts, which it sets to 0 first."""
        return [str(word) for word in (self.tools / "tg_driver", f"http://127.0.0.1:{gate.port}/", "--backend",
                                       f"127.0.0.1:{self.backend_port}", *words)]

    def end(self):
        for process in reversed(self.processes):
            process.end()


def longest_pause(starts, since, until):
    inside = [since] + [start for start in starts if since < start < until] + [until]
    return max(later - earlier for earlier, later in zip(inside, inside[1:]))


def now():
    return time.monotonic()
