#!/usr/bin/env bash
# The wheel of one target: packaging/wheel.sh DIRECTORY [MATURIN-OPTION]..., such as `--release --target TRIPLE`. A program that
# is linked with musl gets a wheel for glibc and musl. Needs maturin (PyPI).
set -euo pipefail

out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
cd "$(dirname "$0")/pypi"
exec maturin build --out "$out" "$@"
