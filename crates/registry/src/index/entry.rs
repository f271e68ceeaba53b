//! One line of an index: one version of a package.

use std::fmt;

use jiff::Timestamp;
use semver::{Version, VersionReq};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::package::{Checksum, GitUrl, PackageName, RelPath, Sha256};

/// The newest form of a line this program reads.
const FORM: u32 = 1;

/// Longest line, in bytes: a version that needs as many packages as it may.
const LINE_MAX: usize = 64 << 10;

/// Most packages that one version needs. A solve looks at each of them, for each version.
const DEPENDENCIES_MAX: usize = 500;

/// One version of a package, as its line says; keys that are not known are kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    /// The package.
    pub name: PackageName,
    /// The version.
    pub vers: Version,
    /// What it needs.
    pub deps: Vec<EntryDependency>,
    /// The checksum of its tree.
    pub cksum: Checksum,
    /// The digest of its archive's bytes, as `sha256:…`; `None` for a version that is served from [`Entry::src`] alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    /// Whether it was withdrawn from new resolves.
    pub yanked: bool,
    /// Why nobody may have it any more, not even who has locked it; programs that do not know this find it yanked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked: Option<String>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Its licence, as an SPDX expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// When it was published, as RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pubtime: Option<String>,
    /// The commit it can also be taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub src: Option<Origin>,
    /// The form of the line.
    pub v: u32,
    /// Everything else.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// One thing that a version needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EntryDependency {
    /// The package.
    pub name: PackageName,
    /// Which versions.
    pub req: VersionReq,
    /// The registry it comes from: the URL of its index, or a name that whoever reads this has configured; `None` for
    /// the same one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry: Option<String>,
}

/// A commit that holds a version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The repository.
    pub git: GitUrl,
    /// The full commit.
    pub rev: String,
    /// The directory in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<RelPath>,
}

/// The key of a line; one that is not known is kept.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
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
    Pubtime,
    Src,
    V,
    Other(String),
}

/// Reads a line in one pass. (`serde(flatten)` would first build all of it in memory, once more than is needed: a solve
/// reads thousands of lines.)
impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Line)
    }
}

struct Line;

impl<'de> Visitor<'de> for Line {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object that describes a version")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry, A::Error> {
        let (mut name, mut vers, mut cksum) = (None, None, None);
        let (mut deps, mut keywords): (Option<Vec<EntryDependency>>, Option<Vec<String>>) = (None, None);
        let (mut archive, mut description, mut license, mut pubtime) = (None, None, None, None);
        let (mut yanked, mut revoked, mut src, mut v) = (None, None, None, None);
        let mut rest = Map::new();
        while let Some(key) = map.next_key()? {
            match key {
                Key::Name => once(&mut name, map.next_value()?)?,
                Key::Vers => once(&mut vers, map.next_value()?)?,
                Key::Deps => once(&mut deps, map.next_value()?)?,
                Key::Cksum => once(&mut cksum, map.next_value()?)?,
                Key::Archive => once(&mut archive, map.next_value()?)?,
                Key::Yanked => once(&mut yanked, map.next_value()?)?,
                Key::Revoked => once(&mut revoked, map.next_value()?)?,
                Key::Description => once(&mut description, map.next_value()?)?,
                Key::Keywords => once(&mut keywords, map.next_value()?)?,
                Key::License => once(&mut license, map.next_value()?)?,
                Key::Pubtime => once(&mut pubtime, map.next_value()?)?,
                Key::Src => once(&mut src, map.next_value()?)?,
                Key::V => once(&mut v, map.next_value()?)?,
                Key::Other(key) => drop(rest.insert(key, map.next_value()?)),
            }
        }
        Ok(Entry {
            name: name.ok_or_else(|| A::Error::missing_field("name"))?,
            vers: vers.ok_or_else(|| A::Error::missing_field("vers"))?,
            deps: deps.unwrap_or_default(),
            cksum: cksum.ok_or_else(|| A::Error::missing_field("cksum"))?,
            archive: archive.flatten(),
            yanked: yanked.unwrap_or(false),
            revoked: revoked.flatten(),
            description: description.flatten(),
            keywords: keywords.unwrap_or_default(),
            license: license.flatten(),
            pubtime: pubtime.flatten(),
            src: src.flatten(),
            v: v.unwrap_or(FORM),
            rest,
        })
    }
}

/// Two readers could take a key that stands twice for two things.
fn once<T, E: serde::de::Error>(place: &mut Option<T>, value: T) -> Result<(), E> {
    match place.replace(value) {
        Some(_) => Err(E::custom("a key stands in it twice")),
        None => Ok(()),
    }
}

