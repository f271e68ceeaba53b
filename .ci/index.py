#!/usr/bin/env python3
"""Makes an index of any size, the same on each run: `.ci/index.py DIR PACKAGES`.

Each package has five versions, whose dependencies are packages with a lower number, mostly much lower ones, so that there are
no cycles and some packages are needed by many. `DIR/wanted.txt` lists fifty packages of the upper half with a requirement
each, which `.ci/bench` and the measurements of docs/performance.md resolve. The versions come from commits that no host has:
they can be resolved and searched, not installed.
"""

import hashlib
import json
import random
import sys
from pathlib import Path

ACTIONS = "audit build check convert deploy draft explain format lint merge migrate plan review sort summarize test translate".split()
SUBJECTS = "api archive budget chart commit contract database email form image invoice letter log manual notebook pdf query report schema slide table ticket video".split()
VERSIONS = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0"]
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


def main():
    root, count = Path(sys.argv[1]), int(sys.argv[2])
    numbers = random.Random(count)
    root.mkdir(parents=True)
    (root / "config.json").write_text('{"api-version":1}\n')

    for number in range(count):
        path = root / place(name(number))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(lines(number, numbers)))

    wanted = sorted(numbers.sample(range(count // 2, count), min(50, count // 2)))
    (root / "wanted.txt").write_text("".join(f"{name(number)} ^1.0\n" for number in wanted))


if __name__ == "__main__":
    main()
