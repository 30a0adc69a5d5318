#!/usr/bin/env bash
# Inside the chroot: runs the steps that extract.py wrote to a folder, in order, and prints the commands and their
# output. Stops at the first step that fails. do_steps.sh FOLDER
set -euo pipefail
cd /root/ticketgate
for step in "$1"/*.sh "$1"/*.file; do [[ -e $step ]] && echo "$step"; done | sort | while read -r step; do
    began=$SECONDS
    case $step in
        *.sh)
            # -v prints each line before it runs, as on a terminal.
            DEBIAN_FRONTEND=noninteractive bash -ev "$step" </dev/null 2>&1
            ;;
        *.file)
            path=$(<"${step%.file}.path")
            if [[ $(<"${step%.file}.mode") == add ]]; then
                printf '# added to %s:\n' "$path"
                cat "$step" >>"$path"
            else
                printf '# written to %s:\n' "$path"
                cat "$step" >"$path"
            fi
            cat "$step"
            ;;
    esac
    ((SECONDS - began < 2)) || printf '# (%d s)\n' "$((SECONDS - began))"
    echo
done
