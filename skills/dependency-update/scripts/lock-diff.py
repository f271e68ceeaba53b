#!/usr/bin/env python3
"""Shows what differs between two lockfiles of the same kind: packages added, removed, moved, and the two things that
are never routine, another source and other content under the same version. Reads two files, changes nothing.

usage: lock-diff.py OLD NEW

Reads Cargo.lock, uv.lock, poetry.lock, skillpm.lock (TOML with [[package]] blocks) and package-lock.json (2 and 3).

exit: 0 equal, 1 packages moved, 2 called wrongly or unreadable, 3 a source or content changed under one version
"""

import json
import re
import signal
import sys

STRING = re.compile(r'^(name|version|source|checksum)\s*=\s*"((?:[^"\\]|\\.)*)"\s*$')
TABLE_SOURCE = re.compile(r"^source\s*=\s*\{(.*)\}\s*$")
HASH = re.compile(r'hash\s*=\s*"([^"]+)"')
HEADER = re.compile(r"^\[\[?([\w.\"-]+)\]\]?$")
SOURCE_KEY = re.compile(r'^(url|reference|resolved_reference)\s*=\s*"([^"]*)"')


class Unreadable(Exception):
    pass


class Package:
    def __init__(self, name):
        self.name = name
        self.version = ""
        self.source = ""
        self.hashes = set()
        self.script = False


def read_toml(text):
    """The [[package]] blocks, line by line: lockfiles are written by programs, one key a line."""
    packages = []
    place = "outside"  # or "package", "source" (its sub-table), "other" (sub-tables that are not compared)
    for line in text.splitlines():
        stripped = line.strip()
        header = HEADER.match(stripped)
        if header:
            if header.group(1) == "package" and stripped.startswith("[["):
                packages.append(Package(""))
                place = "package"
            elif header.group(1) == "package.source":
                place = "source"
            else:
                place = "other"
        elif place == "package":
            read_toml_line(packages[-1], stripped)
        elif place == "source":
            match = SOURCE_KEY.match(stripped)
            if match:
                mark = "" if match.group(1) == "url" else "#"
                packages[-1].source += mark + match.group(2)
    packages = [package for package in packages if package.name]
    if not packages:
        raise Unreadable("it has no [[package]] with a name")
    return packages


def read_toml_line(package, line):
    string, table = STRING.match(line), TABLE_SOURCE.match(line)
    if string and string.group(1) == "checksum":
        package.hashes.add(string.group(2))
    elif string:
        setattr(package, string.group(1), string.group(2))
    elif table:
        package.source = table.group(1).strip()
    else:
        package.hashes.update(HASH.findall(line))


def read_npm(text):
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(f"not JSON: {error}") from error
    if not isinstance(data, dict) or "packages" not in data:
        raise Unreadable("not a package-lock.json of version 2 or 3")
    packages = []
    for path, entry in data["packages"].items():
        if "node_modules/" not in path or entry.get("link"):
            continue
        package = Package(entry.get("name") or path.rsplit("node_modules/", 1)[1])
        package.version = entry.get("version", "")
        package.source = npm_source(entry.get("resolved", ""))
        if entry.get("integrity"):
            package.hashes.add(entry["integrity"])
        package.script = bool(entry.get("hasInstallScript"))
        packages.append(package)
    return packages


def npm_source(resolved):
    """Where an archive comes from, without the file name, which repeats the version; a git address as it stands."""
    if not resolved.startswith(("http://", "https://")):
        return resolved
    return resolved.rsplit("/-/", 1)[0] if "/-/" in resolved else "/".join(resolved.split("/")[:3])


def read(path):
    try:
        with open(path, encoding="utf-8") as source:
            text = source.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(str(error)) from error
    if re.search(r"^(<<<<<<< |>>>>>>> )", text, re.MULTILINE):
        raise Unreadable("it holds merge conflict markers")
    return read_npm(text) if text.lstrip().startswith("{") else read_toml(text)


def by_name(packages):
    names = {}
    for package in packages:
        names.setdefault(package.name, {})[package.version] = package
    return names


def origin(source):
    """A git source without its commit, a URL without its query: the place, not the state of it."""
    return re.sub(r"[#?].*$", "", source)


def compare(old, new):
    """Yields (kind, text); kinds are the headings of the report."""
    for name in sorted(set(old) | set(new)):
        before, after = old.get(name, {}), new.get(name, {})
        gone = [before[v] for v in sorted(set(before) - set(after))]
        come = [after[v] for v in sorted(set(after) - set(before))]
        for version in sorted(set(before) & set(after)):
            yield from compare_same(before[version], after[version])
        if gone and come:
            versions = " -> ".join(", ".join(package.version for package in side) for side in (gone, come))
            yield "Version changed", f"{name} {versions}{''.join(map(note, come))}"
            moved = {origin(package.source) for package in come} - {origin(package.source) for package in gone}
            if moved:
                yield "Source changed", f"{name}: {gone[0].source or 'none'} -> {', '.join(sorted(moved)) or 'none'}"
            continue
        for package in gone:
            yield "Removed", f"{name} {package.version}" + (" (another version stays)" if after else "")
        for package in come:
            beside = " (beside another version)" if before or len(after) > 1 else ""
            yield "Added", f"{name} {package.version}{beside}{note(package)}"


def compare_same(before, after):
    title = f"{before.name} {before.version}".strip()
    if origin(before.source) != origin(after.source):
        yield "Source changed", f"{title}: {before.source or 'none'} -> {after.source or 'none'}"
    elif before.source != after.source:
        yield "Commit changed", f"{title}: {before.source} -> {after.source}"
    elif before.hashes and after.hashes and not before.hashes & after.hashes:
        yield "CONTENT CHANGED UNDER THE SAME VERSION", title
    elif before.hashes and not after.hashes:
        yield "Hash lost", title


def note(package):
    notes = []
    if package.source and "registry" not in package.source and "pypi.org" not in package.source:
        notes.append(f"from {package.source}")
    if package.script:
        notes.append("runs an install script")
    return f" [{'; '.join(notes)}]" if notes else ""


HEADINGS = [
    "CONTENT CHANGED UNDER THE SAME VERSION",
    "Source changed",
    "Hash lost",
    "Commit changed",
    "Added",
    "Removed",
    "Version changed",
]
ALARMS = {"CONTENT CHANGED UNDER THE SAME VERSION", "Source changed", "Hash lost"}


def main(argv):
    if len(argv) != 2 or argv[0].startswith("-"):
        print("usage: lock-diff.py OLD NEW", file=sys.stderr)
        return 2
    sides = []
    for path in argv:
        try:
            sides.append(by_name(read(path)))
        except Unreadable as error:
            print(f"lock-diff: could not read {path}: {error}", file=sys.stderr)
            return 2

    found = {}
    for kind, text in compare(*sides):
        found.setdefault(kind, []).append(text)
    for heading in HEADINGS:
        if heading in found:
            print(f"{heading} ({len(found[heading])})")
            for text in found[heading]:
                print(f"  {text}")
    if not found:
        print("No package differs.")
        return 0
    return 3 if ALARMS & set(found) else 1


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end quietly under `| head`
    sys.exit(main(sys.argv[1:]))
