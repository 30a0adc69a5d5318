#!/usr/bin/env python3
"""Puts known faults into the proxy, one at a time, and looks whether the simulation sees each: mutate.py [NAME...].

NAME: only mutations whose name, or the name of whose list, contains it. The copies of the sources and their builds
are kept in build/mutations. Exits with 1 if a mutation was missed, does not fit the source any more, or does not
compile.
"""
import argparse
import os
import queue
import shlex
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from listing import BadList, changed_files, read_lists
from tree import PROGRAMS, DoesNotCompile, Tree

SOURCE = Path(__file__).resolve().parents[2]
COPIES = SOURCE / "build/mutations"


def options():
    parser = argparse.ArgumentParser(prog="./dev mutate", description="Looks whether the simulation sees known faults.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="part of the name of a mutation or of its list")
    parser.add_argument("--list", action="store_true", help="only list the mutations, and whether they fit the source")
    parser.add_argument("--copies", type=int, default=2, help="how many are tried at the same time (2)")
    parser.add_argument("--limit", type=int, default=600, help="seconds for a run of the simulation (600)")
    return parser.parse_args()


def selected(mutations, names):
    return [one for one in mutations if not names or any(name in one.name or name in one.place for name in names)]


def say(word, text):
    print(f"{word:8}{text}", flush=True)


def misfits(mutations):
    """Those that do not fit the source, with the reason."""
    found = {}
    for one in mutations:
        try:
            changed_files(SOURCE, one)
        except BadList as why:
            found[one.name] = f"{one.place}: {why}"
        for first in (run[0] for run in one.runs):
            if not first.startswith("--") and first not in PROGRAMS:
                found[one.name] = f"{one.place}: there is no program {first} in tree.py"
    return found


def make_trees(count):
    processors = os.cpu_count() or 1
    trees = []
    for number in range(1, count + 1):
        tree = Tree(SOURCE, COPIES / str(number), processors)
        say("build", tree.root.relative_to(SOURCE))
        tree.refresh()
        tree.configure()
        tree.build()
        tree.jobs = max(1, processors // count)
        trees.append(tree)
    return trees


class Bench:
    """Runs one thing after the other on whichever copy is free."""

    def __init__(self, trees, limit):
        self.trees, self.limit = queue.Queue(), limit
        self.count = len(trees)
        for tree in trees:
            self.trees.put(tree)

    def all(self, work, items):
        """Yields the results in the order of the items."""
        def on_a_tree(item):
            tree = self.trees.get()
            try:
                return item, work(tree, item)
            finally:
                self.trees.put(tree)

        with ThreadPoolExecutor(self.count) as pool:
            yield from pool.map(on_a_tree, items)

    def sound(self, tree, arguments):
        """Without a mutation the same worlds keep their promises."""
        begin = time.monotonic()
        outcome = tree.simulate(shlex.split(arguments), self.limit)
        return outcome, time.monotonic() - begin

    def judged(self, tree, mutation):
        """The word for what became of this mutation, and the details."""
        texts = changed_files(tree.root, mutation)
        tree.write(texts)
        try:
            for run in mutation.runs:
                tree.build(run)
                outcome = tree.simulate(run, self.limit)
                if not outcome.caught:
                    break
        except DoesNotCompile as error:
            return "BROKEN", f"does not compile: {error}"
        finally:
            tree.restore(texts)
        if outcome.caught:
            return "caught", f"({outcome.said}; {outcome.replay})"
        if outcome.passed:
            return "MISSED", f"({shlex.join(run)})"
        return "HANGS" if outcome.code is None else "DIED", f"({outcome.said}; exit code {outcome.code})"


def try_all(mutations, limit, copies):
    """The words for all mutations; None: the simulation fails without any."""
    misfit = misfits(mutations)
    for name, why in misfit.items():
        say("BROKEN", f"{name}  {why}")
    fitting = [one for one in mutations if one.name not in misfit]
    bench = Bench(make_trees(min(copies, len(fitting))), limit) if fitting else None
    words = ["BROKEN"] * len(misfit)
    if not fitting:
        return words
    sound = True
    for arguments, (outcome, seconds) in bench.all(bench.sound, sorted({shlex.join(run) for one in fitting for run in one.runs})):
        sound = sound and outcome.passed
        say("sound" if outcome.passed else "FAILS", f"{arguments}  ({outcome.said}, {seconds:.0f} s) {outcome.replay}")
    if not sound:
        return None
    for mutation, (word, details) in bench.all(bench.judged, fitting):
        say(word, f"{mutation.name}  {details}")
        words.append(word)
    return words


def main():
    wanted = options()
    mutations = selected(read_lists(Path(__file__).parent), wanted.names)
    if not mutations:
        print("no mutation has such a name: ./dev mutate --list", file=sys.stderr)
        return 2
    if wanted.list:
        misfit = misfits(mutations)
        for one in mutations:
            say("BROKEN" if one.name in misfit else "", f"{one.place}: {one.name}  {misfit.get(one.name, '')}".rstrip())
        return 1 if misfit else 0
    begin = time.monotonic()
    words = try_all(mutations, wanted.limit, wanted.copies)
    if words is None:
        print("without a mutation the simulation fails: repair that first")
        return 1
    counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
    print(f"{len(words)} mutations: {counts}; {time.monotonic() - begin:.0f} s")
    return 0 if set(words) == {"caught"} else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BadList, DoesNotCompile) as problem:
        sys.exit(f"mutate: {problem}")
