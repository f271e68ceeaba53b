//! A published version never changes: compares what a source has for a version with what is locked of it.

use std::collections::BTreeSet;

use semver::VersionReq;

use super::{PackageSources, registry};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::{Checksum, PackageName, Sha256Digest, SourceId};

/// What a source has for one version.
#[derive(Debug)]
pub struct VersionContent<'a> {
    /// The checksum of its tree.
    pub checksum: Checksum,
    /// The digest of its archive; `None` if it has none.
    pub archive: Option<Sha256Digest>,
    /// Its dependencies; `None` if they follow from the tree alone.
    pub dependencies: Option<Vec<(&'a PackageName, &'a VersionReq)>>,
}

/// A property of a version that differs, with both values.
struct ContentChange {
    what: &'static str,
    locked: String,
    found: String,
}

impl PackageSources<'_> {
    /// Refuses a locked version of which its source has another content now; `lockfile` is the one that has it, and
    /// `is_removed` whether that is an earlier one.
    ///
    /// # Errors
    /// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if its checksum, archive or dependencies differ, unless
    /// the user's settings allow the index to change published versions.
    pub fn check_unchanged(
        &self,
        locked: &LockedPackage,
        lockfile: &Lockfile,
        now: &VersionContent<'_>,
        is_removed: bool,
    ) -> Result<()> {
        let change = match &locked.source {
            SourceId::Registry(url) if self.accepts_rewritten(url) => None,
            // Both have numbered versions that never change; the content of other sources may.
            SourceId::Registry(_) | SourceId::ClawHub(_) => find_change(locked, lockfile, now),
            SourceId::Git { .. }
            | SourceId::Path(_)
            | SourceId::Archive(_)
            | SourceId::WellKnown(_) => None,
        };
        change.map_or(Ok(()), |change| {
            Err(changed_error(locked, &change, is_removed))
        })
    }

    /// As [`PackageSources::check_unchanged`], if the version was looked up in an index in this run.
    ///
    /// # Errors
    /// As there.
    pub fn check_known_unchanged(&self, locked: &LockedPackage, lockfile: &Lockfile) -> Result<()> {
        let SourceId::Registry(url) = &locked.source else {
            return Ok(());
        };
        let Some(entry) = registry::known_entry(self, url, locked) else {
            return Ok(());
        };

        let needs = entry.deps.iter().map(|needed| (&needed.name, &needed.req));
        let now = VersionContent {
            checksum: entry.cksum,
            archive: entry.archive_digest(),
            dependencies: Some(needs.collect()),
        };
        self.check_unchanged(locked, lockfile, &now, false)
    }

    /// Whether the index of a registry, or its mirror, may change published versions.
    fn accepts_rewritten(&self, url: &str) -> bool {
        [url, self.index_url(url)]
            .iter()
            .any(|url| self.tools.accept_rewritten.contains(*url))
    }
}

fn find_change(
    locked: &LockedPackage,
    lockfile: &Lockfile,
    now: &VersionContent<'_>,
) -> Option<ContentChange> {
    let change = |what, locked: &dyn ToString, found: &dyn ToString| {
        Some(ContentChange {
            what,
            locked: locked.to_string(),
            found: found.to_string(),
        })
    };

    if locked.upstream_checksum() != now.checksum {
        return change("checksum", &locked.upstream_checksum(), &now.checksum);
    }

    match (locked.archive, now.archive) {
        (Some(before), Some(archive)) if before != archive => {
            return change("archive", &before, &archive);
        }
        // An index may begin or cease to keep archives of the same files.
        _ => {}
    }

    let needs = now.dependencies.as_ref()?;
    if has_dependencies(locked, lockfile, needs) {
        return None;
    }
    let found: Vec<String> = needs
        .iter()
        .map(|(name, req)| format!("{name} {req}"))
        .collect();
    change("dependencies", &list(&locked.dependencies), &list(&found))
}

/// Whether the locked dependencies of a package are a choice for these requirements.
fn has_dependencies(
    locked: &LockedPackage,
    lockfile: &Lockfile,
    needs: &[(&PackageName, &VersionReq)],
) -> bool {
    let name_of = |reference: &str| reference.split(' ').next().unwrap_or_default().to_owned();
    let before: BTreeSet<String> = locked
        .dependencies
        .iter()
        .map(|reference| name_of(reference))
        .collect();
    let now: BTreeSet<String> = needs.iter().map(|(name, _)| name.to_string()).collect();
    if before != now {
        return false;
    }

    // Of a package that `[patch]` or the workspace put in its place, any version is chosen.
    let is_chosen = |chosen: &&LockedPackage| {
        matches!(chosen.source, SourceId::Registry(_))
            && chosen.replaces.is_empty()
            && locked.dependencies.contains(&chosen.reference())
    };
    lockfile.packages().iter().filter(is_chosen).all(|chosen| {
        let version = chosen
            .version
            .as_ref()
            .filter(|version| version.pre.is_empty());
        let needed = needs.iter().filter(|(name, _)| **name == chosen.name);
        version.is_none_or(|version| needed.clone().all(|(_, req)| req.matches(version)))
    })
}

fn list(items: &[String]) -> String {
    if items.is_empty() {
        "none".to_owned()
    } else {
        items.join(", ")
    }
}

fn changed_error(locked: &LockedPackage, change: &ContentChange, is_removed: bool) -> Error {
    let error = Error::integrity(format!(
        "{} of `{}` changed in {}",
        change.what,
        locked.reference(),
        locked.source.describe()
    ))
    .note(format!("locked  {}", change.locked))
    .note(format!("found   {}", change.found));

    // `update` knows only what is locked now.
    let how = if is_removed {
        "pass `".to_owned()
    } else {
        format!("run `skillpm update {} ", locked.install_name())
    };
    match &locked.source {
        SourceId::Registry(url) => error
            .help("a published version must never change: report it to the registry's owners, and use another version meanwhile")
            .help(format!(
                "if the change is intended, {how}--config registry.accept-rewritten={url}`"
            )),
        _ => error.help("a published version must never change: use another version, and report it to ClawHub"),
    }
}
