# shellcheck shell=bash
# The proxies of the comparison, started in the foreground as children of the caller and stopped by
# their own process id. Sourced by run.sh; can be used by hand: see README.md.
#
# Needs: tg_peers (this folder), tg_bin (build folder with our binaries), tg_work (scratch folder).
# shellcheck disable=SC2154,SC2013,SC2016,SC2034

declare -A tg_pid=() tg_port=() tg_admin=()
tg_next_port=${TG_BENCH_PORT:-21400}

# Sets tg_free to a port nobody listens on.
tg_take_port() {
    while :; do
        tg_free=$((tg_next_port++))
        (exec 3<>"/dev/tcp/127.0.0.1/$tg_free") 2>/dev/null || return 0
    done
}

# tg_has PEER: can it run here?
tg_has() {
    case $1 in
        relay) [[ -x $tg_bin/tg_relay ]] ;;
        ticketgate) [[ -x $tg_bin/ticketgate ]] ;;
        nginx | haproxy | caddy) command -v "$1" >/dev/null ;;
        apache) command -v apache2 >/dev/null && [[ -f $(tg_apache_modules)/mod_mpm_event.so ]] ;;
    esac
}

tg_apache_modules() {
    printf '%s' "${TG_APACHE_MODULES:-/usr/lib/apache2/modules}"
}

# tg_fill TEMPLATE KEY=VALUE...: the template with every @KEY@ replaced.
tg_fill() {
    local text pair
    text=$(<"$tg_peers/$1")
    shift
    for pair in "$@"; do text=${text//"@${pair%%=*}@"/"${pair#*=}"}; done
    printf '%s\n' "$text"
}

# tg_start and tg_start_backend try another port if another process takes theirs between tg_take_port and
# listen().
tg_tries=5
# Seconds to wait until a proxy listens or has ended; reached only if it hangs. A look takes 15 s on a machine with
# 25 busy processes for each processor.
tg_patience=600

# tg_start NAME PEER BACKEND_PORT [log=on] [threads=N] [mode=serial] [cpu=LIST] [option=WORD] [spool=YAML]
#          [inside=ADDRESS] [clients=YAML] [wrap=COMMAND]
# NAME identifies this instance. Sets tg_pid[NAME] and tg_port[NAME], and for ticketgate tg_admin[NAME].
# option: abortonclose, limit_conn, no_ids. mode=torture: ticketgate with the config of
# the torture kit. inside: calls from this address are the backend's own. wrap: a command with arguments that executes the proxy, such as prlimit.
tg_start() {
    local name=$1 peer=$2 backend=$3 log=off threads=1 mode=pass cpu='' option='' pair
    local spool='max_disk: 4GiB' inside='' clients='max_connections: 20000' wrap=()
    shift 3
    for pair in "$@"; do
        case $pair in
            log=*) log=${pair#*=} ;;
            threads=*) threads=${pair#*=} ;;
            mode=*) mode=${pair#*=} ;;
            cpu=*) cpu=${pair#*=} ;;
            option=*) option=${pair#*=} ;;
            spool=*) spool=${pair#*=} ;;
            inside=*) inside=${pair#*=} ;;
            clients=*) clients=${pair#*=} ;;
            wrap=*) read -ra wrap <<<"${pair#*=}" ;;
        esac
    done
    local dir=$tg_work/$name pin=() try
    mkdir -p "$dir"
    [[ -n $cpu ]] && pin=(taskset -c "$cpu")
    for ((try = 1; try <= tg_tries; ++try)); do
        tg_take_port
        tg_port[$name]=$tg_free
        "tg_command_$peer"
        "${pin[@]}" "${wrap[@]}" "${command[@]}" >"$dir/out" 2>"$dir/err" </dev/null &
        tg_pid[$name]=$!
        tg_await_port "$name" && return 0
        tg_port_was_taken "$dir/err" || break
    done
    tg_last_words "$name"
    return 1
}

# The next functions read the locals of tg_start and set `command`.

tg_command_relay() {
    command=("$tg_bin/tg_relay" --listen "$tg_free" --to "$backend")
}

