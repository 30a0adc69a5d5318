#!/usr/bin/env python3
"""The scripts of docs/recipes/fencing.md refuse a late write, with SQLite and with MariaDB: fencing_test.py TICKETGATE."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
from cluster import PATIENCE, Etcd, Replica, get  # noqa: E402
from pages import Page  # noqa: E402
from real_test import answers, free_port, wait_for  # noqa: E402

TICKETGATE = None
RECIPE = pathlib.Path(__file__).resolve().parents[2] / "docs/recipes/fencing.md"
# The rest of the page: tells that it runs, and waits until the test lets it go.
WORK = """<?php
if (isset($_GET['hold'])) {
    touch($_GET['hold'] . '.runs');
    while (!file_exists($_GET['hold'] . '.go')) { usleep(5000); clearstatcache(); }
}
"""


def scripts():
    """The php blocks of the recipe, by the names that the text above them gives; db.php twice."""
    blocks = [block.text for block in Page("fencing.md", RECIPE.read_text()).blocks if block.info == "php"]
    sqlite, mariadb, setup, fence, add = blocks
    return {"sqlite": sqlite, "mariadb": mariadb}, {"setup.php": setup, "fence.php": fence, "add.php": add,
                                                    "work.php": WORK}


class MariaDb:
    """A server of its own on a unix socket, without accounts."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ticketgate-mariadb-"))
        self.folder.chmod(0o755)
        data, user = self.folder / "data", []
        if os.geteuid() == 0:
            user = ["--user=mysql"]
            shutil.chown(self.folder, "mysql")
        made = subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db",
                               "--auth-root-authentication-method=normal", *user],
                              capture_output=True, text=True, timeout=10 * PATIENCE)
        if made.returncode != 0:
            raise AssertionError(made.stdout + made.stderr)
        self.socket = self.folder / "socket"
        with open(self.folder / "log", "wb") as log:
            self.child = subprocess.Popen(
                ["/usr/sbin/mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={self.socket}", "--skip-networking",
                 f"--pid-file={self.folder}/pid", "--innodb-buffer-pool-size=16M", *user], stdout=log, stderr=log)
        wait_for(lambda: self.run("SELECT 1") is not None, "MariaDB answers", 2 * PATIENCE)
        self.run("CREATE DATABASE shop")

    def run(self, sql):
        done = subprocess.run(["mariadb", "--no-defaults", f"--socket={self.socket}", "-uroot", "-N", "-B", "-e", sql],
                              capture_output=True, text=True, timeout=PATIENCE)
        return done.stdout.strip() if done.returncode == 0 else None

    def end(self):
        self.child.terminate()
        self.child.wait(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)


class Shop:
    """The scripts of the recipe below php -S, with a fresh database."""

    def __init__(self, database, server):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ticketgate-shop-"))
        connect, files = scripts()
        for name, text in (files | {"db.php": connect[database]}).items():
            (self.folder / name).write_text(text)
        where = f"mysql:unix_socket={server.socket};dbname=shop" if server else str(self.folder / "shop.sqlite")
        self.environment = os.environ | {"SHOP_DB": where, "SHOP_USER": "root", "SHOP_PASSWORD": "",
                                         "PHP_CLI_SERVER_WORKERS": "4"}
        if server:
            server.run("DROP TABLE IF EXISTS shop.shop")
        self.php("setup.php")
        self.port = free_port()
        with open(self.folder / "log", "wb") as log:
            self.child = subprocess.Popen(["php8.2", "-S", f"127.0.0.1:{self.port}", "-t", self.folder], stdout=log, stderr=log,
                                          env=self.environment, start_new_session=True)
        wait_for(lambda: answers(self.port), "PHP listens", PATIENCE)
        self.url = f"http://127.0.0.1:{self.port}"

    def php(self, script):
        return subprocess.run(["php8.2", script], cwd=self.folder, env=self.environment, capture_output=True, text=True,
                              check=True, timeout=PATIENCE).stdout

    def stored(self):
        """The stock and the token."""
        (self.folder / "look.php").write_text("<?php require 'db.php'; echo implode(' ', $db->query("
                                              "'SELECT stock, token FROM shop')->fetch(PDO::FETCH_NUM));")
        return [int(word) for word in self.php("look.php").split()]

    def forget_claims(self):
        add = self.folder / "add.php"
        add.write_text(re.sub(r"^claim\(.*\n", "", add.read_text(), flags=re.M))

    def end(self):
        os.killpg(self.child.pid, 15)
        self.child.wait(PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)


