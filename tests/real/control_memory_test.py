#!/usr/bin/env python3
"""An allocation of the control thread fails in the middle of a stop, a drain or an upgrade, each time another one, or when a
worker dies or an operator asks. The stop is done all the same, after an upgrade one process serves, and no slot is lost.

Usage: control_memory_test.py TICKETGATE [unittest's options]
"""
import http.client
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import unittest

from failing_memory import WithFailingMemory
from machine import PATIENCE, OnItsMachine
from real_test import answers, free_port, wait_for

class ControlMemoryTest(WithFailingMemory, OnItsMachine):
    def fresh_ports(self):
        self.port, self.admin, self.ids = free_port(), free_port(), free_port()

    def start_with_library(self, file):
        (self.folder / "err").write_text("")
        self.memory.stop()
        return self.start(file, env={**os.environ, **self.environment()})

    def begin(self, more=""):
        self.fresh_ports()
        self.sink.answers.set()
        # The queue's name needs memory wherever it is copied.
        child = self.start_with_library(self.config(
            f"threads: 1\n{more}id_service: {{ address: \"127.0.0.1:{self.ids}\", worker: 1 }}\n",
            route=", queue: more_than_a_short_string"))
        self.assertEqual(self.get("/livez", self.admin)[0], 200)  # its start is over
        return child

    def hold(self):
        """A client whose request runs at the backend."""
        self.sink.answers.clear()
        running = self.sink.running
        client = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        self.addCleanup(client.close)
        client.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        wait_for(lambda: self.sink.running > running, "the request runs", PATIENCE)
        return client

    def sweep(self, run, most=100, whole=True, step=1):
        """Runs with each allocation failing once. `whole`: until a run needs no more of them; else `most` of them, as
        what the test asks needs some, too."""
        failed = 0
        for passes in range(0, most, step):
            with self.subTest(passes=passes):
                run(passes)
            if whole and self.memory.failed == 0:
                self.assertGreater(passes, 0, "none has failed")
                return
            failed += self.memory.failed
        self.assertFalse(whole, f"more than {most} allocations")
        self.assertGreater(failed, most // step // 2, "few have failed")

    def ends(self, child):
        try:
            self.assertEqual(child.wait(PATIENCE), 0, self.told())
        except subprocess.TimeoutExpired:
            self.fail(f"it does not end:\n{self.told()}")

    def comes(self, event, what):
        try:
            wait_for(event, what, PATIENCE)
        except AssertionError as late:
            self.fail(f"{late}\n{self.told()}")

    # ── the end ──

    def test_a_stop_ends_an_idle_process(self):
        def run(passes):
            child = self.begin()
            self.memory.fail(child.pid, passes)
            child.terminate()
            self.ends(child)
        self.sweep(run)

    def test_a_stop_ends_beside_an_idle_client_of_the_operator(self):
        def run(passes):
            child = self.begin()
            client = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=PATIENCE)
            self.addCleanup(client.close)
            client.request("GET", "/livez")
            self.assertEqual(client.getresponse().read(), self.get("/livez", self.admin)[1])
            self.memory.fail(child.pid, passes)
            child.terminate()
            self.ends(child)
        self.sweep(run)

    def test_a_drain_refuses_clients_and_ends_in_time(self):
        def run(passes):
            child = self.begin("drain_timeout: 300ms\n")
            self.hold()
            self.memory.fail(child.pid, passes)
            child.terminate()
            self.comes(lambda: child.poll() is not None or not answers(self.port), "no client is accepted")
            self.ends(child)
            self.sink.answers.set()
        self.sweep(run)

    def test_a_second_signal_cuts_what_runs(self):
        def run(passes):
            child = self.begin("drain_timeout: 1h\n")
            self.hold()
            child.terminate()
            self.tells("draining")
            self.memory.fail(child.pid, passes)
            child.terminate()
            self.ends(child)
            self.sink.answers.set()
        self.sweep(run)

    # ── a reload ──

    def test_a_reload_that_fails_leaves_nothing_of_its_queues_behind(self):
        child = self.begin()
        config = (self.folder / "c.yaml").read_text()

        def run(passes):
            reloads = self.told().count("config loaded")
            (self.folder / "c.yaml").write_text(config.replace("more_than_a_short_string", f"a_queue_of_reload_{passes}"))
            self.memory.fail(child.pid, passes)
            child.send_signal(signal.SIGHUP)
            self.comes(lambda: self.memory.failed or self.told().count("config loaded") > reloads, "it is read")
            self.memory.stop()
            self.assertEqual(self.get("/metrics", self.admin)[0], 200)
            self.assertIsNone(child.poll(), self.told())
        self.sweep(run, 4000, step=23)
        child.terminate()
        self.ends(child)

    # ── the operator ──

    def test_an_operators_request_does_not_end_the_process(self):
        child = self.begin()
        for path in ("/queues", "/status"):
            def run(passes):
                self.memory.fail(child.pid, passes, 12)
                try:
                    self.get(path, self.admin)
                except (OSError, http.client.HTTPException):
                    pass
                self.comes(lambda: self.serves("/livez", self.admin), "the operator is answered")
                self.assertIsNone(child.poll(), self.told())
            with self.subTest(path=path):
                self.sweep(run, 400)
        child.terminate()
        self.ends(child)

    # ── workers ──

    def workers(self):
        self.fresh_ports()
        (self.folder / "a.php").write_text("<?php echo 'ok';")
        file = self.folder / "c.yaml"
        file.write_text(
            f"listen: [{{ address: \"127.0.0.1:{self.port}\" }}]\n"
            f"admin: {{ address: \"127.0.0.1:{self.admin}\" }}\n"
            f"upstreams: {{ app: {{ workers: {{ command: [php-cgi8.2, -n], min: 1, max: 1, start_timeout: 1h }}, "
            f"fastcgi: {{ root: {self.folder} }} }} }}\n"
            f"routes: [{{ prefix: /, upstream: app, queue: q }}]\nthreads: 1\n"
            f"spool: {{ directory: {self.folder} }}\n")
        child = self.start_with_library(file)
        self.comes(lambda: self.serves("/a.php"), "the worker answers")
        return child

    def test_a_worker_that_dies_is_replaced(self):
        def run(passes):
            child = self.workers()
            self.memory.fail(child.pid, passes)
            for worker in self.children(child):
                os.kill(worker, signal.SIGKILL)
            self.comes(lambda: self.serves("/a.php"), "another one answers")
            left = self.children(child)
            self.assertEqual(len(left), 1, "max: 1")
            child.terminate()
            self.ends(child)
            self.comes(lambda: not self.lives(left[0]), "it ends with ticketgate")
        self.sweep(run, 120, step=2, whole=False)

    def begin_endless(self, child, with_job):
        """A script that runs until its worker dies, and leaves a job behind that holds the worker's pipe, or none."""
        begun, job = self.folder / "begun", self.folder / "job"
        begun.unlink(missing_ok=True)
        start_job = f"shell_exec(\"setsid sh -c 'echo \\$\\$ > {job}; exec sleep 1000' >&2 &\");" if with_job else ""
        (self.folder / "endless.php").write_text(
            f"<?php {start_job} file_put_contents('{begun}', 'x'); while (true) {{ sleep(1); }}")
        client = socket.create_connection(("127.0.0.1", self.port), PATIENCE)
        self.addCleanup(client.close)
        client.sendall(b"GET /endless.php HTTP/1.1\r\nHost: a\r\n\r\n")
        wait_for(lambda: begun.exists() and (not with_job or job.exists() and job.read_text().strip()), "it runs", PATIENCE)
        if with_job:
            self.addCleanup(os.kill, int(job.read_text()), signal.SIGKILL)
            job.unlink()

    def test_a_worker_that_dies_with_its_request_gives_its_slot_back(self):
        for with_job in (False, True):
            def run(passes):
                child = self.workers()
                self.begin_endless(child, with_job)
                self.memory.fail(child.pid, passes)
                for worker in self.children(child):
                    os.kill(worker, signal.SIGKILL)
                self.comes(lambda: self.serves("/a.php"), "the next request has the slot")
                self.assertEqual(self.metric("ticketgate_exclusion_violations_total"), 0)
                child.terminate()
                self.ends(child)
            with self.subTest(with_job=with_job):
                self.sweep(run, 10, whole=False)

    def test_a_stop_ends_the_workers(self):
        def run(passes):
            child = self.workers()
            left = self.children(child)
            self.memory.fail(child.pid, passes)
            child.terminate()
            self.ends(child)
            self.comes(lambda: not any(map(self.lives, left)), "they end")
        self.sweep(run)

    # ── an upgrade ──

    @staticmethod
    def children(child):
        try:
            return [int(pid) for pid in pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()]
        except OSError:
            return []

    def successor(self, child):
        wait_for(lambda: self.children(child), "a new process starts", PATIENCE)
        new = self.children(child)[0]
        self.tells("this process accepts")
        return new

    def serves_on(self):
        self.comes(self.serves, "it serves")
        self.comes(lambda: self.serves("/livez", self.admin), "the operator is answered")
        self.comes(lambda: answers(self.ids), "the id service is there")

    def end_all(self, child, new=None):
        if child.poll() is None:
            child.terminate()
            self.ends(child)
        if new and self.lives(new):  # no child of this test
            os.kill(new, signal.SIGTERM)
            wait_for(lambda: not self.lives(new), "the new process ends", PATIENCE)

    @staticmethod
    def lives(pid):
        """A killed process whose first thread has ended may have others that still hold its descriptors."""
        try:
            state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
            return state != "Z" or len(list(pathlib.Path(f"/proc/{pid}/task").iterdir())) > 1
        except OSError:
            return False

    def test_after_an_upgrade_one_of_the_two_processes_serves(self):
        def run(passes):
            child, new = self.begin(), []
            self.memory.fail(child.pid, passes)
            child.send_signal(signal.SIGUSR2)

            def over():
                new.extend(self.children(child))
                if child.poll() is not None or new and not self.children(child) and self.serves("/livez", self.admin):
                    return True
                # The control thread answers behind what the signal asked for.
                return self.memory.failed and not new and self.serves("/livez", self.admin) and not self.children(child)
            self.comes(over, "the upgrade ends")
            if child.poll() is not None:
                self.assertEqual(child.poll(), 0, self.told())
            self.serves_on()
            self.end_all(child, new and new[0])
        self.sweep(run, 300)

    def test_the_old_process_accepts_again_when_the_new_one_is_killed(self):
        def run(passes):
            child = self.begin()
            client = self.hold()
            child.send_signal(signal.SIGUSR2)
            new = self.successor(child)
            self.memory.fail(child.pid, passes)
            os.kill(new, signal.SIGKILL)
            wait_for(lambda: not self.lives(new), "it is dead", PATIENCE)  # or the old one may end first
            self.sink.answers.set()
            self.assertIn(b" 200 ", client.makefile("rb").readline())
            self.serves_on()
            self.end_all(child)
        self.sweep(run, 24, whole=False)

    def test_a_queue_passes_on_to_the_new_process(self):
        for side in ("old", "new"):
            def run(passes):
                child = self.begin()
                client = self.hold()
                child.send_signal(signal.SIGUSR2)
                new = self.successor(child)
                self.memory.fail(child.pid if side == "old" else new, passes)
                waits = threading.Thread(target=self.ask, daemon=True)
                waits.start()
                self.sink.answers.set()
                self.assertIn(b" 200 ", client.makefile("rb").readline())
                waits.join(PATIENCE)
                self.assertEqual(self.status, 200, self.told())
                self.ends(child)
                self.serves_on()
                self.end_all(child, new)
            with self.subTest(side=side):
                self.sweep(run, 16, whole=False)

    def ask(self):
        self.status = None
        try:
            self.status = self.get("/")[0]
        except (OSError, http.client.HTTPException) as why:
            self.status = why


if __name__ == "__main__":
    OnItsMachine.ticketgate = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2, warnings="ignore")
