#!/usr/bin/env bash
# The notes of a release: its part of CHANGELOG.md.
#
#   usage: notes.sh VERSION
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
notes=$(awk -v version="$1" '
    /^## / { inside = ($2 == version || ($2 == "Unreleased:" && $3 == version)); next }
    inside' CHANGELOG.md)
if [ -z "$notes" ]; then
    echo "CHANGELOG.md has no heading for $1" >&2
    exit 4
fi
echo "$notes"
