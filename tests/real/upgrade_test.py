#!/usr/bin/env python3
"""A new process takes over from the running one, under load and with requests in line, and nothing is lost.

Usage: upgrade_test.py TICKETGATE [unittest's options]
"""
import collections
import ctypes
import fcntl
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

from real_test import Listening, Process, answers, close_door, free_port, wait_for

TICKETGATE = None
UPGRADES = 10
PATIENCE = 60
CHILD_SUBREAPER = 36


class Backend(Listening):
    """Notes when each request begins and ends, by queue, and how many of one queue ran at once. `hold` keeps the requests of
    a queue running until they are let go one by one."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Condition()
        self.running, self.begun = collections.Counter(), collections.defaultdict(list)
        self.overlaps, self.held, self.let_go = 0, set(), collections.Counter()
        self.start()

    def serve(self, connection):
        with connection, connection.makefile("rb") as reader:
            while line := reader.readline():
                path, length = line.split()[1].decode(), 0
                while (field := reader.readline()) not in (b"\r\n", b""):
                    if field.lower().startswith(b"content-length:"):
                        length = int(field.split(b":")[1])
                reader.read(length)
                self.work(connection, path)

    def work(self, connection, path):
        queue = path.split("/")[1]
        with self.lock:
            self.running[queue] += 1
            self.overlaps += self.running[queue] > 1 and queue != "free"
            self.begun[queue].append(path)
            self.lock.notify_all()
        try:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nd")
            with self.lock:
                self.lock.wait_for(lambda: queue not in self.held or self.let_go[queue] > 0)
                self.let_go[queue] -= self.let_go[queue] > 0
                self.running[queue] -= 1
            connection.sendall(b"one")
        except OSError:
            pass  # a killed process

    def hold(self, queue):
        with self.lock:
            self.held.add(queue)

    def release(self, queue):
        with self.lock:
            self.held.discard(queue)
            self.lock.notify_all()

    def release_one(self, queue):
        with self.lock:
            self.let_go[queue] += 1
            self.lock.notify_all()

    def runs(self, path):
        with self.lock:
            return path in self.begun[path.split("/")[1]]


class OneWorker(Backend):
    """Serves one connection after the other, as a backend with a single worker: php -S, or pm.max_children = 1."""

    def __init__(self):
        self.worker = threading.Lock()
        super().__init__()

    def serve(self, connection):
        with self.worker:
            super().serve(connection)


class Client(threading.Thread):
    """Sends one request after the other until it is told to stop. `keeps`: on one connection, as long as the server keeps it.
    A connection that ended before a request was answered may be replaced only if it was kept (RFC 9112 9.3.1)."""

    def __init__(self, name, port, queue, keeps, tls=None):
        super().__init__(daemon=True)
        self.label, self.port, self.queue, self.keeps, self.tls = name, port, queue, keeps, tls
        self.answers, self.errors, self.repeats, self.sent = collections.Counter(), [], 0, []
        self.done = threading.Event()
        self.connection = None

    def open(self):
        plain = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self.connection = self.tls.wrap_socket(plain, server_hostname="localhost") if self.tls else plain
        self.reader = self.connection.makefile("rb")
        self.fresh = True

    def close(self):
        if self.connection:
            self.reader.close()
            self.connection.close()
        self.connection = None

    def run(self):
        number = 0
        while not self.done.is_set():
            number += 1
            path = f"/{self.queue}/{self.label}-{number}"
            try:
                self.request(path)
            except Exception as error:  # pylint: disable=broad-except
                self.errors.append(f"{path}: {error!r}")
                self.close()
            self.sent.append(path)
        self.close()

    def ended(self):
        """The server has ended the connection between two requests."""
        self.connection.setblocking(False)
        try:
            return self.connection.recv(1) == b""
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        except OSError:
            return True
        finally:
            self.connection.settimeout(PATIENCE)

    def request(self, path):
        for _ in range(2):
            if self.connection and self.ended():
                self.close()
            if not self.connection:
                self.open()
            first, self.fresh = self.fresh, False
            try:
                self.connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nhi".encode())
                status = self.reader.readline()
                if not status:
                    raise ConnectionError("ended before its answer")
            except OSError:
                self.close()
                if first:
                    raise
                self.repeats += 1
                continue
            return self.read_answer(status)
        raise ConnectionError("ended twice before its answer")

    def read_answer(self, status):
        head = http.client.parse_headers(self.reader)
        body = self.reader.read(int(head.get("Content-Length", "0")))
        self.answers[int(status.split()[1])] += 1
        if body != b"done" and status.split()[1] == b"200":
            raise ConnectionError(f"cut: {body}")
        if not self.keeps or head.get("Connection", "").lower() == "close":
            self.close()


def unread(client):
    """The bytes that the process at the other end of this connection has not read yet."""
    ends = [f"0100007F:{port:04X}" for port in (client.getpeername()[1], client.getsockname()[1])]
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines():
        fields = line.split()
        if fields[1:3] == ends:
            return int(fields[4].split(":")[1], 16)
    raise AssertionError("the connection has ended")


def rests(pid):
    """All threads of a process wait for events; none ends meanwhile."""
    try:
        return all((task / "stat").read_text().rsplit(")", 1)[1].split()[0] == "S"
                   for task in pathlib.Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return False


def wake_ups(pid):
    """How often the control thread of a process has waited for events. It looks at the lines each time in an upgrade."""
    return int(re.search(r"voluntary_ctxt_switches:\s(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])


def children(pid):
    """The programs that this process has started; a new ticketgate is none of them."""
    pids = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in pids]


def runs(pid):
    return pathlib.Path(f"/proc/{pid}/exe").exists()


class Upgrade(unittest.TestCase):
    def setUp(self):
        ctypes.CDLL(None).prctl(CHILD_SUBREAPER, 1, 0, 0, 0)  # a new process outlives the one that started it
        folder = tempfile.TemporaryDirectory(prefix="ticketgate-upgrade-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.backend = Backend()
        self.addCleanup(close_door, self.backend.door)
        self.port, self.tls_port, self.admin = free_port(), free_port(), self.folder / "admin.sock"
        self.file = self.folder / "ticketgate.yaml"
        self.pids = []
        self.addCleanup(self.end_all)

    # ── the processes ──

    def config(self, more="", listen="", upstream=""):
        return f"""
