#!/usr/bin/env python3
"""What the packages are made from: the version in Cargo.toml, the targets in targets.toml.

    packaging/project.py version     the version
    packaging/project.py targets     the targets, one a line
    packaging/project.py matrix      the targets as the JSON of a matrix of GitHub Actions
    packaging/project.py check TAG   fails unless TAG is that of the version, and CHANGELOG.md has a heading for it

The other scripts import it. Needs Python 3.11.
"""

import json
import pathlib
import re
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
LICENSES = ["LICENSE", "LICENSE-APACHE", "LICENSE-MIT"]


def read_toml(path):
    return tomllib.loads((ROOT / path).read_text(encoding="utf-8"))


def read_version():
    return read_toml("Cargo.toml")["workspace"]["package"]["version"]


def read_description():
    return read_toml("Cargo.toml")["package"]["description"]


def read_repository():
    return read_toml("Cargo.toml")["workspace"]["package"]["repository"]


def read_targets():
    return read_toml("packaging/targets.toml")["target"]


def find_target(triple):
    """The row of a target. Fails, with the known ones, if there is none."""
    targets = {target["triple"]: target for target in read_targets()}
    if triple not in targets:
        fail(f"unknown target `{triple}`", f"packaging/targets.toml has {', '.join(targets)}")
    return targets[triple]


def is_windows(triple):
    return "-windows-" in triple


def archive_stem(triple):
    """The name of an archive without its ending, which is also the directory in it."""
    return f"skillpm-{read_version()}-{triple}"


def archive_name(triple):
    return archive_stem(triple) + (".zip" if is_windows(triple) else ".tar.gz")


def program_name(triple):
    return "skillpm.exe" if is_windows(triple) else "skillpm"


def fail(message, help_text=None):
    print(f"error: {message}", file=sys.stderr)
    if help_text:
        print(f"help: {help_text}", file=sys.stderr)
    sys.exit(1)


def check_tag(tag):
    version = read_version()
    if tag != f"v{version}":
        fail(f"the tag is `{tag}`, but Cargo.toml has version {version}", f"tag the release `v{version}`")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    if not re.search(rf"^## {re.escape(version)}\b", changelog, re.MULTILINE):
        fail(f"CHANGELOG.md has no heading `## {version}`", "rename the heading `Unreleased`")


def main(arguments):
    match arguments:
        case ["version"]:
            print(read_version())
        case ["targets"]:
            print(*(target["triple"] for target in read_targets()), sep="\n")
        case ["matrix"]:
            print(json.dumps({"include": read_targets()}))
        case ["check", tag]:
            check_tag(tag)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
