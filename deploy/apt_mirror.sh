#!/usr/bin/env bash
# Prints the bookworm main mirror that this machine's apt is set up with, for debootstrap. Asked at run time so
# that no mirror stands in a file.
set -euo pipefail
# shellcheck disable=SC2016  # apt's placeholders, not the shell's
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')
[[ -n $mirror ]] || { echo "apt knows no bookworm main mirror (apt-get update first)" >&2; exit 1; }
echo "$mirror"
