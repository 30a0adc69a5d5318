#!/usr/bin/env python3
"""Checks rules of this project that no compiler checks: tidy.py [--report | --self-test] [ROOT].

Without an option: prints every problem as file:line: [rule] message, and exits with 1 if there is one.
--report: prints the largest files and functions, for people to judge.
--self-test: every rule detects its kind of fault, and good code passes.
"""
import sys
from pathlib import Path

from rules import Tree, check


def report(tree):
    files = sorted(((len(s.lines), s.path) for s in tree.sources), reverse=True)[:10]
    functions = sorted(((f.lines, f.name, s.path, f.line) for s in tree.sources for f in s.functions),
                       reverse=True)[:10]
    print("largest files (past 400 lines: is it one thing?)")
    for lines, path in files:
        print(f"  {lines:5}  {path}")
    print("largest functions (past 60 lines: is it one thing?)")
    for lines, name, path, line in functions:
        print(f"  {lines:5}  {name}  {path}:{line}")


def main(arguments):
    options = [a for a in arguments if a.startswith("--")]
    rest = [a for a in arguments if not a.startswith("--")]
    tree = Tree(Path(rest[0] if rest else Path(__file__).parents[2]).resolve())
    if options == ["--self-test"]:
        import self_test
        return self_test.run()
    if options == ["--report"]:
        report(tree)
        return 0
    if options:
        print(__doc__, file=sys.stderr)
        return 2
    problems = check(tree)
    for rule, path, line, message in problems:
        print(f"{path}:{line}: [{rule}] {message}")
    report(tree)
    print(f"tidy: {len(problems)} problems in {len(tree.sources)} files")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
