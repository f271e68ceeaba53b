//! What a project consists of, as bills of materials: CycloneDX 1.6 and SPDX 2.3, both as JSON.
//!
//! Pure: the same lockfile and the same packages give the same bytes. The serial number comes from the lockfile's digest,
//! and a time only from whoever calls.
//!
//! | file | what |
//! |---|---|
//! | `purl.rs` | what a package is called for all the world: its package URL |
//! | `cyclonedx.rs`, `spdx_json.rs` | the two forms |
//!
//! Both are written by hand with `serde_json`: `cyclonedx-bom` 0.8 ends at version 1.5, `spdx-rs` has had no release since
//! 2023, and of either form we need a small part. The tests hold them to the official validators.

mod cyclonedx;
mod purl;
mod spdx_json;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use crate::lockfile::{Locked, Lockfile};
use crate::manifest::policy::Licence;
use crate::package::{Sha256, SkillName, SourceId};

/// A form that a bill of materials has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// CycloneDX 1.6.
    CycloneDx,
    /// SPDX 2.3.
    Spdx,
}

/// What is known of a package besides what the lockfile says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// What it says of its licence.
    pub licence: Option<String>,
    /// What it is for.
    pub description: Option<String>,
}

/// What a bill of materials is made of.
#[derive(Debug, Clone, Copy)]
pub struct Bill<'a> {
    /// The project's name.
    pub name: &'a str,
    /// The project's version, if it has one.
    pub version: Option<&'a str>,
    /// What it consists of.
    pub lockfile: &'a Lockfile,
    /// The names of what it asks for itself, sorted.
    pub roots: &'a [SkillName],
    /// What is known of each package, by the name it is installed under.
    pub facts: &'a BTreeMap<SkillName, Facts>,
    /// When it is said to be made.
    pub time: Option<Timestamp>,
}

impl Bill<'_> {
    /// The bill as JSON, with a line end behind it.
    #[must_use]
    pub fn to_text(&self, form: Form) -> String {
        let value = match form {
            Form::CycloneDx => cyclonedx::document(self),
            Form::Spdx => spdx_json::document(self),
        };
        format!("{value:#}\n")
    }

    /// A UUID (of version 8, for those of one's own making) that is the same for the same lockfile of the same project.
    fn uuid(&self) -> String {
        let mut bytes = *Sha256::of(format!("{}\n{}", self.name, self.lockfile.to_text()).as_bytes()).as_bytes();
        bytes[6] = bytes[6] & 0x0f | 0x80;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        let hex = hex::encode(&bytes[..16]);
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    fn facts(&self, locked: &Locked) -> Facts {
        self.facts.get(locked.install_name()).cloned().unwrap_or_default()
    }

    fn licence(&self, locked: &Locked) -> Licence {
        Licence::of(self.facts(locked).licence.as_deref())
    }

    /// The names of what a package needs, as they are installed.
    fn needs(&self, locked: &Locked) -> Vec<&SkillName> {
        let needed = locked.dependencies.iter().filter_map(|reference| self.lockfile.referred(reference));
        needed.map(Locked::install_name).collect()
    }

    /// The names of what the project itself asks for and has.
    fn asked(&self) -> Vec<&SkillName> {
        self.roots.iter().filter(|name| self.lockfile.installed_as(name).is_some()).collect()
    }
}

/// What a package is called after its name: its version, else its commit.
fn version(locked: &Locked) -> Option<String> {
    locked.version.as_ref().map(ToString::to_string).or_else(|| locked.commit.clone())
}

/// Where a package can be had, in the form that git URLs have in both documents: `git+https://host/r@COMMIT#path`.
fn vcs_url(locked: &Locked) -> Option<String> {
    let SourceId::Git { url, .. } = &locked.source else { return None };
    let commit = locked.commit.as_ref().map(|commit| format!("@{commit}")).unwrap_or_default();
    let path = locked.path.as_ref().map(|path| format!("#{path}")).unwrap_or_default();
    Some(format!("git+{url}{commit}{path}"))
}

/// Facts of the lockfile that neither form has a place for, by key.
fn properties(locked: &Locked) -> Vec<(&'static str, String)> {
    let mut properties = vec![
        ("skillpm:checksum", locked.checksum.to_string()),
        ("skillpm:installed-as", locked.install_name().to_string()),
        ("skillpm:source", locked.source.to_string()),
    ];
    properties.extend(locked.commit.clone().map(|commit| ("skillpm:commit", commit)));
    properties.extend(locked.tree.clone().map(|tree| ("skillpm:git-tree", tree)));
    properties.extend(locked.patch.map(|patch| ("skillpm:patch", format!("sha256:{patch}"))));
    properties.extend(locked.source_checksum.map(|checksum| ("skillpm:source-checksum", checksum.to_string())));
    properties.sort();
    properties
}

/// A JSON object without the keys that have no value.
fn object(entries: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Value {
    let present = entries.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(present.collect())
}
