#!/usr/bin/env python3
"""Looks at the live page as many browsers do: viewers.py ADMIN_PORT COUNT, until it is stopped.

Prints `looking` when each viewer has its first picture. Exits with 1 if one of them is refused.
"""
import selectors
import socket
import sys

ASK = b"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n"


def main():
    port, count = int(sys.argv[1]), int(sys.argv[2])
    ready = selectors.DefaultSelector()
    waiting = set()
    for _ in range(count):
        viewer = socket.create_connection(("127.0.0.1", port))
        viewer.sendall(ASK)
        ready.register(viewer, selectors.EVENT_READ)
        waiting.add(viewer)
    while True:
        for key, _ in ready.select():
            got = key.fileobj.recv(1 << 20)
            if not got or (key.fileobj in waiting and not got.startswith(b"HTTP/1.1 200 ")):
                sys.exit(f"viewers: a viewer was refused: {got[:60]}")
            if key.fileobj in waiting:
                waiting.remove(key.fileobj)
                if not waiting:
                    print("looking", flush=True)


if __name__ == "__main__":
    main()
