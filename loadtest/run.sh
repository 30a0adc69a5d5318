#!/usr/bin/env bash
# The comparison: relay, HAProxy, nginx, Apache and ticketgate under the same load in one run,
# rounds interleaved, every ratio taken within a round. README.md explains what each part measures.
#
#   run.sh [pass|rate|serial|memory|syscalls|all] [--quick] [--only a,b] [--rounds N] [--seconds N]
#          [--out FILE] [--keep] [--no-pin]
#
# TG_BENCH_BIN: folder with ticketgate and the tg_ tools (default: build/release of this tree).
# TG_BENCH_PORT: first port to try (21400). `all` writes RESULTS.md beside this file; a single part
# only prints, unless --out names a file. --no-pin: no proxy is bound to a core.
# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2317  # the functions are called by computed names
set -uo pipefail

tg_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tg_peers=$tg_here/peers
tg_bin=${TG_BENCH_BIN:-$tg_here/../build/release}
# shellcheck source=peers/peers.sh
source "$tg_peers/peers.sh"
# shellcheck source=measure.sh
source "$tg_here/measure.sh"

usage() {
    sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit "$1"
}

part=all rounds=3 seconds=2 only='' out='' keep=no pin_proxy=yes
while (($# > 0)); do
    case $1 in
        pass | rate | serial | memory | syscalls | all) part=$1 ;;
        --quick) rounds=1 seconds=1 ;;
        --only) only=,$2, && shift ;;
        --rounds) rounds=$2 && shift ;;
        --seconds) seconds=$2 && shift ;;
        --out) out=$2 && shift ;;
        --keep) keep=yes ;;
        --no-pin) pin_proxy=no ;;
        -h | --help) usage 0 ;;
        *) usage 2 >&2 ;;
    esac
    shift
done
[[ $part == all && -z $only && -z $out ]] && out=$tg_here/RESULTS.md

load_before=$(cut -d' ' -f1 /proc/loadavg)
ulimit -n "$(ulimit -Hn)"
tg_work=$(mktemp -d)
# Apache's and nginx's workers are other users and must reach their own folders.
chmod 755 "$tg_work"
rows=$tg_work/rows.tsv
notes=$tg_work/notes
: >"$rows" && : >"$notes"

finish() {
    tg_stop_all
    [[ $keep == yes ]] && echo "kept: $tg_work" >&2 && return
    rm -rf "$tg_work"
}
trap finish EXIT
trap 'exit 130' INT TERM

if (($(nproc) >= 2)); then proxy_cpu=0 load_cpu=1; else proxy_cpu='' load_cpu=''; fi
[[ $pin_proxy == no ]] && proxy_cpu=''

need() {
    local tool
    for tool in "$@"; do
        [[ -x $tg_bin/$tool ]] || command -v "$tool" >/dev/null && continue
        echo "run.sh: $tool is missing; the part '$part' needs it" >&2
        return 1
    done
}

# wanted PEER...: prints the selected peers that can run here, in this order.
wanted() {
    local peer
    for peer in "$@"; do
        [[ -n $only && $only != *,$peer,* ]] && continue
        tg_has "$peer" && echo "$peer" && continue
        note "$peer is not installed or not built: left out"
    done
}

note() {
    grep -qxF -- "- $1" "$notes" && return
    echo "- $1" | tee -a "$notes" >&2
}

# row PART CASE PEER ROUND KEY=VALUE...
row() {
    (IFS=$'\t' && echo "$*") >>"$rows"
    echo "  $*" >&2
}

run_pass() {
    need tg_backend wrk || return
    local round clients log peer
    tg_start_backend back "$load_cpu" --log-lines 0 || return
    start_pass_peers
    for ((round = 1; round <= rounds; ++round)); do
        for clients in 1 64; do
            for log in off on; do
                for peer in $(started "$log"); do
                    row pass "$clients clients, log $log" "$peer" "$round" \
                        "$(measure_wrk "$peer-$log" "$clients")"
                done
            done
        done
    done
    tg_stop_all
}

run_rate() {
    need tg_backend h2load || return
    local round log peer
    tg_start_backend back "$load_cpu" --log-lines 0 || return
    start_pass_peers
    for ((round = 1; round <= rounds; ++round)); do
        for log in off on; do
            for peer in $(started "$log"); do
                row rate "64 clients, log $log" "$peer" "$round" "$(measure_rate "$peer-$log")"
            done
        done
    done
    tg_stop_all
}

