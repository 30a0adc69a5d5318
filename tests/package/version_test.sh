#!/usr/bin/env bash
# Tests cmake/version.sh in temporary repositories: before, at and after a release, with changes, and without git.
set -euo pipefail
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.net
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.net GIT_CEILING_DIRECTORIES=$work
mkdir -p "$work/tree/cmake"
cp "$source/cmake/version.sh" "$work/tree/cmake/"
cd "$work/tree"

is() {  # PATTERN WHEN
    local got
    got=$(cmake/version.sh)
    [[ $got =~ ^$1$ ]] || { echo "$2: '$got', not '$1'" >&2; exit 1; }
    echo "ok $2: $got"
}
next() { echo "project(ticketgate VERSION $1 LANGUAGES CXX)" >CMakeLists.txt; }
commit() { git add -A && git commit -qm "$1"; }

next 0.1.0
is '0\.1\.0' "without git"
git init -q .
commit one
is '0\.1\.0-dev\.1\+g[0-9a-f]{7}' "before the first release"
echo >>CMakeLists.txt
is '0\.1\.0-dev\.1\+g[0-9a-f]{7}\.dirty' "with a change"
commit two
git tag v0.1.0
is '0\.1\.0' "the release"
echo >>CMakeLists.txt
is '0\.1\.0\+0\.g[0-9a-f]{7}\.dirty' "the release with a change"
commit three
is '0\.1\.0\+1\.g[0-9a-f]{7}' "after the release"
next 0.2.0
commit four
is '0\.2\.0-dev\.2\+g[0-9a-f]{7}' "on the way to the next one"
mkdir -p inner/cmake
cp cmake/version.sh inner/cmake/
cp CMakeLists.txt inner/
cd inner
is '0\.2\.0' "a copy inside another repository"
cd ..
# The order of the same versions in Debian.
dpkg --compare-versions 0.1.0~dev.1+gabc-1 lt 0.1.0-1
dpkg --compare-versions 0.1.0-1 lt 0.1.0+1.gabc-1
dpkg --compare-versions 0.1.0+1.gabc-1 lt 0.2.0~dev.2+gabc-1
