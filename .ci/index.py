#!/usr/bin/env python3
"""Makes an index of any size, the same on each run: `.ci/index.py DIR PACKAGES [--git]`.

Each package has five versions, whose dependencies are packages with a lower number, mostly much lower ones, so that there are
no cycles and some packages are needed by many. `DIR/wanted.txt` lists fifty packages of the upper half with a requirement
each, which `.ci/bench` and the measurements of docs/performance.md resolve. The versions come from commits that no host has:
they can be resolved and searched, not installed.

With `--git`, DIR is a bare repository with the index in one commit, beside which is `DIR.wanted.txt`; its owner is
`growth@example.org`. A million packages take 4 GB as files, and 0.5 GB in a repository.
"""

import hashlib
import itertools
import json
import os
import random
import subprocess
import sys
from pathlib import Path

ACTIONS = "audit build check convert deploy draft explain format lint merge migrate plan review sort summarize test translate".split()
SUBJECTS = "api archive budget chart commit contract database email form image invoice letter log manual notebook pdf query report schema slide table ticket video".split()
VERSIONS = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0"]
CONFIG = '{"api-version":1,"dl":"archives/{name}-{version}.tar.gz"}\n'
NEEDS = ["^1.0", "^1.1", "^1.2", ">=1.1, <2.0"]


def name(number):
    action = ACTIONS[number % len(ACTIONS)]
    subject = SUBJECTS[number // len(ACTIONS) % len(SUBJECTS)]
    return f"{action}-{subject}-{number}"


def place(package):
    """The path of a package's file, as docs/registry.md has it; all names here are longer than three letters."""
    return f"{package[:2]}/{package[2:4]}/{package}"


def lines(number, numbers):
    package = name(number)
    needs = {int(number * numbers.random() ** 3): numbers.choice(NEEDS) for _ in range(numbers.choice([0, 0, 1, 1, 2, 3]))}
    for at, version in enumerate(VERSIONS):
        content = hashlib.sha256(f"{package} {version}".encode()).hexdigest()
        # A later version may need more, which makes some choices conflict.
        some = list(needs.items())[: len(needs) if at > 1 else max(0, len(needs) - 1)]
        line = {
            "name": package,
            "vers": version,
            "deps": [{"name": name(other), "req": need} for other, need in some if other != number],
            "cksum": f"skill-tree-v1:{content}",
            "yanked": False,
            "description": f"{package.split('-')[0].capitalize()} the {package.split('-')[1]} of kind {number % 97}. Use when there is one to be read.",
            "keywords": [package.split("-")[1]],
            "pubtime": f"2026-01-{at + 1:02}T00:00:00Z",
            "src": {"git": "https://git.example/skills.git", "rev": content[:40]},
            "v": 1,
        }
        yield json.dumps(line, separators=(",", ":")) + "\n"


def packages(count, numbers):
    """The path and the content of each file of packages."""
    for number in range(count):
        yield place(name(number)), "".join(lines(number, numbers))


def wanted(count, numbers):
    chosen = sorted(numbers.sample(range(count // 2, count), min(50, count // 2)))
    return "".join(f"{name(number)} ^1.0\n" for number in chosen)


def write_directory(root, count):
    numbers = random.Random(count)
    root.mkdir(parents=True)
    (root / "config.json").write_text(CONFIG)

    for path, text in packages(count, numbers):
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    (root / "wanted.txt").write_text(wanted(count, numbers))


def write_repository(root, count):
    """The same as one commit, without a file for each package on the way."""
    numbers = random.Random(count)
    root.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(root)], check=True)
    importer = subprocess.Popen(["git", "-C", str(root), "fast-import", "--quiet"], stdin=subprocess.PIPE)

    # `fast-import` looks for each file in all of its directory; git's own index is sorted.
    entries = []
    files = [("config.json", CONFIG), ("owners/_.toml", 'owners = ["growth@example.org"]\n')]
    for path, text in itertools.chain(files, packages(count, numbers)):
        data = text.encode()
        importer.stdin.write(b"blob\ndata %d\n%b\n" % (len(data), data))
        entries.append((path, hashlib.sha1(b"blob %d\0%b" % (len(data), data)).hexdigest()))
    importer.stdin.close()
    if importer.wait() != 0:
        sys.exit("index.py: git fast-import failed")

    lines_of_index = "".join(f"100644 {blob}\t{path}\n" for path, blob in sorted(entries))
    git(root, "update-index", "--add", "--index-info", stdin=lines_of_index)
    commit = git(root, "commit-tree", "-m", "index", git(root, "write-tree"))
    git(root, "update-ref", "refs/heads/main", commit)
    (root / "index").unlink()
    root.with_name(root.name + ".wanted.txt").write_text(wanted(count, numbers))


def git(root, *arguments, stdin=""):
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
             for what, value in [("NAME", "growth"), ("EMAIL", "growth@example.org"), ("DATE", "1767225600 +0000")]}
    done = subprocess.run(["git", "-C", str(root), *arguments], input=stdin, env={**os.environ, **names}, check=True,
                          stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def main():
    root, count = Path(sys.argv[1]), int(sys.argv[2])
    if "--git" in sys.argv[3:]:
        write_repository(root, count)
    else:
        write_directory(root, count)


if __name__ == "__main__":
    main()
