#!/usr/bin/env python3
"""When a slot becomes free, with real servers and scripts: an early answer must not stop the queue, and an answer that
ends before its script must not admit the next request (CONTRACT 2.11 and 2.12).

Usage: slot_end_test.py TICKETGATE [-k PATTERN].
"""
import os
import socket
import sys
import threading
import unittest

import real_test
from real_test import Apache, Backend, Fpm, NginxApache, NginxFpm, PhpServer, wait_for

SCRIPTS = {
    # Writes much more than all buffers on the way can hold, and never reads its input.
    "big.php": "<?php set_time_limit(0); header('Content-Type: text/plain');"
               " for ($i = 0; $i < 1000; $i++) echo str_repeat('x', 8192);",
    # Sends its answer and works on, long enough for another script to start meanwhile. Then it records
    # when it began and ended.
    "span.php": "<?php ignore_user_abort(true); $b = hrtime(true); $end = $_GET['end'];"
                " while (ob_get_level()) ob_end_clean();"
                " if ($end == '204' || $end == '304') http_response_code((int)$end);"
                " if ($end == '100' || $end == '101') { header('Status: ' . $end);"
                " if ($end == '101') header('Upgrade: x'); echo str_repeat('some of it ', 1000); }"
                " if ($end == 'close') { header('Connection: close'); header('Content-Length: 2'); echo 'ok'; }"
                " if ($end == 'late') { header('Connection: close'); header('Content-Length: 2'); echo 'ok'; }"
                " if ($end == 'head') echo 'some of it';"
                " flush(); usleep(30000);"
                " if ($end == 'late') { usleep(1200000); echo 'more'; flush(); usleep(300000); }"
                " if ($end == 'head') echo 'the rest';"
                " file_put_contents('@spans', $b . ' ' . hrtime(true) . \"\\n\", FILE_APPEND | LOCK_EX);",
}
# It keeps connections that its application has announced to close.
TORNADO = """
import asyncio, sys, time
import tornado.web

class Span(tornado.web.RequestHandler):
    async def work(self):
        begin, end = time.monotonic_ns(), self.get_argument("end")
        if end.startswith("204"):
            self.set_status(204)
        if end.endswith("close"):
            self.set_header("Connection", "close")
        if not end.startswith("204"):
            self.set_header("Content-Length", "2")
            self.write("ok")
        self.finish()
        with open(sys.argv[2], "a") as spans:
            spans.write(f"{begin} {time.monotonic_ns()}\\n")
    get = put = work

async def main():
    tornado.web.Application([("/span.php", Span)]).listen(int(sys.argv[1]), "127.0.0.1")
    await asyncio.Event().wait()

asyncio.run(main())
"""
BODY = 3 << 20


