#!/bin/sh
# Looks whether a repository is ready for a release. Reads local state only: no network, no changes.
#
# usage: preflight.sh VERSION [--tag TAG] [--branch BRANCH]
#   VERSION  the version to be released, such as 2.4.0
#   --tag    the tag it will get; default: v and VERSION
#   --branch the branch releases are made from; default: what origin/HEAD names, else main or master
#
# exit: 0 no FAIL, 1 at least one FAIL, 2 called wrongly or not in a repository
set -eu

usage() {
    printf 'preflight: %s\n' "$1" >&2
    printf 'usage: preflight.sh VERSION [--tag TAG] [--branch BRANCH]\n' >&2
    exit 2
}

version='' tag='' branch=''
while [ $# -gt 0 ]; do
    case $1 in
    --tag) [ $# -ge 2 ] || usage '--tag wants a value'; tag=$2; shift 2 ;;
    --branch) [ $# -ge 2 ] || usage '--branch wants a value'; branch=$2; shift 2 ;;
    -*) usage "unknown option $1" ;;
    *) [ -z "$version" ] || usage 'only one VERSION'; version=$1; shift ;;
    esac
done
printf '%s\n' "$version" |
    grep -Eq '^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$' ||
    usage "\`$version\` is not a version such as 2.4.0"
tag=${tag:-v$version}
root=$(git rev-parse --show-toplevel 2>/dev/null) || usage 'not inside a git working tree'
cd "$root"

failed=0
pass() { printf '  ok   %s\n' "$1"; }
note() { printf '  note %s\n' "$1"; }
bad() { printf '  FAIL %s\n' "$1"; failed=1; }

printf 'Release %s as tag %s, commit %s\n' "$version" "$tag" "$(git rev-parse --short HEAD)"

if [ -z "$(git status --porcelain)" ]; then
    pass 'working tree is clean'
else
    bad "working tree has $(git status --porcelain | grep -c .) changed or untracked files"
fi

if [ -z "$branch" ]; then
    branch=$(git symbolic-ref --quiet --short refs/remotes/origin/HEAD 2>/dev/null | sed 's|^origin/||') || true
    if [ -z "$branch" ]; then
        branch=main
        git show-ref --verify --quiet refs/heads/main || branch=master
    fi
fi
current=$(git symbolic-ref --quiet --short HEAD || printf 'detached')
case $current in
"$branch") pass "on $branch" ;;
*) note "on $current, not $branch: right only for a maintenance release" ;;
esac

if upstream=$(git rev-parse --abbrev-ref --symbolic-full-name '@{upstream}' 2>/dev/null); then
    behind=$(git rev-list --count "HEAD..$upstream")
    ahead=$(git rev-list --count "$upstream..HEAD")
    if [ "$behind" -gt 0 ]; then
        bad "$behind commits behind $upstream"
    else
        pass "not behind $upstream as last fetched"
    fi
    [ "$ahead" -eq 0 ] || note "$ahead commits are not pushed: CI has not seen them"
else
    note 'no upstream branch to compare with'
fi

if git show-ref --verify --quiet "refs/tags/$tag"; then
    bad "tag $tag exists already, at $(git rev-parse --short "$tag^{commit}")"
else
    pass "tag $tag is free here (the remote was not asked)"
fi

last=$(git describe --tags --abbrev=0 --match '*[0-9].[0-9]*' 2>/dev/null || true)
if [ -n "$last" ]; then
    count=$(git rev-list --count --no-merges "$last..HEAD")
    if [ "$count" -gt 0 ]; then
        pass "$count commits since $last"
    else
        bad "no commits since $last"
    fi
    case $last:$tag in
    v*:v* | [0-9]*:[0-9]*) ;;
    *) note "the last tag is $last: should $tag have the same form?" ;;
    esac
else
    note 'no earlier version tag: the first release?'
fi

# Manifests whose version is a plain line. Only those at the top: what lies deeper may be another package.
check_version() { # FILE FOUND
    if [ -z "$2" ]; then
        note "$1 states no version of its own"
    elif [ "$2" = "$version" ]; then
        pass "$1 says $version"
    else
        bad "$1 says $2"
    fi
}
for manifest in Cargo.toml pyproject.toml skillpm.toml; do
    [ -f "$manifest" ] || continue
    check_version "$manifest" "$(awk '
        /^\[/ { own = /^\[(package|project|workspace\.package|tool\.poetry)\]/ }
        own && /^version *= *"/ { split($0, part, "\""); print part[2]; exit }
    ' "$manifest")"
done
if [ -f package.json ]; then
    check_version package.json "$(sed -n 's/^  "version": *"\([^"]*\)".*/\1/p' package.json | sed -n 1p)"
fi

changelog=''
for name in CHANGELOG.md CHANGES.md Changelog.md HISTORY.md; do
    if git ls-files --error-unmatch "$name" >/dev/null 2>&1; then
        changelog=$name
        break
    fi
done
escaped=$(printf '%s' "$version" | sed 's/[.+]/\\&/g')
if [ -z "$changelog" ]; then
    note 'no changelog'
elif grep -E '^#' "$changelog" | grep -qE "(^|[^0-9.])$escaped([^0-9A-Za-z.-]|\$)"; then
    pass "$changelog has a heading for $version"
else
    bad "$changelog has no heading for $version"
fi

markers=$(git grep -lE '^(<<<<<<< |>>>>>>> )' -- . 2>/dev/null | sed -n 1p || true)
[ -z "$markers" ] || bad "merge conflict marker in $markers"

[ "$failed" -eq 0 ] || exit 1
