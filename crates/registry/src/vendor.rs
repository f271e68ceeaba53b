//! Packages that are kept in a project's own repository, and stand in there for their sources.
//!
//! ```text
//! vendor/
//! ├── .gitattributes      git changes no byte of what is here,
//! ├── .gitignore          and leaves nothing of it out
//! ├── .skillpmignore      none of it is part of a package around it
//! ├── pdf/SKILL.md …      the files of a package, as its source holds them
//! └── pdf.json            what they are: see [`Record`]
//! ```
//!
//! `pdf.json` stands beside the files, which are their author's. Files that git itself would obey (`.gitignore`,
//! `.gitattributes`) are kept in it instead: left where they stand, they could keep their neighbours out of a commit, or
//! have them changed.
//!
//! What is read from here is held against the record, which can name the file that was changed, and then against the
//! lockfile, which alone decides.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use semver::Version;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::io::disk;
use crate::lockfile::Locked;
use crate::package::{Checksum, PackageName, RelPath, Sha256, SourceId, Tree};

/// The files that stand in every such directory, with their texts.
pub const OWN_FILES: [(&str, &str); 3] = [
    (
        ".gitattributes",
        "# Written by skillpm: checksums hold these files byte for byte.\n* -text -filter -ident -working-tree-encoding linguist-vendored\n",
    ),
    (".gitignore", "# Written by skillpm: all of this belongs to the repository.\n!*\n"),
    (".skillpmignore", "# Written by skillpm: none of this is part of a package.\n*\n"),
];

/// Names of files that git would obey.
const OBEYED: [&str; 2] = [".gitattributes", ".gitignore"];

const VERSION: u32 = 1;

/// What a directory of files is: the text of the file beside it.
///
/// ```json
/// {
///   "v": 1,
///   "name": "acme/pdf",
///   "version": "1.2.0",
///   "source": "git+https://github.com/acme/skills?tag=v1.2.0#6838e77d0c5b1f3a…",
///   "path": "skills/pdf",
///   "checksum": "skill-tree-v1:9f2c…",
///   "files": {"SKILL.md": "01be…", "scripts/run.sh": "77aa…"},
///   "executable": ["scripts/run.sh"],
///   "aside": {"scripts/.gitignore": "*.pyc\n"}
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    v: u32,
    /// The package's name at its source.
    pub name: PackageName,
    /// Its version; `None` where the source states none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// Where it came from, as the lockfile says it.
    pub source: String,
    /// The directory inside a git source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<RelPath>,
    /// What the source holds.
    pub checksum: Checksum,
    /// The digest of each file that stands beside the record.
    files: BTreeMap<RelPath, Sha256>,
    /// Those that may be run: a file system or a setting of git may forget that.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    executable: BTreeSet<RelPath>,
    /// Files that do not stand beside it, with their content.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    aside: BTreeMap<RelPath, Content>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

impl Content {
    fn of(bytes: &[u8]) -> Content {
        String::from_utf8(bytes.to_vec()).map_or_else(|_| Content::Bytes(bytes.to_vec()), Content::Text)
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            Content::Text(text) => text.into_bytes(),
            Content::Bytes(bytes) => bytes,
        }
    }
}

impl Record {
    /// The record of a package with these files.
    #[must_use]
    pub fn of(locked: &Locked, tree: &Tree) -> Record {
        let is_aside = |path: &RelPath| OBEYED.contains(&path.file_name());
        let (aside, files): (Vec<_>, Vec<_>) = tree.files().partition(|(path, _)| is_aside(path));
        let commit = locked.commit.as_ref().map(|commit| format!("#{commit}")).unwrap_or_default();
        Record {
            v: VERSION,
            name: locked.name.clone(),
            version: locked.version.clone(),
            source: format!("{}{commit}", locked.source),
            path: locked.path.clone(),
            checksum: Checksum::of(tree),
            files: files.iter().map(|(path, file)| ((*path).clone(), Sha256::of(&file.bytes))).collect(),
            executable: tree.files().filter(|(_, file)| file.executable).map(|(path, _)| path.clone()).collect(),
            aside: aside.into_iter().map(|(path, file)| (path.clone(), Content::of(&file.bytes))).collect(),
        }
    }

