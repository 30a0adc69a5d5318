#!/usr/bin/env python3
"""Wall clocks that jump, each replica's for itself, change nothing for a clustered queue: clock_test.py TICKETGATE."""
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

from cluster import PATIENCE, Etcd, Replica
from real_test import wait_for

TICKETGATE = None
LIBRARY = "libfaketime.so.1"
DAY = 24 * 60 * 60


def library():
    """The path of Debian's libfaketime: the program itself would put it before ticketgate only."""
    files = subprocess.run(["dpkg", "-L", "libfaketime"], capture_output=True, text=True, check=True).stdout
    return next(line for line in files.splitlines() if line.endswith("/" + LIBRARY))


class Backend:
    """Notes the fencing numbers in the order in which the requests came."""

    def __init__(self):
        self.numbers, self.running, self.most = [], 0, 0
        lock = threading.Lock()
        backend = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                with lock:
                    backend.running += 1
                    backend.most = max(backend.most, backend.running)
                    backend.numbers.append(self.headers["Fencing-Token"])
                self.rfile.read(int(self.headers["Content-Length"]))
                with lock:
                    backend.running -= 1
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        self.server.shutdown()
        self.server.server_close()


class Clock:
    """The wall clock of one process. Its other clocks go on."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="ticketgate-clock-")
        self.file = pathlib.Path(self.folder) / "offset"
        self.set("+0")
        self.environment = {"LD_PRELOAD": library(), "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1",
                            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_RESET": "1"}

    def set(self, offset):
        new = self.file.with_suffix(".new")
        new.write_text(offset + "\n")
        new.rename(self.file)

    def end(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class WallClocks(unittest.TestCase):
    def setUp(self):
        self.store, self.backend, self.clocks = Etcd(), Backend(), [Clock(), Clock()]
        self.addCleanup(self.store.end)
        self.addCleanup(self.backend.end)
        self.replicas = []
        for name, clock in zip("ab", self.clocks):
            self.addCleanup(clock.end)
            self.replicas.append(Replica(TICKETGATE, name, self.store, self.backend.url, clock.environment))
            self.addCleanup(self.replicas[-1].end)
        self.assertEqual(self.replicas[0].command("cluster", "init")[0], 0)
        self.replicas[0].start()
        self.assertEqual(self.replicas[0].request("/", body="x")[0], 200, "it keeps the line")
        self.replicas[1].start()

    def serve(self):
        for one in self.replicas * 2:
            self.assertEqual(one.request("/", body="x")[0], 200)

    def epoch(self):
        return self.replicas[0].line()["epoch"]

    def hand_over(self, old, new):
        old.child.terminate()
        self.assertEqual(old.child.wait(PATIENCE), 0)
        self.assertEqual(new.request("/", body="x")[0], 200)
        old.start()

    def test_that_jump_cost_nothing(self):
        a, b = self.replicas
        self.serve()
        for offset in ("-3650d", "+3650d", "-1d", "+0"):
            for clock in self.clocks:
                clock.set(offset)
                self.serve()
        self.clocks[0].set("-3650d")
        self.clocks[1].set("-7300d")
        for old, new in ((a, b), (b, a), (a, b)):
            epoch = self.epoch()
            self.hand_over(old, new)
            self.assertEqual(self.epoch(), epoch + 1, "it follows the last one, not the clock")
            self.serve()
        self.clocks[0].set("+3650d")
        self.hand_over(b, a)
        self.assertGreater(self.epoch(), epoch + 3000 * DAY, "it follows the clock")
        self.serve()
        self.clocks[0].set("+0")
        self.hand_over(a, b)
        self.serve()
        numbers = self.backend.numbers
        self.assertEqual(numbers, sorted(set(numbers)))
        self.assertEqual(self.backend.most, 1)


if __name__ == "__main__":
    TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
