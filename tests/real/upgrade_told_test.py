#!/usr/bin/env python3
"""What the command, the admin listener and the metrics tell of an upgrade is so.

Usage: upgrade_told_test.py TICKETGATE [unittest's options]
"""
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

import upgrade_test
from real_test import Listening, Process, answers, close_door, free_port, wait_for


class Closing(Listening):
    """Closes its first connection without an answer, and answers on the others as a process that is ready."""

    def __init__(self):
        super().__init__()
        self.asked = 0
        self.start()

    def serve(self, connection):
        with connection:
            connection.recv(65536)
            self.asked += 1
            if self.asked > 1:
                connection.sendall(b"HTTP/1.1 200 OK\r\nTicketgate-Admin: 1\r\nContent-Length: 3\r\n\r\nok\n")


class Relay(Listening):
    """Gives the request of each new connection to the next socket of a list, after a function has waited for the right time."""

    def __init__(self, along):
        super().__init__()
        self.along = iter(along)
        self.start()

    def serve(self, connection):
        with connection:
            onward, wait = next(self.along, (None, None))
            if onward is None:
                return
            wait()
            onward.sendall(connection.recv(65536))
            with contextlib.suppress(OSError):  # the test has ended
                while piece := onward.recv(65536):
                    connection.sendall(piece)


