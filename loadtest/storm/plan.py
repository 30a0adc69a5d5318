"""The plan of a storm: which fault begins when, at which part, and for how long. It depends on its seed and nothing else,
so the same seed makes the same plan on any machine (storm.py --plan prints it)."""
import dataclasses
import itertools
import random

FAULTS = ("kill", "kill_busy", "stop", "stop_busy", "term", "etcd", "cut")
KEEPER = "keeper"


@dataclasses.dataclass(frozen=True)
class Step:
    after: float  # seconds after the step before has begun
    kind: str
    target: str  # a name, "keeper", or "all"
    seconds: float = 0
    how: str = ""
    ways: tuple = ()

    def __str__(self):
        more = " ".join(filter(None, [self.how, ",".join(self.ways), f"{self.seconds} s"]))
        return f"+{self.after} s {self.kind} {self.target}: {more}"


def some_replica(dice, replicas):
    """The keeper more often than the others: it has most to lose."""
    return KEEPER if dice.random() < 0.6 else dice.choice(replicas)


def length(dice):
    """Shorter and longer than a lease of 2 s."""
    return dice.choice([0.2, 0.5, 1, 1.5, 2, 2.5, 3, 4, 6])


def step(dice, replicas, nodes, faults):
    kind = dice.choice(faults)
    after = dice.choice([0.2, 0.5, 1, 2, 3, 5])
    if kind in ("kill", "kill_busy"):
        target = KEEPER if kind == "kill_busy" else some_replica(dice, replicas)
        return Step(after, kind, target, dice.choice([0, 0.3, 3]))
    if kind in ("stop", "stop_busy"):
        target = KEEPER if kind == "stop_busy" else some_replica(dice, replicas)
        return Step(after, kind, target, length(dice))
    if kind == "term":
        return Step(after, kind, dice.choice(["all", some_replica(dice, replicas)]))
    if kind == "etcd":
        return Step(after, kind, dice.choice(nodes), length(dice), dice.choice(["stop", "kill"]))
    ways = dice.choice([("peers",), ("store",), ("peers", "store")])
    return Step(after, kind, some_replica(dice, replicas), length(dice), dice.choice(["stands", "closed"]), ways)


def steps(seed, replicas, nodes, faults):
    """Without end."""
    dice = random.Random(f"plan {seed}")
    while True:
        yield step(dice, replicas, nodes, faults)


def relays_peers(seed, faults):
    """A relay accepts what a replica that is gone would refuse, so half of the storms have none between replicas."""
    return "cut" in faults and random.Random(f"relays {seed}").random() < 0.5


def show(seed, replicas, nodes, faults, count):
    print(f"seed {seed}: relays between replicas: {relays_peers(seed, faults)}")
    for each in itertools.islice(steps(seed, replicas, nodes, faults), count):
        print(each)