    /// The record in a text; `None` if it is another text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Record> {
        serde_json::from_str::<Record>(text).ok().filter(|record| record.v == VERSION)
    }

    /// The text of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("names and digests make JSON");
        text.push('\n');
        text
    }

    /// `acme/pdf 1.2.0`
    #[must_use]
    pub fn reference(&self) -> String {
        match &self.version {
            Some(version) => format!("{} {version}", self.name),
            None => self.name.to_string(),
        }
    }

    /// The files of the package that stand beside the record.
    #[must_use]
    pub fn beside(&self, tree: &Tree) -> Tree {
        let mut beside = Tree::builder();
        for (path, file) in tree.files().filter(|(path, _)| self.files.contains_key(*path)) {
            beside.add(path.as_str(), file.bytes.clone(), file.executable).expect("a part of a tree is a tree");
        }
        beside.finish()
    }

    /// The package, of what stands beside the record; or how that is not what was put there.
    ///
    /// # Errors
    /// What was changed, added or removed, each as `changed SKILL.md`.
    pub fn whole(&self, beside: Tree) -> Result<Tree, Vec<String>> {
        let mut differences = Vec::new();
        let mut whole = Tree::builder();
        for path in self.files.keys().filter(|path| beside.get(path.as_str()).is_none()) {
            differences.push(format!("missing {path}"));
        }
        for (path, file) in beside.into_files() {
            match self.files.get(&path) {
                None => differences.push(format!("added {path}")),
                Some(digest) if *digest != Sha256::of(&file.bytes) => differences.push(format!("changed {path}")),
                Some(_) => self.add(&mut whole, &path, file.bytes, &mut differences),
            }
        }
        for (path, content) in &self.aside {
            self.add(&mut whole, path, content.clone().into_bytes(), &mut differences);
        }
        if differences.is_empty() { Ok(whole.finish()) } else { Err(differences) }
    }

    fn add(&self, tree: &mut crate::package::TreeBuilder, path: &RelPath, bytes: Vec<u8>, faults: &mut Vec<String>) {
        if let Err(error) = tree.add(path.as_str(), bytes, self.executable.contains(path)) {
            faults.push(error.message().to_owned());
        }
    }
}

/// A package in a directory of such packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name of its directory, and of the record beside that, but for the `.json`.
    pub name: String,
    /// What it is.
    pub record: Record,
    /// The text of its record.
    pub text: String,
}

/// A directory that holds packages for a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directory {
    /// Where it is.
    pub dir: PathBuf,
    /// As people know it.
    pub shown: String,
    /// The project whose settings say so: it stands in for nothing outside of that. `None` where a person's own say so.
    pub of: Option<PathBuf>,
}

