"""A toolchain that builds the standard library for a target of which rustup has none here."""
import os, re, shutil, subprocess, sys

LIBRARY = "lib/rustlib/src/rust/library"
DEBIAN = "trixie-backports"


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, **options)


def printed(*command):
    return run(*command, stdout=subprocess.PIPE).stdout.strip()


def download_library(release, work):
    """The source of the standard library of a release of Rust, as Debian packages it."""
    apt = os.path.join(work, "apt")
    for part in ["etc/preferences.d", "etc/apt.conf.d", "lists/partial", "cache/archives/partial", "state"]:
        os.makedirs(os.path.join(apt, part), exist_ok=True)
    with open(os.path.join(apt, "etc/sources.list"), "w") as sources:
        sources.write(f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian {DEBIAN} main\n")
    open(os.path.join(apt, "state/status"), "w").close()
    settings = os.path.join(apt, "apt.conf")
    with open(settings, "w") as conf:
        conf.write(
            f'Dir::Etc "{apt}/etc"; Dir::Etc::sourcelist "sources.list"; Dir::Etc::sourceparts "-";\n'
            f'Dir::Etc::trustedparts "/etc/apt/trusted.gpg.d"; Dir::Cache "{apt}/cache";\n'
            f'Dir::State "{apt}/state"; Dir::State::Lists "{apt}/lists"; Dir::State::status "{apt}/state/status";\n'
            'APT::Sandbox::User "root";\n'
        )
    environment = dict(os.environ, APT_CONFIG=settings)
    run("apt-get", "-qq", "update", env=environment)
    policy = run("apt-cache", "policy", "rust-src", env=environment, stdout=subprocess.PIPE).stdout
    version = next((each for each in re.findall(r"^ +(\S+) \d+$", policy, re.M) if each.startswith(f"{release}+")), None)
    if not version:
        sys.exit(f"error: Debian has no source of Rust {release}\nhelp: `rustup target add` the target")
    run("apt-get", "-qq", "download", f"rust-src={version}", env=environment, cwd=apt)
    package = next(name for name in os.listdir(apt) if name.startswith("rust-src_"))
    run("dpkg-deb", "-x", package, "source", cwd=apt)
    return os.path.join(apt, f"source/usr/src/rustc-{release}/library")


def toolchain(target, work):
    """The directory of cargo and rustc, and the arguments of cargo that the target needs; `work` keeps a copy of them."""
    sysroot = printed("rustc", "--print", "sysroot")
    if os.path.isdir(os.path.join(sysroot, "lib/rustlib", target)):
        return os.path.join(sysroot, "bin"), []
    build_std = ["-Z", "build-std=std,panic_unwind,test"]
    own = os.path.join(work, "toolchain")
    if not os.path.isdir(os.path.join(own, LIBRARY)):
        shutil.rmtree(own, ignore_errors=True)
        shutil.copytree(sysroot, own, symlinks=True)
        if not os.path.isdir(os.path.join(own, LIBRARY)):
            release = printed("rustc", "--version").split()[1]
            shutil.copytree(download_library(release, work), os.path.join(own, LIBRARY), symlinks=True)
    return os.path.join(own, "bin"), build_std
