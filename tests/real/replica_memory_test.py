#!/usr/bin/env python3
"""Allocations fail on the thread of a clustered replica, each time at another place. The replica lives on, keeps its queue
and grants: replica_memory_test.py TICKETGATE. Skipped without etcd."""
import os
import pathlib
import shutil
import sys
import unittest

from cluster import PATIENCE, Etcd, Replica
from failing_memory import WithFailingMemory
from machine import Sink
from real_test import close_door, wait_for

TICKETGATE = None
MANY = 1000000
IN_A_ROW = 12


class ReplicaMemory(WithFailingMemory):
    def setUp(self):
        super().setUp()
        self.store = Etcd()
        self.addCleanup(self.store.end)
        sink = Sink()
        self.addCleanup(close_door, sink.door)
        self.replica = Replica(TICKETGATE, "a", self.store, f"http://127.0.0.1:{sink.port}", self.environment())
        self.addCleanup(self.replica.end)
        self.memory.stop()
        self.assertEqual(self.replica.command("cluster", "init")[0], 0)
        self.replica.start()
        wait_for(self.grants, "it grants", PATIENCE)

    def grants(self):
        return self.replica.request("/")[0] == 200

    def its_thread(self):
        """While nothing is asked of the process, no other thread allocates."""
        process = self.replica.child.pid
        found = []

        def look():
            for thread in map(int, os.listdir(f"/proc/{process}/task")):
                self.memory.fail(thread, MANY, 0)
                try:
                    wait_for(lambda: self.memory.passes < MANY, "it allocates", 1)
                except AssertionError:
                    continue
                if thread != process:
                    found.append(thread)
                    return True
            return False
        wait_for(look, "the thread of the replica allocates", PATIENCE)
        self.memory.stop()
        return found[0]

    def test_a_replica_lives_on(self):
        thread = self.its_thread()
        for passes in range(0, 400, 19):
            with self.subTest(passes=passes):
                self.memory.fail(thread, passes, IN_A_ROW)
                wait_for(lambda: self.memory.failed == IN_A_ROW or self.replica.child.poll() is not None, "they fail",
                         PATIENCE)
                self.memory.stop()
                self.assertIsNone(self.replica.child.poll(), (self.replica.folder / "log").read_text())
                self.assertEqual(self.replica.request("/")[0], 200)
        self.replica.child.terminate()
        self.assertEqual(self.replica.child.wait(PATIENCE), 0)


if __name__ == "__main__":
    TICKETGATE = str(pathlib.Path(sys.argv.pop(1)).resolve())
    if shutil.which("etcd") is None:
        print("no etcd")
        sys.exit(77)
    unittest.main(verbosity=2, warnings="ignore")
