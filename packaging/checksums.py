#!/usr/bin/env python3
"""Digests of the archives of a release: packaging/checksums.py DIRECTORY

Writes `SHA256SUMS` beside them, as `sha256sum --check` reads it. Fails if an archive of a target is missing.
"""

import hashlib
import pathlib
import sys

import project


def read_checksums(directory):
    """The digest of each target's archive by triple, as `SHA256SUMS` has it, compared with the archive itself."""
    directory = pathlib.Path(directory)
    sums = directory / "SHA256SUMS"
    if not sums.is_file():
        project.fail(f"no `{sums}`", f"packaging/checksums.py {directory}")
    listed = dict(reversed(line.split("  ", 1)) for line in sums.read_text().splitlines())
    found = {}
    for target in project.read_targets():
        name = project.archive_name(target["triple"])
        actual = digest(directory / name)
        if listed.get(name) != actual:
            project.fail(f"`{name}` has the digest {actual}, but {sums} has {listed.get(name)}")
        found[target["triple"]] = actual
    return found


def digest(path):
    if not path.is_file():
        project.fail(f"no archive `{path}`", "packaging/archive.py makes it, on a machine of its target")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main(directory):
    names = sorted(project.archive_name(target["triple"]) for target in project.read_targets())
    lines = [f"{digest(pathlib.Path(directory) / name)}  {name}\n" for name in names]
    (pathlib.Path(directory) / "SHA256SUMS").write_text("".join(lines), newline="\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
