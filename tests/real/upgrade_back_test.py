#!/usr/bin/env python3
"""A new process that does not get what it needs takes nothing over; one that dies leaves the old process as it was before.

Usage: upgrade_back_test.py TICKETGATE [unittest's options]
"""
import collections
import json
import os
import pathlib
import resource
import signal
import socket
import sys
import threading
import unittest

import upgrade_test
import upgrade_told_test
from real_test import Listening, answers, close_door, free_port, wait_for

# A thread's stack is of the size that this allows, so that few threads fill the address space of a process.
FEW_THREADS = ("prlimit", f"--stack={1 << 30}", f"--as={9 << 30}")


class Collector(Listening):
    """Takes spans, and counts them by the path of their request; `waits`: reads a post, and does not answer it."""

    def __init__(self):
        super().__init__()
        self.waits = threading.Event()
        self.posts, self.paths = 0, collections.Counter()
        self.start()

    def serve(self, connection):
        with connection, connection.makefile("rb") as reader:
            while reader.readline():
                length = 0
                while (field := reader.readline()) not in (b"\r\n", b""):
                    if field.lower().startswith(b"content-length:"):
                        length = int(field.split(b":")[1])
                body = reader.read(length)
                self.posts += 1
                if self.waits.is_set():
                    reader.read(1)  # until the other side has had enough
                    return
                self.note(json.loads(body))
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")

    def note(self, post):
        for group in post["resourceSpans"]:
            for scope in group["scopeSpans"]:
                for span in scope["spans"]:
                    self.paths.update(one["value"]["stringValue"] for one in span["attributes"] if one["key"] == "url.path")


