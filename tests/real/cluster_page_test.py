#!/usr/bin/env python3
"""The live page of a cluster in Chromium: two replicas over a real etcd, who keeps the queue, and a queue that stands.

Usage: cluster_page_test.py TICKETGATE [unittest's options]. Environment: SHOTS, a folder that gets screenshots.
"""
import json
import os
import pathlib
import shlex
import subprocess
import sys
import threading
import unittest

from cluster import PATIENCE, Etcd, Replica, get
from page_test import Application
from real_test import wait_for
from webdriver import Browser, missing

TICKETGATE = None
SHOTS = os.environ.get("SHOTS")
QUEUE = ".queue[aria-label='Queue app']"
# It is chosen by whoever starts a replica; a page must not read it as HTML.
HOSTILE = "'<b id=hostile>b</b>'"


class ClusterPage(unittest.TestCase):
    """Replica a keeps the queue."""

    def setUp(self):
        if missing():
            self.skipTest(f"no {missing()} here")
        self.application = Application()
        self.addCleanup(self.application.gate.set)
        self.etcd = Etcd("--quota-backend-bytes", "1048576")
        self.addCleanup(self.etcd.end)
        self.replicas = []
        for name in ("a", HOSTILE if "names_the_keeper" in self.id() else "b"):
            self.replicas.append(Replica(TICKETGATE, name, self.etcd, f"http://127.0.0.1:{self.application.port}"))
        self.a, self.b = self.replicas
        self.assertEqual(self.a.command("cluster", "init")[0], 0)
        self.start(self.a)
        self.application.gate.set()
        self.assertEqual(self.a.request("/first")[0], 200)
        self.start(self.b)
        self.assertEqual(self.b.request("/second")[0], 200)
        self.application.gate.clear()
        self.browser = Browser.fresh()
        self.addCleanup(self.browser.forget)

    def start(self, replica):
        replica.start()
        self.addCleanup(replica.end)

    def send(self, replica, path):
        """A client that waits for its answer; returns the thread and, later, the status in a list."""
        status = []

        def ask():
            try:
                status.append(replica.request(path)[0])
            except Exception:  # pylint: disable=broad-except
                status.append(0)  # its replica was killed
        thread = threading.Thread(target=ask, daemon=True)
        thread.start()
        return thread, status

    def open_page(self, replica):
        self.browser.go(f"http://127.0.0.1:{replica.admin}/")
        self.shows("#connection", "live")

    def shows(self, css, *texts):
        for text in texts:
            wait_for(lambda: text in self.browser.text(css), lambda: f"{css} shows {text!r}; it shows {self.browser.text(css)!r}",
                     PATIENCE)

    def shot(self, name):
        if SHOTS:
            self.browser.shot(pathlib.Path(SHOTS) / f"{name}.png")

    def keep_runs(self, path):
        """A request that replica a runs until the application lets it go."""
        client = self.send(self.a, path)
        wait_for(lambda: self.a.tickets()["in_flight"] == 1, "it runs")
        return client

    def test_each_replica_names_the_keeper(self):
        thread, status = self.keep_runs("/slow")
        waiting = [self.send(self.b, "/behind") for _ in range(2)]
        wait_for(lambda: self.a.tickets()["waiting"] == 2, "both wait at the keeper")
        epoch = self.a.line()["epoch"]
        self.open_page(self.a)
        self.shows(f"{QUEUE} .keeper", f"Kept by this replica, a, epoch {epoch}, open for ")
        self.shows("#cluster", "The cluster shop", "this replica\na", "store\nanswers", "sure for\n", "a (this one)", HOSTILE[1:-1])
        first, *behind = [ticket["number"] for part in ("in_flight", "waiting") for ticket in self.a.tickets()["tickets"][part]]
        self.shows(f"{QUEUE} .slot", f"#{first} ")  # whole: JavaScript's own numbers end at 16 digits
        self.shows(f"{QUEUE} .line", *[f"#{number}" for number in behind])
        self.assertIsNotNone(self.browser.find(f"[aria-label='Release #{first}']"))
        self.shot("cluster-keeper")
        self.open_page(self.b)
        self.shows(f"{QUEUE} .keeper", f"Kept by a (127.0.0.1:", f"epoch {epoch}, open", "Its requests wait and run there")
        self.shows(f"{QUEUE} .state", "this replica starts none of its requests")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#hostile').length"), 0)
        ages = self.browser.run("return [...document.querySelectorAll('#cluster tbody tr')].map((r) => r.cells[2].innerText)")
        self.assertEqual(len(ages), 2)
        self.assertTrue(all(age.endswith((" s", " ms", " min")) for age in ages), ages)
        self.assertEqual(self.browser.run("return document.querySelectorAll('code.command:not([hidden] *)').length"), 0)
        self.application.gate.set()
        for client, answer in [(thread, status), *waiting]:
            client.join(PATIENCE)
            self.assertEqual(answer, [200])
        self.assertEqual(self.browser.complaints(), [])

    def test_a_queue_that_stands_shows_the_command_that_ends_it(self):
        self.keep_runs("/slow")
        epoch = self.a.line()["epoch"]
        self.a.kill()
        thread, status = self.send(self.b, "/behind")
        self.open_page(self.b)
        self.shows(f"{QUEUE} .state", "stands, 1 request waits")
        self.shows(f"{QUEUE} .keeper", f"requests of epoch {epoch}, kept by a (127.0.0.1:", "may still run",
                   "That replica is lost", "a wrong settle lets two run at once", "ticketgate settle app")
        self.shot("cluster-stands")
        command = self.browser.text(f"{QUEUE} code.command")
        self.assertEqual(command, f"ticketgate settle app {epoch} -c {self.b.file}")
        self.browser.size(360, 740)
        self.browser.dark(True)
        self.shot("cluster-stands-phone")
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 360)
        self.application.gate.set()
        done = subprocess.run([TICKETGATE, *shlex.split(command)[1:]], capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        thread.join(PATIENCE)
        self.assertEqual(status, [200])
        self.shows(f"{QUEUE} .keeper", "Kept by this replica")
        self.assertEqual(self.browser.text(f"{QUEUE} code.command"), "")
        self.assertEqual(self.browser.complaints(), [])

    def test_a_store_that_is_away_is_named(self):
        self.open_page(self.a)
        self.shows("#cluster", "store\nanswers")
        self.shows(f"{QUEUE} .keeper", "Kept by this replica")  # so its last look has shown the queue
        self.etcd.child.kill()
        self.shows("#cluster", "The store cannot be used: ", "What this page says of the cluster is older", "not sure")
        self.shows(f"{QUEUE} .state", "this replica starts none of its requests")
        self.shows(f"{QUEUE} .keeper", "It is not sure of it now, and starts nothing.")
        self.shot("cluster-store-away")

    def test_a_lost_keeper_and_a_full_store_are_told(self):
        self.open_page(self.b)
        self.shows(f"{QUEUE} .keeper", "Kept by a (127.0.0.1:", ", idle")
        self.etcd.fill()
        self.a.kill()
        self.shows(f"{QUEUE} .keeper", "Was kept by a (127.0.0.1:", "That replica is lost.",
                   "Nothing starts until the store takes writes again, and another replica keeps the queue.")
        self.shows("#cluster", "The store is full: it takes no writes until it has room: ", "database space exceeded",
                   "What this page says of the cluster is current.", "store\ntakes no writes")
        self.shot("cluster-store-full")
        self.assertEqual(self.browser.complaints(), [])

    def test_the_stream_is_bounded(self):
        def told():
            return json.loads(get(self.a.admin, "/api/v1/cluster")[1])
        wait_for(lambda: [len(one["queues"]) for one in told()["replicas"]] == [1, 1], "each replica has seen the other")
        picture = told()
        self.open_page(self.a)
        cluster = self.browser.run("""
            return new Promise((done) => {
              const source = new EventSource('/api/v1/events');
              source.addEventListener('message', (event) => { source.close(); done(JSON.parse(event.data).cluster); });
            });""")
        self.assertEqual(cluster["this_instance"], picture["this_instance"])
        self.assertNotIn("queues", cluster["replicas"][0])
        self.assertEqual(cluster["replicas_not_shown"], 0)


if __name__ == "__main__":
    TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
