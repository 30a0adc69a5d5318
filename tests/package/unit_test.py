#!/usr/bin/env python3
"""The systemd unit, tested without a running systemd: unit_test.py TICKETGATE SOURCE.

systemd-analyze checks the unit. The program serves, reloads, reopens its logs and drains under a kernel filter made
from SystemCallFilter, which ends it at the first call that is not listed. The capability of the drop-in opens port 80.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "real"))
import machine  # noqa: E402
from real_test import wait_for  # noqa: E402

TICKETGATE = UNIT = DROP_IN = None
BAD_CALL = 128 + signal.SIGSYS


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
class Unit(unittest.TestCase):
    def analyze(self, *words, unit=None):
        """Runs systemd-analyze on the unit with the program of this build, which need not be installed."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "ticketgate.service"
            file.write_text((unit or UNIT.read_text()).replace("/usr/local/bin/ticketgate", str(TICKETGATE)))
            return subprocess.run(["systemd-analyze", *words, str(file)], capture_output=True, text=True)

    def test_systemd_analyze_verifies_the_unit(self):
        run = self.analyze("verify")
        self.assertEqual((run.returncode, run.stdout + run.stderr), (0, ""))

    def test_systemd_analyze_reports_an_unknown_setting(self):
        unit = UNIT.read_text().replace("SystemCallFilter=@system-service", "SystemCallFiltre=@system-service")
        self.assertIn("SystemCallFiltre", self.analyze("verify", unit=unit).stderr)

    def test_the_exposure_score_is_low(self):
        run = self.analyze("security", "--offline=true", "--no-pager", "--threshold=20")
        self.assertEqual(run.returncode, 0, run.stdout[-200:])

    def test_systemd_analyze_verifies_the_drop_in(self):
        unit = UNIT.read_text() + DROP_IN.read_text()
        run = self.analyze("verify", unit=unit)
        self.assertEqual((run.returncode, run.stdout + run.stderr), (0, ""))


@unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
class Filter(machine.OnItsMachine):
    """Starts the program through a script that installs the filter first."""

    def setUp(self):
        super().setUp()
        self.ticketgate = self.under(UNIT)

    def under(self, unit):
        wrapper = self.folder / "ticketgate"
        wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" -B "{HERE}/under_unit.py" "{unit}" "{TICKETGATE}" "$@"\n')
        wrapper.chmod(0o755)
        return wrapper

    def test_requests_reloads_log_rotation_and_a_drain_need_only_listed_calls(self):
        log = self.folder / "access.log"
        file = self.config(f"log: {{ access_file: {log} }}\nid_service: {{ address: 'unix:{self.folder}/ids', worker: 1 }}\n"
                           "spool: { memory_per_body: 1KiB, max_memory: 1KiB, directory: " + str(self.folder) + " }\n",
                           route=", queue: app")
        checked = self.check(file)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        child = self.start(file)
        self.assertEqual(self.get()[0], 200)
        self.assertEqual(self.get(method="POST", body=b"x" * 3_000_000)[0], 200)  # spooled in a file
        self.assertEqual(self.get("/readyz", self.admin)[0], 200)
        self.assertIn(b"process_open_fds", self.get("/metrics", self.admin)[1])
        for command in ("healthcheck", "queues", "reload"):
            run = subprocess.run([self.ticketgate, command, "-c", file], capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, command + run.stderr)
        wait_for(lambda: log.exists() and log.stat().st_size > 0, "the access log has a line")
        log.rename(self.folder / "old.log")
        child.send_signal(signal.SIGUSR1)
        wait_for(log.exists, "the access log is opened again")
        child.send_signal(signal.SIGHUP)
        child.terminate()
        self.assertEqual(child.wait(machine.PATIENCE), 0, self.told())

    def test_a_call_outside_the_filter_ends_the_process(self):
        unit = self.folder / "strict.service"
        unit.write_text(re.sub(r"(?m)^(SystemCallFilter=~.*)$", r"\1 @network-io", UNIT.read_text()))
        self.ticketgate = self.under(unit)
        child = self.start(self.config(), wait=False)
        self.assertEqual(child.wait(machine.PATIENCE), -signal.SIGSYS, self.told())


class LowPorts(unittest.TestCase):
    """Runs in a network namespace, so that no port of this machine is used."""

    def bind(self, *capabilities):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            file, program = pathlib.Path(folder) / "c.yaml", pathlib.Path(folder) / "ticketgate"
            shutil.copy(TICKETGATE, program)
            file.write_text("listen: [{ address: '127.0.0.1:80' }]\ndrain_timeout: 0s\n"
                            "upstreams: { app: { url: 'http://127.0.0.1:8000' } }\n"
                            "routes: [{ prefix: /, upstream: app, queue: app }]\n")
            script = """ip link set lo up
                setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs "$@" &
                until (exec 3<>/dev/tcp/127.0.0.1/80) 2>/dev/null; do kill -0 $! 2>/dev/null || break; sleep 0.05; done
                kill $! 2>/dev/null
                wait $!"""
            run = subprocess.run(["unshare", "--net", "bash", "-c", script, "bash", *capabilities, program, "-c", file],
                                 capture_output=True, text=True, timeout=machine.PATIENCE)
            return run.returncode, run.stderr

    def setUp(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode:
            self.skipTest("a network of its own needs root")

    def test_without_the_drop_in_port_80_cannot_be_opened(self):
        code, told = self.bind("--bounding-set=-all")
        self.assertEqual(code, 1, told)

    def test_with_the_capability_of_the_drop_in_port_80_can_be_opened(self):
        names = set(re.findall(r"(?m)^(?:Ambient|Bounding)?\w*=CAP_(\w+)$", DROP_IN.read_text()))
        self.assertEqual(names, {"NET_BIND_SERVICE"})
        one = "net_bind_service"
        code, told = self.bind(f"--bounding-set=-all,+{one}", f"--inh-caps=-all,+{one}", f"--ambient-caps=-all,+{one}")
        self.assertEqual(code, 0, told)


if __name__ == "__main__":
    TICKETGATE = pathlib.Path(sys.argv.pop(1)).resolve()
    source = pathlib.Path(sys.argv.pop(1)).resolve()
    UNIT, DROP_IN = source / "deploy/systemd/ticketgate.service", source / "deploy/systemd/low-ports.conf"
    unittest.main(verbosity=2)
