#!/usr/bin/env bash
# Makes the Debian package of a release build with debhelper: package.sh BUILD OUT
# OUT gets ticketgate_VERSION_ARCH.deb, ticketgate-dbgsym_… with the debug symbols, and dpkg's .buildinfo and .changes.
# Environment: DEB_VERSION replaces the program's own version.
set -euo pipefail
[[ $# -eq 2 ]] || { sed -n 2,4p "$0" >&2; exit 2; }
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)

# 0.1.0-dev.275+gbbde510 is older than 0.1.0, which a Debian version expresses with a tilde.
version=$("$build/ticketgate" --version)
version=${version#ticketgate }
version=${DEB_VERSION:-${version/-/\~}-1}
SOURCE_DATE_EPOCH=$(git -C "$source" log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH

rm -rf "$out/ticketgate" "$out"/ticketgate_* "$out"/ticketgate-dbgsym_*
mkdir "$out/ticketgate"
cp -r "$source/deploy/package/debian" "$out/ticketgate/debian"
cat >"$out/ticketgate/debian/changelog" <<TEXT
ticketgate ($version) unstable; urgency=medium

  * Built from the sources of this version; changelog.gz has what is new.

 -- The ticketgate authors <maintainers@ticketgate.example>  $(date -R -d "@$SOURCE_DATE_EPOCH")
TEXT
cd "$out/ticketgate"
export TICKETGATE_BUILD=$build TICKETGATE_SOURCE=$source
dpkg-buildpackage --build=binary --no-sign --no-pre-clean >"$out/package.log" 2>&1 ||
    { tail -30 "$out/package.log" >&2; echo "package.sh: failed, see $out/package.log" >&2; exit 1; }
cd "$out"
rm -rf ticketgate
