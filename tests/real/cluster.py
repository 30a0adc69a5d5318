"""Starts etcd and replicas of ticketgate with one clustered queue, on loopback."""
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from real_test import answers, free_port, wait_for

PATIENCE = 60
SECRET = "0123456789abcdef"


class Etcd:
    def __init__(self, *more):
        self.folder = tempfile.mkdtemp(prefix="ticketgate-etcd-")
        self.port, raft = free_port(), free_port()
        self.url, raft = f"http://127.0.0.1:{self.port}", f"http://127.0.0.1:{raft}"
        log = open(pathlib.Path(self.folder) / "log", "wb")
        self.child = subprocess.Popen(
            ["etcd", "--data-dir", f"{self.folder}/data", "--listen-client-urls", self.url, "--advertise-client-urls",
             self.url, "--listen-peer-urls", raft, "--initial-advertise-peer-urls", raft, "--initial-cluster",
             f"default={raft}", *more], stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        log.close()
        wait_for(self.healthy, "etcd is healthy", PATIENCE)

    def healthy(self):
        try:
            return get(self.port, "/health", timeout=5)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def fill(self):
        """Until it takes no writes; needs a small quota."""
        full, number = False, 0
        while not full and number < 2000:
            done = subprocess.run(["etcdctl", "--endpoints", self.url, "put", f"/fill/{number}"], input="x" * 65536, text=True,
                                  capture_output=True, env=dict(os.environ, ETCDCTL_API="3"), timeout=PATIENCE)
            full, number = "database space exceeded" in done.stderr, number + 1
        assert full, done.stderr

    def end(self):
        self.child.kill()
        self.child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def get(port, path, method="GET", body=None, headers=None, timeout=PATIENCE):
    """Status and text. OSError or HTTPException: no whole answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


class Replica:
    def __init__(self, ticketgate, name, store, upstream, environment=None):
        """`environment`: what the replica has on top of this process' own. The lease is short for tests that wait for its
        end, and long for a machine that stops a process for a while: then another replica would take the queue."""
        self.ticketgate, self.store, self.environment = ticketgate, store, dict(os.environ, **(environment or {}))
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ticketgate-replica-"))
        self.port, self.admin, peer = free_port(), free_port(), free_port()
        self.file = self.folder / "c.yaml"
        self.file.write_text(
            f"listen: [{{ address: \"127.0.0.1:{self.port}\" }}]\nadmin: {{ address: \"127.0.0.1:{self.admin}\" }}\n"
            f"upstreams: {{ app: {{ url: \"{upstream}\" }} }}\n"
            "queues: { app: { cluster: true, hold_timeout: never } }\n"
            "routes: [{ prefix: /, upstream: app, queue: app }]\n"
            f"cluster:\n  name: shop\n  replica: {name}\n  lease: 6s\n  store: {{ endpoints: [\"{store.url}\"], timeout: 2s }}\n"
            f"  peer: {{ listen: \"127.0.0.1:{peer}\", advertise: \"127.0.0.1:{peer}\", secret: {SECRET} }}\n")

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.child = subprocess.Popen([self.ticketgate, "-c", self.file], stdout=subprocess.DEVNULL, stderr=log,
                                          stdin=subprocess.DEVNULL, env=self.environment)
        wait_for(lambda: answers(self.port, self.admin), "ticketgate listens", PATIENCE)
        return self

    def command(self, *words):
        # The longest lease allows the longest timeout; a command takes no lease.
        file, text = self.folder / "commands.yaml", self.file.read_text()
        file.write_text(text.replace("lease: 6s", "lease: 60s").replace("timeout: 2s }", "timeout: 20s }"))
        done = subprocess.run([self.ticketgate, *words, "-c", file], capture_output=True, text=True, timeout=PATIENCE)
        return done.returncode, done.stdout + done.stderr

    def line(self):
        """The queue as the store has it; empty before it has a keeper, or if the store did not answer."""
        code, text = self.command("cluster", "status", "--json")
        queues = json.loads(text)["queues"] if code == 0 else []
        return queues[0] if queues else {}

    def tickets(self):
        return json.loads(get(self.admin, "/api/v1/queues/app")[1])

    def request(self, path, method="POST", body="", headers=None):
        return get(self.port, path, method, body, headers)

    def kill(self):
        self.child.kill()
        self.child.wait()

    def end(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
