#!/usr/bin/env bash
# Prints the bookworm main mirror from this machine's apt configuration, for debootstrap. Reading it at run time
# keeps mirror names out of the files.
set -euo pipefail
# shellcheck disable=SC2016  # apt's placeholders, not the shell's
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')
[[ -n $mirror ]] || { echo "apt knows no bookworm main mirror (apt-get update first)" >&2; exit 1; }
echo "$mirror"
