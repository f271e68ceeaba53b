//! Packages from a registry: its index has versions and dependencies, its archives the trees.
//!
//! A registry is identified by the URL of its index, as in manifests and lockfiles; its files may be read from another
//! URL (a mirror). Requests are made in waves: the index files of many packages at once, then their archives at once.

mod trees;

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use semver::Version;

use super::{AvailableVersion, FetchedPackage, PackageOrigin, PackageSources, RemoteState, expiry};
use crate::index::{EntryDependency, IndexEntry, IndexLookup};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{
    Checksum, IndexUrl, PackageDependency, PackageName, PackageSummary, SourceId, Tree,
};
use skillpm_core::provenance::{SignatureStatus, TrustedKey};
use skillpm_core::report::ProgressEvent;

use trees::fetch_trees;
pub(super) use trees::{download_archives, unpack_verified};

/// The lookups of this run, by index and name.
pub(super) type LookupCache = BTreeMap<(String, PackageName), Arc<IndexLookup>>;

/// Looks up every version of each package in the index.
pub(super) fn available_versions(
    sources: &PackageSources<'_>,
    url: &str,
    needed: &[&PackageDependency],
) -> Vec<Result<Vec<AvailableVersion>>> {
    let names: Vec<&PackageName> = needed.iter().map(|needed| &needed.package).collect();

    // An expired index may hide a revocation, so no version is chosen from it.
    if let Err(error) = sources
        .open_index(url)
        .and_then(|index| expiry::check_not_expired(sources, &index))
    {
        return needed.iter().map(|_| Err(error.clone())).collect();
    }

    let offer = |entry: &IndexEntry| {
        Ok(AvailableVersion::Summary(Box::new(entry_summary(
            sources, url, entry,
        )?)))
    };
    look_up(sources, url, &names)
        .into_iter()
        .map(|lookup| lookup?.entries.iter().map(offer).collect())
        .collect()
}

/// Looks up the present versions of each package.
pub(super) fn remote_states(
    sources: &PackageSources<'_>,
    url: &str,
    needed: &[&PackageDependency],
) -> Vec<Result<RemoteState>> {
    let names: Vec<&PackageName> = needed.iter().map(|needed| &needed.package).collect();

    // Only a warning, since no version is chosen here.
    if let Ok(index) = sources.open_index(url) {
        expiry::warn_if_expired(sources, &index);
    }

    look_up(sources, url, &names)
        .into_iter()
        .map(|lookup| Ok(remote_state(&*lookup?)))
        .collect()
}

/// The state of a package in the index, as `outdated` compares it.
fn remote_state(lookup: &IndexLookup) -> RemoteState {
    // Revoked ones count as yanked here: neither is offered as an update.
    let (yanked, entries): (Vec<&IndexEntry>, Vec<&IndexEntry>) = lookup
        .entries
        .iter()
        .partition(|entry| entry.is_withdrawn());
    let yanked = yanked.into_iter().map(|entry| entry.vers.clone()).collect();
    let published = entries
        .iter()
        .filter_map(|entry| Some((entry.vers.clone(), entry.published_at()?)))
        .collect();
    let mut versions: Vec<Version> = entries.iter().map(|entry| entry.vers.clone()).collect();
    versions.sort();
    RemoteState {
        versions,
        yanked,
        published: Some(published),
        ..RemoteState::default()
    }
}

/// Looks up one version in the index.
pub(super) fn describe_version(
    sources: &PackageSources<'_>,
    url: &str,
    wanted: &PackageSummary,
) -> Result<Option<(Checksum, PackageOrigin)>> {
    let entry = find_entries(sources, url, &[(&wanted.name, wanted.version.as_ref())]).remove(0)?;
    Ok(Some((
        entry.cksum,
        PackageOrigin {
            archive: entry.archive_digest(),
            ..PackageOrigin::default()
        },
    )))
}

