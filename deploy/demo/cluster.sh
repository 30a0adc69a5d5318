#!/usr/bin/env bash
# Demonstrates one queue over two replicas: etcd, replicas a and b and the demo's PHP on loopback. The lost update
# through two ports, then kill -9 of the replica that keeps the queue, once while it is idle and once while it runs requests,
# with what an operator sees and does.
#
#   cluster.sh BINARY        runs once, on free ports, and stops what it started
#
# Environment: N (200) POSTs a round, PARALLEL (32).
# Exit: 0 PHP alone lost updates, and every POST that the replicas answered with 200 was counted once; 1 otherwise.
# shellcheck disable=SC2317  # functions called through until_it and hit
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
binary=${1:?BINARY} n=${N:-200} parallel=${PARALLEL:-32} failed=0
lease=3  # seconds
config=$here/../ticketgate-cluster.yaml
# shellcheck source=deploy/demo/servers.sh
source "$here/servers.sh"
declare -A port=() admin=() peer=() pid=()

tell() { printf '\n── %s\n' "$*"; }
sees() { sed 's/^/     | /'; }
# The environment of deploy/ticketgate-cluster.yaml for this replica, in $settings.
set_for() {  # NAME
    settings=(UPSTREAM_URL="$direct" STORE="$store" PEER_SECRET="$secret" LEASE="${lease}s" HOLD_TIMEOUT=never
        DRAIN_TIMEOUT=25s REPLICA="$1" LISTEN="$host:${port[$1]}" ADMIN="$host:${admin[$1]}"
        PEER="$host:${peer[$1]}" ADVERTISE="$host:${peer[$1]}")
}
as() {  # NAME COMMAND...
    local settings
    set_for "$1"
    env "${settings[@]}" "$binary" "${@:2}" -c "$config" 2>"$scratch/said" || { cat "$scratch/said" >&2; return 1; }
}

start_etcd() {
    command -v etcd >/dev/null || die "etcd is missing; ./dev run --cluster installs it"
    local client raft
    free_port client
    free_port raft
    store=http://$host:$client
    setsid etcd --data-dir "$scratch/etcd" --listen-client-urls "$store" --advertise-client-urls "$store" \
        --listen-peer-urls "http://$host:$raft" --initial-advertise-peer-urls "http://$host:$raft" \
        --initial-cluster "default=http://$host:$raft" </dev/null >"$scratch/etcd.log" 2>&1 &
    started=($! "${started[@]}")
    wait_for "$client" $! etcd
    until curl -sf -m 2 "$store/health" | grep -q true; do sleep 0.1; done
}

start_replica() {  # NAME
    local settings
    set_for "$1"
    # env and setsid replace themselves, so $! is the replica.
    setsid env "${settings[@]}" "$binary" -c "$config" </dev/null >>"$scratch/$1.access" 2>>"$scratch/$1.log" &
    pid[$1]=$!
    started=($! "${started[@]}")
    wait_for "${port[$1]}" $! "replica $1" "$scratch/$1.log"
}

kill_replica() {  # NAME
    kill -KILL "${pid[$1]}"
    wait "${pid[$1]}" 2>/dev/null || true
}

status() { as "$1" cluster status --json 2>/dev/null; }
keeper() { status "$1" | sed -n 's/.*"keeper":{[^}]*"name":"\([^"]*\)".*/\1/p'; }
lost_epoch() { status "$1" | sed -n 's/.*"waits_for":{[^}]*"epoch":\([0-9]*\).*/\1/p'; }
is_in() { status "$1" | grep -q "\"state\":\"$2\""; }
until_it() {  # COMMAND...
    local deadline=$((SECONDS + 60))
    until "$@"; do ((SECONDS < deadline)) || die "not within 60 s: $*"; sleep 0.1; done
}

# Half of n POSTs to each URL, both at the same time; one line a POST in $scratch/answers.*: status, curl's exit code.
# Each has a connection of its own: when a kept one ends without an answer, curl sends the POST again on a new one, and
# would say that this one was refused although the first POST may have run.
hit() {  # URL_A URL_B
    local url clients=()
    curl -sf -o /dev/null -X POST "$direct/reset.php" || die "PHP does not answer"
    for url in "$1" "$2"; do
        curl -s --no-progress-meter --max-time 120 --parallel --parallel-immediate --parallel-max $((parallel / 2)) \
            -H 'Connection: close' -d '' -o /dev/null -w '%{http_code} %{exitcode}\n' "$url/counter.php?n=[1-$((n / 2))]" \
            >"$scratch/answers.${#clients[@]}" || true &
        clients+=($!)
    done
    [[ -z ${3:-} ]] || "$3"
    wait "${clients[@]}"
}

