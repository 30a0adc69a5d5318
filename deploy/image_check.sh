#!/usr/bin/env bash
# Builds the image of ../Dockerfile and tests it, without a Docker engine: buildah builds, podman with runc runs.
# It also needs no registry: if debian:bookworm-slim is not in the local store, debootstrap makes it from the mirror
# of this machine's apt. Do not publish an image made this way, since its apt sources name that mirror.
#
#   image_check.sh [TAG]       Environment: IMAGE_WORK (the image store), MAX_RSS_KIB, MAX_IMAGE_MB
# shellcheck disable=SC2317  # functions called through check and trap
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
tag=localhost/ticketgate:${1:-dev}
[[ $EUID -eq 0 ]] || exec sudo --preserve-env=IMAGE_WORK,MAX_RSS_KIB,MAX_IMAGE_MB "$0" "$@"

work=${IMAGE_WORK:-$root/build/image} max_rss=${MAX_RSS_KIB:-12288} max_image=${MAX_IMAGE_MB:-30}
base=docker.io/library/debian:bookworm-slim
name=ticketgate-check-$$
host=127.0.0.1
failed=0 backend='' scratch=$(mktemp -d)

mkdir -p "$work"
printf 'unqualified-search-registries=["docker.io"]\nshort-name-mode="disabled"\n' >"$work/registries.conf"
export CONTAINERS_REGISTRIES_CONF=$work/registries.conf
store=(--root "$work/storage" --runroot "$work/run" --storage-driver vfs)
b() { buildah "${store[@]}" "$@"; }
# Without systemd, podman cannot set the timer for the health check and warns; the check is run by hand below.
p() {
    podman "${store[@]}" --cgroup-manager cgroupfs --events-backend file --runtime runc "$@" \
        2> >(grep -v 'systemd connection' >&2)
}

die() { printf 'image_check: %s\n' "$*" >&2; exit 1; }
check() {  # WHAT COMMAND...
    local what=$1; shift
    if "$@" >"$scratch/out" 2>&1; then printf 'ok      %s\n' "$what"
    else printf 'FAILED  %s\n' "$what"; sed 's/^/        /' "$scratch/out"; failed=1
    fi
}
wait_for() {  # COMMAND...: for 10 seconds
    local deadline=$((SECONDS + 10))
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || return 1
        sleep 0.02
    done
}
same() { [[ $1 == "$2" ]] || { echo "is '$1', not '$2'"; return 1; }; }
clean_up() {
    p rm -f "$name" >/dev/null 2>&1 || true
    # A separate process group, because PHP's server does not stop its own workers.
    [[ -z $backend ]] || kill -TERM -- "-$backend" 2>/dev/null || true
    rm -rf "$scratch"
}
trap clean_up EXIT

make_base() {
    local mirror container mount
    mirror=$("$root/deploy/apt_mirror.sh")
    debootstrap --variant=minbase --include=ca-certificates bookworm "$scratch/rootfs" "$mirror" \
        >"$work/debootstrap.log" 2>&1 || die "debootstrap failed: $work/debootstrap.log"
    container=$(b from scratch)
    mount=$(b mount "$container")
    cp -a "$scratch/rootfs/." "$mount/"
    b umount "$container" >/dev/null
    b config --cmd /bin/bash --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
    b commit -q "$container" "$base" >/dev/null
    b rm "$container" >/dev/null
    rm -rf "$scratch/rootfs"
}

# podman's default limits may exceed the hard limits of a sandbox; podman itself lowers nproc to 32768.
start() {  # PODMAN-OPTION...
    p run --network host --log-driver k8s-file --ulimit "nofile=$(ulimit -n):$(ulimit -Hn)" \
        --ulimit nproc=32768:32768 --read-only --tmpfs /tmp --cap-drop all --security-opt no-new-privileges \
        -e LISTEN="$host:$port" -e ADMIN="$host:$admin_port" -e UPSTREAM_URL="http://localhost:$backend_port" "$@"
}

b inspect --type image "$base" >/dev/null 2>&1 || { echo "making $base with debootstrap"; make_base; }

