"""Clients of a storm that do what tg_driver does not: bodies of all kinds, `Expect`, leaving; and that judge each answer."""
import asyncio
import json
import random

from parts import LEASE, WAIT_TIMEOUT, now

PATIENCE = WAIT_TIMEOUT + 10  # a request that takes longer hangs, unless its replica stood still meanwhile


class Client:
    """Sends one request after another, each to the next replica."""

    def __init__(self, world, name):
        self.world, self.name, self.count = world, name, 0
        self.random = random.Random(f"{world.seed} {name}")
        self.kept = {}

    async def run(self):
        at = 0
        while not self.world.over:
            at += 1
            await self.one(self.world.replicas[at % len(self.world.replicas)])
            await asyncio.sleep(self.random.expovariate(1 / 0.05))

    async def one(self, replica, patience=PATIENCE):
        self.count += 1
        method, size, chunked = self.random.choice(
            [("GET", 0, False)] * 4 + [("POST", 0, False)] * 2 + [("POST", 1000, False)] * 2 +
            [("POST", 200_000, False), ("POST", 3000, True)])
        work = self.random.choice([0, 1, 2, 3, 5, 10, 20])
        since = now()
        request = asyncio.ensure_future(self.send(replica, method, self.count, work, size, chunked))
        answer = "hangs"
        if self.random.random() < 0.03:
            await asyncio.wait([request], timeout=self.random.random() * 0.3)
            if not request.done():
                answer = "left"
        while answer == "hangs" and not request.done():
            down = sum(each.time_down(since, now()) for each in self.world.replicas)
            if now() - since > patience + down:
                break
            await asyncio.wait([request], timeout=1)
        if request.done():
            answer = request.result()
        request.cancel()
        self.note(replica, method, size, answer, since)
        return answer

    async def send(self, replica, method, seq, work, size, chunked):
        reader, writer = self.kept.pop(replica, (None, None))
        fresh = reader is None
        try:
            if fresh:
                reader, writer = await asyncio.open_connection("127.0.0.1", replica.ports[0], limit=1 << 20)
        except OSError:
            return "refused"
        begun = False
        try:
            body = b"x" * size
            lines = f"{method} /{self.name}?ms={work} HTTP/1.1\r\nHost: a\r\nX-Seq: {seq}\r\n"
            if chunked:
                lines += "Transfer-Encoding: chunked\r\n"
                body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:10], body[10:])) + b"0\r\n\r\n"
            elif method == "POST":
                lines += f"Content-Length: {size}\r\n"
            expects = size and self.random.random() < 0.2
            if expects:
                lines += "Expect: 100-continue\r\n"
            writer.write(lines.encode() + b"\r\n" + (b"" if expects else body))
            await writer.drain()
            line = await reader.readline()
            while line.startswith(b"HTTP/1.1 1"):
                await reader.readline()
                if expects:
                    writer.write(body)
                    await writer.drain()
                    expects = False
                line = await reader.readline()
            if not line:
                return "closed" if fresh else "closed kept"
            begun = True
            status, fields = int(line.split()[1]), {}
            while (line := await reader.readline()) not in (b"\r\n", b""):
                name, _, value = line.decode().partition(":")
                fields[name.strip().lower()] = value.strip()
            text = await reader.readexactly(int(fields.get("content-length", 0)))
            if fields.get("connection") != "close" and not expects and self.random.random() < 0.7:
                self.kept[replica], writer = (reader, writer), None
            if status == 200 and fields.get("x-seq") != str(seq):
                self.world.faults.append(f"{self.name} {seq} got the answer of {fields.get('x-seq')}")
            return "200" if status == 200 else f"{status} {self.reason(text)}"
        except (OSError, asyncio.IncompleteReadError):
            return "cut" if begun else "closed" if fresh else "closed kept"
        finally:
            if writer:
                writer.transport.abort()

    @staticmethod
    def reason(text):
        try:
            return json.loads(text)["detail"]
        except (ValueError, KeyError):
            return text[:60].decode(errors="replace")

    def note(self, replica, method, size, answer, since):
        world = self.world
        world.answers[answer] += 1
        world.longest = max(world.longest, now() - since)
        if answer in ("200", "left") or self.explains(answer, replica, since):
            return
        world.faults.append(f"{method} {self.name} {self.count} ({size} bytes) at {replica.name}: {answer} after "
                            f"{now() - since:.2f} s, at {since - world.begun:.2f} s")

    def explains(self, answer, replica, since):
        """Whether a fault that was injected is a reason for this answer."""
        until = now()
        if answer in ("refused", "closed", "cut"):
            return replica.was_down(since - 1, until)
        if answer == "closed kept":
            return replica.was_down(since - 60, until)  # the connection had ended before
        if answer == "hangs":
            return False
        # Another replica, the store, or a connection: what lasts for some leases.
        return self.world.quiet_since() > since - 3 * LEASE - WAIT_TIMEOUT and not answer.startswith(("4", "500"))
