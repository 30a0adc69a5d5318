#!/usr/bin/env python3
"""Runs slowhttptest's three attacks on ticketgate and measures whether other clients are still served.

    slowhttp.py [--bin FOLDER] [--connections 1000] [--seconds 25] [--proxy URL]

For each attack (slow heads, slow bodies, slow reads) slowhttptest keeps N connections open to a queued route. Meanwhile
one ordinary client requests a small page, queued and unqueued, twenty times a second, each on a new connection. Prints
one line for each attack: the most open connections, the longest wait of the ordinary client, and descriptors and
memory before, at most and after. Exits with 1 if an answer is wrong or takes more than a second, or if descriptors
are not freed.
"""
import argparse
import http.client
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
LATEST = 1.0  # seconds: the promise

CONFIG = """
listen: [{{address: "127.0.0.1:{port}"}}]
admin: {{address: "127.0.0.1:{admin}"}}
upstreams: {{app: {{url: "http://127.0.0.1:{backend}"}}}}
defaults: {{upstream: app}}
routes: [{{prefix: /, queue: app, routes: [{{prefix: /free, queue: "off"}}]}}]
clients: {{head_timeout: 10s}}
log: {{access: "off"}}
"""

# Options of each attack: a new line of a head or a piece of a body every 2 s, or 5 bytes read a second from a small
# window of an answer larger than any socket buffer.
ATTACKS = {
    "slow heads": ["-H", "-i", "2", "-x", "24", "-t", "GET"],
    "slow bodies": ["-B", "-i", "2", "-x", "10", "-s", "65536", "-t", "POST"],
    "slow reads": ["-X", "-w", "512", "-y", "1024", "-n", "1", "-z", "5", "-k", "1"],
}


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def until(condition, what, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"slowhttp: not within {seconds} s: {what}")
        time.sleep(0.02)  # conditions read sockets and /proc of another process, which sends no event


def connects(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def memory_mib(pid):
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


class Ordinary(threading.Thread):
    """An ordinary client. It sends requests, measures the wait, and keeps the first failure."""

    def __init__(self, port, pid):
        super().__init__(daemon=True)
        self.port, self.pid = port, pid
        self.over = threading.Event()
        self.asked, self.latest, self.wrong = 0, 0.0, ""
        self.most_descriptors, self.most_memory = 0, 0.0

    def ask(self, path):
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            body = response.read()
            if response.status != 200 or len(body) != 100:
                self.wrong = self.wrong or f"{path}: {response.status}, {len(body)} bytes"
        except OSError as error:
            self.wrong = self.wrong or f"{path}: {error}"
        finally:
            connection.close()
        self.asked += 1
        self.latest = max(self.latest, time.monotonic() - began)

    def run(self):
        while not self.over.wait(0.05):
            self.ask("/ordinary?size=100")
            self.ask("/free?size=100")
            self.most_descriptors = max(self.most_descriptors, descriptors(self.pid))
            self.most_memory = max(self.most_memory, memory_mib(self.pid))


def attack(name, port, pid, options):
    before = descriptors(pid), memory_mib(pid)
    ordinary = Ordinary(port, pid)
    ordinary.start()
    size = 256 << 10 if name == "slow reads" else 100
    command = ["slowhttptest", "-c", str(options.connections), "-r", str(options.connections // 4), "-l",
               str(options.seconds), "-p", "5", "-v", "1", *ATTACKS[name],
               "-u", f"http://127.0.0.1:{port}/attacked?size={size}"]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    ordinary.over.set()
    ordinary.join()
    until(lambda: descriptors(pid) <= before[0] + 8, "descriptors return", 60)
    after = descriptors(pid), memory_mib(pid)
    print(f"{name:12} asked {ordinary.asked:4}  latest {ordinary.latest * 1000:6.0f} ms  descriptors "
          f"{before[0]} / {ordinary.most_descriptors} / {after[0]}  MiB {before[1]:.1f} / "
          f"{ordinary.most_memory:.1f} / {after[1]:.1f}  {ordinary.wrong or 'ok'}", flush=True)
    reached = ordinary.most_descriptors >= before[0] + options.connections // 2
    if not reached:
        print(f"{name}: the attack never had half of its connections; this run says nothing")
    return reached and ordinary.asked > 0 and not ordinary.wrong and ordinary.latest <= LATEST


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=HERE.parent / "build/release", type=pathlib.Path)
    parser.add_argument("--connections", default=1000, type=int)
    parser.add_argument("--seconds", default=25, type=int)
    options = parser.parse_args()
    ports = {"port": free_port(), "admin": free_port(), "backend": free_port()}
    children = []
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "slow.yaml"
        config.write_text(CONFIG.format(**ports))
        try:
            children.append(subprocess.Popen([options.bin / "tg_backend", "--listen", str(ports["backend"])],
                                             stdout=subprocess.DEVNULL))
            children.append(subprocess.Popen([options.bin / "ticketgate", "-c", config]))
            for port in ports.values():
                until(lambda port=port: connects(port), f"port {port} answers", 20)
            kept = [attack(name, ports["port"], children[1].pid, options) for name in ATTACKS]
        finally:
            for child in reversed(children):
                child.terminate()
                child.wait()
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
