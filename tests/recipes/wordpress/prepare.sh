#!/usr/bin/env bash
# Inside the chroot: what drive.py needs beside WordPress: the visitor's script, and a plugin for the plugin editor.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
plugin=/var/lib/wordpress/wp-content/plugins/proof
install -m 644 "$here/visitor.php" /usr/share/wordpress/
install -d -o www-data -g www-data "$plugin"
printf '<?php\n/* Plugin Name: proof */\n' >"$plugin/proof.php"
chown www-data "$plugin/proof.php"
