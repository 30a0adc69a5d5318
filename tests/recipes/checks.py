"""What the tests of the applications have in common."""
import re
import struct
import subprocess
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FAULTS = (AssertionError, OSError, KeyError, TypeError, ValueError, subprocess.SubprocessError)


def picture(width, height):
    """A PNG, large enough for thumbnails."""
    rows = b"".join(b"\0" + bytes((x * y) % 251 for x in range(width) for _ in range(3)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def found(pattern, text, what):
    match = re.search(pattern, text)
    if not match:
        raise AssertionError(f"no {what} in: {text[:300]!r}")
    return match[1]


def must(condition, answer):
    if not condition:
        raise AssertionError(f"status {answer.status}: {re.sub(r'<[^>]*>', ' ', answer.text)[:300]!r}")


def until_true(seconds, condition, pause=0.1):
    """Whether the condition holds within these seconds."""
    deadline = time.time() + seconds
    while not condition():
        if time.time() > deadline:
            return False
        time.sleep(pause)
    return True


def until(deadline, condition, what):
    if not until_true(deadline - time.time(), condition, 1):
        raise AssertionError(f"{what}: not in time")


def at_once(count, one):
    """The results of one(0), one(1) and so on, eight at a time."""
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(one, range(count)))


def fragment(page):
    """A file of the first `yaml fragment` of a page of docs/recipes, with what the fragment lacks."""
    text = (Path("/root/ticketgate/docs/recipes") / page).read_text(encoding="utf-8")
    part = found(r"(?s)```yaml fragment\n(.*?)```", text, "fragment")
    file = Path("/var/tmp/fragment.yaml")
    file.write_text('listen: [{ address: "127.0.0.1:0" }]\nupstreams: { app: { url: "http://127.0.0.1:8000" } }\n' + part,
                    encoding="utf-8")
    return str(file)


def queued(host, method, path, config="/etc/ticketgate/ticketgate.yaml"):
    """What the program says of a request: whether it is queued."""
    said = subprocess.run(["ticketgate", "explain", "-c", config, method, f"http://{host}{path}"],
                          capture_output=True, text=True, check=True).stdout
    return "stands in queue" in said


def lines_as_promised(host, queue, past, *config):
    """Both are lists of "METHOD /path"."""
    wrong = [line for line in queue if not queued(host, *line.split(" ", 1), *config)]
    wrong += [line for line in past if queued(host, *line.split(" ", 1), *config)]
    assert not wrong, f"not as the page says: {wrong}"
    return f"{len(queue)} queued, {len(past)} not"


def run(steps, names):
    """Runs the methods with these names; 1 if one fails, and no further than a failed first."""
    failed = 0
    for number, name in enumerate(names):
        began, good, note = time.monotonic(), True, ""
        try:
            note = getattr(steps, name)()
            note = note if isinstance(note, str) else ""
        except FAULTS as error:
            good, note = False, str(error) if isinstance(error, AssertionError) else repr(error)
        print(f"{'ok    ' if good else 'FAILED'} {name:24} {time.monotonic() - began:6.2f} s   {note}", flush=True)
        failed |= not good
        if failed and number == 0:
            break
    return int(failed)
