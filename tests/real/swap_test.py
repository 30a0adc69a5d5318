#!/usr/bin/env python3
"""deploy/swap.sh replaces an application under load: no request is lost, and none overtakes another.

Usage: swap_test.py TICKETGATE [unittest's options]
"""
import collections
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from cluster import Etcd, Replica
from real_test import Listening, Process, answers, free_port, wait_for

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
queues: {{ app: {{ order: arrival }} }}   # http.client sends a body after its head, and others may send theirs first
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

    def test_it_finds_the_process_by_the_address_of_its_admin_listener(self):
        swap = self.swap("touch", str(self.folder / "ran"), TICKETGATE=TICKETGATE,
                         TICKETGATE_OPTIONS=f"--admin unix:{self.admin}")
        self.assertEqual(swap.returncode, 0, swap.stderr)
        self.assertTrue((self.folder / "ran").exists())

    def test_the_program_is_found_by_its_name(self):
        os.symlink(os.path.abspath(TICKETGATE), self.folder / "ticketgate")
        command = ["sh", "-c", 'ticketgate "$@" > "$RAN"', "sh", "version"]  # COMMAND may be the program, too
        swap = self.swap(*command, TICKETGATE="", TICKETGATE_OPTIONS=f"--admin unix:{self.admin}",
                         PATH=f"{self.folder}:/usr/bin:/bin", RAN=str(self.folder / "ran"))
        self.assertEqual(swap.returncode, 0, swap.stderr)
        self.assertIn("ticketgate", (self.folder / "ran").read_text())

    def test_a_command_that_outlasts_the_pause_is_told(self):
        """It ends when the queue goes on, not after some time."""
        goes_on = f"until {TICKETGATE} -c {self.config} queues app --json | grep -q '\"paused\":false'; do :; done"
        for more, code in ("", 3), ("; exit 7", 7):
            done = self.swap("sh", "-c", goes_on + more, LONGEST="5s")
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn("the pause was over before the command ended: requests of app may have run", done.stderr)
            self.assertNotIn("stays paused", done.stderr)

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

    def test_the_documentation_names_the_longest_pause_of_the_script(self):
        longest = re.search(r"LONGEST:-(\w+)", SWAP.read_text()).group(1)
        self.assertIn(f"LONGEST ({longest})", SWAP.read_text())
        self.assertIn(f"`LONGEST` ({longest})", (HERE.parents[1] / "docs/operations.md").read_text())

    def test_without_a_queue_of_that_name_nothing_is_swapped(self):
        done = subprocess.run([str(SWAP), "nobody", "touch", str(self.folder / "swapped")], capture_output=True, text=True,
                              check=False, env={"PATH": "/usr/bin:/bin", "TICKETGATE": f"{TICKETGATE} -c {self.config}"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("no queue has the name nobody", done.stderr)
        self.assertFalse((self.folder / "swapped").exists())


class Held(Listening):
    """An application whose requests run until end_one(). Notes what has ended."""

    def __init__(self):
        super().__init__()
        self.lock, self.begun, self.ended, self.may_end = threading.Condition(), [], [], 0
        self.start()

    def serve(self, connection):
        with connection:
            path = connection.recv(65536).split()[1].decode()
            with self.lock:
                self.begun.append(path)
                self.lock.wait_for(lambda: self.may_end > len(self.ended))
                self.ended.append(path)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")

    def end_one(self):
        with self.lock:
            self.may_end += 1
            self.lock.notify_all()


class Swap:
    """deploy/swap.sh while a request runs. Its command notes that it ran."""

    def __init__(self, config, folder, **environment):
        self.swapped = folder / "swapped"
        self.child = subprocess.Popen(
            [str(SWAP), "app", "touch", str(self.swapped)], stderr=subprocess.PIPE, text=True, bufsize=1,
            env={"PATH": "/usr/bin:/bin", "TICKETGATE": f"{TICKETGATE} -c {config}", **environment})

    def says(self, words):
        line = self.child.stderr.readline()
        while words not in line:
            assert line, f"swap.sh ended without: {words}"
            line = self.child.stderr.readline()

    def end(self):
        said = self.child.communicate(timeout=60)[1]
        return self.child.returncode, said


def in_background(port, path):
    def request():
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", path)
        thread.status = connection.getresponse().status
        connection.close()
    thread = threading.Thread(target=request, daemon=True)
    thread.start()
    return thread


class UpgradeTest(unittest.TestCase):
    """The old process of an upgrade still runs requests of the queue, which the new one does not count."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.application, self.port = Held(), free_port()
        self.config = self.folder / "ticketgate.yaml"
        self.config.write_text(f"""
listen: [{{ address: "127.0.0.1:{self.port}" }}]
admin: {{ address: "unix:{self.folder}/admin.sock" }}
upstreams: {{ app: {{ url: "http://127.0.0.1:{self.application.port}" }} }}
routes: [{{ prefix: /, upstream: app, queue: app }}]
""")
        gate = Process([TICKETGATE, "-c", str(self.config)], self.folder / "gate.log")
        self.addCleanup(gate.stop)
        wait_for(lambda: answers(self.port), "ticketgate listens")

    def command(self, *words):
        return subprocess.run([TICKETGATE, *words, "-c", str(self.config)], capture_output=True, text=True, timeout=60,
                              check=True).stdout

    def upgrade(self):
        new = int(self.command("upgrade").split()[1])
        self.addCleanup(lambda: os.kill(new, signal.SIGKILL))

    def queue(self):
        return json.loads(self.command("queues", "app", "--json"))

    def test_it_waits_for_the_line_of_the_old_process(self):
        first = in_background(self.port, "/first")
        wait_for(lambda: self.application.begun == ["/first"], "the first request runs")
        second = in_background(self.port, "/second")
        wait_for(lambda: self.queue()["waiting"] == 1, "the second request waits")
        self.upgrade()
        self.assertEqual((self.queue()["elsewhere"], self.queue()["in_flight"]), ("old_process", 0))
        swap = Swap(self.config, self.folder)
        swap.says("old process")
        self.assertFalse(self.queue()["paused"], "the line of the old process must go on")
        for each in (first, second):
            self.assertFalse(swap.swapped.exists())
            self.application.end_one()
            each.join()
            self.assertEqual(each.status, 200)
        code, said = swap.end()
        self.assertEqual((code, self.application.ended), (0, ["/first", "/second"]), said)
        self.assertTrue(swap.swapped.exists())
        self.assertIsNone(self.queue()["elsewhere"])


class ClusterTest(unittest.TestCase):
    """A pause at a replica that does not keep the queue stops nobody."""

    def test_it_swaps_at_the_keeper_only(self):
        application, store, folder = Held(), Etcd(), tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(store.end)
        replicas = [Replica(TICKETGATE, name, store, f"http://127.0.0.1:{application.port}") for name in "ab"]
        self.assertEqual(replicas[0].command("cluster", "init")[0], 0)
        for each in replicas:
            each.start()
            self.addCleanup(each.end)
        runs = in_background(replicas[0].port, "/runs")
        wait_for(lambda: application.begun == ["/runs"], "a request runs")
        keeper = next(each for each in replicas if each.tickets()["in_flight"] == 1)
        other = replicas[1 - replicas.index(keeper)]
        self.assertEqual((keeper.tickets()["elsewhere"], other.tickets()["elsewhere"]), (None, "other_replica"))
        refused = Swap(other.file, pathlib.Path(folder.name))
        code, said = refused.end()
        self.assertEqual(code, 1, said)
        self.assertIn("cluster status", said)
        self.assertFalse(refused.swapped.exists())
        swap = Swap(keeper.file, pathlib.Path(folder.name))
        swap.says("paused")
        self.assertFalse(swap.swapped.exists())
        application.end_one()
        runs.join()
        self.assertEqual((runs.status, swap.end()[0]), (200, 0))
        self.assertTrue(swap.swapped.exists())


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
