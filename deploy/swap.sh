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
# Environment: TICKETGATE (ticketgate), the program and what stands before a command of it, such as
# `ticketgate -c FILE` or `docker exec shop ticketgate`; TICKETGATE_OPTIONS (none), what stands behind
# the command, such as `--admin 127.0.0.1:9901`; LONGEST (25s), the longest wait for the requests that
# run, and the longest time for COMMAND: then the pause ends by itself, whatever became of this
# script. Twice LONGEST must be less than the wait_timeout of the routes.
#
# During `ticketgate upgrade` it first waits, without a pause, until the old process has finished its
# line of the queue. In a cluster it must run at the replica that keeps the queue.
#
# Exit: that of COMMAND; 1 nothing was swapped, as the queue could not be paused or did not come to
# rest, or as another replica keeps it; 3 COMMAND succeeded, but the pause ended before it did, so
# requests may have run while it replaced the application.
set -euo pipefail

(($# >= 2)) || { sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p}' "$0" >&2; exit 2; }
queue=$1
shift
read -ra program <<<"${TICKETGATE:-ticketgate}"
read -ra options <<<"${TICKETGATE_OPTIONS:-}"
longest=${LONGEST:-25s}

say() { printf 'swap: %s\n' "$*" >&2; }
run() { "${program[@]}" "$@" "${options[@]}"; }
hold() { run pause "$queue" --for "$longest" >&2 || exit 1; }

# Sets state to the summary of the queue. It cuts the tickets off, since clients chose their texts. Ends the
# script where a pause would not hold.
ask() { state=$(run queues "$queue" --json | grep -o "^{[^[]*"); }
look() {
    ask || exit 1
    if [[ $state == *'"elsewhere":"other_replica"'* ]]; then
        say "another replica keeps $queue, or may: swap at the one that 'ticketgate cluster status' names; nothing was swapped"
        exit 1
    fi
}

look_again() {
    sleep 0.1
    look
}

# A pause would also hold those that wait in the old process, and so keep the queue there.
wait_for_upgrade() {
    look
    [[ $state == *'"elsewhere":"old_process"'* ]] || return 0
    say "the old process of an upgrade still finishes its line of $queue; waiting for it"
    while [[ $state == *'"elsewhere":"old_process"'* ]]; do look_again; done
}

# Waits until the queue is paused and nothing of it runs, here or elsewhere: all in one answer.
wait_for_rest() {
    look
    while true; do
        if [[ $state != *'"paused":true'* ]]; then
            say "requests of $queue still run and the pause is over; nothing was swapped"
            exit 1
        fi
        [[ $state != *'"in_flight":0'* || $state != *'"elsewhere":null'* ]] || return 0
        look_again
    done
}

wait_for_upgrade
hold
wait_for_rest
hold  # COMMAND has all of LONGEST
wait_for_rest  # the first pause may have ended before
code=0
"$@" || code=$?
ask || state=
if [[ $state != *'"paused":true'* || $state == *'"elsewhere":"other_replica"'* ]]; then
    say "the pause was over before the command ended: requests of $queue may have run during it; give it a longer LONGEST than $longest"
    ((code)) || exit 3
    say "the command failed as well"
elif ((code)); then
    say "the command failed; $queue stays paused for at most $longest, or until: ticketgate resume $queue"
else
    run resume "$queue" >&2
fi
exit "$code"
