#!/usr/bin/env bash
# Packages: a wheel and a binary for each target, man pages, completions, a list of everything inside, checksums.
#
#   usage: dist.sh OUT TARGET...        such as dist.sh dist x86_64-unknown-linux-gnu.2.17 x86_64-unknown-linux-musl
#
# Zig links against the C library of old systems and of other processors; the Rust standard library of a target is
# rustup's: targets that it does not have are named at the end, and the exit code is 5.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
profile=${PROFILE:-dist}
version=$(packaging/version.sh)
target_folder=${CARGO_TARGET_DIR:-target}
missing=()

# No time and no path of this machine is inside. The time is that of the commit, also for root in a user's checkout; without
# git, the first that an archive can hold.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -c safe.directory="$PWD" log -1 --format=%ct 2>/dev/null || echo 315532800)}
here=$PWD cargo_home=${CARGO_HOME:-$HOME/.cargo}
export SOURCE_DATE_EPOCH
export RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=$here=/barecode --remap-path-prefix=$cargo_home=/cargo"
export CFLAGS="${CFLAGS:-} -ffile-prefix-map=$here=/barecode -ffile-prefix-map=$cargo_home=/cargo"
export CXXFLAGS="${CXXFLAGS:-} -ffile-prefix-map=$here=/barecode -ffile-prefix-map=$cargo_home=/cargo"

notices=crates/wheel/THIRD-PARTY-LICENSES.txt
packaging/notices.py "$notices"

# Lists of everything inside, without the folder that it was built in.
cargo cyclonedx --manifest-path crates/barecode/Cargo.toml --format json --spec-version 1.5 \
    --override-filename barecode.cdx --quiet
wheel_list=crates/wheel/barecode-wheel.cdx.json
sed "s#file://$here/#file:///#g" crates/barecode/barecode.cdx.json > "$out/barecode.cdx.json"
sed "s#file://$here/#file:///#g" crates/wheel/barecode.cdx.json > "$wheel_list"
find crates fuzz tools -name barecode.cdx.json -delete

for target in "$@"; do
    triple=${target%%.[0-9]*}
    if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$triple" ]; then
        missing+=("$triple")
        continue
    fi
    name=barecode-$version-$triple
    cargo zigbuild --locked --profile "$profile" --target "$target" --package barecode
    mkdir -p "$out/$name"
    cp "$target_folder/$triple/$profile/barecode" LICENSE-APACHE LICENSE-MIT "$notices" README.md "$out/$name/"
    tar --create --use-compress-program "gzip -9n" --file "$out/$name.tar.gz" --directory "$out" \
        --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" "$name"
    rm -r "${out:?}/$name"
    # Python's package is for the GNU C library; musl's Pythons build it themselves.
    case $target in
    *-gnu.2.17)
        maturin build --locked --profile "$profile" --target "$triple" --zig --compatibility manylinux2014 \
            --manifest-path crates/wheel/Cargo.toml --sbom-include "${wheel_list##*/}" --out "$out"
        packaging/smaller.py "$out/barecode-$version-"*-manylinux2014_"${triple%%-*}".*.whl
        ;;
    esac
done
rm "$wheel_list"

host=$(rustc -vV | sed -n 's/^host: //p')
program=$target_folder/$host/$profile/barecode
if [ -x "$program" ]; then
    "$program" manual "$out/man"
    mkdir -p "$out/completions"
    for shell in bash zsh fish; do
        "$program" completions "$shell" > "$out/completions/barecode.$shell"
    done
fi
(cd "$out" && find . -type f ! -name SHA256SUMS -printf '%P\n' | LC_ALL=C sort | xargs sha256sum > SHA256SUMS)
echo "packages are in $out" >&2
if [ ${#missing[@]} -gt 0 ]; then
    echo "NOT built, for Rust's standard library of the target is missing: ${missing[*]}" >&2
    echo "hint: rustup target add ${missing[*]}" >&2
    exit 5
fi
