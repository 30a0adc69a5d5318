#!/usr/bin/env python3
"""One request at a time with a lock in etcd for each request, as it is done without ticketgate: a lease for each client,
then again and again lock, request, unlock. The lock is etcd's own (/v3/lock): a leased key, and a watch of the one before.

Usage: etcd_lock.py ETCD_PORT BACKEND_PORT CLIENTS SECONDS MICROSECONDS_OF_WORK
Prints the number of requests and their rate as JSON.
"""
import asyncio
import base64
import json
import sys
import time


class Connection:
    """Keep-alive HTTP."""

    def __init__(self, port):
        self.port = port

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def ask(self, line, body=b""):
        self.writer.write(b"%s HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s" % (line.encode(), len(body), body))
        head = await self.reader.readuntil(b"\r\n\r\n")
        fields = dict(field.lower().split(b": ", 1) for field in head.split(b"\r\n")[1:-2])
        text = await self.reader.readexactly(int(fields[b"content-length"]))
        if not head.startswith(b"HTTP/1.1 200 "):
            sys.exit(f"etcd_lock: {line}: {text[:200]}")
        return text

    async def call(self, path, **values):
        return json.loads(await self.ask(f"POST {path}", json.dumps(values).encode()))


async def client(ports, end, work, done):
    store, backend = await Connection(ports[0]).open(), await Connection(ports[1]).open()
    lease = (await store.call("/v3/lease/grant", TTL=60))["ID"]
    name = base64.b64encode(b"lock").decode()
    while time.monotonic() < end:
        key = (await store.call("/v3/lock/lock", name=name, lease=lease))["key"]
        await backend.ask(f"GET /?us={work}")
        done.append(time.monotonic())
        await store.call("/v3/lock/unlock", key=key)
    await store.call("/v3/lease/revoke", ID=lease)


async def main():
    etcd, backend, clients, seconds, work = map(int, sys.argv[1:])
    done = []
    begun = time.monotonic()
    await asyncio.gather(*(client((etcd, backend), begun + seconds, work, done) for _ in range(clients)))
    print(json.dumps({"completed": len(done), "rps": len(done) / (done[-1] - begun)}))


asyncio.run(main())
