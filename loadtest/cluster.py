#!/usr/bin/env python3
"""What one queue over two replicas costs, and how long it stands when a replica ends: real etcd, two replicas a and b,
and the same queue without a cluster, loaded in turns on loopback. Ratios and differences are taken within a round.
README.md explains each row.

Usage: cluster.py [--rounds 5] [--seconds 3] [--only PART,...] [--out FILE]
Parts: speed forward order burst handover cut crash store lock
TG_BENCH_BIN: folder with ticketgate, tg_backend, tg_driver and tg_relay (default: build/release of this tree).
--out: the table replaces the section `## A line over machines` of FILE, or is appended to it.
Exits with 1 if a request was lost, answered wrongly, overtook a fencing number or ran beside another.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from cluster_parts import HOLD, IDLE_AFTER, LEASE, World, ask, counters, longest_pause, now
from real_test import wait_for

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = 64
BURSTS = 8  # in each round, at each target
WORK = 1000  # microseconds


class Row:
    """A row of the table. limit: of the median; worst: of each value. at_least: instead of at most."""

    def __init__(self, what, unit="", digits=0, limit=None, at_least=False, worst=False):
        self.what, self.unit, self.digits, self.limit = what, unit, digits, limit
        self.at_least, self.worst, self.values = at_least, worst, []

    def show(self, number):
        return f"{number:.{self.digits}f}"

    def text(self):
        middle, least, most = statistics.median(self.values), min(self.values), max(self.values)
        figure = f"{self.show(middle)}{self.unit} [{self.show(least)}-{self.show(most)}]"
        if self.limit is None:
            return f"| {self.what} | – | {figure} | |"
        judged = (least if self.at_least else most) if self.worst else middle
        met = judged >= self.limit if self.at_least else judged <= self.limit
        sign = "≥" if self.at_least else "≤"
        return f"| {self.what} | {sign} {self.limit}{self.unit} | {figure} | {'yes' if met else 'no'} |"


ROWS = {
    "rate_plain": Row("not clustered: requests/s"),
    "gap_plain": Row("not clustered: gap p50", " µs"),
    "cpu_plain": Row("not clustered: CPU of a request", " µs", 1),
    "rate_keeper": Row("at the keeper: requests/s, to not clustered", digits=3, limit=0.99, at_least=True),
    "gap_keeper": Row("at the keeper: gap p50, more than not clustered", " µs", limit=2),
    "cpu_keeper": Row("at the keeper: CPU of a request, more than not clustered", " µs", 1),
    "rate_follower": Row("through the follower: requests/s, to not clustered", digits=3, limit=0.97, at_least=True),
    "gap_follower": Row("through the follower: gap p50, more than not clustered", " µs", limit=15),
    "cpu_follower": Row("through the follower: its CPU for a request", " µs", 1),
    "cpu_forward": Row("the same without work (both cores are full)", " µs", 1, limit=20),
    "delay": Row("through the follower, one client, no work: latency p50, more than at the keeper", " µs", limit=100),
    "inverted": Row("16 clients at both replicas: pairs more than 1 ms apart in the wrong order", limit=0, worst=True),
    "burst_plain": Row("64 new connections, not clustered: head start lost", " ms", 2),
    "burst": Row("64 new connections, half of them at each replica: head start lost", " ms", 2, limit=0.5),
    "handover": Row("SIGTERM of the keeper, 16 clients at the follower: longest time between two starts", " s", 3,
                    limit=0.1 + WORK / 1e6),
    "cut": Row("the keeper is cut from etcd, 16 clients at the follower: longest time between two starts", " s", 2,
               limit=1),
    "crash_idle": Row("kill -9 of an idle keeper: time to the answer of the next POST", " s", 2, limit=LEASE + 1),
    "crash_held": Row(f"kill -9 while a request runs, `hold_timeout: {HOLD}s` and `release`: the same", " s", 2,
                      limit=2 * LEASE + HOLD + 1),
    "calls": Row("reads and renewals in etcd in a lease, for each replica, under load", digits=1, limit=6),
    "writes_busy": Row("writes into etcd, under load: for each second", digits=2, limit=2),
    "writes_woken": Row(f"the same with a request every {IDLE_AFTER + 0.3:.1f} s, each of which wakes the queue", digits=2,
                        limit=2),
    "lock": Row("for scale: a lock in etcd for each request (`/v3/lock`), requests/s"),
    "lock_ratio": Row("the keeper's requests/s in the same round, to that", digits=1),
}


class Bench:
    def __init__(self, options, world):
        self.options, self.world, self.faults = options, world, []

    def note(self, row, value):
        ROWS[row].values.append(value)
        print(f"  {row} {value:.3f}", file=sys.stderr, flush=True)

    def fault(self, what):
        print(f"cluster.py: {what}", file=sys.stderr, flush=True)
        self.faults.append(what)

    # ── loads ──

    def judge(self, where, result):
        """Notes what must never happen."""
        for name in ("lost", "wrong", "overlaps", "tokens_lower", "sent_twice"):
            if result[name]:
                self.fault(f"{where}: {name} {result[name]}")
        return result

    def drive(self, gate, *words):
        return json.loads(subprocess.run(self.world.driver(gate, *words), check=True, capture_output=True,
                                         timeout=600).stdout)

    def load(self, where, gate, *words):
        """tg_driver's figures, and `cpu`: of this ticketgate for a request."""
        if "--requests" not in words:
            self.drive(gate, "--requests", 200)  # the queue is open, connections are warm
        before = gate.cpu_us()
        result = self.judge(where, self.drive(gate, *words))
        result["cpu"] = (gate.cpu_us() - before) / max(1, result["completed"])
        return result

    def pause(self, act, seconds):
        """The longest time between two starts within `seconds` of act(), with clients at the follower."""
        follower = self.world.roles()[1]
        driver = subprocess.Popen(self.world.driver(follower, "--connections", 16, "--us", WORK, "--seconds", seconds + 2),
                                  stdout=subprocess.PIPE)
        time.sleep(1)
        since = now()
        act()
        self.judge(act.__name__, json.loads(driver.communicate(timeout=120)[0]))
        return longest_pause(self.world.starts(), since, since + seconds)

    # ── parts ──

    def speed(self, turn):
        keeper, follower = self.world.roles()
        gates = [("plain", self.world.plain), ("keeper", keeper), ("follower", follower)]
        got = {name: self.load(name, gate, "--connections", CLIENTS, "--us", WORK, "--seconds", self.options.seconds)
               for name, gate in (gates if turn % 2 else reversed(gates))}
        plain = got["plain"]
        self.note("rate_plain", plain["rps"])
        self.note("gap_plain", plain["gap_p50_us"])
        self.note("cpu_plain", plain["cpu"])
        for name in ("keeper", "follower"):
            self.note(f"rate_{name}", got[name]["rps"] / plain["rps"])
            self.note(f"gap_{name}", got[name]["gap_p50_us"] - plain["gap_p50_us"])
        self.note("cpu_keeper", got["keeper"]["cpu"] - plain["cpu"])
        self.note("cpu_follower", got["follower"]["cpu"])
        self.keeper_rate = got["keeper"]["rps"]

    def forward(self, _):
        keeper, follower = self.world.roles()
        full = self.load("no work", follower, "--connections", CLIENTS, "--seconds", self.options.seconds)
        self.note("cpu_forward", full["cpu"])
        here, there = (self.load("one client", gate, "--connections", 1, "--seconds", self.options.seconds)
                       for gate in (keeper, follower))
        self.note("delay", there["latency_p50_us"] - here["latency_p50_us"])

    def both(self):
        keeper, follower = self.world.roles()
        return keeper, "--also", f"127.0.0.1:{follower.port}"

    def order(self, _):
        gate, *also = self.both()
        got = self.load("both replicas", gate, *also, "--connections", 16, "--us", WORK, "--seconds", self.options.seconds)
        self.note("inverted", got["inversions"])

    def burst(self, _):
        for row, gate, *also in (("burst_plain", self.world.plain), ("burst", *self.both())):
            lost = [self.load(row, gate, *also, "--connections", 64, "--requests", 64, "--us", WORK)["max_ahead_us"]
                    for _ in range(BURSTS)]
            for us in lost:
                self.note(row, us / 1000)

    def handover(self, _):
        keeper = self.world.roles()[0]

        def sigterm():
            keeper.signal(signal.SIGTERM)

        self.note("handover", self.pause(sigterm, 3))
        if keeper.child.wait(60) != 0:
            self.fault(f"the keeper ended with {keeper.child.returncode}")
        keeper.begin()
        self.world.settle()

    def cut(self, _):
        keeper = self.world.roles()[0]

        def cut_from_etcd():
            keeper.relay.signal(signal.SIGSTOP)

        self.note("cut", self.pause(cut_from_etcd, LEASE + 3))
        keeper.relay.signal(signal.SIGCONT)
        self.world.settle()

    @staticmethod
    def post(gate, path, us=0):
        return ask(gate.port, f"{path}?us={us}", "POST")[0]

    def crash(self, _):
        for queue, path in (("app", "/"), ("held", "/held")):
            keeper, follower = self.world.roles(queue)
            self.world.rest("app")
            self.world.rest("held")
            if queue == "held":
                ask(self.world.backend_port, "/__reset")
                victim = threading.Thread(target=self.post, args=(follower, path, 300_000))
                victim.start()
                wait_for(lambda: self.world.stats()["in_flight"] == 1, "the request runs")
            keeper.kill()
            begun = now()
            status = self.post(follower, path, WORK)
            self.note("crash_held" if queue == "held" else "crash_idle", now() - begun)
            if status != 200:
                self.fault(f"after the crash: {status}")
            if queue == "held":
                victim.join()
                if self.world.stats()["overlaps"]:
                    self.fault("after the crash: overlaps")
            keeper.begin()
            self.world.settle()

    def store(self, _):
        keeper = self.world.roles()[0]

        def counted(act):
            """Calls without writes, writes, and seconds."""
            self.world.rest()
            begun, before = now(), counters(self.world.store_port)
            act()
            after, took = counters(self.world.store_port), now() - begun
            grown = {name: value - before.get(name, 0) for name, value in after.items()
                     if name.startswith("grpc_server_handled_total{")}
            writes = sum(value for name, value in grown.items() if re.search('grpc_method="(Txn|Put|DeleteRange)"', name))
            return sum(grown.values()) - writes, writes, took

        def busy():
            self.load("store", keeper, "--connections", 16, "--us", WORK, "--seconds", 4 * LEASE)

        def woken():
            for _ in range(8):
                self.post(keeper, "/", WORK)
                time.sleep(IDLE_AFTER + 0.3)

        calls, writes, took = counted(busy)
        self.note("calls", calls / (took / LEASE) / len(self.world.replicas))
        self.note("writes_busy", writes / took)
        _, writes, took = counted(woken)
        self.note("writes_woken", writes / took)

    def lock(self, _):
        ask(self.world.backend_port, "/__reset")
        words = [self.world.store_port, self.world.backend_port, CLIENTS, self.options.seconds, WORK]
        run = subprocess.run([sys.executable, "-B", HERE / "etcd_lock.py", *map(str, words)], check=True,
                             capture_output=True, timeout=300)
        rate = json.loads(run.stdout)["rps"]
        if self.world.stats()["overlaps"]:
            self.fault("etcd's lock: overlaps")
        self.note("lock", rate)
        if ROWS["rate_keeper"].values:
            self.note("lock_ratio", self.keeper_rate / rate)


