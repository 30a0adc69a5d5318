#!/usr/bin/env bash
# Does .dockerignore let in all that the image's build reads? Configures just those files, as the Dockerfile does.
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
cmake --build build/release --target ticketgate -- -n >/dev/null  # everything it is made of is there
