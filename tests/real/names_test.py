#!/usr/bin/env python3
"""Names that hang: a name server that never answers delays nothing but the requests to that name. And names with several
addresses, of which one accepts.

Runs itself in namespaces of its own, where it is the name server: names_test.py TICKETGATE [unittest's options].
"""
import http.client
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from machine import PATIENCE, OnItsMachine
from real_test import Fpm, wait_for


def is_root():
    """True: of the machine, not of a namespace with one user."""
    return os.geteuid() == 0 and pathlib.Path("/proc/self/uid_map").read_text().split()[2] != "1"


INSIDE = "TICKETGATE_NAMES_TEST"
SPACE = ["unshare", *([] if is_root() else ["--map-root-user"]), "--mount", "--net"]
# A look-up that hangs lasts longer than any test waits for something.
RESOLVER = "nameserver 127.0.0.1\noptions timeout:30 attempts:5\n"
# It has the addresses ::1, which the system tells first, and 127.0.0.1, where the backend listens.
TWO = "two.test"
SAMPLED = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}


class NameServer(threading.Thread):
    """Knows all names but those that begin with `hangs`, for which it has no answer at all. TWO has two addresses."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 53))
        self.asked = set()
        self.start()

    def run(self):
        while True:
            question, client = self.socket.recvfrom(600)
            labels, at = [], 12
            while size := question[at]:
                labels.append(question[at + 1:at + 1 + size].decode())
                at += 1 + size
            name, kind = ".".join(labels), int.from_bytes(question[at + 1:at + 3], "big")
            self.asked.add(name)
            if name.startswith("hangs"):
                continue
            found = b""
            if kind == 1:
                found = b"\xc0\x0c\0\1\0\1\0\0\0\5\0\4\x7f\0\0\1"
            if kind == 28 and name == TWO:
                found = b"\xc0\x0c\0\x1c\0\1\0\0\0\5\0\x10" + bytes(15) + b"\1"
            counts = b"\0\1\0" + (b"\1" if found else b"\0") + b"\0\0\0\0"
            self.socket.sendto(question[:2] + b"\x81\x80" + counts + question[12:at + 5] + found, client)


class Names(OnItsMachine):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "c.yaml"

    def serve(self, upstreams, more=""):
        routes = ", ".join(f"{{ prefix: /{name}, upstream: {name} }}" for name in upstreams)
        urls = ", ".join(f'{name}: {{ url: "http://{host}:{self.sink.port}" }}' for name, host in upstreams.items())
        self.file.write_text(f'listen: [{{ address: "127.0.0.1:{self.port}" }}]\n'
                             f'admin: {{ address: "127.0.0.1:{self.admin}" }}\n'
                             f"upstreams: {{ {urls} }}\nroutes: [ {routes} ]\n{more}")
        return self.start(self.file)

    def send(self, path):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self.addCleanup(client.close)
        head = "".join(f"{name}: {value}\r\n" for name, value in SAMPLED.items())
        client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n".encode())
        return client

    def answered(self, path):
        self.assertIn(b" 200 ", self.send(path).recv(4096))

    def wait_until_asked(self, name):
        wait_for(lambda: name in SERVER.asked, f"somebody asks for {name}")

    def test_the_name_of_an_upstream_keeps_no_other_waiting(self):
        self.serve({"a": "hangs-a.test", "b": "known-b.test", "c": "hangs-c.test"})
        waiting = [self.send("/a"), self.send("/c")]
        self.wait_until_asked("hangs-a.test")
        self.wait_until_asked("hangs-c.test")
        self.answered("/b")
        self.assertEqual(len(waiting), 2)

    def post(self, path="/a"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("POST", path, "x")
        return connection.getresponse().status

    # A POST takes a new connection each time, unless the backend keeps its connections reliably.
    def test_of_two_addresses_the_one_that_accepts_serves(self):
        self.serve({"a": TWO})
        self.assertEqual([self.post() for _ in range(20)], [200] * 20)
        told = subprocess.run([self.ticketgate, "check", "--connect", "-c", self.file], capture_output=True,
                              text=True, timeout=PATIENCE, check=True)
        self.assertIn(f"connected to 127.0.0.1:{self.sink.port} (1 other address of {TWO} did not accept)",
                      told.stdout + told.stderr)

    # A host that is gone refuses nothing: its SYN has no answer. So it is where a backlog is full.
    def test_a_silent_address_keeps_only_the_first_request_waiting(self):
        self.silence(self.sink.port)
        self.serve({"a": TWO})
        self.assertEqual([self.post() for _ in range(20)], [200] * 20)

    def silence(self, port):
        """Nobody takes a connection to ::1 at this port, and nobody refuses one."""
        door = socket.create_server(("::1", port), family=socket.AF_INET6, backlog=0)
        self.addCleanup(door.close)
        for _ in range(3):
            filler = socket.socket(socket.AF_INET6)
            self.addCleanup(filler.close)
            filler.setblocking(False)
            filler.connect_ex(door.getsockname())

    # The slot of the first request is given back only when the page says so.
    @unittest.skipUnless(shutil.which("php-fpm8.2", path="/usr/sbin:/usr/bin"), "php-fpm is not installed")
    @unittest.skipIf(SPACE[1] == "--map-root-user", "php-fpm needs the users of this machine")
    def test_a_status_page_is_asked_at_the_address_that_answers(self):
        self.folder.chmod(0o777)
        (self.folder / "b").mkdir()
        fpm = Fpm(self.folder / "b")
        self.addCleanup(fpm.stop)
        (fpm.root / "a.php").write_text("<?php echo 'ok';")
        self.silence(fpm.status_port)
        self.file.write_text(
            f'listen: [{{ address: "127.0.0.1:{self.port}" }}]\nadmin: {{ address: "127.0.0.1:{self.admin}" }}\n'
            f'upstreams: {{ f: {{ url: "fastcgi://127.0.0.1:{fpm.port}", fastcgi: {{ root: "{fpm.root}",\n'
            f'  status: {{ url: "fastcgi://{TWO}:{fpm.status_port}" }} }} }} }}\n'
            "queues: { q: { release: worker_idle } }\nroutes: [{ prefix: /, upstream: f, queue: q }]\n")
        self.start(self.file)
        self.assertEqual([self.post("/a.php") for _ in range(3)], [200] * 3)

    def test_the_name_of_a_collector_keeps_no_upstream_waiting(self):
        self.serve({"a": "127.0.0.1", "b": "known-later.test"},
                   'tracing: { endpoint: "http://hangs-collector.test:4318", interval: 100ms }\n')
        self.answered("/a")
        self.wait_until_asked("hangs-collector.test")
        self.answered("/b")

    def test_the_end_of_the_process_waits_for_no_name(self):
        traces = 'tracing: { endpoint: "http://hangs-traces.test:4318", interval: 100ms, timeout: 200ms }\n'
        for name, upstreams, more in (("hangs-upstream.test", {"a": "hangs-upstream.test"}, ""),
                                      ("hangs-traces.test", {"a": "127.0.0.1"}, traces)):
            with self.subTest(name=name):
                child = self.serve(upstreams, more)
                client = self.send("/a")
                self.wait_until_asked(name)
                client.close()
                child.send_signal(signal.SIGTERM)
                self.assertEqual(child.wait(PATIENCE), 0)
                self.assertIn(" stopped", self.told())

    def test_check_connect_waits_for_no_name(self):
        self.serve({"a": "hangs-check.test"})
        done = subprocess.run([self.ticketgate, "check", "--connect", "-c", self.file], capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed", done.stderr)


def prepare():
    """A loopback interface, and this process as the only name server."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for name, text in (("resolv.conf", RESOLVER), ("nsswitch.conf", "hosts: dns\n")):
        own = pathlib.Path(os.environ[INSIDE]) / name
        own.write_text(text)
        subprocess.run(["mount", "--bind", own, f"/etc/{name}"], check=True)
    return NameServer()


def enter():
    """Runs this program again, in its namespaces; does nothing where none may be made."""
    if subprocess.run([*SPACE, "true"], capture_output=True, check=False).returncode != 0:
        print("skipped: no namespaces may be made here")
        return 0
    with tempfile.TemporaryDirectory(prefix="ticketgate-names-") as folder:
        return subprocess.run([*SPACE, sys.executable, "-B", *sys.argv], env={**os.environ, INSIDE: folder},
                              check=False).returncode


if __name__ == "__main__":
    if INSIDE not in os.environ:
        sys.exit(enter())
    SERVER = prepare()
    OnItsMachine.ticketgate = str(pathlib.Path(sys.argv.pop(1)).absolute())
    unittest.main()
