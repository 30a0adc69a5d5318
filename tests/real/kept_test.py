#!/usr/bin/env python3
"""Backends that close kept connections without announcing it: no POST fails, and none is sent twice. Connections to a
backend that keeps them open are reused.

Usage: kept_test.py TICKETGATE [--posts N] [-k PATTERN]. N POSTs for each backend, 3,000 by default; `--posts 100000`
takes some minutes.
"""
import collections
import heapq
import json
import multiprocessing
import os
import pathlib
import random
import selectors
import socket
import sys
import tempfile
import threading
import time
import unittest

import real_test
from real_test import Apache, Process, answers, free_port, wait_for

POSTS = 3000
CLIENTS = 8
# A GET between POSTs gives the policy evidence: a GET may use a kept connection at any time.
GETS_FOR_EACH_POST = 1


class Closer:
    """An HTTP/1.1 server in a separate process that never sends `Connection: close`. After each answer on a connection,
    `closes(answers)` returns after how many seconds to close it; None keeps it open."""

    def __init__(self, closes, ends_on_second=False):
        self.closes, self.ends_on_second = closes, ends_on_second
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port = self.listener.getsockname()[1]
        self.process = multiprocessing.Process(target=self.serve, daemon=True)
        self.process.start()
        self.listener.close()

    def serve(self):
        self.selector, self.due, self.open = selectors.DefaultSelector(), [], {}
        self.seen, self.connections, self.answered = collections.Counter(), 0, collections.Counter()
        self.listener.setblocking(False)
        self.selector.register(self.listener, selectors.EVENT_READ)
        while True:
            wait = max(0, self.due[0][0] - time.monotonic()) if self.due else None
            for key, _ in self.selector.select(wait):
                self.accept() if key.fileobj is self.listener else self.read(key.fileobj)
            while self.due and self.due[0][0] <= time.monotonic():
                number, end = heapq.heappop(self.due)[1:]
                if self.open.get(number) is end:
                    self.end(number)

    def accept(self):
        try:
            connection, _ = self.listener.accept()
        except BlockingIOError:
            return
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connections += 1
        self.open[self.connections] = end = [connection, self.connections, b""]
        self.selector.register(connection, selectors.EVENT_READ)
        self.by_socket = getattr(self, "by_socket", {})
        self.by_socket[connection] = end

    def end(self, number):
        connection = self.open.pop(number)[0]
        del self.by_socket[connection]
        self.selector.unregister(connection)
        connection.close()

    def read(self, connection):
        end = self.by_socket.get(connection)
        if end is None:
            return
        try:
            data = connection.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            return self.end(end[1])
        end[2] += data
        head, separator, body = end[2].partition(b"\r\n\r\n")
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line[15:])
        if separator and len(body) >= length:
            end[2] = body[length:]
            self.answer(end, head.split(b" ", 2))

    def answer(self, end, words):
        connection, number, _ = end
        method, target = words[0].decode(), words[1].decode()
        if target == "/figures":
            twice = sum(1 for n in self.seen.values() if n > 1)
            text = json.dumps({"connections": self.connections, "posts": len(self.seen), "twice": twice})
        else:
            if method == "POST":
                self.seen[target] += 1
            if self.ends_on_second and self.answered[number] != 0:
                return self.end(number)
            text = target
        self.answered[number] += 1
        connection.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode())
        after = self.closes(self.answered[number])
        if after == 0:
            self.end(number)
        elif after is not None:
            heapq.heappush(self.due, (time.monotonic() + after, number, end))

    def figures(self):
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            return json.loads(ask(connection, "GET", "/figures")[1])

    def stop(self):
        self.process.terminate()
        self.process.join()


def ask(connection, method, target, body=b""):
    """Status and body; 0 when the connection broke."""
    head = f"{method} {target} HTTP/1.1\r\nHost: a\r\n"
    if method == "POST":
        head += f"Content-Length: {len(body)}\r\n"
    connection.sendall(head.encode() + b"\r\n" + (body if method == "POST" else b""))
    data = b""
    while True:
        more = connection.recv(65536)
        if not more:
            return 0, b""
        data += more
        head, separator, rest = data.partition(b"\r\n\r\n")
        if not separator:
            continue
        lower = head.lower()
        if b"transfer-encoding: chunked" in lower:
            if rest.endswith(b"0\r\n\r\n"):
                return int(head[9:12]), rest
            continue
        if len(rest) >= int(lower.split(b"content-length:")[1].split(b"\r\n")[0]):
            return int(head[9:12]), rest