tg_command_haproxy() {
    local target='' use='' options='' lines='' most
    [[ $log == on ]] &&
        target='log stdout format raw local0' use=$'log global\n    option httplog'
    [[ $mode == serial ]] && options='maxconn 1'
    # Among the defaults, since it must hold for the frontend too.
    [[ $option == abortonclose ]] &&
        lines=$'option abortonclose\n    option http-buffer-request'
    # Two descriptors for each connection and some for HAProxy itself, within its limit.
    most=$((($(ulimit -n) - 200) / 2))
    ((most > 9900)) && most=9900
    tg_fill haproxy.cfg.in PORT="$tg_free" BACKEND="$backend" THREADS="$threads" \
        MAX_CONNECTIONS="$most" LOG_TARGET="$target" LOG_USE="$use" \
        SERVER_OPTIONS="$options" DEFAULTS="$lines" >"$dir/haproxy.cfg"
    command=(haproxy -db -f "$dir/haproxy.cfg")
}

tg_command_nginx() {
    local user='' access=off server='' zone='' limit=''
    # Only root may set a user; the worker must then be able to write to the folder of the master.
    ((EUID == 0)) && user='user root;'
    [[ $log == on ]] && access="$dir/access.log combined"
    # nginx's two ways to admit one at a time; neither of them queues.
    [[ $mode == serial ]] && server='max_conns=1'
    [[ $option == limit_conn ]] &&
        server='' zone='limit_conn_zone $server_port zone=all:1m;' limit='limit_conn all 1;'
    tg_fill nginx.conf.in PORT="$tg_free" BACKEND="$backend" DIR="$dir" USER="$user" \
        LOG="$access" SERVER="$server" LIMIT_ZONE="$zone" LIMIT="$limit" >"$dir/nginx.conf"
    command=(nginx -e stderr -p "$dir" -c "$dir/nginx.conf")
}

tg_command_apache() {
    local user='' access='' most='max=100'
    [[ $mode == serial ]] && most='max=1 acquire=20000'
    ((EUID == 0)) && user=$'User www-data\nGroup www-data'
    [[ $log == on ]] &&
        access="CustomLog $dir/access.log \"%h %l %u %t \\\"%r\\\" %>s %b %{UNIQUE_ID}e\""
    tg_fill apache.conf.in PORT="$tg_free" BACKEND="$backend" DIR="$dir" USER="$user" \
        MODULES="$(tg_apache_modules)" LOG="$access" MAX="$most" >"$dir/apache.conf"
    # Apache signals its whole process group when it ends, so it gets its own group.
    command=(setsid apache2 -f "$dir/apache.conf" -DFOREGROUND)
}

tg_command_ticketgate() {
    local access=off queue='queue: off' ids='' port=$tg_free admin template=ticketgate
    local late='' upstream="url: \"http://127.0.0.1:$backend\""
    [[ -n ${tg_fcgi_port:-} ]] &&
        upstream="url: \"fastcgi://127.0.0.1:$tg_fcgi_port\", fastcgi: { root: /www, status:
            { url: \"fastcgi://127.0.0.1:$tg_fcgi_port\", path: /__status } }" late='release: worker_idle'
    [[ -n ${tg_workers:-} ]] &&
        upstream="workers: { command: [$tg_bin/tg_worker, \"127.0.0.1:$tg_fcgi_port\"], transport: $tg_workers,
            min: 24, max: 24 }, fastcgi: { root: /www }" late=''
    [[ $mode == torture ]] && template=torture
    [[ $log == on ]] && access=json
    [[ $option == no_ids ]] &&
        ids='ids: { request_id: { policy: disable }, unique_id: { policy: disable } }'
    [[ $mode == serial ]] &&
        queue=$'queue: q\n    max_waiting: unlimited\n    wait_timeout: 900s'
    tg_take_port
    admin=$tg_free
    tg_admin[$name]=$admin
    tg_fill "$template.yaml.in" PORT="$port" ADMIN="$admin" BACKEND="$backend" \
        TLS="${tg_tls:-}" UPSTREAM="$upstream" LATE="$late" THREADS="$threads" ACCESS="$access" IDS="$ids" \
        QUEUE="$queue" LOG="$dir/access.log" \
        SPOOL="$spool" INSIDE="$inside" CLIENTS="$clients" >"$dir/ticketgate.yaml"
    command=("$tg_bin/ticketgate" -c "$dir/ticketgate.yaml")
}