/// Fetches versions.
pub(super) fn fetch_packages(
    sources: &PackageSources<'_>,
    url: &str,
    wanted: &[&PackageSummary],
) -> Vec<Result<FetchedPackage>> {
    let ids: Vec<_> = wanted
        .iter()
        .map(|summary| (&summary.name, summary.version.as_ref()))
        .collect();

    // From the index again: it was looked up in this run, so there is no further request.
    let entries = find_entries(sources, url, &ids);
    let trees = fetch_trees(sources, url, &entries);

    let fetched = entries.into_iter().zip(trees);
    fetched
        .map(|(entry, tree)| fetched_package(sources, url, &entry?, tree?))
        .collect()
}

fn fetched_package(
    sources: &PackageSources<'_>,
    url: &str,
    entry: &IndexEntry,
    tree: Tree,
) -> Result<FetchedPackage> {
    Ok(FetchedPackage {
        summary: entry_summary(sources, url, entry)?,
        origin: PackageOrigin {
            archive: entry.archive_digest(),
            ..PackageOrigin::default()
        },
        tree,
        skill: None,
        diagnostics: Vec::new(),
    })
}

/// Fetches locked versions.
pub(super) fn restore(
    sources: &PackageSources<'_>,
    url: &str,
    packages: &[&LockedPackage],
) -> Vec<Result<Tree>> {
    let ids: Vec<_> = packages
        .iter()
        .map(|package| (&package.name, package.version.as_ref()))
        .collect();

    let found = find_entries(sources, url, &ids);
    // Compared before the archives are downloaded.
    let entries: Vec<Result<IndexEntry>> = packages
        .iter()
        .zip(found)
        .map(|(package, entry)| check_locked_entry(sources, package, entry?))
        .collect();

    fetch_trees(sources, url, &entries)
}

/// Checks that the entry has the locked checksum.
fn check_locked_entry(
    sources: &PackageSources<'_>,
    package: &LockedPackage,
    entry: IndexEntry,
) -> Result<IndexEntry> {
    check_checksum_of_lock(package, &entry)?;
    // Reported only; a revoked version is refused by the policy, with its reason.
    if entry.yanked {
        sources.reporter.report(super::yanked_warning(package));
    }
    Ok(entry)
}

fn check_checksum_of_lock(package: &LockedPackage, entry: &IndexEntry) -> Result<()> {
    // A published version never changes: another checksum is an attack, or a rewritten index.
    if entry.cksum != package.upstream_checksum() {
        let error = Error::integrity(format!("checksum mismatch for `{}`: skillpm.lock and the registry disagree", package.reference()))
            .note(format!("locked   {}", package.upstream_checksum()))
            .note(format!("index    {}", entry.cksum))
            .help("if skillpm.lock was edited, or merged by hand, restore it: `git checkout skillpm.lock`");
        // The registry that is built in does not change.
        if matches!(&package.source, SourceId::Registry(url) if *url == SourceId::EMBEDDED_INDEX) {
            return Err(error);
        }
        return Err(error.help("else the registry changed a published version: report it to its owners, and use another version meanwhile"));
    }
    Ok(())
}