echo "building $tag"
version=$("$root/cmake/version.sh")
# A label that names a repository on the web, without local paths or credentials.
source=$(git -C "$root" remote get-url origin 2>/dev/null | sed -n 's#^https://\([^@/]*@\)\{0,1\}#https://#p') || source=
build() {  # TAG [OPTION...]
    b build --isolation chroot --network host --pull-never --layers --format docker -t "$1" "${@:2}" \
        --build-arg JOBS="${JOBS:-$(nproc)}" --build-arg VERSION="$version" ${source:+--build-arg SOURCE="$source"} \
        --build-arg REVISION="$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown)" \
        "$root" >"$work/build.log" 2>&1 || { tail -30 "$work/build.log"; die "the build failed: $work/build.log"; }
}
build "$tag"

# Three free ports below the kernel's ephemeral ports.
ports=()
for candidate in $(shuf -i 20000-29999 -n 50); do
    (exec 3<>"/dev/tcp/$host/$candidate") 2>/dev/null || ports+=("$candidate")
done
port=${ports[0]} admin_port=${ports[1]} backend_port=${ports[2]}

DEMO_STATE=$scratch/counter.json PHP_CLI_SERVER_WORKERS=4 \
    setsid php -q -S "$host:$backend_port" -t "$root/deploy/demo/app" </dev/null >"$scratch/php.log" 2>&1 &
backend=$!
start -d --name "$name" "$tag" >/dev/null

not_ready() { p logs "$name" | tail -20; die "not ready after 10 s"; }
wait_for curl -sf "http://$host:$admin_port/readyz" || not_ready
pid=$(p inspect "$name" --format '{{.State.Pid}}')
gate=http://$host:$port

check "the program runs as uid 10001" same "$(awk '/^Uid:/ { print $2 }' "/proc/$pid/status")" 10001
check "it holds no capability" same "$(awk '/^CapEff:/ { print $2 }' "/proc/$pid/status")" 0000000000000000
check "the root is read-only" same "$(awk '$5 == "/" { print substr($6, 1, 2) }' "/proc/$pid/mountinfo")" ro
check "there is no shell" same "$(p exec "$name" sh -c 'echo a shell' 2>/dev/null || true)" ""
check "the program says its version" same "$(p exec "$name" ticketgate --version)" "ticketgate $version"
check "HEALTHCHECK says healthy" p healthcheck run "$name"
check "a request comes through" curl -sfS -m 10 -d '' "$gate/counter.php"
check "the answer carries its id" grep -qi '^x-request-id: .' <(curl -s -o /dev/null -D - "$gate/counter.php")
# A body above the spool's memory threshold needs the writable /tmp.
head -c 1000000 /dev/zero >"$scratch/body"
check "a body of 1 MB comes through" curl -sfS -m 10 -o /dev/null --data-binary "@$scratch/body" "$gate/counter.php"
check "the stop signal is SIGTERM" same "$(b inspect --type image --format '{{.Docker.Config.StopSignal}}' "$tag")" SIGTERM
label() { b inspect --type image --format "{{index .Docker.Config.Labels \"org.opencontainers.image.$1\"}}" "$tag"; }
check "the label of its licence" same "$(label licenses)" Apache-2.0
check "the label of its version" same "$(label version)" "$version"
check "the label of its source" test -n "$(label source)"
container=$(b from --pull-never "$tag")
files=$(b mount "$container")
check "the certificates of public CAs are there" test -s "$files/etc/ssl/certs/ca-certificates.crt"
check "the bill of materials names what is linked" grep -q '"name": "libssl3"' \
    "$files/usr/share/doc/ticketgate/ticketgate.spdx.json"
check "each package has its licence" same \
    "$(find "$files/var/lib/dpkg/status.d" -type f | wc -l)" "$(find "$files/usr/share/doc" -name copyright | wc -l)"
