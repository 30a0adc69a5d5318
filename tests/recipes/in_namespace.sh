#!/usr/bin/env bash
# Runs one recipe on a fresh system in separate namespaces. fresh_check.sh starts it as
#   unshare --mount in_namespace.sh LOWER WORK NAME BACKEND HOST
# LOWER is a Debian with the built clone; an overlay in WORK holds the changes of the recipe. The processes end with
# their namespace, and the services listen in a network that has only loopback.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if [[ $1 != --inner ]]; then
    lower=$1 work=$2
    root=$work/root
    mkdir -p "$work/upper" "$work/over" "$root"
    mount -t overlay overlay -o "lowerdir=$lower,upperdir=$work/upper,workdir=$work/over" "$root"
    touch "$root/run/host-net"
    mount --bind /proc/self/ns/net "$root/run/host-net"  # for apt-get alone
    exec unshare --net --pid --fork --kill-child "${BASH_SOURCE[0]}" --inner "$root" "${@:3}"
fi

root=$2 name=$3 backend=$4 host=$5
ip link set lo up
mount -t proc proc "$root/proc"
mount -t sysfs sys "$root/sys"
mount --bind /dev "$root/dev"
mount --bind /dev/pts "$root/dev/pts"
mount -t tmpfs tmpfs "$root/dev/shm"
install -m 755 "$here/systemctl" "$here/apt-get" "$root/usr/local/sbin/"
mkdir "$root/root/proof"
cp -r "$here/." "$root/root/proof/"
# BACKEND is an application and its setup, such as dokuwiki:nginx, or only a web server.
proof=proof.sh
[[ ! -d $here/${backend%%:*} ]] || proof=${backend%%:*}/proof.sh

# As in fresh_check.sh: only the proxy variables of this machine.
inside() {
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8 \
        ${MEASURE:+MEASURE="$MEASURE"} ${TRANSPORTS:+TRANSPORTS="$TRANSPORTS"} \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} no_proxy=localhost,127.0.0.1 \
        chroot "$root" "$@" </dev/null
}
printf '\n## %s\n\n```console\n' "$name"
status=0
inside /root/proof/do_steps.sh /root/steps || status=$?
printf '```\n\n'
((status == 0)) || { echo "a step failed: exit $status"; exit 1; }
printf 'What the test finds then:\n\n```text\n'
inside "/root/proof/$proof" "$backend" "$host" || status=$?
printf '```\n'
exit "$status"
