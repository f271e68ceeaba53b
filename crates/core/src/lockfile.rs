//! `skillpm.lock`: the resolved packages, written by skillpm and committed by the user.
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
//! Sorted, without timestamps, and one line per field, so that git can merge it; the last line counts the entries, so that
//! a truncated file is detected. A file that cannot be parsed is an error and never replaced.
//!
//! History: version 1 is the first.

#[cfg(test)]
mod arbitrary;
pub mod merge;
mod schema;

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::manifest::find_conflict_marker;
use crate::package::{
    Checksum, PackageName, PackageSummary, RelPath, Sha256Digest, SkillName, SourceId,
};
use crate::provenance::KeyFingerprint;
use crate::toml_error;
use semver::Version;

/// The file's name.
pub const FILE: &str = "skillpm.lock";

/// The format version that this program writes, and the newest it reads.
const FORMAT_VERSION: i64 = 1;

const HEADER: &str = "# Written by skillpm. Commit this file; change it with skillpm only.\n";

/// The resolved packages of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lockfile {
    /// Sorted by name, then alias, then source.
    packages: Vec<LockedPackage>,
}

/// One resolved package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockedPackage {
    /// Its name at the source.
    pub name: PackageName,
    /// The name it is installed under, where that is not the package's own.
    pub alias: Option<SkillName>,
    /// Its version; `None` where the source states none.
    pub version: Option<Version>,
    /// Where it comes from, with the git reference.
    pub source: SourceId,
    /// The full commit of a git source.
    pub commit: Option<String>,
    /// The directory inside a git source.
    pub path: Option<RelPath>,
    /// The git tree id of that directory.
    pub tree: Option<String>,
    /// The checksum of the installed files.
    pub checksum: Checksum,
    /// The checksum of the package at its source, if it differs because of renaming or local edits.
    pub source_checksum: Option<Checksum>,
    /// The digest of the patch file with the local edits that are part of the installed files.
    pub patch: Option<Sha256Digest>,
    /// The trusted key that had signed it when it was locked.
    pub signed_by: Option<KeyFingerprint>,
    /// The digest of the archive it was extracted from.
    pub archive: Option<Sha256Digest>,
    /// The codes of security rules whose findings in exactly these files were allowed, sorted.
    pub allowed_findings: Vec<String>,
    /// The packages it replaces by `[patch]`, each as `name source`, sorted; see
    /// [`PatchEntry::replaced_reference`](crate::package::PatchEntry::replaced_reference).
    pub replaces: Vec<String>,
    /// Its dependencies as `name` or `name version`, sorted.
    pub dependencies: Vec<String>,
}

