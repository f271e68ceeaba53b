//! `install.sh`, against a server on loopback that has the archives of a release.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output};

use super::{HOST, Release, VERSION, stderr};
use crate::support::{Sandbox, Server};

/// A program that can be asked for its version.
const PROGRAM: &str = "#!/bin/sh\necho \"skillpm 0 $*\"\n";

/// A machine with the archives on a server.
struct InstallRun {
    sandbox: Sandbox,
    server: Server,
    release: Release,
}

impl InstallRun {
    fn prepare() -> Option<InstallRun> {
        let sandbox = Sandbox::new();
        let release = Release::make(&sandbox, PROGRAM)?;
        let server = Server::start(&sandbox);
        fs::create_dir(sandbox.root().join("bin")).unwrap();
        let run = InstallRun {
            sandbox,
            server,
            release,
        };
        run.set_machine("Linux", "x86_64");
        Some(run)
    }

    /// What `uname` reports.
    fn set_machine(&self, system: &str, processor: &str) {
        let script =
            format!("#!/bin/sh\ncase $1 in -s) echo {system} ;; -m) echo {processor} ;; esac\n");
        self.write_program("uname", &script);
    }

    fn write_program(&self, name: &str, script: &str) {
        let path = self.sandbox.root().join("bin").join(name);
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs the script with this prefix; programs of the test come before those of `path`.
    fn run(&self, prefix: &Path, path: &str) -> Output {
        let bin = self.sandbox.root().join("bin");
        Command::new("/bin/sh")
            .arg(self.release.manifests.join("install.sh"))
            .env_clear()
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("HOME", self.sandbox.root().join("home"))
            .env("TMPDIR", self.sandbox.root().join("tmp"))
            .env("PREFIX", prefix)
            .env(
                "SKILLPM_DOWNLOAD_URL",
                self.server.url("").trim_end_matches('/'),
            )
            .output()
            .unwrap()
    }

    /// Runs it with the system's programs.
    fn install(&self, prefix: &Path) -> Output {
        self.run(prefix, "/usr/bin:/bin")
    }

    /// Fails unless it ended with an error and left nothing.
    #[track_caller]
    fn refused(&self, output: &Output, prefix: &Path, error: &str) {
        let text = stderr(output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(
            text.contains(&format!("error: {error}")) && text.contains("\nhelp: "),
            "{text}"
        );
        assert!(!prefix.exists(), "{}", prefix.display());
        assert_eq!(
            fs::read_dir(self.sandbox.root().join("tmp"))
                .unwrap()
                .count(),
            0
        );
    }
}

#[test]
fn install_script_installs_the_program_for_this_machine() {
    let Some(run) = InstallRun::prepare() else {
        return;
    };
    let prefix = run.sandbox.root().join("a prefix with spaces");
    let output = run.install(&prefix);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));

    let program = prefix.join("bin/skillpm");
    let text = String::from_utf8(output.stdout).unwrap();
    let expected = format!(
        "Installed skillpm {VERSION} at {0}\nhelp: add it to your PATH: export PATH=\"{1}:$PATH\"\n",
        program.display(),
        program.parent().unwrap().display()
    );
    assert_eq!(text, expected);
    assert_eq!(fs::read_to_string(&program).unwrap(), PROGRAM);
    assert_eq!(
        fs::metadata(&program).unwrap().permissions().mode() & 0o777,
        0o755
    );
    for file in [
        "share/man/man1/skillpm.1",
        "share/bash-completion/completions/skillpm",
        "share/zsh/site-functions/_skillpm",
        "share/fish/vendor_completions.d/skillpm.fish",
    ] {
        assert!(prefix.join(file).is_file(), "{file}");
    }
    assert_eq!(run.server.requests().len(), 1);
    assert!(run.server.requests()[0].line.contains(HOST));
}

#[test]
fn install_script_replaces_an_older_program() {
    let Some(run) = InstallRun::prepare() else {
        return;
    };
    let prefix = run.sandbox.root().join("prefix");
    fs::create_dir_all(prefix.join("bin")).unwrap();
    fs::write(prefix.join("bin/skillpm"), "old").unwrap();
    assert_eq!(run.install(&prefix).status.code(), Some(0));
    assert_eq!(
        fs::read_to_string(prefix.join("bin/skillpm")).unwrap(),
        PROGRAM
    );
    assert_eq!(fs::read_dir(prefix.join("bin")).unwrap().count(), 1);
}

#[test]
fn install_script_refuses_an_archive_with_a_wrong_digest() {
    let Some(run) = InstallRun::prepare() else {
        return;
    };
    let archive = format!("skillpm-{VERSION}-{HOST}.tar.gz");
    fs::write(run.release.archives.join(archive), "replaced").unwrap();
    let prefix = run.sandbox.root().join("prefix");
    run.refused(
        &run.install(&prefix),
        &prefix,
        "digest of http://127.0.0.1:",
    );
}

