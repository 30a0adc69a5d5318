"""What stands behind the replicas of a storm: tg_backend, or a real php-fpm. Its journal gives the verdict."""
import asyncio
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tests" / "real"))
from parts import Process, fetch  # noqa: E402
from real_test import free_port  # noqa: E402

FPM = "php-fpm8.2"
WORKERS = 8
PAUSE = 0.05
TRIES = 200


@dataclasses.dataclass(frozen=True)
class Overlapped:
    """A request that still ran when another began. Seconds of the monotonic clock."""
    began: float
    other_began: float
    seq: int
    token: int
    path: str

    def __str__(self):
        return f"{self.path} seq={self.seq} token={self.token} ran for {self.other_began - self.began:.3f} s"


class Backend(Process):
    """tg_backend, over HTTP."""
    kind = "tg_backend"

    async def begin(self):
        self.port = free_port()
        self.command = [self.world.tools / "tg_backend", "--listen", f"127.0.0.1:{self.port}", "--log-lines", 10000,
                        "--seconds", 1 << 20]
        await self.start()
        await self.answers()

    async def answers(self):
        for _ in range(TRIES):
            if await self.is_there():
                return
            await asyncio.sleep(PAUSE)
        raise RuntimeError(f"{self.kind} does not answer: {self.errors.read_text()[-500:]}")

    async def is_there(self):
        return bool(await self.stats())

    def upstream(self):
        return f"{{url: \"http://127.0.0.1:{self.port}\"}}"

    async def stats(self):
        """Empty: no answer."""
        text = await fetch(self.port, "/__stats")
        return json.loads(text) if text else {}

    async def has_begun(self, seq):
        text = await fetch(self.port, f"/__run?seq={seq}")
        return bool(text) and json.loads(text)["started"] > 0

    async def faults(self):
        return (await fetch(self.port, "/__faults")).decode()

    async def overlapped(self):
        found = []
        for line in (await fetch(self.port, "/__overlapped")).decode().splitlines():
            began, other_began, seq, token, path = line.split(" ", 4)
            found.append(Overlapped(int(began) / 1e6, int(other_began) / 1e6, int(seq.partition("=")[2]),
                                    int(token.partition("=")[2]), path))
        return found


class Journal:
    """That of the PHP script, as tg_backend's (loadtest/journal.hpp): one request at a time, fencing numbers that rise."""

    def __init__(self):
        self.running, self.seen, self.overlapped = {}, set(), []
        self.counts = dict.fromkeys(("started", "tokens", "overlaps", "tokens_lower", "sent_twice", "repeated",
                                     "gap_max_us"), 0)
        self.highest, self.last_end, self.faults = (0, None), None, []

    def take(self, line):
        when, kind, run, *rest = line.split(" ", 6)
        if kind == "end":
            self.running.pop(run, None)
            self.last_end = int(when)
        else:
            self.begin(int(when), run, int(rest[0]), int(rest[1]), rest[2], rest[3])

    def begin(self, when, run, seq, token, method, path):
        wrong, counts = [], self.counts
        counts["started"] += 1
        counts["tokens"] += token != 0
        if self.running:
            wrong.append("overlaps")
            self.overlapped += [Overlapped(one[0] / 1e9, when / 1e9, *one[1:]) for one in self.running.values()
                                if one is not None]
            self.running = dict.fromkeys(self.running)  # each is told once
        elif self.last_end:
            counts["gap_max_us"] = max(counts["gap_max_us"], (when - self.last_end) // 1000)
        if token < self.highest[0] or (token == self.highest[0] and (path, seq) != self.highest[1]):
            wrong.append(f"token after {self.highest}")
        elif token:
            self.highest = (token, (path, seq))
        counts["overlaps"] += "overlaps" in wrong
        counts["tokens_lower"] += any(word.startswith("token") for word in wrong)
        if seq and (path, seq) in self.seen:
            counts["repeated" if method == "GET" else "sent_twice"] += 1
            wrong += [] if method == "GET" else ["sent twice"]
        self.seen.add((path, seq))
        self.running[run] = (when, seq, token, path)
        if wrong:
            self.faults.append(f"{when // 1000} {method} {path} seq={seq} token={token}: {', '.join(wrong)}")


class Fpm(Backend):
    """A real php-fpm. Its script writes the journal; each of its workers could run one request beside the others."""
    kind = FPM

    async def begin(self):
        self.port, self.status_port = free_port(), free_port()
        self.root, self.file = self.world.folder / "www", self.world.folder / "journal"
        self.root.mkdir()
        shutil.copy(pathlib.Path(__file__).parent / "index.php", self.root)
        self.file.touch()
        for path, mode in ((self.world.folder, 0o755), (self.root, 0o755), (self.file, 0o666)):
            path.chmod(mode)
        pool = self.world.folder / "fpm.conf"
        pool.write_text(
            f"[global]\nerror_log = {self.world.folder}/fpm.log\ndaemonize = no\n[www]\nuser = www-data\n"
            f"group = www-data\nlisten = 127.0.0.1:{self.port}\npm = static\npm.max_children = {WORKERS}\n"
            f"pm.status_path = /status\npm.status_listen = 127.0.0.1:{self.status_port}\nenv[JOURNAL] = {self.file}\n")
        self.journal, self.lines = Journal(), self.file.open()
        self.part = ""
        self.command = [shutil.which(FPM, path="/usr/sbin:" + os.environ["PATH"]) or FPM, "-F", "-y", pool]
        await self.start()
        await self.answers()

    async def is_there(self):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            return False
        writer.close()
        return True

    def upstream(self):
        return (f"{{url: \"fastcgi://127.0.0.1:{self.port}\", fastcgi: {{root: \"{self.root}\", "
                f"status: {{url: \"fastcgi://127.0.0.1:{self.status_port}\"}}}}}}")

    def read(self):
        while text := self.lines.readline():
            self.part += text
            if not self.part.endswith("\n"):
                break
            self.journal.take(self.part.rstrip("\n"))
            self.part = ""

    async def stats(self):
        self.read()
        return {**self.journal.counts, "in_flight": len(self.journal.running)}

    async def has_begun(self, seq):
        self.read()
        return ("/long", seq) in self.journal.seen

    async def faults(self):
        self.read()
        return "".join(line + "\n" for line in self.journal.faults[:50])

    async def overlapped(self):
        self.read()
        return self.journal.overlapped

    # Its workers are children of its master, which cannot end them when it is killed.
    async def kill(self):
        self.expected = True
        self.signal(signal.SIGTERM)
        if await self.ends(10) is None:
            self.end_by_force()
            await self.child.wait()

    def end_by_force(self):
        if self.child and self.child.returncode is None:
            self.expected = True
            os.killpg(self.child.pid, signal.SIGKILL)


def make(world):
    return Fpm(world, "backend") if world.options.php else Backend(world, "backend")
