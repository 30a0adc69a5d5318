# A Debian 12 of its own, made by debootstrap, for fresh_check.sh and package/check.sh; sourced by them.
# They set repo (this repository) and root (the folder of the chroot), and define die and say.
# The mirror and the settings to reach it come from this machine's apt at run time, so no file contains them.
# shellcheck shell=bash disable=SC2154  # repo and root are the caller's
mounted=()

# chroot_make PACKAGES: a minimal Debian with PACKAGES. A second run reuses it.
chroot_make() {
    local mirror place
    command -v debootstrap >/dev/null || die "debootstrap is missing (apt-get install debootstrap)"
    mirror=$("$repo/deploy/apt_mirror.sh")
    mkdir -p "$root"
    chmod 755 "$root"  # apt inside runs as the user _apt
    if [[ ! -e $root/.made ]]; then
        say "Debian 12, minimal, with $1"
        debootstrap --variant=minbase --include="$1" bookworm "$root" "$mirror" >"$root.log" 2>&1 ||
            { tail -5 "$root.log"; die "debootstrap failed: $root.log"; }
        rm -f "$root.log"
        touch "$root/.made"
    fi
    # The settings with which this machine's apt reaches its mirror: a proxy, and additional CA certificates.
    apt-config dump | grep -E '^Acquire::(https?::|Check-)' >"$root/etc/apt/apt.conf.d/90host" || true
    cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt" 2>/dev/null || true
    for place in proc sys dev dev/pts dev/shm; do
        mkdir -p "$root/$place"
        mountpoint -q "$root/$place" && continue
        case $place in
            proc) mount -t proc proc "$root/proc" ;;
            dev/shm) mount -t tmpfs tmpfs "$root/dev/shm" ;;
            *) mount --bind "/$place" "$root/$place" ;;
        esac
        mounted=("$root/$place" "${mounted[@]}")
    done
}

# chroot_remove [KEEP]: unmounts, then removes the chroot unless KEEP is set. Never runs rm -r on a mounted folder.
chroot_remove() {
    local at left=0
    for at in "${mounted[@]}"; do umount "$at" 2>/dev/null || umount -l "$at" || left=1; done
    [[ -n ${1:-} || $left -ne 0 ]] || rm -rf --one-file-system "$root"
}

# inside COMMAND: runs it with only the proxy variables of this machine, and without stdin, as in CI.
inside() {
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb CI=true LANG=C.UTF-8 \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        ${no_proxy:+no_proxy="$no_proxy"} \
        chroot "$root" /bin/bash -o pipefail -c "$1" </dev/null
}
