#!/usr/bin/env bash
# The torture kit: starts backend and proxy, runs every applicable scenario, prints one table.
#
#   run.sh [--proxy ticketgate|haproxy|nginx|apache|caddy|none] [--variant WORD] [--upstream http|fastcgi|workers|descriptors] [--tls]
#          [--threads N] [--seed N] [--scenario A,B] [--skip A,B] [--quick] [--json FILE]
#          [--requests N | --seconds N]          the soak: rounds of the mix
#          [--bin FOLDER] [--slack-us N] [--sure-us N] [--grace-us N] [--explain] [--list] [--keep]
#          [--must-break]
#
# --variant: abortonclose (haproxy), limit_conn (nginx). --bin: folder of ticketgate and the tools,
# such as a sanitizer's build. --must-break: succeeds if each row shows a broken promise, which
# proves that the kit detects it. README.md explains the columns. For ticketgate the exit code is 1
# if a promise is broken.
# shellcheck source-path=SCRIPTDIR
# shellcheck disable=SC2154,SC2317  # peers.sh sets tg_port, tg_pid, tg_admin; finish is a trap
set -uo pipefail

tg_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tg_peers=$tg_here/../peers
tg_bin=$tg_here/../../build/release
tg_next_port=${TG_TORTURE_PORT:-27000}
# shellcheck source=../peers/peers.sh
TG_BENCH_PORT=$tg_next_port source "$tg_peers/peers.sh"

usage() {
    sed -n '2,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit "$1"
}
die() { printf 'torture: %s\n' "$*" >&2; exit 2; }

proxy=ticketgate variant='' upstream=http scheme=http threads=1 scenario='' skip='' keep=no soak=no must_break=no
tool=()
while (($# > 0)); do
    case $1 in
        --proxy) proxy=$2 && shift ;;
        --variant) variant=$2 && shift ;;
        --upstream) upstream=$2 && shift ;;
        --tls) scheme=https ;;
        --threads) threads=$2 && shift ;;
        --scenario) scenario=$2 && shift ;;
        --skip) skip=$2 && shift ;;
        --bin) tg_bin=$2 && shift ;;
        --requests) soak=yes && tool+=(--total "$2") && shift ;;
        --seconds) soak=yes && tool+=(--seconds "$2") && shift ;;
        --seed | --json | --slack-us | --sure-us | --grace-us | --patience) tool+=("$1" "$2") && shift ;;
        --quick | --explain) tool+=("$1") ;;
        --must-break) must_break=yes ;;
        --keep) keep=yes ;;
        --list) exec "$tg_bin/tg_torture" --list ;;
        -h | --help) usage 0 ;;
        *) usage 2 >&2 ;;
    esac
    shift
done
case $upstream in
    http) ;;
    fastcgi | workers | descriptors) [[ $proxy == ticketgate ]] || die "only ticketgate is tortured over FastCGI" ;;
    *) die "unknown upstream: $upstream" ;;
esac
case $proxy in
    none) ;;
    ticketgate | haproxy | nginx | apache | caddy)
        tg_has "$proxy" || die "$proxy is not installed or not built (deploy/packages.torture)"
        ;;
    *) die "unknown proxy: $proxy" ;;
esac
[[ -x $tg_bin/tg_torture && -x $tg_bin/tg_backend ]] || die "no tools in $tg_bin: build first"

ulimit -n "$(ulimit -Hn)"
tg_work=$(mktemp -d)
# Apache's and nginx's workers are other users and must reach their own folders.
chmod 755 "$tg_work"
mounted=''
finish() {
    tg_stop_all
    [[ -n $mounted ]] && umount "$mounted"
    [[ $keep == yes ]] && echo "kept: $tg_work" >&2 && return
    rm -rf "$tg_work"
}
trap finish EXIT
trap 'exit 130' INT TERM

# torture NAME SCENARIOS...: runs scenarios on the running proxy NAME.
torture() {
    local name=$1 about=()
    shift
    [[ $proxy == ticketgate ]] && about+=(--admin "127.0.0.1:${tg_admin[$name]}" --strict
        --config "$tg_work/$name/ticketgate.yaml" --access-log "$tg_work/$name/access.log"
        --clock "$tg_work/$name/clock")
    [[ $upstream == http ]] || about+=(--fastcgi)
    [[ -z $tg_workers ]] || about+=(--workers)
    [[ $must_break == yes ]] && about+=(--must-break)
    [[ $proxy != none ]] && about+=(--proxy-pid "${tg_pid[$name]}")
    "$tg_bin/tg_torture" "$scheme://127.0.0.1:${tg_port[$name]}/" --kind "$proxy" \
        --backend "127.0.0.1:${tg_port[back]}" "${about[@]}" "${tool[@]}" "$@"
}

