//! Security advisories about published packages, and which packages they affect.
//!
//! ```text
//! advisories/
//! ├── all.json              every advisory in one file, which readers fetch (`pack.rs`)
//! └── SKSA-2026-0001.json   one each, for people and reviews (`osv.rs`)
//! ```
//!
//! The form is OSV's (<https://ossf.github.io/osv-schema/>), ecosystem `skillpm`. Matching is a pure function: an
//! [`Advisory`] and an [`AuditedPackage`] give an [`AdvisoryMatch`].

mod osv;
pub mod pack;
mod range;

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use semver::Version;

use crate::error::{Error, Result};
use crate::package::{Checksum, GitUrl, PackageName, RelPath, SourceId};
use crate::report::Severity;

pub use osv::{ParsedAdvisory, parse};
use range::AffectedRange;

/// The folder of an index that has its advisories.
pub const ADVISORY_DIR: &str = "advisories";

/// The OSV ecosystem of skillpm's packages.
pub const ECOSYSTEM: &str = "skillpm";

/// Longest id, in bytes.
const ID_MAX: usize = 64;

/// The id of an advisory: `SKSA-2026-0001`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AdvisoryId(String);

impl AdvisoryId {
    /// The id as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path of its file in an index.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{ADVISORY_DIR}/{self}.json")
    }
}

impl FromStr for AdvisoryId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        // The id becomes a file name (`AdvisoryId::path`), so it must not contain a separator or `..`.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        let is_id = text.len() <= ID_MAX
            && text.contains('-')
            && text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.chars().all(is_plain)
            && !text.contains("..");

        if is_id {
            return Ok(AdvisoryId(text.to_owned()));
        }
        Err(
            Error::usage(format!("invalid advisory id `{}`", text.escape_debug()))
                .help("advisory ids look like `SKSA-2026-0001`, `CVE-2026-12345` or `GHSA-xxxx-xxxx-xxxx`"),
        )
    }
}

impl fmt::Display for AdvisoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A security advisory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advisory {
    /// Its id.
    pub id: AdvisoryId,
    /// Its ids in other databases.
    pub aliases: BTreeSet<String>,
    /// One sentence.
    pub summary: String,
    /// Its severity; high where none is given.
    pub severity: Severity,
    /// When it was withdrawn; `None` while it is in force.
    pub withdrawn: Option<String>,
    /// Where to read more.
    pub references: Vec<String>,
    /// The packages that it affects.
    affected: Vec<AffectedEntry>,
}

/// One affected package, repository or set of trees.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AffectedEntry {
    /// The package; `None` where a repository alone is affected.
    package: Option<AffectedPackage>,
    /// Ranges of versions.
    ranges: Vec<AffectedRange>,
    /// Affected versions and commits one by one.
    versions: BTreeSet<String>,
    /// Repositories, each with its affected commits.
    repositories: Vec<AffectedRepository>,
    /// The directory in those repositories.
    path: Option<RelPath>,
    /// Trees: exactly these files are affected, wherever they came from.
    checksums: BTreeSet<Checksum>,
}

/// A package by name, and its registry if only the one there is affected.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AffectedPackage {
    name: PackageName,
    registry: Option<String>,
}

/// A repository, and its affected commits; empty for all.
#[derive(Debug, Clone, PartialEq, Eq)]
struct AffectedRepository {
    url: GitUrl,
    commits: BTreeSet<String>,
}

/// A package that is locked or installed.
#[derive(Debug, Clone, Copy)]
pub struct AuditedPackage<'a> {
    /// Its name at the source.
    pub name: &'a PackageName,
    /// Its version.
    pub version: Option<&'a Version>,
    /// Where it came from.
    pub source: &'a SourceId,
    /// The full commit.
    pub commit: Option<&'a str>,
    /// The directory in its repository.
    pub path: Option<&'a RelPath>,
    /// The checksums of its files, with local edits and without.
    pub checksums: &'a [Checksum],
}

/// An advisory's match with a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvisoryMatch {
    /// The first version after the package's own that is not affected.
    pub fixed: Option<Version>,
    /// Whether the advisory lists the checksum of exactly these files.
    pub by_content: bool,
}

impl Advisory {
    /// Whether this is its id or one of its aliases.
    #[must_use]
    pub fn has_id_or_alias(&self, name: &str) -> bool {
        self.id.as_str() == name || self.aliases.contains(name)
    }

