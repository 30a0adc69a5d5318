#!/usr/bin/env python3
"""Peers that send without end what is no body: trailers, chunk extensions. Each is cut, and costs no memory.

Usage: endless_test.py TICKETGATE [unittest's options]
"""
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
import urllib.request

from real_test import Listening, Process, answers, close_door, free_port, wait_for

TICKETGATE = None
PATIENCE = 60
# ticketgate reads a few MiB of a refused request before it closes, and 17 MiB of an answer.
ENOUGH = 64 << 20
FIELDS = (b"T: " + b"y" * 1000 + b"\r\n") * 64
EXTENSIONS = (b"1;" + b"e" * 2000 + b"\r\nx\r\n") * 32
ENDLESS = {"trailers": (b"0\r\n", FIELDS), "extensions": (b"", EXTENSIONS), "one extension": (b"1;", b"e" * 65536)}


def send_without_end(connection, head, kind):
    """Returns how many bytes the other end took before it closed; ENOUGH: it takes all."""
    begin, again = ENDLESS[kind]
    sent = 0
    try:
        connection.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n" + begin)
        while sent < ENOUGH:
            connection.sendall(again)
            sent += len(again)
    except OSError:
        pass
    return sent


class Answers(Listening):
    """Answers each request without end, and counts for each connection what the client took."""

    def __init__(self, kind):
        super().__init__()
        self.kind, self.taken, self.changed = kind, [], threading.Condition()
        self.start()

    def serve(self, connection):
        connection.settimeout(PATIENCE)
        with connection:
            if not connection.recv(1 << 20):
                return
            taken = send_without_end(connection, b"HTTP/1.1 200 OK\r\nTicketgate-Admin: 1\r\n", self.kind)
        with self.changed:
            self.taken.append(taken)
            self.changed.notify_all()

    def first(self):
        with self.changed:
            self.changed.wait_for(lambda: self.taken, PATIENCE)
            return self.taken[0]


class Endless(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ticketgate-endless-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.port, self.admin = free_port(), free_port()

    def start(self, more=""):
        file = self.folder / "ticketgate.yaml"
        file.write_text(f"""
listen: [{{ address: "127.0.0.1:{self.port}" }}]
admin: {{ address: "127.0.0.1:{self.admin}" }}
upstreams: {{ app: {{ url: "http://127.0.0.1:1" }} }}
routes: [{{ prefix: /, upstream: app }}]
{more}
""")
        gate = Process([TICKETGATE, "-c", str(file)], self.folder / "gate.log")
        self.addCleanup(gate.stop)
        wait_for(lambda: answers(self.admin), "ticketgate listens")

    def answering(self, kind):
        peer = Answers(kind)
        self.addCleanup(close_door, peer.door)
        return peer

    def metric(self, name):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin}/metrics", timeout=PATIENCE) as page:
            return next(float(line.rsplit(" ", 1)[1]) for line in page.read().decode().splitlines() if line.startswith(name))

    def test_a_request_to_the_admin_listener(self):
        self.start()
        for kind in ENDLESS:
            with self.subTest(kind), socket.create_connection(("127.0.0.1", self.admin), timeout=PATIENCE) as asks:
                self.assertLess(send_without_end(asks, b"POST /livez HTTP/1.1\r\nHost: localhost\r\n", kind), ENOUGH)

    def test_the_answer_of_a_collector(self):
        for kind in ENDLESS:
            with self.subTest(kind):
                self.port, self.admin = free_port(), free_port()
                collector = self.answering(kind)
                self.start(f'tracing: {{ endpoint: "http://127.0.0.1:{collector.port}/v1/traces", begin: on, interval: 10ms }}')
                with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as client:
                    client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    self.assertIn(b" 502 ", client.recv(65536))
                self.assertLess(collector.first(), ENOUGH)
                log = self.folder / "gate.log"
                wait_for(lambda log=log: "spans cannot be exported" in log.read_text(), "the log tells it")
                self.assertEqual(self.metric("ticketgate_trace_spans_exported_total"), 0)
                log.write_text("")

    def test_the_answer_to_a_command(self):
        for kind in ENDLESS:
            with self.subTest(kind):
                other = self.answering(kind)
                done = subprocess.run([TICKETGATE, "healthcheck", "--admin", f"127.0.0.1:{other.port}"], capture_output=True,
                                      text=True, timeout=PATIENCE, check=False)
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertLess(other.first(), ENOUGH)


if __name__ == "__main__":
    TICKETGATE = sys.argv.pop(1)
    unittest.main(verbosity=2)
