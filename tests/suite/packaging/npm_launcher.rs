//! The launcher of the npm package, in the packages as npm packs them: it ends as the program ends.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::fs;
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::{HOST, Release, VERSION, stderr};
use crate::support::{Sandbox, skipped};

/// `exit N`, `die SIGNAL`, `cat`, `wait`, or else its arguments, one a line.
const PROGRAM: &str = r#"#!/bin/sh
case $1 in
exit) exit "$2" ;;
die) kill -s "$2" $$ ;;
cat) cat; echo "to stderr" >&2 ;;
wait) trap 'echo stopped; exit 7' TERM INT; echo ready; while :; do sleep 0.05; done ;;
*) printf '[%s]\n' "$@" ;;
esac
"#;

struct NpmInstall {
    sandbox: Sandbox,
    modules: PathBuf,
}

impl NpmInstall {
    /// Packs both packages and unpacks them as npm does; `None`, and a skipped test, without npm.
    fn prepare() -> Option<NpmInstall> {
        let has_npm = Command::new("npm")
            .arg("--version")
            .output()
            .is_ok_and(|output| output.status.success());
        if !has_npm {
            skipped("there is no `npm`");
            return None;
        }
        let sandbox = Sandbox::new();
        let release = Release::make(&sandbox, PROGRAM)?;
        let packages = sandbox.root().join("npm");
        let packed = release.script(
            "npm.py",
            &[
                "--only",
                HOST,
                release.archives(),
                packages.to_str().unwrap(),
            ],
        );
        assert!(packed.status.success(), "{}", stderr(&packed));

        let modules = sandbox.root().join("node_modules/@skillpm");
        for name in ["cli", "cli-linux-x64"] {
            let dir = modules.join(name);
            fs::create_dir_all(&dir).unwrap();
            let unpacked = Command::new("tar")
                .args([
                    "-xzf",
                    &format!("skillpm-{name}-{VERSION}.tgz"),
                    "--strip-components=1",
                    "-C",
                ])
                .arg(&dir)
                .current_dir(&packages)
                .status();
            assert!(unpacked.unwrap().success());
        }
        Some(NpmInstall { sandbox, modules })
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("node");
        command
            .arg(self.modules.join("cli/bin/skillpm.js"))
            .args(arguments)
            .current_dir(self.sandbox.path("."));
        command
    }
}

#[test]
fn launcher_passes_arguments_streams_and_exit_codes() {
    let Some(install) = NpmInstall::prepare() else {
        return;
    };
    let output = install
        .command(&["", "a b", "--", "$HOME", "é"])
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "[]\n[a b]\n[--]\n[$HOME]\n[é]\n"
    );

    for code in [0, 1, 3, 255] {
        let output = install
            .command(&["exit", &code.to_string()])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(code));
    }

    let mut child = install
        .command(&["cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"from stdin\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.stdout.as_slice(), stderr(&output).as_str()),
        (b"from stdin\n".as_slice(), "to stderr\n")
    );
}

#[test]
fn launcher_ends_by_the_signal_that_ended_the_program() {
    let Some(install) = NpmInstall::prepare() else {
        return;
    };
    for (name, number) in [("KILL", 9), ("TERM", 15), ("INT", 2)] {
        let output = install.command(&["die", name]).output().unwrap();
        assert_eq!(
            output.status.signal(),
            Some(number),
            "{name}: {:?}",
            output.status
        );
    }
}

#[test]
fn launcher_passes_signals_to_the_program() {
    let Some(install) = NpmInstall::prepare() else {
        return;
    };
    for signal in ["TERM", "INT"] {
        let mut child = install
            .command(&["wait"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut ready = [0; 6];
        std::io::Read::read_exact(&mut stdout, &mut ready).unwrap();
        assert_eq!(&ready, b"ready\n");

        let sent = Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut stdout, &mut rest).unwrap();
        assert_eq!(
            (rest.as_str(), child.wait().unwrap().code()),
            ("stopped\n", Some(7)),
            "{signal}"
        );
    }
}

#[test]
fn launcher_without_the_package_of_the_machine_is_an_error_with_help() {
    let Some(install) = NpmInstall::prepare() else {
        return;
    };
    fs::remove_dir_all(install.modules.join("cli-linux-x64")).unwrap();
    let output = install.command(&["--version"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(
        text.starts_with(
            "error: package `@skillpm/cli-linux-x64` not found beside `@skillpm/cli` in "
        ),
        "{text}"
    );
    assert!(
        text.ends_with(&format!(
            "help: npm install --include=optional @skillpm/cli@{VERSION}\n"
        )),
        "{text}"
    );
}

#[test]
fn main_npm_package_names_the_packages_of_all_targets_by_its_version() {
    let Some(install) = NpmInstall::prepare() else {
        return;
    };
    let read = |name: &str| -> serde_json::Value {
        let text = fs::read_to_string(install.modules.join(name).join("package.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let main = read("cli");
    assert_eq!(main["version"], VERSION);
    let optional = main["optionalDependencies"].as_object().unwrap();
    let expected: Vec<String> = super::targets()
        .iter()
        .map(|target| {
            format!(
                "@skillpm/cli-{}-{}",
                target["os"].as_str().unwrap(),
                target["cpu"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(optional.keys().cloned().collect::<Vec<_>>(), expected);
    assert!(optional.values().all(|version| version == VERSION));

    let platform = read("cli-linux-x64");
    assert_eq!(platform["version"], VERSION);
    assert_eq!(
        (&platform["os"][0], &platform["cpu"][0]),
        (&"linux".into(), &"x64".into())
    );
    assert!(main.get("scripts").is_none() && platform.get("scripts").is_none());
}
