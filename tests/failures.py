#!/usr/bin/env python3
"""Prints the failed tests of the last ctest run once more, with the first lines that tell why: failures.py BUILD.

The output of a test that fails among many others is hundreds of lines above the summary, and a report may show only
the end.
"""
import re
import sys
from pathlib import Path

TELLS = re.compile(r"Failure$|ERROR: |runtime error|Traceback|Error\b|^FAIL|WARNING: ThreadSanitizer|terminate called")
LINES_OF_TEST = 40
LINES_OF_FAULT = 8

HEAD = re.compile(r"^\d+/\d+ Testing: (.*)$")
VERDICT = re.compile(r"^Test (Failed|timed out|not run)|^Test .*Exception")


def failed_tests(log):
    """Yields the name and the lines of each failed test."""
    name, lines = None, []
    for line in log.splitlines():
        head = HEAD.match(line)
        if head:
            name, lines = head[1], []
        elif VERDICT.match(line):
            yield name, lines
        else:
            lines.append(line)


def telling(lines):
    """The lines that look like a fault, each with those behind it. Without one, the last lines."""
    picked, until = [], 0
    for number, line in enumerate(lines):
        if TELLS.search(line):
            until = number + LINES_OF_FAULT
        if number < until:
            picked.append(line)
    return picked[:LINES_OF_TEST] or lines[-LINES_OF_TEST:]


def main(build):
    for name, lines in failed_tests((Path(build) / "Testing/Temporary/LastTest.log").read_text(errors="replace")):
        print(f"\n── failed: {name}")
        print("\n".join(telling(lines)))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
