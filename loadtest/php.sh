#!/usr/bin/env bash
# What PHP costs the proxies: FastCGI to one php-fpm through ticketgate, nginx, HAProxy and Apache, with connections
# kept and with a new one for each request; one request at a time; workers that ticketgate starts itself; and static
# files of 1 KiB and 1 MiB beside nginx and Apache. nginx has Debian's tcp_nopush on; for files, "plain" is without it.
# Rounds interleaved. Only the CPU time of the proxy counts, without its PHP workers, so a slow client or a busy machine
# matters less.
#
#   php.sh [--rounds N] [--seconds N] [--out FILE]
#
# TG_BENCH_BIN: folder with ticketgate (default: build/release of this tree). --out: the table replaces the section
# `## PHP and files` of FILE, or is appended to it.
# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2154,SC2034,SC2317
set -uo pipefail  # without -e: peers.sh may signal processes that have ended
tg_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tg_bin=${TG_BENCH_BIN:-$tg_here/../build/release}
rounds=5 seconds=2 out='' load_cpu=1
while (($# > 0)); do
    case $1 in
        --rounds) rounds=$2 && shift ;;
        --seconds) seconds=$2 && shift ;;
        --out) out=$2 && shift ;;
        *) sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2 && exit 2 ;;
    esac
    shift
done
ulimit -n "$(ulimit -Hn)"
PATH+=:/usr/sbin
(($(nproc) >= 2)) || load_cpu=0
tg_work=$(mktemp -d)
chmod 755 "$tg_work"
tg_peers=$tg_here/peers
# shellcheck source=peers/peers.sh
source "$tg_peers/peers.sh"
finish() {
    tg_stop_all
    rm -rf "$tg_work"
}
trap finish EXIT

# The site: a script that prints a line, and two files.
www=$tg_work/www
mkdir "$www"
chmod 755 "$www"
printf '%s\n' '<?php echo "done", PHP_EOL;' >"$www/index.php"
head -c 1024 /dev/urandom >"$www/small.bin"
head -c 1048576 /dev/urandom >"$www/large.bin"
user='' owner=''
if ((EUID == 0)); then user='user root;' owner=$'User www-data\nGroup www-data'; fi

# Each of these sets `command`. They read $tg_free, the port, and $dir, the peer's folder; $name is KIND-PEER.
tg_command_fpm() {
    cat >"$dir/fpm.conf" <<CONF
[global]
error_log = $dir/error.log
daemonize = no
[www]
listen = 127.0.0.1:$tg_free
pm = static
pm.max_children = 48
${owner:+user = www-data
group = www-data}
CONF
    command=("$fpm" -y "$dir/fpm.conf" -F)
}

tg_command_ticketgate() {
    local upstream="url: \"fastcgi://127.0.0.1:${tg_port[fpm]}\", fastcgi: { root: $www, keep_alive: $kept }"
    local queue='queue: off' more=''
    [[ $kind == workers ]] &&
        upstream="workers: { command: [php-cgi, -d, cgi.fix_pathinfo=0], min: 8, max: 8, max_requests: unlimited },
            fastcgi: { root: $www }"
    [[ $kind == serial ]] && queue='queue: q'
    [[ $kind == files ]] && more=", files: { root: $www }"
    cat >"$dir/ticketgate.yaml" <<CONF
listen: [{ address: "127.0.0.1:$tg_free" }]
threads: 1
log: { access: off }
upstreams: { php: { $upstream$more } }
defaults: { upstream: php, $queue }
routes: [{ prefix: / }]
CONF
    command=("$tg_bin/ticketgate" -c "$dir/ticketgate.yaml")
}

