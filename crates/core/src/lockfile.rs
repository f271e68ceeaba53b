//! `skillpm.lock`, what was decided: written by skillpm, committed by people.
//!
//! ```toml
//! # Written by skillpm. Commit this file; change it with skillpm only.
//! version = 1
//!
//! [[package]]
//! name = "release-notes"
//! version = "2.1.0"
//! source = "git+https://github.com/acme/skills?tag=release-notes-v2.1.0#6838e77d0c5b1f3a0d5b5f0d9b7c1c0a1e2f3a4b"
//! path = "skills/release-notes"
//! tree = "51a0c3d4e5f60718293a4b5c6d7e8f9001122334"
//! checksum = "skill-tree-v1:9f2c…"
//! signed-by = "SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDCLyPHRyJl1BMlyLc"
//! dependencies = ["acme/pdf 1.2.3"]
//!
//! [metadata]
//! entries = 1
//! ```
//!
//! Sorted, no timestamps, one line a field, so that git merges it; the last line counts the entries, so that a
//! truncated file is noticed. A file that cannot be read is an error, never a reset.
//!
//! History: version 1 is the first.

#[cfg(test)]
mod any;
pub mod merge;
mod schema;

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::manifest::conflict_marker;
use crate::package::{Checksum, PackageName, RelPath, Sha256, SkillName, SourceId, Summary};
use crate::provenance::Fingerprint;
use semver::Version;

/// The file's name.
pub const FILE: &str = "skillpm.lock";

/// The format this program writes, and the newest it reads.
const VERSION: i64 = 1;

const HEADER: &str = "# Written by skillpm. Commit this file; change it with skillpm only.\n";

/// Everything a project was decided to consist of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lockfile {
    /// Sorted by name, then alias, then source.
    packages: Vec<Locked>,
}

/// One package as it was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locked {
    /// Its name at the source.
    pub name: PackageName,
    /// The name it is installed under, where that is not the package's own.
    pub alias: Option<SkillName>,
    /// Its version; `None` where the source states none.
    pub version: Option<Version>,
    /// Where it came from, down to the reference.
    pub source: SourceId,
    /// The full commit of a git source.
    pub commit: Option<String>,
    /// The directory inside a git source.
    pub path: Option<RelPath>,
    /// The git tree id of that directory.
    pub tree: Option<String>,
    /// What is installed.
    pub checksum: Checksum,
    /// What the source holds, where renaming or a person's edits made that another tree.
    pub source_checksum: Option<Checksum>,
    /// The patch file with a person's edits that are part of what is installed.
    pub patch: Option<Sha256>,
    /// The key that vouched for it when it was locked.
    pub signed_by: Option<Fingerprint>,
    /// The bytes of the archive it came in.
    pub archive: Option<Sha256>,
    /// Rules about security whose findings in just this were let through, by code, sorted.
    pub allowed_findings: Vec<String>,
    /// The packages it was put in place of by `[patch]`, each as `name source`, sorted; see
    /// [`Patch::replaced`](crate::package::Patch::replaced).
    pub replaces: Vec<String>,
    /// What it needs, as `name` or `name version`, sorted.
    pub dependencies: Vec<String>,
}

impl Locked {
    /// A package of which nothing else is said.
    #[must_use]
    pub fn new(name: PackageName, source: SourceId, checksum: Checksum) -> Locked {
        Locked {
            name,
            alias: None,
            version: None,
            source,
            commit: None,
            path: None,
            tree: None,
            checksum,
            source_checksum: None,
            patch: None,
            allowed_findings: Vec::new(),
            signed_by: None,
            archive: None,
            replaces: Vec::new(),
            dependencies: Vec::new(),
        }
    }

    /// The name it is installed under.
    #[must_use]
    pub fn install_name(&self) -> &SkillName {
        self.alias.as_ref().unwrap_or(self.name.skill())
    }

    /// The checksum of the package as its source holds it.
    #[must_use]
    pub fn upstream(&self) -> Checksum {
        self.source_checksum.unwrap_or(self.checksum)
    }

