#!/usr/bin/env python3
"""Every test in a build tree has a name of printable characters: names_test.py BUILD.

GoogleTest prints a parameter of an unknown type as bytes. Such a type needs a PrintTo().
"""
import re
import subprocess
import sys

BYTES = re.compile(r"\b\d+-byte object\b|[^\x20-\x7e]")


def main(build):
    listed = subprocess.run(["ctest", "--test-dir", build, "-N"], check=True, stdout=subprocess.PIPE).stdout
    names = re.findall(rb"(?m)^ *Test +#\d+: (.*)$", listed)
    # ctest lists a binary that is not built yet as NAME_NOT_BUILT, without its tests.
    bad = [name.decode(errors="backslashreplace") for name in names if BYTES.search(name.decode(errors="replace"))]
    for name in bad:
        print(name)
    print(f"{len(bad)} of {len(names)} names have raw bytes")
    return 1 if bad or not names else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
