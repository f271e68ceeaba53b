//! Vendored packages: copies in a project's own repository, which are used instead of their sources.
//!
//! ```text
//! vendor/
//! ├── .gitattributes      git changes no byte of these files,
//! ├── .gitignore          and ignores none of them
//! ├── .skillpmignore      none of them is part of a package around them
//! ├── pdf/SKILL.md …      the files of a package, as its source has them
//! └── pdf.json            the record of these files: see [`VendorRecord`]
//! ```
//!
//! `pdf.json` is beside the package's directory and not in it, which is the author's. Files that git itself would obey
//! (`.gitignore`, `.gitattributes`) are kept in the record instead: in the directory they could exclude their neighbors
//! from a commit, or have git change them.
//!
//! Files read from here are checked against the record, which can name the changed file, and then against the checksum
//! in the lockfile, which alone decides.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use semver::Version;
use serde::{Deserialize, Serialize};

use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{Checksum, PackageName, RelPath, Sha256Digest, SourceId, Tree};
use skillpm_io::disk;

/// The files that `skillpm vendor` writes into every such directory, with their texts.
pub const GENERATED_FILES: [(&str, &str); 3] = [
    (
        ".gitattributes",
        "# Written by skillpm: checksums hold these files byte for byte.\n* -text -filter -ident -working-tree-encoding linguist-vendored\n",
    ),
    (
        ".gitignore",
        "# Written by skillpm: all of this belongs to the repository.\n!*\n",
    ),
    (
        ".skillpmignore",
        "# Written by skillpm: none of this is part of a package.\n*\n",
    ),
];

/// Names of files that git would obey.
const GIT_CONTROL_FILES: [&str; 2] = [".gitattributes", ".gitignore"];

const VERSION: u32 = 1;

/// The record of a vendored package, `NAME.json` beside its directory.
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
pub struct VendorRecord {
    v: u32,
    /// The package's name at its source.
    pub name: PackageName,
    /// Its version; `None` where the source states none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// Where it came from, as the lockfile writes it.
    pub source: String,
    /// The directory inside a git source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<RelPath>,
    /// The checksum of the package at its source.
    pub checksum: Checksum,
    /// The digest of each file in the package's directory.
    files: BTreeMap<RelPath, Sha256Digest>,
    /// Files with the executable bit, which a file system or a setting of git may drop.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    executable: BTreeSet<RelPath>,
    /// Files that are only in the record, with their content.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    aside: BTreeMap<RelPath, AsideContent>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
enum AsideContent {
    Text(String),
    Bytes(Vec<u8>),
}

impl AsideContent {
    fn from_bytes(bytes: &[u8]) -> AsideContent {
        // As text if it is one, so that a review of the record can read it.
        String::from_utf8(bytes.to_vec())
            .map_or_else(|_| AsideContent::Bytes(bytes.to_vec()), AsideContent::Text)
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            AsideContent::Text(text) => text.into_bytes(),
            AsideContent::Bytes(bytes) => bytes,
        }
    }
}

impl VendorRecord {
    /// Builds the record of a package with these files.
    #[must_use]
    pub fn new(locked: &LockedPackage, tree: &Tree) -> VendorRecord {
        // Git would obey them, and leave out or change the files beside them.
        let is_aside = |path: &RelPath| GIT_CONTROL_FILES.contains(&path.file_name());
        let (aside, files): (Vec<_>, Vec<_>) = tree.files().partition(|(path, _)| is_aside(path));

        let commit = locked
            .commit
            .as_ref()
            .map(|commit| format!("#{commit}"))
            .unwrap_or_default();

        VendorRecord {
            v: VERSION,
            name: locked.name.clone(),
            version: locked.version.clone(),
            source: format!("{}{commit}", locked.source),
            path: locked.path.clone(),
            checksum: Checksum::from_tree(tree),
            files: files
                .iter()
                .map(|(path, file)| ((*path).clone(), Sha256Digest::hash_bytes(&file.bytes)))
                .collect(),
            executable: tree
                .files()
                .filter(|(_, file)| file.executable)
                .map(|(path, _)| path.clone())
                .collect(),
            aside: aside
                .into_iter()
                .map(|(path, file)| (path.clone(), AsideContent::from_bytes(&file.bytes)))
                .collect(),
        }
    }

