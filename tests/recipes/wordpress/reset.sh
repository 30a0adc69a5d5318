#!/usr/bin/env bash
# Inside the chroot, before a measurement: an empty database and no uploads, so that WordPress is installed anew; and
# the trace of all scripts.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
systemctl start mariadb
mysql -e "DROP DATABASE IF EXISTS wordpress; CREATE DATABASE wordpress;
    GRANT ALL ON wordpress.* TO wordpress@localhost IDENTIFIED BY 'a-password-of-yours'"
rm -rf /var/lib/wordpress/wp-content/uploads/*
"$here/prepare.sh"
install -m 644 "$here/trace.php" /usr/local/share/
rm -f /var/tmp/trace.jsonl
install -m 666 /dev/null /var/tmp/trace.jsonl
for sapi in fpm apache2; do
    [[ ! -d /etc/php/8.2/$sapi ]] ||
        echo 'auto_prepend_file=/usr/local/share/trace.php' >"/etc/php/8.2/$sapi/conf.d/99-trace.ini"
done
