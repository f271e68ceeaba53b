//! One line of an index: one version of a package.

use std::fmt;

use jiff::Timestamp;
use semver::{Version, VersionReq};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use skillpm_core::package::{Checksum, GitUrl, PackageName, RelPath, Sha256Digest};

/// The newest format version of a line that this program reads.
const ENTRY_FORMAT: u32 = 1;

/// Longest line, in bytes: that of a version with the most dependencies.
const LINE_MAX: usize = 64 << 10;

/// Most dependencies of one version. The solver reads each of them, for each version.
const DEPENDENCIES_MAX: usize = 500;

/// One version of a package, as in its line; unknown keys are kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct IndexEntry {
    /// The package.
    pub name: PackageName,
    /// The version.
    pub vers: Version,
    /// Its dependencies.
    pub deps: Vec<EntryDependency>,
    /// The checksum of its tree.
    pub cksum: Checksum,
    /// The digest of its archive's bytes, as `sha256:…`; `None` for a version that is served from [`IndexEntry::src`] alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    /// Whether it was yanked: it is no longer chosen, but locked versions still install.
    pub yanked: bool,
    /// Why it was revoked: it may no longer be installed, even if it is locked. Programs that do not know this key find it
    /// yanked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Its license, as an SPDX expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The URL of its repository, as its author wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// When it was published, as RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pubtime: Option<String>,
    /// The commit it can also be fetched from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub src: Option<EntryCommit>,
    /// The format version of the line.
    pub v: u32,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// One dependency of a version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntryDependency {
    /// The package.
    pub name: PackageName,
    /// The accepted versions.
    pub req: VersionReq,
    /// The registry it comes from: the URL of its index, or a name in the reader's settings; `None` for the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry: Option<String>,
}

/// A commit that has a version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntryCommit {
    /// The repository.
    pub git: GitUrl,
    /// The full commit.
    pub rev: String,
    /// The directory in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<RelPath>,
}

/// The key of a line; unknown ones are kept.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum EntryKey {
    Name,
    Vers,
    Deps,
    Cksum,
    Archive,
    Yanked,
    Revoked,
    Description,
    Keywords,
    License,
    Repository,
    Pubtime,
    Src,
    V,
    Other(String),
}

/// Reads a line in one pass. (`serde(flatten)` would first build all of it in memory, once more than is needed: a solve
/// reads thousands of lines.)
impl<'de> Deserialize<'de> for IndexEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntryVisitor)
    }
}

struct EntryVisitor;

impl<'de> Visitor<'de> for EntryVisitor {
    type Value = IndexEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object that describes a version")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<IndexEntry, A::Error> {
        let mut fields = EntryFields::default();
        while let Some(key) = map.next_key()? {
            fields.read_value(key, &mut map)?;
        }
        fields.into_entry()
    }
}

/// The values of a line that were read so far.
#[derive(Default)]
struct EntryFields {
    name: FieldSlot<PackageName>,
    vers: FieldSlot<Version>,
    deps: FieldSlot<Vec<EntryDependency>>,
    cksum: FieldSlot<Checksum>,
    archive: FieldSlot<Option<String>>,
    yanked: FieldSlot<bool>,
    revoked: FieldSlot<Option<String>>,
    description: FieldSlot<Option<String>>,
    keywords: FieldSlot<Vec<String>>,
    license: FieldSlot<Option<String>>,
    repository: FieldSlot<Option<String>>,
    pubtime: FieldSlot<Option<String>>,
    src: FieldSlot<Option<EntryCommit>>,
    v: FieldSlot<u32>,
    rest: Map<String, Value>,
}

impl EntryFields {
    fn read_value<'de, A: MapAccess<'de>>(
        &mut self,
        key: EntryKey,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match key {
            EntryKey::Name => self.name.read(map),
            EntryKey::Vers => self.vers.read(map),
            EntryKey::Deps => self.deps.read(map),
            EntryKey::Cksum => self.cksum.read(map),
            EntryKey::Archive => self.archive.read(map),
            EntryKey::Yanked => self.yanked.read(map),
            EntryKey::Revoked => self.revoked.read(map),
            EntryKey::Description => self.description.read(map),
            EntryKey::Keywords => self.keywords.read(map),
            EntryKey::License => self.license.read(map),
            EntryKey::Repository => self.repository.read(map),
            EntryKey::Pubtime => self.pubtime.read(map),
            EntryKey::Src => self.src.read(map),
            EntryKey::V => self.v.read(map),
            EntryKey::Other(key) => {
                self.rest.insert(key, map.next_value()?);
                Ok(())
            }
        }
    }

