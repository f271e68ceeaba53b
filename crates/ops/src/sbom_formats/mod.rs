//! Renders bills of materials: CycloneDX 1.6 and SPDX 2.3, both as JSON.
//!
//! Pure: the same lockfile and the same packages give the same bytes. The serial number is derived
//! from the lockfile, and the caller passes the time.
//!
//! | file | what |
//! |---|---|
//! | `purl.rs` | package URLs |
//! | `cyclonedx.rs`, `spdx_json.rs` | the two formats |
//!
//! Both are written with `serde_json` directly: `cyclonedx-bom` 0.8 ends at version 1.5, `spdx-rs`
//! has had no release since 2023, and only a small part of each format is needed. The tests check
//! them with the official validators.

mod cyclonedx;
mod purl;
mod spdx_json;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;

use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest::policy::PackageLicense;
use skillpm_core::package::{Sha256Digest, SkillName, SourceId};

/// A format of bills of materials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SbomFormat {
    /// CycloneDX 1.6.
    CycloneDx,
    /// SPDX 2.3.
    Spdx,
}

/// Facts about a package that are not in the lockfile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SbomFacts {
    /// Its license, as its author wrote it.
    pub license: Option<String>,
    /// Its description.
    pub description: Option<String>,
}

/// The input of a bill of materials.
#[derive(Debug, Clone, Copy)]
pub struct BillOfMaterials<'a> {
    /// The project's name.
    pub name: &'a str,
    /// The project's version, if it has one.
    pub version: Option<&'a str>,
    /// The project's packages.
    pub lockfile: &'a Lockfile,
    /// The install names of its direct dependencies, sorted.
    pub roots: &'a [SkillName],
    /// The facts about each package, by install name.
    pub facts: &'a BTreeMap<SkillName, SbomFacts>,
    /// The creation time of the document.
    pub time: Option<Timestamp>,
}

impl BillOfMaterials<'_> {
    /// The document as JSON, with a newline at the end.
    #[must_use]
    pub fn to_text(&self, format: SbomFormat) -> String {
        let value = match format {
            SbomFormat::CycloneDx => cyclonedx::document(self),
            SbomFormat::Spdx => spdx_json::document(self),
        };
        format!("{value:#}\n")
    }

    /// A UUID of version 8 (custom) that is the same for the same lockfile of the same project.
    fn uuid(&self) -> String {
        // With the name: two projects may have the same lockfile.
        let mut bytes = *Sha256Digest::hash_bytes(
            format!("{}\n{}", self.name, self.lockfile.to_text()).as_bytes(),
        )
        .as_bytes();
        // The version and variant bits of RFC 9562.
        bytes[6] = bytes[6] & 0x0f | 0x80;
        bytes[8] = bytes[8] & 0x3f | 0x80;

        let hex = hex::encode(&bytes[..16]);
        format!(
            "{}-{}-{}-{}-{}",
            &hex[..8],
            &hex[8..12],
            &hex[12..16],
            &hex[16..20],
            &hex[20..]
        )
    }

    fn facts(&self, locked: &LockedPackage) -> SbomFacts {
        self.facts
            .get(locked.install_name())
            .cloned()
            .unwrap_or_default()
    }

    fn license(&self, locked: &LockedPackage) -> PackageLicense {
        PackageLicense::from_text(self.facts(locked).license.as_deref())
    }

    /// The install names of a package's dependencies.
    fn dependency_names(&self, locked: &LockedPackage) -> Vec<&SkillName> {
        let needed = locked
            .dependencies
            .iter()
            .filter_map(|reference| self.lockfile.find_by_reference(reference));
        needed.map(LockedPackage::install_name).collect()
    }

    /// The install names of the project's direct dependencies that are locked.
    fn root_names(&self) -> Vec<&SkillName> {
        self.roots
            .iter()
            // A reference to a package that the document does not have would be invalid.
            .filter(|name| self.lockfile.installed_as(name).is_some())
            .collect()
    }
}

/// The version of a package, else its commit.
fn version(locked: &LockedPackage) -> Option<String> {
    locked
        .version
        .as_ref()
        .map(ToString::to_string)
        // Packages from git often have no version; the commit is as exact.
        .or_else(|| locked.commit.clone())
}

/// The URL of a git package, as both formats have it: `git+https://host/r@COMMIT#path`.
fn vcs_url(locked: &LockedPackage) -> Option<String> {
    let SourceId::Git { url, .. } = &locked.source else {
        return None;
    };

    // The locked commit, not the requested reference: a branch moves.
    let commit = locked
        .commit
        .as_ref()
        .map(|commit| format!("@{commit}"))
        .unwrap_or_default();

    let path = locked
        .path
        .as_ref()
        .map(|path| format!("#{path}"))
        .unwrap_or_default();

    Some(format!("git+{url}{commit}{path}"))
}

/// Facts of the lockfile that neither format has a field for, by key.
fn properties(locked: &LockedPackage) -> Vec<(&'static str, String)> {
    let mut properties = vec![
        ("skillpm:checksum", locked.checksum.to_string()),
        ("skillpm:installed-as", locked.install_name().to_string()),
        ("skillpm:source", locked.source.to_string()),
    ];

    properties.extend(
        locked
            .commit
            .clone()
            .map(|commit| ("skillpm:commit", commit)),
    );
    properties.extend(locked.tree.clone().map(|tree| ("skillpm:git-tree", tree)));
    properties.extend(
        locked
            .patch
            .map(|patch| ("skillpm:patch", format!("sha256:{patch}"))),
    );
    properties.extend(
        locked
            .source_checksum
            .map(|checksum| ("skillpm:source-checksum", checksum.to_string())),
    );

    // The order of the lines above must not change documents.
    properties.sort();
    properties
}

/// A JSON object without the keys that have no value.
fn object(entries: impl IntoIterator<Item = (&'static str, Option<Value>)>) -> Value {
    // The schemas of both formats do not allow `null`.
    let present = entries
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(present.collect())
}
