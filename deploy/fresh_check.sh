#!/usr/bin/env bash
# Tests on a fresh Debian 12 with git and bash, made by debootstrap. Clones the committed state of this repository
# into it and runs the first commands of the README there.
#
#   fresh_check.sh                   ./dev build, ./dev run --demo, ./dev test
#   fresh_check.sh packages          installs the package lists of the working tree's deploy/, builds nothing
#   fresh_check.sh --recipes [NAME...]  the recipes of the README and of docs/recipes, or only these: each on a
#                                    separate system. Runs or writes each block as a reader of the page would.
#                                    Then tests/recipes/proof.sh checks the promises of the recipe.
#                                    Prints a transcript in Markdown. Two substitutes differ from a real machine:
#                                    tests/recipes/systemctl (no systemd runs in a chroot) and
#                                    tests/recipes/apt-get (services listen in a separate network namespace).
#   fresh_check.sh "COMMAND" ...     these commands instead, each in the clone
#
# Environment: FRESH_ROOT (the folder for the chroot; default a temporary directory), FRESH_KEEP=1 keeps it.
# FRESH_BINARY: with --recipes, a program built elsewhere; the recipes then skip `./dev build`.
# The mirror and the settings to reach it come from this machine's apt at run time, so no file contains them.
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
