"""Parses the program's --help into commands and options, the input for the man page and the completions."""
import os
import re
import subprocess
from dataclasses import dataclass, field

ENTRY = re.compile(r"^  (\S.*?)(?:\s{2,}(\S.*))?$")
FURTHER = re.compile(r"^\s{8,}(\S.*)$")
TITLE = re.compile(r"^([A-Z][\w ]*):$")
KNOWN = {"Options": "options", "Positionals": "positionals", "Subcommands": "commands"}


@dataclass
class Option:
    names: list          # ["-c", "--config"]
    value: str           # "TEXT=/etc/…"; empty: a flag
    text: str

    @property
    def takes_file(self):
        return "--config" in self.names or "FILE" in self.value


@dataclass
class Command:
    path: tuple          # ("id", "decode"); () for the program itself
    text: str = ""       # its description
    usage: str = ""
    options: list = field(default_factory=list)
    positionals: list = field(default_factory=list)   # (name, text)
    commands: list = field(default_factory=list)      # of Command
    sections: dict = field(default_factory=dict)      # any other "Title:" with its lines

    def tree(self):
        """This command and all below it."""
        yield self
        for command in self.commands:
            yield from command.tree()


def entries(lines):
    """Yields the (left, right) columns of a section's entries. Continuation lines are joined."""
    found = []
    for line in lines:
        if found and (more := FURTHER.match(line)):
            found[-1][1] = (found[-1][1] + " " + more.group(1)).strip()
        elif entry := ENTRY.match(line):
            found.append([entry.group(1), entry.group(2) or ""])
    return [tuple(one) for one in found]


def split(text):
    """Returns the paragraphs before the first title, and the lines under each title."""
    before, sections, title = [], {}, None
    for line in text.splitlines():
        if line.startswith("Usage:") or TITLE.match(line):
            title = "Usage" if line.startswith("Usage:") else TITLE.match(line).group(1)
            sections[title] = [line.partition(":")[2].strip()] if title == "Usage" else []
        elif title is None:
            before.append(line)
        else:
            sections[title].append(line)
    return " ".join(" ".join(before).split()), sections


def option(left, right):
    names, _, value = left.partition(" ")
    return Option(names.split(","), value.strip(), right)


def parse(path, text):
    """Parses the output of --help into a Command. Its subcommands have only names and descriptions."""
    description, sections = split(text)
    usage = " ".join(" ".join(sections.pop("Usage", [""])).split())
    command = Command(path, description, usage)
    for title, lines in sections.items():
        known = KNOWN.get(title)
        if known == "options":
            command.options = [option(*entry) for entry in entries(lines)]
        elif known == "commands":
            command.commands = [Command(path + (name.split()[0],), words) for name, words in entries(lines)]
        elif known == "positionals":
            command.positionals = [(left.split()[0], right) for left, right in entries(lines)]
        else:
            command.sections[title] = lines
    return command


def ask(binary, *arguments):
    """Runs the program under the name `ticketgate` and returns its output."""
    return subprocess.run(["ticketgate", *arguments], executable=os.path.realpath(binary), check=True,
                          stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout


def read(binary, path=()):
    """Reads the whole tree of commands."""
    command = parse(path, ask(binary, *path, "--help"))
    command.commands = [read(binary, below.path) for below in command.commands]
    if not command.options:
        raise SystemExit(f"no options in: {' '.join(('ticketgate', *path, '--help'))}")
    return command


def version(binary):
    return ask(binary, "--version").split()[-1]