    /// Parses a record; `None` if the text is something else, or of another format version.
    #[must_use]
    pub fn parse(text: &str) -> Option<VendorRecord> {
        // Of another version: its fields could mean something else, so it is not guessed at.
        serde_json::from_str::<VendorRecord>(text)
            .ok()
            .filter(|record| record.v == VERSION)
    }

    /// The text of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        // Indented, and with a line end: the record is reviewed and merged as any text.
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

    /// The files of the package that belong in its directory, without those kept in the record.
    #[must_use]
    pub fn listed_files(&self, tree: &Tree) -> Tree {
        // Without those that git would obey, which must not be written into the directory.
        let mut beside = Tree::builder();
        for (path, file) in tree
            .files()
            .filter(|(path, _)| self.files.contains_key(*path))
        {
            beside
                .add(path.as_str(), file.bytes.clone(), file.executable)
                .expect("a part of a tree is a tree");
        }
        beside.finish()
    }

    /// Assembles the package from the files of its directory and those in the record.
    ///
    /// # Errors
    /// The differences, if a file was changed, added or removed: each as `changed SKILL.md`.
    pub fn assemble(&self, beside: Tree) -> Result<Tree, Vec<String>> {
        // All of them are collected: the user sees at once what was edited.
        let mut differences = Vec::new();
        let mut whole = Tree::builder();

        for path in self
            .files
            .keys()
            .filter(|path| beside.get(path.as_str()).is_none())
        {
            differences.push(format!("missing {path}"));
        }

        for (path, file) in beside.into_files() {
            match self.files.get(&path) {
                None => differences.push(format!("added {path}")),
                Some(digest) if *digest != Sha256Digest::hash_bytes(&file.bytes) => {
                    differences.push(format!("changed {path}"));
                }
                Some(_) => self.add_file(&mut whole, &path, file.bytes, &mut differences),
            }
        }

        // Files that git would obey are in the record alone.
        for (path, content) in &self.aside {
            self.add_file(
                &mut whole,
                path,
                content.clone().into_bytes(),
                &mut differences,
            );
        }

        if differences.is_empty() {
            Ok(whole.finish())
        } else {
            Err(differences)
        }
    }

    fn add_file(
        &self,
        tree: &mut skillpm_core::package::TreeBuilder,
        path: &RelPath,
        bytes: Vec<u8>,
        differences: &mut Vec<String>,
    ) {
        if let Err(error) = tree.add(path.as_str(), bytes, self.executable.contains(path)) {
            differences.push(error.message().to_owned());
        }
    }
}

/// A package in a vendor directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendoredPackage {
    /// The name of its directory; its record is `NAME.json`.
    pub name: String,
    /// Its record.
    pub record: VendorRecord,
    /// The text of its record.
    pub text: String,
}

/// A directory of vendored packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorDirectory {
    /// Where it is.
    pub dir: PathBuf,
    /// The path as it is shown in messages.
    pub display_path: String,
    /// The project whose settings name the directory, which is used for that project alone. `None` if the user's own
    /// settings name it.
    pub project: Option<PathBuf>,
}

