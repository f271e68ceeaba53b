//! One line of an index: one version of a package.

use jiff::Timestamp;
use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::package::{Checksum, GitUrl, PackageName, RelPath, Sha256};

/// The newest form of a line this program reads.
const FORM: u32 = 1;

/// One version of a package, as its line says; keys that are not known are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The package.
    pub name: PackageName,
    /// The version.
    pub vers: Version,
    /// What it needs.
    #[serde(default)]
    pub deps: Vec<EntryDependency>,
    /// The checksum of its tree.
    pub cksum: Checksum,
    /// The digest of its archive's bytes, as `sha256:…`; `None` for a version that is served from [`Entry::src`] alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    /// Whether it was withdrawn from new resolves.
    #[serde(default)]
    pub yanked: bool,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Its licence, as an SPDX expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// When it was published, as RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pubtime: Option<String>,
    /// The commit it can also be taken from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub src: Option<Origin>,
    /// The form of the line.
    #[serde(default = "form")]
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

fn form() -> u32 {
    FORM
}

impl Entry {
    /// Reads a line of the file of package `name`.
    ///
    /// # Errors
    /// Why it is to be passed over: it is of a newer form, cannot be read, or names another package.
    pub fn parse(line: &str, name: &PackageName) -> Result<Entry, String> {
        #[derive(Deserialize)]
        struct Form {
            #[serde(default = "form")]
            v: u32,
        }
        let form: Form = serde_json::from_str(line).map_err(|cause| format!("it cannot be read: {cause}"))?;
        if form.v > FORM {
            return Err(format!("it is of form {}, which a newer skillpm reads", form.v));
        }
        let entry: Entry = serde_json::from_str(line).map_err(|cause| format!("it cannot be read: {cause}"))?;
        if entry.name != *name {
            return Err(format!("it is about `{}`", entry.name));
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

    /// When it was published; `None` if the line does not say, or in no form that is known.
    #[must_use]
    pub fn published(&self) -> Option<Timestamp> {
        self.pubtime.as_deref()?.parse().ok()
    }
}