    /// `name version`, or the name alone: how others refer to it.
    #[must_use]
    pub fn reference(&self) -> String {
        match &self.version {
            Some(version) => format!("{} {version}", self.name),
            None => self.name.to_string(),
        }
    }

    /// What a solver is told of it: it needs nothing that is not locked as well.
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary {
            name: self.name.clone(),
            version: self.version.clone(),
            source: self.source.clone(),
            subdir: self.path.clone(),
            dependencies: Some(Vec::new()),
            yanked: false,
            published: None,
        }
    }

    /// Its version, else its commit in short, for people.
    #[must_use]
    pub fn revision(&self) -> String {
        match (&self.version, &self.commit) {
            (Some(version), _) => version.to_string(),
            (None, Some(commit)) => commit.chars().take(8).collect(),
            (None, None) => self.checksum.short(),
        }
    }
}

impl Lockfile {
    /// A lockfile of these packages.
    #[must_use]
    pub fn new(mut packages: Vec<Locked>) -> Self {
        packages.sort_by(order);
        Lockfile { packages }
    }

    /// Its packages, sorted.
    #[must_use]
    pub fn packages(&self) -> &[Locked] {
        &self.packages
    }

    /// The package installed under a name.
    #[must_use]
    pub fn installed_as(&self, name: &SkillName) -> Option<&Locked> {
        self.packages.iter().find(|package| package.install_name() == name)
    }

    /// The package that a line of `dependencies` refers to.
    #[must_use]
    pub fn referred(&self, reference: &str) -> Option<&Locked> {
        self.packages.iter().find(|package| package.reference() == reference)
    }

    /// Where in the text of a lockfile a package has its name.
    #[must_use]
    pub fn place_of(text: &str, package: &Locked) -> Option<Range<usize>> {
        let block = Lockfile { packages: vec![package.clone()] }.to_text();
        let begin = block.find("name = ")?;
        let own: Vec<&str> = block[begin..].lines().take_while(|line| !line.is_empty()).collect();
        let name = own.first()?;
        let begins = text.match_indices(name).map(|(at, _)| at);
        let is_own = |at: &usize| {
            let lines: Vec<&str> = text[*at..].lines().take_while(|line| !line.is_empty()).collect();
            own.iter().filter(|line| !line.starts_with("checksum")).all(|line| lines.contains(line))
        };
        begins.into_iter().find(is_own).map(|at| at..at + name.len())
    }

    /// Reads the text of a lockfile; `file` is its name for messages.
    ///
    /// # Errors
    /// [`Kind::Usage`](crate::error::Kind::Usage), with what to do about it, if the text has conflict markers, comes from a newer skillpm, was cut
    /// short, or is not a lockfile at all.
    pub fn parse(text: &str, file: &str) -> Result<Lockfile> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if let Some(line) = conflict_marker(text) {
            return Err(Error::usage(format!("`{file}` has merge conflict markers (line {line})")).help(format!(
                "settle `{}` first, if that has some, too; then `skillpm lock --merge` makes one lockfile of both sides",
                crate::manifest::FILE
            )));
        }
        let (lockfile, entries) = Self::read(text, file)?;
        let has = lockfile.packages.len();
        if entries == has {
            return Ok(lockfile);
        }
        let error = damaged(file, &format!("it counts {entries} entries and has {has}"));
        Err(if entries < has {
            error.help("if a merge put it together: `skillpm lock --merge` settles it")
        } else {
            error
        })
    }

    /// What the text says, and how many entries it counts.
    fn read(text: &str, file: &str) -> Result<(Lockfile, usize)> {
        check_version(text, file)?;
        let raw: schema::Lockfile = toml::from_str(text).map_err(|error| unreadable(&error, text, file))?;
        let packages = raw.package.into_iter().map(TryInto::try_into).collect::<Result<Vec<Locked>>>();
        let lockfile = Lockfile::new(packages.map_err(|error| damaged(file, error.message()))?);
        let metadata = raw.metadata.ok_or_else(|| damaged(file, "its last lines are missing"))?;
        Ok((lockfile, metadata.entries))
    }

    /// The text of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}version = {VERSION}\n");
        for package in &self.packages {
            text.push_str("\n[[package]]\n");
            write_package(&mut text, package);
        }
        let _ = write!(text, "\n[metadata]\nentries = {}\n", self.packages.len());
        text
    }
}

