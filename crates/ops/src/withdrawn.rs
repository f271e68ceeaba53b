//! Locked packages that indexes have withdrawn: yanked ones, which should be updated, and revoked
//! ones, which are no longer installed.

use std::path::Path;

use super::CommandContext;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{SkillName, SourceId};
use skillpm_core::report::{ProgressEvent, SilentReporter};
use skillpm_registry::config::{SettingOrigin, SourceReplacements};
use skillpm_registry::index::{self, IndexEntry};
use skillpm_registry::sources::PackageSources;

/// The setting of `--allow-revoked`.
const KEY: &str = "policy.allow-revoked";

/// A locked package that was revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RevokedPackage {
    /// The package.
    pub locked: LockedPackage,
    /// The reason.
    pub reason: String,
}

/// The index entries of locked packages, as fetched in this run, else as cached; packages from
/// other sources, or without a cached entry, are left out.
pub(super) fn known_entries<'p>(
    context: &CommandContext<'_>,
    root: &Path,
    sources: Option<&PackageSources<'_>>,
    packages: impl Iterator<Item = &'p LockedPackage>,
) -> Result<Vec<(&'p LockedPackage, IndexEntry)>> {
    let packages: Vec<&LockedPackage> = packages
        .filter(|one| matches!(one.source, SourceId::Registry(_)))
        .collect();

    if packages.is_empty() {
        return Ok(Vec::new());
    }

    // Entries fetched in this run first; the cached ones are older.
    let entries = sources.map_or_else(
        || vec![None; packages.len()],
        |sources| sources.known_entries(&packages),
    );

    let unknown: Vec<&LockedPackage> = packages
        .iter()
        .zip(&entries)
        .filter(|(_, fetched)| fetched.is_none())
        .map(|(&locked, _)| locked)
        .collect();
    let mut cached = cached_entries(context, root, &unknown)?.into_iter();

    let entry = |(locked, fetched): (&'p LockedPackage, Option<IndexEntry>)| {
        // `cached` has an answer for each package that was not fetched, in their order.
        let entry = fetched.or_else(|| cached.next().and_then(Result::ok).flatten());
        entry.map(|entry| (locked, entry))
    };

    Ok(packages
        .into_iter()
        .zip(entries)
        .filter_map(entry)
        .collect())
}

/// The cached index entries of locked packages.
fn cached_entries(
    context: &CommandContext<'_>,
    root: &Path,
    packages: &[&LockedPackage],
) -> Result<Vec<Result<Option<IndexEntry>>>> {
    if packages.is_empty() {
        // A project without a registry's package opens no index.
        return Ok(Vec::new());
    }

    // Offline tools make no requests.
    let local = context.offline_tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    Ok(PackageSources::new(&local, root, &registries, &SilentReporter).index_entries(packages))
}

/// Fetches the index entries of locked packages; for an unreachable index the cached ones count.
///
/// # Errors
/// If a reachable index is invalid.
pub(super) fn fetch_entries<'p>(
    context: &CommandContext<'_>,
    root: &Path,
    sources: &PackageSources<'_>,
    packages: &[&'p LockedPackage],
) -> Result<Vec<(&'p LockedPackage, IndexEntry)>> {
    // An unreachable index is not an error here: its cached entries count. An invalid one is.
    for line in sources.index_entries(packages) {
        if let Err(error) = line
            && error.kind() != FailureKind::Network
        {
            return Err(error);
        }
    }

    known_entries(context, root, Some(sources), packages.iter().copied())
}

/// The revoked packages, according to the cached indexes.
///
/// # Errors
/// If a setting is invalid.
pub(super) fn find_revoked<'p>(
    context: &CommandContext<'_>,
    root: &Path,
    packages: impl Iterator<Item = &'p LockedPackage>,
) -> Result<Vec<RevokedPackage>> {
    let lines = known_entries(context, root, None, packages)?.into_iter();
    Ok(lines
        .filter_map(|(locked, line)| {
            Some(RevokedPackage {
                locked: locked.clone(),
                reason: line.revoked?,
            })
        })
        .collect())
}

/// The same, from only the cached file of each package: the fast check for a command that has
/// nothing to do.
///
/// # Errors
/// If a setting is invalid.
pub(super) fn cached_revocations<'p>(
    context: &CommandContext<'_>,
    packages: impl Iterator<Item = &'p LockedPackage>,
) -> Result<Vec<(&'p LockedPackage, String)>> {
    let replaced = context.config.replacements()?;
    let cache = context.dirs.skillpm_home.join("index");

    let revoked = packages.filter_map(|locked| {
        let reason = find_cached_revocation(locked, &replaced, &cache)?;
        Some((locked, reason))
    });
    Ok(revoked.collect())
}

fn find_cached_revocation(
    locked: &LockedPackage,
    replaced: &SourceReplacements,
    cache: &Path,
) -> Option<String> {
    let (SourceId::Registry(url), Some(version)) = (&locked.source, &locked.version) else {
        return None;
    };
    // A vendored package is not looked up: the directory has no index.
    if replaced
        .directories
        .contains_key(&locked.source.location_key())
    {
        return None;
    }

    // A mirror has a cache of its own.
    let index = replaced.urls.get(url).unwrap_or(url).parse().ok()?;
    index::find_cached_revocation(&index, &locked.name, version, cache)
}

/// Whether `--allow-revoked` was passed. A setting in a file does not count: it would outlive its
/// reason.
pub(super) fn is_allowed(context: &CommandContext<'_>) -> Result<bool> {
    let is_flag = context
        .config
        .get(KEY)?
        .is_some_and(|set| set.origin == SettingOrigin::Flag);

    Ok(is_flag && context.config.switch(KEY))
}

/// The error for revoked packages, if there are any.
pub(super) fn revoked_error(revoked: &[(&LockedPackage, &str)]) -> Option<Error> {
    let (first, reason) = revoked.first()?;

    let mut error = Error::integrity(revoked_message(first, reason));
    for (locked, reason) in &revoked[1..] {
        error = error.note(revoked_message(locked, reason));
    }

    Some(
        error
            .note(format!("revoked by {}", first.source.describe()))
            .help(format!(
                "nothing was installed; to lock another version, run `skillpm update {}`",
                first.install_name()
            ))
            .help("to install it anyway, pass `--allow-revoked`"),
    )
}

fn revoked_message(locked: &LockedPackage, reason: &str) -> String {
    // The reason is a text of the registry: escaped, it cannot control the terminal.
    format!(
        "refusing to install `{}`, which was revoked: {}",
        locked.reference(),
        reason.escape_debug()
    )
}

/// The warning for an installed revoked package.
pub(super) fn revoked_warning(locked: &LockedPackage, reason: &str) -> ProgressEvent {
    ProgressEvent::Warning {
        message: format!(
            "installed package `{}` was revoked: {}",
            locked.reference(),
            reason.escape_debug()
        ),
        help: Some(revoked_help(locked.install_name())),
    }
}

impl RevokedPackage {
    /// The message, with the reason.
    #[must_use]
    pub fn message(&self) -> String {
        format!(
            "`{}` was revoked by its registry: {}",
            self.locked.reference(),
            self.reason.escape_debug()
        )
    }
}

/// The `help:` line for a revoked skill.
#[must_use]
pub fn revoked_help(name: &SkillName) -> String {
    format!("run `skillpm update {name}` or `skillpm remove {name}`")
}
