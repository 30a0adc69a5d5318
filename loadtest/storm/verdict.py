"""The verdict of a storm: which promises were broken, and which were broken in a way that is allowed and counted."""
import calendar
import collections
import dataclasses
import re
import time

from parts import now

# At level error, one for each violation of exclusion; the metric of a killed process goes with it, these lines stay.
SLOT = "hold_timeout: the slot is released though the backend may still run"
LINE = "the queue goes on after hold_timeout: two requests may run at once"
OPERATOR = "the queue goes on: an operator said that what ran there has ended"
WORKERS = "the queue goes on: php-fpm runs nothing of that"
LINE_TIME = re.compile(rb"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)Z error ")
LONGEST_STOP = 8  # seconds (plan.py), and some more
SLACK = 1  # seconds between a violation and its line in the log, of a machine with little time
# A report of a sanitizer, or of the program itself, in the errors of a replica.
BROKEN = (b"Sanitizer", b"terminate called", b"runtime error", b"check failed", b"TG_CHECK")
BEFORE, BEHIND = 300, 3000  # bytes of a report that are shown


@dataclasses.dataclass(frozen=True)
class Violation:
    when: float  # of the monotonic clock
    what: str


def violations_in(text):
    """What a process has logged of its violations."""
    offset = time.time() - now()
    found = []
    for line in text.splitlines():
        match = LINE_TIME.match(line)
        what = next((one for one in (SLOT, LINE, OPERATOR) if one.encode() in line), None)
        if match and what:
            seconds = calendar.timegm(time.strptime(match[1].decode(), "%Y-%m-%dT%H:%M:%S"))
            found.append(Violation(seconds + float(match[2]) - offset, what))
    return found


def unexplained(overlapped, violations, stopped=lambda since, until: 0):
    """The overlapped requests that no violation explains; each explains one, between the request's beginning and that of
    the other one. `stopped`: how long replicas stood still in a time; their lines come so much later."""
    left, found = sorted(violations, key=lambda one: one.when), []
    for request in sorted(overlapped, key=lambda one: one.other_began):
        latest = request.other_began + SLACK + stopped(request.other_began - SLACK, request.other_began + LONGEST_STOP)
        reason = next((one for one in left if request.began - SLACK <= one.when <= latest), None)
        found += [] if reason else [request]
        left = [one for one in left if one is not reason]
    return found


def judge_drivers(world):
    total = collections.Counter()
    for driver in world.drivers:
        report = driver.report()
        if not report:
            world.faults.append(f"{driver.name} has no report: {driver.errors.read_text()[-300:]}")
        for name, count in report.items():
            if name in ("sent", "completed", "lost", "crossed") or name.startswith("status_"):
                total[name] += count
    for name, count in total.items():
        if name == "crossed" and count:
            world.faults.append(f"{count} clients of the drivers got an answer that is not theirs")
        if name.startswith("status_") and name not in ("status_200", "status_502", "status_503", "status_504"):
            world.faults.append(f"{count} answers of {name[7:]}")
    return total


def judge_logs(world):
    """No report of a sanitizer in the errors of any replica, of whichever process."""
    for one in world.replicas:
        text = one.errors.read_bytes()
        found = [text.index(bad) for bad in BROKEN if bad in text]
        if found:
            at = min(found)
            world.faults.append(f"{one.name}: {text[max(0, at - BEFORE):at + BEHIND].decode(errors='replace')}")


def judge_counts(world):
    """A process that ended in peace has counted as many violations as it has logged."""
    for one in world.replicas:
        for life in one.lives:
            logged = len(violations_in(life.log))
            if life.counted > logged or (life.whole and life.counted != logged):
                world.faults.append(f"{one.name} has counted {life.counted} violations, and logged {logged}")


async def judge_release(world):
    """Each request that ran on beside another is explained by a violation that was counted. Returns how many are not, for
    the process that counted it was killed with the line still unwritten."""
    violations = [found for one in world.replicas for life in one.lives for found in violations_in(life.log)]

    def stopped(since, until):
        return max(one.time_down(since, until) for one in world.replicas)

    overlapped = await world.backend.overlapped()
    left = unexplained(overlapped, violations, stopped)
    if len(left) > world.options.uncounted:
        world.faults += [f"no violation is counted for this one, which ran on: {one}" for one in left]
    world.tell(f"{len(overlapped)} requests ran on beside another, {len(violations)} violations")
    return len(overlapped), len(left)


async def judge_violations(world, stats):
    """A settle of the operator, or a release by hold_timeout, is counted once, and nothing else is."""
    judge_counts(world)
    counted = sum(max(life.counted, len(violations_in(life.log))) for one in world.replicas for life in one.lives)
    if world.options.release:
        ran_on, left = await judge_release(world)
        return counted, f"; {ran_on} requests ran on beside others, {left} of them not counted"
    if counted > world.settled or counted < world.settled - world.options.uncounted:
        world.faults.append(f"{world.settled} settles of the operator, and {counted} violations counted")
    return counted, ""


async def judge(world):
    """Whether a promise is broken; prints what was found."""
    stats = await world.backend.stats()
    total = judge_drivers(world)
    judge_logs(world)
    counted, more = await judge_violations(world, stats)
    promises = {"overlaps": stats["overlaps"], "tokens out of order": stats["tokens_lower"],
                "sent twice": stats["sent_twice"], "without a token": stats["started"] - stats["tokens"]}
    if world.options.release:  # it may fail open; judge_release() has looked at each
        promises["overlaps"] = 0
    by_workers = sum(life.log.count(WORKERS.encode()) for one in world.replicas for life in one.lives)
    print(f"seed {world.seed}, {world.options.nodes} nodes of etcd, {world.backend.kind}: {stats['tokens']} requests "
          f"executed in {now() - world.begun:.0f} s, {stats['overlaps']} overlaps, {stats['tokens_lower']} tokens out of "
          f"order, {stats['sent_twice']} sent twice, {len(world.faults)} other faults")
    print(f"faults: {sum(world.done.values())} {dict(world.done)}; left out: {sum(world.left_out.values())}; settled by "
          f"the operator: {world.settled}, by php-fpm: {by_workers}; violations counted: {counted}{more}")
    print(f"drivers: {dict(total)}; GETs that came again: {stats['repeated']}; "
          f"longest pause {stats['gap_max_us'] / 1e6:.2f} s")
    print(f"odd clients: {dict(world.answers.most_common())}, longest {world.longest:.2f} s")
    print(await world.backend.faults(), end="")
    return any(promises.values()) or bool(world.faults)
