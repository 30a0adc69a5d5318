#!/usr/bin/env python3
"""The output of ./dev run: ports that are in use, the page with both counters, short log lines on a terminal.

Usage: demo_test.py TICKETGATE
"""
import os
import pathlib
import pty
import signal
import socket
import subprocess
import sys
import unittest
import urllib.request

import real_test
from real_test import answers, free_port, wait_for

DEMO = pathlib.Path(__file__).resolve().parents[2] / "deploy/demo"


class Demo(unittest.TestCase):
    def setUp(self):
        self.ports = {name: free_port() for name in ("PORT", "ADMIN_PORT", "BACKEND_PORT")}
        self.environment = os.environ | {name: str(port) for name, port in self.ports.items()}

    def test_a_port_in_use_is_reported_with_the_variable_that_changes_it(self):
        for name, port in self.ports.items():
            with self.subTest(name), socket.create_server(("127.0.0.1", port)):
                done = subprocess.run([DEMO / "demo.sh", "--ports"], env=self.environment, text=True,
                                      capture_output=True, timeout=60)
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"port {port}, wanted for ", done.stderr)
                self.assertIn(f"choose another: {name}=", done.stderr)

    def test_a_terminal_gets_short_lines_and_the_page_shows_both_counters(self):
        master, slave = pty.openpty()
        run = subprocess.Popen([DEMO / "demo.sh", "--serve", real_test.TICKETGATE], env=self.environment,
                               stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        gate = f"http://127.0.0.1:{self.ports['PORT']}"
        direct = f"http://127.0.0.1:{self.ports['BACKEND_PORT']}"
        told = b""
        try:
            wait_for(lambda: answers(self.ports["PORT"]), "ticketgate listens")
            with urllib.request.urlopen(gate + "/", timeout=60) as page:
                text = page.read().decode()
            urllib.request.urlopen(direct + "/counter.php?of=alone", data=b"", timeout=60).close()
            urllib.request.urlopen(gate + "/counter.php", data=b"", timeout=60).close()
            while b"POST   /counter.php" not in told or b"Open in a browser" not in told:
                told += os.read(master, 1 << 16)
        finally:
            run.send_signal(signal.SIGTERM)
            self.assertEqual(run.wait(60), 0, told)
            os.close(master)
        self.assertIn("PHP alone", text)
        self.assertIn(direct.replace("/", "\\/"), text)
        self.assertIn(b"Open in a browser:  " + gate.encode() + b"/", told)
        self.assertRegex(told, rb"\x1b\[32m200\x1b\[0m  POST   /counter\.php .*waited")


class Lines(unittest.TestCase):
    def test_only_access_records_are_reformatted_and_control_characters_are_replaced(self):
        record = ('{"time":"2026-11-22T15:43:44.899000Z","status":502,"method":"GET",'
                  '"path":"/x\\u001b]0;title\\u0007"}\n')
        done = subprocess.run(["php", "-q", DEMO / "lines.php"], input="no record\n" + record, text=True,
                              capture_output=True, timeout=60)
        self.assertEqual(done.stdout.splitlines()[0], "no record")
        self.assertIn("15:43:44.899  \x1b[31m502\x1b[0m  GET    /x?]0;title?", done.stdout)


if __name__ == "__main__":
    real_test.TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