lines() { cat "$scratch"/answers.* | grep -cE "$1" || true; }

# Every 200 is counted; a POST of unknown fate may be. Exit code 7: the connection was refused, so nothing was sent.
verdict() {  # NAME
    local answered counted unknown unsent word
    answered=$(lines '^200 ') counted=$(count "$direct")
    unsent=$(lines '^503 |^000 7$')
    unknown=$((n - answered - unsent))
    word="none lost"
    if ((counted < answered)); then word="$((answered - counted)) updates LOST"; fi
    if ((counted > answered + unknown)); then word="some counted TWICE"; fi
    printf '%-24s %4d POSTs answered 200, the counter says %4d: %s\n' "$1" "$answered" "$counted" "$word"
    ((answered == n)) || printf '%-24s %4d with unknown fate (502, or their connection ended), %d refused before they began\n' \
        '' "$unknown" "$unsent"
    lost=$((counted < answered || counted > answered + unknown))
}

expect_none_lost() { if ((lost)); then echo "demo: a POST was lost or counted twice" >&2; failed=1; fi; }

crash_while_idle() {
    local kept other began
    kept=$(keeper a)
    if [[ $kept == a ]]; then other=b; else other=a; fi
    tell "kill -9 of the keeper ($kept) while its queue is idle: the other takes the queue over after a lease ($lease s)"
    until_it is_in a idle
    kill_replica "$kept"
    began=$EPOCHREALTIME
    # Without --retry: the replica keeps the request until it has the queue.
    curl -sf -m 60 -o /dev/null -d '' "http://$host:${port[$other]}/counter.php" || die "the POST failed"
    echo "$began $EPOCHREALTIME $other" | awk '{ printf "a POST to %s was answered 200 after %.1f s\n", $3, $2 - $1 }'
    start_replica "$kept"
}

# The victim is known before: on a busy machine the POSTs may be over before a command has said who keeps the queue.
crash_while_busy() {
    local deadline=$((SECONDS + 60))
    until (($(count "$direct") >= n / 8)); do ((SECONDS < deadline)) || die "the POSTs do not run"; done
    kill_replica "$victim"
    tell "kill -9 of the keeper ($victim) while requests run: the queue stands, because one may still run in PHP"
    until_it is_in "$survivor" settling
    echo "\$ ticketgate cluster status"
    as "$survivor" cluster status --table | sees
    # The operator looks at the backend. A request of counter.php takes milliseconds, and the keeper died a lease ago.
    until_it no_request_runs
    echo "The operator looks at the backend: PHP has no connection left, and counter.php takes milliseconds. So:"
    echo "\$ ticketgate settle app $(lost_epoch "$survivor")"
    as "$survivor" settle app "$(lost_epoch "$survivor")" | sees
}

# No established connection to PHP but for the listening socket; IPv4, as /proc/net/tcp shows it.
no_request_runs() {
    ! awk -v want="$(printf '0100007F:%04X' "${direct##*:}")" '$2 == want && $4 == "01" { found = 1 } END { exit !found }' \
        /proc/net/tcp
}

[[ -x $binary ]] || die "no ticketgate at '$binary'; ./dev build makes it"
trap stop_all EXIT
php=
free_port php
serve_php "$php"
secret=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
for replica in a b; do
    for use in port admin peer; do free_port "${use}[$replica]"; done
done
start_etcd
tell "etcd on $store, ticketgate cluster init, replicas a (port ${port[a]}) and b (port ${port[b]})"
as a cluster init | sees
start_replica a
start_replica b
url_a=http://$host:${port[a]} url_b=http://$host:${port[b]}

tell "$n POSTs, $parallel at a time"
hit "$direct" "$direct"; verdict "PHP alone"
((lost)) || { echo "demo: PHP alone lost nothing this time, so this run shows nothing; try again, or a larger N" >&2; failed=1; }
hit "$url_a" "$url_b"; verdict "through a and b"; expect_none_lost
(($(lines '^200 ') == n)) || { echo "demo: the replicas must answer all $n" >&2; failed=1; }

crash_while_idle
victim=$(keeper a)
if [[ $victim == a ]]; then survivor=b; else survivor=a; fi
hit "$url_a" "$url_b" crash_while_busy; verdict "through $victim and $survivor"; expect_none_lost
start_replica "$victim"
tell "$victim is started again: a new replica, and $(keeper a) keeps the queue"
hit "$url_a" "$url_b"; verdict "through a and b"; expect_none_lost
exit "$failed"
