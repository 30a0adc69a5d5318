#!/usr/bin/env bash
# Inside the chroot, after the steps of docs/recipes/phpmyadmin.md: proof.sh phpmyadmin:SETUP HOST
set -euo pipefail
mysql -e "CREATE DATABASE shop; CREATE TABLE shop.counter (n INT); INSERT INTO shop.counter VALUES (0);
    CREATE TABLE shop.things (name VARCHAR(80)); GRANT ALL ON shop.* TO editor@localhost IDENTIFIED BY 'a-password'"
exec python3 "$(dirname "${BASH_SOURCE[0]}")/drive.py" "$2" "${1#*:}"
