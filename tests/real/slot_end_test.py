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
from real_test import Apache, Fpm, NginxApache, NginxFpm, PhpServer, wait_for

SCRIPTS = {
    # Writes much more than all buffers on the way can hold, and never reads its input.
    "big.php": "<?php set_time_limit(0); header('Content-Type: text/plain');"
               " for ($i = 0; $i < 1000; $i++) echo str_repeat('x', 8192);",
    # Sends its answer and works on, long enough for another script to start meanwhile. Then it records
    # when it began and ended.
    "span.php": "<?php ignore_user_abort(true); $b = hrtime(true); $end = $_GET['end'];"
                " while (ob_get_level()) ob_end_clean();"
                " if ($end == '204' || $end == '304') http_response_code((int)$end);"
                " if ($end == 'close') { header('Connection: close'); header('Content-Length: 2'); echo 'ok'; }"
                " if ($end == 'head') echo 'some of it';"
                " flush(); usleep(30000);"
                " if ($end == 'head') echo 'the rest';"
                " file_put_contents('@spans', $b . ' ' . hrtime(true) . \"\\n\", FILE_APPEND | LOCK_EX);",
}
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
                method = "HEAD" if end == "head" else "GET"
                found = []
                threads = [threading.Thread(target=lambda: found.append(
                    self.status(self.request(method, f"/span.php?end={end}")))) for _ in range(6)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                self.assertEqual(found, [int(end) if end.isdigit() else 200] * 6)
                wait_for(lambda: self.spans.read_text().count("\n") == 6, "every script has ended")
                spans = sorted(tuple(map(int, line.split())) for line in self.spans.read_text().splitlines())
                overlaps = sum(1 for one, then in zip(spans, spans[1:]) if then[0] < one[1])
                self.assertEqual(overlaps, 0, spans)


class TestApache(SlotEnd, unittest.TestCase):
    backend_type = Apache


class TestPhpServer(SlotEnd, unittest.TestCase):
    backend_type = PhpServer


class TestFpm(SlotEnd, unittest.TestCase):
    backend_type = Fpm


# nginx ends a 204, a 304 and an answer of known length before the script behind it ends, and HTTP does not show this.
# nginx also cannot relay an early answer to a long PUT (docs/queues.md, "What a proxy cannot see").
class TestNginxFpm(SlotEnd, unittest.TestCase):
    backend_type = NginxFpm
    ends = ["head"]
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
