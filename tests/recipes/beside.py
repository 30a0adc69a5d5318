"""Measures a page beside nginx with php-fpm: its load in a browser, and visitors at once. Both run in this chroot, ticketgate
alone on port 80 with workers of its own, nginx on port 8000; they take turns.

  beside.py HOST PATH..."""
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from chromium import Chromium, install

SETUPS = {"nginx with php-fpm": 8000, "ticketgate alone": 80}
LOADS, ROUNDS, SECONDS, VISITORS = 10, 4, 6, 16

# Each connection asks for the page, then for its files, and begins anew.
VISIT = """
local paths, at = { %s }, 0
function request()
    at = at %% #paths + 1
    return wrk.format("GET", paths[at], { ["Host"] = "%s" })
end
function done(summary)
    local e = summary.errors
    print("DONE", summary.requests * 1e6 / summary.duration / #paths, e.connect + e.read + e.write + e.status + e.timeout)
end
"""


def loads(host, path):
    """Milliseconds to the load event, and the paths that the page loads."""
    paths = []
    browsers = {name: Chromium(host, port) for name, port in SETUPS.items()}
    times = {name: [] for name in SETUPS}
    try:
        for each in browsers.values():
            each.call("Network.setCacheDisabled", cacheDisabled=True)
        for turn in range(LOADS + 1):
            for name, browser in browsers.items():
                wrong, urls, milliseconds = browser.load(path)
                assert not wrong, f"{name}: {wrong}"
                if turn:  # the first one warms up
                    times[name].append(milliseconds)
                paths = [re.sub(r"^https?://[^/]*", "", url) for url in urls]
    finally:
        for each in browsers.values():
            each.__exit__()
    return times, paths


def visits(host, paths, port):
    """Pages a second, each with its files."""
    script = Path(tempfile.gettempdir()) / "visit.lua"
    script.write_text(VISIT % (", ".join(f"[==[{path}]==]" for path in paths), host), encoding="utf-8")
    out = subprocess.run(["wrk", "-t1", f"-c{VISITORS}", f"-d{SECONDS}s", "--timeout=30s", "-s", str(script), f"http://127.0.0.1:{port}/"],
                         check=True, capture_output=True, text=True).stdout
    rate, errors = re.search(r"DONE\s+([\d.]+)\s+(\d+)", out).groups()
    assert errors == "0", out
    return float(rate)


def show(what, rows, unit):
    medians = {name: statistics.median(values) for name, values in rows.items()}
    for name, values in rows.items():
        print(f"{what:28} {name:20} median {medians[name]:8.1f} {unit}  ({min(values):.1f} to {max(values):.1f})", flush=True)
    ours, theirs = medians["ticketgate alone"], medians["nginx with php-fpm"]
    print(f"{what:28} ratio {ours / theirs:.2f}", flush=True)


def main():
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    host, pages = sys.argv[1], sys.argv[2:]
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    install()
    subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", "wrk"], check=True, capture_output=True)
    for page in pages:
        times, paths = loads(host, page)
        print(f"{page}: {len(paths)} requests a page")
        show("page load", times, "ms")
        for what, asked in (("the page alone", paths[:1]), ("the page with its files", paths)):
            rates = {name: [] for name in SETUPS}
            for _ in range(ROUNDS):
                for name, port in SETUPS.items():
                    rates[name].append(visits(host, asked, port))
            show(f"{VISITORS} visitors, {what}", rates, "pages/s")


if __name__ == "__main__":
    main()
