#!/usr/bin/env bash
# Inside the chroot, after a recipe's steps: checks that the result keeps the promises of the recipe.
#   proof.sh BACKEND HOST     BACKEND: apache, nginx, php-fpm or alone; HOST: the Host of clients, such as localhost:8080
# shellcheck disable=SC2317  # functions called through wait_for
set -uo pipefail
backend=$1 host=$2
gate=http://$host port=${host#localhost} failed=0
port=${port#:} port=${port:-80}
here=$(dirname "${BASH_SOURCE[0]}")

ok() { printf 'ok      %s\n' "$1"; }
bad() { printf 'FAILED  %s: %s\n' "$1" "$2"; failed=1; }
same() { if [[ $2 == "$3" ]]; then ok "$1: $2"; else bad "$1" "'$2' is not '$3'"; fi; }
runs() { local what=$1 out; shift; if out=$("$@" 2>&1); then ok "$what"; else bad "$what" "$out"; fi; }
head_of() { curl -s -o /dev/null -D - "$@" | tr -d '\r'; }
wait_for() {  # WHAT COMMAND...
    local what=$1 deadline=$((SECONDS + 60))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || { bad "$what" 'not within 60 s'; return; }
        sleep 0.1
    done
    ok "$what"
}
gone() { ! systemctl is-active ticketgate; }
field() { sed -n "s/^$1: //Ip"; }

install -m 644 "$here/proof.php" /var/www/html/
install -d -m 755 /var/www/html/folder
echo index >/var/www/html/folder/index.html  # ticketgate redirects to no folder without an index
rm -f /var/tmp/ticketgate-proof*

# The variables that a script sees. The client has its own address, which differs from the proxy's.
seen=$(curl -s --interface 127.0.0.9 -D /tmp/head "$gate/proof.php")
see() { sed -n "s/^$1=//p" <<<"$seen"; }
same HTTP_HOST "$(see HTTP_HOST)" "$host"
same SERVER_NAME "$(see SERVER_NAME)" localhost
same SERVER_PORT "$(see SERVER_PORT)" "$port"
same REMOTE_ADDR "$(see REMOTE_ADDR)" 127.0.0.9
same 'UNIQUE_ID is the one in the response' "$(see UNIQUE_ID)" "$(tr -d '\r' </tmp/head | field Unique-Id)"

# Redirects: the script's own and, with a web server, that of a folder.
same 'redirect of a script' "$(head_of "$gate/proof.php?do=away" | field Location)" "$gate/elsewhere"
if [[ $backend != php-fpm ]]; then
    there=$(head_of "$gate/folder" | field Location)
    [[ $there != /* ]] || there=$gate$there
    same 'redirect of a folder' "$there" "$gate/folder/"
    there=$(head_of -H 'X-Forwarded-Proto: https' "$gate/folder" | field Location)
    [[ $there == *8000* ]] && bad 'redirect of a folder' "$there"
fi

# Other machines cannot reach the backend directly and bypass the queue.
everywhere=$(grep -E ' (00000000|0{32}):1F40 ' /proc/net/tcp /proc/net/tcp6)
same 'listeners of the backend beyond loopback' "$everywhere" ''

# The promise: 100 updates, 16 at a time, none lost.
count() {  # WHAT [CURL'S OPTIONS...]
    local what=$1
    shift
    curl -s --no-progress-meter --parallel --parallel-immediate --parallel-max 16 "$@" -o /dev/null \
        "$gate/proof.php?do=$what&n=[1-100]"
    # A POST waits in the queue, so it also waits for work after the last response.
    same "100 parallel updates ($what $*)" "$(curl -s -d '' "$gate/proof.php?do=read")" 100
    rm -f /var/tmp/ticketgate-proof
}
count count -d ''
# Reads are not queued, but those that name another method are, however they do it.
runs 'a POST waits in the queue' grep -q 'stands in queue app' <(ticketgate explain POST /proof.php)
runs 'a GET does not' grep -q 'not queued (GET is in skip_methods)' <(ticketgate explain GET /proof.php)
count 'count&_method=PUT'
count count -H 'X-HTTP-Method-Override: PUT'
count count -X GET -d '_method=PUT'
if grep -q '^[^#]*worker_idle' /etc/ticketgate/ticketgate.yaml; then
    count late -d ''
    wait_for 'the status page answers at the start' grep "php-fpm's status page answers" /run/shim/ticketgate.log
    # Without pm.status_path the reload reports the problem with a remedy.
    sed -i '/^pm.status_path/d' /etc/php/8.2/fpm/pool.d/www.conf
    systemctl restart php8.2-fpm
    runs reload ticketgate reload
    wait_for 'without pm.status_path the log names the remedy' \
        grep 'error.*pm.status_path = /status' /run/shim/ticketgate.log
    grep 'pm.status_path = /status' /run/shim/ticketgate.log | head -n 1
    echo 'pm.status_path = /status' >>/etc/php/8.2/fpm/pool.d/www.conf
    systemctl restart php8.2-fpm
fi

# The operator's commands.
for command in healthcheck queues check reload; do runs "ticketgate $command" ticketgate "$command"; done
runs 'systemctl reload ticketgate' systemctl reload ticketgate
runs 'ticketgate drain' ticketgate drain
wait_for 'the drained process ends' gone

# Port 80 without its capability: the error names the remedy.
if ((port < 1024)); then
    sed -i '/Capabilit/d' /etc/systemd/system/ticketgate.service.d/*.conf
    said=$(systemctl start ticketgate 2>&1) && bad 'port 80 without the capability' 'it starts'
    runs 'port 80 without the capability names the remedy' \
        grep 'ports below 1024 need CAP_NET_BIND_SERVICE' <<<"$said"
    printf '%s\n' "$said" | tail -n 1
fi
exit "$failed"
