#!/usr/bin/env python3
"""ticketgate with workers of its own: the shipped config/workers.yaml with Debian's php-cgi.

Usage: workers_test.py TICKETGATE [-k PATTERN]. Skipped where php-cgi is not installed.
"""
import concurrent.futures
import hashlib
import http.client
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import real_test
from real_test import Process, answers, free_port, wait_for
from slow_disk import SlowDisk

SHIPPED = pathlib.Path(real_test.__file__).parents[2] / "config" / "workers.yaml"

SCRIPTS = {
    "index.php": "<?php echo getmypid(), ' ', $_SERVER['UNIQUE_ID'], ' ', $_SERVER['REQUEST_URI'], ' ', $_SERVER['PATH_INFO'] ?? '';",
    # Loses updates where two run at once.
    "count.php": "<?php $f = getenv('STATE'); $n = (int)file_get_contents($f); usleep(1000); file_put_contents($f, $n + 1);",
    # Runs on behind its answer.
    "late.php": "<?php ignore_user_abort(true); header('Content-Length: 2'); echo 'ok'; flush();"
                " $f = getenv('STATE'); $n = (int)file_get_contents($f); usleep(20000); file_put_contents($f, $n + 1);",
    "sum.php": "<?php echo md5_file('php://input');",
    "die.php": "<?php posix_kill(posix_getpid(), 9);",
    "leak.php": "<?php ini_set('memory_limit', -1); $s = str_repeat('x', 1 << 30); echo strlen($s);",
    "error.php": "<?php error_log('from the script'); fwrite(fopen('php://stderr', 'w'), \"to stderr\\n\");",
    "caller.php": "<?php echo 'outer ', file_get_contents('http://' . $_SERVER['HTTP_HOST'] . '/inner.php');",
    "inner.php": "<?php echo 'inner';",
    "forks.php": "<?php $p = pcntl_fork(); while ($p === 0) sleep(1); file_put_contents(getenv('STATE'), $p);"
                 " posix_kill(posix_getpid(), 9);",
    "picture.jpg": "<?php echo 'a picture that runs';",
}


