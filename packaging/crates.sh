#!/usr/bin/env bash
# The packages of Cargo: made and built from what they contain alone, or published.
#
#   usage: crates.sh check      packages each, builds each from its package, bounds its size
#          crates.sh publish    publishes those that the registry does not have in this version
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
most=$((10 << 20))
# Those that are not published have no place in a registry.
apart=(--exclude barecode-fuzz --exclude barecode-teach --exclude barecode-testing --exclude barecode-wheel)
case ${1:-} in
check)
    # Whether they build is the question, so nothing is kept for a debugger.
    export CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0
    cargo package --workspace "${apart[@]}" --locked ${ALLOW_DIRTY:+--allow-dirty}
    wrong=0
    for file in "${CARGO_TARGET_DIR:-target}"/package/*.crate; do
        bytes=$(stat --format %s "$file")
        if [ "$bytes" -gt "$most" ]; then
            echo "$file has $bytes bytes, the registry takes $most" >&2
            wrong=4
        fi
    done
    exit "$wrong"
    ;;
publish) cargo publish --workspace "${apart[@]}" --locked ;;
*)
    echo "usage: crates.sh check|publish" >&2
    exit 2
    ;;
esac
