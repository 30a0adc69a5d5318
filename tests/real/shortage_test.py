#!/usr/bin/env python3
"""ticketgate without memory, without descriptors and with a failing disk: exclusion holds, and it serves again afterwards.

Usage: shortage_test.py TICKETGATE [unittest's options]
"""
import contextlib
import errno
import http.client
import os
import pathlib
import re
import resource
import socket
import subprocess
import sys
import threading
import unittest

from machine import PATIENCE, OnItsMachine, refuse
from real_test import answers, free_port, wait_for

BODY = b"x" * (3 << 20)


class ShortageTest(OnItsMachine):
    def together(self, count, ask, meanwhile=lambda ends: None):
        """Runs `ask` in this many threads. Returns the status or the exception of each."""
        ends = []
        threads = [threading.Thread(target=lambda: ends.append(self.end_of(ask)), daemon=True) for _ in range(count)]
        for thread in threads:
            thread.start()
        meanwhile(ends)
        for thread in threads:
            thread.join(PATIENCE)
            self.assertFalse(thread.is_alive(), "a client waits for ever")
        return ends

    @staticmethod
    def end_of(ask):
        try:
            return ask()[0]
        except (OSError, http.client.HTTPException) as why:
            return type(why).__name__

    def upload(self):
        return self.get("/", method="POST", body=BODY)

    def goes_on(self, child):
        wait_for(self.serves, "it serves again", PATIENCE)
        self.assertIsNone(child.poll(), self.told())
        self.assertEqual(self.sink.most, 1, "one at a time")
        wait_for(lambda: self.metric("ticketgate_spool_bytes") == 0, "no body is left", PATIENCE)
        child.terminate()
        self.assertEqual(child.wait(PATIENCE), 0)

    # ── the disk ──

    def test_a_spool_read_error_gives_502_and_holds_the_slot_until_the_backend_ends(self):
        # The backend already has part of the request, so the slot stays held until the backend ends the connection.
        child = self.start(
            self.config(f"spool: {{ directory: \"{self.folder}\", memory_per_body: 16KiB }}\n", route=", queue: q"),
            limits=lambda: refuse("pread64", errno.EIO, at_least=[(3, 1 << 20)]))
        self.assertEqual(self.together(4, self.upload), [502] * 4)
        wait_for(lambda: self.sink.cut == 4, "the backend has seen the ends", PATIENCE)
        self.assertEqual(self.sink.whole, 0)
        self.goes_on(child)

    # ── descriptors ──

    def ids(self, client, count):
        client.sendall(bytes([count]))
        return client.makefile("rb").read(8 * count)

    def test_without_descriptors_the_longest_idle_id_client_is_closed_for_a_new_one(self):
        port = free_port()
        child = self.start(self.config(f"id_service: {{ address: \"127.0.0.1:{port}\", worker: 1 }}\n"))

        def connect():
            client = socket.create_connection(("127.0.0.1", port), PATIENCE)
            self.addCleanup(client.close)
            return client
        clients = [connect()]
        self.assertEqual(len(self.ids(clients[0], 1)), 8)
        soft, hard = resource.prlimit(child.pid, resource.RLIMIT_NOFILE)
        highest = max(int(fd) for fd in os.listdir(f"/proc/{child.pid}/fd"))
        resource.prlimit(child.pid, resource.RLIMIT_NOFILE, (highest + 10, hard))
        clients += [connect() for _ in range(30)]
        self.assertEqual(len(self.ids(clients[-1], 3)), 24, "the newest is served")
        self.assertEqual(self.ids(clients[0], 1), b"", "the one that was idle for longest has gone")
        resource.prlimit(child.pid, resource.RLIMIT_NOFILE, (soft, hard))
        self.assertEqual(len(self.ids(connect(), 3)), 24)
        self.goes_on(child)

    # ── memory ──

    def size_of(self, child):
        fields = dict(line.split(":", 1) for line in
                      pathlib.Path(f"/proc/{child.pid}/status").read_text().splitlines())
        return int(fields["VmSize"].split()[0]) << 10

    def spools_on_disk(self, child):
        """Whether a body has gone to a file: each fits into memory_per_body, but the system has refused the memory."""
        folder = pathlib.Path(f"/proc/{child.pid}/fd")
        with contextlib.suppress(OSError):
            return any(os.readlink(at).endswith("(deleted)") for at in folder.iterdir())
        return False

    def test_without_memory_fewer_requests_are_served_but_never_two_at_once(self):
        child = self.start(self.config(
            f"spool: {{ directory: \"{self.folder}\", memory_per_body: 8MiB, max_memory: 4GiB }}\n"
            "clients: { max_connections_per_client: unlimited }\n",
            route=", queue: q, max_waiting: 2000"))
        # Every thread has started when the admin listener answers.
        wait_for(lambda: answers(self.admin) and self.get("/readyz", self.admin)[0] == 200, "it is ready", PATIENCE)

        def until_short(ends):  # the backend sends no answer yet, so any answer is a refusal
            wait_for(lambda: ends or re.search("std::bad_alloc|Cannot allocate memory", self.told()) or
                     self.spools_on_disk(child), "it is short of memory", PATIENCE)
            self.sink.answers.set()
        self.sink.answers.clear()  # 300 MB of bodies wait in the queue
        for extra in (8 << 20, 1 << 20, 0):
            limit = self.size_of(child) + extra
            resource.prlimit(child.pid, resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
            ends = self.together(100, self.upload, until_short)
            self.assertIsNone(child.poll(), self.told())
            self.assertEqual(len(ends), 100)
            # Each slot is free when its answer ends, also if there was no memory for the answer.
            self.assertNotIn(503, ends, "a client waited for wait_timeout")
        resource.prlimit(child.pid, resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.goes_on(child)

    def test_a_start_without_memory_ends_with_1(self):
        """Memory runs out at another place with each limit. What the loader and the start of C++ itself need is not ours."""
        file = self.config(route="".join(f" }}, {{ prefix: /r{i}, upstream: app, queue: q{i}" for i in range(3000)))
        ends = set()
        for limit in range(16, 160, 4):
            done = subprocess.run(["prlimit", f"--as={limit << 20}", self.ticketgate, "check", "-c", file],
                                  capture_output=True, text=True, timeout=PATIENCE)
            if "error while loading shared libraries" in done.stderr:
                continue
            self.assertIn(done.returncode, (0, 1), f"{limit} MiB: {done.stderr[-500:]}")
            ends.add(done.returncode)
            if done.returncode == 1:
                self.assertIn("memory", done.stderr)
        self.assertEqual(ends, {0, 1})


if __name__ == "__main__":
    OnItsMachine.ticketgate = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2, warnings="ignore")
