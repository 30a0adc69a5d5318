"""Reads the lists of mutations, and changes the text of a file as one of them says.

    # A comment.
    == the limit is one too high
    run --sweep 1 --stride 5
    file lib/proxy/settings.cpp
    -    settings.limits.max_in_flight = queue.max_in_flight;
    +    settings.limits.max_in_flight = queue.max_in_flight + 1;

`run`: the arguments of tg_simulate that show the fault; behind `model` those of tg_cluster_model, behind `paths` of
tg_path_model, and behind the name of a test (PROGRAMS in tree.py) those of that test, for what no simulated wire has:
queues of the system, workers, trust; behind `torture` (shortened) or `torture_whole` the names of scenarios of the
torture kit, with commas. Each of several `run` must see the fault. Each `file` is one edit, in the form of a diff
without line numbers: lines with ` ` or `-` stand in the file, in this order and only once; those with `-` go, those
with `+` come.
"""
import shlex
from dataclasses import dataclass, field
from pathlib import Path


class BadList(Exception):
    """A list cannot be read, or one of its edits does not fit the source."""


@dataclass
class Edit:
    path: str
    old: list = field(default_factory=list)
    new: list = field(default_factory=list)


@dataclass
class Mutation:
    name: str
    place: str  # LIST:LINE
    runs: list = field(default_factory=list)  # the arguments of each, of tg_simulate or behind the name of a program
    edits: list = field(default_factory=list)


def add_line(mutation, line):
    kind, rest = line[0], line[1:]
    if kind in " -+" and mutation.edits:
        edit = mutation.edits[-1]
        if kind != "+":
            edit.old.append(rest)
        if kind != "-":
            edit.new.append(rest)
    elif line.startswith("run "):
        mutation.runs.append(shlex.split(line)[1:])
    elif line.startswith("file "):
        mutation.edits.append(Edit(line.split()[1]))
    else:
        raise BadList(f"{mutation.place}: what is this line: {line}")


def read_list(path):
    mutations = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("== "):
            mutations.append(Mutation(line[3:].strip(), f"{path.name}:{number}"))
        elif line and line[0] != "#":
            if not mutations:
                raise BadList(f"{path.name}:{number}: a line before the first name")
            add_line(mutations[-1], line)
    for one in mutations:
        if not one.runs or not one.edits or not all(edit.old for edit in one.edits):
            raise BadList(f"{one.place}: {one.name}: needs run, file, and lines that stand in the file")
    return mutations


def read_lists(folder):
    mutations = [one for path in sorted(Path(folder).glob("*.list")) for one in read_list(path)]
    names = [one.name for one in mutations]
    for name in names:
        if names.count(name) > 1:
            raise BadList(f"two mutations are called: {name}")
    return mutations


def changed(text, edit):
    """The text behind the edit. Its old lines must stand there exactly once."""
    lines, size = text.split("\n"), len(edit.old)
    found = [at for at in range(len(lines) - size + 1) if lines[at:at + size] == edit.old]
    if len(found) != 1:
        raise BadList(f"{edit.path} has these lines {len(found)} times, not once: {edit.old[0].strip()} …")
    return "\n".join(lines[:found[0]] + edit.new + lines[found[0] + size:])


def changed_files(root, mutation):
    """The new text of each file that the mutation changes, by its path."""
    texts = {}
    for edit in mutation.edits:
        path = Path(root) / edit.path
        if not path.is_file():
            raise BadList(f"there is no {edit.path}")
        texts[edit.path] = changed(texts.get(edit.path, path.read_text()), edit)
    return texts
