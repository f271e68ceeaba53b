//! Locked packages that indexes have withdrawn: yanked ones, which should be updated, and revoked
//! ones, which are no longer installed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use super::CommandContext;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{IndexUrl, SkillName, SourceId};
use skillpm_core::report::{ProgressEvent, SilentReporter};
use skillpm_registry::config::{SettingOrigin, SourceReplacements};
use skillpm_registry::index::{IndexEntry, RevocationSearch};
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
    let packages = packages.filter(|one| matches!(one.source, SourceId::Registry(_)));
    read_entries(context, root, sources, packages.collect(), &|_| true)
}

/// Reads index entries, the cached ones only of packages that are `wanted`.
fn read_entries<'p>(
    context: &CommandContext<'_>,
    root: &Path,
    sources: Option<&PackageSources<'_>>,
    packages: Vec<&'p LockedPackage>,
    is_wanted: &dyn Fn(&LockedPackage) -> bool,
) -> Result<Vec<(&'p LockedPackage, IndexEntry)>> {
    if packages.is_empty() {
        return Ok(Vec::new());
    }

    // Entries fetched in this run first; the cached ones are older.
    let mut entries = sources.map_or_else(
        || vec![None; packages.len()],
        |sources| sources.known_entries(&packages),
    );

    let unknown: Vec<usize> = (0..packages.len())
        .filter(|&at| entries[at].is_none() && is_wanted(packages[at]))
        .collect();
    let cached: Vec<&LockedPackage> = unknown.iter().map(|&at| packages[at]).collect();
    for (at, entry) in unknown.iter().zip(cached_entries(context, root, &cached)?) {
        entries[*at] = entry.ok().flatten();
    }

    let pairs = packages.into_iter().zip(entries);
    Ok(pairs
        .filter_map(|(locked, entry)| Some((locked, entry?)))
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
    let revoked = revocations(context, root, None, packages)?.into_iter();
    Ok(revoked
        .map(|(locked, reason)| RevokedPackage {
            locked: locked.clone(),
            reason,
        })
        .collect())
}

/// The locked packages that were revoked, each with the reason, according to the indexes as fetched in this run, else as
/// cached.
///
/// # Errors
/// If a setting is invalid.
pub(super) fn revocations<'p>(
    context: &CommandContext<'_>,
    root: &Path,
    sources: Option<&PackageSources<'_>>,
    packages: impl Iterator<Item = &'p LockedPackage>,
) -> Result<Vec<(&'p LockedPackage, String)>> {
    let lookup = RevocationLookup::new(context)?;
    // Nearly no package was ever revoked, and a search for the word costs far less than parsing all of its versions.
    let may_be_revoked = |locked: &LockedPackage| {
        lookup
            .index_in_use(locked)
            .is_none_or(|index| lookup.search.may_have_revocations(&index, &locked.name))
    };

    let packages = packages.filter(|one| matches!(one.source, SourceId::Registry(_)));
    let entries = read_entries(context, root, sources, packages.collect(), &may_be_revoked)?;
    lookup.search.write();
    Ok(entries
        .into_iter()
        .filter_map(|(locked, entry)| Some((locked, entry.revoked?)))
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
    let lookup = RevocationLookup::new(context)?;
    let revoked = packages.filter_map(|locked| Some((locked, lookup.find_revocation(locked)?)));
    let revoked = revoked.collect();
    lookup.search.write();
    Ok(revoked)
}

/// Looks up locked packages in the cached files of their indexes.
struct RevocationLookup {
    replaced: SourceReplacements,
    search: RevocationSearch,
    /// The indexes by the sources of packages: most packages of a lockfile are from one.
    indexes: RefCell<HashMap<String, Option<IndexUrl>>>,
}

impl RevocationLookup {
    fn new(context: &CommandContext<'_>) -> Result<Self> {
        let cache = context.dirs.skillpm_home.join("index");
        Ok(RevocationLookup {
            replaced: context.config.replacements()?,
            search: RevocationSearch::new(&cache, context.start_time()),
            indexes: RefCell::default(),
        })
    }

    fn find_revocation(&self, locked: &LockedPackage) -> Option<String> {
        let index = self.index_in_use(locked)?;
        let version = locked.version.as_ref()?;
        self.search.find_revocation(&index, &locked.name, version)
    }

    /// The index that a package is looked up in: a mirror has a cache of its own. `None` for a package of another source, or
    /// a vendored one, whose directory has no index.
    fn index_in_use(&self, locked: &LockedPackage) -> Option<IndexUrl> {
        let SourceId::Registry(url) = &locked.source else {
            return None;
        };
        if let Some(known) = self.indexes.borrow().get(url) {
            return known.clone();
        }

        let key = locked.source.location_key();
        let index = if self.replaced.directories.contains_key(&key) {
            None
        } else {
            self.replaced.urls.get(url).unwrap_or(url).parse().ok()
        };
        self.indexes.borrow_mut().insert(url.clone(), index.clone());
        index
    }
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
