#!/usr/bin/env python3
"""The Debian package of `./dev package`, read without installing it: package_test.py TICKETGATE SOURCE.

Without debhelper this test is skipped (exit 77). deploy/package/check.sh installs, upgrades and purges.
"""
import gzip
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TICKETGATE = SOURCE = None
SKIPPED = 77


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="ticketgate-package-")
        out = pathlib.Path(cls.folder.name)
        output(SOURCE / "deploy/package/package.sh", TICKETGATE.parent, out)
        cls.deb, = out.glob("ticketgate_*.deb")
        cls.symbols, = out.glob("ticketgate-dbgsym_*.deb")
        cls.changes, = out.glob("*.changes")
        cls.root, cls.control = out / "root", out / "control"
        output("dpkg-deb", "--extract", cls.deb, cls.root)
        output("dpkg-deb", "--control", cls.deb, cls.control)
        cls.fields = dict(re.findall(r"(?m)^(\S+): (.*)$", output("dpkg-deb", "--field", cls.deb)))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def test_every_file_is_in_its_place(self):
        for path in ("usr/bin/ticketgate", "lib/systemd/system/ticketgate.service",
                     "lib/systemd/system/ticketgate.service.d/user.conf", "etc/ticketgate/ticketgate.yaml",
                     "etc/logrotate.d/ticketgate", "usr/share/man/man1/ticketgate.1.gz",
                     "usr/share/man/man5/ticketgate.yaml.5.gz", "usr/share/bash-completion/completions/ticketgate",
                     "usr/share/zsh/vendor-completions/_ticketgate",
                     "usr/share/fish/vendor_completions.d/ticketgate.fish", "usr/share/doc/ticketgate/copyright",
                     "usr/share/doc/ticketgate/README.md", "usr/share/doc/ticketgate/docs/operations.md",
                     "usr/share/doc/ticketgate/examples/low-ports.conf", "usr/share/ticketgate/schema.json",
                     "usr/share/doc/ticketgate/ticketgate.spdx.json"):
            self.assertTrue((self.root / path).is_file(), path)
        tops = {path.name for path in self.root.iterdir()}
        self.assertEqual(tops, {"etc", "lib", "usr"})

    def test_the_control_fields(self):
        version = output(TICKETGATE, "--version").split()[1]
        self.assertEqual(self.fields["Version"], version.replace("-", "~", 1) + "-1")
        for library in ("libc6", "libssl3", "libstdc++6"):
            self.assertIn(library, self.fields["Depends"])
        self.assertIn("adduser", self.fields["Depends"])
        self.assertNotIn("-dev", self.fields["Depends"])

    def test_the_files_that_operators_edit_are_conffiles(self):
        self.assertEqual(set((self.control / "conffiles").read_text().split()),
                         {"/etc/ticketgate/ticketgate.yaml", "/etc/logrotate.d/ticketgate"})

    def test_the_program_is_stripped_and_the_symbols_are_in_the_debug_package(self):
        self.assertNotIn(".debug_info", output("objdump", "-h", self.root / "usr/bin/ticketgate"))
        self.assertLess((self.root / "usr/bin/ticketgate").stat().st_size, 8 << 20)
        self.assertIn("/usr/lib/debug/.build-id/", output("dpkg-deb", "--contents", self.symbols))

    def test_the_packaged_configuration_passes_check(self):
        for file in [self.root / "etc/ticketgate/ticketgate.yaml"]:
            output(TICKETGATE, "check", "-c", file)

    def test_the_unit_starts_the_program_as_the_user_that_the_package_creates(self):
        unit = self.text("lib/systemd/system/ticketgate.service")
        self.assertIn("ExecStart=/usr/bin/ticketgate ", unit)
        self.assertNotIn("/usr/local", unit)
        user = self.text("lib/systemd/system/ticketgate.service.d/user.conf")
        self.assertRegex(user, r"(?m)^DynamicUser=no\nUser=ticketgate\nGroup=ticketgate$")

    def page(self, name, section):
        """The page as man prints it, from standard input: man cannot read a folder that only root may enter."""
        source = gzip.decompress((self.root / f"usr/share/man/man{section}/{name}.{section}.gz").read_bytes())
        return output("man", "--warnings=w", "--local-file", "-", input=source.decode(), stderr=subprocess.STDOUT,
                      env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MANWIDTH": "1000"})

    def test_the_man_page_has_every_command_and_option(self):
        page = self.page("ticketgate", 1)
        self.assertNotIn("warning", page)
        listed = output(TICKETGATE, "--help").partition("Subcommands:")[2].partition("Examples:")[0]
        commands = re.findall(r"(?m)^  (\S+)", listed)
        self.assertIn("check", commands)
        for command in commands:
            self.assertRegex(page, rf"(?m)^ *ticketgate {command}\b")
            for option in re.findall(r"(?m)^  (?:-\w,)?(--[\w-]+)", output(TICKETGATE, command, "--help")):
                self.assertIn(option, page)
        for section in ("NAME", "SYNOPSIS", "COMMANDS", "SIGNALS", "EXIT STATUS", "FILES"):
            self.assertRegex(page, rf"(?m)^{section}$")

    def test_the_man_page_of_the_configuration_has_every_key(self):
        page = self.page("ticketgate.yaml", 5)
        self.assertNotIn("warning", page)
        keys = set(re.findall(r"(?m)^\| `([^`]+)` \|", output(TICKETGATE, "reference")))
        self.assertGreater(len(keys), 50)
        for key in keys:
            self.assertIn(key, page)
        self.assertNotRegex(page, r"\]\(#|`")

    def test_the_bill_of_materials_lists_linked_and_included_packages(self):
        bill = json.loads(self.text("usr/share/doc/ticketgate/ticketgate.spdx.json"))
        self.assertEqual(bill["spdxVersion"], "SPDX-2.3")
        ids = {package["SPDXID"]: package for package in bill["packages"]}
        self.assertEqual(len(ids), len(bill["packages"]))
        kinds = {}
        for relation in bill["relationships"]:
            self.assertIn(relation["relatedSpdxElement"], ids)
            kinds.setdefault(relation["relationshipType"], set()).add(ids[relation["relatedSpdxElement"]]["name"])
        self.assertLessEqual({"libc6", "libssl3", "libstdc++6"}, kinds["DYNAMIC_LINK"])
        self.assertIn("libboost1.81-dev", kinds["STATIC_LINK"])  # Asio has only headers
        for package in bill["packages"]:
            self.assertNotIn(package["licenseConcluded"], ("", "NOASSERTION"))

    @unittest.skipUnless(shutil.which("lintian"), "lintian is not installed")
    def test_lintian_finds_nothing(self):
        run = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", self.changes],
                             capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout), (0, ""))


if __name__ == "__main__":
    TICKETGATE, SOURCE = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
    if not shutil.which("dh"):
        print("debhelper is not installed (deploy/packages.package)")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
