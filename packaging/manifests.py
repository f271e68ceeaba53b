#!/usr/bin/env python3
"""The files that fetch the archives of a release and check their digests: packaging/manifests.py ARCHIVES DIRECTORY

ARCHIVES has the archive of each target and `SHA256SUMS`. Written into DIRECTORY, from the texts in packaging/templates:

    install.sh  install.ps1              installers
    skillpm.rb                           a Homebrew formula
    skillpm.json                         a Scoop manifest
    winget/Skillpm.Skillpm*.yaml         the three manifests of winget

In a template `@VERSION@`, `@DESCRIPTION@` and `@REPOSITORY@` are those of Cargo.toml, and `@SHA256:TRIPLE@` is the digest of the
archive of a target.
"""

import pathlib
import re
import sys

import checksums
import project

EXECUTABLE = ["install.sh"]


def render(text, values, name):
    """A template with its values. Fails if it names one that does not exist."""

    def replace(found):
        if found[1] not in values:
            project.fail(f"packaging/templates/{name} has an unknown `{found[0]}`", f"known are {', '.join(sorted(values))}")
        return values[found[1]]

    return re.sub(r"@([A-Z][A-Z0-9]*(?::[a-z0-9_-]+)?)@", replace, text)


def main(archives, directory):
    values = {
        "VERSION": project.read_version(),
        "DESCRIPTION": project.read_description(),
        "REPOSITORY": project.read_repository(),
    }
    values |= {f"SHA256:{triple}": digest for triple, digest in checksums.read_checksums(archives).items()}

    templates = project.ROOT / "packaging" / "templates"
    for template in sorted(path for path in templates.rglob("*") if path.is_file()):
        name = template.relative_to(templates)
        text = render(template.read_text(encoding="utf-8"), values, name)
        target = pathlib.Path(directory) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
        if name.name in EXECUTABLE:
            target.chmod(0o755)
        print(target)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
