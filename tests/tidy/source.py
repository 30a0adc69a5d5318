"""Reads a C++ file into lines, tokens and matched brackets, and finds the braces that open a block.

This is not a parser. It finds statements, blocks, lambdas and function bodies in code that clang-format
has formatted.
"""
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.']*|->|::|[^\s]")
COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<d>[^(\s]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.S)
CONTROL = {"if", "while", "for", "switch", "catch"}
BEFORE_BLOCK = {"else", "do", "try", "const", "noexcept", "override", "final", "mutable"}
SCOPES = {"namespace", "class", "struct", "union", "enum"}


@dataclass
class Token:
    text: str
    line: int
    partner: int = -1     # index of the matching bracket
    block: bool = False   # of a brace: opens a block, not an initialiser


@dataclass
class Function:
    name: str
    line: int
    lines: int


@dataclass
class Source:
    path: Path            # relative to the root
    text: str
    lines: list = field(init=False)

    def __post_init__(self):
        self.lines = self.text.splitlines()

    @cached_property
    def code(self):
        """The text with comments and literals blanked, line for line."""
        def blank(match):
            inner = re.sub(r"[^\n]", " ", match.group())
            return inner if match.group().startswith("/") else '""' + inner[2:]
        return COMMENT_OR_TEXT.sub(blank, self.text)

    @cached_property
    def tokens(self):
        tokens, opened = [], []
        for number, line in enumerate(self.code.splitlines(), 1):
            if line.lstrip().startswith("#"):
                continue
            tokens += [Token(text, number) for text in TOKEN.findall(line)]
        closers = {")": "(", "]": "[", "}": "{"}
        for at, token in enumerate(tokens):
            if token.text in "([{":
                opened.append(at)
            elif token.text in closers and opened and tokens[opened[-1]].text == closers[token.text]:
                token.partner = opened.pop()
                tokens[token.partner].partner = at
        for at, token in enumerate(tokens):
            if token.text == "{":
                token.block = self._opens_block(tokens, at)
        return tokens

    @staticmethod
    def _opens_block(tokens, at):
        if at == 0:
            return True
        before = tokens[at - 1].text
        if before in BEFORE_BLOCK or before in ";{}:)":
            return before != "{" or tokens[at - 1].block  # `{{1}, {2}}` is data
        statement = []
        for token in reversed(tokens[:at]):
            if token.text in ";{}(,=":
                break
            statement.append(token.text)
        if SCOPES & set(statement):
            return True
        # `auto f() -> task<void> {` and `[] {`
        return before == "]" or ("->" in statement and ")" in statement[statement.index("->"):])

    def lambda_start(self, brace):
        """The index of the `[` of the lambda whose body this brace opens, or -1."""
        tokens, at = self.tokens, brace - 1
        while at > 0 and tokens[at].text not in ";{})]" and brace - at < 24:
            at -= 1  # over `mutable`, `noexcept`, `-> type`
        if tokens[at].text == ")" and tokens[at].partner > 0:
            at = tokens[at].partner - 1
        if tokens[at].text != "]" or tokens[at].partner < 0:
            return -1
        start = tokens[at].partner
        previous = tokens[start - 1].text if start else ";"
        subscript = re.fullmatch(r"[\w)\]]+", previous) and previous not in ("return", "co_return")
        return -1 if subscript else start

    def is_control(self, paren):
        return paren > 0 and (self.tokens[paren - 1].text in CONTROL or
                              (self.tokens[paren - 1].text == "constexpr"
                               and self.tokens[paren - 2].text == "if"))

    @cached_property
    def functions(self):
        """The function bodies that are not inside another body."""
        found, tokens, at = [], self.tokens, 0
        while at < len(tokens):
            token = tokens[at]
            head = self._head(at) if token.text == "{" and token.partner > 0 else None
            if head is None or not any(t.text == "(" for t in head) or not token.block:
                at += 1
                continue
            opened = next(i for i, t in enumerate(head) if t.text == "(")
            name = head[opened - 1].text if opened else "?"
            if re.fullmatch(r"[A-Z_]{2,}", name):  # TEST(Noun, Promise)
                name = "".join(t.text if t.text != "," else ", " for t in head)
            begin, end = head[0].line, tokens[token.partner].line
            found.append(Function(name, begin, end - begin + 1))
            at = token.partner + 1
        return found

    def _head(self, brace):
        """The tokens of the declaration before a brace, unless it opens a namespace or a type."""
        tokens, at = self.tokens, brace - 1
        while at >= 0 and tokens[at].text not in ";{" and not (
                tokens[at].text == "}" and tokens[tokens[at].partner].block):
            at = tokens[at].partner if tokens[at].text in ")]}" and tokens[at].partner >= 0 else at
            at -= 1
        head = tokens[at + 1:brace]
        depth_zero = [t.text for t in head[:next(
            (i for i, t in enumerate(head) if t.text == "("), len(head))]]
        return None if SCOPES & set(depth_zero) or not head else head
