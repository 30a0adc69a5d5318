#!/usr/bin/env bash
# The cost of ids for a request: ticketgate with and without ids, in turns, under wrk.
#
#   stamping.sh [ROUNDS] [SECONDS]
#
# TG_BENCH_BIN: folder with ticketgate and tg_backend (default: build/release of this tree).
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
rounds=${1:-5} seconds=${2:-3} load_cpu=''
tg_work=$(mktemp -d)
finish() {
    tg_stop_all
    rm -rf "$tg_work"
}
trap finish EXIT

tg_start_backend backend '' --log-lines 1
tg_start with_ids ticketgate "${tg_port[backend]}"
tg_start without ticketgate "${tg_port[backend]}" option=no_ids
for ((round = 0; round < rounds; ++round)); do
    for name in with_ids without; do
        printf '%s\t%s\n' "$name" "$(measure_wrk "$name" 64)"
    done
done | tee "$tg_work/rows"

awk -v a="$(median with_ids cpu)" -v b="$(median without cpu)" -v n="$rounds" 'BEGIN {
    printf "CPU a request, median of %d: %.2f us with ids, %.2f without: %.2f us, ratio %.3f\n",
        n, a, b, a - b, a / b }'
