//! Indexes: a directory with real archives in it, to be read as one, served by HTTP, or committed to git.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use skillpm::index::{entry_path, owners_path};
use skillpm::io::archive::pack;
use skillpm::package::{Checksum, PackageName, Tree};

use super::{Repo, Sandbox, skill_md};

/// An index in a directory.
///
/// ```text
/// let index = IndexDir::new(&sandbox, "../www/index");      served as sparse+http://127.0.0.1:…/index/
/// let repo = Repo::new(&sandbox, "index");                  the same in a repository's work tree
/// let index = IndexDir::new(&sandbox, "../repos/index");    … to be followed by `repo.commit("…")`
/// index.publish("acme/pdf", "1.2.0", &["acme/base ^1", "shared ^2 https://its.registry/"]);
/// ```
pub(crate) struct IndexDir {
    dir: PathBuf,
}

impl IndexDir {
    /// An empty index in a directory, relative to the sandbox's project; archives go into `archives/`.
    pub(crate) fn new(sandbox: &Sandbox, dir: &str) -> Self {
        let dir = sandbox.path(dir);
        fs::create_dir_all(&dir).unwrap();
        let index = IndexDir {
            dir: dunce::canonicalize(dir).unwrap(),
        };
        index.config(&json!({"api-version": 1, "dl": "archives/{name}-{version}.tar.gz"}));
        index
    }

    /// An index with `acme/pdf`, which needs `acme/base`, committed in a repository.
    pub(crate) fn committed(sandbox: &Sandbox) -> (Repo, Self) {
        let repo = Repo::new(sandbox, "index");
        let index = Self::new(sandbox, "../repos/index");
        index
            .publish("acme/base", "1.0.0", &[])
            .publish("acme/pdf", "1.2.0", &["acme/base ^1"]);
        repo.commit("first");
        (repo, index)
    }

    /// Says this in `config.json`.
    pub(crate) fn config(&self, config: &Value) -> &Self {
        self.write("config.json", format!("{config}\n"))
    }

    /// The directory.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The URL of the directory: `file:///…`.
    pub(crate) fn url(&self) -> String {
        super::file_url(&self.dir)
    }

    /// Names this index `name` in the settings of the project, to be read at `url`.
    pub(crate) fn configure(sandbox: &Sandbox, name: &str, url: &str) {
        let path = ".skillpm/config.toml";
        let before = fs::read_to_string(sandbox.path(path)).unwrap_or_default();
        sandbox.write(
            path,
            format!("{before}[registries.{name}]\nindex = \"{url}\"\n"),
        );
    }

    /// Publishes a version with a `SKILL.md` of its own and, in `notes.md`, its version. What it needs is written
    /// `name req`, or `name req registry`.
    pub(crate) fn publish(&self, name: &str, vers: &str, needs: &[&str]) -> &Self {
        self.publish_with(name, vers, needs, |_| {})
    }

    /// The same, with a last word on the line.
    pub(crate) fn publish_with(
        &self,
        name: &str,
        vers: &str,
        needs: &[&str],
        edit: impl FnOnce(&mut Value),
    ) -> &Self {
        self.publish_tree(name, vers, needs, &tree_of(name, vers), edit)
    }

    /// The same, with files of the caller's choosing.
    pub(crate) fn publish_tree(
        &self,
        name: &str,
        vers: &str,
        needs: &[&str],
        tree: &Tree,
        edit: impl FnOnce(&mut Value),
    ) -> &Self {
        let parsed: PackageName = name.parse().unwrap();
        let archive = pack(tree, &format!("{}-{vers}", parsed.skill())).unwrap();
        let mut entry = json!({
            "name": name,
            "vers": vers,
            "deps": needs.iter().map(|needed| need(needed)).collect::<Vec<Value>>(),
            "cksum": Checksum::from_tree(tree).to_string(),
            "archive": format!("sha256:{}", hex::encode(Sha256::digest(&archive))),
            "yanked": false,
            "description": format!("Does {name}."),
            "v": 1,
        });
        edit(&mut entry);
        self.write(&format!("archives/{name}-{vers}.tar.gz"), archive);
        let text = self.text(name);
        self.write(&entry_path(&parsed), format!("{text}{entry}\n"))
    }

