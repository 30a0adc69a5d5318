#!/usr/bin/env bash
# Inside the chroot, after the steps of docs/recipes/dokuwiki.md: proof.sh dokuwiki:SETUP HOST
# SETUP beside measures only, beside nginx with php-fpm.
here=$(dirname "${BASH_SOURCE[0]}")
[[ $1 != *:beside ]] || exec python3 "$here/../beside.py" "$2" /doku.php
exec python3 "$here/drive.py" "$2" "${1#*:}"