impl Directory {
    /// All packages in it, by the names of their directories; none if it is not there.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for file in disk::names(&self.dir)? {
            let Some(name) = file.strip_suffix(".json") else { continue };
            // A file that is none of ours may be anything.
            let bytes = disk::read(&self.dir.join(&file)).ok().flatten().unwrap_or_default();
            let Ok(text) = String::from_utf8(bytes) else { continue };
            if let Some(record) = Record::parse(&text) {
                entries.push(Entry { name: name.to_owned(), record, text });
            }
        }
        Ok(entries)
    }

    /// Whether it was made by skillpm, as the files in it that are no package's show.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn is_made(&self) -> Result<bool> {
        for (name, text) in OWN_FILES {
            if disk::read(&self.dir.join(name))?.is_some_and(|bytes| bytes == text.as_bytes()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The files of packages as the lockfile has them; or why not: one is not there, or not what was put there.
    #[must_use]
    pub fn restore(&self, packages: &[&Locked]) -> Vec<Result<Tree>> {
        let entries = match self.entries() {
            Ok(entries) => entries,
            Err(error) => return packages.iter().map(|_| Err(error.clone())).collect(),
        };
        packages.iter().map(|locked| self.restore_one(locked, &entries)).collect()
    }

    fn restore_one(&self, locked: &Locked, entries: &[Entry]) -> Result<Tree> {
        let checksum = locked.upstream();
        match entries.iter().find(|entry| entry.record.checksum == checksum) {
            Some(entry) => self.read(entry)?.map_err(|differences| self.edited(entry, &differences)),
            None => Err(self.lacks(locked, entries)),
        }
    }

    /// The files of an entry, whole; or how what stands there is not what was put there.
    ///
    /// # Errors
    /// If it cannot be read, or is no package any more.
    pub fn read(&self, entry: &Entry) -> Result<Result<Tree, Vec<String>>> {
        let place = self.place(&entry.name);
        if disk::lstat(&place)?.is_none() {
            let is_whole_aside = entry.record.files.is_empty();
            return Ok(if is_whole_aside { entry.record.whole(Tree::default()) } else { Err(vec!["missing".into()]) });
        }
        let beside = disk::read_tree(&place).map_err(|error| {
            error
                .wrap(format!("`{}` of {} was changed", self.show(&entry.name), entry.record.reference()))
                .help("nothing was installed; `skillpm vendor` writes it anew")
        })?;
        Ok(entry.record.whole(beside))
    }

    /// Where the files of an entry stand.
    #[must_use]
    pub fn place(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Where its record stands.
    #[must_use]
    pub fn record_place(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.json"))
    }

    /// An entry's directory as people know it.
    #[must_use]
    pub fn show(&self, name: &str) -> String {
        format!("{}/{name}", self.shown)
    }

    /// Whether it stands in for the sources of a project in `root`.
    #[must_use]
    pub fn serves(&self, root: &Path) -> bool {
        self.of.as_ref().is_none_or(|project| root.starts_with(project))
    }

    /// It cannot be asked what a source has.
    #[must_use]
    pub fn has_no_choice(&self, source: &SourceId) -> Error {
        Error::negative(format!(
            "{} cannot be asked: it is replaced with the directory `{}`",
            source.place(),
            self.shown
        ))
        .note("that has what is locked, and no other versions")
        .help("with `--config vendor.use=false` it is asked itself; `skillpm vendor` then takes what was decided")
    }

    fn edited(&self, entry: &Entry, differences: &[String]) -> Error {
        let place = self.show(&entry.name);
        let error = Error::integrity(format!("`{place}` is not `{}` any more", entry.record.reference()));
        let error = differences.iter().take(5).fold(error, |error, difference| error.note(difference.clone()));
        let more = differences.len().saturating_sub(5);
        let error = if more > 0 { error.note(format!("and {more} more")) } else { error };
        error.help("nothing was installed; `skillpm vendor` writes it anew, and keeps what is there aside")
    }

    fn lacks(&self, locked: &Locked, entries: &[Entry]) -> Error {
        let error = Error::negative(format!("`{}` has no `{}`", self.shown, locked.reference()));
        let same = entries.iter().filter(|entry| entry.record.name == locked.name);
        let error = same.fold(error, |error, entry| {
            let record = &entry.record;
            error.note(format!("`{}` is {}, {}", self.show(&entry.name), record.reference(), record.checksum))
        });
        error.note(format!("locked  {}", locked.upstream())).help("nothing was installed; `skillpm vendor` brings it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Tree {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", b"---\nname: pdf\n".to_vec(), false).unwrap();
        tree.add("scripts/run.sh", b"#!/bin/sh\n".to_vec(), true).unwrap();
        tree.add("scripts/.gitignore", b"*\n".to_vec(), false).unwrap();
        tree.add(".gitattributes", vec![0xff, 0], false).unwrap();
        tree.finish()
    }

    fn locked() -> Locked {
        let source = "git+https://h/r?tag=v1.2.0".parse().unwrap();
        Locked {
            version: Some(Version::new(1, 2, 0)),
            commit: Some("0123456789".repeat(4)),
            ..Locked::new("acme/pdf".parse().unwrap(), source, Checksum::of(&tree()))
        }
    }

    #[test]
    fn what_git_would_obey_is_kept_aside_and_comes_back() {
        let record = Record::of(&locked(), &tree());
        let beside = record.beside(&tree());
        let paths: Vec<&str> = beside.files().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["SKILL.md", "scripts/run.sh"]);
        let record = Record::parse(&record.to_text()).unwrap();
        assert_eq!(record.whole(beside).unwrap(), tree());
    }

    #[test]
    fn a_forgotten_executable_bit_comes_back_and_every_edit_is_named() {
        let record = Record::of(&locked(), &tree());
        let mut beside = Tree::builder();
        beside.add("SKILL.md", b"---\nname: pdf\n".to_vec(), true).unwrap();
        beside.add("scripts/run.sh", b"#!/bin/sh\n".to_vec(), false).unwrap();
        assert_eq!(record.whole(beside.finish()).unwrap(), tree());
        let mut edited = Tree::builder();
        edited.add("SKILL.md", b"x".to_vec(), false).unwrap();
        edited.add("more.md", b"x".to_vec(), false).unwrap();
        let differences = record.whole(edited.finish()).unwrap_err();
        assert_eq!(differences, ["missing scripts/run.sh", "changed SKILL.md", "added more.md"]);
    }

    #[test]
    fn another_text_or_a_newer_one_is_no_record() {
        let text = Record::of(&locked(), &tree()).to_text();
        assert!(Record::parse("{}").is_none());
        assert!(Record::parse(&text.replace("\"v\": 1", "\"v\": 2")).is_none());
    }

    #[test]
    fn a_directory_serves_the_project_that_says_so_and_those_within_it() {
        let mut directory = Directory { dir: "/p/vendor".into(), shown: "vendor".into(), of: Some("/p".into()) };
        assert!(directory.serves(Path::new("/p")) && directory.serves(Path::new("/p/inner")));
        assert!(!directory.serves(Path::new("/home/.skillpm")));
        directory.of = None;
        assert!(directory.serves(Path::new("/home/.skillpm")));
    }
}
