#!/usr/bin/env python3
"""`ticketgate top` in a pseudo terminal, beside a running ticketgate: top_test.py TICKETGATE."""
import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "real"))
from machine import Sink  # noqa: E402
from pseudo import STYLE, Terminal  # noqa: E402
from real_test import Process, answers, close_door, free_port, wait_for  # noqa: E402

TICKETGATE = None

CONFIG = """
listen: [{{ address: "127.0.0.1:{port}" }}]
admin: {{ address: "127.0.0.1:{admin}" }}
upstreams: {{ app: {{ url: "http://127.0.0.1:{sink}" }} }}
routes:
  - {{ prefix: /, upstream: app, queue: cart }}
  - {{ prefix: /mail, upstream: app, queue: mail }}
"""


class Top(unittest.TestCase):
    """One request blocks the queue `cart`, another waits behind it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ticketgate-top-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.sink = Sink()
        self.addCleanup(close_door, self.sink.door)
        self.sink.answers.clear()
        self.port, self.admin = free_port(), free_port()
        self.file = self.folder / "c.yaml"
        self.file.write_text(CONFIG.format(port=self.port, admin=self.admin, sink=self.sink.port))
        self.start()
        self.stand_in_line("/blocks", "/waits")

    def stand_in_line(self, *paths):
        for waiting, path in enumerate(paths):
            threading.Thread(target=self.get, args=(self.port, path), daemon=True).start()
            wait_for(lambda: self.counts() == (1, waiting), f"1 runs, {waiting} wait")

    def start(self):
        self.process = Process([TICKETGATE, "-c", str(self.file)], self.folder / "log")
        self.addCleanup(self.process.stop)
        self.addCleanup(self.sink.answers.set)  # ahead of the stop, which drains
        wait_for(lambda: answers(self.admin) and answers(self.port), "it listens")

    def crash(self):
        """Without a drain, which would wait for the requests."""
        self.process.child.kill()
        self.process.stop()

    @staticmethod
    def get(port, path):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        except (OSError, http.client.HTTPException):
            return ""
        finally:
            connection.close()

    def cart(self):
        return json.loads(self.get(self.admin, "/api/v1/queues/cart"))

    def counts(self):
        cart = self.cart()
        return cart["in_flight"], cart["waiting"]

    def number(self):
        return self.cart()["tickets"]["in_flight"][0]["number"]

    def request_id(self):
        return self.cart()["tickets"]["in_flight"][0]["request_id"]

    def top(self, *options, every="0.2", env=None, **size):
        command = [TICKETGATE, "top", "-c", str(self.file), "--every", every, *options]
        terminal = Terminal(command, env=env, **size)
        self.addCleanup(terminal.close)
        return terminal

    def test_shows_who_blocks_the_line_and_the_command_that_frees_it(self):
        terminal, number = self.top(columns=160), self.number()
        terminal.shows(f"cart: number {number} blocks 1 request for ")
        terminal.shows("GET /blocks from 127.0.0.1, request id ")
        terminal.shows(f"to free its slot: ticketgate release cart {number} --request-id {self.request_id()} -c {self.file}")
        terminal.shows("> cart   1 of 1   1  ")
        wait_for(lambda: len(terminal.frames()) > 3, "it goes on by itself")
        terminal.press("q")
        self.assertEqual(terminal.end(), 0)
        wait_for(terminal.restored, "the terminal is as before")
        self.assertEqual(self.counts(), (1, 1), "it only looks")

    def test_the_command_that_it_shows_frees_the_slot(self):
        terminal = self.top(columns=160)
        terminal.shows("to free its slot: ")
        line = next(line for line in terminal.lines() if "to free" in line)
        words = line.split("to free its slot: ")[1].split()
        self.assertEqual(words[0], "ticketgate")
        subprocess.run([TICKETGATE, *words[1:]], check=True, capture_output=True, timeout=60)
        terminal.shows("GET /waits from 127.0.0.1, request id ")

    def test_releases_after_a_confirmation_and_only_then(self):
        terminal, number = self.top(), self.number()
        terminal.shows("cart: number ")
        terminal.press("r")
        terminal.shows(f"Release number {number} of cart? Its backend may still run")
        terminal.press("n")
        terminal.shows("not released")
        self.assertEqual(self.number(), number)
        terminal.press("r")
        terminal.shows(f"Release number {number} of cart?")
        terminal.press("y")
        terminal.shows("released; its backend may still be running")
        wait_for(lambda: self.cart()["in_flight"] == 1 and self.number() != number, "the next one runs")

    def test_a_question_is_about_one_request_also_over_a_restart(self):
        """The numbers begin anew: number 1 is another request then."""
        terminal, number = self.top(), self.number()
        terminal.press("r")
        terminal.shows(f"Release number {number} of cart?")
        self.crash()
        self.start()
        self.stand_in_line("/another", "/waits")
        self.assertEqual(self.number(), number)
        terminal.shows(f"not released: number {number}, request id ")
        terminal.press("y")
        terminal.shows("GET /another from")
        terminal.press("p")  # the picture is held: an answer may come long after it
        terminal.shows("THE PICTURE IS HELD")
        terminal.press("r")
        terminal.shows(f"Release number {number} of cart?")
        self.crash()
        self.start()
        self.stand_in_line("/yet-another", "/waits")
        terminal.press("y")
        terminal.shows(f"not released: number {number} of queue cart is another request now: request id {self.request_id()}")
        self.assertEqual(self.counts(), (1, 1))

    def test_takes_the_size_of_the_terminal_and_its_changes(self):
        terminal = self.top(columns=100, rows=30)
        terminal.shows("q quit")
        self.assertEqual(len(terminal.lines()), 30)
        for columns, rows in ((44, 9), (132, 50), (1, 1), (80, 24)):
            terminal.resize(columns, rows)
            wait_for(lambda: len(terminal.lines()) == rows and max(map(len, terminal.lines())) <= columns,
                     f"{columns} x {rows}")
        terminal.shows("q quit")

    def test_moves_sorts_and_holds_the_picture(self):
        terminal = self.top()
        terminal.shows("> cart")
        terminal.press("j")
        terminal.shows("> mail")
        terminal.shows("mail: no request runs, none waits")
        terminal.press("\x1b[A")
        terminal.shows("> cart")
        terminal.press("s")
        terminal.shows("sorted by waiting")
        terminal.press("p")
        terminal.shows("THE PICTURE IS HELD")
        terminal.shows("space refresh")  # the end of its last line
        held = terminal.lines()
        self.sink.answers.set()
        wait_for(lambda: self.counts() == (0, 0), "both end")
        self.assertEqual(terminal.lines(), held)
        terminal.press("p")
        terminal.shows("cart: no request runs, none waits")

    def test_gives_the_terminal_back_at_any_end(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGABRT, signal.SIGSEGV):
            with self.subTest(number.name):
                terminal = self.top()
                terminal.shows("q quit")
                self.assertFalse(terminal.restored())
                terminal.signal(number)
                self.assertEqual(terminal.end(), -number)
                wait_for(terminal.restored, "the terminal is as before")
        terminal = self.top()
        terminal.shows("q quit")
        terminal.press("\x03")
        self.assertEqual(terminal.end(), 0)
        wait_for(terminal.restored, "the terminal is as before")

    def test_stops_and_goes_on(self):
        for stop in (lambda terminal: terminal.press("\x1a"), lambda terminal: terminal.signal(signal.SIGTSTP)):
            terminal = self.top()
            terminal.shows("q quit")
            stop(terminal)
            wait_for(lambda: terminal.poll(os.WUNTRACED), "it has stopped")
            wait_for(terminal.restored, "the shell has its terminal")
            frames = len(terminal.frames())
            terminal.signal(signal.SIGCONT)
            wait_for(lambda: len(terminal.frames()) > frames, "it draws again")
            self.assertFalse(terminal.restored())
            terminal.press("q")
            self.assertEqual(terminal.end(), 0)
            wait_for(terminal.restored, "the terminal is as before")

    def test_ends_when_its_terminal_is_gone(self):
        terminal = self.top()
        terminal.shows("q quit")
        terminal.hang_up()
        self.assertNotEqual(terminal.end(), 0)

    def test_waits_for_a_process_that_ends_and_comes_back(self):
        terminal = self.top()
        terminal.shows("cart: number ")
        self.sink.answers.set()
        self.process.stop()
        terminal.shows("no answer: ")
        self.start()
        terminal.shows("cart: no request runs, none waits")
        self.assertFalse([line for line in terminal.lines() if "no answer" in line])

    def test_shows_a_config_that_is_not_loaded(self):
        terminal = self.top()
        terminal.shows("ready  config in force for ")
        self.file.write_text(self.file.read_text() + "threads: x\n")
        subprocess.run([TICKETGATE, "reload", "--admin", f"127.0.0.1:{self.admin}"], capture_output=True, timeout=60)
        terminal.shows("ago is NOT LOADED: ")

    def test_shows_the_queue_that_the_old_process_of_an_upgrade_has(self):
        old = self.process.child.pid
        subprocess.run([TICKETGATE, "upgrade", "-c", str(self.file)], check=True, capture_output=True, timeout=60)
        terminal = self.top()
        terminal.shows(f"cart: the old process (pid {old}) of the upgrade still has requests of this queue")
        terminal.shows(f"TERM to pid {old} drains it")
        terminal.shows("ALSO IN")
        self.assertTrue(next(line for line in terminal.lines() if "> cart" in line).endswith("old process"))
        self.sink.answers.set()
        wait_for(lambda: not any("old process" in line for line in terminal.lines()), "it has it no longer")

    def test_has_colours_only_where_they_are_wanted(self):
        for env, coloured in (({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False)):
            with self.subTest(str(env)):
                terminal = self.top(env=env)
                terminal.shows("cart: number ")
                self.assertEqual(bool(STYLE.search(terminal.frames()[-1])), coloured)

    def test_prints_one_picture_where_there_is_no_terminal(self):
        for env, where in (({}, "a pipe"), ({"TERM": "dumb"}, "a terminal that knows nothing")):
            with self.subTest(where):
                command = [TICKETGATE, "top", "--admin", f"127.0.0.1:{self.admin}"]
                if env:
                    terminal = Terminal(command, env=env)
                    self.addCleanup(terminal.close)
                    code, text = terminal.end(), ""
                    wait_for(lambda: "GET /waits" in terminal.output(), "the picture, to its last line")
                    text = terminal.output()
                else:
                    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
                    code, text = done.returncode, done.stdout
                self.assertEqual(code, 0)
                self.assertIn(f"cart: number {self.number()} blocks 1 request", text)
                self.assertIn(f"release cart {self.number()} --request-id {self.request_id()} --admin 127.0.0.1:{self.admin}", text)
                self.assertIn("GET /waits", text)
                self.assertNotIn("\x1b", text)
                self.assertNotIn("q quit", text)

    def test_says_why_it_cannot_begin(self):
        for arguments, code, why in ((["nobody"], 1, "no queue has the name nobody"),
                                     (["--admin", f"127.0.0.1:{free_port()}"], 1, "Connection refused"),
                                     (["--admin", f"127.0.0.1:{self.port}"], 1, "not ticketgate's admin listener"),
                                     (["--every", "0"], 2, "--every")):
            with self.subTest(str(arguments)):
                if why.startswith("not "):
                    self.sink.answers.set()
                done = subprocess.run([TICKETGATE, "top", "-c", str(self.file), *arguments], capture_output=True,
                                      text=True, timeout=60)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(why, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_queues_is_a_table_on_a_terminal_and_json_elsewhere(self):
        def on_terminal(*options):
            terminal = Terminal([TICKETGATE, "queues", "-c", str(self.file), *options])
            self.addCleanup(terminal.close)
            self.assertEqual(terminal.end(), 0)
            wait_for(lambda: "cart" in terminal.output(), "its output")
            return terminal.output()
        self.assertTrue(on_terminal().startswith("QUEUE  RUNNING  WAITING"))
        self.assertTrue(on_terminal("--json").startswith('{"queues":['))
        piped = subprocess.run([TICKETGATE, "queues", "-c", str(self.file)], capture_output=True, text=True, timeout=60)
        self.assertEqual(len(json.loads(piped.stdout)["queues"]), 2)


if __name__ == "__main__":
    TICKETGATE = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
