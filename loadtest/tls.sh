#!/usr/bin/env bash
# What TLS costs ticketgate, nginx and HAProxy: full handshakes a second and MB/s under wrk; CPU for a connection
# with a full handshake, for a resumed one, for 10 MB of response; and memory for an idle connection. Rounds interleaved, the proxy on one core, its
# client and backend on the other; only the proxy's CPU time counts, so a slow client or a busy machine matters less.
#
#   tls.sh [--rounds N] [--connections N] [--idle N] [--out FILE]
#
# TG_BENCH_BIN: folder with ticketgate and tg_backend (default: build/release of this tree). --out: the table
# replaces the section `## TLS` of FILE, or is appended to it.
# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2154,SC2034
set -uo pipefail  # without -e: peers.sh may signal processes that have ended
tg_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tg_bin=${TG_BENCH_BIN:-$tg_here/../build/release}
rounds=5 connections=1000 idle=2000 seconds=3 out=''
while (($# > 0)); do
    case $1 in
        --rounds) rounds=$2 && shift ;;
        --connections) connections=$2 && shift ;;
        --idle) idle=$2 && shift ;;
        --out) out=$2 && shift ;;
        *) sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
    esac
    shift
done
ulimit -n "$(ulimit -Hn)"
tg_work=$(mktemp -d)
chmod 755 "$tg_work"
tg_peers=$tg_work/peers
# shellcheck source=peers/peers.sh
source "$tg_here/peers/peers.sh"
# shellcheck disable=SC2317  # by trap
finish() {
    tg_stop_all
    rm -rf "$tg_work"
}
trap finish EXIT

