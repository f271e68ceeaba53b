//! Registries to publish to, looked at with the real git.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::repo::remove_repository;
use super::sandbox::clean_command;
use super::{Repo, Sandbox};

/// What `config.json` says of an index that keeps its own archives.
const CONFIG: &str = "{\"api-version\":1,\"dl\":\"archives/{name}-{version}.tar.gz\"}\n";

/// An index that can be written: a bare repository, or a directory.
pub(crate) struct Registry {
    root: PathBuf,
    path: PathBuf,
    bare: bool,
}

impl Registry {
    /// An index in the bare repository `repos/NAME`, which serves as big hosts do and takes pushes over HTTP.
    pub(crate) fn bare(sandbox: &Sandbox, name: &str) -> Self {
        let seed = Repo::new(sandbox, &format!("{name}.seed"));
        seed.write("config.json", CONFIG).commit("an index");
        let registry = Self::empty(sandbox, name, "main");
        seed.git(&["push", "-q", registry.path.to_str().unwrap(), "HEAD:main"]);
        registry
    }

    /// A bare repository without a commit, whose HEAD names `branch`.
    pub(crate) fn empty(sandbox: &Sandbox, name: &str, branch: &str) -> Self {
        let path = sandbox.root().join("repos").join(name);
        let registry = Registry {
            root: sandbox.root().to_owned(),
            path,
            bare: true,
        };
        fs::create_dir_all(&registry.path).unwrap();
        registry.git(&["init", "-q", "--bare", "-b", branch]);
        for key in [
            "http.receivepack",
            "uploadpack.allowFilter",
            "uploadpack.allowAnySHA1InWant",
        ] {
            registry.git(&["config", key, "true"]);
        }
        registry
    }

    /// An index in the directory `www/NAME`.
    pub(crate) fn directory(sandbox: &Sandbox, name: &str) -> Self {
        let path = sandbox.root().join("www").join(name);
        let registry = Registry {
            root: sandbox.root().to_owned(),
            path,
            bare: false,
        };
        fs::create_dir_all(&registry.path).unwrap();
        registry.write("config.json", CONFIG)
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its URL on this disk.
    pub(crate) fn url(&self) -> String {
        let scheme = if self.bare { "git+" } else { "" };
        format!("{scheme}{}", super::file_url(&self.path))
    }

    /// Makes it the default registry of the sandbox's home, under the name `acme`.
    pub(crate) fn configure(&self, sandbox: &Sandbox) {
        configure(sandbox, &self.url(), "");
    }

    /// Writes a file of it, past every rule.
    pub(crate) fn write(self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        if !self.bare {
            fs::create_dir_all(self.path.join(path).parent().unwrap()).unwrap();
            fs::write(self.path.join(path), bytes).unwrap();
            return self;
        }
        let clone = self.root.join("tmp/clone");
        self.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
        fs::create_dir_all(clone.join(path).parent().unwrap()).unwrap();
        fs::write(clone.join(path), bytes).unwrap();
        for args in [
            &["add", "-A"][..],
            &["commit", "-q", "-m", "by hand"],
            &["push", "-q", "origin", "HEAD:main"],
        ] {
            run(self.command().current_dir(&clone).args(args));
        }
        remove_repository(&clone);
        self
    }

    /// Every file of it by path: of a repository, those of its `main`.
    pub(crate) fn files(&self) -> Vec<String> {
        if self.bare {
            return self
                .git(&["ls-tree", "-r", "--name-only", "main"])
                .lines()
                .map(str::to_owned)
                .collect();
        }
        let mut files = Vec::new();
        let mut open = vec![String::new()];
        while let Some(prefix) = open.pop() {
            // Somebody may be writing: what has gone again was on its way.
            let Ok(entries) = fs::read_dir(self.path.join(&prefix)) else {
                continue;
            };
            for entry in entries.flatten() {
                let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
                if entry.path().is_dir() {
                    open.push(format!("{path}/"));
                } else {
                    files.push(path);
                }
            }
        }
        files.sort();
        files
    }

    /// The bytes of a file; none if it is not there.
    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        if !self.bare {
            return fs::read(self.path.join(path)).unwrap_or_default();
        }
        self.command()
            .args(["show", &format!("main:{path}")])
            .output()
            .unwrap()
            .stdout
    }

