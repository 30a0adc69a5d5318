#!/usr/bin/env python3
"""A real WebSocket client and server (Debian's node-ws) with a queue of ticketgate between them.

Usage: websocket_test.py TICKETGATE
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from real_test import Process, answers, free_port, wait_for

SCRIPT = pathlib.Path(__file__).resolve().parent / "websocket.js"
NODE = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}  # where Debian puts its modules


def main():
    ticketgate = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="ticketgate-ws-") as name:
        folder = pathlib.Path(name)
        port, backend = free_port(), free_port()
        config = folder / "ticketgate.yaml"
        config.write_text(f"""
listen: [{{ address: "127.0.0.1:{port}" }}]
upstreams: {{ app: {{ url: "http://127.0.0.1:{backend}" }} }}
routes: [{{ prefix: /, upstream: app, queue: app }}]
log: {{ access_file: "{folder}/access.log" }}
""")
        server = Process(["node", str(SCRIPT), "server", str(backend)], folder / "server.log", env=NODE)
        gate = Process([ticketgate, "-c", str(config)], folder / "gate.log")
        try:
            wait_for(lambda: answers(backend), "the WebSocket server listens")
            wait_for(lambda: answers(port), "ticketgate listens")
            run = subprocess.run(["node", str(SCRIPT), "client", f"ws://127.0.0.1:{port}/chat"], env=NODE, timeout=60)
            saw = folder / "server.log"
            wait_for(lambda: "server saw close 4001" in saw.read_text(), "the server sees the client's close")
            wait_for(lambda: "server saw close 1006" in saw.read_text(), "the server sees the client that just left")
        finally:
            code = gate.stop()
            server.stop()
        assert code == 0, f"ticketgate ended with {code}"
        sys.exit(run.returncode)


if __name__ == "__main__":
    main()