impl LockedPackage {
    /// A package with no other field set.
    #[must_use]
    pub fn new(name: PackageName, source: SourceId, checksum: Checksum) -> LockedPackage {
        LockedPackage {
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

    /// The checksum of the package at its source.
    #[must_use]
    pub fn upstream_checksum(&self) -> Checksum {
        self.source_checksum.unwrap_or(self.checksum)
    }

    /// `name version`, or the name alone if it has no version, as `dependencies` refer to it.
    #[must_use]
    pub fn reference(&self) -> String {
        match &self.version {
            Some(version) => format!("{} {version}", self.name),
            None => self.name.to_string(),
        }
    }

    /// Its summary for the resolver, without dependencies, since they are locked as well.
    #[must_use]
    pub fn summary(&self) -> PackageSummary {
        PackageSummary {
            name: self.name.clone(),
            version: self.version.clone(),
            source: self.source.clone(),
            subdir: self.path.clone(),
            // `Some`, so that the resolver does not ask for them to be read.
            dependencies: Some(Vec::new()),
            // A locked package may be installed even if it is yanked, and whatever its age.
            yanked: false,
            published: None,
        }
    }

    /// Its version, otherwise its abbreviated commit or checksum, for display.
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
    /// A lockfile of these packages, which it sorts.
    #[must_use]
    pub fn new(mut packages: Vec<LockedPackage>) -> Self {
        // Sorted, so that merges of two branches touch the same lines only for the same package.
        packages.sort_by(compare_entries);
        Lockfile { packages }
    }

    /// Its packages, sorted.
    #[must_use]
    pub fn packages(&self) -> &[LockedPackage] {
        &self.packages
    }

    /// The package installed under a name.
    #[must_use]
    pub fn installed_as(&self, name: &SkillName) -> Option<&LockedPackage> {
        self.packages
            .iter()
            .find(|package| package.install_name() == name)
    }

    /// The package that an entry of `dependencies` refers to.
    #[must_use]
    pub fn find_by_reference(&self, reference: &str) -> Option<&LockedPackage> {
        self.packages
            .iter()
            .find(|package| package.reference() == reference)
    }

    /// The byte span of a package's `name` line in the text of a lockfile.
    #[must_use]
    pub fn name_span(text: &str, package: &LockedPackage) -> Option<Range<usize>> {
        // The parser keeps no spans, so the entry is searched for by its text.
        let block = Lockfile {
            packages: vec![package.clone()],
        }
        .to_text();
        // After the header and the version of the format.
        let begin = block.find("name = ")?;
        let own: Vec<&str> = block[begin..]
            .lines()
            .take_while(|line| !line.is_empty())
            .collect();
        let name = own.first()?;

        // Several entries may have one name (with another alias or source), so the other lines are compared as well.
        text.match_indices(name)
            .map(|(at, _)| at)
            .find(|at| is_entry_at(&text[*at..], &own))
            .map(|at| at..at + name.len())
    }

    /// Parses the text of a lockfile; `file` is its name for messages.
    ///
    /// # Errors
    /// [`FailureKind::Usage`](crate::error::FailureKind::Usage) with help if the text has conflict markers, was written by a
    /// newer skillpm, is truncated, or is not a lockfile.
    pub fn parse(text: &str, file: &str) -> Result<Lockfile> {
        // Some editors on Windows write a byte order mark.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if let Some(line) = find_conflict_marker(text) {
            return Err(Error::usage(format!("failed to parse lockfile at `{file}`: it has merge conflict markers (line {line})")).help(format!(
                "resolve conflicts in `{}` first, if it has any; then run `skillpm lock --merge` to merge both sides of the lockfile",
                crate::manifest::FILE
            )));
        }

        // Before the TOML is parsed, since the parser would use the memory.
        check_parse_memory(text, file)?;
        let (lockfile, entries) = Self::read(text, file)?;

        let has = lockfile.packages.len();
        if entries == has {
            return Ok(lockfile);
        }

        let error = parse_error(
            file,
            &format!("`metadata.entries` is {entries}, but the file has {has}"),
        );
        // If two branches add one package each, git merges them into a count that is too low.
        Err(if entries < has {
            error.help("if it is the result of a merge, run `skillpm lock --merge` to repair it")
        } else {
            error
        })
    }

    /// Parses the text; returns also the number of entries that `[metadata]` states.
    fn read(text: &str, file: &str) -> Result<(Lockfile, usize)> {
        check_version(text, file)?;
        let raw: schema::RawLockfile =
            toml::from_str(text).map_err(|error| toml_error(&error, text, file))?;

        let mut known = schema::KnownSource::default();
        let packages = raw
            .package
            .into_iter()
            .map(|package| package.into_locked(&mut known))
            .collect::<Result<Vec<LockedPackage>>>();
        let lockfile = Lockfile::new(packages.map_err(|error| parse_error(file, error.message()))?);

        // `[metadata]` is last, so a file without it was truncated.
        let metadata = raw.metadata.ok_or_else(|| {
            parse_error(file, "missing `[metadata]` at the end, so it was truncated")
        })?;

        Ok((lockfile, metadata.entries))
    }

    /// The text of the file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}version = {FORMAT_VERSION}\n");
        for package in &self.packages {
            text.push_str("\n[[package]]\n");
            write_package(&mut text, package);
        }

        let _ = write!(text, "\n[metadata]\nentries = {}\n", self.packages.len());
        text
    }
}

/// Whether a text begins with an entry of these lines, except its checksum.
fn is_entry_at(text: &str, own: &[&str]) -> bool {
    let lines: Vec<&str> = text.lines().take_while(|line| !line.is_empty()).collect();

    own.iter()
        .filter(|line| !line.starts_with("checksum"))
        .all(|line| lines.contains(line))
}

/// The order of entries in the file.
fn compare_entries(a: &LockedPackage, b: &LockedPackage) -> Ordering {
    (&a.name, &a.alias, &a.source).cmp(&(&b.name, &b.alias, &b.source))
}

fn write_package(text: &mut String, package: &LockedPackage) {
    let commit = package
        .commit
        .as_ref()
        .map(|commit| format!("#{commit}"))
        .unwrap_or_default();

    // The order is part of the format, so that equal lockfiles have the same bytes.
    let fields = [
        ("name", Some(package.name.to_string())),
        ("as", package.alias.as_ref().map(ToString::to_string)),
        ("version", package.version.as_ref().map(ToString::to_string)),
        ("source", Some(format!("{}{commit}", package.source))),
        ("path", package.path.as_ref().map(ToString::to_string)),
        ("tree", package.tree.clone()),
        ("archive", package.archive.map(prefixed_digest)),
        ("checksum", Some(package.checksum.to_string())),
        (
            "source-checksum",
            package.source_checksum.map(|checksum| checksum.to_string()),
        ),
        ("patch", package.patch.map(prefixed_digest)),
        ("signed-by", package.signed_by.map(|key| key.to_string())),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            write_text_field(text, name, value);
        }
    }

    write_lists(text, package);
}

