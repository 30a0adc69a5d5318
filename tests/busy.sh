#!/usr/bin/env bash
# Runs a command beside four busy loops for each processor, as on a loaded machine, so that tests which
# depend on timing fail.
#
#   busy.sh COMMAND...
#
# BUSY_LOOPS: the number of loops. The loops have normal priority and end with the command.
# The exit code is that of the command.
set -uo pipefail
(($#)) || { sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2; }

loops=()
stop() {
    kill "${loops[@]}" 2>/dev/null
    wait "${loops[@]}" 2>/dev/null
}
trap stop EXIT
trap 'exit 130' INT TERM

for ((i = 0; i < ${BUSY_LOOPS:-$((4 * $(nproc)))}; ++i)); do
    # Checks for the script regularly: a loop must not outlive a script that was killed.
    (while kill -0 $$ 2>/dev/null; do for ((n = 0; n < 100000; ++n)); do :; done; done) &
    loops+=($!)
done
"$@"
