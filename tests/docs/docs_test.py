#!/usr/bin/env python3
"""Checks README.md and docs/ against the program: docs_test.py [--self-test] [TICKETGATE] [ROOT].

Without an option: prints every problem as file:line: [check] message, and exits with 1 if there is one.
--self-test: every check detects its kind of problem, and good pages pass.
TICKETGATE: the program; by default the environment variable TICKETGATE_BINARY.
"""
import os
import sys
from pathlib import Path

import blocks
import links
import names
import sources
import style
from pages import Site
from tools import Tools

CHECKS = (links.links, links.files, links.reachable, links.code_map, blocks.blocks, blocks.quickstart, blocks.steps,
          names.commands, names.options, names.verbs, names.metrics, names.settings, names.named_settings,
          names.admin_pages, names.documented, sources.header_lists, sources.container, sources.figures,
          style.openings, style.plain_words)


def problems(site, tools):
    return [(check.__name__, *problem) for check in CHECKS for problem in check(site, tools)]


def report(root, tools):
    site = Site(root)
    found = problems(site, tools)
    for check, path, line, message in found:
        print(f"{path}:{line}: [{check}] {message}")
    for program in sorted(tools.skipped):
        print(f"not installed, so not asked: {program}")
    pages = site.documentation()
    print(f"docs: {len(found)} problems in {len(pages)} pages, {sum(len(p.blocks) for p in pages)} blocks")
    return 1 if found else 0


def main(arguments):
    rest = [a for a in arguments if not a.startswith("--")]
    binary = rest[0] if rest else os.environ.get("TICKETGATE_BINARY")
    if not binary or [a for a in arguments if a.startswith("--")] not in ([], ["--self-test"]):
        print(__doc__, file=sys.stderr)
        return 2
    if "--self-test" in arguments:
        import self_test
        return self_test.run(binary)
    tools = Tools(binary)
    try:
        return report(Path(rest[1] if len(rest) > 1 else Path(__file__).parents[2]).resolve(), tools)
    finally:
        tools.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
