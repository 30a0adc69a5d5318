#!/usr/bin/env bash
# Lays out the image's file system: image_root.sh PROGRAM BILL OUT
# It contains the program, its shared libraries and the certificates of public CAs; and for scanners Debian's entries
# of these packages, their licences and the bill of materials. It has no shell and no package manager.
set -euo pipefail
program=$1 bill=$2 out=$3
mkdir -p "$out"

install -D -m 755 "$program" "$out/usr/local/bin/ticketgate"
mapfile -t libraries < <(ldd "$program" | grep -o '/[^ ]*')
cp -L --parents "${libraries[@]}" "$out"

# Named by hash, so that OpenSSL reads only the certificate that it needs.
mkdir -p "$out/etc/ssl/certs" "$out/usr/lib/ssl"
cp -L /etc/ssl/certs/*.0 /etc/ssl/certs/ca-certificates.crt "$out/etc/ssl/certs/"
ln -s /etc/ssl/certs "$out/usr/lib/ssl/certs"

echo 'hosts: files dns' >"$out/etc/nsswitch.conf"
echo 'ticketgate:x:10001:10001::/:/nonexistent' >"$out/etc/passwd"
echo 'ticketgate:x:10001:' >"$out/etc/group"
install -d -m 1777 "$out/tmp"
cp -L --parents /etc/os-release "$out"

# dpkg's index has some libraries under /lib and others under /usr/lib.
mapfile -t packages < <({
    for library in "${libraries[@]}"; do
        dpkg-query -S "$library" 2>/dev/null || dpkg-query -S "/usr$library" 2>/dev/null ||
            dpkg-query -S "$(realpath "$library")" 2>/dev/null || dpkg-query -S "$(realpath "$library" | sed 's#^/usr##')"
    done
    echo ca-certificates:
} | cut -d: -f1 | sort -u)
mkdir -p "$out/var/lib/dpkg/status.d"
for package in "${packages[@]}"; do
    dpkg-query -s "$package" >"$out/var/lib/dpkg/status.d/$package"
    cp -L --parents "/usr/share/doc/$package/copyright" "$out"
done
install -D -m 644 "$bill" "$out/usr/share/doc/ticketgate/ticketgate.spdx.json"