    fn into_entry<E: serde::de::Error>(self) -> Result<IndexEntry, E> {
        // Only these three keys are required.
        Ok(IndexEntry {
            name: self.name.require("name")?,
            vers: self.vers.require("vers")?,
            deps: self.deps.0.unwrap_or_default(),
            cksum: self.cksum.require("cksum")?,
            archive: self.archive.0.flatten(),
            yanked: self.yanked.0.unwrap_or(false),
            revoked: self.revoked.0.flatten(),
            description: self.description.0.flatten(),
            keywords: self.keywords.0.unwrap_or_default(),
            license: self.license.0.flatten(),
            repository: self.repository.0.flatten(),
            pubtime: self.pubtime.0.flatten(),
            src: self.src.0.flatten(),
            v: self.v.0.unwrap_or(ENTRY_FORMAT),
            rest: self.rest,
        })
    }
}

/// The value of a key; `None` until it is read.
struct FieldSlot<T>(Option<T>);

impl<T> Default for FieldSlot<T> {
    fn default() -> Self {
        FieldSlot(None)
    }
}

impl<T> FieldSlot<T> {
    /// Reads the value, or fails if the key is repeated: two readers could each take another value.
    fn read<'de, A: MapAccess<'de>>(&mut self, map: &mut A) -> Result<(), A::Error>
    where
        T: Deserialize<'de>,
    {
        match self.0.replace(map.next_value()?) {
            Some(_) => Err(A::Error::custom("duplicate key")),
            None => Ok(()),
        }
    }

    fn require<E: serde::de::Error>(self, key: &'static str) -> Result<T, E> {
        self.0.ok_or_else(|| E::missing_field(key))
    }
}

impl IndexEntry {
    /// Parses a line of the file of package `name`.
    ///
    /// # Errors
    /// Why the line is ignored: it is invalid, of a newer format, too long, or about another package.
    pub fn parse(line: &str, name: &PackageName) -> Result<IndexEntry, String> {
        // Checked before it is parsed, which takes many times its length in memory.
        if line.len() > LINE_MAX {
            return Err(format!(
                "it has {} bytes; the limit is {LINE_MAX}",
                line.len()
            ));
        }

        // A line of a newer format may fail to parse; then its format is the reason to report.
        let entry: IndexEntry =
            serde_json::from_str(line).map_err(|cause| match find_newer_format(line) {
                Some(form) => newer_format_message(form),
                None => format!("invalid entry: {cause}"),
            })?;

        // Refused even if it parses: a key may have another meaning there.
        if entry.v > ENTRY_FORMAT {
            return Err(newer_format_message(entry.v));
        }

        if entry.name != *name {
            // The path of the file is that of the package, and a line in it cannot be about another one.
            return Err(format!("it is about another package, `{}`", entry.name));
        }

        if entry.deps.len() > DEPENDENCIES_MAX {
            return Err(format!(
                "it has {} dependencies; the limit is {DEPENDENCIES_MAX}",
                entry.deps.len()
            ));
        }

        if entry.archive.is_some() && entry.archive_digest().is_none() {
            return Err("invalid `archive`: expected a sha256 digest".into());
        }

        if entry.archive.is_none() && entry.src.is_none() {
            return Err("missing `archive` or `src`, so it cannot be fetched".into());
        }

        Ok(entry)
    }

    /// The digest of its archive's bytes; `None` if the line has no valid one.
    #[must_use]
    pub fn archive_digest(&self) -> Option<Sha256Digest> {
        // With the prefix, so that another algorithm can be added without confusion.
        self.archive
            .as_deref()?
            .strip_prefix("sha256:")?
            .parse()
            .ok()
    }

    /// Whether it is no longer chosen, since it was yanked or revoked.
    #[must_use]
    pub fn is_withdrawn(&self) -> bool {
        // A revoked line is normally yanked as well, but only by convention.
        self.yanked || self.revoked.is_some()
    }

