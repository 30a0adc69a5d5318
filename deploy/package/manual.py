#!/usr/bin/env python3
"""Generates man pages and completions from the program's output: manual.py TICKETGATE SOURCE OUT.

ticketgate(1) comes from every --help, and from the signals and exit codes in docs/operations.md;
ticketgate.yaml(5) comes from `ticketgate reference`; the completions come from every --help.
"""
import re
import sys
from pathlib import Path

import cli
import completions


def roff(text):
    """Escapes plain text for roff: its special characters, and line starts that would be requests."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def words(markdown):
    """Converts a paragraph of Markdown: links become their text, code becomes bold."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", markdown)
    text = re.sub(r"\*\*([^*]*)\*\*", r"`\1`", text)
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(f"\\fB{roff(part[1:-1])}\\fR" if part[:1] == "`" else roff(part) for part in parts)


def item(left, *lines):
    return [".TP", f"\\fB{roff(left)}\\fR", *(line for line in lines if line)]


def title(name, section, version, what):
    return [f".\\\" Made from the program's own words (deploy/package/manual.py).",
            f'.TH {name} {section} "" "ticketgate {version}" "{what}"']


def option_item(option):
    value, _, preset = option.value.partition("=")
    left = ", ".join(option.names) + (f" {value}" if value else "")
    return item(left, roff(option.text + (f" (default: {preset})" if preset else "")))


def command_part(command):
    synopsis = command.usage or " ".join(("ticketgate", *command.path))
    lines = [f'.SS "{roff(synopsis)}"', roff(command.text)]
    for name, text in command.positionals:
        lines += item(name, roff(text))
    for option in command.options:
        if "--help" not in option.names:
            lines += option_item(option)
    return lines + other_sections(command, ".PP")


def other_sections(command, start):
    """The parts of a command's help that are not tables, such as examples, unchanged."""
    lines = []
    for heading, text in command.sections.items():
        if any(line.strip() for line in text):
            lines += [f'{start} "{roff(heading.upper())}"' if start == ".SH" else f".PP\n{roff(heading)}:",
                      ".nf", *(roff(line) for line in text if line.strip()), ".fi"]
    return lines


def section(page, heading):
    found = re.search(rf"(?ms)^## {heading}$(.*?)(?=^## |\Z)", page)
    return found.group(1) if found else ""


def table(text):
    """The rows of the page's tables without headers, each as a list of cells."""
    rows = [[cell.replace("\\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in text.splitlines() if line.startswith("|")]
    return [row for row in rows[2:]]


def command_page(program, operations, version):
    lines = title("TICKETGATE", 1, version, "User Commands")
    lines += [".SH NAME", "ticketgate \\- HTTP reverse proxy that lets one request at a time through, in order"]
    lines += [".SH SYNOPSIS", ".B ticketgate", "[\\fIOPTIONS\\fR] [\\fICOMMAND\\fR]"]
    lines += [".SH DESCRIPTION", roff(program.text), ".PP",
              "Without a command,", ".B ticketgate", "runs the proxy in the foreground."]
    lines += [".SH OPTIONS"]
    for option in program.options:
        lines += option_item(option)
    lines += [".PP", "Options of", ".B ticketgate", "may follow a command, too."]
    lines += [".SH COMMANDS"]
    for command in program.tree():
        if command.path:
            lines += command_part(command)
    lines += other_sections(program, ".SH")
    if signals := table(section(operations, "Signals")):
        lines += [".SH SIGNALS"]
        for name, effect in signals:
            lines += item(name, words(effect))
    if codes := re.search(r"(?ms)^Exit codes: (.*?)$\n\n", operations):
        lines += [".SH EXIT STATUS", words(" ".join(codes.group(1).split()))]
    lines += [".SH FILES", *item("/etc/ticketgate/ticketgate.yaml", "The configuration."),
              ".SH SEE ALSO", ".BR ticketgate.yaml (5)"]
    return "\n".join(lines) + "\n"


def key_item(cells):
    key, kind, preset, allowed, text = cells
    about = words(kind)
    if preset == "required":
        about += ", required"
    elif preset:
        about += f", default {words(preset)}"
    if allowed:
        about += f", {words(allowed)}"
    return item(key.strip("`"), about + ".", ".br", words(text))


def file_page(reference, version):
    lines = title("TICKETGATE.YAML", 5, version, "File Formats")
    lines += [".SH NAME", "ticketgate.yaml \\- the configuration of ticketgate", ".SH DESCRIPTION",
              "The file is YAML. Its keys follow, by section."]
    paragraph = ""

    def flush():
        nonlocal paragraph
        text, paragraph = paragraph, ""
        if not text:
            return []
        return [".IP \\(bu 2", words(text[2:])] if text.startswith("- ") else [".PP", words(text)]

    # The text before the list describes the page in docs/.
    for line in reference[reference.index("\n- "):].splitlines():
        if line.startswith(("|", "#", "- ")) or not line.strip():
            lines += flush()
        if line.startswith("## "):
            lines.append(f'.SH "{roff(line[3:].upper())}"')
        elif line.startswith("| `"):
            lines += key_item(table("|\n|\n" + line)[0])
        elif line.strip() and not line.startswith("|"):
            paragraph = (paragraph + " " + line.strip()).strip()
    return "\n".join(lines + flush() + [".SH SEE ALSO", ".BR ticketgate (1)"]) + "\n"


def main(binary, source, out):
    program, version = cli.read(binary), cli.version(binary)
    operations = (Path(source) / "docs/operations.md").read_text(encoding="utf-8")
    made = {"ticketgate.1": command_page(program, operations, version),
            "ticketgate.yaml.5": file_page(cli.ask(binary, "reference"), version),
            "ticketgate.bash": completions.bash(program),
            "_ticketgate": completions.zsh(program),
            "ticketgate.fish": completions.fish(program)}
    Path(out).mkdir(parents=True, exist_ok=True)
    for name, text in made.items():
        (Path(out) / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