impl VendorDirectory {
    /// Lists all packages in it, by the names of their directories; none if it does not exist.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn entries(&self) -> Result<Vec<VendoredPackage>> {
        let mut entries = Vec::new();
        for file in disk::list_names(&self.dir)? {
            // The record decides what is vendored, and not the directories.
            let Some(name) = file.strip_suffix(".json") else {
                continue;
            };

            // A file that skillpm did not write may be anything.
            let bytes = disk::read(&self.dir.join(&file))
                .ok()
                .flatten()
                .unwrap_or_default();

            let Ok(text) = String::from_utf8(bytes) else {
                continue;
            };
            // Of another format version, or not written by skillpm: ignored.
            if let Some(record) = VendorRecord::parse(&text) {
                entries.push(VendoredPackage {
                    name: name.to_owned(),
                    record,
                    text,
                });
            }
        }
        Ok(entries)
    }

    /// Whether skillpm wrote it, which the generated files in it show.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn is_vendor_dir(&self) -> Result<bool> {
        // One of them is enough: the user may have edited the others.
        for (name, text) in GENERATED_FILES {
            if disk::read(&self.dir.join(name))?.is_some_and(|bytes| bytes == text.as_bytes()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads the locked packages, one result each; an error if one is missing or was modified.
    #[must_use]
    pub fn restore(&self, packages: &[&LockedPackage]) -> Vec<Result<Tree>> {
        let entries = match self.entries() {
            Ok(entries) => entries,
            Err(error) => return packages.iter().map(|_| Err(error.clone())).collect(),
        };

        packages
            .iter()
            .map(|locked| self.restore_one(locked, &entries))
            .collect()
    }

    fn restore_one(&self, locked: &LockedPackage, entries: &[VendoredPackage]) -> Result<Tree> {
        let checksum = locked.upstream_checksum();

        // By content and not by name: the lockfile's checksum decides.
        match entries
            .iter()
            .find(|entry| entry.record.checksum == checksum)
        {
            Some(entry) => self
                .read_package(entry)?
                .map_err(|differences| self.edited_error(entry, &differences)),
            None => Err(self.missing_package_error(locked, entries)),
        }
    }

    /// Reads all files of a vendored package; the inner error lists how they differ from its record.
    ///
    /// # Errors
    /// If it cannot be read, or is no longer a package.
    pub fn read_package(&self, entry: &VendoredPackage) -> Result<Result<Tree, Vec<String>>> {
        let path = self.package_path(&entry.name);
        if disk::lstat(&path)?.is_none() {
            // All its files are in the record, and git keeps no empty directory.
            let is_whole_aside = entry.record.files.is_empty();
            return Ok(if is_whole_aside {
                entry.record.assemble(Tree::default())
            } else {
                Err(vec!["missing".into()])
            });
        }

        // As strictly as any package: a link in it is refused.
        let beside =
            disk::read_tree(&path).map_err(|error| self.invalid_package_error(entry, error))?;

        Ok(entry.record.assemble(beside))
    }

    fn invalid_package_error(&self, entry: &VendoredPackage, error: Error) -> Error {
        error
            .wrap(format!(
                "invalid vendored package `{}` ({})",
                self.package_display_path(&entry.name),
                entry.record.reference()
            ))
            .help("nothing was installed; run `skillpm vendor` to write it again")
    }

    /// The directory with the files of a package.
    #[must_use]
    pub fn package_path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// The file with the record of a package.
    #[must_use]
    pub fn record_path(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.json"))
    }

    /// A package's directory as it is shown in messages.
    #[must_use]
    pub fn package_display_path(&self, name: &str) -> String {
        format!("{}/{name}", self.display_path)
    }

    /// Whether it replaces the sources of a project in `root`.
    #[must_use]
    pub fn applies_to(&self, root: &Path) -> bool {
        // `None` is a directory of the user's own settings, for all projects.
        self.project
            .as_ref()
            .is_none_or(|project| root.starts_with(project))
    }

    /// The error for a query of a source that this directory replaces.
    #[must_use]
    pub fn replaced_error(&self, source: &SourceId) -> Error {
        Error::negative(format!(
            "cannot query {}: it is replaced with the directory `{}`",
            source.describe(),
            self.display_path
        ))
        .note("the directory has the locked versions and no others")
        .help("pass `--config vendor.use=false` to query the source itself, then run `skillpm vendor` to update the directory")
    }

    fn edited_error(&self, entry: &VendoredPackage, differences: &[String]) -> Error {
        let path = self.package_display_path(&entry.name);
        let error = Error::integrity(format!(
            "vendored package `{path}` was modified: it no longer matches `{}`",
            entry.record.reference()
        ));

        let error = differences
            .iter()
            .take(5)
            .fold(error, |error, difference| error.note(difference.clone()));

        let more = differences.len().saturating_sub(5);
        let error = if more > 0 {
            error.note(format!("and {more} more"))
        } else {
            error
        };

        error.help(
            "nothing was installed; run `skillpm vendor` to write it again: the modified files are kept aside",
        )
    }

    fn missing_package_error(&self, locked: &LockedPackage, entries: &[VendoredPackage]) -> Error {
        let mut error = Error::negative(format!(
            "no matching package `{}` found in vendor directory `{}`",
            locked.reference(),
            self.display_path
        ));
        // Other versions of the same package show that `vendor` was not run after an update.
        let same = entries
            .iter()
            .filter(|entry| entry.record.name == locked.name);
        for entry in same {
            error = error.note(format!(
                "`{}` is {}, {}",
                self.package_display_path(&entry.name),
                entry.record.reference(),
                entry.record.checksum
            ));
        }

        error
            .note(format!("locked  {}", locked.upstream_checksum()))
            .help("nothing was installed; run `skillpm vendor` to add it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> Tree {
        let mut tree = Tree::builder();
        tree.add("SKILL.md", b"---\nname: pdf\n".to_vec(), false)
            .unwrap();
        tree.add("scripts/run.sh", b"#!/bin/sh\n".to_vec(), true)
            .unwrap();
        tree.add("scripts/.gitignore", b"*\n".to_vec(), false)
            .unwrap();
        tree.add(".gitattributes", vec![0xff, 0], false).unwrap();
        tree.finish()
    }

    fn locked() -> LockedPackage {
        let source = "git+https://h/r?tag=v1.2.0".parse().unwrap();
        LockedPackage {
            version: Some(Version::new(1, 2, 0)),
            commit: Some("0123456789".repeat(4)),
            ..LockedPackage::new(
                "acme/pdf".parse().unwrap(),
                source,
                Checksum::from_tree(&tree()),
            )
        }
    }

    #[test]
    fn files_that_git_would_obey_are_kept_in_the_record_and_restored() {
        let record = VendorRecord::new(&locked(), &tree());
        let beside = record.listed_files(&tree());
        let paths: Vec<&str> = beside.files().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["SKILL.md", "scripts/run.sh"]);
        let record = VendorRecord::parse(&record.to_text()).unwrap();
        assert_eq!(record.assemble(beside).unwrap(), tree());
    }

    #[test]
    fn a_dropped_executable_bit_is_restored_and_every_edit_is_named() {
        let record = VendorRecord::new(&locked(), &tree());
        let mut beside = Tree::builder();
        beside
            .add("SKILL.md", b"---\nname: pdf\n".to_vec(), true)
            .unwrap();
        beside
            .add("scripts/run.sh", b"#!/bin/sh\n".to_vec(), false)
            .unwrap();
        assert_eq!(record.assemble(beside.finish()).unwrap(), tree());
        let mut edited = Tree::builder();
        edited.add("SKILL.md", b"x".to_vec(), false).unwrap();
        edited.add("more.md", b"x".to_vec(), false).unwrap();
        let differences = record.assemble(edited.finish()).unwrap_err();
        assert_eq!(
            differences,
            [
                "missing scripts/run.sh",
                "changed SKILL.md",
                "added more.md"
            ]
        );
    }

    #[test]
    fn invalid_or_newer_vendor_record_is_refused() {
        let text = VendorRecord::new(&locked(), &tree()).to_text();
        assert!(VendorRecord::parse("{}").is_none());
        assert!(VendorRecord::parse(&text.replace("\"v\": 1", "\"v\": 2")).is_none());
    }

    #[test]
    fn a_directory_applies_to_the_project_that_names_it_and_those_within_it() {
        let mut directory = VendorDirectory {
            dir: "/p/vendor".into(),
            display_path: "vendor".into(),
            project: Some("/p".into()),
        };
        assert!(
            directory.applies_to(Path::new("/p")) && directory.applies_to(Path::new("/p/inner"))
        );
        assert!(!directory.applies_to(Path::new("/home/.skillpm")));
        directory.project = None;
        assert!(directory.applies_to(Path::new("/home/.skillpm")));
    }
}
