#!/usr/bin/env python3
"""Runs a program under the SystemCallFilter of a unit: under_unit.py [--errno] UNIT PROGRAM [ARGUMENT...].

It needs libseccomp and systemd-analyze (which knows the groups), but no running systemd. A call outside the filter ends
the process with SIGSYS, so that a test notices it. With --errno the call fails with EPERM, as under the unit.
It also sets no_new_privs, as the unit does.
"""
import ctypes
import errno
import functools
import os
import subprocess
import sys

KILL, ERRNO, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
NO_SUCH_CALL = -1


@functools.lru_cache
def group(name):
    """The system calls of a group and of the groups that it contains."""
    lines = subprocess.run(["systemd-analyze", "syscall-filter", name], check=True, capture_output=True, text=True)
    found = set()
    for line in lines.stdout.splitlines()[1:]:
        if word := line.partition("#")[0].strip():
            found |= group(word) if word.startswith("@") else {word}
    return frozenset(found)


def allowed(unit):
    """The system calls that the SystemCallFilter lines permit. The first line makes the filter an allow-list, and systemd
    adds @default to it."""
    lines = [line.partition("=")[2].split() for line in unit.splitlines() if line.startswith("SystemCallFilter=")]
    calls = set(group("@default"))
    for words in lines:
        taken = words[0].startswith("~")
        for word in words:
            word = word.lstrip("~")
            these = group(word) if word.startswith("@") else {word}
            calls = calls - these if taken else calls | these
    return calls


def load(calls, otherwise):
    seccomp = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    seccomp.seccomp_init.restype = ctypes.c_void_p
    rules = ctypes.c_void_p(seccomp.seccomp_init(otherwise))
    for call in sorted(calls):
        number = seccomp.seccomp_syscall_resolve_name(call.encode())
        if number != NO_SUCH_CALL and number >= 0:
            if seccomp.seccomp_rule_add(rules, ALLOW, number, 0) != 0:
                sys.exit(f"under_unit: no rule for {call}")
    if seccomp.seccomp_load(rules) != 0:  # sets no_new_privs
        sys.exit("under_unit: the kernel takes no filter")


def main(arguments):
    otherwise = KILL
    if arguments[:1] == ["--errno"]:
        otherwise = ERRNO | errno.EPERM
        arguments = arguments[1:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    with open(arguments[0], encoding="utf-8") as file:
        calls = allowed(file.read())
    if not calls - group("@default"):
        sys.exit(f"under_unit: {arguments[0]} has no SystemCallFilter")
    load(calls, otherwise)
    os.execv(arguments[1], arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
