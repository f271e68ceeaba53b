//! Advisories: what is known against packages that were published, and which packages that concerns.
//!
//! ```text
//! advisories/
//! ├── all.json              every advisory in one file, which is what readers ask for (`pack.rs`)
//! └── SKSA-2026-0001.json   one each, for people and reviews (`osv.rs`)
//! ```
//!
//! The form is OSV's (<https://ossf.github.io/osv-schema/>), ecosystem `skillpm`. Everything is decided by values: an
//! [`Advisory`] and what is [`Held`] give a [`Hit`], without asking anybody.

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

pub use osv::{Parsed, parse};
use range::Range;

/// The folder of an index that advisories are in.
pub const FOLDER: &str = "advisories";

/// The ecosystem of OSV that packages of skillpm belong to.
pub const ECOSYSTEM: &str = "skillpm";

/// Longest id, in bytes.
const ID_MAX: usize = 64;

/// What an advisory is called: `SKSA-2026-0001`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AdvisoryId(String);

impl AdvisoryId {
    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path of its file in an index.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{FOLDER}/{self}.json")
    }
}

impl FromStr for AdvisoryId {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        let is_id = text.len() <= ID_MAX
            && text.contains('-')
            && text.starts_with(|c: char| c.is_ascii_uppercase())
            && text.chars().all(is_plain)
            && !text.contains("..");
        if is_id {
            return Ok(AdvisoryId(text.to_owned()));
        }
        Err(Error::usage(format!("`{}` is no id of an advisory", text.escape_debug()))
            .help("ids are like `SKSA-2026-0001`, `CVE-2026-12345` or `GHSA-xxxx-xxxx-xxxx`"))
    }
}

impl fmt::Display for AdvisoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is known against packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advisory {
    /// What it is called.
    pub id: AdvisoryId,
    /// What others call the same.
    pub aliases: BTreeSet<String>,
    /// One sentence.
    pub summary: String,
    /// How bad it is; high where it does not say.
    pub severity: Severity,
    /// When it was taken back; `None` while it holds.
    pub withdrawn: Option<String>,
    /// Where to read more.
    pub references: Vec<String>,
    /// What it is about.
    affected: Vec<Affected>,
}

/// One thing that an advisory is about.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Affected {
    /// The package; `None` where a repository alone is meant.
    package: Option<Package>,
    /// Ranges of versions.
    ranges: Vec<Range>,
    /// Versions and commits one by one.
    versions: BTreeSet<String>,
    /// Repositories, each with what of it is meant.
    repositories: Vec<Repository>,
    /// The directory in those.
    path: Option<RelPath>,
    /// Trees: who has just these files has it, wherever they came from.
    checksums: BTreeSet<Checksum>,
}

/// A package by name, and the registry if it is only that of one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Package {
    name: PackageName,
    registry: Option<String>,
}

/// A repository, and the commits that are meant; none for all.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Repository {
    url: GitUrl,
    commits: BTreeSet<String>,
}

/// A package that is locked or installed.
#[derive(Debug, Clone, Copy)]
pub struct Held<'a> {
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
    /// The checksums that its files go by, with edits and without.
    pub checksums: &'a [Checksum],
}

/// That an advisory is about a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The first version after the package's own that is not affected.
    pub fixed: Option<Version>,
    /// Whether just these files are meant.
    pub by_content: bool,
}

impl Advisory {
    /// Whether it goes by this name, or others call it so.
    #[must_use]
    pub fn is_called(&self, name: &str) -> bool {
        self.id.as_str() == name || self.aliases.contains(name)
    }

    /// Whether it is about a package; `own` is the registry whose index carries it, where one does: names without a
    /// registry are then names there.
    #[must_use]
    pub fn hits(&self, held: &Held<'_>, own: Option<&str>) -> Option<Hit> {
        if self.withdrawn.is_some() {
            return None;
        }
        let by_content = self.holds_content(held.checksums);
        let named: Vec<&Affected> = self.affected.iter().filter(|one| one.names(held, own)).collect();
        if !by_content && !named.iter().any(|one| one.covers(held)) {
            return None;
        }
        let ends = named.iter().flat_map(|one| &one.ranges).filter_map(Range::fixed);
        let later = ends.filter(|fixed| held.version.is_none_or(|own| own < *fixed));
        Some(Hit { fixed: later.min().cloned(), by_content })
    }

    /// Whether one of these trees is meant, whatever it is called.
    #[must_use]
    pub fn holds_content(&self, checksums: &[Checksum]) -> bool {
        let is_meant = |checksum: &Checksum| self.affected.iter().any(|one| one.checksums.contains(checksum));
        self.withdrawn.is_none() && checksums.iter().any(is_meant)
    }
}

impl Affected {
    /// Whether it is about this package, in some version.
    fn names(&self, held: &Held<'_>, own: Option<&str>) -> bool {
        match held.source {
            SourceId::Registry(url) => self.package.as_ref().is_some_and(|package| {
                package.name == *held.name && package.registry.as_deref().or(own).is_none_or(|registry| registry == url)
            }),
            SourceId::Git { url, .. } => {
                let is_skill = self.package.as_ref().is_none_or(|package| package.name.skill() == held.name.skill());
                let is_there = self.path.is_none() || self.path.as_ref() == held.path;
                is_skill && is_there && self.repositories.iter().any(|repository| repository.is_at(url))
            }
            _ => false,
        }
    }

    /// Whether the version or commit of a package that it is about is among those that are meant.
    fn covers(&self, held: &Held<'_>) -> bool {
        let is_listed = |text: &str| self.versions.contains(text);
        if held.version.is_some_and(|version| is_listed(&version.to_string())) || held.commit.is_some_and(is_listed) {
            return true;
        }
        match held.version {
            Some(version) if !self.ranges.is_empty() => self.ranges.iter().any(|range| range.holds(version)),
            _ => match held.source {
                SourceId::Git { url, .. } => {
                    let own = self.repositories.iter().filter(|repository| repository.is_at(url));
                    let is_meant = |one: &Repository| match held.commit {
                        Some(commit) if !one.commits.is_empty() => one.commits.contains(commit),
                        _ => one.commits.is_empty() && self.versions.is_empty() && self.checksums.is_empty(),
                    };
                    own.into_iter().any(is_meant)
                }
                _ => self.ranges.iter().any(Range::is_everything) || self.is_without_bounds(),
            },
        }
    }

    /// Whether a package is named and nothing else.
    fn is_without_bounds(&self) -> bool {
        self.ranges.is_empty() && self.versions.is_empty() && self.checksums.is_empty()
    }
}

impl Repository {
    /// Whether it is the repository at a URL, `.git` or not.
    fn is_at(&self, url: &GitUrl) -> bool {
        let plain = |url: &GitUrl| url.as_str().trim_end_matches('/').trim_end_matches(".git").to_owned();
        plain(&self.url) == plain(url)
    }
}

#[cfg(test)]
mod tests;
