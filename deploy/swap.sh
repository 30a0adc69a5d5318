#!/usr/bin/env bash
# Replaces the application behind a queue: pauses the queue, waits until nothing of it runs, runs a
# command, resumes. Requests that arrive meanwhile wait in their order; none is refused.
#
#   swap.sh QUEUE COMMAND [ARGUMENT...]
#   swap.sh app systemctl restart shop
#   swap.sh app sh -c 'ln -sfn /srv/shop-42 /srv/shop && systemctl reload php8.2-fpm'
#
# COMMAND must return when the new application accepts connections. If it fails, the queue stays
# paused until LONGEST is over, so that you can repair the application and then run
# `ticketgate resume QUEUE`.
#
# Environment: TICKETGATE (ticketgate), the program, with options if needed; LONGEST (25s), the
# longest wait for the requests that run, and the longest time for COMMAND: then the pause ends by
# itself, whatever became of this script. Twice LONGEST must be less than the wait_timeout of the
# routes.
# Exit: that of COMMAND; 1 nothing was swapped, as the queue could not be paused or did not come to rest.
set -euo pipefail

(($# >= 2)) || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
queue=$1
shift
read -ra ticketgate <<<"${TICKETGATE:-ticketgate}"
longest=${LONGEST:-25s}

say() { printf 'swap: %s\n' "$*" >&2; }
hold() { "${ticketgate[@]}" pause "$queue" --for "$longest" >&2 || exit 1; }

# Waits until the queue is paused and nothing of it runs: both in one answer.
wait_for_rest() {
    local state
    while true; do
        state=$("${ticketgate[@]}" queues "$queue" --json | grep -o "^{[^[]*")
        if [[ $state != *'"paused":true'* ]]; then
            say "requests of $queue still run and the pause is over; nothing was swapped"
            exit 1
        fi
        [[ $state != *'"in_flight":0'* ]] || return 0
        sleep 0.1
    done
}

hold
wait_for_rest
hold  # COMMAND has all of LONGEST
wait_for_rest  # the first pause may have ended before
if "$@"; then
    "${ticketgate[@]}" resume "$queue" >&2
else
    code=$?
    say "the command failed; $queue stays paused for at most $longest, or until: ticketgate resume $queue"
    exit "$code"
fi