class Told(upgrade_test.Upgrade):
    def admin_at(self, port):
        """Writes the file with another admin listener; None: with none."""
        text = re.sub(r"admin: .*", "admin: off" if port is None else f'admin: {{ address: "127.0.0.1:{port}" }}', self.config())
        self.file.write_text(text)
        return f"127.0.0.1:{port}"

    def metric(self, name, at):
        connection = http.client.HTTPConnection(at, timeout=upgrade_test.PATIENCE)
        connection.request("GET", "/metrics")
        lines = connection.getresponse().read().decode().splitlines()
        connection.close()
        return float(next((line for line in lines if line.startswith(name)), "0 0").rsplit(" ", 1)[1])

    # ── the command ──

    def test_the_command_finds_the_new_process_at_another_admin_address(self):
        self.start()
        place = f"unix:{self.admin}"
        for wait in ((), ("--wait",), ()):
            # The old process may end before the command has asked it once more.
            next_place = self.admin_at(free_port())
            done = self.command("upgrade", "--admin", place, *wait)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            pid = int(re.search(r"process (\d+) has taken over", done.stdout)[1])
            self.pids.append(pid)
            self.assertIn(f"its admin listener is {next_place}\n", done.stdout)
            self.assertEqual(done.stderr, "")
            place = next_place
            wait_for(lambda at=place: not self.asked(at)["old_process"], "the old process ends")

    def test_the_command_finds_it_though_the_old_process_passes_the_question_on(self):
        port = free_port()
        self.start_at(self.admin_at(port))
        held = self.hold_one()
        begins, asks = (socket.create_connection(("127.0.0.1", port), upgrade_test.PATIENCE) for _ in range(2))
        self.addCleanup(begins.close)
        self.addCleanup(asks.close)
        self.assertEqual(self.asked(f"127.0.0.1:{port}")["successor"], 0)  # so it has accepted those two

        def handed_over():
            wait_for(lambda: "this process accepts" in self.told(), "the new process has taken over")

        relay = Relay([(begins, lambda: None), (asks, handed_over)])
        self.addCleanup(close_door, relay.door)
        next_place = self.admin_at(free_port())
        done = self.command("upgrade", "--admin", f"127.0.0.1:{relay.port}")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        pid = int(re.search(r"process (\d+) has taken over", done.stdout)[1])
        self.pids.append(pid)
        self.assertIn(f"its admin listener is {next_place}\n", done.stdout)
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)

    def test_without_an_admin_listener_the_command_says_that_nobody_answers(self):
        old = self.start()
        self.admin_at(None)
        done = self.command("upgrade", "--admin", f"unix:{self.admin}")
        self.assertEqual(done.returncode, 1)
        new = re.fullmatch(rf"process (\d+) was started to take over from process {old}, but neither answers at "
                           rf"unix:{self.admin} any more; .* see its log: it says whether it accepts\n", done.stderr)
        self.assertTrue(new, done.stderr)
        self.pids.append(int(new[1]))
        self.assertIn("upgrade: this process accepts", self.told())

    # ── the admin listener and the metrics ──

    def test_the_pids_of_both_and_which_queues_the_old_one_has(self):
        place = f"127.0.0.1:{free_port()}"
        self.admin_at(int(place.split(":")[1]))
        old = self.start_at(place)
        held = self.hold_one()
        new = self.upgrade()
        self.assertEqual({**self.asked(place), "why": ""},
                         {"pid": new, "state": "none", "successor": 0, "old_process": True, "old_pid": old, "old_ended": "",
                          "why": ""})
        self.send("/a/waits")
        wait_for(lambda: self.metric('ticketgate_queue_waiting{queue="a"}', place) == 1, "it waits")
        self.assertEqual(self.metric('ticketgate_queue_in_old_process{queue="a"}', place), 1)
        wait_for(lambda: self.metric('ticketgate_queue_in_old_process{queue="b"}', place) == 0, "b has passed on")
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        wait_for(lambda: self.metric('ticketgate_queue_in_old_process{queue="a"}', place) == 0, "a has passed on")
        wait_for(lambda: self.ended(old), "the old process ends")
        wait_for(lambda: self.asked(place)["old_pid"] == 0, "it has no pid any more")

    def test_an_upgrade_is_no_restart_but_a_killed_process_is(self):
        place = f"127.0.0.1:{free_port()}"
        self.admin_at(int(place.split(":")[1]))
        self.start_at(place)
        begun, process = (self.metric(name, place) for name in ("ticketgate_line_start_time_seconds", "process_start_time_seconds"))
        self.assertLess(abs(begun - process), 5)
        for _ in range(2):
            self.upgrade("--wait")
            self.assertEqual(self.metric("ticketgate_line_start_time_seconds", place), begun)
            self.assertGreater(self.metric("process_start_time_seconds", place), process)
        self.hold_one()
        wait_for(lambda: time.time() >= begun + 1, "the next second")
        old = self.asked(place)["pid"]
        self.upgrade()
        os.kill(old, signal.SIGKILL)
        wait_for(lambda: self.metric("ticketgate_line_start_time_seconds", place) > begun, "its request was forgotten")

    def test_requests_of_a_new_process_that_is_killed_are_forgotten_too(self):
        """The old process still has a request of its own, so it takes the queue back."""
        place = self.admin_at(free_port())
        self.start_at(place)
        begun = self.metric("ticketgate_line_start_time_seconds", place)
        self.hold_one("/b/old", "b")
        new = self.upgrade()
        self.hold_one()
        wait_for(lambda: time.time() >= begun + 1, "the next second")
        os.kill(new, signal.SIGKILL)
        wait_for(lambda: "this one accepts again" in self.told(), "the old process notices")
        self.assertIn("it may have run requests of the queues that it had, and the backend may still run them queues_it_had=1 first=a",
                      self.told())
        self.assertGreater(self.metric("ticketgate_line_start_time_seconds", place), begun)

    def test_an_upgrade_that_cannot_be_started_has_failed(self):
        place = self.admin_at(free_port())
        program = self.folder / "ticketgate"
        shutil.copy(upgrade_test.TICKETGATE, program)
        self.start_at(place, program)
        for spoil in (program.unlink, lambda: program.write_text("no program"), program.unlink):
            spoil()
            done = self.command("upgrade")
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertEqual(self.metric("ticketgate_upgrade_last_successful", place), 0)
            told = self.asked(place)
            self.assertEqual(told["state"], "failed")
            self.assertRegex(told["why"], "no new process starts: .*(No such file|Permission denied)")
            self.assertIn("the last upgrade failed, and this process goes on: no new process starts: ", self.verbose(place))
        shutil.copy(upgrade_test.TICKETGATE, program)
        self.upgrade("--wait")
        self.assertEqual(self.metric("ticketgate_upgrade_last_successful", place), 1)

    def test_an_old_process_that_is_ended_has_not_finished_its_line(self):
        """A cut frees the slot, but the backend may still run the request."""
        for signals in ([signal.SIGTERM, signal.SIGTERM], [signal.SIGKILL]):
            with self.subTest(signals=signals):
                place = f"127.0.0.1:{free_port()}"
                self.admin_at(int(place.split(":")[1]))
                old = self.start_at(place)
                begun = self.metric("ticketgate_line_start_time_seconds", place)
                self.backend.begun.clear()
                self.hold_one()
                wait_for(lambda at=begun: time.time() >= at + 1, "the next second")
                before = len(self.told())
                told = subprocess.Popen([upgrade_test.TICKETGATE, "upgrade", "--wait", "-c", str(self.file)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.addCleanup(told.communicate)
                new = int(re.match(r"process (\d+) has taken over", told.stdout.readline())[1])
                self.pids.append(new)
                self.end(old, signals)
                out, error = told.communicate(timeout=upgrade_test.PATIENCE)
                self.assertEqual((told.returncode, out), (1, ""))
                self.assertIn("was ended before it had finished its line", error)
                self.assertEqual(self.asked(place)["old_ended"], "cut")
                self.assertIn("the old process ended with requests in its line", self.told()[before:])
                self.assertNotIn("the old process has finished its line", self.told()[before:])
                self.assertGreater(self.metric("ticketgate_line_start_time_seconds", place), begun)
                self.backend.release("a")
                self.end(new, [signal.SIGTERM])

    def test_what_the_old_process_refuses_and_breaks_is_counted_by_the_new_one(self):
        place = f"127.0.0.1:{free_port()}"
        self.admin_at(int(place.split(":")[1]))
        self.file.write_text(self.file.read_text().replace("queue: a ", "queue: a, wait_timeout: 3s ")
                             + "queues: { a: { hold_timeout: 10s, on_hold_timeout: release } }\n")
        old = self.start_at(place)
        late = [self.begin_late(), self.begin_late()]
        self.upgrade()
        self.backend.hold("a")
        rest = b"x\r\nContent-Length: 0\r\n\r\n"
        late[0].sendall(rest)
        wait_for(lambda: self.backend.runs("/a/late"), "it runs in the old process")
        late[1].sendall(rest)
        self.assertIn(b" 503 ", late[1].recv(4096))
        refused = 'ticketgate_queue_rejected_total{queue="a",reason="timeout"}'
        wait_for(lambda: self.metric(refused, place) == 1, "the new process counts who waited too long")
        violations = 'ticketgate_exclusion_violations_total{queue="a"}'
        self.assertEqual(self.metric(violations, place), 0)
        wait_for(lambda: self.metric(violations, place) == 1, "it counts a slot that was given away")
        self.backend.release("a")
        wait_for(lambda: self.ended(old), "the old process ends")
        self.assertEqual([self.metric(name, place) for name in (refused, violations)], [1, 1])

    def test_what_a_cut_refuses_is_counted_by_the_new_process(self):
        place = f"127.0.0.1:{free_port()}"
        self.admin_at(int(place.split(":")[1]))
        # The new config has the queue, or not.
        for away in (False, True):
            with self.subTest(away=away):
                old = self.start_at(place)
                self.backend.begun.clear()
                self.hold_one()
                self.send("/a/waits")
                wait_for(lambda: self.metric('ticketgate_queue_waiting{queue="a"}', place) == 1, "it waits")
                if away:
                    self.file.write_text(self.file.read_text().replace("queue: a ", "queue: c "))
                new = self.upgrade()
                self.end(old, [signal.SIGTERM, signal.SIGTERM])
                refused = 'ticketgate_queue_rejected_total{queue="a",reason="draining"}'
                wait_for(lambda name=refused: self.metric(name, place) == 1, "the new process counts it")
                self.backend.release("a")
                self.end(new, [signal.SIGTERM])

    def test_the_log_names_a_request_that_keeps_its_queue_in_the_old_process(self):
        old = self.start()
        held = self.hold_one()
        self.upgrade()
        named = "this request keeps its queue in the old process queue=a"
        wait_for(lambda: self.told().count(named) == 1, "after a while")
        self.assertIn("path=/a/old", next(line for line in self.told().splitlines() if named in line))
        os.kill(old, signal.SIGTERM)
        wait_for(lambda: self.told().count(named) == 2, "and at the drain")
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        wait_for(lambda: self.ended(old), "the old process ends")

    def end(self, pid, signals):
        drains = self.told().count(" draining ")
        for count, one in enumerate(signals, 1):
            os.kill(pid, one)
            if count < len(signals):
                wait_for(lambda: self.told().count(" draining ") > drains, "it drains")
        wait_for(lambda: self.ended(pid), "it has ended")

    def start_at(self, place, program=None):
        self.gate = Process([program or upgrade_test.TICKETGATE, "-c", str(self.file)], self.folder / "gate.log")
        self.addCleanup(self.gate.log.close)
        self.pids.append(self.gate.child.pid)
        wait_for(lambda: answers(int(place.split(":")[1])), "ticketgate listens")
        return self.gate.child.pid

    # ── connections to the admin listener that the old process has accepted ──

    def accepted(self, begun=()):
        """Returns connections with these bytes, which the running process has accepted: it has answered a later one."""
        connections = [self.connect(text) for text in begun]
        self.assertIn(b" 200 OK", self.ask_admin("/livez").recv(65536))
        return connections

    def connect(self, text):
        connection = socket.socket(socket.AF_UNIX)
        self.addCleanup(connection.close)
        connection.settimeout(upgrade_test.PATIENCE)
        connection.connect(str(self.admin))
        connection.sendall(text)
        return connection

    @staticmethod
    def rest(connection, text):
        connection.sendall(text)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
        return answer

    def test_a_connection_that_the_old_process_accepted_is_answered_by_the_new_one(self):
        self.start()
        self.hold_one()
        end = b"Host: localhost\r\nConnection: close\r\n\r\n"
        silent, begun, asks, pauses = self.accepted([b"", b"GET /readyz HTTP/1.1\r\n", b"", b""])
        new = self.upgrade()
        self.assertIn(b" 200 OK", self.rest(silent, b"GET /readyz HTTP/1.1\r\n" + end))
        self.assertIn(b" 200 OK", self.rest(begun, end))
        told = self.rest(asks, b"GET /api/v1/upgrade HTTP/1.1\r\n" + end)
        self.assertEqual(json.loads(told.split(b"\r\n\r\n")[1])["pid"], new)
        self.assertIn(b" 200 OK", self.rest(pauses, b"POST /api/v1/queues/b/pause HTTP/1.1\r\n" + end))
        self.assertTrue(self.queue("b")["paused"])
        self.backend.release("a")

    def test_a_drain_on_a_connection_that_the_old_process_accepted_drains_the_service(self):
        old = self.start()
        held = self.hold_one()
        drains, = self.accepted([b""])
        new = self.upgrade()
        answer = self.rest(drains, b"POST /api/v1/drain HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        self.assertIn(b" 202 ", answer)
        self.backend.release("a")
        self.assertEqual(self.status(held), 200)
        wait_for(lambda: self.ended(old) and self.ended(new), "both end")

    def test_an_action_that_is_not_whole_at_an_upgrade_does_nothing(self):
        self.start()
        self.hold_one()
        pauses, = self.accepted([b"POST /api/v1/queues/b/pause HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                                 b"Content-Length: 2\r\n\r\n"])
        self.assertIn(b" 100 ", pauses.recv(65536))
        self.upgrade()
        try:
            answer = self.rest(pauses, b"{}")
        except OSError:  # closed with this unread
            answer = b""
        self.assertEqual(answer, b"", "it ends without an answer")
        self.assertFalse(self.queue("b")["paused"])
        self.backend.release("a")

    def test_a_command_that_only_looks_asks_again_on_another_connection(self):
        for command, asked, code in (("healthcheck", 2, 0), ("drain", 1, 1)):
            with self.subTest(command):
                server = Closing()
                self.addCleanup(close_door, server.door)
                done = subprocess.run([upgrade_test.TICKETGATE, command, "--admin", f"127.0.0.1:{server.port}"],
                                      capture_output=True, text=True, timeout=upgrade_test.PATIENCE, check=False)
                self.assertEqual((done.returncode, server.asked), (code, asked), done.stderr)
                self.assertEqual("it is not known whether it did" in done.stderr, code == 1)

    def verbose(self, place):
        connection = http.client.HTTPConnection(place, timeout=upgrade_test.PATIENCE)
        connection.request("GET", "/readyz?verbose")
        try:
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    def asked(self, place):
        connection = http.client.HTTPConnection(place, timeout=upgrade_test.PATIENCE)
        connection.request("GET", "/api/v1/upgrade")
        try:
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()


def load_tests(_loader, _tests, _pattern):
    """Those of this file, not those of the class that it takes the rest from."""
    return unittest.TestSuite(Told(name) for name in vars(Told) if name.startswith("test_"))


if __name__ == "__main__":
    upgrade_test.TICKETGATE = sys.argv.pop(1)
    unittest.main()
