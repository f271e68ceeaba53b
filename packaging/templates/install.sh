#!/bin/sh
# Installs skillpm @VERSION@ for one user: `sh install.sh`. It fetches the archive for this machine, checks that its SHA-256 digest is
# the one below, and puts the program, its manual pages and completions into PREFIX.
#
#   PREFIX                 where to install; default: ~/.local (program in bin, the rest in share)
#   SKILLPM_DOWNLOAD_URL   where the archives are, such as a mirror; default: the release of this version
#
# The program is put into its place last, so that an installed one stays as it is if a step fails. To remove it:
# rm PREFIX/bin/skillpm PREFIX/share/man/man1/skillpm*.1, and the completions below PREFIX/share.
set -eu

version=@VERSION@
prefix=${PREFIX:-$HOME/.local}
base_url=${SKILLPM_DOWNLOAD_URL:-@REPOSITORY@/releases/download/v$version}

digest_for() {
    case $1 in
    x86_64-unknown-linux-musl) echo @SHA256:x86_64-unknown-linux-musl@ ;;
    aarch64-unknown-linux-musl) echo @SHA256:aarch64-unknown-linux-musl@ ;;
    x86_64-apple-darwin) echo @SHA256:x86_64-apple-darwin@ ;;
    aarch64-apple-darwin) echo @SHA256:aarch64-apple-darwin@ ;;
    esac
}

fail() {
    printf 'error: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf 'help: %s\n' "$2" >&2
    exit 1
}

find_target() {
    system=$(uname -s)
    machine=$(uname -m)
    case $system in
    Linux) suffix=unknown-linux-musl ;;
    Darwin) suffix=apple-darwin ;;
    *) fail "no program for $system" "on Windows run install.ps1; elsewhere \`cargo install --locked skillpm\`" ;;
    esac
    case $machine in
    x86_64 | amd64) processor=x86_64 ;;
    arm64 | aarch64) processor=aarch64 ;;
    *) fail "no program for $system on $machine" "cargo install --locked skillpm" ;;
    esac
    # A shell that is translated by Rosetta reports the processor that it emulates.
    if [ "$system" = Darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ]; then
        processor=aarch64
    fi
    echo "$processor-$suffix"
}

# Fetches a URL into a file. Redirects are followed; what is fetched is checked by its digest.
fetch() {
    if command -v curl >/dev/null 2>&1; then
        curl --fail --silent --show-error --location --retry 3 --output "$2" "$1"
    elif command -v wget >/dev/null 2>&1; then
        wget -q -O "$2" "$1"
    else
        fail "neither curl nor wget found" "install one of them"
    fi || fail "failed to fetch $1" "to use a mirror, set SKILLPM_DOWNLOAD_URL"
}

compute_digest() {
    if command -v sha256sum >/dev/null 2>&1; then
        sha256sum <"$1" | cut -d ' ' -f 1
    elif command -v shasum >/dev/null 2>&1; then
        shasum -a 256 <"$1" | cut -d ' ' -f 1
    elif command -v openssl >/dev/null 2>&1; then
        openssl dgst -sha256 -r <"$1" | cut -d ' ' -f 1
    else
        fail "no program that computes SHA-256" "install coreutils or openssl"
    fi
}

# Copies a file to its place in one step: a program that runs is not changed.
place() {
    new=$2.new.$$
    if ! { mkdir -p "${2%/*}" && cp "$1" "$new" && chmod "$3" "$new" && mv -f "$new" "$2"; }; then
        rm -f "$new"
        fail "failed to write $2" "choose a directory that you can write: PREFIX=DIR sh install.sh"
    fi
}

# Fails before anything is fetched if the nearest existing directory of a path cannot be written.
check_writable() {
    directory=$1
    while [ ! -e "$directory" ]; do
        directory=$(dirname "$directory")
    done
    if [ ! -d "$directory" ] || [ ! -w "$directory" ]; then
        fail "failed to write to $1" "choose a directory that you can write: PREFIX=DIR sh install.sh"
    fi
}

main() {
    target=$(find_target)
    name=skillpm-$version-$target
    expected=$(digest_for "$target")
    [ -n "$expected" ] || fail "no program for $target" "cargo install --locked skillpm"

    check_writable "$prefix/bin"

    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    fetch "$base_url/$name.tar.gz" "$work/archive.tar.gz"
    actual=$(compute_digest "$work/archive.tar.gz")
    [ "$actual" = "$expected" ] || fail "digest of $base_url/$name.tar.gz is wrong
  expected sha256:$expected
     found sha256:$actual" "the download is damaged or was replaced; try again, and report it if it stays: @REPOSITORY@/security"

    tar -xzf "$work/archive.tar.gz" -C "$work"
    "$work/$name/skillpm" --version >/dev/null || fail "the program for $target does not start here" "cargo install --locked skillpm"
    for page in "$work/$name/man"/*.1; do
        place "$page" "$prefix/share/man/man1/${page##*/}" 644
    done
    place "$work/$name/completions/skillpm.bash" "$prefix/share/bash-completion/completions/skillpm" 644
    place "$work/$name/completions/_skillpm" "$prefix/share/zsh/site-functions/_skillpm" 644
    place "$work/$name/completions/skillpm.fish" "$prefix/share/fish/vendor_completions.d/skillpm.fish" 644
    place "$work/$name/skillpm" "$prefix/bin/skillpm" 755

    printf 'Installed skillpm %s at %s\n' "$version" "$prefix/bin/skillpm"
    case :$PATH: in
    *":$prefix/bin:"*) ;;
    *) printf 'help: add it to your PATH: export PATH="%s:%s"\n' "$prefix/bin" "\$PATH" ;;
    esac
}

# Called at the end, so that a script that was fetched in part does nothing.
main
