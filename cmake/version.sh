#!/usr/bin/env bash
# Prints the version of this source tree, for the program, its packages and its image.
#
#   0.1.0                       the commit with the tag v0.1.0, nothing changed since
#   0.1.0-dev.275+gbbde510      on the way to 0.1.0: 275 commits after the last tag v*, or since the first commit
#   0.1.0+3.gbbde510            3 commits after v0.1.0, while CMakeLists.txt still has this version
#   ….dirty                     any of these, with uncommitted changes
#   0.1.0                       without git, since a source archive is made from a release
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
next=$(sed -n 's/^project(ticketgate VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[[ -n $next ]] || { echo "version.sh: no project(ticketgate VERSION …) in CMakeLists.txt" >&2; exit 1; }

# A folder inside another repository would get that repository's version.
top=$(git rev-parse --show-toplevel 2>/dev/null) || top=
if [[ $top != "$PWD" ]] || ! hash=$(git rev-parse --short=7 HEAD 2>/dev/null); then
    echo "$next"
    exit
fi
dirty=
git diff --quiet HEAD -- || dirty=.dirty
last=$(git describe --tags --match 'v[0-9]*' --abbrev=0 2>/dev/null) || last=
commits=$(git rev-list --count "${last:+$last..}HEAD")
if [[ $last != "v$next" ]]; then echo "$next-dev.$commits+g$hash$dirty"
elif [[ $commits == 0 && -z $dirty ]]; then echo "$next"
else echo "$next+$commits.g$hash$dirty"
fi