impl Entry {
    /// Reads a line of the file of package `name`.
    ///
    /// # Errors
    /// Why it is to be passed over: it is of a newer form, cannot be read, is larger than a line may be, or names another
    /// package.
    pub fn parse(line: &str, name: &PackageName) -> Result<Entry, String> {
        if line.len() > LINE_MAX {
            return Err(format!("it has {} bytes; the limit is {LINE_MAX}", line.len()));
        }
        let entry: Entry = serde_json::from_str(line).map_err(|cause| match newer_form(line) {
            Some(form) => is_newer(form),
            None => format!("it cannot be read: {cause}"),
        })?;
        if entry.v > FORM {
            return Err(is_newer(entry.v));
        }
        if entry.name != *name {
            return Err(format!("it is about `{}`", entry.name));
        }
        if entry.deps.len() > DEPENDENCIES_MAX {
            return Err(format!("it has {} dependencies; the limit is {DEPENDENCIES_MAX}", entry.deps.len()));
        }
        if entry.archive.is_some() && entry.archive_digest().is_none() {
            return Err("its `archive` is not a sha256 digest".into());
        }
        if entry.archive.is_none() && entry.src.is_none() {
            return Err("it has neither `archive` nor `src`, so that it can be had from nowhere".into());
        }
        Ok(entry)
    }

    /// The digest of its archive's bytes; `None` if the line has none that can be used.
    #[must_use]
    pub fn archive_digest(&self) -> Option<Sha256> {
        self.archive.as_deref()?.strip_prefix("sha256:")?.parse().ok()
    }

    /// Whether nobody chooses it anew: it was yanked or revoked.
    #[must_use]
    pub fn is_withdrawn(&self) -> bool {
        self.yanked || self.revoked.is_some()
    }

    /// When it was published; `None` if the line does not say, or in no form that is known.
    #[must_use]
    pub fn published(&self) -> Option<Timestamp> {
        self.pubtime.as_deref()?.parse().ok()
    }
}

fn is_newer(form: u32) -> String {
    format!("it is of form {form}, which a newer skillpm reads")
}

/// Whether a text could be a line of an index, perhaps of a newer form: an object that states a version or its form.
pub(super) fn is_line(text: &str) -> bool {
    if text.len() > LINE_MAX {
        return false;
    }
    let object: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
    object.contains_key("vers") || object.contains_key("v")
}

/// The form of a line that could not be read, if that is why.
fn newer_form(line: &str) -> Option<u32> {
    #[derive(Deserialize)]
    struct Form {
        v: u32,
    }
    serde_json::from_str(line).ok().map(|form: Form| form.v).filter(|&form| form > FORM)
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

    fn parse(line: &str) -> Result<Entry, String> {
        Entry::parse(line, &"acme/pdf".parse().unwrap())
    }

    #[test]
    fn a_line_that_is_too_long_or_needs_too_much_is_passed_over() {
        let needs = |count: usize| {
            let deps = vec![r#"{"name":"a","req":"*"}"#; count].join(",");
            line("").replace(r#""deps":[{"name":"acme/base","req":"^1"}]"#, &format!(r#""deps":[{deps}]"#))
        };
        let most = needs(DEPENDENCIES_MAX);
        assert_eq!(parse(&most).unwrap().deps.len(), DEPENDENCIES_MAX);
        assert_eq!(parse(&needs(DEPENDENCIES_MAX + 1)).unwrap_err(), "it has 501 dependencies; the limit is 500");
        let million = needs(1_000_000);
        assert_eq!(parse(&million).unwrap_err(), format!("it has {} bytes; the limit is {LINE_MAX}", million.len()));
    }

    #[test]
    fn a_line_is_written_as_it_was_read_with_what_is_not_known() {
        for more in ["", r#","revoked":"it sends forms away""#, r#","license":"MIT","later":{"a":[1,null]},"z":1"#] {
            let text = line(more);
            let written = serde_json::to_value(parse(&text).unwrap()).unwrap();
            assert_eq!(written, serde_json::from_str::<Value>(&text).unwrap());
        }
        assert_eq!(serde_json::to_string(&parse(&line("")).unwrap()).unwrap(), line(""));
    }

    #[test]
    fn a_line_that_could_mean_two_things_or_nothing_is_passed_over_with_the_reason() {
        assert_eq!(parse(&line(r#","description":null,"src":null"#)).unwrap(), parse(&line("")).unwrap());
        let twice = line(&format!(r#","cksum":"skill-tree-v1:{}""#, "1".repeat(64)));
        assert!(parse(&twice).unwrap_err().contains("a key stands in it twice"));
        assert_eq!(parse(r#"{"v":2,"name":["new"]}"#).unwrap_err(), "it is of form 2, which a newer skillpm reads");
        assert!(parse(r#"{"v":1,"name":"acme/pdf"}"#).unwrap_err().contains("missing field `vers`"));
        assert!(parse("[]").unwrap_err().contains("an object that describes a version"));
        let nowhere = line("").replace(&format!(r#""archive":"sha256:{}","#, "0".repeat(64)), "");
        assert!(parse(&nowhere).unwrap_err().starts_with("it has neither"));
    }
}
