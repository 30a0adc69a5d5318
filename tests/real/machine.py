"""Runs ticketgate under system limits that a test sets. process_test and shortage_test share it."""
import ctypes
import errno
import http.client
import os
import pathlib
import struct
import subprocess
import tempfile
import threading
import unittest

from real_test import Listening, answers, close_door, free_port, wait_for

PATIENCE = 60  # seconds: the deadline for every event that a test waits for

# For each architecture: its AUDIT_ARCH value and the numbers of the system calls.
CALLS = {"x86_64": (0xC000003E, {"epoll_ctl": 233, "pread64": 17}),
         "aarch64": (0xC00000B7, {"epoll_ctl": 21, "pread64": 67})}


def refuse(call, error, *, equal=(), at_least=()):
    """From now on this system call fails in this process when the arguments with these indices match."""
    arch, numbers = CALLS[os.uname().machine]
    allow, fail = 0x7FFF0000, 0x00050000 | error
    load, is_equal, is_at_least, give = 0x20, 0x15, 0x35, 0x06
    tests = [(4, is_equal, arch), (0, is_equal, numbers[call])]
    tests += [(16 + 8 * index, is_equal, value) for index, value in equal]
    tests += [(16 + 8 * index, is_at_least, value) for index, value in at_least]
    filters = []
    for place, (offset, comparison, value) in enumerate(tests):
        left = 2 * (len(tests) - place - 1)
        filters += [(load, 0, 0, offset), (comparison, 0, left + 1, value)]
    filters += [(give, 0, 0, fail), (give, 0, 0, allow)]
    code = b"".join(struct.pack("HBBI", *one) for one in filters)
    program = struct.pack("HxxxxxxP", len(filters), ctypes.addressof(buffer := ctypes.create_string_buffer(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program, 0, 0) != 0:
        os._exit(99)
    del buffer


def refuse_watches(descriptor):
    """epoll_ctl fails with ENOSPC for this and higher descriptors, as at fs.epoll.max_user_watches."""
    refuse("epoll_ctl", errno.ENOSPC, equal=[(1, 1)], at_least=[(2, descriptor)])


class Sink(Listening):
    """A backend that reads each request to its end and answers 200. It counts the requests that run at the same time."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()
        self.running = self.most = self.whole = self.cut = 0
        self.answers = threading.Event()  # while cleared, no answer is sent
        self.answers.set()
        self.start()

    def serve(self, connection):
        with connection, connection.makefile("rb") as reader:
            while reader.readline():
                with self.lock:
                    self.running += 1
                    self.most = max(self.most, self.running)
                try:
                    whole = self.read(reader)
                    self.answers.wait()
                finally:
                    with self.lock:
                        self.running -= 1
                if not whole:
                    self.cut += 1
                    return
                self.whole += 1
                try:
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                except OSError:
                    return

    @staticmethod
    def read(reader):
        length = 0
        while (line := reader.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        while length > 0 and (piece := reader.read(min(length, 1 << 16))):
            length -= len(piece)
        return length == 0


class OnItsMachine(unittest.TestCase):
    ticketgate = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ticketgate-process-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.sink = Sink()
        self.addCleanup(close_door, self.sink.door)
        self.port, self.admin = free_port(), free_port()

    def config(self, more="", listen="", route="", admin=""):
        file = self.folder / "c.yaml"
        file.write_text(
            f"listen: [{{ address: \"127.0.0.1:{self.port}\"{listen} }}]\n"
            f"admin: {{ address: \"127.0.0.1:{self.admin}\"{admin} }}\n"
            f"upstreams: {{ app: {{ url: \"http://127.0.0.1:{self.sink.port}\" }} }}\n"
            f"routes: [{{ prefix: /, upstream: app{route} }}]\n{more}")
        return file

    def start(self, file, wait=True, limits=None, **options):
        options.setdefault("stdout", subprocess.DEVNULL)
        errors = options.pop("stderr", None) or open(self.folder / "err", "ab")
        child = subprocess.Popen([self.ticketgate, "-c", file], preexec_fn=limits, stderr=errors, **options)
        if not isinstance(errors, int):
            errors.close()
        self.addCleanup(self.stop, child)
        if wait:
            wait_for(lambda: child.poll() is not None or answers(self.port, self.admin), "it listens")
            self.assertIsNone(child.poll(), self.told())
        return child

    @staticmethod
    def stop(child):
        if child.poll() is None:
            child.kill()
        child.wait()

    def told(self):
        file = self.folder / "err"
        return file.read_text() if file.exists() else ""

    def make_certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-subj", "/CN=a", "-keyout", self.folder / "key", "-out", self.folder / "cert"],
                       check=True, capture_output=True)

    def tells(self, what):
        """Waits for a log line: another thread writes the log, so a line may appear after the answer that it describes."""
        wait_for(lambda: what in self.told(), f"the log says: {what}", PATIENCE)

    def check(self, file):
        return subprocess.run([self.ticketgate, "check", "-c", file], capture_output=True, text=True, timeout=PATIENCE)

    def get(self, path="/", port=None, method="GET", body=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body=body)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def serves(self, path="/", port=None):
        try:
            return self.get(path, port)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def metric(self, name):
        page = self.get("/metrics", self.admin)[1].decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in page.splitlines() if line.startswith(name))