/// The order of entries in the file.
fn order(a: &Locked, b: &Locked) -> Ordering {
    (&a.name, &a.alias, &a.source).cmp(&(&b.name, &b.alias, &b.source))
}

fn write_package(text: &mut String, package: &Locked) {
    let mut field = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = writeln!(text, "{name} = {}", toml::Value::from(value));
        }
    };
    let commit = package.commit.as_ref().map(|commit| format!("#{commit}")).unwrap_or_default();
    field("name", Some(package.name.to_string()));
    field("as", package.alias.as_ref().map(ToString::to_string));
    field("version", package.version.as_ref().map(ToString::to_string));
    field("source", Some(format!("{}{commit}", package.source)));
    field("path", package.path.as_ref().map(ToString::to_string));
    field("tree", package.tree.clone());
    field("archive", package.archive.map(|digest| format!("sha256:{digest}")));
    field("checksum", Some(package.checksum.to_string()));
    field("source-checksum", package.source_checksum.map(|checksum| checksum.to_string()));
    field("patch", package.patch.map(|digest| format!("sha256:{digest}")));
    field("signed-by", package.signed_by.map(|key| key.to_string()));
    let lists = [
        ("allowed-findings", &package.allowed_findings),
        ("replaces", &package.replaces),
        ("dependencies", &package.dependencies),
    ];
    for (name, list) in lists {
        if !list.is_empty() {
            let list: toml::value::Array = list.iter().cloned().map(Into::into).collect();
            let _ = writeln!(text, "{name} = {}", toml::Value::Array(list));
        }
    }
}

/// Looks at `version` alone first, so that a newer format is called that and nothing else.
fn check_version(text: &str, file: &str) -> Result<()> {
    let line = text.lines().find_map(|line| line.strip_prefix("version = "));
    match line.and_then(|version| version.trim().parse::<i64>().ok()) {
        Some(version) if version > VERSION => Err(Error::usage(format!(
            "`{file}` was written by a newer skillpm: it has format {version}, and this one reads up to {VERSION}"
        ))
        .help("install the newer skillpm, or restore the file from version control")),
        Some(version) if version == VERSION => Ok(()),
        Some(version) => Err(damaged(file, &format!("there is no format {version}"))),
        None => Err(unversioned(text, file)),
    }
}

/// What is wrong with a file in which no line is that of the version: most are no TOML, and that is what has to be said.
fn unversioned(text: &str, file: &str) -> Error {
    match toml::from_str::<toml::Table>(text) {
        Err(error) => unreadable(&error, text, file),
        Ok(table) if table.contains_key("version") => damaged(file, "its `version` is no line `version = NUMBER`"),
        Ok(_) => damaged(file, "it has no `version`"),
    }
}

fn unreadable(error: &toml::de::Error, text: &str, file: &str) -> Error {
    let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    damaged(file, &format!("line {line}: {}", error.message().trim_end().replace('\n', " ")))
}

fn damaged(file: &str, reason: &str) -> Error {
    Error::usage(format!("`{file}` is damaged: {reason}")).help(format!(
        "restore it (`git checkout {file}`); or, to decide all versions anew, remove it and run `skillpm lock`"
    ))
}

#[cfg(test)]
mod tests {
    use super::any::locked;
    use super::*;
    use crate::error::Kind;
    use crate::package::Tree;
    use proptest::prelude::*;