tg_command_nginx() {
    local keep='' idle=''
    [[ $kept == true ]] && keep='fastcgi_keep_conn on;' idle='keepalive 8;'
    local nopush=on
    [[ $kind == plain ]] && nopush=off
    cat >"$dir/nginx.conf" <<CONF
$user
daemon off;
worker_processes 1;
pid $dir/nginx.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
    access_log off;
    sendfile on;
    tcp_nopush $nopush;
    keepalive_requests 1000000000;
    client_body_temp_path $dir/body;
    proxy_temp_path $dir/proxy;
    fastcgi_temp_path $dir/fastcgi;
    uwsgi_temp_path $dir/uwsgi;
    scgi_temp_path $dir/scgi;
    upstream php { server 127.0.0.1:${tg_port[fpm]}; $idle }
    server {
        listen 127.0.0.1:$tg_free;
        root $www;
        location / { }
        location ~ [.]php\$ {
            include /etc/nginx/fastcgi_params;
            fastcgi_param SCRIPT_FILENAME $www\$fastcgi_script_name;
            fastcgi_param HTTP_X_REQUEST_ID \$request_id;
            $keep
            fastcgi_pass php;
        }
    }
}
CONF
    command=(nginx -e stderr -p "$dir" -c "$dir/nginx.conf")
}

tg_command_haproxy() {
    local keep='no option keep-conn' reuse=never most=''  # it keeps connections unless told
    [[ $kept == true ]] && keep='option keep-conn' reuse=always
    [[ $kind == serial ]] && most='maxconn 1'
    cat >"$dir/haproxy.cfg" <<CONF
global
    maxconn 1000
    nbthread 1
defaults
    mode http
    timeout connect 5s
    timeout client 60s
    timeout server 60s
    timeout queue 60s
    http-reuse $reuse
    unique-id-format %{+X}o\\ %ci:%cp_%fi:%fp_%Ts_%rt:%pid
fcgi-app php
    docroot $www
    index index.php
    $keep
frontend front
    bind 127.0.0.1:$tg_free
    http-request set-header X-Request-Id %[unique-id]
    default_backend back
backend back
    use-fcgi-app php
    server one 127.0.0.1:${tg_port[fpm]} proto fcgi $most
CONF
    command=(haproxy -db -f "$dir/haproxy.cfg")
}

tg_command_apache() {
    local reuse=off most=100 modules
    modules=$(tg_apache_modules)
    [[ $kept == true ]] && reuse=on most=8
    [[ $kind == serial ]] && most='1 acquire=20000'
    cat >"$dir/apache.conf" <<CONF
ServerRoot $dir
DefaultRuntimeDir $dir
PidFile $dir/apache.pid
ServerName localhost
Listen 127.0.0.1:$tg_free
ErrorLog $dir/error.log
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule proxy_module $modules/mod_proxy.so
LoadModule proxy_fcgi_module $modules/mod_proxy_fcgi.so
LoadModule unique_id_module $modules/mod_unique_id.so
LoadModule headers_module $modules/mod_headers.so
$owner
StartServers 1
ServerLimit 1
ThreadLimit 100
ThreadsPerChild 100
MaxRequestWorkers 100
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 60
EnableSendfile On
RequestHeader set X-Request-Id "%{UNIQUE_ID}e"
DocumentRoot $www
<Directory $www>
    Require all granted
</Directory>
<Proxy "fcgi://127.0.0.1:${tg_port[fpm]}/" enablereuse=$reuse max=$most>
</Proxy>
<FilesMatch "[.]php\$">
    SetHandler "proxy:fcgi://127.0.0.1:${tg_port[fpm]}/"
</FilesMatch>
CONF
    # Apache signals its whole process group when it ends, so it gets its own group.
    command=(setsid apache2 -f "$dir/apache.conf" -DFOREGROUND)
}

