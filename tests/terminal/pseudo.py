"""A program in a pseudo terminal of its own, and what its last picture shows."""
import fcntl
import os
import pty
import re
import signal
import struct
import termios
import threading

from real_test import wait_for

STYLE = re.compile(r"\x1b\[[0-9;]*m")
LEAVE = "\x1b[?1049l"


class Terminal:
    """Starts the program as the leader of a session whose terminal this is. The terminal outlives the program."""

    def __init__(self, command, columns=100, rows=30, env=None):
        self.master, self.slave = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(self.slave)
        self.bytes, self.lock = b"", threading.Lock()
        self.pid = os.fork()
        if self.pid == 0:
            os.login_tty(self.slave) if hasattr(os, "login_tty") else self.login()
            os.execve(command[0], command, {"PATH": os.environ["PATH"], "TERM": "xterm", **(env or {})})
        self.status = None
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def login(self):
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        for number in range(3):
            os.dup2(self.slave, number)
        os.closerange(3, 64)

    def read(self):
        while True:
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                return
            with self.lock:
                self.bytes += piece

    def output(self):
        with self.lock:
            return self.bytes.decode("utf-8", "replace")

    def frames(self):
        """Each picture: from the cursor's home to the next one; the last line follows the clearing of what is left."""
        return re.findall(r"\x1b\[H((?:(?!\x1b\[H).)*\x1b\[J(?:(?!\x1b\[H).)*)", self.output(), re.S)

    def lines(self):
        frames = self.frames()
        plain = [re.sub(r"\x1b\[(\?\d+[hl]|[JK])", "", STYLE.sub("", line)) for line in frames[-1].split("\r\n")] if frames else []
        return [line.rstrip("\r") for line in plain]

    def shows(self, text):
        wait_for(lambda: any(text in line for line in self.lines()), f"'{text}' in {self.lines()}\n{self.output()[-500:]}")

    def press(self, keys):
        os.write(self.master, keys.encode())

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def signal(self, number):
        os.kill(self.pid, number)

    def poll(self, flags=0):
        """Notes the end of the program. With WUNTRACED, returns whether it has stopped."""
        if self.status is not None:
            return False
        pid, status = os.waitpid(self.pid, os.WNOHANG | flags)
        if pid == 0:
            return False
        if os.WIFSTOPPED(status):
            return True
        self.status = os.waitstatus_to_exitcode(status)
        return False

    def end(self):
        """The exit code, or minus the signal that ended it."""
        wait_for(lambda: self.poll() or self.status is not None, f"it ends: {self.output()[-300:]!r}")
        return self.status

    def restored(self):
        """Whether the terminal works as it did before the program, and shows the screen of before."""
        return termios.tcgetattr(self.slave) == self.before and \
            self.output().rfind(LEAVE) > self.output().rfind("\x1b[?1049h")

    def hang_up(self):
        os.close(self.slave)
        os.close(self.master)

    def close(self):
        self.poll()
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.end()
        for descriptor in (self.slave, self.master):
            try:
                os.close(descriptor)
            except OSError:
                pass