#[test]
fn install_script_refuses_a_missing_archive() {
    let Some(run) = InstallRun::prepare() else {
        return;
    };
    fs::remove_file(
        run.release
            .archives
            .join(format!("skillpm-{VERSION}-{HOST}.tar.gz")),
    )
    .unwrap();
    let prefix = run.sandbox.root().join("prefix");
    run.refused(
        &run.install(&prefix),
        &prefix,
        "failed to fetch http://127.0.0.1:",
    );
}

#[test]
fn install_script_refuses_a_machine_without_a_program() {
    let Some(run) = InstallRun::prepare() else {
        return;
    };
    let prefix = run.sandbox.root().join("prefix");
    run.set_machine("Linux", "riscv64");
    run.refused(
        &run.install(&prefix),
        &prefix,
        "no program for Linux on riscv64\n",
    );
    run.set_machine("FreeBSD", "amd64");
    run.refused(&run.install(&prefix), &prefix, "no program for FreeBSD\n");
    assert_eq!(run.server.requests().len(), 0, "nothing was fetched");
}

#[test]
fn install_script_fetches_the_archive_of_the_machine() {
    let Some(run) = InstallRun::prepare() else {
        return;
    };
    let machines = [
        ("Linux", "aarch64", "aarch64-unknown-linux-musl"),
        ("Darwin", "arm64", "aarch64-apple-darwin"),
        ("Darwin", "x86_64", "x86_64-apple-darwin"),
    ];
    for (system, processor, triple) in machines {
        run.set_machine(system, processor);
        let prefix = run.sandbox.root().join(triple);
        let output = run.install(&prefix);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert!(run.server.requests().last().unwrap().line.contains(triple));
    }
}

/// Links those programs of the system that the script needs, and the one that fetches.
fn path_with(run: &InstallRun, name: &str, fetcher: &[&str]) -> String {
    let dir = run.sandbox.root().join(name);
    fs::create_dir(&dir).unwrap();
    let needed = [
        "mktemp",
        "rm",
        "tar",
        "gzip",
        "sha256sum",
        "cut",
        "mkdir",
        "cp",
        "chmod",
        "mv",
        "dirname",
    ];
    for program in needed.iter().chain(fetcher) {
        let found = ["/usr/bin", "/bin"]
            .iter()
            .map(|dir| Path::new(dir).join(program))
            .find(|path| path.exists());
        if let Some(found) = found {
            symlink(found, dir.join(program)).unwrap();
        }
    }
    dir.to_str().unwrap().to_owned()
}

#[test]
fn install_script_works_with_wget_alone() {
    let Some(run) = InstallRun::prepare() else {
        return;
    };
    let path = path_with(&run, "wget-only", &["wget"]);
    if !Path::new(&path).join("wget").exists() {
        crate::support::skipped("there is no `wget`");
        return;
    }
    let prefix = run.sandbox.root().join("prefix");
    let output = run.run(&prefix, &path);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(prefix.join("bin/skillpm").is_file());
}

#[test]
fn install_script_without_curl_and_wget_is_refused() {
    let Some(run) = InstallRun::prepare() else {
        return;
    };
    let path = path_with(&run, "neither", &[]);
    let prefix = run.sandbox.root().join("prefix");
    run.refused(
        &run.run(&prefix, &path),
        &prefix,
        "neither curl nor wget found",
    );
}

#[test]
fn install_script_refuses_a_prefix_that_cannot_be_written() {
    let Some(run) = InstallRun::prepare() else {
        return;
    };
    // A file in the way stops root as well.
    let file = run.sandbox.root().join("file");
    fs::write(&file, "kept").unwrap();
    let output = run.install(&file.join("prefix"));
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).starts_with("error: failed to write to "),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    assert_eq!(run.server.requests().len(), 0, "nothing was fetched");
}

/// A shell that reads the script from a connection that breaks must not run half of it.
#[test]
fn half_an_install_script_does_nothing() {
    let Some(run) = InstallRun::prepare() else {
        return;
    };
    let whole = run.release.read("install.sh");
    let prefix = run.sandbox.root().join("prefix");
    for part in 1..8 {
        let end = whole.len() * part / 8;
        let end = whole.floor_char_boundary(end);
        fs::write(run.release.manifests.join("install.sh"), &whole[..end]).unwrap();
        let _ = run.install(&prefix);
        assert!(!prefix.exists(), "the first {end} bytes");
    }
    assert_eq!(run.server.requests().len(), 0, "nothing was fetched");
}
