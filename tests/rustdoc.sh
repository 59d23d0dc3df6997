#!/usr/bin/env bash
# rustdoc for checks only: the pages of each crate go into a folder of their own. In a common folder every crate writes
# the search index of all crates again, one after the other, which takes most of the time.
set -euo pipefail

for ((at = 1; at < $#; at++)); do
    if [ "${!at}" = -o ]; then
        folder=$((at + 1))
        pages=$(mktemp -d)
        trap 'rm -rf "$pages"' EXIT
        set -- "${@:1:at}" "$pages" "${@:folder + 1}"
    fi
done
rustdoc "$@"
