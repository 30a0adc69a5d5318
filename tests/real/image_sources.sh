#!/usr/bin/env bash
# Checks that .dockerignore includes all files that the image's build reads. Configures only these, as the Dockerfile does.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^!//p' .dockerignore | xargs cp -r --parents -t "$work"
configure=$(sed -n 's/^RUN \(cmake --preset .*\) \\$/\1/p' Dockerfile)
[[ -n $configure ]] || { echo "no cmake --preset in the Dockerfile" >&2; exit 1; }
cd "$work"
export VERSION=check
eval "$configure"
cmake --build build/release --target ticketgate -- -n >/dev/null  # fails if a source is missing