megabytes=$(du -s --apparent-size -B 1000000 "$files" | cut -f1)
check "its files have $megabytes MB of at most $max_image" test "$megabytes" -le "$max_image"
b umount "$container" >/dev/null
b rm "$container" >/dev/null
rss=$(awk '/^VmRSS:/ { print $2 }' "/proc/$pid/status")
check "idle memory: $rss KiB of at most $max_rss" test "$rss" -le "$max_rss"
p stop -t 10 "$name" >/dev/null
check "SIGTERM ends it with exit code 0" same "$(p inspect "$name" --format '{{.State.ExitCode}}')" 0
status=0; start --rm -e MAX_IN_FLIGHT=many "$tag" >"$scratch/bad" 2>&1 || status=$?
check "a bad setting ends it with exit code 78" same "$status" 78
size=$(b images --format '{{.Size}}' "$tag")
printf 'image   %s, %s\n' "$tag" "$size"

# ── the image with PHP ──
php_tag=$tag-php
echo "building $php_tag"
build "$php_tag" --target php
app=$scratch/app
mkdir -p "$app/uploads" "$scratch/state"
chmod 777 "$scratch/state"
cp "$root/deploy/image_app.php" "$app/index.php"
echo 'body { color: black }' >"$app/style.css"
echo 'a secret' >"$app/.env"
p rm -f "$name" >/dev/null
start -d --name "$name" -v "$app:/var/www/html:ro" -v "$scratch/state:/state" "$php_tag" >/dev/null
wait_for curl -sf "http://$host:$port/" || not_ready
answered=$(date +%s%N)
# Go's form of the time: date and time, then the zone twice.
began=$(date +%s%N -d "$(p inspect "$name" --format '{{.State.StartedAt}}' | cut -d' ' -f1-3)")
took=$(((answered - began) / 1000000))
pid=$(p inspect "$name" --format '{{.State.Pid}}')
ask() { curl -sS -m 20 "$@"; }
check "PHP: the program runs as uid 10001" same "$(awk '/^Uid:/ { print $2 }' "/proc/$pid/status")" 10001
check "PHP: it is process 1 and PHP is its child" same "$(ask "$gate/?do=parent")" 1
check "PHP: the root is read-only" same "$(awk '$5 == "/" { print substr($6, 1, 2) }' "/proc/$pid/mountinfo")" ro
check "PHP: HEALTHCHECK says healthy" p healthcheck run "$name"
check "PHP: the script answers for any path" same "$(ask "$gate/any/page?do=path")" /any/page
check "PHP: a file is sent, unqueued" grep -qi '^content-type: text/css' <(ask -D - "$gate/style.css")
check "PHP: a hidden file is not" same "$(ask -o /dev/null -w '%{http_code}' "$gate/.env")" 404
check "PHP: a session is kept" same "$(ask -c "$scratch/jar" -o /dev/null "$gate/?do=session"; ask -b "$scratch/jar" "$gate/?do=session")" 2
check "PHP: an upload of 8 MB arrives" same \
    "$(head -c 8000000 /dev/zero | ask -F 'file=@-;filename=x' "$gate/?do=upload")" 8000000
ask --parallel --parallel-immediate --parallel-max 16 -d '' -o /dev/null "$gate/?do=count&n=[1-100]" 2>/dev/null
check "PHP: 100 parallel updates" same "$(ask "$gate/?do=read")" 100
told() { p logs "$name" 2>&1 | grep 'request_id=.*a word from PHP'; }
ask -o /dev/null "$gate/?do=error"
check "PHP: its errors are in the log with the request" wait_for told
ask -o /dev/null "$gate/?do=orphan"
orphan_is_done() { same "$(ask "$gate/?do=read")" 101; }
no_zombies() { ! cat /proc/"$pid"/root/proc/[0-9]*/stat 2>/dev/null | grep ') Z'; }
check "PHP: a script's background process does its work" wait_for orphan_is_done
check "PHP: and its exit status is read" wait_for no_zombies
p stop -t 20 "$name" >/dev/null
check "PHP: SIGTERM ends it with exit code 0" same "$(p inspect "$name" --format '{{.State.ExitCode}}')" 0
printf 'image   %s, %s, first answer of PHP %s ms after the start\n' "$php_tag" "$(b images --format '{{.Size}}' "$php_tag")" "$took"
exit "$failed"
