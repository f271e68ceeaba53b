#!/usr/bin/env python3
"""The npm packages of a release: packaging/npm.py ARCHIVES DIRECTORY

ARCHIVES has the archive of each target and `SHA256SUMS`. Into DIRECTORY comes one tarball a target, `@skillpm/cli-OS-CPU` with
the program of its archive, and one of `@skillpm/cli`, which has the launcher and names the others as optional: npm installs the
one that fits the machine. No package has a script that runs at installation. Needs `npm`.

`--only TRIPLE` packs just that target and the main package, which still names all of them; it is for trying them.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import zipfile

import checksums
import project

NAME = "@skillpm/cli"
# npm adds LICENSE and README.md by itself.
FILES = ["bin", "LICENSE-*"]


def platform_name(target):
    return f"{NAME}-{target['os']}-{target['cpu']}"


def common_fields():
    """The fields that all packages have."""
    return {
        "version": project.read_version(),
        "license": "MIT OR Apache-2.0",
        "repository": {"type": "git", "url": f"git+{project.read_repository()}.git"},
        "publishConfig": {"access": "public"},
    }


def main_package():
    return {
        "name": NAME,
        "description": project.read_description(),
        "keywords": project.read_toml("Cargo.toml")["package"]["keywords"],
        **common_fields(),
        "bin": {"skillpm": "bin/skillpm.js"},
        "files": FILES,
        "engines": {"node": ">=18"},
        "optionalDependencies": {platform_name(target): project.read_version() for target in project.read_targets()},
    }


def platform_package(target):
    return {
        "name": platform_name(target),
        "description": f"The program of {NAME} for {target['os']} on {target['cpu']}",
        **common_fields(),
        "os": [target["os"]],
        "cpu": [target["cpu"]],
        "files": FILES,
        # Yarn would keep it in a zip file otherwise, from which no program starts.
        "preferUnplugged": True,
    }


def read_program(archives, triple):
    """The bytes of the program in the archive of a target."""
    path = pathlib.Path(archives) / project.archive_name(triple)
    member = f"{project.archive_stem(triple)}/{project.program_name(triple)}"
    if project.is_windows(triple):
        with zipfile.ZipFile(path) as packed:
            return packed.read(member)
    with tarfile.open(path) as packed:
        return packed.extractfile(member).read()


def write_package(directory, manifest, name, program):
    """A package's directory: its manifest, licenses and description, and one program in `bin`."""
    (directory / "bin").mkdir(parents=True)
    (directory / "package.json").write_text(json.dumps(manifest, indent=2) + "\n")
    shutil.copy(project.ROOT / "packaging/description.md", directory / "README.md")
    for license_file in project.LICENSES:
        shutil.copy(project.ROOT / license_file, directory)
    (directory / "bin" / name).write_bytes(program)
    (directory / "bin" / name).chmod(0o755)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives")
    parser.add_argument("directory")
    parser.add_argument("--only", metavar="TRIPLE")
    arguments = parser.parse_args()
    if arguments.only:
        targets = [project.find_target(arguments.only)]
    else:
        targets = project.read_targets()
        checksums.read_checksums(arguments.archives)

    out = pathlib.Path(arguments.directory).resolve()
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        launcher = (project.ROOT / "packaging/npm/skillpm.js").read_bytes()
        write_package(work / "main", main_package(), "skillpm.js", launcher)
        for target in targets:
            triple = target["triple"]
            program = read_program(arguments.archives, triple)
            write_package(work / triple, platform_package(target), project.program_name(triple), program)
        for package in sorted(work.iterdir()):
            packed = subprocess.run(
                ["npm", "pack", "--silent", "--pack-destination", out], cwd=package, check=True, capture_output=True, text=True
            )
            print(out / packed.stdout.strip())


if __name__ == "__main__":
    main()
