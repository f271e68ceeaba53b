#!/usr/bin/env bash
# The Debian package of a program that is built already: packaging/deb.sh DIRECTORY [CARGO-DEB-OPTION]..., such as
# `--target TRIPLE`. What goes into it is in Cargo.toml, `[package.metadata.deb]`. Needs cargo-deb (crates.io).
set -euo pipefail

out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."

# In the format of Debian, it names the release alone; CHANGELOG.md is installed as `changelog.gz`.
version=$(packaging/project.py version)
mkdir -p target
cat >target/changelog.Debian <<END
skillpm (${version/-/\~}-1) unstable; urgency=medium

  * Release $version: https://github.com/skillpm/skillpm/releases/tag/v$version

 -- The skillpm developers <skillpm@users.noreply.github.com>  $(date -u -R -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}")
END
exec cargo deb --no-build --locked --output "$out" "$@"
