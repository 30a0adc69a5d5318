#!/usr/bin/env python3
"""1 GiB up and down through ticketgate, queued and unqueued, with nginx behind it: every byte arrives, memory stays low.

Usage: large_bodies_test.py TICKETGATE [MIB]
"""
import hashlib
import os
import pathlib
import socket
import sys
import tempfile

from real_test import Backend, Process, answers, free_port, wait_for

BLOCK = os.urandom((1 << 20) - 8)
MOST_MEMORY = 48  # MiB; idle it is 9, and spool.memory_per_body is 64 KiB


def pieces(mib):
    """Yields this many MiB, each different."""
    return (number.to_bytes(8, "big") + BLOCK for number in range(mib))


class Nginx(Backend):
    """Stores the body of a PUT and serves it to a GET."""

    def start(self):
        self.start_nginx(f"      root {self.root}; dav_methods PUT; client_max_body_size 0;")


def connect(port):
    connection = socket.create_connection(("127.0.0.1", port), timeout=120)
    return connection, connection.makefile("rb")


def read_head(reader):
    status = int(reader.readline().split()[1])
    fields = {}
    while (line := reader.readline()) not in (b"\r\n", b""):
        name, value = line.decode().split(":", 1)
        fields[name.lower()] = value.strip()
    return status, fields


def upload(port, path, mib, chunked):
    connection, reader = connect(port)
    framing = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {mib << 20}"
    connection.sendall(f"PUT {path} HTTP/1.1\r\nHost: a\r\n{framing}\r\n\r\n".encode())
    digest = hashlib.sha256()
    for piece in pieces(mib):
        digest.update(piece)
        connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
    if chunked:
        connection.sendall(b"0\r\n\r\n")
    status, _ = read_head(reader)
    connection.close()
    assert status in (201, 204), f"PUT {path}: {status}"
    return digest.hexdigest()


def download(port, path):
    connection, reader = connect(port)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    status, fields = read_head(reader)
    assert status == 200, f"GET {path}: {status}"
    left = int(fields["content-length"])
    digest = hashlib.sha256()
    while left > 0:
        piece = reader.read(min(left, 1 << 20))
        assert piece, f"GET {path}: ended {left} bytes early"
        digest.update(piece)
        left -= len(piece)
    assert reader.read(1) == b"", "more than its length"
    connection.close()
    return digest.hexdigest()


def peak_mib(pid):
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) // 1024


def main():
    ticketgate, mib = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1024
    with tempfile.TemporaryDirectory(prefix="ticketgate-large-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o777)
        (folder / "b").mkdir()
        backend = Nginx(folder / "b")
        port = free_port()
        config = folder / "ticketgate.yaml"
        config.write_text(f"""
listen: [{{ address: "127.0.0.1:{port}" }}]
upstreams: {{ app: {{ url: "http://127.0.0.1:{backend.port}" }} }}
defaults: {{ upstream: app, max_body: 2GiB, response_spool_max: 2GiB }}
routes: [{{ prefix: / }}, {{ prefix: /queued, queue: app }}]
spool: {{ directory: "{folder}" }}
log: {{ access_file: "{folder}/access.log" }}
""")
        (backend.root / "queued").mkdir()
        (backend.root / "queued").chmod(0o777)
        gate = Process([ticketgate, "-c", str(config)], folder / "gate.log")
        try:
            wait_for(lambda: answers(port), "ticketgate listens")
            for path, chunked in (("/length", False), ("/chunked", True),
                                  ("/queued/length", False), ("/queued/chunked", True)):
                sent = upload(port, path, mib, chunked)
                got = download(port, path)
                print(f"{path}: {mib} MiB up and down, peak {peak_mib(gate.child.pid)} MiB", flush=True)
                assert got == sent, f"{path}: other bytes came back"
                (backend.root / path[1:]).unlink()
            assert peak_mib(gate.child.pid) <= MOST_MEMORY, "memory grew with the body"
        finally:
            code = gate.stop()
            backend.stop()
        assert code == 0, f"ticketgate ended with {code}"


if __name__ == "__main__":
    main()
