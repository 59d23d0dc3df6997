#!/usr/bin/env bash
# The version in one place: prints it, checks a tag against it, or sets it everywhere.
#
#   usage: version.sh             prints it
#          version.sh v1.2.3      fails if the tag is of another version, or a file names another one
#          version.sh set 1.2.3   writes it into every file that names it
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
case ${1:-} in
"") echo "$version" ;;
set)
    new=$2
    sed -i "s/^version = \"$version\"/version = \"$new\"/; s/version = \"=$version\"/version = \"=$new\"/" Cargo.toml
    sed -i "s/^version: .*/version: $new/" CITATION.cff
    cargo metadata --format-version 1 >/dev/null
    ;;
*)
    wrong=0
    if [ "${1#v}" != "$version" ]; then
        echo "the tag is $1, Cargo.toml has $version" >&2
        wrong=4
    fi
    if grep -E '^barecode[a-z-]* = \{ path' Cargo.toml | grep -v barecode-testing | grep -vF "version = \"=$version\"" >&2; then
        echo "these packages have another version than $version" >&2
        wrong=4
    fi
    if ! grep -q "^version: $version$" CITATION.cff; then
        echo "CITATION.cff has another version than $version" >&2
        wrong=4
    fi
    if ! grep -q "^## $version" CHANGELOG.md && ! grep -q "^## Unreleased: $version" CHANGELOG.md; then
        echo "CHANGELOG.md has no heading for $version" >&2
        wrong=4
    fi
    exit "$wrong"
    ;;
esac