    fn sample() -> Lockfile {
        let locked = |name: &str, source: &str| {
            Locked::new(name.parse().unwrap(), source.parse().unwrap(), Checksum::of(&Tree::default()))
        };
        Lockfile::new(vec![
            Locked {
                alias: Some("storm".parse().unwrap()),
                version: Some(Version::new(3, 6, 2)),
                commit: Some("0123456789".repeat(4)),
                path: Some("skills/brainstorming".parse().unwrap()),
                tree: Some("abcdef0123".repeat(4)),
                source_checksum: Some(Checksum::of(&Tree::default())),
                patch: Some(Sha256::of(b"a patch")),
                allowed_findings: vec!["SK711".into()],
                signed_by: Some("SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDCLyPHRyJl1BMlyLc".parse().unwrap()),
                dependencies: vec!["acme/pdf".into()],
                ..locked("brainstorming", "git+https://h/r?tag=v3.6.2")
            },
            Locked { replaces: vec!["acme/pdf registry+embedded:default".into()], ..locked("acme/pdf", "path+../pdf") },
        ])
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        let text = sample().to_text();
        assert_eq!(Lockfile::parse(&text, FILE).unwrap(), sample());
        assert_eq!(Lockfile::parse(&format!("\u{feff}{text}"), FILE).unwrap(), sample());
        assert!(text.ends_with("\n[metadata]\nentries = 2\n"));
        assert!(text.find("acme/pdf") < text.find("brainstorming"));
        assert!(text.contains("source = \"git+https://h/r?tag=v3.6.2#0123456789012345678901234567890123456789\"\n"));
    }

    #[test]
    fn every_truncation_is_noticed() {
        let text = sample().to_text();
        for end in 0..text.len() - 1 {
            if text.is_char_boundary(end) {
                let error = Lockfile::parse(&text[..end], FILE).unwrap_err();
                assert_eq!(error.kind(), Kind::Usage, "{end}");
            }
        }
    }

    #[test]
    fn the_three_ways_to_break_it_are_told_apart() {
        let text = sample().to_text();
        let message = |text: &str| Lockfile::parse(text, FILE).unwrap_err().message().to_owned();
        let conflict = text.replacen("version = 1\n", "version = 1\n<<<<<<< HEAD\n", 1);
        assert_eq!(message(&conflict), "`skillpm.lock` has merge conflict markers (line 3)");
        let newer = text.replacen("version = 1\n", "version = 999\nnew-thing = true\n", 1);
        assert!(message(&newer).contains("written by a newer skillpm: it has format 999"));
        assert!(message("{}").contains("is damaged"));
        assert!(message("").contains("it has no `version`"));
        assert!(message("version = \"1\"\n").contains("its `version` is no line"));
    }

    #[test]
    fn broken_toml_is_reported_as_such_whether_there_is_a_version_or_not() {
        let message = |text: &str| Lockfile::parse(text, FILE).unwrap_err().message().to_owned();
        for text in [
            "[[package]\n",
            "version = 1\n[[package]\n",
            "\n<html>\n",
            "[[package]]\nname = \"a\nversion = \"1.0.0\"\n",
        ] {
            let message = message(text);
            assert!(
                message.starts_with("`skillpm.lock` is damaged: line ") && !message.contains("no `version`"),
                "{message}"
            );
        }
        assert!(message("[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n").contains("it has no `version`"));
    }

    #[test]
    fn a_git_source_without_its_commit_is_damage() {
        let text = sample().to_text().replace("#0123456789012345678901234567890123456789", "#0123");
        assert!(Lockfile::parse(&text, FILE).unwrap_err().message().contains("names no full commit"));
    }

    proptest! {
        #[test]
        fn any_lockfile_is_read_as_it_was_written_and_written_as_it_was_read(
            packages in prop::collection::vec(locked(), 0..4),
            order in any::<prop::sample::Index>(),
        ) {
            let lockfile = Lockfile::new(packages.clone());
            let text = lockfile.to_text();
            let read = Lockfile::parse(&text, FILE);
            prop_assert_eq!(read.as_ref().ok(), Some(&lockfile), "{:?}\n{}", read, text);
            prop_assert_eq!(read.unwrap().to_text(), &*text);
            prop_assert!(text.lines().filter(|line| line.contains(" = ")).all(|line| !line.contains('\u{1}')), "one line a field");
            // Of two entries with one key the order is theirs.
            let keys: std::collections::BTreeSet<_> = packages.iter().map(|one| (&one.name, &one.alias, &one.source)).collect();
            if keys.len() == packages.len() && !packages.is_empty() {
                let mut turned = packages.clone();
                turned.rotate_left(order.index(packages.len()));
                prop_assert_eq!(Lockfile::new(turned).to_text(), text);
            }
        }
    }
}