/// Writes a field with a text, as [`toml::Value`] does. Nearly every text needs no escapes, and is copied.
fn write_text_field(text: &mut String, name: &str, value: String) {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\'' | b'\\');
    if value.bytes().all(is_plain) {
        text.extend([name, " = \"", &value, "\"\n"]);
    } else {
        let _ = writeln!(text, "{name} = {}", toml::Value::from(value));
    }
}

fn write_lists(text: &mut String, package: &LockedPackage) {
    let lists = [
        ("allowed-findings", &package.allowed_findings),
        ("replaces", &package.replaces),
        ("dependencies", &package.dependencies),
    ];
    for (name, list) in lists {
        // An absent list is read as an empty one.
        if !list.is_empty() {
            let list: toml::value::Array = list.iter().cloned().map(Into::into).collect();
            let _ = writeln!(text, "{name} = {}", toml::Value::Array(list));
        }
    }
}

/// A digest with its algorithm, so that a later format can have another.
fn prefixed_digest(digest: Sha256Digest) -> String {
    format!("sha256:{digest}")
}

/// Checks `version` before anything else, so that a newer format is reported as such.
fn check_version(text: &str, file: &str) -> Result<()> {
    // By text search, since a newer format may have fields that the schema refuses.
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("version = "));

    match line.and_then(|version| version.trim().parse::<i64>().ok()) {
        Some(version) if version > FORMAT_VERSION => Err(Error::usage(format!(
            "unsupported lockfile format {version} in `{file}`, which was written by a newer skillpm: this one supports up to {FORMAT_VERSION}"
        ))
        .help(format!("upgrade skillpm, or restore the file with `git checkout {file}`"))),
        Some(version) if version == FORMAT_VERSION => Ok(()),
        // There was never a format before the first.
        Some(version) => Err(parse_error(file, &format!("unknown format {version}"))),
        None => Err(unversioned(text, file)),
    }
}

/// The error for a file without a `version` line; most such files are not TOML, so that is reported first.
fn unversioned(text: &str, file: &str) -> Error {
    match toml::from_str::<toml::Table>(text) {
        Err(error) => toml_error(&error, text, file),
        Ok(table) if table.contains_key("version") => parse_error(
            file,
            "`version` is not on a line of its own as `version = NUMBER`",
        ),
        Ok(_) => parse_error(file, "missing `version`"),
    }
}

fn toml_error(error: &toml::de::Error, text: &str, file: &str) -> Error {
    toml_error::parse_error("lockfile", error, text, file).help(restore_help(file))
}

/// Refuses a text that would take far more memory to parse than a lockfile does: four megabytes of `{a=1},` take a gigabyte.
///
/// Each table and each other value is counted by its first character. The weights are the measured maximum of the memory
/// that one takes, in bytes. A locked package has about twenty values, so ten thousand packages fit twice.
fn check_parse_memory(text: &str, file: &str) -> Result<()> {
    const MEMORY_MAX: usize = 150 << 20;
    const TABLE_BYTES: usize = 1_600;
    const VALUE_BYTES: usize = 320;

    // Also those in strings and comments: counting too many is safe, and a lockfile has few of
    // them.
    let tables = memchr::memchr_iter(b'{', text.as_bytes()).count();
    let values = memchr::memchr3_iter(b'[', b',', b'=', text.as_bytes()).count();

    if tables * TABLE_BYTES + values * VALUE_BYTES > MEMORY_MAX {
        return Err(parse_error(
            file,
            &format!(
                "it has {tables} inline tables and {values} other values, which exceeds the memory limit"
            ),
        ));
    }
    Ok(())
}

fn parse_error(file: &str, reason: &str) -> Error {
    Error::usage(format!("failed to parse lockfile at `{file}`: {reason}")).help(restore_help(file))
}

fn restore_help(file: &str) -> String {
    format!(
        "restore it with `git checkout {file}`, or delete it and run `skillpm lock` to resolve all versions again"
    )
}

#[cfg(test)]
mod tests {
    use super::arbitrary::locked;
    use super::*;
    use crate::error::FailureKind;
    use crate::package::Tree;
    use proptest::prelude::*;

