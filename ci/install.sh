#!/usr/bin/env bash
# Installs skillpm for the later steps of a job of GitHub Actions, if there is none: `ci/install.sh VERSION`, or `latest` for the
# newest release. The installer of a release checks the digest of what it fetches. `SKILLPM_RELEASES` names a mirror of the releases.
set -euo pipefail

if command -v skillpm >/dev/null; then
    skillpm --version
    exit
fi
releases=${SKILLPM_RELEASES:-https://github.com/skillpm/skillpm/releases}
case $1 in
latest) url=$releases/latest/download ;;
*) url=$releases/download/v${1#v} ;;
esac

if [ "${RUNNER_OS:-}" = Windows ]; then
    prefix=$RUNNER_TEMP\\skillpm
    curl --fail --silent --show-error --location --retry 3 --output "$RUNNER_TEMP/install-skillpm.ps1" "$url/install.ps1"
    powershell -ExecutionPolicy Bypass -File "$RUNNER_TEMP/install-skillpm.ps1" -Prefix "$prefix" -NoPath
    printf '%s\n' "$prefix" >>"$GITHUB_PATH"
else
    prefix=$RUNNER_TEMP/skillpm
    curl --fail --silent --show-error --location --retry 3 --output "$RUNNER_TEMP/install-skillpm.sh" "$url/install.sh"
    PREFIX=$prefix sh "$RUNNER_TEMP/install-skillpm.sh"
    printf '%s\n' "$prefix/bin" >>"$GITHUB_PATH"
fi
