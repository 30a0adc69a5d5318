#!/usr/bin/env python3
"""ticketgate alone: the configuration that docs/recipes/front-controller.md shows, with the application of its test.

Usage: alone_test.py TICKETGATE [-k PATTERN]. Skipped where php-cgi is not installed.
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import real_test
from real_test import Process, answers, free_port, wait_for

TREE = pathlib.Path(real_test.__file__).parents[2]
RECIPES = TREE / "tests" / "recipes"
sys.path[:0] = [str(RECIPES), str(RECIPES / "front-controller")]
from browser import Browser  # noqa: E402
from drive import FrontController  # noqa: E402


def recipe():
    """The configuration of the page's last section."""
    page = (TREE / "docs" / "recipes" / "front-controller.md").read_text(encoding="utf-8")
    return re.search(r"(?s)## ticketgate alone\n.*?```yaml\n(.*?)```", page)[1]


class There(FrontController):
    def __init__(self, port):  # other arguments than in a chroot
        self.host, self.setup, self.web = "app.example", "alone", Browser("app.example", port)


@unittest.skipUnless(shutil.which("php-cgi"), "php-cgi is not installed")
class Alone(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="ticketgate-alone-")
        folder = pathlib.Path(cls.temporary.name)
        public = folder / "public"
        (public / "build" / "assets-1.2").mkdir(parents=True)
        (public / "storage").mkdir()
        shutil.copy(RECIPES / "front-controller" / "public" / "index.php", public)
        (public / "build" / "assets-1.2" / "app-4f3a.js").write_text("let built;\n")
        (public / "robots.txt").write_text("User-agent: *\n")
        (public / "other.php").write_text('<?php echo "another script ran";')
        port, admin = free_port(), free_port()
        config = folder / "ticketgate.yaml"
        config.write_text(recipe().replace("0.0.0.0:80", f"127.0.0.1:{port}").replace(":9901", f":{admin}")
                          .replace("/srv/app", str(folder)))
        cls.gate = Process([real_test.TICKETGATE, "-c", str(config)], folder / "log", {})
        wait_for(lambda: answers(port), "ticketgate listens")
        cls.application = There(port)

    @classmethod
    def tearDownClass(cls):
        cls.gate.stop()
        cls.temporary.cleanup()

    def test_the_application_works(self):
        for step in ("append_at_once", "methods_at_once", "after_the_response", "upload", "files", "missing_files", "one_script"):
            with self.subTest(step):
                getattr(self.application, step)()


if __name__ == "__main__":
    real_test.TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
