#!/usr/bin/env bash
# Inside the chroot: does the steps that extract.py wrote to a folder, in order, and shows what is typed and
# printed. A step that fails ends it. do_steps.sh FOLDER
set -euo pipefail
cd /root/ticketgate
for step in "$1"/*.sh "$1"/*.file; do [[ -e $step ]] && echo "$step"; done | sort | while read -r step; do
    began=$SECONDS
    case $step in
        *.sh)
            # -v shows each line before it runs, as if it were typed here.
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