class SlotEnd(real_test.Served):
    ends = ["head", "204", "304", "close"]  # endings after which the backend's connection shows when the script has ended
    uploads = ["PUT", "POST"]

    @classmethod
    def config(cls):
        cls.spans = cls.folder / "spans"
        for name, text in SCRIPTS.items():
            (cls.script_root() / name).write_text(text.replace("@spans", str(cls.spans)))
        return "routes: [{ prefix: /, queue: q }, { regex: unqueued, queue: off }]\n"

    @classmethod
    def script_root(cls):
        return cls.backend.root

    def request(self, method, path, lines=(), body=b""):
        """Sends the request and reads at the same time, since the answer may come first. Returns all bytes of the answer."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as s:
            head = [f"{method} {path} HTTP/1.1", "Host: a", "Connection: close", *lines]
            sender = threading.Thread(target=self.send, args=(s, "\r\n".join(head).encode() + b"\r\n\r\n" + body))
            sender.start()
            got = b""
            try:
                while True:
                    piece = s.recv(1 << 16)
                    if not piece:
                        break
                    got += piece
            except ConnectionResetError:
                pass  # the server closed before it had read the whole request
            sender.join()
            return got

    def send(self, s, data):
        try:
            s.sendall(data)
        except OSError:
            pass  # the server closed early

    def status(self, answer):
        return int(answer.split(b" ", 2)[1])

    def test_an_early_answer_does_not_stop_the_queue(self):
        length = [f"Content-Length: {BODY}"]
        pieces = b"".join(b"%x\r\n" % (1 << 16) + b"b" * (1 << 16) + b"\r\n" for _ in range(BODY >> 16))
        for path in ["/big.php", "/big.php?unqueued"]:
            for method in self.uploads:
                for lines, body in [(length, b"b" * BODY), (["Transfer-Encoding: chunked"], pieces + b"0\r\n\r\n")]:
                    with self.subTest(path=path, method=method, lines=lines[0]):
                        answer = self.request(method, path, lines, body)
                        self.assertEqual(self.status(answer), 200, answer[:300])
                        # The chunk sizes between the data contain no x.
                        self.assertEqual(answer.split(b"\r\n\r\n", 1)[1].count(b"x"), 1000 * 8192)
                        self.assertEqual(self.status(self.request("GET", "/count.php")), 200, "the line goes on")

    def test_no_script_begins_before_the_previous_one_has_ended(self):
        for end in self.ends:
            with self.subTest(end=end):
                self.spans.write_text("")
                self.spans.chmod(0o666)
                method = {"head": "HEAD", "upload-close": "PUT"}.get(end, "GET")
                body = b"b" * 100_000 if method == "PUT" else b""
                lines = [f"Content-Length: {len(body)}"] if body else []
                count = 3 if end == "late" else 6
                found = []
                threads = [threading.Thread(target=lambda: found.append(
                    self.status(self.request(method, f"/span.php?end={end}", lines, body)))) for _ in range(count)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                expected = 502 if end in ("100", "101") else int(end[:3]) if end[0].isdigit() else 200
                self.assertEqual(found, [expected] * count)
                wait_for(lambda: self.spans.read_text().count("\n") == count, "every script has ended")
                spans = sorted(tuple(map(int, line.split())) for line in self.spans.read_text().splitlines())
                overlaps = sum(1 for one, then in zip(spans, spans[1:]) if then[0] < one[1])
                self.assertEqual(overlaps, 0, spans)


class TestApache(SlotEnd, unittest.TestCase):
    backend_type = Apache
    ends = SlotEnd.ends + ["late"]


class TestPhpServer(SlotEnd, unittest.TestCase):
    backend_type = PhpServer
    ends = SlotEnd.ends + ["late"]


class Tornado(Backend):
    needs = ["/usr/bin/python3"]  # Debian's, which has Tornado

    def start(self):
        server = self.folder / "server.py"
        server.write_text(TORNADO)
        self.run("/usr/bin/python3", str(server), str(self.port), str(self.folder.parent / "spans"))


class TestTornado(SlotEnd, unittest.TestCase):
    backend_type = Tornado
    ends = ["204-close", "close", "upload-close"]
    test_an_early_answer_does_not_stop_the_queue = None


class TestFpm(SlotEnd, unittest.TestCase):
    backend_type = Fpm


class ShortlyKept(NginxFpm):
    """Keeps connections for a short time, so that it does not take 75 s until it closes."""

    def start_nginx(self, location):
        super().start_nginx(f"{location}\n      keepalive_timeout 1s;")


# nginx ends a 204, a 304 and an answer of known length before the script behind it ends, and HTTP does not show this.
# nginx also cannot relay an early answer to a long PUT (docs/queues.md, "What a proxy cannot see").
class TestNginxFpm(SlotEnd, unittest.TestCase):
    backend_type = ShortlyKept
    ends = ["head", "100", "101"]
    uploads = ["POST"]


class TestNginxApache(SlotEnd, unittest.TestCase):
    backend_type = NginxApache
    ends = ["head"]

    @classmethod
    def script_root(cls):
        return cls.backend.inner.root


if __name__ == "__main__":
    os.environ["PATH"] += ":/usr/sbin"
    real_test.TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
