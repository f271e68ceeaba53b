#!/usr/bin/env python3
"""Makes further seeds of the adversarial cases: `fuzz/seeds.py CASES OUT` writes OUT/TARGET/NAME for what
`make_cases.py CASES` wrote. Archives are unpacked from their gzip, since what changes a packed byte changes nothing else."""

import gzip
import json
import os
import sys
import zlib


def put(out, target, name, data):
    os.makedirs(os.path.join(out, target), exist_ok=True)
    with open(os.path.join(out, target, name), "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape"))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def files(folder):
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(root, name)
            if os.path.isfile(path) and not os.path.islink(path) and os.path.getsize(path) < 1 << 16:
                yield path


def archives(cases, out):
    for path in files(os.path.join(cases, "tar")):
        name = os.path.basename(path).removesuffix(".tar.gz")
        data = read(path)
        put(out, "tar_archive", name + ".gz", data)
        try:
            raw = gzip.decompress(data)
        except (OSError, EOFError, zlib.error):
            continue
        if len(raw) < 1 << 16:
            put(out, "tar_archive", name, raw)


def skills(cases, out):
    for path in files(os.path.join(cases, "skill")):
        name = os.path.relpath(path, cases).replace(os.sep, "-")
        put(out, "hidden_text", name, read(path))
        if path.endswith("SKILL.md"):
            put(out, "frontmatter", name, read(path))
            put(out, "findings", name, read(path))


def texts(cases, out):
    for path in files(os.path.join(cases, "index")):
        for number, line in enumerate(read(path).splitlines()):
            put(out, "index_line", f"{os.path.basename(os.path.dirname(path))}-{os.path.basename(path)}-{number}", line)
    for number, case in enumerate(json.loads(read(os.path.join(cases, "url", "urls.json")))):
        put(out, "source", f"url-{number}", case["source"])


def main(cases, out):
    archives(cases, out)
    skills(cases, out)
    texts(cases, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