/// Verifies the signatures of index entries.
pub(super) fn verify_packages(
    sources: &PackageSources<'_>,
    url: &str,
    asked: &[&super::SignatureRequest<'_>],
) -> Vec<Result<SignatureStatus>> {
    let index = match sources.open_index(url) {
        Ok(index) => index,
        Err(error) => return asked.iter().map(|_| Err(error.clone())).collect(),
    };

    let ids: Vec<_> = asked
        .iter()
        .map(|asked| (&asked.package.name, asked.package.version.as_ref()))
        .collect();
    let checked = |(entry, asked): (Result<IndexEntry>, &&super::SignatureRequest<'_>)| {
        let entry = entry?;
        check_checksum_of_lock(asked.package, &entry)?;
        Ok(entry)
    };
    let checked: Vec<Result<IndexEntry>> = find_entries(sources, url, &ids)
        .into_iter()
        .zip(asked)
        .map(checked)
        .collect();

    // Entries that differ from the lockfile have failed already.
    let lines = checked.iter().zip(asked);
    let lines: Vec<(&IndexEntry, &[TrustedKey])> = lines
        .filter_map(|(entry, asked)| Some((entry.as_ref().ok()?, asked.keys.as_slice())))
        .collect();
    results_of_entries(&checked, index.verify_entries(&lines))
}

/// The results of the valid entries, in the order of all entries; the others keep their own error.
fn results_of_entries<T>(
    entries: &[Result<IndexEntry>],
    results: Vec<Result<T>>,
) -> Vec<Result<T>> {
    let mut results = results.into_iter();
    let result = |entry: &Result<IndexEntry>| match entry {
        Ok(_) => results.next().expect("one result for each valid entry"),
        Err(error) => Err(error.clone()),
    };
    entries.iter().map(result).collect()
}

/// The index entry of a locked package, if it was looked up in this run.
pub(super) fn known_entry(
    sources: &PackageSources<'_>,
    url: &str,
    locked: &LockedPackage,
) -> Option<IndexEntry> {
    let known = sources
        .lookups
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    known
        .get(&(url.to_owned(), locked.name.clone()))?
        .find_version(locked.version.as_ref())
        .cloned()
}

/// Looks up the entries of locked packages.
pub(super) fn locked_entries(
    sources: &PackageSources<'_>,
    url: &str,
    packages: &[&LockedPackage],
) -> Vec<Result<Option<IndexEntry>>> {
    let names: Vec<&PackageName> = packages.iter().map(|locked| &locked.name).collect();
    let found = look_up(sources, url, &names).into_iter().zip(packages);
    found
        .map(|(lookup, locked)| Ok(lookup?.find_version(locked.version.as_ref()).cloned()))
        .collect()
}

/// Looks names up, those that were not looked up before in one wave. Each ignored line is reported once.
fn look_up(
    sources: &PackageSources<'_>,
    url: &str,
    names: &[&PackageName],
) -> Vec<Result<Arc<IndexLookup>>> {
    let index = match sources.open_index(url) {
        Ok(index) => index,
        Err(error) => return names.iter().map(|_| Err(error.clone())).collect(),
    };

    let key = |name: &PackageName| (url.to_owned(), name.clone());
    let unknown = unknown_names(sources, url, names);
    let mut failed: BTreeMap<PackageName, Error> = BTreeMap::new();
    for (name, lookup) in unknown.iter().zip(index.lookup_all(&unknown)) {
        match lookup {
            Ok(lookup) => {
                report_skipped(sources, &lookup);
                known_lookups(sources).insert(key(name), Arc::new(lookup));
            }
            // Not remembered: a later lookup in this run may succeed.
            Err(error) => {
                failed.insert(name.clone(), error);
            }
        }
    }

    let known = known_lookups(sources);
    let answer = |name: &&PackageName| match failed.get(name) {
        Some(error) => Err(error.clone()),
        None => Ok(known[&key(name)].clone()),
    };
    names.iter().map(answer).collect()
}

fn unknown_names(
    sources: &PackageSources<'_>,
    url: &str,
    names: &[&PackageName],
) -> Vec<PackageName> {
    let known = known_lookups(sources);
    let mut unknown: Vec<PackageName> = names
        .iter()
        .filter(|name| !known.contains_key(&(url.to_owned(), (**name).clone())))
        .map(|name| (*name).clone())
        .collect();
    // One request for each name, however often it is asked for.
    unknown.sort();
    unknown.dedup();
    unknown
}

/// Locked for a moment each time, and never during a request.
fn known_lookups<'s>(sources: &'s PackageSources<'_>) -> MutexGuard<'s, LookupCache> {
    sources
        .lookups
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

fn report_skipped(sources: &PackageSources<'_>, lookup: &IndexLookup) {
    for skipped in &lookup.skipped {
        sources
            .reporter
            .report(ProgressEvent::warning(format!("ignoring {skipped}")));
    }
}

/// Looks up the entries of versions.
fn find_entries(
    sources: &PackageSources<'_>,
    url: &str,
    wanted: &[(&PackageName, Option<&Version>)],
) -> Vec<Result<IndexEntry>> {
    let names: Vec<&PackageName> = wanted.iter().map(|(name, _)| *name).collect();
    let mut found = look_up(sources, url, &names);
    if forget_stale(sources, url, wanted, &found) {
        found = look_up(sources, url, &names);
    }
    let found = found.into_iter().zip(wanted);
    found
        .map(|(lookup, (name, version))| {
            let entry = lookup?.find_version(*version).cloned();
            entry.ok_or_else(|| unknown_version_error(url, name, *version))
        })
        .collect()
}

/// Forgets lookups that lack a wanted version, so that the next one reaches the server itself: a cache on the way may be some
/// minutes behind it. Returns whether there are any.
fn forget_stale(
    sources: &PackageSources<'_>,
    url: &str,
    wanted: &[(&PackageName, Option<&Version>)],
    found: &[Result<Arc<IndexLookup>>],
) -> bool {
    let mut stale: Vec<PackageName> = Vec::new();
    for ((name, version), lookup) in wanted.iter().zip(found) {
        if matches!(lookup, Ok(lookup) if lookup.find_version(*version).is_none()) {
            stale.push((*name).clone());
        }
    }
    if stale.is_empty() {
        return false;
    }

    let mut known = known_lookups(sources);
    for name in &stale {
        known.remove(&(url.to_owned(), name.clone()));
    }
    drop(known);
    if let Ok(index) = sources.open_index(url) {
        index.bypass_caches(&stale);
    }
    true
}

/// A published version never disappears, so this is an edited lockfile or a rewritten index.
fn unknown_version_error(url: &str, name: &PackageName, version: Option<&Version>) -> Error {
    let version = version.map(ToString::to_string).unwrap_or_default();
    Error::negative(format!(
        "package `{name} {version}` not found in index `{url}`"
    ))
    .note("published versions are never removed; the index may be a copy that is some minutes old")
    .help("run the command again later, or ask the registry's owners")
}

fn entry_summary(
    sources: &PackageSources<'_>,
    url: &str,
    entry: &IndexEntry,
) -> Result<PackageSummary> {
    let mut dependencies = Vec::new();
    for needed in &entry.deps {
        dependencies.push(PackageDependency {
            // The alias is the skill's own name: in an index there are no others.
            alias: needed.name.skill().clone(),
            package: needed.name.clone(),
            source: SourceId::Registry(dependency_registry(sources, url, entry, needed)?),
            subdir: None,
            req: needed.req.clone(),
            dev: false,
            optional: false,
        });
    }

    Ok(PackageSummary {
        name: entry.name.clone(),
        version: Some(entry.vers.clone()),
        source: SourceId::Registry(url.to_owned()),
        subdir: None,
        dependencies: Some(dependencies),
        // For the solver, revoked and yanked are the same.
        yanked: entry.is_withdrawn(),
        published: entry.published_at(),
    })
}

/// The registry of a dependency in an entry: the same one, one that is configured here under that name, or one by its
/// URL, which must not be on this machine unless the entry's index is, too.
fn dependency_registry(
    sources: &PackageSources<'_>,
    url: &str,
    entry: &IndexEntry,
    needed: &EntryDependency,
) -> Result<String> {
    let Some(named) = &needed.registry else {
        return Ok(url.to_owned());
    };

    let message = || {
        format!(
            "invalid registry `{named}` for dependency `{}` of `{} {}` in index `{url}`",
            needed.name, entry.name, entry.vers
        )
    };

    // A name refers to the settings here, and a URL to itself.
    if !named.contains(':') {
        return (sources.registries)(Some(named)).map_err(|error| error.wrap(message()));
    }

    let other: IndexUrl = named
        .parse()
        .map_err(|error: Error| error.wrap(message()))?;
    // The user's settings name this one, or it is the same index.
    if other.as_str() == url || sources.tools.registries.contains(other.as_str()) {
        return Ok(other.into());
    }

    let own: IndexUrl = url.parse()?;
    // A remote index must not refer to an index that only this machine can reach.
    if other.is_local()
        && !(own.is_local() && sources.index_url(url).parse::<IndexUrl>()?.is_local())
    {
        return Err(
            Error::integrity(format!("{}: it is on this machine", message())).help(
                "a remote index may not refer to a local one; report it to the registry's owners",
            ),
        );
    }

    // Remembered, so that the rules for redirects apply when it is opened.
    let mut named_by = sources
        .named_by
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    named_by.entry(other.to_string()).or_insert(own);
    Ok(other.into())
}