# The configurations of the comparison with TLS added.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -keyout "$tg_work/key.pem" -out "$tg_work/certificate.pem" 2>/dev/null
cat "$tg_work/certificate.pem" "$tg_work/key.pem" >"$tg_work/both.pem"
mkdir "$tg_peers"
cp "$tg_here"/peers/*.in "$tg_peers"
sed -i "s|listen 127.0.0.1:@PORT@|ssl_certificate $tg_work/certificate.pem; ssl_certificate_key $tg_work/key.pem;\
 ssl_protocols TLSv1.2 TLSv1.3; listen 127.0.0.1:@PORT@ ssl|" "$tg_peers/nginx.conf.in"
sed -i "s|bind 127.0.0.1:@PORT@|bind 127.0.0.1:@PORT@ ssl crt $tg_work/both.pem ssl-min-ver TLSv1.2|" \
    "$tg_peers/haproxy.cfg.in"
sed -i "s|address: \"127.0.0.1:@PORT@\"|&, tls: { certificates: [{ certificate: $tg_work/certificate.pem,\
 key: $tg_work/key.pem }] }|" "$tg_peers/ticketgate.yaml.in"

load() { taskset -c 1 python3 -B "$tg_here/tls_client.py" "$@"; }
# cpu NAME MODE COUNT: CPU microseconds of the proxy for one connection or answer.
cpu() {
    local before after
    before=$(tg_cpu_ns "${tg_pid[$1]}")
    load "${tg_port[$1]}" "$2" "$3" >/dev/null
    after=$(tg_cpu_ns "${tg_pid[$1]}")
    awk -v ns=$((after - before)) -v n="$3" 'BEGIN { printf "%.1f", ns / 1000 / n }'
}
# rate NAME HEADER TARGET: requests a second under wrk with 32 connections. With `Connection: close` each is a
# full handshake, because wrk does not resume sessions.
rate() {
    taskset -c 1 wrk -t1 -c32 -d"${seconds}s" -H "$2" "https://127.0.0.1:${tg_port[$1]}$3" |
        awk '/^Requests\/sec:/ { print $2 }'
}
# memory NAME: KiB for an idle connection.
memory() {
    local before after holder
    load "${tg_port[$1]}" full 40 >/dev/null  # warm-up, not counted
    before=$(tg_rss_kib "${tg_pid[$1]}")
    mkfifo "$tg_work/hold"
    load "${tg_port[$1]}" idle "$idle" <"$tg_work/hold" >"$tg_work/held" &
    holder=$!
    exec 9>"$tg_work/hold"
    until grep -q holding "$tg_work/held"; do
        kill -0 "$holder" || return 1
        read -r -t 0.1 <> <(:) || true
    done
    after=$(tg_rss_kib "${tg_pid[$1]}")
    exec 9>&-
    wait "$holder"
    rm "$tg_work/hold"
    awk -v a="$before" -v b="$after" -v n="$idle" 'BEGIN { printf "%.1f", (b - a) / n }'
}

load_before=$(cut -d' ' -f1 /proc/loadavg)
peers=(ticketgate nginx haproxy)
tg_start_backend back 1 --log-lines 0
for peer in "${peers[@]}"; do tg_start "$peer" "$peer" "${tg_port[back]}" cpu=0; done
rows=$tg_work/rows
for ((round = 1; round <= rounds; ++round)); do
    for peer in "${peers[@]}"; do
        printf '%s\t%d\t%s\t%s\t%s\t%s\t%s\n' "$peer" "$round" "$(cpu "$peer" full "$connections")" \
            "$(cpu "$peer" resumed "$connections")" "$(cpu "$peer" bulk 30)" \
            "$(rate "$peer" 'Connection: close' /)" "$(rate "$peer" 'X-Kept: yes' '/?size=10000000')" |
            tee -a "$rows" >&2
    done
done
for peer in "${peers[@]}"; do
    tg_stop "$peer"
    tg_start "$peer" "$peer" "${tg_port[back]}" cpu=0
    printf '%s\tmemory\t%s\n' "$peer" "$(memory "$peer")" | tee -a "$rows" >&2
    tg_stop "$peer"
done

{
    echo "## TLS"
    echo
    echo "$(date -u +%F), \`./dev bench tls\`: $rounds rounds, interleaved; medians, [min-max]; ECDSA P-256," \
        "$(openssl version | cut -d' ' -f1-2). Load average before the run $load_before on $(nproc) cores: the machine" \
        "may be busy, so the ratios (within a round, to nginx) count, not the figures."
    echo "Rates: wrk with 32 connections on the other core, for $seconds s; 10 MB responses for the bulk. CPU is the" \
        "proxy's own, of a connection with one request of 1 KiB and its close. Memory: $idle connections" \
        "that have had one request."
    echo
    python3 -B - "$rows" <<'PY'
import statistics, sys
rounds, memory = {}, {}
for line in open(sys.argv[1]):
    peer, *rest = line.split()
    if rest[0] == "memory":
        memory[peer] = float(rest[1])
    else:
        rounds.setdefault(peer, []).append([float(x) for x in rest[1:]])
def cell(peer, i, unit, scale=1):
    values = [r[i] * scale for r in rounds[peer]]
    ratios = [r[i] / n[i] for r, n in zip(rounds[peer], rounds["nginx"])]
    return f"{statistics.median(values):.0f} {unit} | {statistics.median(ratios):.2f} [{min(ratios):.2f}-{max(ratios):.2f}]"
print("| proxy | full handshakes a second | ratio | bulk | ratio | CPU: full handshake | ratio | resumed | ratio | "
      "10 MB | ratio | KiB an idle connection |")
print("|---" * 12 + "|")
for peer in rounds:
    cells = " | ".join([cell(peer, 3, "/s"), cell(peer, 4, "MB/s", 10)] + [cell(peer, i, "µs") for i in range(3)])
    print(f"| {peer} | {cells} | {memory[peer]:.1f} |")
PY
} >"$tg_work/table"
cat "$tg_work/table"
[[ -n $out ]] || exit 0
python3 -B - "$out" "$tg_work/table" <<'PY'
import re, sys
file, table = sys.argv[1], open(sys.argv[2]).read()
text = open(file).read()
new, n = re.subn(r"(?ms)^## TLS\n.*?(?=^## |\Z)", lambda _: table + "\n", text)
open(file, "w").write((new if n else text.rstrip("\n") + "\n\n" + table).rstrip("\n") + "\n")
PY