start_pass_peers() {
    local peer log
    for peer in $(wanted relay haproxy nginx apache ticketgate); do
        for log in off on; do
            [[ $peer == relay && $log == on ]] && continue
            tg_start "$peer-$log" "$peer" "${tg_port[back]}" log="$log" cpu="$proxy_cpu" ||
                note "$peer did not start: left out of $part"
        done
    done
}

# started LOG: prints the running peers with this kind of log, in a fixed order.
started() {
    local peer
    for peer in relay haproxy nginx apache ticketgate; do
        [[ -n ${tg_pid[$peer-$1]:-} ]] && echo "$peer"
    done
}

run_serial() {
    need tg_backend tg_driver || return
    local round clients ms peer names=()
    tg_start_backend back "$load_cpu" || return
    for peer in $(wanted haproxy ticketgate); do
        start_serial "$peer-1" cpu="$proxy_cpu" && names+=("$peer-1")
        # Two threads on one core would measure the scheduler, so these are not pinned. They are compared
        # with one thread that is not pinned either.
        start_serial "$peer-1-free" && names+=("$peer-1-free")
        start_serial "$peer-2-free" threads=2 && names+=("$peer-2-free")
    done
    for ((round = 1; round <= rounds; ++round)); do
        for ms in 0 1 5; do
            for clients in 1 16 64; do
                for peer in "${names[@]}"; do
                    row serial "$ms ms, $clients clients" "$peer" "$round" \
                        "$(measure_serial "$peer" "$clients" "$ms")"
                done
            done
        done
    done
    tg_stop_all
}

# start_serial NAME KEY=VALUE...: starts the peer that NAME begins with, one request at a time.
start_serial() {
    tg_start "$1" "${1%%-*}" "${tg_port[back]}" mode=serial "${@:2}" && return
    note "$1 did not start: left out of $part"
    return 1
}

run_memory() {
    need tg_backend tg_driver || return
    local peer mode
    for peer in $(wanted haproxy nginx ticketgate); do
        # nginx has no queue: its waiting requests are in flight at the backend.
        mode=serial && [[ $peer == nginx ]] && mode=pass
        tg_start_backend back "$load_cpu" --log-lines 0 || return
        tg_start hold "$peer" "${tg_port[back]}" mode="$mode" cpu="$proxy_cpu" &&
            row memory "waiting" "$peer" 1 "$(measure_memory hold '/?ms=600000' held)"
        tg_stop_all
        tg_start_backend back "$load_cpu" --log-lines 0 || return
        tg_start kept "$peer" "${tg_port[back]}" cpu="$proxy_cpu" &&
            row memory "kept" "$peer" 1 "$(measure_memory kept / completed)"
        tg_stop_all
    done
}

run_syscalls() {
    need tg_backend tg_driver strace || return
    local peer
    tg_start_backend back "$load_cpu" --log-lines 0 || return
    for peer in $(wanted relay haproxy nginx apache ticketgate); do
        tg_start traced "$peer" "${tg_port[back]}" cpu="$proxy_cpu" || continue
        row syscalls "64 clients" "$peer" 1 "$(measure_syscalls traced)"
        tg_stop traced
    done
    tg_stop_all
}

facts() {
    local version
    echo "# Results of \`loadtest/run.sh\`"
    echo
    echo "$(date -u +%F), rounds of $seconds s, interleaved: $rounds; medians, [min-max]."
    echo "$(nproc) cores ($(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1)), kernel" \
        "$(uname -r | sed 's/[-+].*//'). Load average before the run $load_before."
    for version in "$(haproxy -v 2>/dev/null | head -1 | cut -d' ' -f1-3)" \
        "$(nginx -v 2>&1 | sed -n 's/^nginx version: //p')" \
        "$(apache2 -v 2>/dev/null | sed -n 's/^Server version: //p')" \
        "$("$tg_bin/ticketgate" --version 2>/dev/null | head -1)"; do
        [[ -n $version ]] && echo "- $version"
    done
    cat "$notes"
}

for one in pass rate serial memory syscalls; do
    [[ $part == all || $part == "$one" ]] || continue
    echo "== $one" >&2
    "run_$one" || note "part $one was not measured"
done
{
    facts
    awk -f "$tg_here/table.awk" "$rows"
} >"$tg_work/results.md"
cat "$tg_work/results.md"
# Keeps the section that tls.sh has put at the end.
if [[ -n $out && -f $out ]] && grep -q '^## TLS$' "$out"; then
    { echo && sed -n '/^## TLS$/,$p' "$out"; } >>"$tg_work/results.md"
fi
[[ -n $out ]] && cp "$tg_work/results.md" "$out" && echo "written: $(basename "$out")" >&2
exit 0
