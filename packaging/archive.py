#!/usr/bin/env python3
"""Makes the archive of one target: packaging/archive.py TRIPLE PROGRAM DIRECTORY

It has one directory with the program, README.md, CHANGELOG.md, the licenses, `man` and `completions`. The same files give the
same bytes: sorted names, no owner, one time (`SOURCE_DATE_EPOCH`, or 1980-01-01). Prints the path of the archive.
"""

import gzip
import io
import os
import pathlib
import stat
import sys
import tarfile
import time
import zipfile

import project

EPOCH_1980 = 315_532_800


def list_files(triple, program):
    """The files of the archive: path in its directory, file on the disk, and whether it is a program."""
    files = [(project.program_name(triple), pathlib.Path(program), True)]
    files += [(name, project.ROOT / name, False) for name in ["README.md", "CHANGELOG.md", *project.LICENSES]]
    for directory in ["completions", "man"]:
        files += [(f"{directory}/{path.name}", path, False) for path in (project.ROOT / directory).iterdir()]
    return sorted(files)


def write_tar(out, stem, files, when):
    with gzip.GzipFile(filename="", fileobj=out, mode="wb", mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name, path, is_program in files:
                content = path.read_bytes()
                entry = tarfile.TarInfo(f"{stem}/{name}")
                entry.size, entry.mtime, entry.mode = len(content), when, 0o755 if is_program else 0o644
                tar.addfile(entry, io.BytesIO(content))


def write_zip(out, stem, files, when):
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, path, is_program in files:
            entry = zipfile.ZipInfo(f"{stem}/{name}", time.gmtime(when)[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, so that the mode below counts
            entry.external_attr = (stat.S_IFREG | (0o755 if is_program else 0o644)) << 16
            packed.writestr(entry, path.read_bytes())


def main(triple, program, directory):
    project.find_target(triple)
    if not pathlib.Path(program).is_file():
        project.fail(f"no program at `{program}`", f"cargo build --release --locked --target {triple}")
    when = max(int(os.environ.get("SOURCE_DATE_EPOCH", EPOCH_1980)), EPOCH_1980)
    target = pathlib.Path(directory) / project.archive_name(triple)
    target.parent.mkdir(parents=True, exist_ok=True)

    buffer = io.BytesIO()
    write = write_zip if project.is_windows(triple) else write_tar
    write(buffer, project.archive_stem(triple), list_files(triple, program), when)
    target.write_bytes(buffer.getvalue())
    print(target)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