class Held(threading.Thread):
    """A POST that PHP holds in work.php until go(). `answer` is None if its connection ended."""

    def __init__(self, replica, shop, name):
        super().__init__(daemon=True)
        self.replica, self.place, self.answer = replica, shop.folder / name, None
        self.start()
        wait_for(lambda: pathlib.Path(f"{self.place}.runs").exists(), f"{name} runs in PHP", PATIENCE)

    def run(self):
        try:
            self.answer = self.replica.request(f"/add.php?hold={self.place}")
        except OSError:
            pass

    def go(self):
        pathlib.Path(f"{self.place}.go").touch()
        self.join(PATIENCE)
        return self.answer and self.answer[0]


class Fencing:
    server = None

    def setUp(self):
        self.store = Etcd()
        self.addCleanup(self.store.end)
        self.shop = Shop(self.database, self.server)
        self.addCleanup(self.shop.end)
        self.replica = self.new_replica("a")
        wait_for(lambda: self.replica.command("cluster", "init")[0] == 0, "cluster init", PATIENCE)
        self.replica.start()

    def new_replica(self, name):
        replica = Replica(TICKETGATE, name, self.store, self.shop.url)
        self.addCleanup(replica.end)
        return replica

    def hold(self, name):
        held = Held(self.replica, self.shop, name)
        number = self.replica.tickets()["tickets"]["in_flight"][0]["number"]
        self.assertEqual(self.replica.command("release", "app", str(number))[0], 0)
        return held

    def test_a_late_write_is_refused(self):
        late = self.hold("late")
        self.assertEqual(self.replica.request("/add.php"), (200, "1\n"))
        token = self.shop.stored()[1]
        self.assertEqual(late.go(), 409)
        self.assertEqual(self.shop.stored(), [1, token])

    def test_an_old_request_cannot_write_while_a_later_one_works(self):
        late = self.hold("late")
        later = Held(self.replica, self.shop, "later")
        self.assertEqual(late.go(), 409)
        self.assertEqual(later.go(), 200)
        self.assertEqual(self.shop.stored()[0], 1)

    def test_without_the_claims_an_update_is_lost(self):
        self.shop.forget_claims()
        late = self.hold("late")
        self.assertEqual(self.replica.request("/add.php"), (200, "1\n"))
        self.assertEqual(late.go(), 200)
        self.assertEqual(self.shop.stored()[0], 1, "two requests were answered with 200, and one is counted")

    def test_an_equal_number_is_allowed_a_lower_one_and_none_are_not(self):
        self.assertEqual(self.replica.request("/add.php", headers={"Fencing-Token": "1" * 19})[0], 200)
        token = self.shop.stored()[1]
        self.assertNotEqual(token, int("1" * 19), "what the client says does not count")
        for number, status in ((token, 200), (token, 200), (token - 1, 409), (token + 1, 200), (token, 409)):
            straight = get(self.shop.port, "/add.php", "POST", "", {"Fencing-Token": str(number)})
            self.assertEqual(straight[0], status, f"{number - token:+}")
        self.assertEqual(get(self.shop.port, "/add.php", "POST", "")[0], 400)
        self.assertEqual(self.shop.stored(), [4, token + 1])

    def test_a_request_of_a_lost_replica_that_was_settled_too_early_is_refused(self):
        self.replica.request("/", "GET")  # else either of the two may keep the queue
        wait_for(lambda: self.replica.line().get("keeper", {}).get("name") == "a", "a keeps the queue", PATIENCE)
        other = self.new_replica("b").start()
        late = Held(self.replica, self.shop, "late")
        self.replica.kill()
        wait_for(lambda: other.line().get("state") == "settling", "the queue stands", PATIENCE)
        code, text = other.command("settle", "app", str(other.line()["waits_for"]["epoch"]))
        self.assertEqual(code, 0, text)
        self.assertEqual(other.request("/add.php"), (200, "1\n"))
        self.assertIsNone(late.go(), "its client's connection ended with its replica")
        log = self.shop.folder / "log"
        wait_for(lambda: "[409]: POST /add.php?hold=" in log.read_text(), "PHP refuses the late write", PATIENCE)
        self.assertEqual(self.shop.stored()[0], 1)


class WithSqlite(Fencing, unittest.TestCase):
    database = "sqlite"


class WithMariaDb(Fencing, unittest.TestCase):
    database = "mariadb"

    @classmethod
    def setUpClass(cls):
        cls.server = MariaDb()
        cls.addClassCleanup(cls.server.end)


if __name__ == "__main__":
    TICKETGATE = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