class Back(upgrade_told_test.Told):
    def unix_status(self, path):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(upgrade_test.PATIENCE)
            client.connect(str(path))
            client.sendall(b"GET /free/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            return int(client.makefile("rb").readline().split()[1])

    @staticmethod
    def gives_an_id(port):
        try:
            with socket.create_connection(("127.0.0.1", port), upgrade_test.PATIENCE) as client:
                client.sendall(b"\x01")
                return len(client.makefile("rb").read(8)) == 8
        except OSError:
            return False

    # ── what may fail is over before the old process gives way ──

    def test_a_process_that_gets_no_threads_takes_nothing_over(self):
        unix = self.folder / "listen.sock"
        listen = f', {{ address: "unix:{unix}" }}'
        old = self.start(more="threads: 1", listen=listen, command=FEW_THREADS)
        held = self.hold_one()
        self.file.write_text(self.config(more="threads: 32", listen=listen))
        for _ in range(3):
            done = self.command("upgrade")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("cannot start a thread", done.stderr)
            self.assertIn("the new process ended before it took over", done.stderr)
            self.assertEqual(self.unix_status(unix), 200)
        self.assertNotIn("this process accepts", self.told())
        self.assertEqual(json.loads(self.state())["pid"], old)
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        self.end(old, [signal.SIGTERM])
        self.assertFalse(unix.exists(), "it removes its file")

    def test_a_first_process_that_gets_no_threads_ends(self):
        unix, port = self.folder / "listen.sock", free_port()
        ids = f'id_service: {{ address: "127.0.0.1:{port}", worker: 3, state_file: "{self.folder}/ids" }}'
        # With the loops the limit is reached, at one of them or at the thread of the id service.
        for loops in range(1, 12):
            self.file.write_text(self.config(more=f"threads: {loops}\n{ids}", listen=f', {{ address: "unix:{unix}" }}'))
            first = upgrade_test.Process([*FEW_THREADS, upgrade_test.TICKETGATE, "-c", str(self.file)], self.folder / "gate.log")
            self.addCleanup(first.log.close)
            wait_for(lambda one=first: one.child.poll() is not None or answers(self.port) and answers(port), "ended or runs")
            if first.child.poll() is None:
                first.child.terminate()
                first.child.wait(upgrade_test.PATIENCE)
                continue
            self.assertEqual(first.child.returncode, 1)
            self.assertFalse(unix.exists())
        self.assertIn("cannot start a thread", self.told())

    def test_the_id_service_begins_again_when_a_descriptor_is_free(self):
        port = free_port()
        old = self.start(more=f'id_service: {{ address: "127.0.0.1:{port}", worker: 3, state_file: "{self.folder}/ids" }}')
        held = self.hold_one()
        new = self.upgrade()
        limits = resource.prlimit(old, resource.RLIMIT_NOFILE)
        resource.prlimit(old, resource.RLIMIT_NOFILE, (3, limits[1]))
        os.kill(new, signal.SIGKILL)
        wait_for(lambda: "Too many open files" in self.told(), "it has no descriptor")
        resource.prlimit(old, resource.RLIMIT_NOFILE, limits)
        wait_for(lambda: self.gives_an_id(port), "the id service is there")
        wait_for(lambda: "this one accepts again" in self.told(), "the old process accepts again")
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        self.end(old, [signal.SIGTERM])

    # ── the files of unix sockets ──

    def test_the_file_of_a_unix_socket_is_the_old_process_s_again(self):
        unix = self.folder / "listen.sock"
        old = self.start(listen=f', {{ address: "unix:{unix}" }}')
        held = self.hold_one()
        os.kill(self.upgrade(), signal.SIGKILL)
        wait_for(lambda: "this one accepts again" in self.told(), "the old process notices")
        self.assertEqual(self.unix_status(unix), 200)
        self.assertNotIn("the file of a unix socket is gone", self.told())
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        self.end(old, [signal.SIGTERM])
        self.assertFalse(unix.exists() or self.admin.exists(), "it removes its files")

    def test_a_file_of_a_unix_socket_that_is_gone_is_told_and_made_by_the_next_upgrade(self):
        unix = self.folder / "listen.sock"
        self.start(listen=f', {{ address: "unix:{unix}" }}')
        held = self.hold_one()
        new = self.upgrade()
        unix.unlink()
        os.kill(new, signal.SIGKILL)
        wait_for(lambda: "this one accepts again" in self.told(), "the old process notices")
        self.assertIn(f"the file of a unix socket is gone, so nobody finds it; an upgrade makes it again address=unix:{unix}",
                      self.told())
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        self.upgrade("--wait")
        self.assertEqual(self.unix_status(unix), 200)

    # ── what the dead process said ──

    def test_a_pause_that_the_dead_process_told_begins_no_queue_paused(self):
        old = self.start()
        held = self.hold_one("/b/old", "b")
        new = self.upgrade()
        self.assertEqual(self.command("pause", "a").returncode, 0)
        os.kill(new, signal.SIGKILL)
        wait_for(lambda: "this one accepts again" in self.told(), "the old process notices")
        self.assertEqual(json.loads(self.state())["pid"], old)
        self.assertTrue(self.queue()["paused"], "an operator's pause holds")
        self.backend.release("b")
        self.assertEqual(self.status(held), 200)
        self.file.write_text(self.config().replace("queue: a", "queue: c"))
        # Its gate goes with a later reload: the config of before has it until its requests have ended.
        wait_for(lambda: self.command("reload").returncode == 0 and self.command("queues", "a").returncode != 0, "it is gone")
        self.file.write_text(self.config())
        self.assertEqual(self.command("reload").returncode, 0)
        self.assertFalse(self.queue()["paused"], "no other process lives")
        self.assertEqual(self.status(self.send("/a/x")), 200)

    # ── a process whose end had begun ──

    def start_traced(self, collector):
        """Returns the place of the admin listener. No span goes out before the end of a process."""
        place = f"127.0.0.1:{free_port()}"
        self.admin_at(int(place.split(":")[1]))
        self.file.write_text(self.file.read_text() + self.tracing(collector, "1h"))
        self.start_at(place)
        return place

    @staticmethod
    def tracing(collector, interval):
        return f'tracing: {{ endpoint: "http://127.0.0.1:{collector.port}/v1/traces", begin: on, interval: {interval} }}\n'

    def take_back_at_its_end(self, collector, place):
        """Kills the new process while the old one, which has finished its line, sends its last spans. It has 2 s for them:
        both are begun anew where the machine stalls for longer."""
        collector.waits.set()
        while "this one accepts again" not in self.told():
            self.assertEqual(self.status(self.send("/free/before")), 200)
            posts, old = collector.posts, self.gate.child.pid
            new = self.upgrade()
            wait_for(lambda: collector.posts > posts, "the old process is about to end")
            os.kill(new, signal.SIGKILL)
            wait_for(lambda: self.ended(old) or "this one accepts again" in self.told(), "the old process notices")
            if "this one accepts again" not in self.told():
                wait_for(lambda: self.ended(new), "the new process has ended")
                self.start_at(place)
        collector.waits.clear()

    def test_spans_are_exported_after_a_new_process_died_while_the_old_one_ended(self):
        collector = Collector()
        self.addCleanup(close_door, collector.door)
        place = self.start_traced(collector)
        self.take_back_at_its_end(collector, place)
        self.file.write_text(self.file.read_text().replace("interval: 1h", "interval: 100ms"))
        self.assertEqual(self.command("reload").returncode, 0)
        self.assertEqual(self.status(self.send("/free/after")), 200)
        wait_for(lambda: collector.paths["/free/after"] > 0, "its spans arrive")
        self.assertEqual(self.metric('ticketgate_trace_spans_dropped_total{reason="full"}', place), 0)

    def upgrade_later(self, more=""):
        """Returns the place of the admin listener, and the pid of the old process, which keeps a queue and was taken back."""
        collector = Collector()
        self.addCleanup(close_door, collector.door)
        place = self.start_traced(collector)
        self.take_back_at_its_end(collector, place)
        self.file.write_text(self.file.read_text() + more)
        self.assertEqual(self.command("reload").returncode, 0)
        collector.waits.set()  # so its next end takes a moment, too
        held = self.hold_one()
        self.upgrade()
        return place, self.gate.child.pid, held

    def check_told(self, place, end):
        wait_for(lambda: self.asked(place)["old_ended"] != "", "the new process knows its end")
        self.assertEqual(self.asked(place)["old_ended"], end)
        words = {"finished": "the old process has finished its line",
                 "cut": "the old process ended with requests in its line"}
        wait_for(lambda: words[end] in self.told(), "the log says so")
        for other in words.keys() - {end}:
            self.assertNotIn(words[other], self.told())

    def test_a_later_line_that_ends_is_told_as_finished(self):
        place, _, held = self.upgrade_later()
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        self.check_told(place, "finished")

    def test_a_later_line_that_is_cut_is_told_as_cut(self):
        place, old, _ = self.upgrade_later("drain_timeout: 100ms\n")
        os.kill(old, signal.SIGTERM)
        self.check_told(place, "cut")


def load_tests(loader, _tests, _pattern):
    """Those of this file, not those of the classes that it takes the rest from."""
    return unittest.TestSuite(Back(name) for name in loader.getTestCaseNames(Back) if name in vars(Back))


if __name__ == "__main__":
    upgrade_test.TICKETGATE = str(pathlib.Path(sys.argv.pop(1)).absolute())
    unittest.main()
