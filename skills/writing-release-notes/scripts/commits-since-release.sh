#!/bin/sh
# Prints what changed between two versions, sorted for release notes. Reads the local git history, changes nothing.
#
# usage: commits-since-release.sh [FROM [TO]]
#   FROM  default: the newest version tag that is an ancestor of TO, but does not point at TO itself
#   TO    default: HEAD
#
# exit: 0 done, 1 nothing in the range, 2 called wrongly or not in a repository
set -eu

fail() {
    printf 'commits-since-release: %s\n' "$1" >&2
    exit 2
}

[ $# -le 2 ] || fail "usage: commits-since-release.sh [FROM [TO]]"
git rev-parse --git-dir >/dev/null 2>&1 || fail "not inside a git repository"

to=${2:-HEAD}
git rev-parse --verify --quiet "$to^{commit}" >/dev/null || fail "\`$to\` is not a commit or tag here"

from=${1:-}
if [ -z "$from" ]; then
    # Starting above TO keeps a tag on TO itself, the release being described, from making the range empty.
    from=$(git describe --tags --abbrev=0 --match '*[0-9].[0-9]*' "$to^" 2>/dev/null || true)
fi

if [ -n "$from" ]; then
    git rev-parse --verify --quiet "$from^{commit}" >/dev/null || fail "\`$from\` is not a commit or tag here"
    range=$from..$to
    printf 'Range: %s (%s commits without merges)\n' "$range" "$(git rev-list --count --no-merges "$range")"
else
    range=$to
    printf 'Range: everything up to %s, no version tag below it\n' "$to"
fi

if [ -z "$(git rev-list --no-merges -n 1 "$range")" ]; then
    printf 'Nothing in this range.\n'
    exit 1
fi

printf '\nBreaking\n'
{
    git log --no-merges --format='%h %s' -E --grep='^BREAKING[ -]CHANGE' "$range"
    git log --no-merges --format='%h %s' "$range" | grep -E '^[0-9a-f]+ [[:alnum:]_./-]+(\([^)]*\))?!: ' || true
} | sort -u | sed 's/^/  /' | grep . || printf '  none marked; look at the diff for unmarked ones\n'

printf '\nReverts\n'
git log --no-merges --format='%h %s' "$range" | { grep -E '^[0-9a-f]+ Revert ' || true; } |
    sed 's/^/  /' | grep . || printf '  none\n'

printf '\nCommits by area\n'
git log --no-merges --format='%h %s' "$range" | awk '
{
    hash = $1
    subject = substr($0, length(hash) + 2)
    area = "(no area)"
    if (match(subject, /^[A-Za-z0-9_.\/, -]+(\([^)]*\))?!?: /) && RLENGTH <= 40) {
        area = substr(subject, 1, RLENGTH - 2)
        sub(/!$/, "", area)
        subject = substr(subject, RLENGTH + 1)
    }
    if (!(area in count)) order[++areas] = area
    count[area]++
    text[area] = text[area] "    " hash " " subject "\n"
}
END {
    for (i = 1; i <= areas; i++) printf "  %s (%d)\n%s", order[i], count[order[i]], text[order[i]]
}'

printf '\nIssues named\n'
git log --no-merges --format=%B "$range" | grep -oE '(^|[^[:alnum:]&])#[0-9]+' | grep -oE '[0-9]+' | sort -nu |
    awk '{ line = line " #" $0 } END { print (line == "" ? "  none" : " " line) }'

printf '\nAuthors\n'
git shortlog -sn --no-merges "$range" | sed 's/^ */  /'
