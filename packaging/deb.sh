#!/usr/bin/env bash
# The Debian package of a program that is built already: packaging/deb.sh DIRECTORY [CARGO-DEB-OPTION]..., such as
# `--target TRIPLE`. What goes into it is in Cargo.toml, `[package.metadata.deb]`. Needs cargo-deb (crates.io).
set -euo pipefail

out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
exec cargo deb --no-build --locked --output "$out" "$@"
