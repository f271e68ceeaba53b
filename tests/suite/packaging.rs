//! `packaging/`: the archives of a release and what is made from them, each from one version and one table of targets. The program
//! in these archives is a script; `.ci/packages` installs packages with the real one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::names::root;
use crate::support::{Sandbox, assert_powershell_parses, skipped, test_tools};

mod crates;
mod install_script;
mod npm_launcher;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The triple of this machine's archive.
const HOST: &str = "x86_64-unknown-linux-musl";

/// The archives of a release with their `SHA256SUMS`, in `www`, which a server serves.
pub(crate) struct Release {
    pub(crate) archives: PathBuf,
    /// What `packaging/manifests.py` wrote.
    pub(crate) manifests: PathBuf,
}

impl Release {
    /// Makes a release whose program is this shell script; `None`, and a skipped test, without a Python that can.
    pub(crate) fn make(sandbox: &Sandbox, program: &str) -> Option<Release> {
        let works = Command::new("python3")
            .args(["-c", "import tomllib"])
            .output()
            .is_ok_and(|output| output.status.success());
        if !works {
            skipped("there is no Python 3.11, which the scripts of `packaging` need");
            return None;
        }

        let release = Release {
            archives: sandbox.root().join("www"),
            manifests: sandbox.root().join("manifests"),
        };
        sandbox.write("program", program);
        for target in targets() {
            let triple = target["triple"].as_str().unwrap();
            let program = sandbox.path("program");
            release.run("archive.py", &[triple, program.to_str().unwrap()]);
        }
        release.run("checksums.py", &[]);
        let made = release.script("manifests.py", &[release.archives(), release.manifests()]);
        assert!(made.status.success(), "{}", stderr(&made));
        Some(release)
    }

    fn archives(&self) -> &str {
        self.archives.to_str().unwrap()
    }

    fn manifests(&self) -> &str {
        self.manifests.to_str().unwrap()
    }

    /// Runs a script whose last argument is the directory of the archives.
    #[track_caller]
    fn run(&self, script: &str, arguments: &[&str]) {
        let arguments = [arguments, &[self.archives()]].concat();
        let output = self.script(script, &arguments);
        assert!(output.status.success(), "{script}: {}", stderr(&output));
    }

    fn script(&self, script: &str, arguments: &[&str]) -> Output {
        Command::new(root().join("packaging").join(script))
            .args(arguments)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env_remove("SOURCE_DATE_EPOCH")
            .current_dir(self.archives.parent().unwrap())
            .output()
            .unwrap()
    }

    /// What one of the manifests says.
    #[track_caller]
    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.manifests.join(name)).unwrap()
    }

    /// The digests in `SHA256SUMS`, with the names of their archives.
    fn digests(&self) -> Vec<(String, String)> {
        let sums = fs::read_to_string(self.archives.join("SHA256SUMS")).unwrap();
        sums.lines()
            .map(|line| line.split_once("  ").unwrap())
            .map(|(digest, name)| (name.to_owned(), digest.to_owned()))
            .collect()
    }
}

/// The rows of `packaging/targets.toml`.
fn targets() -> Vec<toml::Value> {
    let text = fs::read_to_string(root().join("packaging/targets.toml")).unwrap();
    let table: toml::Table = text.parse().unwrap();
    table["target"].as_array().unwrap().clone()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A program of `.ci/run`'s tools, or of the system; `None`, and a skipped test, without it.
pub(crate) fn find_tool(in_tools: &str, on_system: &str) -> Option<PathBuf> {
    let tool = test_tools(in_tools);
    let found = [tool, PathBuf::from(on_system)]
        .into_iter()
        .find(|path| path.is_file());
    if found.is_none() {
        skipped(&format!(
            "there is no `{}`; `.ci/run` installs it",
            Path::new(in_tools).file_name().unwrap().display()
        ));
    }
    found
}

#[test]
fn workspace_crates_depend_on_the_version_of_the_workspace() {
    let text = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let manifest: toml::Table = text.parse().unwrap();
    let dependencies = manifest["workspace"]["dependencies"].as_table().unwrap();
    let own = dependencies
        .iter()
        .filter(|(name, _)| name.starts_with("skillpm-"));

    let mut count = 0;
    for (name, dependency) in own {
        assert_eq!(dependency["version"].as_str(), Some(VERSION), "{name}");
        count += 1;
    }
    assert_eq!(count, fs::read_dir(root().join("crates")).unwrap().count());
}

/// A crate without its licenses must not be distributed; the link is followed when it is packed.
#[test]
fn every_crate_has_the_licenses_and_the_index_that_it_embeds() {
    for dir in fs::read_dir(root().join("crates")).unwrap() {
        let dir = dir.unwrap().path();
        for license in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let own = fs::read(dir.join(license)).unwrap();
            assert_eq!(
                own,
                fs::read(root().join(license)).unwrap(),
                "{}",
                dir.display()
            );
        }
    }
    assert!(
        root()
            .join("crates/registry/registry-index/config.json")
            .is_file()
    );
}

