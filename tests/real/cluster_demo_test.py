#!/usr/bin/env python3
"""./dev run --cluster: cluster_demo_test.py TICKETGATE."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

TICKETGATE = None
DEMO = pathlib.Path(__file__).resolve().parents[2] / "deploy/demo/cluster.sh"
PATIENCE = 300
POSTS = 400  # so many that a busy machine notices in time that they run


class ClusterDemo(unittest.TestCase):
    def test_it_counts_every_answer_once_and_shows_the_operators_steps(self):
        done = subprocess.run([DEMO, TICKETGATE], env=os.environ | {"N": str(POSTS), "PARALLEL": "16"}, text=True,
                              capture_output=True, timeout=PATIENCE)
        told = done.stdout
        self.assertEqual(done.returncode, 0, told + done.stderr)
        verdicts = re.findall(r"^(PHP alone|through [ab] and [ab]) +(\d+) POSTs answered 200, the counter says +(\d+)", told, re.M)
        self.assertEqual(len(verdicts), 4, told)
        (_, answered, counted), quiet, crashed, again = verdicts
        self.assertLess(int(counted), int(answered))
        self.assertEqual(quiet[1:], (str(POSTS), str(POSTS)))
        self.assertEqual(again[1:], (str(POSTS), str(POSTS)))
        self.assertLess(int(crashed[1]), POSTS, "some clients lost their replica")
        self.assertGreaterEqual(int(crashed[2]), int(crashed[1]))
        epoch = re.search(r"waits until nothing of epoch (\d+) runs", told)[1]
        self.assertIn(f"\n$ ticketgate settle app {epoch}\n     | queue app goes on behind epoch {epoch}\n", told)
        self.assertRegex(told, r"a POST to [ab] was answered 200 after \d+\.\d s")

    def test_without_a_program_it_says_how_to_make_one(self):
        done = subprocess.run([DEMO, "/nowhere"], text=True, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 1)
        self.assertIn("./dev build makes it", done.stderr)


if __name__ == "__main__":
    TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
