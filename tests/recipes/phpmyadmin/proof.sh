#!/usr/bin/env bash
# Inside the chroot, after the steps of docs/recipes/phpmyadmin.md: proof.sh phpmyadmin:SETUP HOST
# SETUP beside measures only, beside nginx with php-fpm.
set -euo pipefail
mysql -e "CREATE DATABASE shop; CREATE TABLE shop.counter (n INT); INSERT INTO shop.counter VALUES (0);
    CREATE TABLE shop.things (name VARCHAR(80)); GRANT ALL ON shop.* TO editor@localhost IDENTIFIED BY 'a-password'"
here=$(dirname "${BASH_SOURCE[0]}")
[[ $1 != *:beside ]] || exec python3 "$here/../beside.py" "$2" /
exec python3 "$here/drive.py" "$2" "${1#*:}"
