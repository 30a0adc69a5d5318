#!/usr/bin/env python3
"""Writes the seeds for fuzzing: the messages of tests/http_cases, the shipped config files, ids and paths.

Usage: seeds.py FOLDER. Writes FOLDER/TARGET/*. A seed for a target that selects a variant by its first byte starts
with this byte.
"""
import hashlib
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{2})(?:\*(\d+))?|(.))")
LETTERS = {b"r": b"\r", b"n": b"\n", b"t": b"\t", b"0": b"\0", b"\\": b"\\"}


def unescaped(match):
    if match[3]:
        return LETTERS[match[3]]
    return bytes([int(match[1], 16)]) * min(int(match[2] or 1), 64)


def sent(file):
    """The bytes that each case of a table sends. case_file.hpp describes the format."""
    for case in (ROOT / "tests/http_cases" / file).read_bytes().split(b"\ncase: ")[1:]:
        out = b""
        for line in case.split(b"\n"):
            if not line.startswith(b">"):
                continue
            text = line[2:]
            cut = re.search(rb"(?<!\\)(\\\\)*\\$", text) is not None
            out += ESCAPE.sub(unescaped, text[:-1] if cut else text) + (b"" if cut else b"\r\n")
        yield out


def main(folder):
    seeds = {name: [] for name in ("request", "response", "chunks", "path", "config", "escape", "ids", "noeq",
                                 "proxy_header", "fcgi")}
    requests = [m for f in ("request_framing.txt", "request_syntax.txt", "request_semantics.txt") for m in sent(f)]
    seeds["request"] = [b"\0" + m for m in requests]
    seeds["response"] = [b"\0" + m for m in sent("responses.txt")]
    seeds["chunks"] = [b"\0" + m.partition(b"\r\n\r\n")[2] for m in requests if b"hunked" in m]
    seeds["path"] = [m.split(b" ")[1].partition(b"?")[0] for m in requests if m.count(b" ") > 1]
    seeds["config"] = [path.read_bytes() for path in ROOT.glob("config/*.yaml")]
    seeds["config"] += [path.read_bytes() for path in ROOT.glob("tests/unit/config/*.yaml")]
    seeds["escape"] = requests
    for file in ("txid.json", "unique_id.json", "noeq.json"):
        text = json.dumps(json.loads((ROOT / "tests/vectors" / file).read_text()))
        seeds["ids"] += [word.encode() for word in re.findall(r'"([\w@.-]{12,40})"', text)]
    seeds["ids"] += [b"018f2b3c-4d5e-7f60-8a9b-0c1d2e3f4a5b", b"01HZX3V5Q8J6K7M9N0P1R2S3T4", b"1234567890123456789"]
    seeds["noeq"] = [b"\0\1\2\xff", b"\1\0\6sekrit\1\2\3", b"\1\0\6secret\1", b"\1\1\6", b"\1\0\0\1"]
    def records(*parts):
        return b"\0" + b"".join(bytes([1, kind, 0, 1, len(text) >> 8, len(text) & 255, pad, 0]) + text + bytes(pad)
                               for kind, text, pad in parts)

    seeds["fcgi"] = [records((6, b"Content-Type: text/html\r\n\r\nhello", 1), (6, b"", 0), (3, bytes(8), 0)),
                     records((7, b"PHP Warning", 5), (6, b"Status: 404 Not Found\nLocation: /x\n\n", 0), (3, bytes(8), 0)),
                     records((6, b"Location: /y\r\nConnection: close\r\n\r\n", 7), (3, b"\0\0\0\1\2\0\0\0", 0)),
                     b'\1{"processes":[{"state":"Running","start since":3,"request method":"GET","request uri":"/index.php?a=1",'
                     b'"request duration":12,"script":"/w/index.php"}],"active processes":1}']
    v2, inet = b"\r\n\r\n\0\r\nQUIT\n", bytes.fromhex("0a0102037f0000019c4001bb")
    seeds["proxy_header"] = [b"PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\nGET /", b"PROXY UNKNOWN\r\n",
                             b"PROXY TCP6 2001:db8::7 ::1 40000 443\r\n", v2 + b"\x20\0\0\0",
                             v2 + b"\x21\x11\0\x0c" + inet, v2 + b"\x21\x21\0\x24" + bytes(36),
                             v2 + b"\x21\x31\0\xd8" + bytes(216),
                             v2 + b"\x21\x11\0\x14" + inet + bytes.fromhex("2000050100000000"),
                             v2 + b"\x21\x11\0\x13" + inet + bytes.fromhex("030004082868a6")]
    for target, inputs in seeds.items():
        into = pathlib.Path(folder) / target
        into.mkdir(parents=True, exist_ok=True)
        for one in inputs:
            (into / hashlib.sha1(one).hexdigest()).write_bytes(one)


if __name__ == "__main__":
    main(sys.argv[1])
