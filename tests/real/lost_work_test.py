#!/usr/bin/env python3
"""A replica of a cluster is killed while its requests are in php-fpm. With `release: worker_idle` php-fpm's status shows
when they have ended, and the queue goes on without an operator: lost_work_test.py TICKETGATE. Skipped without php-fpm or
etcd."""
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import unittest

from cluster import PATIENCE, Etcd, Replica, get
from real_test import Fpm, wait_for

TICKETGATE = None
NOT_FOUND = -1
# Each run writes its name at its beginning and at its end; with `until` it waits between the two for the test.
SCRIPT = """<?php
$log = getenv('STATE') . '.log';
$write = fn($text) => file_put_contents($log, $text . "\\n", FILE_APPEND);
$write('begin ' . $_GET['name']);
while (isset($_GET['until']) && !file_exists(getenv('STATE') . '.' . $_GET['until'])) { usleep(2000); clearstatcache(); }
$write('end ' . $_GET['name']);
echo 'ok';
"""


class TwoWorkers(Fpm):
    children = 2


class LostWork(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ticketgate-lost-")
        self.addCleanup(folder.cleanup)
        backend = pathlib.Path(folder.name) / "b"
        backend.mkdir()
        pathlib.Path(folder.name).chmod(0o777)
        self.fpm = TwoWorkers(backend)
        self.addCleanup(self.fpm.stop)
        for name in ("work.php", "free.php"):
            (self.fpm.root / name).write_text(SCRIPT)
        self.log = pathlib.Path(f"{self.fpm.state}.log")
        self.log.touch()
        self.log.chmod(0o666)
        self.store = Etcd()
        self.addCleanup(self.store.end)
        self.a, self.b = (self.replica(name) for name in "ab")
        self.assertEqual(self.a.command("cluster", "init")[0], 0)
        self.a.start()
        self.assertEqual(self.a.request("/work.php?name=first")[0], 200)
        self.b.start()
        self.assertEqual(self.b.request("/work.php?name=second")[0], 200)

    def replica(self, name):
        made = Replica(TICKETGATE, name, self.store, "UPSTREAM")
        text = made.file.read_text()
        for before, after in (('{ url: "UPSTREAM" }', self.fpm.upstream()),
                              ("hold_timeout: never", "hold_timeout: never, release: worker_idle"),
                              ("routes: [", "routes: [{ prefix: /free.php, upstream: app, queue: off }, ")):
            self.assertIn(before, text)
            text = text.replace(before, after)
        made.file.write_text(text)
        self.addCleanup(made.end)
        return made

    def reload(self):
        before = len((self.b.folder / "log").read_text())
        self.b.child.send_signal(signal.SIGHUP)
        wait_for(lambda: "config loaded" in (self.b.folder / "log").read_text()[before:], "the reload", PATIENCE)

    def send(self, replica, path):
        """Its status, when the thread that is returned has ended; null: its connection ended before."""
        found = []

        def work():
            try:
                found.append(replica.request(path)[0])
            except Exception:
                found.append(None)

        thread = threading.Thread(target=work)
        thread.start()
        self.addCleanup(thread.join, PATIENCE)
        return thread, found

    def lines(self):
        return self.log.read_text().splitlines()

    def wait_for_line(self, line):
        wait_for(lambda: line in self.lines(), line, PATIENCE)

    def let_go(self, name):
        pathlib.Path(f"{self.fpm.state}.{name}").touch()

    def wait_until_asked(self):
        wait_for(lambda: "php-fpm is asked" in (self.b.folder / "log").read_text(), "php-fpm is asked", PATIENCE)

    def metric(self, series):
        for line in get(self.b.admin, "/metrics")[1].splitlines():
            if line.startswith(series + " "):
                return float(line.rpartition(" ")[2])
        return NOT_FOUND

    def stands_for(self, seconds):
        """The queue stands for so much longer; php-fpm is asked five times a second meanwhile."""
        begun = self.settling()
        wait_for(lambda: self.settling() >= begun + seconds, "the queue stands", PATIENCE)

    def settling(self):
        return self.metric('ticketgate_queue_settling_seconds{queue="app"}')

    def check_end(self, waits, found):
        waits.join(PATIENCE)
        self.assertEqual(found, [200])
        self.assertEqual(self.metric('ticketgate_queue_settled_total{by="worker_idle",queue="app"}'), 1)
        self.assertEqual(self.metric('ticketgate_exclusion_violations_total{queue="app"}'), 0)

    def lose_a_script(self):
        """It runs on while its replica is killed. Returns the request that waits for its end, once php-fpm is asked."""
        self.send(self.a, "/work.php?name=lost&until=ended")
        self.wait_for_line("begin lost")
        self.a.kill()
        next_one = self.send(self.b, "/work.php?name=next")
        self.wait_until_asked()
        return next_one

    def test_the_queue_goes_on_when_the_script_has_ended(self):
        waits, found = self.lose_a_script()
        self.stands_for(3)
        self.assertNotIn("begin next", self.lines())
        self.let_go("ended")
        self.check_end(waits, found)
        self.assertEqual(self.lines()[-4:], ["begin lost", "end lost", "begin next", "end next"])

    def test_what_waits_in_the_listen_queue_of_php_fpm_runs_first(self):
        for name in ("x", "y"):
            self.send(self.a, f"/free.php?name={name}&until=free")
            self.wait_for_line(f"begin {name}")
        self.send(self.a, "/work.php?name=lost&until=ended")
        wait_for(lambda: self.a.tickets()["in_flight"] == 1, "it is sent", PATIENCE)
        self.a.kill()
        waits, found = self.send(self.b, "/work.php?name=next")
        self.wait_until_asked()
        self.stands_for(2)
        self.let_go("free")
        self.wait_for_line("begin lost")
        self.stands_for(2)
        self.assertNotIn("begin next", self.lines())
        self.let_go("ended")
        self.check_end(waits, found)
        self.assertEqual(self.lines()[-3:], ["end lost", "begin next", "end next"])

    def test_a_keeper_that_drains_asks_as_well(self):
        waits, found = self.lose_a_script()
        self.b.child.terminate()
        wait_for(lambda: "draining" in (self.b.folder / "log").read_text(), "it drains", PATIENCE)
        self.let_go("ended")
        waits.join(PATIENCE)
        self.assertEqual(found, [200])
        self.assertEqual(self.b.child.wait(PATIENCE), 0)
        self.assertNotIn("drain_timeout passed", (self.b.folder / "log").read_text())
        self.assertEqual(self.lines()[-3:], ["end lost", "begin next", "end next"])

    def test_a_page_of_another_pool_does_not_tell_its_end(self):
        status = self.fpm.start_another_pool()
        text = self.b.file.read_text()
        self.b.file.write_text(text.replace(f":{self.fpm.status_port}", f":{status}"))
        self.reload()
        waits, found = self.lose_a_script()
        log = self.b.folder / "log"
        wait_for(lambda: "does not tell whether what a lost replica has sent has ended" in log.read_text(), "why", PATIENCE)
        self.stands_for(2)
        self.assertNotIn("begin next", self.lines())
        self.let_go("ended")
        self.stands_for(2)
        self.b.file.write_text(text)
        self.reload()
        self.check_end(waits, found)
        self.assertEqual(self.lines()[-3:], ["end lost", "begin next", "end next"])


if __name__ == "__main__":
    TICKETGATE = os.path.abspath(sys.argv.pop(1))
    missing = [name for name in ("php-fpm8.2", "etcd") if not shutil.which(name, path="/usr/sbin:" + os.environ["PATH"])]
    if missing:
        print(f"skipped: {', '.join(missing)} is not installed")
    else:
        unittest.main(verbosity=2)
