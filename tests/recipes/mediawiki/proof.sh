#!/usr/bin/env bash
# Inside the chroot, after the steps of docs/recipes/mediawiki.md: proof.sh mediawiki:SETUP HOST
exec python3 "$(dirname "${BASH_SOURCE[0]}")/drive.py" "$2" "${1#*:}"