tg_command_caddy() {
    tg_fill caddy.json.in PORT="$tg_free" BACKEND="$backend" >"$dir/caddy.json"
    command=(env HOME="$dir" XDG_DATA_HOME="$dir" XDG_CONFIG_HOME="$dir" GOMAXPROCS="$threads"
        caddy run --config "$dir/caddy.json")
}

# tg_start_backend NAME CPU ARGS...: starts an order-logging backend on its own port.
tg_start_backend() {
    local name=$1 cpu=$2 pin=() try
    shift 2
    [[ -n $cpu ]] && pin=(taskset -c "$cpu")
    for ((try = 1; try <= tg_tries; ++try)); do
        tg_take_port
        tg_port[$name]=$tg_free
        "${pin[@]}" "$tg_bin/tg_backend" --listen "$tg_free" "$@" \
            >"$tg_work/$name.out" 2>&1 </dev/null &
        tg_pid[$name]=$!
        tg_await_port "$name" && return 0
        tg_port_was_taken "$tg_work/$name.out" || break
    done
    tg_last_words "$name"
    return 1
}

tg_port_was_taken() {
    grep -qiE 'in use|EADDRINUSE' "$1"
}

tg_last_words() {
    echo "$1 did not start; its last words:" >&2
    tail -n 5 "$tg_work/$1/err" "$tg_work/$1.out" >&2 2>/dev/null
}

# Waits until this process listens on its port, and not another process that took the port first.
tg_await_port() {
    local name=$1 end=$((SECONDS + tg_patience))
    while kill -0 "${tg_pid[$name]}" 2>/dev/null && ((SECONDS < end)); do
        tg_listens "${tg_pid[$name]}" "${tg_port[$name]}" && return 0
        tg_look_again
    done
    tg_stop "$name"
    return 1
}

# tg_listens PID PORT: does the process, or one of its descendants, listen there?
tg_listens() {
    local port inode pids=() folders=()
    printf -v port ':%04X' "$2"
    inode=$(awk -v port="$port" '$4 == "0A" && $2 ~ port "$" { print $10; exit }' /proc/net/tcp /proc/net/tcp6 2>/dev/null)
    [[ -n $inode ]] || return 1
    mapfile -t pids < <(tg_tree "$1")
    folders=("${pids[@]/#//proc/}")
    [[ -n $(find "${folders[@]/%//fd}" -lname "socket:\[$inode\]" -print -quit 2>/dev/null) ]]
}

# The pause between two polls of another process.
tg_look_again() {
    sleep 0.05
}

tg_stop() {
    local name=$1 pid=${tg_pid[$1]:-} end=$((SECONDS + tg_patience))
    unset "tg_pid[$name]"
    [[ -n $pid ]] || return 0
    kill "$pid" 2>/dev/null
    while kill -0 "$pid" 2>/dev/null && ((SECONDS < end)); do tg_look_again; done
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    return 0
}

tg_stop_all() {
    local name
    for name in "${!tg_pid[@]}"; do tg_stop "$name"; done
}

# tg_tree PID: the process and its descendants.
tg_tree() {
    local file child children
    echo "$1"
    for file in "/proc/$1"/task/*/children; do
        children=()
        { read -ra children <"$file"; } 2>/dev/null
        for child in "${children[@]}"; do tg_tree "$child"; done
    done
}

# tg_cpu_ns PID: run time of all threads of the process and its descendants. schedstat has
# nanoseconds where stat's utime and stime have ticks of 10 ms.
tg_cpu_ns() {
    local pid
    for pid in $(tg_tree "$1"); do cat "/proc/$pid"/task/*/schedstat 2>/dev/null; done |
        awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

# tg_rss_kib PID: resident memory of the process and its descendants.
tg_rss_kib() {
    local pid
    for pid in $(tg_tree "$1"); do grep VmRSS "/proc/$pid/status" 2>/dev/null; done |
        awk '{ sum += $2 } END { print sum + 0 }'
}
