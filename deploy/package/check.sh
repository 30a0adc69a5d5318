#!/usr/bin/env bash
# Installs, runs, upgrades, removes and purges the Debian package in a Debian 12 chroot.
#
#   check.sh BUILD       BUILD: a release build, such as build/release
#
# Environment: PACKAGE_ROOT (the folder for the chroot; default a temporary directory), PACKAGE_KEEP=1 keeps it.
# A chroot has no systemd: tests/package/unit_test.py tests the unit.
# shellcheck disable=SC2317  # functions called through check
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
die() { printf 'check: %s\n' "$*" >&2; exit 1; }
say() { printf '\n── %s\n' "$*"; }
[[ $# -eq 1 ]] || { sed -n 2,7p "$0" >&2; exit 2; }
[[ $EUID -eq 0 ]] || exec sudo --preserve-env=PACKAGE_ROOT,PACKAGE_KEEP "$0" "$@"
build=$(cd "$1" && pwd)
root=${PACKAGE_ROOT:-$(mktemp -d)} scratch=$(mktemp -d) failed=0
# shellcheck source=deploy/chroot.sh
source "$repo/deploy/chroot.sh"
trap 'chroot_remove "${PACKAGE_KEEP:-}"; rm -rf "$scratch"' EXIT

check() {  # WHAT COMMAND...
    local what=$1; shift
    if "$@" >"$scratch/out" 2>&1; then printf 'ok      %s\n' "$what"
    else printf 'FAILED  %s\n' "$what"; sed 's/^/        /' "$scratch/out"; failed=1
    fi
}
same() { [[ $1 == "$2" ]] || { echo "is '$1', not '$2'"; return 1; }; }
status() { inside "dpkg-query -W -f '\${db:Status-Status}' ticketgate 2>/dev/null || echo none"; }
install_deb() { inside "RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $1"; }

say "two versions of the package"
"$repo/deploy/package/package.sh" "$build" "$scratch/1"
version=$(dpkg-deb --field "$scratch"/1/ticketgate_*.deb Version)
# The same program with a higher version.
DEB_VERSION=$version+next "$repo/deploy/package/package.sh" "$build" "$scratch/2"

chroot_make ca-certificates
mkdir -p "$root/root/debs"
cp "$scratch"/[12]/ticketgate_*.deb "$root/root/debs/"
first=/root/debs/$(basename "$scratch"/1/ticketgate_*.deb) second=/root/debs/$(basename "$scratch"/2/ticketgate_*.deb)
inside 'apt-get update -q' >/dev/null

say "install"
check "apt installs it with what it depends on" install_deb "$first"
check "its version is the program's" same "$(inside 'ticketgate --version')" "ticketgate $(
    "$build/ticketgate" --version | cut -d' ' -f2)"
check "the user ticketgate exists, without a shell" inside "getent passwd ticketgate | grep -q '/usr/sbin/nologin\$'"
for folder in /var/lib/ticketgate /var/log/ticketgate; do
    check "$folder is its own" same "$(inside "stat -c '%U:%G %a' $folder")" "ticketgate:ticketgate 750"
done
check "the configuration is root's" same "$(inside "stat -c '%U:%G %a' /etc/ticketgate/ticketgate.yaml")" "root:root 644"
check "ticketgate check finds it good" inside 'ticketgate check'
check "the unit's program is there" inside "test -x \"\$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' /lib/systemd/system/ticketgate.service)\""

say "run as its user, on loopback, with a log file"
cat >"$root/etc/ticketgate/ticketgate.yaml" <<'YAML'
listen: [{ address: "unix:/var/lib/ticketgate/clients.sock" }]
admin: { address: "unix:/var/lib/ticketgate/admin.sock" }
upstreams: { app: { url: "http://127.0.0.1:8000" } }
routes: [{ prefix: /, upstream: app, queue: app }]
log: { access_file: /var/log/ticketgate/access.log }
YAML
# One shell runs the process and the commands, so that the process ends with them.
run_it() {
    # shellcheck disable=SC2016  # the chroot's variables
    inside '
        set -e
        log=/var/log/ticketgate/access.log
        until_true() { for ((i = 0; i < 600; ++i)); do "$@" 2>/dev/null && return; sleep 0.1; done; echo "never: $*"; return 1; }
        setpriv --reuid ticketgate --regid ticketgate --init-groups --no-new-privs --bounding-set=-all ticketgate & pid=$!
        trap "kill -9 $pid 2>/dev/null || true" EXIT
        until_true ticketgate healthcheck
        ticketgate queues
        ticketgate reload
        until_true test -e $log
        mv $log $log.1
        kill -USR1 $pid
        until_true test -e $log
        ticketgate drain
        wait $pid'
}
check "it starts, answers, reloads, opens its log again and drains" run_it

say "upgrade"
check "apt upgrades it" install_deb "-o Dpkg::Options::=--force-confdef $second"
check "the later version is there" same "$(inside "dpkg-query -W -f '\${Version}' ticketgate")" "$version+next"
check "the edited configuration stays" grep -q admin.sock "$root/etc/ticketgate/ticketgate.yaml"
check "the log stays" test -e "$root/var/log/ticketgate/access.log"

say "remove"
check "apt removes it" inside 'DEBIAN_FRONTEND=noninteractive apt-get remove -q -y ticketgate'
check "only its configuration is known" same "$(status)" config-files
check "the program is gone" test ! -e "$root/usr/bin/ticketgate"
check "the configuration stays after a removal" test -e "$root/etc/ticketgate/ticketgate.yaml"
check "the state stays after a removal" test -d "$root/var/lib/ticketgate"

say "purge"
check "apt purges it" inside 'DEBIAN_FRONTEND=noninteractive apt-get purge -q -y ticketgate'
check "dpkg knows nothing of it any more" same "$(status)" none
check "the user is gone" inside '! getent passwd ticketgate'
check "no file of it is left" same "$(find "$root/etc" "$root/usr" "$root/lib" "$root/var/lib" "$root/var/log" \
    -name '*ticketgate*' 2>/dev/null | sed "s#^$root##")" ""

say "remove and install again, then purge at once"
check "apt installs it again" install_deb "$second"
check "apt purges it at once" inside 'DEBIAN_FRONTEND=noninteractive apt-get purge -q -y ticketgate'
check "again no user" inside '! getent passwd ticketgate'
exit "$failed"
