#!/usr/bin/env bash
# What action.yml runs: `audit` or `try` with a page.
#
#   usage: action.sh audit|try PATH FAIL_ON "MORE OPTIONS" PAGE_FOLDER
#
# The folder of the page goes to the step's outputs, and what is printed to its summary, where there are such files.
set -euo pipefail

command=$1 where=$2 fail_on=$3 more=$4 page=$5
read -r -a options <<<"$more"
mkdir -p "$page"
printed=$(mktemp)
code=0
case $command in
audit) barecode audit "$where" --fail-on "$fail_on" --html "$page/index.html" "${options[@]}" >"$printed" || code=$? ;;
try)
    barecode try "$where" --out "$page/run" "${options[@]}" >"$printed" || code=$?
    if [ -d "$page/run/08-report" ]; then
        page=$page/run/08-report
    fi
    ;;
*)
    echo "\`command\` is \`$command\`, expected \`audit\` or \`try\`" >&2
    exit 2
    ;;
esac
cat "$printed"
if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    { echo '```'; cat "$printed"; echo '```'; } >>"$GITHUB_STEP_SUMMARY"
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
    echo "page=$page" >>"$GITHUB_OUTPUT"
fi
rm "$printed"
exit "$code"
