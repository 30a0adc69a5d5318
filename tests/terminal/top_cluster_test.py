#!/usr/bin/env python3
"""`ticketgate top` beside two replicas over a real etcd: top_cluster_test.py TICKETGATE."""
import os
import pathlib
import shlex
import subprocess
import sys
import threading
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "real"))
from cluster import PATIENCE, Etcd, Replica  # noqa: E402
from machine import Sink  # noqa: E402
from pseudo import Terminal  # noqa: E402
from real_test import close_door, wait_for  # noqa: E402

TICKETGATE = None


class TopOfACluster(unittest.TestCase):
    """Replica a keeps the queue."""

    def setUp(self):
        self.sink = Sink()
        self.addCleanup(close_door, self.sink.door)
        self.addCleanup(self.sink.answers.set)
        self.etcd = Etcd()
        self.addCleanup(self.etcd.end)
        self.a, self.b = (Replica(TICKETGATE, name, self.etcd, f"http://127.0.0.1:{self.sink.port}") for name in "ab")
        self.assertEqual(self.a.command("cluster", "init")[0], 0)
        for replica in (self.a, self.b):
            replica.start()
            self.addCleanup(replica.end)
            self.assertEqual(replica.request("/first")[0], 200)

    def send(self, replica, path):
        def ask():
            try:
                replica.request(path)
            except Exception:  # pylint: disable=broad-except
                pass  # its replica was killed
        threading.Thread(target=ask, daemon=True).start()

    def top(self, replica):
        terminal = Terminal([TICKETGATE, "top", "-c", str(replica.file), "--every", "0.2"], columns=180)
        self.addCleanup(terminal.close)
        return terminal

    def test_shows_who_keeps_the_queue_and_the_command_that_ends_its_wait(self):
        self.sink.answers.clear()
        self.send(self.a, "/slow")
        wait_for(lambda: self.a.tickets()["in_flight"] == 1, "it runs")
        epoch = self.a.line()["epoch"]
        keeper, other = self.top(self.a), self.top(self.b)
        keeper.shows("cluster shop: this is a, 2 replicas listed; sure for ")
        keeper.shows("KEPT BY")
        keeper.shows(f"app is kept here, epoch {epoch}, open")
        other.shows("cluster shop: this is b, 2 replicas listed; sure for ")
        other.shows(f", epoch {epoch}, open; its requests wait and run there")
        self.a.kill()
        self.send(self.b, "/behind")
        other.shows(f": requests of epoch {epoch}, kept by a (127.0.0.1:")
        other.shows("this replica, settling")
        other.shows("that replica is lost; if you know that they have ended: ")
        line = next(line for line in other.lines() if "have ended: " in line)
        words = shlex.split(line.split("have ended: ")[1])
        self.assertEqual(words, ["ticketgate", "settle", "app", str(epoch), "-c", str(self.b.file)])
        self.sink.answers.set()
        subprocess.run([TICKETGATE, *words[1:]], check=True, capture_output=True, timeout=PATIENCE)
        other.shows("app is kept here, epoch ")

    def test_shows_a_store_that_is_away(self):
        terminal = self.top(self.a)
        terminal.shows("; the store answers")
        terminal.shows("app is kept here, epoch ")
        self.etcd.child.kill()
        terminal.shows("; THE STORE CANNOT BE USED: ")
        terminal.shows("this replica is not sure of it and starts nothing")


if __name__ == "__main__":
    TICKETGATE = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