    /// When it was published; `None` if the line has no valid time.
    #[must_use]
    pub fn published_at(&self) -> Option<Timestamp> {
        // An invalid time is no error: it is informative, and age limits treat it as unknown.
        self.pubtime.as_deref()?.parse().ok()
    }
}

fn newer_format_message(form: u32) -> String {
    format!("unsupported format version {form}, which a newer skillpm reads")
}

/// Whether a text could be a line of an index, perhaps of a newer format: an object with a version or a format version.
pub(super) fn looks_like_entry(text: &str) -> bool {
    if text.len() > LINE_MAX {
        return false;
    }

    // An object of anything else is what an API or an error page returns.
    let object: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
    object.contains_key("vers") || object.contains_key("v")
}

/// The format version of a line that could not be parsed, if it is a newer one.
fn find_newer_format(line: &str) -> Option<u32> {
    #[derive(Deserialize)]
    struct FormatProbe {
        v: u32,
    }
    serde_json::from_str(line)
        .ok()
        .map(|form: FormatProbe| form.v)
        .filter(|&form| form > ENTRY_FORMAT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(more: &str) -> String {
        format!(
            r#"{{"name":"acme/pdf","vers":"1.2.0","deps":[{{"name":"acme/base","req":"^1"}}],"cksum":"skill-tree-v1:{0}","archive":"sha256:{0}","yanked":false{more},"v":1}}"#,
            "0".repeat(64)
        )
    }

    fn parse(line: &str) -> Result<IndexEntry, String> {
        IndexEntry::parse(line, &"acme/pdf".parse().unwrap())
    }

    #[test]
    fn a_line_that_is_too_long_or_has_too_many_dependencies_is_ignored() {
        let needs = |count: usize| {
            let deps = vec![r#"{"name":"a","req":"*"}"#; count].join(",");
            line("").replace(
                r#""deps":[{"name":"acme/base","req":"^1"}]"#,
                &format!(r#""deps":[{deps}]"#),
            )
        };
        let most = needs(DEPENDENCIES_MAX);
        assert_eq!(parse(&most).unwrap().deps.len(), DEPENDENCIES_MAX);
        assert_eq!(
            parse(&needs(DEPENDENCIES_MAX + 1)).unwrap_err(),
            "it has 501 dependencies; the limit is 500"
        );
        let million = needs(1_000_000);
        assert_eq!(
            parse(&million).unwrap_err(),
            format!("it has {} bytes; the limit is {LINE_MAX}", million.len())
        );
    }

    #[test]
    fn a_line_is_written_as_it_was_read_with_unknown_keys() {
        for more in [
            "",
            r#","revoked":"it sends forms away""#,
            r#","license":"MIT","repository":"https://acme.dev/pdf","later":{"a":[1,null]},"z":1"#,
        ] {
            let text = line(more);
            let written = serde_json::to_value(parse(&text).unwrap()).unwrap();
            assert_eq!(written, serde_json::from_str::<Value>(&text).unwrap());
        }
        assert_eq!(
            serde_json::to_string(&parse(&line("")).unwrap()).unwrap(),
            line("")
        );
    }

    #[test]
    fn an_ambiguous_or_incomplete_line_is_ignored_with_the_reason() {
        assert_eq!(
            parse(&line(r#","description":null,"src":null"#)).unwrap(),
            parse(&line("")).unwrap()
        );
        let twice = line(&format!(r#","cksum":"skill-tree-v1:{}""#, "1".repeat(64)));
        assert!(parse(&twice).unwrap_err().contains("duplicate key"));
        assert_eq!(
            parse(r#"{"v":2,"name":["new"]}"#).unwrap_err(),
            "unsupported format version 2, which a newer skillpm reads"
        );
        assert!(
            parse(r#"{"v":1,"name":"acme/pdf"}"#)
                .unwrap_err()
                .contains("missing field `vers`")
        );
        assert!(
            parse("[]")
                .unwrap_err()
                .contains("an object that describes a version")
        );
        let nowhere = line("").replace(&format!(r#""archive":"sha256:{}","#, "0".repeat(64)), "");
        assert!(
            parse(&nowhere)
                .unwrap_err()
                .starts_with("missing `archive` or `src`")
        );
    }
}
