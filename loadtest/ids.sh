#!/usr/bin/env bash
# The id service under load: 1 and 16 connections, 1, 16 and 255 ids a request.
#
#   ids.sh [SECONDS]
#
# TG_BENCH_BIN: folder with ticketgate and tg_noeq_load (default: build/release of this tree).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${TG_BENCH_BIN:-$here/../build/release}
work=$(mktemp -d)
gate=''
finish() {
    [[ -n $gate ]] && kill "$gate" 2>/dev/null && wait "$gate" 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT

cat >"$work/ids.yaml" <<YAML
listen: [{ address: "127.0.0.1:0" }]
upstreams: { app: { url: "http://127.0.0.1:9" } }
routes: [{ prefix: /, upstream: app }]
log: { access: "off" }
id_service: { address: "127.0.0.1:0", worker: 1, state_file: "$work/state" }
YAML
"$bin/ticketgate" -c "$work/ids.yaml" 2>"$work/log" &
gate=$!
address() { sed -n 's/.*id service address=\(.*\)/\1/p' "$work/log"; }
for _ in $(seq 100); do
    [[ -n $(address) ]] && break
    sleep 0.05  # polls the log for the address on which it listens
done
[[ -n $(address) ]] || { cat "$work/log" >&2; exit 1; }
for connections in 1 16; do
    for ids in 1 16 255; do
        "$bin/tg_noeq_load" "$(address)" --connections "$connections" --ids "$ids" --seconds "${1:-3}"
    done
done