    fn sample() -> Lockfile {
        let locked = |name: &str, source: &str| {
            LockedPackage::new(
                name.parse().unwrap(),
                source.parse().unwrap(),
                Checksum::from_tree(&Tree::default()),
            )
        };
        Lockfile::new(vec![
            LockedPackage {
                alias: Some("storm".parse().unwrap()),
                version: Some(Version::new(3, 6, 2)),
                commit: Some("0123456789".repeat(4)),
                path: Some("skills/brainstorming".parse().unwrap()),
                tree: Some("abcdef0123".repeat(4)),
                source_checksum: Some(Checksum::from_tree(&Tree::default())),
                patch: Some(Sha256Digest::hash_bytes(b"a patch")),
                allowed_findings: vec!["SK711".into()],
                signed_by: Some(
                    "SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDCLyPHRyJl1BMlyLc"
                        .parse()
                        .unwrap(),
                ),
                dependencies: vec!["acme/pdf".into()],
                ..locked("brainstorming", "git+https://h/r?tag=v3.6.2")
            },
            LockedPackage {
                replaces: vec!["acme/pdf registry+embedded:default".into()],
                ..locked("acme/pdf", "path+../pdf")
            },
        ])
    }

    #[test]
    fn every_text_is_written_as_toml_writes_it() {
        let characters = (0..=0xff_u32).filter_map(char::from_u32);
        let texts = characters.map(|c| format!("a{c}b"));
        for text in texts.chain([String::new(), "a\"'b".into(), "''' 🦀".into()]) {
            let mut written = String::new();
            write_text_field(&mut written, "name", text.clone());
            let expected = format!("name = {}\n", toml::Value::from(text));
            assert_eq!(written, expected);
        }
    }

    #[test]
    fn written_lockfile_is_read_back() {
        let text = sample().to_text();
        assert_eq!(Lockfile::parse(&text, FILE).unwrap(), sample());
        assert_eq!(
            Lockfile::parse(&format!("\u{feff}{text}"), FILE).unwrap(),
            sample()
        );
        assert!(text.ends_with("\n[metadata]\nentries = 2\n"));
        assert!(text.find("acme/pdf") < text.find("brainstorming"));
        assert!(text.contains(
            "source = \"git+https://h/r?tag=v3.6.2#0123456789012345678901234567890123456789\"\n"
        ));
    }

    #[test]
    fn every_truncation_is_detected() {
        let text = sample().to_text();
        for end in 0..text.len() - 1 {
            if text.is_char_boundary(end) {
                let error = Lockfile::parse(&text[..end], FILE).unwrap_err();
                assert_eq!(error.kind(), FailureKind::Usage, "{end}");
            }
        }
    }

    #[test]
    fn conflict_markers_newer_format_and_damage_are_distinguished() {
        let text = sample().to_text();
        let message = |text: &str| {
            Lockfile::parse(text, FILE)
                .unwrap_err()
                .message()
                .to_owned()
        };
        let conflict = text.replacen("version = 1\n", "version = 1\n<<<<<<< HEAD\n", 1);
        assert_eq!(
            message(&conflict),
            "failed to parse lockfile at `skillpm.lock`: it has merge conflict markers (line 3)"
        );
        let newer = text.replacen("version = 1\n", "version = 999\nnew-thing = true\n", 1);
        assert!(message(&newer).contains("unsupported lockfile format 999 in `skillpm.lock`"));
        let error = Lockfile::parse(&newer, "skillpm.lock").unwrap_err();
        assert_eq!(
            error.helps(),
            ["upgrade skillpm, or restore the file with `git checkout skillpm.lock`"]
        );
        assert!(message("{}").contains("failed to parse lockfile"));
        assert!(message("").contains("missing `version`"));
        assert!(message("version = \"1\"\n").contains("`version` is not on a line of its own"));
    }

    #[test]
    fn broken_toml_is_reported_as_such_whether_there_is_a_version_or_not() {
        let message = |text: &str| {
            Lockfile::parse(text, FILE)
                .unwrap_err()
                .message()
                .to_owned()
        };
        for text in [
            "[[package]\n",
            "version = 1\n[[package]\n",
            "\n<html>\n",
            "[[package]]\nname = \"a\nversion = \"1.0.0\"\n",
        ] {
            let message = message(text);
            assert!(
                message.starts_with("failed to parse lockfile at `skillpm.lock:")
                    && !message.contains("missing `version`"),
                "{message}"
            );
        }
        assert!(
            message("[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n")
                .contains("missing `version`")
        );
    }

    #[test]
    fn git_source_without_its_full_commit_is_refused() {
        let text = sample()
            .to_text()
            .replace("#0123456789012345678901234567890123456789", "#0123");
        assert!(
            Lockfile::parse(&text, FILE)
                .unwrap_err()
                .message()
                .contains("missing full commit id")
        );
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
            prop_assert!(text.lines().filter(|line| line.contains(" = ")).all(|line| !line.contains('\u{1}')), "one line per field");
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