def state_of(pid):
    """The letter that /proc has for a process, or `gone`; it may go while it is looked at."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    except OSError:
        return "gone"


@unittest.skipUnless(shutil.which("php-cgi"), "php-cgi is not installed")
class Workers(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="ticketgate-workers-")
        self.folder = pathlib.Path(self.temporary.name)
        root = self.folder / "www"
        root.mkdir()
        for name, text in SCRIPTS.items():
            (root / name).write_text(text)
        self.state = self.folder / "state"
        self.state.write_text("0")
        self.port, self.admin = free_port(), free_port()
        self.gate = None

    def tearDown(self):
        if self.gate:
            self.gate.stop()
        self.temporary.cleanup()

    def start(self, change=lambda text: text):
        config = self.folder / "workers.yaml"
        config.write_text(change(SHIPPED.read_text()))
        self.gate = Process([real_test.TICKETGATE, "-c", str(config)], self.folder / "log",
                            {"LISTEN": f"127.0.0.1:{self.port}", "ADMIN": f"127.0.0.1:{self.admin}",
                             "DOCUMENT_ROOT": str(self.folder / "www"), "STATE": str(self.state), "HIDDEN": "x"})
        wait_for(lambda: answers(self.port, self.admin), "ticketgate listens")

    def ask(self, path, method="GET", body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(method, path, body)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, answer.headers

    def workers(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=60)
        connection.request("GET", "/api/v1/workers")
        found = json.loads(connection.getresponse().read())["workers"]
        connection.close()
        return found

    def together(self, tasks, at_once=16):
        with concurrent.futures.ThreadPoolExecutor(at_once) as threads:
            return list(threads.map(lambda task: task(), tasks))

    def test_the_shipped_file_serves_php(self):
        self.start()
        status, text, headers = self.ask("/any/page?x=1")
        self.assertEqual(status, 200)
        pid, unique, uri, _ = text.split(" ")
        self.assertEqual((unique, uri), (headers["UNIQUE_ID"], "/any/page?x=1"))
        self.assertIn(int(pid), [worker["pid"] for worker in self.workers()])
        self.assertEqual(self.ask("/index.php/rest")[1].split(" ")[3], "/rest")
        body = os.urandom(3_000_000)
        self.assertEqual(self.ask("/sum.php", "POST", body)[1], hashlib.md5(body).hexdigest())

    def test_an_uploaded_picture_does_not_run(self):
        self.start()
        for path in ("/picture.jpg", "/picture.jpg/x.php", "/picture.jpg/index.php"):
            self.assertNotIn("runs", self.ask(path)[1], path)

    def test_no_update_is_lost(self):
        self.start()
        got = self.together([lambda: self.ask("/count.php", "POST", "")[0]] * 200)
        self.assertEqual(got, [200] * 200)
        self.assertEqual(self.state.read_text(), "200")

    def test_no_update_is_lost_behind_an_answer_that_ends_early(self):
        self.start()
        got = self.together([lambda: self.ask("/late.php", "POST", "")[1]] * 40)
        self.assertEqual(got, ["ok"] * 40)
        wait_for(lambda: self.state.read_text() == "40", "the last script")

    def test_a_worker_that_is_killed_loses_only_its_request(self):
        self.start()
        got = self.together([lambda n=n: self.ask("/die.php" if n % 10 == 0 else "/count.php", "POST", "")[0]
                                 for n in range(100)])
        self.assertEqual([a for n, a in enumerate(got) if n % 10 == 0], [502] * 10)
        self.assertEqual([a for n, a in enumerate(got) if n % 10 != 0], [200] * 90)
        self.assertEqual(self.state.read_text(), "90")

    def test_the_log_says_that_a_worker_died_with_its_request(self):
        self.start()
        request_id = self.ask("/die.php", "POST", "")[2]["X-Request-Id"]

        def lines():
            return [line for line in (self.folder / "log").read_text().splitlines() if request_id in line]
        wait_for(lambda: any("a worker has died with its request" in line for line in lines()), "the line")
        self.assertFalse([line for line in lines() if "resolved" in line])

    def test_workers_that_have_ended_while_they_were_idle_get_no_request(self):
        self.start(lambda text: text.replace("min: 1", "min: 2").replace("max: auto", "max: 2"))
        for n in range(15):
            self.assertEqual(self.ask("/count.php", "POST", "")[0], 200)
            for worker in self.workers():
                if worker["state"] == "idle":
                    process = os.pidfd_open(worker["pid"])
                    os.kill(worker["pid"], signal.SIGKILL)
                    self.assertTrue(select.select([process], [], [], 60)[0], "it ends")
                    os.close(process)
            self.assertEqual(self.ask("/count.php", "POST", "")[0], 200, n)
        self.assertEqual(self.state.read_text(), "30")

    def test_workers_that_die_while_they_are_idle_end_nothing_else(self):
        self.start(lambda text: text.replace("min: 1", "min: 8").replace("max: auto", "max: 8"))
        def idle():
            return [w["pid"] for w in self.workers() if w["state"] == "idle"]
        for _ in range(10):
            wait_for(lambda: len(idle()) == 8, "eight workers")
            killed = idle()
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
            wait_for(lambda: not set(killed) & {w["pid"] for w in self.workers()}, "their end")
            self.assertEqual(self.ask("/count.php", "POST", "")[0], 200)

    def test_what_a_dead_worker_left_ends_before_the_next_request(self):
        self.start()
        self.assertEqual(self.ask("/forks.php", "POST", "")[0], 502)
        self.assertEqual(self.ask("/index.php", "POST", "")[0], 200)
        self.assertIn(state_of(self.state.read_text()), ("gone", "Z"))

    def test_workers_behind_a_shell_leave_nothing(self):
        self.start(lambda text: text.replace('command: ["${PHP_CGI:-php-cgi}", -d, cgi.fix_pathinfo=0]',
                                             "command: [sh, -c, 'php-cgi; true']").replace("max_requests: 1000",
                                                                                           "max_requests: 2"))
        pids = {self.ask("/index.php", "POST", "")[1].split(" ")[0] for _ in range(8)}
        self.gate.stop()
        wait_for(lambda: not any(pathlib.Path(f"/proc/{pid}").exists() for pid in pids), "their end")

    def test_a_call_from_inside_finds_a_worker(self):
        self.start(lambda text: text.replace("skip_methods: [GET, HEAD, OPTIONS]", "inside_calls: pass_any") +
                                "clients: { inside: [127.0.0.1] }\n")
        self.assertEqual(self.ask("/caller.php", "POST", "")[:2], (200, "outer inner"))

    def test_workers_are_replaced_under_load_without_a_loss(self):
        self.start(lambda text: text.replace("max_requests: 1000", "max_requests: 7"))
        got = self.together([lambda n=n: self.ask("/" if n % 2 else "/count.php", "GET" if n % 2 else "POST",
                                                      None if n % 2 else "")[0] for n in range(300)])
        self.assertEqual(got, [200] * 300)
        self.assertEqual(self.state.read_text(), "150")

    def test_their_output_is_in_the_log_with_the_request(self):
        self.start()
        request_id = self.ask("/error.php", "POST", "")[2]["X-Request-Id"]
        def told():
            lines = (self.folder / "log").read_text().splitlines()
            return [line for line in lines if request_id in line and "from the script" in line]
        wait_for(told, "the line")

    def test_they_end_when_ticketgate_is_killed(self):
        self.start()
        self.ask("/")
        pids = [worker["pid"] for worker in self.workers()]
        self.gate.child.kill()
        self.gate.child.wait()
        for pid in pids:
            wait_for(lambda: state_of(pid) in ("gone", "Z"), f"the end of worker {pid}")
        self.gate = None

    def test_a_second_signal_ends_one_that_works_at_once(self):
        self.start(lambda text: text.replace("      max_requests", "      stop_timeout: 10m\n      max_requests"))
        (self.folder / "www/works.php").write_text("<?php touch(getenv('STATE') . '.works'); while (true) usleep(1000);")
        with concurrent.futures.ThreadPoolExecutor(1) as threads:
            asked = threads.submit(self.ask, "/works.php")
            wait_for(pathlib.Path(f"{self.state}.works").exists, "the script works")
            self.gate.child.terminate()
            wait_for(lambda: "draining" in (self.folder / "log").read_text(), "the drain")
            self.gate.child.terminate()
            self.assertEqual(self.gate.child.wait(60), 0)
            self.assertEqual(asked.result()[0], 502)
        self.gate = None

    def start_with(self, script, more=""):
        """The command is a shell script."""
        (self.folder / "worker.sh").write_text(f"#!/bin/sh\n{script}\n")
        command = f"[/bin/sh, {self.folder}/worker.sh]"
        self.start(lambda text: text.replace('["${PHP_CGI:-php-cgi}", -d, cgi.fix_pathinfo=0]', command)
                   .replace("      min: 1\n", "" if "min:" in more else "      min: 1\n")
                   .replace("      max_requests", f"      stop_timeout: 10m\n{more}      max_requests"))

    # Its requests said nothing of the starts, but ended the pauses between them.
    def test_a_worker_that_serves_does_not_hide_that_others_cannot_start(self):
        begin = time.monotonic()
        self.start_with('mkdir "$STATE.one" 2>/dev/null || exit 3\nexec php-cgi -d cgi.fix_pathinfo=0', "      min: 2\n")

        def failures():
            self.assertEqual(self.ask("/")[0], 200)
            return (self.folder / "log").read_text().count("a worker has died")
        wait_for(lambda: failures() >= 4, "four starts have failed")
        self.assertGreaterEqual(time.monotonic() - begin, 0.1 + 0.2 + 0.4)

    def test_a_second_signal_ends_those_that_do_not_end(self):
        self.start_with("trap '' TERM\nphp-cgi -d cgi.fix_pathinfo=0\ntouch $STATE.left\nsleep 1000")
        self.ask("/")
        self.gate.child.terminate()
        wait_for(pathlib.Path(f"{self.state}.left").exists, "the worker is told to end")
        self.gate.child.terminate()
        self.assertEqual(self.gate.child.wait(60), 0)
        self.gate = None

    def test_what_they_write_while_they_end_is_read(self):
        self.start_with("trap '' TERM\nphp-cgi -d cgi.fix_pathinfo=0\n"
                        "head -c 300000 /dev/zero | tr '\\0' x >&2\ntouch $STATE.wrote")
        self.ask("/")
        self.gate.child.terminate()
        self.assertEqual(self.gate.child.wait(60), 0)
        self.assertTrue(pathlib.Path(f"{self.state}.wrote").exists())
        self.gate = None

    def test_a_disk_that_hangs_holds_up_only_the_start_of_a_worker(self):
        (self.folder / "disk").mkdir()
        script = b"#!/bin/sh\nexec php-cgi -d cgi.fix_pathinfo=0\n"
        try:
            disk = SlowDisk(self.folder / "disk", {"shut": script})
        except OSError as why:
            self.skipTest(f"a file system cannot be mounted here: {why}")
        try:
            self.start(lambda text: text.replace('["${PHP_CGI:-php-cgi}", -d, cgi.fix_pathinfo=0]',
                                                 f"[{self.folder}/disk/shut]"))
            wait_for(lambda: disk.waiting >= 1, "the program is opened")
            wait_for(lambda: answers(self.admin), "the admin listener answers")
            self.assertEqual([worker["state"] for worker in self.workers()], ["starting"])
            disk.release()
            self.assertEqual(self.ask("/")[0], 200)
        finally:
            disk.stop()

    def test_a_deployment_that_moves_a_link_is_seen(self):
        for release in ("one", "two"):
            (self.folder / release).mkdir()
            (self.folder / release / "index.php").write_text(f"<?php echo '{release} ', $_SERVER['DOCUMENT_ROOT'];")
        link = self.folder / "current"
        link.symlink_to("one")
        self.start(lambda text: text.replace('root: "${DOCUMENT_ROOT:-/var/www/html}"',
                                             f'root: "{link}"\n      resolve_root: true'))
        self.assertEqual(self.ask("/")[1], f"one {self.folder.resolve()}/one")
        (self.folder / "next").symlink_to("two")
        (self.folder / "next").rename(link)
        wait_for(lambda: self.ask("/")[1] == f"two {self.folder.resolve()}/two", "the new release")

    def test_a_script_cannot_read_the_tokens_that_the_config_takes_from_the_environment(self):
        (self.folder / "www/env.php").write_text("<?php echo json_encode(getenv());")
        self.start(lambda text: text.replace("admin:\n", 'admin:\n  token: "${STATE}"\n') +
                                'tracing: { endpoint: "http://127.0.0.1:9", headers: { a: "${ADMIN}" } }\n')
        seen = json.loads(self.ask("/env.php")[1])
        self.assertEqual([name in seen for name in ("LISTEN", "DOCUMENT_ROOT", "STATE", "ADMIN")],
                         [True, True, False, False])
        text = (self.folder / "workers.yaml").read_text()
        (self.folder / "workers.yaml").write_text(text.replace('token: "${STATE}"', 'token: "${HIDDEN}"'))
        self.gate.child.send_signal(signal.SIGHUP)
        wait_for(lambda: "HIDDEN" not in json.loads(self.ask("/env.php")[1]), "workers of the new config")
        self.assertIn("STATE", json.loads(self.ask("/env.php")[1]))

    def test_a_limit_of_memory_ends_one_request(self):
        self.start(lambda text: text.replace("      max_requests", "      rlimits: { as: 400MiB }\n      max_requests"))
        self.assertGreaterEqual(self.ask("/leak.php", "POST", "")[0], 500)
        self.assertEqual(self.ask("/", "POST", "")[0], 200)

    def test_a_program_that_is_missing_is_told(self):
        config = self.folder / "workers.yaml"
        config.write_text(SHIPPED.read_text().replace("${PHP_CGI:-php-cgi}", "php-cgo"))
        done = subprocess.run([real_test.TICKETGATE, "check", "-c", str(config)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 78)
        self.assertIn("upstreams.php.workers.command: there is no program php-cgo in PATH; for PHP, install php-cgi",
                      done.stderr)


if __name__ == "__main__":
    real_test.TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
