#!/usr/bin/env bash
# Counts the system calls for one unqueued request, with strace over 5,000 requests on
# 64 connections. The limit is 6.3 (issue 2).
#   system_calls.sh FOLDER_WITH_BINARIES
set -euo pipefail
bin=$1 requests=5000 limit=6.3
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT

"$bin/tg_backend" --listen 127.0.0.1:0 --seconds 120 >"$work/backend" &
pids+=($!)
until [[ -s $work/backend ]]; do read -r -t 0.05 <> <(:) || true; done
backend=$(grep -oE '127\.0\.0\.1:[0-9]+' "$work/backend" | head -1)
printf '%s\n' 'listen: [{ address: "127.0.0.1:0" }]' 'admin: off' 'log: { access: off }' \
    "upstreams: { app: { url: \"http://$backend\" } }" 'routes: [{ prefix: /, upstream: app }]' >"$work/config"
"$bin/ticketgate" -c "$work/config" 2>"$work/gate" &
gate=$!
pids+=("$gate")
until grep -q listening "$work/gate"; do read -r -t 0.05 <> <(:) || true; done
port=$(grep -oE 'address=127\.0\.0\.1:[0-9]+' "$work/gate" | grep -oE '[0-9]+$')

strace -f -c -o "$work/calls" -p "$gate" 2>/dev/null &
tracer=$!
until grep -q '^TracerPid:[[:space:]]*[1-9]' "/proc/$gate/status"; do read -r -t 0.05 <> <(:) || true; done
"$bin/tg_driver" "http://127.0.0.1:$port/x" --connections 64 --requests "$requests" --text >"$work/driver"
kill -INT "$tracer"
wait "$tracer" || true
grep -q "^completed *$requests\$" "$work/driver" || { cat "$work/driver"; exit 1; }
calls=$(awk '$NF == "total" { print $4 }' "$work/calls")  # % time, seconds, usecs/call, calls [, errors]
awk -v calls="$calls" -v n="$requests" -v limit="$limit" 'BEGIN {
    printf "%.2f system calls a request (at most %s)\n", calls / n, limit
    exit !(calls > n && calls / n <= limit) }'