class Kept(unittest.TestCase):
    def gate(self, port, settings=""):
        folder = tempfile.TemporaryDirectory(prefix="ticketgate-kept-")
        self.addCleanup(folder.cleanup)
        config = pathlib.Path(folder.name) / "ticketgate.yaml"
        listen = free_port()
        config.write_text(f"""
listen: [{{ address: "127.0.0.1:{listen}" }}]
admin: off
threads: 1
log: {{ access: off }}
clients: {{ max_requests: unlimited }}
upstreams: {{ app: {{ url: "http://127.0.0.1:{port}"{settings} }} }}
routes: [{{ prefix: /, upstream: app, routes: [{{ prefix: /q, queue: q }}] }}]
""")
        gate = Process([real_test.TICKETGATE, "-c", str(config)], pathlib.Path(folder.name) / "gate.log")
        self.addCleanup(gate.stop)
        wait_for(lambda: answers(listen), "ticketgate listens")
        return listen

    def load(self, listen, path, posts, pause=None, gets=GETS_FOR_EACH_POST):
        """Half of the clients use a queued route, half an unqueued one. Returns the counts of each method and status."""
        statuses = collections.Counter()
        lock = threading.Lock()

        def client(number):
            mine = collections.Counter()
            chance = random.Random(number)
            connection = None
            for i in range(posts // CLIENTS):
                target = f"{'/q' if number % 2 else ''}{path}?{number}-{i}"
                for method in ["GET"] * gets + ["POST"]:
                    if pause:
                        time.sleep(pause(chance))
                    try:
                        connection = connection or socket.create_connection(("127.0.0.1", listen))
                        status, _ = ask(connection, method, target, b"a body")
                    except ConnectionError:
                        status = 0
                    mine[method, status] += 1
                    if status != 200 and connection:
                        connection.close()
                        connection = None
            if connection:
                connection.close()
            with lock:
                statuses.update(mine)

        threads = [threading.Thread(target=client, args=(n,)) for n in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return statuses

    def no_post_fails(self, closes, pause=None, gets=GETS_FOR_EACH_POST, posts=None, **more):
        backend = Closer(closes, **more)
        self.addCleanup(backend.stop)
        posts = posts or POSTS
        begin = time.monotonic()
        statuses = self.load(self.gate(backend.port), "/x", posts, pause, gets)
        figures = backend.figures()
        print(f"{self.id().split('.')[-1]}: {dict(statuses)}, {figures}, {time.monotonic() - begin:.1f} s", flush=True)
        sent = posts // CLIENTS * CLIENTS
        self.assertEqual(statuses["POST", 200], sent)
        self.assertEqual(figures["twice"], 0)
        self.assertEqual(figures["posts"], sent)
        return figures

    def test_a_backend_that_closes_after_each_answer(self):
        self.no_post_fails(lambda answers: 0)

    def test_a_backend_that_closes_after_each_answer_with_posts_only(self):
        self.no_post_fails(lambda answers: 0, gets=0)

    def test_a_backend_that_closes_shortly_after_each_answer(self):
        self.no_post_fails(lambda answers: 0.0005)

    def test_a_backend_that_closes_at_random(self):
        for percent in (50, 5, 1):
            with self.subTest(percent=percent):
                chance = random.Random(percent)
                self.no_post_fails(
                    lambda answers: chance.choice([0, 0.002 * chance.random()])
                    if chance.random() < percent / 100 else None)

    def test_a_backend_that_closes_at_the_second_request(self):
        self.no_post_fails(lambda answers: None, ends_on_second=True)

    def test_a_backend_that_closes_at_the_second_request_with_posts_only(self):
        self.no_post_fails(lambda answers: None, ends_on_second=True, gets=0)

    def test_a_backend_that_closes_while_requests_arrive(self):
        """The backend closes each connection 5 ms after an answer, even during a request; clients send at about that age."""
        self.no_post_fails(lambda answers: 0.005, pause=lambda chance: 0.004 + 0.002 * chance.random(),
                           posts=min(POSTS, 20000))

    def test_connections_to_a_backend_that_keeps_them_are_reused(self):
        figures = self.no_post_fails(lambda answers: None)
        # Until the backend has shown that it keeps connections, each POST opens a new one.
        self.assertLess(figures["connections"], 2500)


class WithApache(Kept):
    """Apache announces its KeepAliveTimeout in seconds, and announces one below a second as 0."""

    def racing(self, timeout, pause):
        class Racing(Apache):
            paths = f"KeepAlive On\nKeepAliveTimeout {timeout}\nMaxKeepAliveRequests 50"

        for need in Apache.needs:
            if not os.path.exists(need) and not os.path.exists("/usr/sbin/" + need):
                self.skipTest(f"{need} is not installed")
        folder = tempfile.TemporaryDirectory(prefix="ticketgate-kept-")
        self.addCleanup(folder.cleanup)
        pathlib.Path(folder.name).chmod(0o777)
        backend = Racing(folder.name)
        self.addCleanup(backend.stop)
        seen = backend.folder / "seen"
        seen.write_text("")
        seen.chmod(0o666)
        text = (f"<?php if ($_SERVER['REQUEST_METHOD'] === 'POST') "
                f"file_put_contents('{seen}', $_SERVER['QUERY_STRING'] . \"\\n\", FILE_APPEND | LOCK_EX); echo 'ok';")
        for name in ("x.php", "q.php"):
            (backend.root / name).write_text(text)
        (backend.root / "q").mkdir()
        (backend.root / "q" / "x.php").write_text(text)
        posts = min(POSTS, 100000)
        statuses = self.load(self.gate(backend.port), "/x.php", posts, pause)
        arrived = collections.Counter(seen.read_text().split())
        print(f"Apache, KeepAliveTimeout {timeout}: {dict(statuses)}, arrived {len(arrived)}", flush=True)
        self.assertEqual(statuses["POST", 200], posts // CLIENTS * CLIENTS)
        self.assertEqual(len(arrived), posts // CLIENTS * CLIENTS)
        self.assertEqual(set(arrived.values()), {1})

    def test_keep_alive_timeout_of_milliseconds(self):
        self.racing("5ms", None)

    def test_requests_at_the_age_of_a_keep_alive_timeout_of_milliseconds(self):
        self.racing("5ms", lambda chance: 0.004 + 0.002 * chance.random())

    def test_keep_alive_timeout_of_two_seconds(self):
        self.racing("2", None)


for name in [n for n in dir(Kept) if n.startswith("test_")]:
    setattr(WithApache, name, None)  # the tests of Kept run once


if __name__ == "__main__":
    real_test.TICKETGATE = os.path.abspath(sys.argv.pop(1))
    if "--posts" in sys.argv:
        at = sys.argv.index("--posts")
        POSTS = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    unittest.main(verbosity=2)