    /// The text of a file; empty if it is not there.
    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }

    /// The lines of all packages, in the order of their files. Each must be whole, and name an archive that is there and
    /// has its digest.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        use sha2::Digest;
        let mut lines = Vec::new();
        for path in self.files() {
            let is_on_its_way = format!("/{path}").contains("/.skillpm-stage-");
            if path == "config.json"
                || path.starts_with("archives/")
                || path.starts_with("owners/")
                || is_on_its_way
            {
                continue;
            }
            let text = self.text(&path);
            assert!(text.ends_with('\n'), "{path} was cut short: {text}");
            for line in text.lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                let (name, vers) = (
                    line["name"].as_str().unwrap(),
                    line["vers"].as_str().unwrap(),
                );
                let archive = self.bytes(&format!("archives/{name}-{vers}.tar.gz"));
                assert_eq!(
                    line["archive"],
                    format!("sha256:{}", hex::encode(sha2::Sha256::digest(archive))),
                    "{line}"
                );
                lines.push(line);
            }
        }
        lines
    }

    /// `NAME VERSION` of every line, sorted.
    #[track_caller]
    pub(crate) fn versions(&self) -> Vec<String> {
        let text = |line: &Value, key: &str| line[key].as_str().unwrap().to_owned();
        let mut versions: Vec<_> = self
            .lines()
            .iter()
            .map(|line| format!("{} {}", text(line, "name"), text(line, "vers")))
            .collect();
        versions.sort();
        versions
    }

    /// Runs git in it; gives its trimmed answer.
    #[track_caller]
    pub(crate) fn git(&self, args: &[&str]) -> String {
        run(self.command().args(args))
    }

    fn command(&self) -> Command {
        let mut git = clean_command("git", &self.root, &self.root.join("home"));
        git.current_dir(&self.path);
        git
    }
}

/// Makes a URL the index of the default registry, `acme`, of the sandbox's home; `more` are further lines of its table.
pub(crate) fn configure(sandbox: &Sandbox, url: &str, more: &str) {
    let text =
        format!("[registries.acme]\nindex = \"{url}\"\n{more}[registry]\ndefault = \"acme\"\n");
    sandbox.write("~/.skillpm/config.toml", text);
}

/// A registry with `acme/pdf` 1.0.0 and 1.1.0.
pub(crate) fn published() -> (Sandbox, Registry) {
    let sandbox = Sandbox::new();
    let registry = Registry::bare(&sandbox, "index.git");
    registry.configure(&sandbox);
    for version in ["1.0.0", "1.1.0"] {
        package(&sandbox, "acme/pdf", version);
        sandbox.skillpm("publish pdf").exits(0);
    }
    (sandbox, registry)
}

/// Writes a skill that is ready to be published, into the directory of its name below the project.
pub(crate) fn package(sandbox: &Sandbox, name: &str, version: &str) {
    package_needing(sandbox, name, version, &[]);
}

/// The same with needs, each as `name = "req"`.
pub(crate) fn package_needing(sandbox: &Sandbox, name: &str, version: &str, needs: &[&str]) {
    let dir = name.rsplit('/').next().unwrap_or(name);
    let described = format!("Does what {dir} does when somebody asks for {dir} by its name.");
    sandbox.write(
        &format!("{dir}/SKILL.md"),
        format!("---\nname: {dir}\ndescription: {described}\nlicense: MIT\n---\n\n# {dir}\n\nWork with care.\n"),
    );
    let needs: String = needs.iter().map(|need| format!("{need}\n")).collect();
    sandbox.write(
        &format!("{dir}/skillpm.toml"),
        format!(
            "[package]\nname = \"{name}\"\nversion = \"{version}\"\nkeywords = [\"{dir}\"]\n\
             repository = \"https://git.example/{dir}\"\n\n[dependencies]\n{needs}"
        ),
    );
}

#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