wanted() {
    [[ ,$skip, == *",$1,"* ]] && return 1
    [[ -z $scenario || ,$scenario, == *",$1,"* ]]
}

# Some processes print a sanitizer report or a failed check only when they end.
last_words() {
    grep -E -A 30 'Sanitizer|runtime error|TG_CHECK|terminate called' "$tg_work/$1/err" >&2 || return 0
    return 1
}

# All scenarios that can share one proxy.
main_part() {
    local names=() mode=serial
    [[ -n $scenario ]] && names+=(--scenario "$scenario")
    names+=(--skip "$skip$own")
    [[ $proxy == ticketgate ]] && mode=torture
    if [[ $proxy == none ]]; then
        tg_port[main]=${tg_port[back]}
    else
        tg_start main "$proxy" "${tg_port[back]}" threads="$threads" mode=$mode option="$variant" ||
            return 1
    fi
    torture main "${names[@]}"
    local result=$?
    [[ $proxy == none ]] && return $result
    tg_stop main
    last_words main || result=1
    return $result
}

# own_start SCENARIO ARGUMENTS OF tg_start...: runs a scenario that ends or starves its proxy.
own_start() {
    local name=$1 result
    shift
    wanted "$name" || return 0
    tg_start "$name" ticketgate "${tg_port[back]}" threads="$threads" mode=torture "$@" || return 1
    torture "$name" --scenario "$name" --bare
    result=$?
    tg_stop "$name"
    last_words "$name" || result=1
    return $result
}

starved_parts() {
    local tiny='memory_per_body: 4KiB, max_memory: 64KiB' tmpfs=$tg_work/tmpfs clock
    own_start inside inside=127.0.0.2 || failed=1
    own_start rotate log=on || failed=1
    own_start drain || failed=1
    own_start term_twice || failed=1
    own_start descriptors wrap='prlimit --nofile=120' || failed=1
    own_start disk_limit spool="$tiny, max_disk: 1MiB" || failed=1
    own_start file_limit spool="$tiny" wrap='prlimit --fsize=100000' || failed=1
    own_start full_house clients='max_connections: 40' || failed=1
    own_start sent_ahead clients='max_connections: 20000, max_input: 1MiB' || failed=1
    mkdir -p "$tmpfs"
    if wanted disk_full && mount -t tmpfs -o size=1m tmpfs "$tmpfs" 2>/dev/null; then
        mounted=$tmpfs
        own_start disk_full spool="$tiny, directory: $tmpfs" || failed=1
        umount "$tmpfs" && mounted=''
    elif wanted disk_full; then
        echo "disk_full: left out, only root can mount a small tmpfs"
    fi
    own_start memory wrap="prlimit --as=$((420 << 20))" || failed=1
    clock=$(find /usr/lib -name libfaketimeMT.so.1 2>/dev/null | head -n 1)
    if [[ -n $clock ]]; then
        mkdir -p "$tg_work/clock" && echo +0 >"$tg_work/clock/clock"
        own_start clock wrap="env LD_PRELOAD=$clock FAKETIME_TIMESTAMP_FILE=$tg_work/clock/clock \
            FAKETIME_NO_CACHE=1 DONT_FAKE_MONOTONIC=1" || failed=1
    elif wanted clock; then
        echo "clock: left out, Debian's libfaketime is not installed"
    fi
}

failed=0
# Each of these scenarios gets its own proxy.
own=,inside,rotate,drain,term_twice,descriptors,disk_limit,file_limit,full_house,sent_ahead,disk_full,memory,clock,
only_own=no
if [[ -n $scenario ]]; then
    only_own=yes
    for name in ${scenario//,/ }; do [[ $own == *",$name,"* ]] || only_own=no; done
fi
if [[ $scheme == https ]]; then
    [[ $proxy == ticketgate ]] || die "only ticketgate is tortured over TLS"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
        -keyout "$tg_work/key.pem" -out "$tg_work/certificate.pem" 2>/dev/null || die "openssl is missing"
    tg_tls=", tls: { certificates: [{ certificate: $tg_work/certificate.pem, key: $tg_work/key.pem }] }"
fi
backend_words=(--seconds 7200 --log-lines 600000)
tg_workers=''
case $upstream in
    workers) tg_workers=socket ;;
    descriptors) tg_workers=descriptors ;;
esac
[[ -z $tg_workers ]] || backend_words+=(--process)
if [[ $upstream != http ]]; then
    tg_take_port
    tg_fcgi_port=$tg_free
    backend_words+=(--fastcgi "$tg_fcgi_port")
fi
tg_start_backend back '' "${backend_words[@]}" || exit 1
[[ $only_own == yes ]] || main_part || failed=1
[[ $proxy == ticketgate && $soak == no ]] && starved_parts
exit $failed
