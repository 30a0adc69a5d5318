# Starts and stops the servers of a demo. demo.sh and cluster.sh source it and set `here`, the folder of both.
# shellcheck shell=bash disable=SC2154,SC2034

host=127.0.0.1 started=() given=() scratch=

die() { printf 'demo: %s\n' "$*" >&2; exit 1; }

# Stops the processes that this script started, one after the other by id: ticketgate before its backend.
# Each leads a process group (setsid), because PHP's server does not stop its own workers.
stop_all() {
    local pid
    trap '' INT TERM
    for pid in "${started[@]}"; do
        kill -TERM -- "-$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    [[ -z $scratch ]] || rm -rf "$scratch"
}

listening() { (exec 3<>"/dev/tcp/$host/$1") 2>/dev/null; }

# Below the kernel's ephemeral ports. Not in a subshell: that would forget which ports it gave before, to servers that do
# not listen yet.
free_port() {  # VARIABLE
    local at
    while at=$((20000 + RANDOM % 6000)) && { [[ -n ${given[at]:-} ]] || listening "$at"; }; do :; done
    given[at]=1
    printf -v "$1" %s "$at"
}

wait_for() {  # PORT PID NAME [LOG]
    local deadline=$((SECONDS + 60))
    until listening "$1"; do
        kill -0 "$2" 2>/dev/null || die "$3 ended before it listened on port $1${4:+: $(tail -n 1 "$4")}"
        ((SECONDS < deadline)) || die "$3 does not listen on port $1 after 60 s"
        sleep 0.05
    done
}

# The demo's application at $direct, its counter in $scratch.
serve_php() {  # PORT
    command -v php >/dev/null || die "PHP is missing; ./dev run installs it"
    direct=http://$host:$1
    scratch=$(mktemp -d)
    export DEMO_STATE=${DEMO_STATE:-$scratch/counter.json} DEMO_DIRECT=$direct
    # Eight workers, like a small php-fpm pool. In their own session they do not get the terminal's Ctrl-C, so
    # they run until ticketgate has stopped.
    PHP_CLI_SERVER_WORKERS=8 setsid php -q -S "$host:$1" -t "$here/app" </dev/null >"$scratch/php.log" 2>&1 &
    started+=($!)
    wait_for "$1" $! PHP
}

count() { curl -sf "$1/counter.php" | sed -n 's/.*"count":\([0-9]*\).*/\1/p'; }
