#!/usr/bin/env bash
# The licenses of all packages that are inside the program and the Python package, as one text.
#
#   usage: notices.sh FILE
#
# A package without a license file of its own gets the text of its license from SPDX.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo about generate --frozen --fail --workspace --config packaging/about.toml --output-file "$1" packaging/about.hbs
echo "$(grep -c '^  [a-z]' "$1") packages are named in $1" >&2
