//! The serde schema of `skillpm.lock`, before its meaning is checked.

use semver::Version;
use serde::Deserialize;

use super::LockedPackage;
use crate::error::Error;
use crate::package::{Checksum, PackageName, RelPath, Sha256Digest, SkillName, SourceId};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLockfile {
    #[serde(rename = "version")]
    _version: i64,
    #[serde(default)]
    pub package: Vec<RawLockedPackage>,
    pub metadata: Option<RawLockfileMetadata>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawLockfileMetadata {
    pub entries: usize,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawLockedPackage {
    name: PackageName,
    r#as: Option<SkillName>,
    version: Option<Version>,
    source: String,
    path: Option<RelPath>,
    tree: Option<String>,
    archive: Option<String>,
    checksum: Checksum,
    source_checksum: Option<Checksum>,
    patch: Option<String>,
    signed_by: Option<String>,
    #[serde(default)]
    allowed_findings: Vec<String>,
    #[serde(default)]
    replaces: Vec<String>,
    #[serde(default)]
    dependencies: Vec<String>,
}

/// The source that was parsed last, with its text: most packages of a lockfile are from the same registry.
#[derive(Default)]
pub(super) struct KnownSource(Option<(String, SourceId)>);

impl KnownSource {
    fn parse(&mut self, text: &str) -> Result<SourceId, Error> {
        if let Some((known, source)) = &self.0
            && known == text
        {
            return Ok(source.clone());
        }

        let source: SourceId = text.parse()?;
        self.0 = Some((text.to_owned(), source.clone()));
        Ok(source)
    }
}

impl RawLockedPackage {
    /// Checks the entry; `known` is the source of the one before.
    ///
    /// # Errors
    /// If a field is invalid.
    pub(super) fn into_locked(self, known: &mut KnownSource) -> Result<LockedPackage, Error> {
        let raw = self;
        // The path of a directory or the URL of an archive may itself contain a `#`.
        let (source, commit) = match raw.source.split_once('#') {
            Some((source, commit)) if source.starts_with("git+") => {
                (source, Some(commit.to_owned()))
            }
            _ => (raw.source.as_str(), None),
        };

        let source = known.parse(source)?;
        check_object_ids(&raw, &source, commit.as_deref())?;

        Ok(LockedPackage {
            name: raw.name,
            alias: raw.r#as,
            version: raw.version,
            source,
            commit,
            path: raw.path,
            tree: raw.tree,
            checksum: raw.checksum,
            source_checksum: raw.source_checksum,
            patch: raw.patch.as_deref().map(parse_digest).transpose()?,
            signed_by: raw.signed_by.map(|text| text.parse()).transpose()?,
            archive: raw.archive.as_deref().map(parse_digest).transpose()?,
            allowed_findings: raw.allowed_findings,
            replaces: raw.replaces,
            dependencies: raw.dependencies,
        })
    }
}

/// Checks that the ids of the commit and the tree are whole ones.
fn check_object_ids(
    raw: &RawLockedPackage,
    source: &SourceId,
    commit: Option<&str>,
) -> Result<(), Error> {
    // An abbreviated commit could be the name of a branch, or become ambiguous later.
    if matches!(source, SourceId::Git { .. }) && !commit.is_some_and(is_object_id) {
        return Err(Error::usage(format!(
            "missing full commit id in the `source` of `{}`",
            raw.name
        )));
    }

    if raw.tree.as_deref().is_some_and(|tree| !is_object_id(tree)) {
        return Err(Error::usage(format!(
            "invalid `tree` of `{}`: it is not a git object id",
            raw.name
        )));
    }
    Ok(())
}

fn is_object_id(id: &str) -> bool {
    // SHA-1 has 40 digits, SHA-256 has 64.
    matches!(id.len(), 40 | 64) && id.bytes().all(|b| b.is_ascii_hexdigit())
}

fn parse_digest(text: &str) -> Result<Sha256Digest, Error> {
    text.strip_prefix("sha256:").unwrap_or(text).parse()
}
