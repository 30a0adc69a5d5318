"""Allocations of one thread of a ticketgate fail, by a library that is preloaded (failing_memory.c)."""
import mmap
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).with_name("failing_memory.c")


class FailingMemory:
    """Tells the preloaded library which allocation of which thread fails."""

    def __init__(self, file):
        file.write_bytes(bytes(4096))
        with open(file, "r+b") as opened:
            self.plan = mmap.mmap(opened.fileno(), 4096)

    def fail(self, thread, passes, fails=1):
        self.plan[:16] = struct.pack("4i", thread, passes, fails, 0)

    def stop(self):
        self.plan[:4] = bytes(4)

    @property
    def passes(self):
        return struct.unpack("4i", self.plan[:16])[1]

    @property
    def failed(self):
        return struct.unpack("4i", self.plan[:16])[3]


class WithFailingMemory(unittest.TestCase):
    """Its library, and the environment of a process that has it."""

    @classmethod
    def setUpClass(cls):
        cls.built = pathlib.Path(tempfile.mkdtemp(prefix="ticketgate-memory-"))
        cls.addClassCleanup(shutil.rmtree, cls.built)
        cls.library = cls.built / "failing_memory.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", cls.library, SOURCE], check=True)

    def setUp(self):
        super().setUp()
        self.plan = self.built / "plan"
        self.memory = FailingMemory(self.plan)

    def environment(self):
        return {"LD_PRELOAD": str(self.library), "FAILING_MEMORY": str(self.plan)}
