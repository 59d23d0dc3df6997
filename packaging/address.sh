#!/usr/bin/env bash
# The project's address, wherever it is named: in packages, workflows, documentation.
#
#   usage: address.sh              lists the files that name it
#          address.sh OWNER/NAME   writes another one
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
old=$(sed -n 's#^repository = "https://github.com/\(.*\)"#\1#p' Cargo.toml)
named=(':(exclude)Cargo.lock' ':(exclude)crates/*/src' ':(exclude)crates/*/tests' ':(exclude)packaging')
if [ $# = 0 ]; then
    git grep -l --fixed-strings "$old" -- "${named[@]}"
else
    git grep -lz --fixed-strings "$old" -- "${named[@]}" | xargs -0 sed -i "s#$old#$1#g"
fi