    /// The match with a package; `None` if it is not affected. `own_registry` is the registry whose index has the advisory,
    /// where one does: names without a registry are then names there.
    #[must_use]
    pub fn find_match(
        &self,
        package: &AuditedPackage<'_>,
        own_registry: Option<&str>,
    ) -> Option<AdvisoryMatch> {
        if self.withdrawn.is_some() {
            return None;
        }

        // A listed checksum matches whatever the package is called and wherever it comes from.
        let by_content = self.matches_content(package.checksums);
        let naming_entries: Vec<&AffectedEntry> = self
            .affected
            .iter()
            .filter(|one| one.names_package(package, own_registry))
            .collect();

        if !by_content && !naming_entries.iter().any(|one| one.covers_version(package)) {
            return None;
        }

        // The version to update to: the lowest fix above the one in use.
        let fixed_versions = naming_entries
            .iter()
            .flat_map(|one| &one.ranges)
            .filter_map(AffectedRange::fixed_version);
        // Without a version of its own any fix will do.
        let later = fixed_versions.filter(|fixed| package.version.is_none_or(|own| own < *fixed));

        Some(AdvisoryMatch {
            fixed: later.min().cloned(),
            by_content,
        })
    }

    /// Whether one of these trees is listed, whatever its name.
    #[must_use]
    pub fn matches_content(&self, checksums: &[Checksum]) -> bool {
        let is_listed = |checksum: &Checksum| {
            self.affected
                .iter()
                .any(|one| one.checksums.contains(checksum))
        };

        self.withdrawn.is_none() && checksums.iter().any(is_listed)
    }
}

impl AffectedEntry {
    /// Whether it is about this package, in any version.
    fn names_package(&self, audited: &AuditedPackage<'_>, own_registry: Option<&str>) -> bool {
        match audited.source {
            SourceId::Registry(url) => self.package.as_ref().is_some_and(|package| {
                package.name == *audited.name && package.is_in_registry(url, own_registry)
            }),
            // A repository has no scopes: the skill part of the name is what counts.
            SourceId::Git { url, .. } => {
                let is_skill = self
                    .package
                    .as_ref()
                    .is_none_or(|package| package.name.skill() == audited.name.skill());
                let is_there = self.path.is_none() || self.path.as_ref() == audited.path;

                is_skill
                    && is_there
                    && self
                        .repositories
                        .iter()
                        .any(|repository| repository.has_url(url))
            }
            // Paths, archives and sites have neither a registry nor a repository; only checksums match.
            _ => false,
        }
    }

    /// Whether the version or commit of the package is affected; the entry must name the package.
    fn covers_version(&self, audited: &AuditedPackage<'_>) -> bool {
        // OSV lists versions and commits in one place.
        let is_listed = |text: &str| self.versions.contains(text);
        if audited
            .version
            .is_some_and(|version| is_listed(&version.to_string()))
            || audited.commit.is_some_and(is_listed)
        {
            return true;
        }

        match audited.version {
            Some(version) if !self.ranges.is_empty() => {
                self.ranges.iter().any(|range| range.contains(version))
            }
            // Without a version, or without ranges, the commits of a repository decide.
            _ => match audited.source {
                SourceId::Git { url, .. } => self
                    .repositories
                    .iter()
                    .filter(|repository| repository.has_url(url))
                    .any(|repository| self.covers_commit(repository, audited.commit)),
                // Here only an entry about every version, or one without any bounds, matches.
                _ => {
                    self.ranges.iter().any(AffectedRange::is_unbounded) || self.is_without_bounds()
                }
            },
        }
    }

    /// Whether a commit of an affected repository is affected.
    fn covers_commit(&self, repository: &AffectedRepository, commit: Option<&str>) -> bool {
        let commits = &repository.commits;
        match commit {
            Some(commit) if !commits.is_empty() => commits.contains(commit),
            // Versions or checksums beside the repository narrow it, so not every commit is affected.
            _ => commits.is_empty() && self.versions.is_empty() && self.checksums.is_empty(),
        }
    }

    /// Whether a package is named and nothing else.
    fn is_without_bounds(&self) -> bool {
        self.ranges.is_empty() && self.versions.is_empty() && self.checksums.is_empty()
    }
}

impl AffectedPackage {
    /// Whether it is in the registry at a URL. Without a registry of its own it is in the index that has the advisory; in a
    /// database that is not an index, in any.
    fn is_in_registry(&self, url: &str, own_registry: Option<&str>) -> bool {
        let registry = self.registry.as_deref().or(own_registry);
        registry.is_none_or(|registry| registry == url)
    }
}

impl AffectedRepository {
    /// Whether it is the repository at a URL, `.git` or not.
    fn has_url(&self, url: &GitUrl) -> bool {
        trim_git_suffix(&self.url) == trim_git_suffix(url)
    }
}

fn trim_git_suffix(url: &GitUrl) -> &str {
    url.as_str().trim_end_matches('/').trim_end_matches(".git")
}

#[cfg(test)]
mod tests;
