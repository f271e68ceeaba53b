#!/usr/bin/env bash
# Updates the skills of a project and opens a pull request for it, or brings its own up to date. Does nothing if nothing is newer.
# Run in a clean clone with the base branch checked out, by `ci/update/action.yml` or by any scheduler:
#
#   GITHUB_REPOSITORY   OWNER/NAME, where the pull request is opened
#   GITHUB_TOKEN        may push branches and open pull requests there; it is passed to no command as an argument
#   GITHUB_API_URL      default: https://api.github.com
#   BRANCH              of the pull request; default: skillpm/update
#   ARGS                further arguments of `skillpm update`, such as `--latest`, or names of skills
#   AUTHOR_NAME, AUTHOR_EMAIL   of the commits; default: skillpm, and an address of GitHub without an account
#
# The text of the pull request is what `skillpm update --diff` prints. A branch on which anyone else has committed is left as it
# is. Needs skillpm, git, curl, jq and bash 4.4. Writes `changed` and `pull-request` (its number) into $GITHUB_OUTPUT, if that is set.
#
# Backticks in messages are for their readers.
# shellcheck disable=SC2016
set -euo pipefail

api=${GITHUB_API_URL:-https://api.github.com}
branch=${BRANCH:-skillpm/update}
author_name=${AUTHOR_NAME:-skillpm}
author_email=${AUTHOR_EMAIL:-skillpm-update@users.noreply.github.com}
# GitHub refuses a longer text: https://github.com/orgs/community/discussions/27190. The rest is for what surrounds the diff.
max_diff=60000

fail() {
    printf 'error: %s\nhelp: %s\n' "$1" "$2" >&2
    exit 1
}

output() {
    [ -z "${GITHUB_OUTPUT:-}" ] || printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"
}

# Sends a request to GitHub, with the JSON on standard input as its body if there is a third argument, and prints the answer.
request() {
    local method=$1 path=$2 answer status
    local body=()
    [ $# -lt 3 ] || body=(--header 'Content-Type: application/json' --data-binary "@$3")
    # The header is read from a pipe: arguments are visible to every user of the machine.
    answer=$(curl --silent --show-error --max-time 60 --request "$method" --write-out '\n%{http_code}' \
        --header 'Accept: application/vnd.github+json' --header 'X-GitHub-Api-Version: 2022-11-28' \
        --header @<(printf 'Authorization: Bearer %s\n' "$GITHUB_TOKEN") \
        "${body[@]}" "$api/repos/$GITHUB_REPOSITORY/$path") || fail "failed to reach $api" 'check GITHUB_API_URL, and the network'
    status=${answer##*$'\n'}
    answer=${answer%$'\n'*}
    case $status in
    2??) printf '%s' "$answer" ;;
    *)
        fail "$method $api/repos/$GITHUB_REPOSITORY/$path answered $status: $(jq -r '.message // empty' <<<"$answer" 2>/dev/null || true)" \
            'GITHUB_TOKEN needs `contents: write` and `pull-requests: write`, and the repository must allow Actions to open pull requests'
        ;;
    esac
}

# What was updated: the text of the pull request.
render_text() {
    local diff=$1 report=$2 fence='```'
    # Longer than any fence in the diff, so that no skill ends the block.
    while grep -qF -- "$fence" "$diff"; do fence=$fence'`'; done

    printf 'Skills have newer versions that the requirements in `skillpm.toml` allow.\n\n```text\n%s\n```\n\n' "$(cat "$report")"
    printf 'What changes in the installed files, as `skillpm update --diff` prints it. Read it as you would read code: agents follow these texts.\n\n'
    printf '%sdiff\n%s\n%s\n' "$fence" "$(head -c "$max_diff" "$diff" | iconv -c -f UTF-8 -t UTF-8)" "$fence"
    if [ "$(wc -c <"$diff")" -gt "$max_diff" ]; then
        printf '\nThe diff is longer. For all of it, run `skillpm update --diff` on the base branch.\n'
    fi
}

# Whether there is a commit, such as `refs/remotes/origin/BRANCH`.
exists() {
    git rev-parse --quiet --verify "$1^{commit}" >/dev/null
}

# Parent and content of a commit; nothing if it does not exist.
state() {
    if exists "$1^"; then
        git rev-parse "$1^" "$1^{tree}"
    fi
}

main() {
    : "${GITHUB_REPOSITORY:?error: GITHUB_REPOSITORY is required: OWNER/NAME}" "${GITHUB_TOKEN:?error: GITHUB_TOKEN is required}"
    [ -z "$(git status --porcelain)" ] || fail 'the working tree has changes' 'commit them, or run this in a fresh clone'
    base=$(git symbolic-ref --short HEAD) || fail 'no branch is checked out' 'check out the branch that pull requests are for'
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT

    local arguments
    read -r -a arguments <<<"${ARGS:-}"
    if ! skillpm update --diff "${arguments[@]}" >"$work/diff" 2>"$work/report"; then
        cat "$work/report" >&2
        fail 'skillpm update failed, and no pull request was opened' 'run `skillpm update` in a clone, and resolve what it reports'
    fi
    cat "$work/report"
    if [ -z "$(git status --porcelain)" ]; then
        output changed false
        return
    fi

    local remote=refs/remotes/origin/$branch
    git fetch --quiet origin "+refs/heads/$branch:$remote" 2>/dev/null || git update-ref -d "$remote"
    # A branch of ours has one commit. One by another committer is not ours to replace.
    if exists "$remote" && [ "$(git log -1 --format=%ce "$remote")" != "$author_email" ]; then
        printf '::warning::%s has commits of others, and was not updated; merge it or delete it\n' "$branch"
        output changed false
        return
    fi

    git checkout --quiet -B "$branch"
    git add --all
    git -c "user.name=$author_name" -c "user.email=$author_email" -c commit.gpgSign=false commit --quiet --message 'Update skills'
    # The same content on the same base needs no new commit, and no new run of the checks.
    if [ "$(state HEAD)" != "$(state "$remote")" ]; then
        git push --quiet --force-with-lease="$branch:$(git rev-parse --quiet --verify "$remote" || true)" origin "$branch"
    fi

    render_text "$work/diff" "$work/report" >"$work/text"
    jq --null-input --rawfile body "$work/text" --arg head "$branch" --arg base "$base" \
        '{title: "Update skills", $head, $base, $body}' >"$work/request"
    local number
    number=$(request GET "pulls?state=open&base=$base&head=${GITHUB_REPOSITORY%%/*}:$branch" | jq -r '.[0].number // empty')
    if [ -n "$number" ]; then
        request PATCH "pulls/$number" "$work/request" >"$work/answer"
    else
        request POST pulls "$work/request" >"$work/answer"
        number=$(jq -r .number "$work/answer")
    fi
    printf 'Pull request %s: %s\n' "$number" "$(jq -r .html_url "$work/answer")"
    output changed true
    output pull-request "$number"
}

main
