#!/usr/bin/env python3
"""Extracts the steps of a documentation page that a reader carries out: extract.py PAGE FOLDER [SECTION ...].

Without sections: the part before the page's first section. Each step becomes a numbered file in FOLDER:
- NN.sh: a `sh` block, run unchanged in the clone's folder. The line `git clone` is left out, since the clone exists.
- NN.file, NN.mode, NN.path: another block after a text with "Write `/path`" or "Add to `/path`".
A configuration block without such a text is an error, because a reader would not know where to write it.
"""
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "docs"))
from pages import Page  # noqa: E402

SHOWN = ("text", "console", "yaml fragment", "yaml other", "json")
PLACE = re.compile(r"(Write|Add\s+to)\s+`(/[^`]+)`")


def paragraph(page, block):
    """The paragraph directly above a block."""
    lines = []
    for number, line in sorted(page.prose, reverse=True):
        if number >= block.line or (not line.strip() and not lines):
            continue
        if not line.strip() or number < block.line - 8:
            break
        lines.insert(0, line)
    return "\n".join(lines)


def section_of(page, line):
    """The heading of the section that contains a line; None before the first heading. The page's title does not count."""
    heading = None
    for number, text in page.prose:
        if number > line:
            break
        if found := re.match(r"##+ (.+)", text):
            heading = found[1]
    return heading


def place_of(page, block):
    """("write" or "add", path); None: the block is only shown."""
    text = paragraph(page, block)
    found = PLACE.findall(text)
    if found:
        verb, path = found[-1]
        return ("write" if verb == "Write" else "add"), path
    if block.info in SHOWN or "that you copied" in text:
        return None
    raise ValueError(page.path, block.line, "no text says where this block is to be written")


def command_lines(text):
    return re.sub(r"git clone \S+ \S+ && cd \S+\n", "", text)


def steps(page, sections):
    """("sh", text), or ("write" or "add", path, text)."""
    for block in page.blocks:
        if (section_of(page, block.line) or "") not in (sections or [""]):
            continue
        if block.info == "sh":
            yield "sh", command_lines(block.text)
        elif place := place_of(page, block):
            yield *place, block.text


def main(name, folder, *sections):
    page = Page(name, Path(name).read_text(encoding="utf-8"))
    missing = [s for s in sections if s not in {section_of(page, b.line) for b in page.blocks}]
    if missing:
        raise SystemExit(f"{name}: no blocks in {', '.join(missing)}")
    for number, step in enumerate(steps(page, sections), 1):
        at = Path(folder) / f"{number:02}"
        if step[0] == "sh":
            at.with_suffix(".sh").write_text(step[1])
        else:
            at.with_suffix(".mode").write_text(step[0])
            at.with_suffix(".path").write_text(step[1])
            at.with_suffix(".file").write_text(step[2])


if __name__ == "__main__":
    main(*sys.argv[1:])
