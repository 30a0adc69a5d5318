#!/usr/bin/env python3
"""ticketgate where nobody reads its stderr: a full pipe delays no start, no upgrade and no end.

Usage: stuck_reader_test.py TICKETGATE [unittest's options]
"""
import fcntl
import os
import pathlib
import select
import signal
import subprocess
import sys
import unittest

from machine import PATIENCE, OnItsMachine
from real_test import answers, wait_for

WARNED = ", queue: q, inside_calls: pass_any"  # of a route: its config has one warning
WARNING = b"c.yaml:4:48: warning: "


def fill(writer):
    """Writes until the pipe takes nothing any more."""
    flags = fcntl.fcntl(writer, fcntl.F_GETFL)
    os.set_blocking(writer, False)
    try:
        for size in (4096, 1):
            try:
                while True:
                    os.write(writer, b"x" * size)
            except BlockingIOError:
                pass
    finally:
        fcntl.fcntl(writer, fcntl.F_SETFL, flags)


class StuckReaderTest(OnItsMachine):
    def pipe(self, full):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        if full:
            fill(writer)
        return reader, writer

    def start_on(self, writer, file, wait=False):
        return self.start(file, wait=wait, stdout=writer, stderr=writer)

    @staticmethod
    def holds_term(child):
        """Before that, the dynamic linker prepares the program, and a signal ends it."""
        with open(f"/proc/{child.pid}/status", encoding="ascii") as status:
            masks = dict(line.split(":", 1) for line in status if line.startswith("Sig"))
        return any(int(masks[name], 16) & 1 << (signal.SIGTERM - 1) for name in ("SigBlk", "SigCgt"))

    def ends(self, child, code):
        wait_for(lambda: self.holds_term(child), "its signals are held", PATIENCE)
        child.terminate()
        self.assertEqual(child.wait(PATIENCE), code)

    def read_to(self, reader, what):
        text = b""
        while what not in text:
            self.assertTrue(select.select([reader], [], [], PATIENCE)[0], text[-1000:])
            text += os.read(reader, 1 << 16)
        return text.lstrip(b"x")

    def test_a_start_with_a_warning_serves_and_ends(self):
        _, writer = self.pipe(full=True)
        child = self.start_on(writer, self.config(route=WARNED))
        wait_for(lambda: child.poll() is not None or answers(self.port, self.admin), "it listens", PATIENCE)
        self.assertEqual(self.get("/")[0], 200)
        self.ends(child, 0)

    def test_the_warnings_of_a_start_come_first_as_they_are(self):
        reader, writer = self.pipe(full=True)
        child = self.start_on(writer, self.config(route=WARNED))
        text = self.read_to(reader, b"info listening")
        self.assertTrue(text.startswith(b"%s/" % str(self.folder).encode() + WARNING), text)
        self.ends(child, 0)

    def test_a_reload_with_a_warning_is_not_delayed(self):
        _, writer = self.pipe(full=True)
        child = self.start_on(writer, self.config(), wait=True)
        wait_for(lambda: answers(self.admin), "the operator may ask", PATIENCE)
        self.config(route=WARNED)
        child.send_signal(signal.SIGHUP)
        wait_for(lambda: b"routes[0].inside_calls" in self.get("/api/v1/config", self.admin)[1], "the reload", PATIENCE)
        self.ends(child, 0)

    def test_a_bad_config_ends_with_term(self):
        _, writer = self.pipe(full=True)
        child = self.start_on(writer, self.config("nobody: knows\n"))
        self.ends(child, 78)

    def test_a_start_that_fails_ends_with_term(self):
        _, writer = self.pipe(full=True)
        self.start(self.config())
        child = self.start_on(writer, self.folder / "c.yaml")  # its ports are taken
        self.ends(child, 1)

    def test_a_command_that_it_does_not_know_ends_with_term(self):
        _, writer = self.pipe(full=True)
        child = subprocess.Popen([self.ticketgate, "chekc"], stdout=writer, stderr=writer)
        self.addCleanup(self.stop, child)
        state = lambda: pathlib.Path(f"/proc/{child.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        wait_for(lambda: state() == "S", "it waits for the reader", PATIENCE)
        child.terminate()
        self.assertEqual(child.wait(PATIENCE), -signal.SIGTERM)

    def test_all_problems_reach_a_reader_that_comes_late(self):
        reader, writer = self.pipe(full=True)
        child = self.start_on(writer, self.config("".join(f"nobody{i}: {'x' * 100}\n" for i in range(500))))
        text = self.read_to(reader, b"nobody499")
        self.assertEqual(child.wait(PATIENCE), 78)
        os.set_blocking(reader, False)
        try:
            text += os.read(reader, 1 << 16)
        except BlockingIOError:
            pass
        lines = text.decode().splitlines()
        self.assertEqual(len(lines), 500)
        for number, line in enumerate(lines):
            self.assertIn(f"nobody{number}", line)
        self.assertTrue(text.endswith(b"\n"))

    # ── upgrades: the new process has the stderr of the old one ──

    def upgrade(self):
        return subprocess.run([self.ticketgate, "upgrade", "--wait", "--admin", f"127.0.0.1:{self.admin}"],
                              capture_output=True, text=True, timeout=2 * PATIENCE)

    def test_an_upgrade_with_a_warning_takes_over(self):
        _, writer = self.pipe(full=False)
        old = self.start_on(writer, self.config(route=WARNED), wait=True)
        wait_for(lambda: answers(self.admin), "the operator may ask", PATIENCE)
        fill(writer)
        done = self.upgrade()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.get("/")[0], 200)
        new = int(done.stdout.split()[1])
        self.assertEqual(old.wait(PATIENCE), 0)
        os.kill(new, signal.SIGTERM)
        wait_for(lambda: not answers(self.port), "it ends", PATIENCE)

    def test_an_upgrade_with_a_bad_config_says_why_and_soon(self):
        _, writer = self.pipe(full=True)
        self.start_on(writer, self.config(), wait=True)
        wait_for(lambda: answers(self.admin), "the operator may ask", PATIENCE)
        self.config("nobody: knows\n")
        done = self.upgrade()
        self.assertEqual(done.returncode, 1)
        self.assertIn("nobody", done.stderr)
        self.assertIn("exit code 78", done.stderr)
        self.assertEqual(self.get("/")[0], 200)


if __name__ == "__main__":
    OnItsMachine.ticketgate = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2, warnings="ignore")
