#!/usr/bin/env python3
"""ticketgate and its machine: signals, system limits, pipes and devices in place of files, log readers that do not read.

Usage: process_test.py TICKETGATE [unittest's options]
"""
import http.client
import os
import pathlib
import re
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

from machine import PATIENCE, OnItsMachine, refuse_watches
from real_test import answers, free_port, wait_for


LONG = 4 * PATIENCE  # 9,000 routes are read, under sanitizers on a busy machine


class ProcessTest(OnItsMachine):
    # ── signals ──

    def holds_signals(self, child):
        lines = pathlib.Path(f"/proc/{child.pid}/status").read_text().splitlines()
        mask = next((int(line.split()[1], 16) for line in lines if line.startswith("SigBlk:")), 0)
        return mask & 1 << (signal.SIGHUP - 1)

    def long_config(self):
        """A config that is large enough for a signal to arrive while it is read."""
        routes = "".join(f"  - {{ prefix: /{i}, upstream: app }}\n" for i in range(9000))
        file = self.config()
        text = file.read_text()
        file.write_text(text[:text.index("routes:")] + "routes:\n  - { prefix: /, upstream: app }\n" + routes)
        return file

    def test_signals_during_startup_take_effect_after_it(self):
        child = self.start(self.long_config(), wait=False)
        wait_for(lambda: child.poll() is not None or self.holds_signals(child), "signals wait", PATIENCE)
        child.send_signal(signal.SIGHUP)
        child.send_signal(signal.SIGUSR1)
        wait_for(lambda: child.poll() is not None or "loaded" in self.told(), "the reload", LONG)
        self.assertIsNone(child.poll(), f"ended by its first signals: {child.returncode}")
        child.terminate()
        self.assertEqual(child.wait(LONG), 0)

    def test_sigterm_during_startup_exits_with_0(self):
        child = self.start(self.long_config(), wait=False)
        wait_for(lambda: child.poll() is not None or self.holds_signals(child), "signals wait", PATIENCE)
        child.terminate()
        self.assertEqual(child.wait(LONG), 0)

    # ── standard descriptors ──

    def test_started_without_standard_descriptors_no_socket_gets_their_numbers(self):
        child = subprocess.Popen(["sh", "-c", 'exec "$0" -c "$1" <&- >&- 2>&-', self.ticketgate, str(self.config())])
        self.addCleanup(self.stop, child)
        wait_for(lambda: answers(self.port), "it listens", PATIENCE)
        self.assertEqual([os.readlink(f"/proc/{child.pid}/fd/{n}") for n in range(3)], ["/dev/null"] * 3)

    # ── RLIMIT_FSIZE ──

    def test_a_file_size_limit_drops_log_lines_and_bodies_but_the_process_runs_on(self):
        log = self.folder / "access.log"
        child = self.start(self.config(f"log: {{ access_file: \"{log}\" }}\nspool: {{ directory: \"{self.folder}\" }}\n",
                                       route=", queue: q"),
                           limits=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
        self.assertEqual(self.get("/", method="POST", body=b"x" * 1_000_000)[0], 503)
        self.tells("File too large")
        for _ in range(3):
            self.get("/" + "x" * 7000)
        while self.metric("ticketgate_log_dropped_lines_total") == 0 and child.poll() is None:
            self.get("/" + "x" * 7000)
        self.assertEqual(self.get("/")[0], 200)
        self.assertEqual(self.metric("ticketgate_spool_bytes"), 0, "nothing of the refused body is left")
        wait_for(lambda: "the access log lost lines" in self.told() and "File too large" in self.told(), "the loss is told")
        self.assertIsNone(child.poll(), "it is still there")

    # ── epoll_ctl ──

    def test_a_connection_that_epoll_cannot_watch_is_closed_and_others_are_served(self):
        first = 40
        child = self.start(self.config(), limits=lambda: refuse_watches(first))
        held, refused = [], 0
        for _ in range(60):
            connection = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
            held.append(connection)
            try:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                head = connection.recv(4096)
            except ConnectionError:
                head = b""
            self.assertIn(head[9:12], (b"", b"200", b"502"), "its backend's may be the one that is refused")
            refused += head == b""
        self.assertGreater(refused, 0)
        admin = socket.create_connection(("127.0.0.1", self.admin), timeout=PATIENCE)
        self.assertEqual(admin.recv(1), b"", "nor can the operator's")
        for connection in held:
            connection.close()
        wait_for(self.serves, "it serves again", PATIENCE)
        self.tells("cannot accept a connection")
        self.assertIsNone(child.poll())

    # ── the admin listener, and descriptors ──

    def hold(self, port, count):
        """Opens this many connections that send nothing."""
        held = []
        self.addCleanup(lambda: [connection.close() for connection in held])
        for _ in range(count):
            held.append(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
        return held

    def test_silent_admin_connections_block_neither_clients_nor_the_operator(self):
        few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (512, 512))
        child = self.start(self.config(admin=", max_connections: 16, read_timeout: 1h"), limits=few)
        self.hold(self.admin, 1500)
        wait_for(lambda: len(os.listdir(f"/proc/{child.pid}/fd")) < 100, "they are let go", PATIENCE)
        self.assertEqual(self.get("/readyz", self.admin)[0], 200)
        for _ in range(100):
            self.assertEqual(self.get("/")[0], 200)
        self.assertNotIn("cannot accept", self.told())

    def test_an_active_admin_connection_outlives_idle_ones(self):
        self.start(self.config(admin=", max_connections: 4, read_timeout: 1h"))
        asking = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=PATIENCE)
        for _ in range(20):
            self.hold(self.admin, 1)
            asking.request("GET", "/livez")
            self.assertEqual(asking.getresponse().read(), b"ok\n")
        asking.close()

    def test_an_incomplete_admin_request_ends_at_read_timeout(self):
        self.start(self.config(admin=", read_timeout: 200ms"))
        for head in (b"", b"GET /livez HTTP/1.1\r\nHos", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1"):
            with socket.create_connection(("127.0.0.1", self.admin), timeout=PATIENCE) as connection:
                try:
                    connection.sendall(head)
                    self.assertEqual(connection.recv(1), b"")
                except ConnectionError:
                    pass  # closed with bytes unread

    def test_the_admin_answer_to_head_has_no_body(self):
        self.start(self.config())
        with socket.create_connection(("127.0.0.1", self.admin), timeout=PATIENCE) as connection:
            connection.sendall(b"HEAD /livez HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.0\r\n\r\n")
            answer = b"".join(iter(lambda: connection.recv(4096), b""))
        first, rest = answer.split(b"\r\n\r\n", 1)
        self.assertIn(b"Content-Length: 3", first)
        self.assertTrue(rest.startswith(b"HTTP/1."), rest)
        self.assertTrue(rest.endswith(b"\r\n\r\nok\n"), rest)

    def test_descriptors_are_reserved_for_requests_and_the_operator(self):
        few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 128))
        child = self.start(self.config(), limits=few)
        first = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        first.request("GET", "/")
        self.assertEqual(first.getresponse().read(), b"ok")
        first.putrequest("POST", "/")
        first.putheader("Content-Length", "100000")
        first.endheaders()  # a client in the middle of a request is not idle, so its connection stays open
        held = self.hold(self.port, 300)
        for connection in held:
            try:
                connection.send(b"GET / HTTP/1.1\r\n")
            except OSError:
                pass  # its idle connection was closed to make room
        held += self.hold(self.port, 300)
        wait_for(lambda: "cannot accept a connection" in self.told(), "the last ones wait", PATIENCE)
        self.assertGreater(len(os.listdir(f"/proc/{child.pid}/fd")), 100, "its limit is the hard one")
        self.assertEqual(self.get("/readyz", self.admin)[0], 200)
        first.send(b"x" * 100_000)  # a file, and a connection to the backend
        self.assertEqual(first.getresponse().read(), b"ok")
        first.close()
        for connection in held:
            connection.close()
        self.assertEqual(self.get("/")[0], 200)

    def test_the_operator_gets_in_when_no_descriptor_is_left(self):
        child = self.start(self.config(admin=", read_timeout: 10m"))
        self.assertEqual(self.get("/readyz", self.admin)[0], 200)
        used = [int(number) for number in os.listdir(f"/proc/{child.pid}/fd")]
        hard = resource.prlimit(child.pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(child.pid, resource.RLIMIT_NOFILE, (max(used) + 1, hard))

        def all_are_taken():
            try:
                self.hold(self.port, 1)[0].send(b"GET / HTTP/1.1\r\n")  # in the middle of its head it makes no room
            except OSError:
                pass  # it was closed before
            return "cannot accept a connection" in self.told()

        wait_for(all_are_taken, "no descriptor is left", PATIENCE)
        self.assertEqual(self.get("/readyz", self.admin)[0], 200)
        silent = self.hold(self.admin, 20)  # more than are kept for the operator
        self.assertEqual(self.get("/readyz", self.admin)[0], 200)
        for connection in silent:
            connection.close()

    def test_no_connection_goes_for_an_operator_who_has_room(self):
        child = self.start(self.config(admin=", read_timeout: 10m"))

        def accepted():
            """Connections to the admin listener that a process has; those in the backlog have no inode."""
            rows = [row.split() for row in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]]
            return sum(row[1].endswith(f":{self.admin:04X}") and row[3] != "0A" and row[9] != "0" for row in rows)

        wait_for(lambda: accepted() == 0, "the connections of the start are over", PATIENCE)
        silent = self.hold(self.admin, 4)  # they have the descriptors that are kept for the operator
        wait_for(lambda: accepted() == 4, "they are accepted", PATIENCE)
        used = {int(number) for number in os.listdir(f"/proc/{child.pid}/fd")}
        second = [number for number in range(max(used) + 3) if number not in used][1]
        resource.prlimit(child.pid, resource.RLIMIT_NOFILE, (second, resource.prlimit(child.pid, resource.RLIMIT_NOFILE)[1]))
        for _ in range(5):
            self.assertEqual(self.get("/readyz", self.admin)[0], 200)
            wait_for(lambda: accepted() == 4, "its descriptor is free for the next one", PATIENCE)
        for connection in silent:
            connection.setblocking(False)
            with self.assertRaises(BlockingIOError, msg="it is open"):
                connection.recv(1)
            connection.close()

    def test_a_limit_without_descriptors_for_requests_is_refused_at_the_start(self):
        def start_with(most):
            return self.start(self.config(f"spool: {{ directory: \"{self.folder}\" }}\n", route=", queue: q"), wait=False,
                              limits=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
        child = start_with(20)
        self.assertEqual(child.wait(PATIENCE), 1)
        self.assertIn("a limit of 20 open files", self.told())
        least = int(re.search(r"to (\d+) at the very least", self.told()).group(1))
        self.assertEqual(start_with(least - 1).wait(PATIENCE), 1)
        child = start_with(least)
        wait_for(lambda: child.poll() is not None or answers(self.port, self.admin), "it listens", PATIENCE)
        for _ in range(5):
            self.assertEqual(self.get("/")[0], 200)
            self.assertEqual(self.get("/", method="POST", body=b"x" * 1_000_000)[0], 200, "its body needs a file")
            self.assertEqual(self.get("/readyz", self.admin)[0], 200)

    def test_idle_connections_are_closed_for_new_clients(self):
        few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 128))
        self.start(self.config(), limits=few)
        held = self.hold(self.port, 300)
        for _ in range(20):
            self.assertEqual(self.get("/")[0], 200, self.told())
        self.assertGreater(self.metric("ticketgate_connections_made_room_total"), 100)
        self.assertNotIn("cannot accept a connection", self.told())
        for connection in held:
            connection.close()

    def test_without_descriptors_accepting_pauses_and_does_not_spin(self):
        child = self.start(self.config())
        # The kernel takes connections before the process does.
        self.assertEqual(self.get("/")[0], 200)
        self.assertEqual(self.get("/readyz", self.admin)[0], 200)
        before = resource.prlimit(child.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(child.pid, resource.RLIMIT_NOFILE, (3, before[1]))
        self.hold(self.port, 1)
        self.hold(self.admin, 1)
        told = lambda what: sum(what in line for line in self.told().splitlines())
        wait_for(lambda: told("admin listener cannot accept") > 0, "it is told", PATIENCE)
        start, used = time.monotonic(), self.cpu_seconds(child)
        wait_for(lambda: told("admin listener cannot accept") > 2 and told("cannot accept a connection why") > 2,
                 "it is told again", PATIENCE)
        self.assertLess(self.cpu_seconds(child) - used, (time.monotonic() - start) / 4, "a thread spins")
        resource.prlimit(child.pid, resource.RLIMIT_NOFILE, before)
        self.assertEqual(self.get("/readyz", self.admin)[0], 200)
        self.assertEqual(self.get("/")[0], 200)

    @staticmethod
    def cpu_seconds(child):
        fields = pathlib.Path(f"/proc/{child.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # ── pipes and devices in place of files ──

    def test_check_refuses_a_pipe_or_device_in_place_of_a_file(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.make_certificate()
        for odd in (pipe, "/dev/zero", "/dev/tty"):
            for certificate, key, authority in ((odd, "key", "cert"), ("cert", odd, "cert"), ("cert", "key", odd)):
                tls = (f", tls: {{ certificates: [{{ certificate: {certificate}, key: {key} }}],"
                       f" client_ca: {authority}, client_auth: required }}")
                self.refuses(self.config(listen=tls), odd)
            self.refuses(self.config(route=f", on_full: {{ body_file: {odd} }}"), odd)
            self.refuses(self.config(f"id_service: {{ address: \"127.0.0.1:{free_port()}\", worker: 1,"
                                     f" token_file: {odd} }}\n"), odd)
        self.refuses(pipe, pipe)
        self.refuses("/dev/zero", "/dev/zero")

    def refuses(self, file, odd):
        got = self.check(file)
        self.assertEqual(got.returncode, 78, got.stderr)
        self.assertIn(str(odd), got.stderr)
        why = "No such device" if str(odd) == "/dev/tty" and "No such device" in got.stderr else "not a regular file"
        self.assertIn(why, got.stderr)

    def test_a_reload_refuses_a_pipe_in_place_of_a_file_and_does_not_block(self):
        page = self.folder / "page.html"
        page.write_text("busy")
        child = self.start(self.config(route=f", on_full: {{ body_file: {page} }}"))
        page.unlink()
        os.mkfifo(page)
        child.send_signal(signal.SIGHUP)
        wait_for(lambda: "not a regular file" in self.told(), "the reload is refused", PATIENCE)
        (self.folder / "c.yaml").unlink()
        os.mkfifo(self.folder / "c.yaml")
        child.send_signal(signal.SIGHUP)
        wait_for(lambda: "cannot read the file: not a regular file" in self.told(), "so is the pipe", PATIENCE)
        self.assertEqual(self.get("/readyz", self.admin)[0], 200, "the control thread is there")

    # ── logs ──

    def test_a_full_pipe_for_both_logs_delays_no_request(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        child = self.start(self.config(), stdout=writer, stderr=writer)
        os.close(writer)
        bad = f"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nX: {'x' * 500}\r\n\r\n".encode()

        def spoil():  # each request writes a line to both logs
            for _ in range(600):
                with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
                    connection.sendall(bad)
                    connection.recv(100)

        for _ in range(3):
            threads = [threading.Thread(target=spoil, daemon=True) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(PATIENCE)
                self.assertFalse(thread.is_alive(), "a loop waits for the reader of the logs")
        for _ in range(16):  # enough for both queues
            for _ in range(200):
                self.get("/" + "x" * 3000)
        self.assertEqual(self.get("/readyz", self.admin)[0], 200)
        self.assertGreater(self.metric('ticketgate_log_dropped_lines_total{log="access"}'), 0)
        text = b""
        while b"lost lines" not in text:
            self.assertTrue(select.select([reader], [], [], PATIENCE)[0], "it is told when it flows again")
            text += os.read(reader, 1 << 16)
        child.terminate()
        while piece := os.read(reader, 1 << 16):
            text += piece
        self.assertEqual(child.wait(PATIENCE), 0)
        for line in text.decode().splitlines():
            self.assertTrue(line.startswith(("{\"time\"", "20")), f"a torn line: {line[:200]}")

    def test_a_log_reader_that_never_reads_does_not_prevent_the_shutdown(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        child = self.start(self.config(), stdout=writer, stderr=writer)
        os.close(writer)
        for _ in range(50):
            self.get("/" + "x" * 3000)
        child.terminate()
        self.assertEqual(child.wait(PATIENCE), 0)


if __name__ == "__main__":
    OnItsMachine.ticketgate = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2, warnings="ignore")
