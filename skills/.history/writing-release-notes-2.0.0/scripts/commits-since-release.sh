#!/bin/sh
# Prints the commits since the last version tag by area, and those marked as breaking. Changes nothing.
set -eu

from=$(git describe --tags --abbrev=0 2>/dev/null || true)
range=${from:+$from..}HEAD

printf 'Range: %s\n\nBreaking\n' "$range"
git log --no-merges --format='  %h %s' -E --grep='^BREAKING[ -]CHANGE' "$range"

printf '\nCommits\n'
git log --no-merges --format='  %s (%h)' "$range" | sort
