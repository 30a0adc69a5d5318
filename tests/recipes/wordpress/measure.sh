#!/usr/bin/env bash
# Inside a chroot that has the packages of docs/recipes/wordpress.md: installs WordPress anew and measures one setup.
#   measure.sh SERVER FORM TRANSPORT FOLDER
# SERVER: nginx, apache, fpm. FORM: none (no ticketgate), queued (every request waits), inside
# (the same, but calls of WordPress to itself pass), writes (config/quickstart.yaml),
# recipe (the page's file). TRANSPORT: how PHP calls: curl, or fsockopen (without php-curl, as Debian installs it).
# FOLDER gets times.json, the trace and ticketgate's logs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
server=$1 form=$2 transport=$3 out=$4
declare -A section=([nginx]='nginx with php-fpm' [apache]='Apache with mod_php' [fpm]='php-fpm, with nginx for files')
config=/etc/ticketgate/ticketgate.yaml

for unit in ticketgate nginx apache2 php8.2-fpm; do systemctl stop "$unit"; done
rm -rf /root/steps "$out"
mkdir -p /root/steps "$out"
(cd /root/ticketgate && python3 tests/recipes/extract.py docs/recipes/wordpress.md /root/steps "${section[$server]}")
rm -f /etc/php/8.2/fpm/conf.d/99-ticketgate.ini
sed -i '/^pm.status/d' /etc/php/8.2/fpm/pool.d/www.conf
"$here/../do_steps.sh" /root/steps >"$out/steps.log"
"$here/reset.sh"
if [[ $transport == curl ]]; then phpenmod curl; else phpdismod curl; fi
for unit in nginx apache2 php8.2-fpm; do systemctl stop "$unit"; done
case $form in
    none)
        # shellcheck disable=SC2016  # nginx's variables
        sed -i 's/listen 127.0.0.1:8000/listen 80/; s/$http_x_forwarded_port/$server_port/
            s/$http_x_forwarded_proto/$scheme/' /etc/nginx/sites-available/default
        [[ $server != apache ]] || sed -i 's/127.0.0.1:8000/80/' /etc/apache2/ports.conf
        [[ $server != apache ]] || sed -i 's/127.0.0.1:8000/*:80/' /etc/apache2/sites-available/000-default.conf
        ;;
    queued | inside | writes) python3 "$here/form.py" "$config" "$form" /root/ticketgate/docs/recipes/wordpress.md ;;
esac
cp "$config" "$out/ticketgate.yaml"
case $server in
    apache) systemctl start apache2 ;;
    nginx | fpm) systemctl start php8.2-fpm nginx ;;
esac
[[ $form == none ]] || systemctl start ticketgate
python3 "$here/drive.py" --json "$out/times.json" | tee "$out/times.txt" || true  # steps that fail are the result
cp /var/tmp/trace.jsonl "$out/"
[[ $form == none ]] || cp /run/shim/ticketgate.log "$out/"
python3 "$here/calls.py" "$out" >"$out/calls.txt"
