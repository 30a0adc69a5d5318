#!/usr/bin/env bash
# The cost of people who look: ticketgate with a queue of one, with and without viewers of its live page, in turns.
#
#   viewers.sh [ROUNDS] [SECONDS] [VIEWERS]
#
# Prints the CPU time of a request at 5,000 requests a second, and the gap between two requests of a full queue, both
# as medians over the rounds (5), and their ratios. TG_BENCH_BIN: folder with ticketgate, tg_backend and tg_driver
# (default: build/release of this tree).
# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2034  # seconds and load_cpu are read by measure.sh
set -uo pipefail
tg_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tg_peers=$tg_here/peers
tg_bin=${TG_BENCH_BIN:-$tg_here/../build/release}
# shellcheck source=peers/peers.sh
source "$tg_peers/peers.sh"
# shellcheck source=measure.sh
source "$tg_here/measure.sh"
rounds=${1:-5} seconds=${2:-5} viewers=${3:-100} load_cpu=''
tg_work=$(mktemp -d)
finish() {
    tg_stop_all
    rm -rf "$tg_work"
}
trap finish EXIT

tg_start_backend back '' --log-lines 1
tg_start seen ticketgate "${tg_port[back]}" mode=serial
admin=${tg_admin[seen]}

# measure VIEWERS: one row.
measure() {
    local looking='' row
    if (($1)); then
        : >"$tg_work/looking"
        python3 -B "$tg_here/viewers.py" "$admin" "$1" >"$tg_work/looking" &
        looking=$!
        while ! grep -q looking "$tg_work/looking"; do
            kill -0 "$looking" 2>/dev/null || return 1
            sleep 0.1
        done
    fi
    row=$(measure_rate seen 5000 | grep -oP '\tcpu=\S+|\terrors=\S+' | tr -d '\n')$(
        measure_serial seen 64 0 | grep -oP '\tgap=\S+|\toverlaps=\S+' | tr -d '\n')
    if [[ -n $looking ]]; then
        kill "$looking"
        wait "$looking" 2>/dev/null
    fi
    printf '%s%s\n' "$1" "$row"
}

for ((round = 0; round < rounds; ++round)); do
    for count in 0 "$viewers"; do
        measure "$count" || { echo "viewers.sh: not every viewer may look" >&2; exit 1; }
    done
done | tee "$tg_work/rows"

for key in cpu gap; do
    awk -v key="$key" -v a="$(median "$viewers" "$key")" -v b="$(median 0 "$key")" -v n="$viewers" 'BEGIN {
        printf "%s, us: %.2f with %d viewers, %.2f without: ratio %.3f\n", key, a, n, b, a / b }'
done
