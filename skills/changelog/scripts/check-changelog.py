#!/usr/bin/env python3
"""Checks the form of a changelog in Markdown. Changes nothing.

usage: check-changelog.py [--version X.Y.Z] FILE

exit: 0 clean, 1 findings (on stdout, one a line), 2 called wrongly or unreadable
"""

import argparse
import datetime
import re
import sys

SECTIONS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
VERSION = re.compile(r"^## \[?v?(\d+)\.(\d+)\.(\d+)(-[0-9A-Za-z.-]+)?(?:\+\S+?)?\]?(?:\([^)]*\))?(?P<rest>.*)$")
UNRELEASED = re.compile(r"^## \[?unreleased\]?", re.IGNORECASE)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
EMPTY_BULLET = re.compile(
    r"^[-*] (?:various|misc\w*|minor|some|small|several|general)? ?"
    r"(?:bug ?fixes|fixes|improvements|changes|updates|cleanups?|refactoring|performance improvements)"
    r"(?: and (?:bug ?fixes|fixes|improvements|changes|updates|cleanups?))?\.?$",
    re.IGNORECASE,
)


def precedence(match):
    """A sort key for semantic versions: a pre-release comes before its release, numbers before words."""
    core = tuple(int(match.group(i)) for i in (1, 2, 3))
    pre = match.group(4)
    if pre is None:
        return core, (1,)
    parts = tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in pre[1:].split("."))
    return core, (0, parts)


class Release:
    def __init__(self, line, title):
        self.line = line
        self.title = title
        self.unreleased = False
        self.key = None
        self.sections = {}
        self.bullets = 0


def check_date(number, match):
    rest = match.group("rest")
    found = DATE.search(rest)
    if not found:
        if "unreleased" not in rest.lower():
            yield number, "version has no date in the form YYYY-MM-DD"
        return
    try:
        datetime.date(*(int(part) for part in found.group().split("-")))
    except ValueError:
        yield number, f"{found.group()} is not a date"


def parse(lines):
    """The releases in file order, and what is wrong line by line."""
    releases, findings = [], []
    fenced = False
    section = None
    for number, line in enumerate(lines, start=1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        if fenced:
            continue
        if line.startswith("## "):
            release = Release(number, line[3:].strip())
            section = None
            match = VERSION.match(line)
            if UNRELEASED.match(line):
                release.unreleased = True
            elif match:
                release.key = precedence(match)
                findings.extend(check_date(number, match))
            else:
                findings.append((number, f"`{release.title}` is neither a version nor Unreleased"))
            releases.append(release)
        elif line.startswith("### ") and releases:
            section = line[4:].strip()
            if section not in SECTIONS:
                findings.append((number, f"`{section}` is not one of {', '.join(SECTIONS)}"))
            if section in releases[-1].sections:
                findings.append((number, f"section `{section}` is there twice in `{releases[-1].title}`"))
            releases[-1].sections.setdefault(section, [number, 0])
        elif line.startswith(("- ", "* ")) and releases:
            releases[-1].bullets += 1
            if section is not None:
                releases[-1].sections[section][1] += 1
            if EMPTY_BULLET.match(line.rstrip()):
                findings.append((number, "entry does not say what changed"))
        elif line.startswith(("<<<<<<< ", ">>>>>>> ")):
            findings.append((number, "merge conflict marker"))
    return releases, findings


def check_releases(releases):
    seen = {}
    previous = None
    for position, release in enumerate(releases):
        if release.unreleased and position != 0:
            yield release.line, "Unreleased is not the first version"
        if release.key is not None:
            if release.key in seen:
                yield release.line, f"`{release.title}` is there twice, first in line {seen[release.key]}"
            elif previous is not None and release.key > previous:
                yield release.line, f"`{release.title}` is newer than the version above it"
            seen.setdefault(release.key, release.line)
            previous = release.key
        for name, (line, bullets) in release.sections.items():
            if bullets == 0:
                yield line, f"section `{name}` is empty"


def check_wanted(releases, wanted):
    match = VERSION.match(f"## {wanted}")
    key = precedence(match) if match else None
    found = [release for release in releases if release.key is not None and release.key == key]
    if not found:
        yield 1, f"no section for version {wanted}"
    elif found[0].bullets == 0:
        yield found[0].line, f"version {wanted} has no entries"


def main(argv):
    parser = argparse.ArgumentParser(description="Check the form of a changelog in Markdown.")
    parser.add_argument("file")
    parser.add_argument("--version", metavar="X.Y.Z", help="demand a section with entries for this version")
    options = parser.parse_args(argv)
    try:
        with open(options.file, encoding="utf-8") as source:
            lines = source.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        print(f"check-changelog: could not read {options.file}: {error}", file=sys.stderr)
        return 2

    releases, findings = parse(lines)
    if not releases:
        findings.append((1, "no version headings (`## 1.2.3 - 2026-01-31`)"))
    findings.extend(check_releases(releases))
    if options.version:
        findings.extend(check_wanted(releases, options.version))
    for number, fault in sorted(findings):
        print(f"{options.file}:{number}: {fault}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
