"""A copy of the sources with a build of ticketgate, tg_simulate, the two models and tests. The working tree is never
changed."""
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

COPIED = ("CMakeLists.txt", "cmake", "cmd", "config", "deploy", "docs", "lib", "loadtest", "tests")
# By the first word of `run`; else tg_simulate.
PROGRAMS = {"model": "tg_cluster_model", "paths": "tg_path_model",
            **{test: test for test in ("app_test", "cluster_store_test", "config_test", "cost_test", "disk_test",
                                       "e2e_test", "http_cases_test", "net_shortage_test", "net_test",
                                       "net_tls_memory_test", "noeq_threads_test", "proxy_test", "queue_test",
                                       "spawn_test", "spawn_threads_test", "upstream_test",
                                       "upstream_threads_test")},
            # Tests of tests/real, which start ticketgate themselves.
            "control_memory_test.py": "ticketgate", "fpm_test.py": "ticketgate",
            "names_test.py": "ticketgate", "process_test.py": "ticketgate", "replica_memory_test.py": "ticketgate",
            "shortage_test.py": "ticketgate", "upgrade_back_test.py": "ticketgate",
            "upgrade_inside_test.py": "ticketgate", "upgrade_told_test.py": "ticketgate",
            # Scenarios of the torture kit.
            "torture": "ticketgate", "torture_whole": "ticketgate"}
KIT = ("tg_torture", "tg_backend")
LENGTHS = {"torture": ["--quick"], "torture_whole": []}
# Not what a busy machine explains.
TORTURE = ("--sure-us", "1000000", "--grace-us", "100000", "--patience", "5000")
FIRST_PORT, PORTS = 30000, 200  # of the first copy, and of each
MOST_MEMORY = 4 << 30  # a fault may make the proxy collect memory without end
OF_OTHERS = 60 << 30  # in tests of tests/real, which start etcd, too: it maps its file ten times over


class DoesNotCompile(Exception):
    """The first error of the compiler."""


@dataclass
class Outcome:
    """How a run of tg_simulate ended."""
    code: int      # below 0: by this signal; None: it ran for too long
    said: str      # the words of the judge, of a check, or of the runtime
    replay: str    # the command for the world that showed it; empty: none was told

    @property
    def passed(self):
        return self.code == 0

    @property
    def caught(self):
        return bool(self.code and self.replay)


def files_of(root):
    for top in COPIED:
        path = root / top
        for found in [path] if path.is_file() else sorted(path.rglob("*")):
            if found.is_file() and "__pycache__" not in found.parts:
                yield found.relative_to(root)


def write_if_other(path, data):
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


class Tree:
    def __init__(self, source, root, jobs):
        self.source, self.root, self.jobs = source, root, jobs
        self.build_folder = root / "build"
        self.programs = {name: self.build_folder / name for name in ("tg_simulate", *KIT, *PROGRAMS.values())}
        # Both copies find each other's objects in the cache.
        self.environment = {"CCACHE_NOHASHDIR": "1", "CCACHE_BASEDIR": str(root), **os.environ,
                            "TG_TORTURE_PORT": str(FIRST_PORT + PORTS * int(root.name))}

    def refresh(self):
        """Makes the copy the same as the working tree. Only what differs is written, and compiled again."""
        wanted = set(files_of(self.source))
        for path in wanted:
            write_if_other(self.root / path, (self.source / path).read_bytes())
            shutil.copymode(self.source / path, self.root / path)
        for path in set(files_of(self.root)) - wanted:
            (self.root / path).unlink()

    def configure(self):
        self.call("cmake", "-G", "Ninja", "-S", self.root, "-B", self.build_folder, "-DTG_TESTS=ON",
                  "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1")

    def build(self, arguments=None):
        """All programs, or the one that these arguments run."""
        wanted = [self.name_of(arguments)] if arguments else list(self.programs)
        if arguments and arguments[0] in LENGTHS:
            wanted += KIT
        self.call("ninja", "-C", self.build_folder, "-j", str(self.jobs), *wanted)

    @staticmethod
    def name_of(arguments):
        return PROGRAMS.get(arguments[0], "tg_simulate")

    def call(self, *command):
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace")
        if done.returncode != 0:
            errors = re.findall(r"^.*\berror: .*$", done.stdout, re.MULTILINE)
            raise DoesNotCompile(errors[0] if errors else done.stdout[-300:])

    def write(self, texts):
        for path, text in texts.items():
            (self.root / path).write_text(text)

    def restore(self, texts):
        for path in texts:
            shutil.copyfile(self.source / path, self.root / path)
        for program in self.programs.values():
            program.unlink(missing_ok=True)  # nobody shall take it for the true one

    def command_of(self, arguments):
        if arguments[0] in LENGTHS:
            return [self.root / "loadtest/torture/run.sh", "--bin", self.build_folder, *TORTURE, *LENGTHS[arguments[0]],
                    "--scenario", *arguments[1:]]
        program = [self.programs[self.name_of(arguments)]]
        if arguments[0].endswith(".py"):
            program = [sys.executable, "-B", self.root / "tests/real" / arguments[0], *program]
        return [*program, *(arguments[1:] if arguments[0] in PROGRAMS else arguments)]

    def simulate(self, arguments, seconds):
        most = MOST_MEMORY + (OF_OTHERS if arguments[0].endswith(".py") else 0)
        try:
            done = subprocess.run(["prlimit", f"--as={most}", "--core=0", *self.command_of(arguments)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                  timeout=seconds, env=self.environment)
        except subprocess.TimeoutExpired:
            return Outcome(None, f"still runs after {seconds} s", "")
        replay = re.search(r"^(?:replay: |\[  FAILED  \] |(?:FAIL|ERROR): )(.*)$|^(\w+) .* BROKEN$", done.stderr + done.stdout,
                           re.MULTILINE)
        if "Running 0 tests" in done.stdout:
            return Outcome(None, "no test has such a name", "")
        words = [line for line in (done.stdout + done.stderr).splitlines() if line and not line.startswith("replay: ")]
        return Outcome(done.returncode, words[0] if words else "", replay.group(1) or replay.group(2) if replay else "")

