#!/usr/bin/env bash
# The packages of Cargo: made and built from what they contain alone, or published.
#
#   usage: crates.sh check      packages all, builds them from their packages, runs the program, bounds their sizes
#          crates.sh publish    publishes those that the registry does not have in this version
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
most=$((10 << 20))
# Those that are not published have no place in a registry.
apart=(--exclude barecode-fuzz --exclude barecode-teach --exclude barecode-testing --exclude barecode-wheel)
case ${1:-} in
check)
    target=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}")
    rm -rf "$target/package"
    # Cargo itself would build each package alone, and the packages of others anew wherever features differ.
    cargo package --workspace "${apart[@]}" --locked --no-verify ${ALLOW_DIRTY:+--allow-dirty}
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    wrong=0
    {
        echo '[workspace]'
        echo 'resolver = "3"'
        echo 'members = ["barecode*"]'
        echo '[patch.crates-io]'
        for file in "$target"/package/*.crate; do
            bytes=$(stat --format %s "$file")
            if [ "$bytes" -gt "$most" ]; then
                echo "$file has $bytes bytes, the registry takes $most" >&2
                wrong=4
            fi
            tar --extract --gzip --file "$file" --directory "$folder"
            package=$(basename "$file" .crate)
            echo "${package%-[0-9]*} = { path = \"$package\" }"
        done
    } > "$folder/Cargo.toml"
    cp Cargo.lock "$folder"
    # Whether they build is the question, so nothing is kept for a debugger.
    export CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0 CARGO_TARGET_DIR="$target/packages"
    cargo build --manifest-path "$folder/Cargo.toml" --workspace
    "$target/packages/debug/barecode" --version --verbose
    (cd "$folder" && "$target/packages/debug/barecode" try "$folder"/barecode-[0-9]*/demo/shelf)
    exit "$wrong"
    ;;
publish) cargo publish --workspace "${apart[@]}" --locked --no-verify ;;
*)
    echo "usage: crates.sh check|publish" >&2
    exit 2
    ;;
esac
