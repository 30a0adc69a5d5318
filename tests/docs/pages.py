"""Parses Markdown pages into headings, links, code blocks, code spans and tables, each with its line."""
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

FENCE = re.compile(r"^(\s*)(```+)(.*)$")
SPAN = re.compile(r"(`+)(.+?)\1(?!`)")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@dataclass
class Block:
    info: str
    line: int
    text: str


@dataclass
class Table:
    header: list
    rows: list = field(default_factory=list)  # (line, cells)


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    text = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return text.replace(" ", "-")


class Page:
    def __init__(self, path, text):
        self.path = path  # relative to the tree
        self.blocks, self.prose = [], []  # prose: (line, text) outside code blocks
        self.read(text.splitlines())

    def read(self, lines):
        block = None
        for number, line in enumerate(lines, 1):
            fence = FENCE.match(line)
            if block is None and fence:
                block, indent, end = Block(fence[3].strip(), number, ""), len(fence[1]), fence[2]
                self.blocks.append(block)
            elif block and fence and fence[2] == end and not fence[3]:
                block = None
            elif block:
                block.text += (line[indent:] if line[:indent].isspace() or not indent else line) + "\n"
            else:
                self.prose.append((number, line))
        if block:
            raise ValueError(f"{self.path}:{block.line}: a code block without an end")

    @cached_property
    def anchors(self):
        found = []
        for _, line in self.prose:
            if heading := re.match(r"#+ (.+)", line):
                plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1])
                name = slug(plain)
                again = sum(1 for other in found if re.fullmatch(re.escape(name) + r"(-\d+)?", other))
                found.append(f"{name}-{again}" if again else name)
        return set(found)

    @cached_property
    def links(self):
        """(line, target) of each link, except images and links inside code."""
        return [(number, target) for number, line in self.prose
                for target in LINK.findall(SPAN.sub(lambda m: "x" * len(m[0]), line))]

    @cached_property
    def spans(self):
        """(line, text) of each piece of inline code."""
        return [(number, m[2].strip()) for number, line in self.prose for m in SPAN.finditer(line)]

    @cached_property
    def code(self):
        """(line, text) of each span and of each line in a code block."""
        inside = [(block.line + n, line) for block in self.blocks
                  for n, line in enumerate(block.text.splitlines(), 1)]
        return self.spans + inside

    @cached_property
    def commands(self):
        """(line, text) of the code that may contain commands, without output and comments."""
        found = list(self.spans)
        for block in self.blocks:
            for number, line in enumerate(block.text.splitlines(), block.line + 1):
                if block.info in ("sh", "text"):
                    found.append((number, re.sub(r"(^|\s)#.*", "", line)))
                elif block.info == "console" and line.startswith("$ "):
                    found.append((number, line[2:]))
        return found

    @cached_property
    def tables(self):
        tables, before = [], None
        for number, line in self.prose:
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]
            if not cells:
                before = None
            elif all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                tables.append(Table(before or []))
                before = tables[-1]
            elif isinstance(before, Table):
                before.rows.append((number, cells))
            else:
                before = cells
        return tables


class Site:
    """A source tree with its pages."""

    def __init__(self, root):
        self.root = Path(root)
        names = {"README.md", "CHANGELOG.md", "lib/README.md"}
        for top, pattern in (("docs", "*.md"), ("loadtest", "*.md"), ("tests", "README.md")):
            names |= {str(path.relative_to(self.root)) for path in (self.root / top).rglob(pattern)}
        self.pages = {name: Page(name, (self.root / name).read_text(encoding="utf-8"))
                      for name in sorted(names) if (self.root / name).is_file()}

    def documentation(self):
        """The pages for users, except the generated one, whose generator has its own tests."""
        return [page for name, page in self.pages.items()
                if name.startswith("docs/") and name != "docs/reference.md" or "/" not in name]
