"""A disk that hangs: a file system of one folder (FUSE) whose reads and look-ups wait until they are let through.

Speaks the kernel's protocol itself, so no library is needed; mounting needs root.
"""
import collections
import ctypes
import errno
import os
import struct
import threading

LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, FLUSH, INIT, OPENDIR, RELEASEDIR = 1, 2, 3, 14, 15, 18, 25, 26, 27, 29
INTERRUPT, BATCH_FORGET = 36, 42
DIRECT_IO = 1  # the system keeps none of it in memory


class SlowDisk:
    """`files`: contents by name. Names that begin with `slow` wait for release() at each read, `lost` at the look-up,
    `shut` when they are opened, `told` when they are closed; `denied` must not be opened. What was found once is known to the kernel from then on.
    Each read of a file whose name begins with `direct` asks here; `reads` counts them."""

    def __init__(self, folder, files):
        self.folder, self.files = str(folder), files
        self.names = list(files)
        self.open = threading.Event()
        self.lock = threading.Lock()
        self.hanging = set()  # requests that wait
        self.reads = collections.Counter()
        self.device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.device},rootmode=40000,user_id=0,group_id=0,allow_other".encode()
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(b"slow", self.folder.encode(), b"fuse", 0, options) != 0:
            error = ctypes.get_errno()
            os.close(self.device)
            raise OSError(error, os.strerror(error))
        threading.Thread(target=self.serve, daemon=True).start()

    def release(self):
        self.open.set()

    def stop(self):
        self.release()
        ctypes.CDLL(None).umount2(self.folder.encode(), 2)
        os.close(self.device)

    def serve(self):
        while True:
            try:
                message = os.read(self.device, 1 << 20)
            except OSError:
                return
            _, opcode, unique, node = struct.unpack_from("<IIQQ", message)
            body = message[40:]
            if opcode in (FORGET, BATCH_FORGET):
                continue
            if opcode == INTERRUPT:  # the process that waits for it ends
                self.interrupt(*struct.unpack("<Q", body))
            elif self.waits(opcode, node, body) and not self.open.is_set():
                with self.lock:
                    self.hanging.add(unique)
                threading.Thread(target=self.answer_later, args=(opcode, unique, node, body), daemon=True).start()
            else:
                self.answer(opcode, unique, node, body)

    def waits(self, opcode, node, body):
        if opcode == READ:
            return self.names[node - 2].startswith("slow")
        if opcode == FLUSH:
            return self.names[node - 2].startswith("told")
        if opcode == OPEN:
            return self.names[node - 2].startswith("shut")
        return opcode == LOOKUP and body.startswith(b"lost")

    def name_of(self, node):
        return "" if node == 1 else self.names[node - 2]

    @property
    def waiting(self):
        return len(self.hanging)

    def is_still_wanted(self, unique):
        with self.lock:
            wanted = unique in self.hanging
            self.hanging.discard(unique)
        return wanted

    def interrupt(self, unique):
        if self.is_still_wanted(unique):
            self.send(unique, b"", -errno.EINTR)

    def answer_later(self, opcode, unique, node, body):
        self.open.wait()
        if self.is_still_wanted(unique):
            self.answer(opcode, unique, node, body)

    def answer(self, opcode, unique, node, body):
        try:
            out, error = self.result(opcode, node, body), 0
        except OSError as failed:
            out, error = b"", -failed.errno
        self.send(unique, out, error)

    def send(self, unique, out, error):
        try:
            os.write(self.device, struct.pack("<IiQ", 16 + len(out), error, unique) + out)
        except OSError:
            pass  # the request was given up

    def attributes(self, node):
        size = 0 if node == 1 else len(self.files[self.names[node - 2]])
        mode = 0o040755 if node == 1 else 0o100755
        return struct.pack("<QQQQQQIIIIIIIIII", node, size, (size + 511) // 512, 1_700_000_000, 1_700_000_000,
                           1_700_000_000, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)

    def result(self, opcode, node, body):
        if opcode == INIT:
            return struct.pack("<IIIIHHIIHH", 7, 31, 65536, 0, 16, 12, 65536, 1, 16, 0) + bytes(28)
        if opcode == LOOKUP:
            name = body.rstrip(b"\0").decode()
            if name not in self.files:
                raise OSError(errno.ENOENT, name)
            found = self.names.index(name) + 2
            known_for = 3600 if name.startswith(("shut", "denied", "direct")) else 0
            return struct.pack("<QQQQII", found, 0, known_for, known_for, 0, 0) + self.attributes(found)
        if opcode == GETATTR:
            return struct.pack("<QII", 0, 0, 0) + self.attributes(node)
        if opcode == OPEN and self.names[node - 2].startswith("denied"):
            raise OSError(errno.EPERM, "denied")
        if opcode in (OPEN, OPENDIR):
            return struct.pack("<QII", 0, DIRECT_IO if self.name_of(node).startswith("direct") else 0, 0)
        if opcode == READ:
            _, offset, size = struct.unpack_from("<QQI", body)
            self.reads[self.name_of(node)] += 1
            return self.files[self.names[node - 2]][offset:offset + size]
        if opcode in (RELEASE, RELEASEDIR, FLUSH):
            return b""
        raise OSError(errno.ENOSYS, "not served")