PARTS = ("speed", "forward", "order", "burst", "lock", "store", "handover", "cut", "crash")


def table(options, load_before):
    version = subprocess.run(["etcd", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    yield "## A line over machines\n"
    yield (f"{datetime.datetime.now(datetime.timezone.utc):%F}, `./dev bench cluster`: {options.rounds} rounds of "
           f"{options.seconds} s, in turns; medians, [min-max]; a ratio or a difference is taken within its round. One etcd "
           f"{version} and two replicas (lease {LEASE} s, one thread each) on loopback, nothing is bound to a core. Unless "
           f"said: {CLIENTS} clients, {WORK / 1000:.0f} ms of work, one request at a time. Load average before the run "
           f"{load_before:.2f} on {os.cpu_count()} cores.\n")
    yield "| what | goal | figure | met |\n|---|---|---|---|"
    for row in ROWS.values():
        if row.values:
            yield row.text()


def put(file, section):
    text = file.read_text() if file.exists() else ""
    new, found = re.subn(r"(?ms)^## A line over machines\n.*?(?=^## |\Z)", lambda _: section + "\n\n", text)
    file.write_text((new if found else text.rstrip("\n") + "\n\n" + section).strip("\n") + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", default=5, type=int)
    parser.add_argument("--seconds", default=3, type=int)
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    parts = options.only.split(",")
    if options.rounds < 1 or options.seconds < 1 or not set(parts) <= set(PARTS):
        parser.error(f"parts: {' '.join(PARTS)}; rounds and seconds from 1")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(130))  # by way of `finally`
    load_before = os.getloadavg()[0]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="ticketgate-cluster-"))
    tools = pathlib.Path(os.environ.get("TG_BENCH_BIN", HERE.parent / "build/release")).resolve()
    world = World(tools, folder)
    bench = Bench(options, world)
    try:
        world.begin()
        for turn in range(options.rounds):
            for part in (part for part in PARTS if part in parts):
                print(f"{turn + 1} {part}", file=sys.stderr, flush=True)
                getattr(bench, part)(turn)
    finally:
        world.end()
        shutil.rmtree(folder, ignore_errors=True)
    text = "\n".join(table(options, load_before))
    print(text)
    if options.out:
        put(options.out, text)
    sys.exit(1 if bench.faults else 0)


if __name__ == "__main__":
    main()