#[test]
fn every_manifest_has_the_version_and_the_digest_of_its_archive() {
    let sandbox = Sandbox::new();
    let Some(release) = Release::make(&sandbox, "#!/bin/sh\n") else {
        return;
    };
    let digests = release.digests();
    assert_eq!(digests.len(), targets().len());

    let yaml = |name: &str| -> Value { serde_yaml::from_str(&release.read(name)).unwrap() };
    for name in ["", ".installer", ".locale.en-US"] {
        let manifest = yaml(&format!("winget/Skillpm.Skillpm{name}.yaml"));
        assert_eq!(manifest["PackageIdentifier"], "Skillpm.Skillpm");
        assert_eq!(manifest["PackageVersion"], VERSION, "{name}");
    }
    let scoop: Value = serde_json::from_str(&release.read("skillpm.json")).unwrap();
    assert_eq!(scoop["version"], VERSION);
    assert!(
        release
            .read("skillpm.rb")
            .contains(&format!("  version \"{VERSION}\"\n"))
    );
    assert!(
        release
            .read("install.sh")
            .contains(&format!("\nversion={VERSION}\n"))
    );
    assert!(
        release
            .read("install.ps1")
            .contains(&format!("\n$Version = '{VERSION}'\n"))
    );

    for (name, digest) in digests {
        let url = format!("/releases/download/v{VERSION}/{name}");
        let is_windows = name.contains("-windows-");
        let (in_formula, in_script) = (release.read("skillpm.rb"), release.read("install.sh"));
        assert_eq!(
            in_formula.contains(&format!("{url}\"\n      sha256 \"{digest}\"")),
            !is_windows,
            "{name}"
        );
        assert_eq!(in_script.contains(&digest), !is_windows, "{name}");
        if is_windows {
            let installer = &yaml("winget/Skillpm.Skillpm.installer.yaml")["Installers"][0];
            let scoop = &scoop["architecture"]["64bit"];
            assert_eq!(
                (&installer["InstallerSha256"], &scoop["hash"]),
                (&digest.clone().into(), &digest.clone().into())
            );
            assert!(installer["InstallerUrl"].as_str().unwrap().ends_with(&url));
            assert!(scoop["url"].as_str().unwrap().ends_with(&url));
            assert!(release.read("install.ps1").contains(&format!("'{digest}'")));
        }
    }
}

#[test]
fn archive_that_does_not_match_its_checksum_is_refused() {
    let sandbox = Sandbox::new();
    let Some(release) = Release::make(&sandbox, "#!/bin/sh\n") else {
        return;
    };
    let name = format!("skillpm-{VERSION}-{HOST}.tar.gz");
    fs::write(release.archives.join(&name), "replaced").unwrap();
    let output = release.script("manifests.py", &[release.archives(), release.manifests()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with(&format!("error: `{name}` has the digest ")));

    fs::remove_file(release.archives.join(&name)).unwrap();
    let output = release.script("checksums.py", &[release.archives()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("error: no archive "));
}

#[test]
fn same_program_gives_the_same_archives() {
    let (one, other) = (Sandbox::new(), Sandbox::new());
    let Some(first) = Release::make(&one, "#!/bin/sh\n") else {
        return;
    };
    let second = Release::make(&other, "#!/bin/sh\n").unwrap();
    assert_eq!(first.digests(), second.digests());
}

#[test]
fn formula_is_valid_ruby_with_one_archive_for_each_machine() {
    let Some(ruby) = find_tool("ruby", "/usr/bin/ruby") else {
        return;
    };
    let sandbox = Sandbox::new();
    let Some(release) = Release::make(&sandbox, "#!/bin/sh\n") else {
        return;
    };
    // As much of Homebrew's language as the formula uses, for each of the four machines.
    let homebrew = r##"
        class Formula
          def self.method_missing(name, value = nil, &block)
            return (instance_eval(&block) if [$system, $processor].include?(name)) if name.start_with?("on_")
            $values[name] = value unless block
          end
          def self.test; end
        end
        %i[on_macos on_linux].product(%i[on_arm on_intel]).each do |$system, $processor|
          $values = {}
          Object.send(:remove_const, :Skillpm) if defined?(Skillpm)
          load ARGV[0]
          puts "#{$values[:sha256]}  #{File.basename($values[:url])}"
        end
    "##
    .replace("|$system, $processor|", "|pair| $system, $processor = pair");
    let output = Command::new(ruby)
        .args(["-e", &homebrew, "--"])
        .arg(release.manifests.join("skillpm.rb"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));

    let mut lines: Vec<String> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(str::to_owned)
        .collect();
    lines.sort();
    let mut expected: Vec<String> = release
        .digests()
        .into_iter()
        .filter(|(name, _)| name.ends_with(".tar.gz"))
        .map(|(name, digest)| format!("{digest}  {name}"))
        .collect();
    expected.sort();
    assert_eq!(lines, expected);
}

#[test]
fn installer_for_windows_parses() {
    let sandbox = Sandbox::new();
    let Some(release) = Release::make(&sandbox, "#!/bin/sh\n") else {
        return;
    };
    let script = fs::read_to_string(release.manifests.join("install.ps1")).unwrap();
    assert_powershell_parses(&script);
}

#[test]
fn shell_scripts_pass_shellcheck() {
    let Some(shellcheck) = find_tool("shellcheck", "/usr/bin/shellcheck") else {
        return;
    };
    let sandbox = Sandbox::new();
    let Some(release) = Release::make(&sandbox, "#!/bin/sh\n") else {
        return;
    };
    let output = Command::new(shellcheck)
        .arg(release.manifests.join("install.sh"))
        .args(["packaging/wheel.sh", "packaging/deb.sh", ".ci/packages"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}
