#!/usr/bin/env python3
"""Each shell completes commands and options with the files from the build: completions_test.py TICKETGATE MANUAL.

bash and fish can print their candidates. zsh cannot, so it runs on a terminal and gets a Tab key.
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "deploy/package"))
import cli  # noqa: E402

TICKETGATE = MANUAL = None
PATIENCE = 60


def bash(words):
    """The words that bash offers for the last word."""
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ticketgate; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    run = subprocess.run(["bash", "-c", script, "bash", str(MANUAL / "ticketgate.bash"), *words],
                         check=True, capture_output=True, text=True)
    assert not run.stderr, run.stderr
    return set(run.stdout.split())


def fish(words):
    with tempfile.TemporaryDirectory() as home:
        run = subprocess.run(["fish", "--no-config", "-c", f"source {MANUAL / 'ticketgate.fish'}; complete -C $argv[1]",
                              "--", " ".join(words)], check=True, capture_output=True, text=True,
                             env={**os.environ, "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home})
    assert not run.stderr, run.stderr
    return {line.split("\t")[0] for line in run.stdout.splitlines()}


class Zsh:
    """An interactive zsh in which `ticketgate` prints its arguments."""

    def __init__(self, home):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.environ.update(HOME=home, ZDOTDIR=home, TERM="dumb")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        self.send(f"fpath=({MANUAL} $fpath); autoload -U compinit; compinit -u -D; unsetopt ZLE_BRACKETED_PASTE; "
                  "LISTMAX=10000; PS1=; ticketgate() { print -r -- \"<$*>\" }; print RE''ADY\n")
        self.until("READY")

    def send(self, text):
        os.write(self.terminal, text.encode())

    def until(self, pattern):
        seen, deadline = "", time.monotonic() + PATIENCE
        while not re.search(pattern, seen):
            if not select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))[0]:
                raise AssertionError(f"zsh never printed {pattern}: {seen!r}")
            seen += os.read(self.terminal, 4096).decode(errors="replace")
        return seen

    def completed(self, line):
        """The arguments of a command line after Tab and Enter."""
        self.send(line + "\t\n")
        return re.search(r"<([^>]*)>", self.until(r"<[^>]*>")).group(1).split()

    def close(self):
        os.close(self.terminal)  # SIGHUP
        os.waitpid(self.pid, 0)


class Completions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = cli.read(TICKETGATE)
        cls.commands = {one.path[-1] for one in cls.program.commands}

    def test_the_expected_commands_and_options_exist(self):
        self.assertLessEqual({"check", "explain", "queues", "healthcheck", "id"}, self.commands)

    def check(self, offered):
        self.assertEqual(offered(["ticketgate", ""]) & self.commands, self.commands)
        self.assertIn("healthcheck", offered(["ticketgate", "hea"]))
        self.assertNotIn("check", offered(["ticketgate", "hea"]))
        self.assertIn("--config", offered(["ticketgate", "--co"]))
        for command in self.program.tree():
            names = {name for one in command.options for name in one.names if name.startswith("--")}
            self.assertLessEqual(names, offered(["ticketgate", *command.path, "--"]), command.path)
        self.assertIn("--config", offered(["ticketgate", "check", "--co"]))
        self.assertIn("decode", offered(["ticketgate", "id", "dec"]))
        # After an option's value, and after an option that belongs to another command.
        self.assertIn("check", offered(["ticketgate", "-c", "x.yaml", "che"]))
        self.assertNotIn("--admin", offered(["ticketgate", "check", "--a"]))
        self.assertIn("--admin", offered(["ticketgate", "queues", "--a"]))

    def files(self, offered):
        with tempfile.TemporaryDirectory() as folder:
            name = pathlib.Path(folder) / "some.yaml"
            name.touch()
            self.assertIn(str(name), offered(["ticketgate", "-c", folder + "/so"]))

    def test_bash_completes_commands_options_and_files(self):
        self.check(bash)
        self.files(bash)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_completes_commands_options_and_files(self):
        self.check(fish)
        self.files(fish)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_completes_commands_options_and_files(self):
        with tempfile.TemporaryDirectory() as home:
            shell = Zsh(home)
            try:
                self.assertEqual(shell.completed("ticketgate hea"), ["healthcheck"])
                self.assertEqual(shell.completed("ticketgate che"), ["check"])
                self.assertEqual(shell.completed("ticketgate id dec"), ["id", "decode"])
                self.assertEqual(shell.completed("ticketgate check --conf"), ["check", "--config"])
                self.assertEqual(shell.completed("ticketgate queues --ad"), ["queues", "--admin"])
                self.assertEqual(shell.completed("ticketgate -c x.yaml expl"), ["-c", "x.yaml", "explain"])
                (pathlib.Path(home) / "some.yaml").touch()
                self.assertEqual(shell.completed(f"ticketgate -c {home}/so"), ["-c", f"{home}/some.yaml"])
                shell.send("ticketgate \t")
                shell.until("(?s)" + ".*".join(sorted(self.commands)))
            finally:
                shell.close()


if __name__ == "__main__":
    TICKETGATE, MANUAL = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
