#!/bin/sh
# Starts barecode as the owner of the mounted folder, so that what it writes there is theirs.
#
# Rootless, the user outside is root in here and owns the folder. Started by root (docker), the folder belongs to a
# number that this image has no user for: barecode runs under that number. `--user` is left as it is.
set -eu

export HOME="${HOME:-/tmp}"
if [ "$(id -u)" = 0 ]; then
    owner=$(stat --format %u .)
    group=$(stat --format %g .)
    if [ "$owner" != 0 ]; then
        exec setpriv --reuid "$owner" --regid "$group" --clear-groups -- env HOME=/tmp barecode "$@"
    fi
fi
exec barecode "$@"
