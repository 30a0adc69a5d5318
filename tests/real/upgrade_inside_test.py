#!/usr/bin/env python3
"""A call from inside that names nobody waits while the other process of an upgrade may run the request that made it.

Usage: upgrade_inside_test.py TICKETGATE [unittest's options]
"""
import json
import os
import pathlib
import signal
import sys
import unittest

import upgrade_test
from real_test import wait_for

INSIDE = "clients: { inside: [127.0.0.1] }\ndefaults: { inside_calls: pass_any }\n"
PATIENT, CUTS = "drain_timeout: 10m\n", "drain_timeout: 100ms\n"


class Inside(upgrade_test.Upgrade):
    def page(self, path):
        """A visitor's request, which a proxy in front passes on. It runs until its queue is released."""
        self.backend.hold("a")
        visitor = self.send(path, more="Via: 1.1 front\r\n")
        wait_for(lambda: self.backend.runs(path), f"{path} runs")
        return visitor

    def check_that_calls_wait(self, name):
        page = self.page(f"/a/page-{name}")
        call = self.send(f"/a/call-{name}")
        self.wait_in_line(1)
        self.assertFalse(self.backend.runs(f"/a/call-{name}"))
        self.backend.release("a")
        self.assertEqual([self.status(page), self.status(call)], [200, 200])
        self.assertEqual(self.backend.overlaps, 0)

    def check_that_calls_pass(self):
        page = self.page("/a/page")
        call = self.send("/a/call")
        wait_for(lambda: self.backend.runs("/a/call"), "it runs within the slot of the page")
        self.backend.release("a")
        self.assertEqual([self.status(page), self.status(call)], [200, 200])

    def start_with_free(self, drain=PATIENT):
        """A request that is not queued runs in the old process."""
        old = self.start(INSIDE + drain)
        return old, self.hold_one("/free/old", "free")

    def wait_for_end_of(self, old):
        wait_for(lambda: self.ended(old), "the old process ends")
        wait_for(lambda: not json.loads(self.state())["old_process"], "the new one knows")

    def test_a_request_of_the_old_process_may_have_made_it(self):
        old, held = self.start_with_free()
        self.upgrade()
        self.check_that_calls_wait("beside")
        self.backend.release("free")
        self.assertEqual(self.status(held), 200)
        self.wait_for_end_of(old)
        self.check_that_calls_pass()

    def test_what_the_old_process_cut_may_run_for_ever(self):
        for drain in (PATIENT, CUTS):
            with self.subTest(drain=drain):
                old, _ = self.start_with_free(drain)
                new = self.upgrade()
                if drain == PATIENT:
                    os.kill(old, signal.SIGKILL)
                self.wait_for_end_of(old)
                self.check_that_calls_wait("behind")
                os.kill(new, signal.SIGKILL)
                wait_for(lambda pid=new: self.ended(pid), "it is gone")
                self.backend.release("free")
                self.backend.begun.clear()

    def test_a_request_of_a_new_process_that_died_may_run_for_ever(self):
        self.start(INSIDE + PATIENT)
        held = self.hold_one("/b/old", "b")
        new = self.upgrade()
        self.hold_one("/free/new", "free")
        os.kill(new, signal.SIGKILL)
        wait_for(lambda: "this one accepts again" in self.told(), "the old process notices")
        self.backend.release("b")
        self.assertEqual(self.status(held), 200)
        self.check_that_calls_wait("again")


def load_tests(loader, _tests, _pattern):
    """Those of this file, not those of the class that it takes the rest from."""
    return unittest.TestSuite(Inside(name) for name in loader.getTestCaseNames(Inside) if name in vars(Inside))


if __name__ == "__main__":
    upgrade_test.TICKETGATE = str(pathlib.Path(sys.argv.pop(1)).absolute())
    unittest.main()