    /// Withdraws a version.
    #[track_caller]
    pub(crate) fn yank(&self, name: &str, vers: &str) -> &Self {
        self.rewrite(name, vers, |entry| entry["yanked"] = true.into())
    }

    /// Says of a version something else than before, which no index should.
    #[track_caller]
    pub(crate) fn rewrite(&self, name: &str, vers: &str, edit: impl FnOnce(&mut Value)) -> &Self {
        let mut lines: Vec<Value> = self
            .text(name)
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let at = lines.iter().position(|entry| entry["vers"] == vers);
        assert!(
            at.is_some(),
            "`{name} {vers}` is not in {}",
            self.dir.display()
        );
        edit(&mut lines[at.unwrap()]);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.write(&entry_path(&name.parse().unwrap()), text)
    }

    /// Says who may publish in the scope of a name.
    pub(crate) fn owned_by(&self, name: &str, owners: &[&str]) -> &Self {
        self.write(
            &owners_path(&name.parse().unwrap()),
            format!("owners = {}\n", json!(owners)),
        )
    }

    /// The lines about a package; none if it has none.
    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.file(name)).unwrap_or_default()
    }

    /// The line about a version.
    #[track_caller]
    pub(crate) fn entry(&self, name: &str, vers: &str) -> Value {
        let text = self.text(name);
        let mut entries = text
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let found = entries.find(|entry| entry["vers"] == vers);
        assert!(
            found.is_some(),
            "`{name} {vers}` is not in {}",
            self.dir.display()
        );
        found.unwrap_or_default()
    }

    /// The file about a package.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.dir.join(entry_path(&name.parse().unwrap()))
    }

    /// The archive of a version.
    pub(crate) fn archive(&self, name: &str, vers: &str) -> PathBuf {
        self.dir.join(format!("archives/{name}-{vers}.tar.gz"))
    }

    /// Writes a file of the index.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }
}

/// Flips one bit in the middle of a file.
pub(crate) fn flip_a_bit(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
}

fn need(written: &str) -> Value {
    let mut words = written.split(' ');
    let mut needed = json!({"name": words.next().unwrap(), "req": words.next().unwrap()});
    if let Some(registry) = words.next() {
        needed["registry"] = registry.into();
    }
    needed
}

fn tree_of(name: &str, vers: &str) -> Tree {
    let mut tree = Tree::builder();
    tree.add(
        "SKILL.md",
        skill_md(name, &format!("Does {name}.")).into_bytes(),
        false,
    )
    .unwrap();
    tree.add(
        "notes.md",
        format!("This is version {vers}.\n").into_bytes(),
        false,
    )
    .unwrap();
    tree.finish()
}

#[test]
fn published_package_installs_and_a_yanked_one_does_not() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    index
        .publish("acme/base", "1.0.0", &[])
        .publish("acme/pdf", "1.2.0", &["acme/base ^1"]);
    IndexDir::configure(&sandbox, "acme", &index.url());
    index.owned_by("acme/pdf", &["alice@acme.dev"]);
    assert!(index.dir().join("owners/acme.toml").exists());
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    sandbox.has([".agents/skills/base/SKILL.md"]);
    sandbox.reads(".agents/skills/pdf/notes.md", "This is version 1.2.0.\n");
    index.yank("acme/pdf", "1.2.0");
    assert_eq!(index.entry("acme/pdf", "1.2.0")["yanked"], true);
    sandbox.delete("skillpm.lock");
    sandbox
        .skillpm("install")
        .exits(1)
        .explains(["`1.2.0` was yanked"]);
}
