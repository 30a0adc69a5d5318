#!/usr/bin/env bash
# Inside the chroot, after the steps of docs/recipes/front-controller.md: proof.sh front-controller:SETUP HOST
# Brings a small application with the shape of Laravel and Symfony, and uses it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
install -d -o www-data -g www-data /srv/app /srv/app/public/storage
install -D -m 644 "$here/public/index.php" /srv/app/public/index.php
install -d /srv/app/public/build/assets-1.2
echo 'let built;' >/srv/app/public/build/assets-1.2/app-4f3a.js
echo 'User-agent: *' >/srv/app/public/robots.txt
echo '<?php echo "another script ran";' >/srv/app/public/other.php
exec python3 "$here/drive.py" "$2" "${1#*:}"
