#!/usr/bin/env bash
# Inside the chroot, after the steps of docs/recipes/wordpress.md: proof.sh BACKEND HOST
#   BACKEND wordpress: uses the new WordPress; every step must work.
#   BACKEND wordpress:measure: measures each setup instead, see measure.sh; the tables go to stdout. MEASURE and
#   TRANSPORTS in the environment select some: MEASURE="nginx:none nginx:inside" TRANSPORTS=curl.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ $1 == wordpress ]]; then
    "$here/prepare.sh"
    exec python3 "$here/drive.py" --host "$2"
fi
systemctl stop nginx  # Debian starts Apache on the same port when it is installed
apt-get install -y apache2 libapache2-mod-php
all="nginx:none nginx:queued nginx:inside nginx:writes nginx:recipe apache:none apache:queued apache:inside apache:writes
    apache:recipe fpm:queued fpm:inside fpm:writes fpm:recipe"
for transport in ${TRANSPORTS:-curl fsockopen}; do
    for setup in ${MEASURE:-$all}; do
        printf '\n%s, %s\n' "$setup" "$transport"
        "$here/measure.sh" "${setup%:*}" "${setup#*:}" "$transport" "/root/out/${setup/:/-}-$transport" ||
            echo "the measurement failed"
        cat "/root/out/${setup/:/-}-$transport/calls.txt"
    done
done
