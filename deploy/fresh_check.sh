#!/usr/bin/env bash
# A fresh machine: Debian 12 with git and bash, made by debootstrap. Clones the committed state of this repository
# into it and runs there what the README says first.
#
#   fresh_check.sh                   ./dev build, ./dev run --demo, ./dev test
#   fresh_check.sh packages          do the lists in deploy/ install? (of the working tree, nothing is built)
#   fresh_check.sh "COMMAND" ...     these instead, each in the clone
#
# Environment: FRESH_ROOT (where the chroot is made; default a temporary directory), FRESH_KEEP=1 keeps it.
# The mirror, and what apt must know to reach it, are read from this machine's apt: nothing of it stands in a file.
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[[ $EUID -eq 0 ]] || exec sudo --preserve-env=FRESH_ROOT,FRESH_KEEP "$0" "$@"

die() { printf 'fresh_check: %s\n' "$*" >&2; exit 1; }
say() { printf '\n══ %s\n' "$*"; }

root=${FRESH_ROOT:-$(mktemp -d)}
# shellcheck source=deploy/chroot.sh
source "$repo/deploy/chroot.sh"
trap 'chroot_remove "${FRESH_KEEP:-}"' EXIT
chroot_make git,ca-certificates

if [[ ${1:-} == packages ]]; then
    mkdir -p "$root/root/lists"
    cp "$repo"/deploy/packages.* "$root/root/lists/"
    inside 'apt-get update -q'
    for list in "$repo"/deploy/packages.*; do
        say "${list##*/}"
        inside "sed 's/#.*//' /root/lists/${list##*/} | RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive \
            xargs apt-get install -q -y --no-install-recommends | tail -2"
    done
    exit
fi

say "git clone"
rm -rf --one-file-system "$root/root/ticketgate"
git -C "$repo" bundle create "$root/root/ticketgate.bundle" HEAD >/dev/null 2>&1 || die "nothing is committed yet"
inside 'git clone -q /root/ticketgate.bundle /root/ticketgate && git -C /root/ticketgate log --oneline -1'
(($#)) || set -- "./dev build" "./dev run --demo" "./dev test"
for command in "$@"; do
    say "$command"
    began=$SECONDS status=0
    inside "cd /root/ticketgate && $command" || status=$?
    printf '══ %s: exit %d after %d s\n' "$command" "$status" "$((SECONDS - began))"
    ((status == 0)) || exit "$status"
done
say "a fresh machine runs it"