listen: [{{ address: "127.0.0.1:{self.port}" }}{listen}]
admin: {{ address: "unix:{self.admin}" }}
upstreams: {{ app: {{ url: "http://127.0.0.1:{self.backend.port}"{upstream} }} }}
routes:
  - {{ prefix: /a, upstream: app, queue: a }}
  - {{ prefix: /b, upstream: app, queue: b }}
  - {{ prefix: /free, upstream: app }}
log: {{ access_file: "{self.folder}/access.log" }}
{more}
"""

    def start(self, more="", listen="", upstream="", command=(), env=None):
        self.file.write_text(self.config(more, listen, upstream))
        return self.start_file(command, env)

    def start_file(self, command=(), env=None, program=None):
        self.gate = Process([*command, program or TICKETGATE, "-c", str(self.file)], self.folder / "gate.log", env)
        self.addCleanup(self.gate.log.close)
        self.pids.append(self.gate.child.pid)
        wait_for(lambda: answers(self.port) and self.admin_listens(), "ticketgate listens")
        return self.gate.child.pid

    def admin_listens(self):
        """The file is there before anybody listens at it."""
        with socket.socket(socket.AF_UNIX) as one:
            return one.connect_ex(str(self.admin)) == 0

    def told(self):
        return (self.folder / "gate.log").read_text()

    def command(self, *words):
        return subprocess.run([TICKETGATE, *words, "-c", str(self.file)], capture_output=True, text=True, timeout=PATIENCE,
                              check=False)

    def upgrade(self, *more):
        """Returns the pid of the new process."""
        done = self.command("upgrade", *more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr + self.told())
        pid = int(re.search(r"process (\d+) has taken over", done.stdout)[1])
        self.pids.append(pid)
        return pid

    def ended(self, pid):
        if pid == self.gate.child.pid:
            return self.gate.child.poll() is not None
        try:
            return os.waitpid(pid, os.WNOHANG)[0] == pid
        except ChildProcessError:
            return not pathlib.Path(f"/proc/{pid}").exists()

    def end_all(self):
        for pid in self.pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            wait_for(lambda pid=pid: self.ended(pid), "it is gone")

    # ── requests ──

    def send(self, path, port=None, more=""):
        connection = socket.create_connection(("127.0.0.1", port or self.port), timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{more}\r\n".encode())
        return connection

    def status(self, connection):
        answer = b""
        while not answer.endswith(b"\r\n\r\ndone") and (piece := connection.recv(4096)):
            answer += piece
        return int(answer.split()[1]) if answer else 0

    def queue(self, name="a"):
        return json.loads(self.command("queues", name, "--json").stdout)

    def wait_in_line(self, count, queue="a"):
        wait_for(lambda: self.queue(queue)["waiting"] == count, f"{count} wait in {queue}")

    # ── the promise ──

    def certificate(self):
        key, pem = self.folder / "key.pem", self.folder / "cert.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                        "9", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out",
                        str(pem)], check=True, capture_output=True)
        trust = ssl.create_default_context(cafile=str(pem))
        listen = f', {{ address: "127.0.0.1:{self.tls_port}", tls: {{ certificates: [{{ certificate: {pem}, key: {key} }}] }} }}'
        return trust, listen

    def test_ten_upgrades_under_load_lose_nothing(self):
        trust, listen = self.certificate()
        self.start(listen=listen)
        clients = [Client(f"{queue}{kind}", port, queue, keeps, tls)
                   for queue in ("a", "b", "free")
                   for kind, port, keeps, tls in (("kept", self.port, True, None), ("new", self.port, False, None),
                                                  ("tls", self.tls_port, True, trust), ("newtls", self.tls_port, False, trust))]
        for client in clients:
            client.start()
        for _ in range(UPGRADES):
            seen = [len(client.sent) for client in clients]
            wait_for(lambda seen=seen: all(len(c.sent) > before + 2 for c, before in zip(clients, seen)), "all are served")
            self.upgrade("--wait")
        for client in clients:
            client.done.set()
        for client in clients:
            client.join(PATIENCE)
        self.check_load(clients)

    def check_load(self, clients):
        answered = sum((client.answers for client in clients), collections.Counter())
        repeats = sum(client.repeats for client in clients)
        print(f"{sum(answered.values())} requests over {UPGRADES} upgrades: {dict(answered)}, {self.backend.overlaps} "
              f"overlaps, {repeats} repeats on kept connections")
        self.assertEqual([error for client in clients for error in client.errors], [])
        self.assertEqual(set(answered), {200})
        self.assertEqual(self.backend.overlaps, 0)
        for queue, begun in self.backend.begun.items():
            self.assertEqual(sorted(begun), sorted(path for c in clients if c.queue == queue for path in c.sent))
            for client in clients:
                own = [path for path in begun if path.startswith(f"/{queue}/{client.label}-")]
                self.assertEqual(own, client.sent if client.queue == queue else [])

    def test_requests_of_the_old_line_run_before_those_of_the_new_ten_times(self):
        old = self.start()
        for turn in range(UPGRADES):
            self.backend.hold("a")
            paths = [f"/a/{turn}-{number}" for number in range(6)]
            lines = [self.send(paths[0])]
            wait_for(lambda first=paths[0]: self.backend.runs(first), "the first runs")
            for number in (1, 2):
                lines.append(self.send(paths[number]))
                self.wait_in_line(number)
            new = self.upgrade()
            self.assertEqual(self.queue()["in_flight"], 0)
            for number in (3, 4, 5):
                lines.append(self.send(paths[number]))
                self.wait_in_line(number - 2)
            self.assertEqual(self.status(self.send("/b/free-queue")), 200, "another queue goes on at once")
            for number in range(6):
                self.assertEqual(self.backend.begun["a"][6 * turn:], paths[:number + 1])
                self.backend.release_one("a")
                self.assertEqual(self.status(lines[number]), 200)
                if number < 5:
                    wait_for(lambda path=paths[number + 1]: self.backend.runs(path), "the next one runs")
            wait_for(lambda pid=old: self.ended(pid), "the old process ends")
            wait_for(lambda: not json.loads(self.state())["old_process"], "the new one knows")
            old = new
        self.assertEqual(self.backend.overlaps, 0)

    def state(self):
        with socket.socket(socket.AF_UNIX) as asks:
            asks.connect(str(self.admin))
            asks.sendall(b"GET /api/v1/upgrade HTTP/1.0\r\nHost: localhost\r\n\r\n")
            return b"".join(iter(lambda: asks.recv(4096), b"")).split(b"\r\n\r\n", 1)[1].decode()

    def test_a_request_whose_head_comes_late_is_served_by_the_old_process(self):
        self.serve_late(b"POST /a/late HTTP/1.1\r\nHost: a\r\nX-Pad: ", b"x\r\nContent-Length: 0\r\n\r\n")

    def test_an_upload_that_ends_late_keeps_no_queue_and_is_served_by_the_old_process(self):
        self.serve_late(b"POST /a/late HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbo", b"dy")

    def serve_late(self, begin, end):
        old = self.start()
        upload = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self.addCleanup(upload.close)
        upload.sendall(begin)
        self.assertEqual(self.status(self.send("/a/before")), 200)
        self.upgrade()
        self.assertEqual(self.status(self.send("/a/new")), 200, "the queue is with the new process")
        self.backend.hold("a")
        runs = self.send("/a/runs")
        wait_for(lambda: self.backend.runs("/a/runs"), "a request of the new process runs")
        upload.sendall(end)
        waits = self.send("/a/waits")
        self.wait_in_line(1)
        self.backend.release("a")
        self.assertEqual([self.status(one) for one in (runs, upload, waits)], [200, 200, 200])
        wait_for(lambda: self.ended(old), "the old process ends")
        self.assertEqual(self.backend.overlaps, 0)

    # ── the order of requests in two processes ──

    def begin_late(self):
        """A client whose request begins in the process that runs, and ends when the test wants it to."""
        late = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self.addCleanup(late.close)
        late.sendall(b"POST /a/late HTTP/1.1\r\nHost: a\r\nX-Pad: ")
        self.assertEqual(self.status(self.send("/b/before")), 200)  # so the connection has been accepted
        return late

    def end_late(self, late, old, new):
        """Returns when the old process has taken the request, and the new one has heard of it."""
        late.sendall(b"x\r\nContent-Length: 0\r\n\r\n")
        wait_for(lambda: unread(late) == 0, "the old process has read it")
        wait_for(lambda: rests(old), "and put it into its line")
        looked = wake_ups(old)
        wait_for(lambda: wake_ups(old) > looked + 2, "it has looked at its line since")
        wait_for(lambda: rests(new), "the new one has read what it said")

    def runs_one_by_one(self, lines):
        paths = list(lines)
        for count, connection in enumerate(lines.values(), 1):
            wait_for(lambda count=count: len(self.backend.begun["a"]) == count, "the next one runs")
            self.assertEqual(self.backend.begun["a"], paths[:count])
            self.backend.release_one("a")
            self.assertEqual(self.status(connection), 200)
        self.assertEqual(self.backend.overlaps, 0)

    def runs_in_order(self, lines, late, old, new):
        """The late request goes behind these lines, and before one that comes after it."""
        self.end_late(late, old, new)
        lines["/a/late"] = late
        lines["/a/after"] = self.send("/a/after")
        self.wait_in_line(2)
        self.runs_one_by_one(lines)
        wait_for(lambda: self.ended(old), "the old process ends")

    def test_a_late_request_runs_behind_those_that_wait_in_the_new_process(self):
        old = self.start()
        late = self.begin_late()
        new = self.upgrade()
        self.backend.hold("a")
        lines = {"/a/runs": self.send("/a/runs")}
        wait_for(lambda: self.backend.runs("/a/runs"), "the queue is with the new process")
        lines["/a/waits"] = self.send("/a/waits")
        self.wait_in_line(1)
        self.runs_in_order(lines, late, old, new)

    def test_a_late_request_runs_behind_those_that_came_while_the_old_process_had_the_queue(self):
        old = self.start()
        late = self.begin_late()
        self.backend.hold("a")
        lines = {"/a/runs": self.send("/a/runs")}
        wait_for(lambda: self.backend.runs("/a/runs"), "the first runs")
        lines["/a/old"] = self.send("/a/old")
        self.wait_in_line(1)
        new = self.upgrade()
        lines["/a/waits"] = self.send("/a/waits")
        self.wait_in_line(1)
        self.runs_in_order(lines, late, old, new)

    def test_an_idle_connection_of_the_new_process_does_not_keep_the_only_worker_from_a_late_request(self):
        self.backend = OneWorker()
        self.addCleanup(close_door, self.backend.door)
        old = self.start(upstream=", idle_timeout: 1h")
        late = self.begin_late()
        self.upgrade()
        self.assertEqual(self.status(self.send("/a/new")), 200, "the new process keeps its connection to the backend")
        late.sendall(b"x\r\nContent-Length: 0\r\n\r\n")
        self.assertEqual(self.status(late), 200)
        self.assertEqual(self.status(self.send("/a/after")), 200)
        wait_for(lambda: self.ended(old), "the old process ends")

    # ── what goes wrong ──

    def test_a_bad_config_changes_nothing_and_is_told(self):
        old = self.start()
        held = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self.addCleanup(held.close)
        self.file.write_text(self.config("wait_timout: 1s"))
        done = self.command("upgrade")
        self.assertEqual(done.returncode, 1)
        self.assertIn("exit code 78", done.stderr + self.told())
        self.assertIn("wait_timout", done.stderr)
        self.assertEqual(self.status(self.send("/a/x")), 200)
        held.sendall(b"GET /a/y HTTP/1.1\r\nHost: a\r\n\r\n")
        self.assertEqual(self.status(held), 200)
        self.assertEqual(json.loads(self.state())["pid"], old)
        self.file.write_text(self.config())
        self.upgrade("--wait")
        self.assertEqual(self.status(self.send("/a/z")), 200)

    def test_a_start_that_fails_leaves_the_files_of_unix_sockets(self):
        unix = pathlib.Path(self.folder) / "listen.sock"
        own = f'{{ address: "unix:{unix}" }}'
        self.start(listen=f", {own}")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            other = f'{{ address: "127.0.0.1:{taken.getsockname()[1]}" }}'
            self.file.write_text(self.config(listen=f", {own}, {other}"))
            done = self.command("upgrade")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("cannot listen", done.stderr + self.told())
        self.file.write_text(self.config(listen=f", {own}"))
        for _ in range(2):  # after the failure, and at the process that takes over then
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(unix))
                client.sendall(b"GET /a/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 200"))
            last = self.upgrade("--wait")
        os.kill(last, signal.SIGTERM)
        wait_for(lambda: self.ended(last), "it has ended")
        self.assertFalse(unix.exists(), "the last process removes its file")

    def test_clients_of_a_removed_listener_are_refused_at_once_and_served_again_if_the_new_process_dies(self):
        port = free_port()
        self.start(listen=f', {{ address: "127.0.0.1:{port}" }}')
        held = self.hold_one()
        self.file.write_text(self.config())
        new = self.upgrade()
        self.assertIn(f"127.0.0.1:{port}", self.told())
        self.assertFalse(answers(port), "the old process still finishes its line")
        os.kill(new, signal.SIGKILL)
        wait_for(lambda: answers(port), "the old process accepts again")
        self.assertEqual(self.status(self.send("/b/x", port)), 200)
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)

    def test_the_file_of_a_removed_unix_socket_goes_with_the_old_process(self):
        unix = pathlib.Path(self.folder) / "listen.sock"
        self.start(listen=f', {{ address: "unix:{unix}" }}')
        held = self.hold_one()
        self.file.write_text(self.config())
        self.upgrade()
        self.assertTrue(unix.exists(), "the old process would accept there again")
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        wait_for(lambda: not unix.exists(), "no process accepts there any more")

    def test_clients_of_an_id_service_that_cannot_start_are_refused(self):
        port, state = free_port(), self.folder / "ids"
        ids = f'id_service: {{ address: "127.0.0.1:{port}", worker: 3, state_file: "{state}" }}'
        self.start(more=ids)
        wait_for(lambda: answers(port), "the id service listens")
        self.hold_one()
        used = open(self.folder / "used", "w")  # by another process, as far as the new one can see
        self.addCleanup(used.close)
        fcntl.flock(used, fcntl.LOCK_EX)
        self.file.write_text(self.config(more=ids.replace(str(state), used.name)))
        new = self.upgrade()
        wait_for(lambda: "the id service cannot start" in self.told(), "the new process tells it")
        wait_for(lambda: not answers(port), "its clients are refused although the old process lives")
        os.kill(new, signal.SIGKILL)
        wait_for(lambda: answers(port), "the id service of the old process begins again")

    def check_refused(self, why):
        done = self.command("upgrade")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(why, done.stderr)
        self.assertEqual(self.status(self.send("/free/x")), 200)

    def test_a_replica_of_a_cluster_refuses(self):
        pid = self.start(more=self.cluster())
        self.check_refused("restart it, and its lines pass to other replicas")
        self.assertEqual(json.loads(self.state())["pid"], pid)

    def test_a_config_with_a_cluster_takes_nothing_over(self):
        """Another replica would grant from the queue while the old process still runs a request of it."""
        pid = self.start()
        held = self.hold_one()
        self.file.write_text(self.config(more=self.cluster()))
        self.check_refused("with `cluster:` an upgrade is refused")
        self.assertEqual(json.loads(self.state())["pid"], pid)
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)

    def cluster(self):
        peer, store = free_port(), free_port()
        return ("queues: { shared: { cluster: true, hold_timeout: never } }\n"
                f'cluster: {{ name: shop, replica: one, store: {{ endpoints: ["http://127.0.0.1:{store}"] }}, '
                f'peer: {{ listen: "127.0.0.1:{peer}", advertise: "127.0.0.1:{peer}", secret: {"s" * 40} }} }}')

    def test_process_1_refuses(self):
        space = ["unshare", "--map-root-user", "--pid", "--fork", "--kill-child"]
        if subprocess.run([*space, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no namespaces may be made here")
        self.start(command=space)
        self.check_refused("its container would end with it")
        self.assertEqual(json.loads(self.state())["pid"], 1)

    def hold_one(self, path="/a/old", queue="a"):
        self.backend.hold(queue)
        held = self.send(path)
        wait_for(lambda: self.backend.runs(path), "it runs")
        return held

    def test_the_old_process_accepts_again_if_the_new_one_dies(self):
        old = self.start()
        held = self.hold_one()
        new = self.upgrade()
        os.kill(new, signal.SIGKILL)
        wait_for(lambda: "this one accepts again" in self.told(), "the old process notices")
        waits = self.send("/a/next")
        self.wait_in_line(1)
        self.backend.release("a")
        self.assertEqual([self.status(held), self.status(waits)], [200, 200])
        self.assertEqual(self.backend.overlaps, 0)
        self.assertEqual(json.loads(self.state())["pid"], old)
        self.upgrade("--wait")
        self.assertEqual(self.status(self.send("/a/after")), 200)

    def test_the_new_process_goes_on_if_the_old_one_is_killed(self):
        old = self.start()
        self.hold_one()
        self.upgrade()
        waits = self.send("/a/next")
        self.wait_in_line(1)
        self.assertFalse(self.backend.runs("/a/next"), "the queue is with the old process")
        os.kill(old, signal.SIGKILL)
        wait_for(lambda: self.backend.runs("/a/next"), "as after a restart, the new process begins with free slots")
        wait_for(lambda: "the old process ended with requests in its line" in self.told(), "the log says so")
        self.backend.release("a")
        self.assertEqual(self.status(waits), 200)

    def test_a_second_upgrade_waits_until_the_old_process_has_ended(self):
        old = self.start()
        held = self.hold_one()
        self.upgrade()
        done = self.command("upgrade")
        self.assertEqual(done.returncode, 1)
        self.assertIn("still finishes its line", done.stderr)
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        wait_for(lambda: self.ended(old), "the old process ends")
        wait_for(lambda: not json.loads(self.state())["old_process"], "the new one knows")
        self.upgrade("--wait")

    def test_a_signal_to_reload_during_the_start_of_the_new_process_is_not_lost(self):
        program, door = self.folder / "ticketgate", self.folder / "door"
        shutil.copy(TICKETGATE, program)
        os.mkfifo(door)
        self.file.write_text(self.config())
        old = self.start_file(program=program)
        program.unlink()
        program.write_text(f"#!/bin/sh\nread -r _ < {door}\nexec {TICKETGATE} \"$@\"\n")
        program.chmod(0o755)
        upgrade = subprocess.Popen([TICKETGATE, "upgrade", "-c", str(self.file)], stdout=subprocess.PIPE, text=True)
        wait_for(lambda: json.loads(self.state())["state"] == "starting", "the new process starts")
        self.pids.append(json.loads(self.state())["successor"])
        os.kill(old, signal.SIGHUP)
        wait_for(lambda: "the new process reads its config again" in self.told(), "the old process has the signal")
        door.write_text("go on\n")
        upgrade.communicate(timeout=PATIENCE)
        self.assertEqual(upgrade.returncode, 0, self.told())
        wait_for(lambda: re.search(r"config loaded .*by=signal", self.told()), "the new process reloads")

    def test_a_reload_names_a_removed_queue_of_the_old_process(self):
        old = self.start()
        held = self.hold_one()
        self.upgrade()
        self.file.write_text(self.config().replace("queue: a", "queue: renamed"))
        loaded = self.command("reload")
        self.assertEqual(loaded.returncode, 0)
        self.assertIn("queue a has no route any more, but the old process has not finished its line",
                      loaded.stdout + loaded.stderr)
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        wait_for(lambda: self.ended(old), "the old process ends")
        wait_for(lambda: not json.loads(self.state())["old_process"], "the new one knows")
        loaded = self.command("reload")
        self.assertNotIn("has no route any more", loaded.stdout + loaded.stderr)

    def test_a_drain_of_the_new_process_ends_both(self):
        old = self.start()
        held = self.hold_one()
        new = self.upgrade()
        waits = self.send("/a/next")
        self.wait_in_line(1)
        os.kill(new, signal.SIGTERM)
        wait_for(lambda: not answers(self.port), "nobody accepts any more")
        self.backend.release("a")
        self.assertEqual([self.status(held), self.status(waits)], [200, 200])
        wait_for(lambda: self.ended(old) and self.ended(new), "both end")
        self.assertEqual(self.backend.overlaps, 0)

    def test_a_signal_to_each_process_cuts_nothing(self):
        """As systemd and a terminal send it to the whole group. The old process drains already, as the new one told it."""
        old = self.start()
        held = self.hold_one()
        waits = [self.send("/a/waits")]
        self.wait_in_line(1)
        new = self.upgrade()
        waits.append(self.send("/a/new-waits"))
        self.wait_in_line(1)
        os.kill(new, signal.SIGTERM)
        wait_for(lambda: self.told().count(" draining ") == 2, "both drain")
        os.kill(old, signal.SIGTERM)
        wait_for(lambda: rests(old), "it has taken the signal")
        self.backend.release("a")
        self.assertEqual([self.status(one) for one in (held, *waits)], [200] * 3)
        wait_for(lambda: self.ended(old) and self.ended(new), "both end")
        self.assertEqual(self.backend.overlaps, 0)

    def test_kept_connections_to_the_admin_listener_end_with_an_upgrade(self):
        """The old process would show its own line to a viewer, and say to a health check that it drains."""
        self.start()
        self.hold_one()
        asks, watches = self.ask_admin("/readyz"), self.ask_admin("/api/v1/events")
        for kept in (asks, watches):
            self.assertIn(b" 200 OK", kept.recv(65536))
        self.upgrade()
        for kept in (asks, watches):
            while kept.recv(65536):
                continue
        again = self.ask_admin("/readyz")
        self.assertIn(b" 200 OK", again.recv(65536))
        self.backend.release("a")

    def ask_admin(self, path):
        asks = socket.socket(socket.AF_UNIX)
        self.addCleanup(asks.close)
        asks.settimeout(PATIENCE)
        asks.connect(str(self.admin))
        asks.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return asks

    # ── what goes along ──

    @unittest.skipUnless(shutil.which("php-cgi"), "php-cgi is not installed")
    def test_scripts_of_the_workers_of_two_processes_never_run_together(self):
        (self.folder / "a").mkdir()
        (self.folder / "a/x.php").write_text("<?php header('Content-Length: 4'); echo file_get_contents('http://127.0.0.1:"
                                             f"{self.backend.port}' . $_SERVER['REQUEST_URI'], false, null, 0, 4);")
        self.file.write_text(self.config().replace(
            f'url: "http://127.0.0.1:{self.backend.port}"',
            "workers: { command: [php-cgi, -d, cgi.fix_pathinfo=0], max: 2 }, "
            f"fastcgi: {{ root: {self.folder} }}"))
        self.start_file()
        old = self.gate.child.pid
        held = self.hold_one("/a/x.php?old")
        workers = children(old)
        self.assertTrue(workers)
        self.upgrade()
        lines = {"/a/x.php?old": held, "/a/x.php?new": self.send("/a/x.php?new")}
        self.wait_in_line(1)
        self.runs_one_by_one(lines)
        wait_for(lambda: self.ended(old), "the old process ends")
        for pid in workers:
            wait_for(lambda pid=pid: not runs(pid), "its workers end with it")
        self.backend.release("a")
        self.assertEqual(self.status(self.send("/a/x.php?after")), 200)

    def test_a_pause_holds_in_both_processes(self):
        old = self.start()
        held = self.hold_one()
        waits = [self.send("/a/old-waits")]
        self.wait_in_line(1)
        self.assertEqual(self.command("pause", "a").returncode, 0)
        self.upgrade()
        waits.append(self.send("/a/new-waits"))
        self.wait_in_line(1)
        self.assertTrue(self.queue()["paused"])
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        self.assertFalse(self.backend.runs("/a/old-waits"))
        self.assertEqual(self.command("resume", "a").returncode, 0)
        self.assertEqual([self.status(one) for one in waits], [200, 200])
        wait_for(lambda: self.ended(old), "the old process ends")
        self.assertEqual(self.backend.begun["a"], ["/a/old", "/a/old-waits", "/a/new-waits"])

    def test_the_pause_of_a_queue_that_the_new_config_does_not_have_can_be_ended(self):
        old = self.start()
        held = self.hold_one()
        waits = self.send("/a/waits")
        self.wait_in_line(1)
        self.assertEqual(self.command("pause", "a").returncode, 0)
        self.file.write_text(self.config().replace("queue: a", "queue: c"))
        self.upgrade()
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        self.assertFalse(self.backend.runs("/a/waits"))
        wait_for(lambda: "paused in the old process" in self.told(), "the new process has heard of the pause")
        done = self.command("resume", "a")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.status(waits), 200)
        wait_for(lambda: self.ended(old), "the old process ends")
        self.assertEqual(self.command("resume", "a").returncode, 1)

    def test_a_queue_that_a_reload_brings_back_has_the_pause_that_the_old_process_has(self):
        for renamed in (True, False):
            with self.subTest(by="upgrade" if renamed else "reload"):
                self.start()
                self.assertEqual(self.command("pause", "a").returncode, 0)
                waits = [self.send("/a/old-waits")]
                self.wait_in_line(1)
                there, away = self.config(), self.config().replace("queue: a", "queue: c")
                self.file.write_text(away if renamed else there)
                new = self.upgrade()
                for text in (away, there):
                    self.file.write_text(text)
                    self.assertEqual(self.command("reload").returncode, 0)
                self.assertTrue(self.queue()["paused"])
                waits.append(self.send("/a/new-waits"))
                self.wait_in_line(1)
                self.assertEqual(self.command("resume", "a").stdout, "resumed\n")
                self.assertEqual([self.status(one) for one in waits], [200, 200])
                wait_for(lambda: self.ended(self.gate.child.pid), "the old process ends")
                self.assertEqual(self.backend.begun.pop("a"), ["/a/old-waits", "/a/new-waits"])
                os.kill(new, signal.SIGTERM)
                wait_for(lambda pid=new: self.ended(pid), "it has ended")

    def test_a_pause_of_an_old_process_ends_with_it(self):
        old = self.start()
        self.assertEqual(self.command("pause", "a").returncode, 0)
        self.file.write_text(self.config().replace("queue: a", "queue: c"))
        self.upgrade("--wait")
        wait_for(lambda: self.ended(old), "the old process has nothing to do")
        self.assertEqual(self.command("resume", "a").returncode, 1)
        self.file.write_text(self.config())
        self.assertEqual(self.command("reload").returncode, 0)
        self.assertEqual(self.status(self.send("/a/x")), 200)

    def test_a_pause_does_not_keep_an_old_process_from_its_drain(self):
        old = self.start()
        held = self.hold_one()
        waits = self.send("/a/waits")
        self.wait_in_line(1)
        self.upgrade()
        os.kill(old, signal.SIGTERM)
        wait_for(lambda: " draining " in self.told(), "it drains")
        self.assertEqual(self.command("pause", "a").returncode, 0)
        wait_for(lambda: "its line goes on beside the pause" in self.told(), "it has heard of it")
        self.backend.release("a")
        self.assertEqual([self.status(held), self.status(waits)], [200, 200])
        wait_for(lambda: self.ended(old), "it has drained")
        self.assertTrue(self.queue()["paused"])

    def test_an_old_process_that_drains_does_not_claim_to_accept_when_the_new_one_dies(self):
        old = self.start()
        held = self.hold_one()
        new = self.upgrade()
        os.kill(old, signal.SIGTERM)
        wait_for(lambda: " draining " in self.told(), "it drains")
        os.kill(new, signal.SIGKILL)
        wait_for(lambda: "this one drains, so nobody accepts" in self.told(), "it notices")
        self.assertNotIn("this one accepts again", self.told())
        self.assertEqual(json.loads(self.state())["pid"], old)
        self.assertFalse(answers(self.port))
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        wait_for(lambda: self.ended(old), "it has drained")

    def test_the_id_service_goes_on_and_its_numbers_rise(self):
        port = free_port()
        self.start(more=f'id_service: {{ address: "127.0.0.1:{port}", worker: 3, state_file: "{self.folder}/ids" }}')
        wait_for(lambda: answers(port), "the id service listens")
        last = 0
        for _ in range(3):
            for _ in range(2):
                with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as asks:
                    asks.sendall(b"\x02")
                    with asks.makefile("rb") as reader:
                        first, second = (int.from_bytes(reader.read(8), "big") for _ in range(2))
                self.assertTrue(last < first < second, (last, first, second))
                last = second
            self.upgrade("--wait")

    # ── sockets of systemd ──

    def activated(self, sockets):
        """The command that starts a program with these sockets, as systemd does."""
        script = ("import os, sys; fds = [int(n) for n in sys.argv[1].split(',')]; "
                  "[os.dup2(fd, 100 + i) for i, fd in enumerate(fds)]; "
                  "[os.dup2(100 + i, 3 + i) for i in range(len(fds))]; "
                  "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(fds))); "
                  "os.execv(sys.argv[2], sys.argv[2:])")
        for one in sockets:
            self.addCleanup(one.close)
            os.set_inheritable(one.fileno(), True)
        return [sys.executable, "-c", script, ",".join(str(one.fileno()) for one in sockets)]

    def start_activated(self, sockets, config=None):
        self.file.write_text(config or self.config())
        log = open(self.folder / "gate.log", "ab")
        self.addCleanup(log.close)
        child = subprocess.Popen([*self.activated(sockets), TICKETGATE, "-c", str(self.file)], stdout=log, stderr=log,
                                 close_fds=False)
        self.pids.append(child.pid)
        self.gate = type("Gate", (), {"child": child})
        return child

    def test_sockets_of_systemd_are_used_and_outlive_the_process(self):
        listens = socket.create_server(("127.0.0.1", self.port), backlog=100)
        admin = socket.socket(socket.AF_UNIX)
        admin.bind(str(self.admin))
        admin.listen()
        child = self.start_activated([listens, admin])
        self.assertEqual(self.status(self.send("/a/one")), 200)
        new = self.upgrade("--wait")
        self.assertEqual(self.status(self.send("/a/two")), 200)
        child.wait(PATIENCE)
        os.kill(new, signal.SIGTERM)
        wait_for(lambda: self.ended(new), "it ends")
        self.assertTrue(self.admin.exists(), "systemd's file stays")
        waits = self.send("/a/three")  # nobody runs: the client waits in systemd's socket
        self.start_activated([listens, admin])
        self.assertEqual(self.status(waits), 200)

    def test_a_socket_of_systemd_that_no_listener_has_ends_the_start(self):
        listens = socket.create_server(("127.0.0.1", self.port))
        other = socket.create_server(("127.0.0.1", 0))
        child = self.start_activated([listens, other])
        self.assertEqual(child.wait(PATIENCE), 1)
        self.assertIn(f"systemd passed a socket on 127.0.0.1:{other.getsockname()[1]}", self.told())

    def test_an_upgrade_keeps_each_socket_of_systemd(self):
        """Nobody could refuse the clients of one that is left: it is systemd's."""
        listens = socket.create_server(("127.0.0.1", self.port), backlog=100)
        other = socket.create_server(("127.0.0.1", 0), backlog=100)
        port = other.getsockname()[1]
        admin = socket.socket(socket.AF_UNIX)
        admin.bind(str(self.admin))
        admin.listen()
        two = self.config(listen=f', {{ address: "127.0.0.1:{port}" }}')
        child = self.start_activated([listens, other, admin], two)
        self.assertEqual(self.status(self.send("/a/one", port)), 200)
        self.file.write_text(self.config())
        self.check_refused(f"none of the configuration has 127.0.0.1:{port} any more")
        self.assertEqual(json.loads(self.state())["pid"], child.pid)
        self.file.write_text(two)
        self.upgrade("--wait")
        self.assertEqual(self.status(self.send("/a/two", port)), 200)


if __name__ == "__main__":
    TICKETGATE = str(pathlib.Path(sys.argv.pop(1)).absolute())
    unittest.main()
