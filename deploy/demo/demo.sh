#!/usr/bin/env bash
# Demonstrates the lost update: N parallel POSTs directly to PHP, then the same N through ticketgate.
#
#   demo.sh                    uses running servers (./dev run in another terminal, or compose)
#   demo.sh --demo BINARY      starts PHP and ticketgate, compares once, stops both
#   demo.sh --serve BINARY     starts both, prints what to try, and runs until Ctrl-C
#   demo.sh --ports [--demo]   exit code 0: the ports that --serve (or --demo) needs are free
#   demo.sh --php              only the first half; starts PHP itself and needs no ticketgate
#
# Environment: N (200), PARALLEL (32), PORT, ADMIN_PORT, BACKEND_PORT (`any`: a free one, the default of --demo), and DEMO_STATE, the
# counter's file.
# Exit: 0 PHP alone lost updates and ticketgate lost none; 1 otherwise.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

n=${N:-200} parallel=${PARALLEL:-32}
# --demo prints no ports, so it takes free ones and works beside other servers.
case " $* " in *" --demo "*) ports=(any any any) ;; *) ports=(8080 9901 8000) ;; esac
port=${PORT:-${ports[0]}} admin_port=${ADMIN_PORT:-${ports[1]}} backend_port=${BACKEND_PORT:-${ports[2]}}
# shellcheck source=deploy/demo/servers.sh
source "$here/servers.sh"
[[ $port != any ]] || free_port port
[[ $admin_port != any ]] || free_port admin_port
[[ $backend_port != any ]] || free_port backend_port
direct=http://$host:$backend_port gate=http://$host:$port

claim_port() {  # PORT VARIABLE WHAT
    ! listening "$1" || die "port $1, wanted for $3, is taken; choose another: $2=$(($1 + 10)) ./dev run"
}

claim_ports() {
    claim_port "$backend_port" BACKEND_PORT "the PHP backend"
    claim_port "$port" PORT ticketgate
    claim_port "$admin_port" ADMIN_PORT "ticketgate's admin page"
}

start_php() {
    claim_port "$backend_port" BACKEND_PORT "the PHP backend"
    serve_php "$backend_port"
}

start_ticketgate() {  # BINARY
    [[ -x $1 ]] || die "no ticketgate at '$1'; ./dev build makes it"
    claim_port "$port" PORT ticketgate
    claim_port "$admin_port" ADMIN_PORT "ticketgate's admin page"
    # Short lines on a terminal, JSON elsewhere. Ctrl-C does not stop the program that prints them: it ends at the
    # end of ticketgate's output.
    exec {log}>&1
    if [[ -t 1 ]]; then exec {log}> >(exec setsid php -q "$here/lines.php"); fi
    LISTEN=$host:$port ADMIN=$host:$admin_port UPSTREAM_URL=$direct \
        setsid "$1" -c "$here/../ticketgate.yaml" </dev/null >&"$log" &
    exec {log}>&-
    started=($! "${started[@]}")  # stopped first, while its backend still answers
    wait_for "$port" $! ticketgate
}

# Sends n POSTs, `parallel` at a time; sets $answered and $counted.
hit() {  # URL
    curl -sf -o /dev/null -X POST "$1/reset.php" || die "nothing answers at $1"
    answered=$(curl -s --no-progress-meter --max-time 120 \
        --parallel --parallel-immediate --parallel-max "$parallel" \
        -d '' -o /dev/null -w '%{http_code}\n' "$1/counter.php?n=[1-$n]" | grep -c '^200$' || true)
    counted=$(count "$1")
}

verdict() {  # NAME
    local lost=$((answered - counted)) word
    if ((lost == 0)); then word="none lost"; else word="$lost updates LOST"; fi
    printf '%-20s %4d POSTs answered 200, the counter says %4d: %s\n' "$1" "$answered" "$counted" "$word"
}

compare() {
    local failed=0
    hit "$direct"; verdict "PHP alone"
    if ((answered != n)); then
        echo "demo: PHP answered only $answered of $n" >&2; failed=1
    elif ((counted == n)); then
        echo "demo: PHP alone lost nothing this time, so this run shows nothing; try again, or a larger N" >&2
        failed=1
    fi
    [[ ${1:-} == php ]] && return "$failed"
    hit "$gate"; verdict "through ticketgate"
    if ((answered != n || counted != n)); then
        echo "demo: ticketgate must answer and count all $n" >&2; failed=1
    fi
    return "$failed"
}

serve() {
    cat >&2 <<TEXT

  Open in a browser:  $gate/

  ticketgate   $gate          (in front of PHP on $direct)
  admin        http://$host:$admin_port    /readyz /metrics

Try, in another terminal:

  # what PHP says, with both ids in the answer's head
  curl -i $gate/counter.php
  # add one, in line
  curl -d '' $gate/counter.php
  # the line in figures
  curl -s http://$host:$admin_port/metrics | grep ticketgate_queue
  # $n parallel POSTs straight at PHP, then through ticketgate
  $(demo_command)

Below: ticketgate's access log. Ctrl-C stops both.

TEXT
    wait "${started[0]}" || die "ticketgate ended by itself"
}

demo_command() {
    local name settings=()
    for name in PORT BACKEND_PORT; do [[ -z ${!name:-} ]] || settings+=("$name=${!name}"); done
    echo "${settings[*]:+${settings[*]} }deploy/demo/demo.sh"
}

case ${1:-} in
    "") compare ;;
    --ports) claim_ports ;;
    --php) trap stop_all EXIT; start_php; compare php ;;
    --demo) trap stop_all EXIT; start_php; start_ticketgate "${2:?BINARY}" >/dev/null; compare ;;
    --serve) trap stop_all EXIT; trap 'exit 0' INT TERM; start_php; start_ticketgate "${2:?BINARY}"; serve ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac
