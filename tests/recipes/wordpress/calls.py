#!/usr/bin/env python3
"""Lists the calls that WordPress made to its own address, from the trace and ticketgate's access log: calls.py FOLDER."""
import datetime
import json
import sys
import urllib.parse
from pathlib import Path

folder = Path(sys.argv[1])


def lines(path):
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def target(url):
    parts = urllib.parse.urlsplit(url)
    return (parts.path or "/") + ("?" + parts.query if parts.query else "")


steps = json.loads((folder / "times.json").read_text(encoding="utf-8"))
scripts, calls = {}, []
for line in lines(folder / "trace.jsonl"):
    if line["what"] == "begin":
        scripts[line["id"]] = {**line, "begin": line["at"], "end": None, "taken": False}
    elif line["what"] == "end" and line["id"] in scripts:
        scripts[line["id"]]["end"] = line["at"]
        scripts[line["id"]]["aborted"] = line["aborted"]
    elif line["what"] == "call":
        calls.append({**line, "left": None})
    elif line["what"] == "called":
        for call in reversed(calls):
            if call["id"] == line["id"] and call["url"] == line["url"] and call["left"] is None:
                call.update(left=line["at"], failed=line["failed"], status=line["status"])
                break
access = [line for line in lines(folder / "ticketgate.log") if "request_id" in line and "method" in line]


def step_at(time):
    return next((s["step"] for s in reversed(steps) if s["at"] <= time), "?")


def begun(row):
    return datetime.datetime.fromisoformat(row["time"].replace("Z", "+00:00")).timestamp()


def seconds(later, earlier):
    return "-" if later is None or earlier is None else f"{later - earlier:.2f}"


for call in calls:
    if not call["url"].startswith("http://blog.example"):
        continue
    path = target(call["url"])
    child = next((s for s in scripts.values() if not s["taken"] and s["uri"] == path and s["method"] == call["method"]
                  and s["headers"].get("HTTP_USER_AGENT") != "test-browser"
                  and s["begin"] >= call["at"] - 0.05), None)
    if child:
        child["taken"] = True
    parent = scripts[call["id"]]
    row = next((a for a in access if a["path"] == path and a["method"] == call["method"] and not a.get("taken")
                and begun(a) >= call["at"] - 0.05), None)
    print(f"[{step_at(call['at'])}] {parent['method']} {parent['uri'][:70]}\n"
          f"    calls {call['method']} {path[:110]} timeout {call['timeout']} blocking {call['blocking']}")
    print(f"    caller left after {seconds(call['left'], call['at'])} s with "
          f"{call.get('failed') or call.get('status')}; parent ended {seconds(parent['end'], call['left'])} s later")
    if child:
        headers = {k[5:]: (v if k in ("HTTP_USER_AGENT", "HTTP_CONTENT_TYPE", "HTTP_ACCEPT", "HTTP_REFERER") else "...")
                   for k, v in child["headers"].items()}
        print(f"    ran: began {seconds(child['begin'], call['at'])} s after the call, ran "
              f"{seconds(child['end'], child['begin'])} s, ended {seconds(child['end'], call['left'])} s after the caller "
              f"left, {seconds(parent['end'], child['end'])} s before its parent; aborted {child.get('aborted')}")
        print(f"    peer {child['peer']} headers {headers}")
    else:
        print("    never ran")
    if row:
        row["taken"] = True
        print(f"    access log: {json.dumps({k: row.get(k) for k in ('client_ip', 'status', 'outcome', 'queue_wait_ms', 'hold_ms', 'duration_ms', 'blocked_by', 'orphaned')})}")

# Writes that ran while the cron ran: what the queue is to prevent. Its own calls are no strangers.
jobs = [s for s in scripts.values() if s["uri"].startswith("/wp-cron.php?") and s["end"]]
others = [s for s in scripts.values() if s["method"] == "POST" and s["end"] and not s["uri"].startswith("/wp-cron.php")
          and not s["uri"].startswith("/xmlrpc.php")]
beside = [(j, s) for j in jobs for s in others if s["begin"] < j["end"] and j["begin"] < s["end"]]
print(f"{len(jobs)} cron scripts; POSTs that ran beside one: "
      f"{len([1 for _, s in beside if s['uri'] != '/visitor.php'])} of WordPress, "
      f"{len([1 for _, s in beside if s['uri'] == '/visitor.php'])} of the visitor")