# cpu_of NAME: run time of the proxy in nanoseconds; PHP workers that ticketgate starts are not the proxy.
cpu_of() {
    if [[ $1 == *-ticketgate ]]; then
        cat "/proc/${tg_pid[$1]}"/task/*/schedstat | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
    else
        tg_cpu_ns "${tg_pid[$1]}"
    fi
}

# measure NAME PATH: requests a second, and microseconds of the proxy's CPU for each.
measure() {
    local before after requests good
    before=$(cpu_of "$1")
    taskset -c "$load_cpu" wrk -t1 -c8 -d"${seconds}s" "http://127.0.0.1:${tg_port[$1]}$2" >"$tg_work/wrk"
    after=$(cpu_of "$1")
    requests=$(awk '/ requests in / { print $1 }' "$tg_work/wrk")
    good=yes
    grep -qE 'Non-2xx|Socket errors' "$tg_work/wrk" && good=no
    printf '%s\t%s\t%s' "$(awk '/^Requests\/sec:/ { printf "%.0f", $2 }' "$tg_work/wrk")" \
        "$(awk -v ns=$((after - before)) -v n="${requests:-0}" 'BEGIN { printf "%.2f", n ? ns / 1000 / n : 0 }')" "$good"
}

load_before=$(cut -d' ' -f1 /proc/loadavg)
fpm=$(command -v php-fpm8.2 php-fpm | head -1)
tg_start fpm fpm 0 cpu="$load_cpu" || exit 1
start() {  # KIND KEPT PEER...: sets started
    local kind=$1 kept=$2 peer
    shift 2
    for peer in "$@"; do tg_start "$kind-$peer" "$peer" 0 cpu=0 || exit 1; done
}
start kept true ticketgate nginx haproxy apache
start new false ticketgate nginx haproxy apache
start serial true ticketgate haproxy apache
start workers true ticketgate
start files true ticketgate
start plain true nginx

rows=$tg_work/rows
# row CASE NAME PATH
row() {
    local peer=${2#*-}
    [[ $2 == plain-* ]] && peer+=", plain"
    printf '%s\t%s\t%s\n' "$1" "$peer" "$(measure "$2" "$3")" | tee -a "$rows" >&2
}
for ((round = 1; round <= rounds; ++round)); do
    for peer in ticketgate nginx haproxy apache; do row "php-fpm, connections kept" "kept-$peer" /index.php; done
    row "workers of ticketgate, php-fpm kept" workers-ticketgate /index.php
    for peer in nginx haproxy apache; do row "workers of ticketgate, php-fpm kept" "kept-$peer" /index.php; done
    for peer in ticketgate nginx haproxy apache; do row "php-fpm, new connections" "new-$peer" /index.php; done
    for peer in ticketgate haproxy apache; do row "one at a time" "serial-$peer" /index.php; done
    for peer in files-ticketgate kept-nginx kept-apache plain-nginx; do
        row "file, 1 KiB" "$peer" /small.bin
        row "file, 1 MiB" "$peer" /large.bin
    done
done

{
    echo "## PHP and files"
    echo
    echo "$(date -u +%F), \`./dev bench php\`: $rounds rounds, interleaved; medians, [min-max]. wrk with 8 connections for" \
        "$seconds s on the core of php-fpm, the proxy on the other. CPU is the proxy's own for one request. Load average" \
        "before the run $load_before on $(nproc) cores. The ratio is taken within a round: to nginx, and for one at a time" \
        "to HAProxy (nginx has no queue). A row with ! had answers that failed."
    echo
    python3 -B - "$rows" <<'PY'
import statistics, sys
cases, bad = {}, set()
for line in open(sys.argv[1]):
    case, peer, rate, cpu, good = line.rstrip("\n").split("\t")
    cases.setdefault(case, {}).setdefault(peer, []).append((float(rate), float(cpu)))
    if good != "yes":
        bad.add((case, peer))
print("| case | proxy | requests/s | CPU µs | ratio |\n|---|---|---|---|---|")
for case, peers in cases.items():
    base = peers.get("nginx") or peers["haproxy"]
    for peer, values in peers.items():
        ratios = [mine[1] / its[1] for mine, its in zip(values, base)]
        print(f"| {case} | {peer}{' !' if (case, peer) in bad else ''} | {statistics.median(v[0] for v in values):.0f} "
              f"| {statistics.median(v[1] for v in values):.1f} "
              f"| {statistics.median(ratios):.2f} [{min(ratios):.2f}-{max(ratios):.2f}] |")
PY
} >"$tg_work/table"
cat "$tg_work/table"
[[ -n $out ]] || exit 0
python3 -B - "$out" "$tg_work/table" <<'PY'
import re, sys
file, table = sys.argv[1], open(sys.argv[2]).read()
text = open(file).read()
new, n = re.subn(r"(?ms)^## PHP and files\n.*?(?=^## |\Z)", lambda _: table + "\n", text)
open(file, "w").write((new if n else text.rstrip("\n") + "\n\n" + table).rstrip("\n") + "\n")
PY
