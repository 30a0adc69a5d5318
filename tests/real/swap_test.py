#!/usr/bin/env python3
"""deploy/swap.sh replaces an application under load: no request is lost, and none overtakes another.

Usage: swap_test.py TICKETGATE [unittest's options]
"""
import collections
import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from real_test import Process, answers, free_port, wait_for

TICKETGATE = None
HERE = pathlib.Path(__file__).resolve().parent
SWAP = HERE.parents[1] / "deploy/swap.sh"
CLIENTS = 12

# The application: notes the beginning and the end of each request, and says which version it is.
APPLICATION = """
import http.server, os, sys, time
journal = os.open(sys.argv[3], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        os.write(journal, f"begin {self.path}\\n".encode())
        time.sleep(0.003)
        os.write(journal, f"end {self.path}\\n".encode())
        self.send_response(200)
        answer = sys.argv[2].encode()
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


class SwapTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.port, self.backend = free_port(), free_port()
        self.admin = self.folder / "admin.sock"
        self.config = self.folder / "ticketgate.yaml"
        (self.folder / "application.py").write_text(APPLICATION)
        self.journal = self.folder / "journal"
        self.config.write_text(f"""
listen: [{{ address: "127.0.0.1:{self.port}" }}]
admin: {{ address: "unix:{self.admin}" }}
upstreams: {{ app: {{ url: "http://127.0.0.1:{self.backend}" }} }}
routes: [{{ prefix: /, upstream: app, queue: app }}]
log: {{ access_file: "{self.folder}/access.log" }}
""")
        self.run_application("one")
        self.gate = Process([TICKETGATE, "-c", str(self.config)], self.folder / "gate.log")
        self.addCleanup(lambda: self.gate.stop())
        wait_for(lambda: answers(self.port), "ticketgate listens")
        self.answers, self.stopping = collections.Counter(), threading.Event()

    def run_application(self, version):
        self.application = Process([sys.executable, str(self.folder / "application.py"), str(self.backend), version,
                                    str(self.journal)], self.folder / "application.log")
        self.addCleanup(self.application.stop)
        wait_for(lambda: answers(self.backend), f"version {version} listens")

    def client(self, number):
        """Sends one request after the other; every second one on a new connection."""
        connection, sent = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60), 0
        while not self.stopping.is_set():
            connection.request("POST", f"/{number}-{sent}", body="x")
            answer = connection.getresponse()
            self.answers[answer.status, answer.read().decode()] += 1
            sent += 1
            if sent % 2:
                connection.close()
        connection.close()

    def swap(self, *command, **environment):
        return subprocess.run([str(SWAP), "app", *command], capture_output=True, text=True, timeout=60, check=False,
                              env={"PATH": "/usr/bin:/bin", "TICKETGATE": f"{TICKETGATE} -c {self.config}", **environment})

    def swap_application(self, version):
        """In a thread of its own: the command of swap.sh tells by a file that it runs, and ends with a line from a pipe."""
        runs, done = self.folder / f"runs-{version}", self.folder / f"done-{version}"
        os.mkfifo(done)
        script = f"touch {runs}; read -r _ < {done}"
        results = []
        thread = threading.Thread(target=lambda: results.append(self.swap("sh", "-c", script)))
        thread.start()
        wait_for(runs.exists, "the command runs")
        self.application.stop()
        wait_for(lambda: self.waiting() == CLIENTS, "every client waits while there is no application")
        self.run_application(version)
        done.write_text("done\n")
        thread.join()
        self.assertEqual(results[0].returncode, 0, results[0].stderr)

    def queue(self):
        run = subprocess.run([TICKETGATE, "queues", "app", "--json", "-c", str(self.config)], check=True, capture_output=True)
        return json.loads(run.stdout)

    def waiting(self):
        return self.queue()["waiting"]

    def test_no_request_is_lost_and_none_overtakes_another(self):
        threads = [threading.Thread(target=self.client, args=(number,)) for number in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for version in ("two", "three", "four"):
            before = sum(self.answers.values())
            wait_for(lambda: sum(self.answers.values()) > before + 100, "requests go on")  # noqa: B023
            self.swap_application(version)
        self.stopping.set()
        for thread in threads:
            thread.join()
        self.gate.stop()
        self.assertEqual({status for status, _ in self.answers}, {200})
        self.assertEqual({version for _, version in self.answers}, {"one", "two", "three", "four"})
        self.check_journal()
        print(f"{sum(self.answers.values())} requests over three swaps: {dict(self.answers)}")

    def check_journal(self):
        """Each request ran once and alone, in the order of its number."""
        lines = self.journal.read_text().split("\n")[:-1]
        for begin, end in zip(lines[::2], lines[1::2], strict=True):
            self.assertEqual((begin.split()[0], end), ("begin", "end " + begin.split()[1]))
        self.assertEqual(len(lines) // 2, sum(self.answers.values()))
        self.assertEqual(len(set(lines)), len(lines))
        log = [json.loads(line) for line in (self.folder / "access.log").read_text().splitlines()]
        number = {each["path"]: each["number"] for each in log}
        self.assertEqual([number[line.split()[1]] for line in lines[::2]], list(range(1, len(log) + 1)))

    def test_a_command_that_fails_leaves_the_queue_paused(self):
        done = self.swap("sh", "-c", "exit 7")
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn("stays paused", done.stderr)
        self.assertTrue(self.queue()["paused"])
        self.assertEqual(self.swap("true").returncode, 0)
        self.assertFalse(self.queue()["paused"])

    def test_without_rest_nothing_is_swapped(self):
        self.application.stop()
        Silent(self.backend)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.addCleanup(connection.close)
        connection.request("POST", "/", body="x")
        wait_for(lambda: self.queue()["in_flight"] == 1, "a request runs")
        done = self.swap("touch", str(self.folder / "swapped"), LONGEST="300ms")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("nothing was swapped", done.stderr)
        self.assertFalse((self.folder / "swapped").exists())
        self.assertFalse(self.queue()["paused"])

    def test_without_a_queue_of_that_name_nothing_is_swapped(self):
        done = subprocess.run([str(SWAP), "nobody", "touch", str(self.folder / "swapped")], capture_output=True, text=True,
                              check=False, env={"PATH": "/usr/bin:/bin", "TICKETGATE": f"{TICKETGATE} -c {self.config}"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("no queue has the name nobody", done.stderr)
        self.assertFalse((self.folder / "swapped").exists())


class Silent:
    """Accepts connections and never answers."""

    def __init__(self, port):
        self.door = socket.create_server(("127.0.0.1", port))
        self.held = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            self.held.append(self.door.accept())


if __name__ == "__main__":
    TICKETGATE = sys.argv.pop(1)
    unittest.main()
