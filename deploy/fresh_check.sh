#!/usr/bin/env bash
# A fresh machine: Debian 12 with git and bash, made by debootstrap. Clones the committed state of this repository
# into it and runs there what the README says first.
#
#   fresh_check.sh                   ./dev build, ./dev run --demo, ./dev test
#   fresh_check.sh packages          do the lists in deploy/ install? (of the working tree, nothing is built)
#   fresh_check.sh --recipes [NAME...]  the recipes of the README and of docs/recipes (or those of these names):
#                                    each block typed or written as a person does who reads the page, on a system
#                                    of its own; then tests/recipes/proof.sh looks whether it keeps its promises.
#                                    Prints a transcript in Markdown. Two stand-ins say what differs from a real
#                                    machine: tests/recipes/systemctl (no systemd runs in a chroot) and
#                                    tests/recipes/apt-get (services listen in a network namespace of their own).
#   fresh_check.sh "COMMAND" ...     these instead, each in the clone
#
# Environment: FRESH_ROOT (where the chroot is made; default a temporary directory), FRESH_KEEP=1 keeps it.
# FRESH_BINARY: with --recipes, a program that was built elsewhere; then `./dev build` is left out of the recipes.
# The mirror, and what apt must know to reach it, are read from this machine's apt: nothing of it stands in a file.
set -euo pipefail
repo=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[[ $EUID -eq 0 ]] || exec sudo --preserve-env=FRESH_ROOT,FRESH_KEEP,FRESH_BINARY "$0" "$@"

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
run() {
    say "$1"
    local began=$SECONDS status=0
    inside "cd /root/ticketgate && $1" || status=$?
    printf '══ %s: exit %d after %d s\n' "$1" "$status" "$((SECONDS - began))"
    return "$status"
}

if [[ ${1:-} == --recipes ]]; then
    # shellcheck source=deploy/fresh_recipes.sh
    source "$repo/deploy/fresh_recipes.sh"
    recipes "${@:2}"
    exit
fi
(($#)) || set -- "./dev build" "./dev run --demo" "./dev test"
for command in "$@"; do run "$command"; done
say "a fresh machine runs it"
