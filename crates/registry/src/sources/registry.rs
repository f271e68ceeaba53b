//! Packages from a registry: its index has versions and dependencies, its archives the trees.
//!
//! A registry is identified by the URL of its index, as in manifests and lockfiles; its files may be read from another
//! URL (a mirror). Requests are made in waves: the index files of many packages at once, then their archives at once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use semver::Version;

use super::{
    AvailableVersion, FetchedPackage, PackageOrigin, PackageSources, RemoteState, expiry, git,
};
use crate::index::{ArchiveLocation, EntryDependency, Index, IndexEntry, IndexLookup};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{
    Checksum, GitUrl, IndexUrl, PackageDependency, PackageName, PackageSummary, RelPath,
    Sha256Digest, SourceId, Tree,
};
use skillpm_core::provenance::{SignatureStatus, TrustedKey};
use skillpm_core::report::ProgressEvent;
use skillpm_io::git::CommitId;
use skillpm_io::http::{ByteAllowance, HttpOutcome, HttpRequest};
use skillpm_io::{archive, run_parallel};

/// Most archives that are unpacked at once: the size of each counts only after it is unpacked.
const UNPACKED_AT_ONCE: usize = 4;

/// The lookups of this run, by index and name.
pub(super) type LookupCache = BTreeMap<(String, PackageName), Arc<IndexLookup>>;

/// Looks up every version of each package in the index.
pub(super) fn available_versions(
    sources: &PackageSources<'_>,
    url: &str,
    needed: &[&PackageDependency],
) -> Vec<Result<Vec<AvailableVersion>>> {
    let names: Vec<&PackageName> = needed.iter().map(|needed| &needed.package).collect();

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

    let look = |lookup: Result<Arc<IndexLookup>>| {
        let lookup = lookup?;
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
        Ok(RemoteState {
            versions,
            yanked,
            published: Some(published),
            ..RemoteState::default()
        })
    };

    look_up(sources, url, &names)
        .into_iter()
        .map(look)
        .collect()
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

    let entries = find_entries(sources, url, &ids);
    let trees = fetch_trees(sources, url, &entries);

    entries
        .into_iter()
        .zip(trees)
        .map(|(entry, tree)| {
            let (entry, tree) = (entry?, tree?);
            let origin = PackageOrigin {
                archive: entry.archive_digest(),
                ..PackageOrigin::default()
            };
            let summary = entry_summary(sources, url, &entry)?;
            Ok(FetchedPackage {
                summary,
                origin,
                tree,
                skill: None,
                diagnostics: Vec::new(),
            })
        })
        .collect()
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
    if entry.yanked {
        sources.reporter.report(super::yanked_warning(package));
    }
    Ok(entry)
}

fn check_checksum_of_lock(package: &LockedPackage, entry: &IndexEntry) -> Result<()> {
    // A published version never changes: another checksum is an attack, or a rewritten index.
    if entry.cksum != package.upstream_checksum() {
        return Err(Error::integrity(format!("checksum mismatch for `{}`: it is not the locked package", package.reference()))
            .note(format!("locked   {}", package.upstream_checksum()))
            .note(format!("index    {}", entry.cksum))
            .help("a published version must never change: report it to the registry's owners, and use another version meanwhile"));
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

    let mut statuses = index.verify_entries(&lines).into_iter();
    checked
        .iter()
        .map(|entry| match entry {
            Ok(_) => statuses.next().expect("one status for each entry"),
            Err(error) => Err(error.clone()),
        })
        .collect()
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
    // Locked for a moment each time, and never during a request.
    let known = || {
        sources
            .lookups
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    };

    let mut unknown: Vec<PackageName> = {
        let known = known();
        names
            .iter()
            .filter(|name| !known.contains_key(&key(name)))
            .map(|name| (*name).clone())
            .collect()
    };
    // One request for each name, however often it is asked for.
    unknown.sort();
    unknown.dedup();

    let mut failed: BTreeMap<PackageName, Error> = BTreeMap::new();
    for (name, lookup) in unknown.iter().zip(index.lookup_all(&unknown)) {
        match lookup {
            Ok(lookup) => {
                for skipped in &lookup.skipped {
                    sources
                        .reporter
                        .report(ProgressEvent::warning(format!("ignoring {skipped}")));
                }
                known().insert(key(name), Arc::new(lookup));
            }
            Err(error) => {
                failed.insert(name.clone(), error);
            }
        }
    }

    let known = known();
    let answer = |name: &&PackageName| match failed.get(name) {
        Some(error) => Err(error.clone()),
        None => Ok(known[&key(name)].clone()),
    };
    names.iter().map(answer).collect()
}

/// Looks up the entries of versions.
fn find_entries(
    sources: &PackageSources<'_>,
    url: &str,
    wanted: &[(&PackageName, Option<&Version>)],
) -> Vec<Result<IndexEntry>> {
    let names: Vec<&PackageName> = wanted.iter().map(|(name, _)| *name).collect();
    let found = look_up(sources, url, &names).into_iter().zip(wanted);
    found
        .map(|(lookup, (name, version))| {
            lookup?.find_version(*version).cloned().ok_or_else(|| {
                let version = version.map(ToString::to_string).unwrap_or_default();
                Error::negative(format!(
                    "package `{name} {version}` not found in index `{url}`"
                ))
                .help(format!(
                    "run `skillpm update {}` to select another version",
                    name.skill()
                ))
            })
        })
        .collect()
}

fn entry_summary(
    sources: &PackageSources<'_>,
    url: &str,
    entry: &IndexEntry,
) -> Result<PackageSummary> {
    let needs = entry.deps.iter().map(|needed| {
        Ok(PackageDependency {
            alias: needed.name.skill().clone(),
            package: needed.name.clone(),
            source: SourceId::Registry(dependency_registry(sources, url, entry, needed)?),
            subdir: None,
            req: needed.req.clone(),
            dev: false,
            optional: false,
        })
    });

    Ok(PackageSummary {
        name: entry.name.clone(),
        version: Some(entry.vers.clone()),
        source: SourceId::Registry(url.to_owned()),
        subdir: None,
        dependencies: Some(needs.collect::<Result<_>>()?),
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

/// Fetches the trees of versions: all archives at once, then from git those without an archive.
fn fetch_trees(
    sources: &PackageSources<'_>,
    url: &str,
    entries: &[Result<IndexEntry>],
) -> Vec<Result<Tree>> {
    let index = match sources.open_index(url) {
        Ok(index) => index,
        Err(error) => return entries.iter().map(|_| Err(error.clone())).collect(),
    };

    let wanted: Vec<&IndexEntry> = entries.iter().flatten().collect();
    for entry in &wanted {
        sources.reporter.report(ProgressEvent::Fetching {
            what: format!("{} {}", entry.name, entry.vers),
        });
    }

    let archives = download_bytes(sources, &index, &wanted, sources.budget.remaining());
    let packed: Vec<_> = wanted
        .iter()
        .copied()
        .zip(archives.into_iter().map(Mutex::new))
        .collect();

    // An archive is dropped as soon as it is unpacked, so that not all of both are in memory at once.
    let mut trees: Vec<Option<Result<Tree>>> = run_parallel(
        sources.tools.jobs.min(UNPACKED_AT_ONCE),
        &packed,
        |(entry, archive)| {
            let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
            match std::mem::replace(&mut *archive, Ok(None)) {
                Ok(Some(bytes)) => Some(
                    verify_and_unpack(entry, &bytes).and_then(|tree| sources.budget.charge(tree)),
                ),
                Ok(None) => None,
                Err(error) => Some(Err(error)),
            }
        },
    );

    // Without an archive the files come from the commit in `src`.
    let without_archive: Vec<usize> = (0..wanted.len())
        .filter(|&at| trees[at].is_none())
        .collect();
    let unpacked: Vec<&IndexEntry> = without_archive.iter().map(|&at| wanted[at]).collect();
    for (at, tree) in without_archive
        .into_iter()
        .zip(fetch_from_git(sources, &index, &unpacked))
    {
        trees[at] = Some(tree.and_then(|tree| check_tree(wanted[at], tree)));
    }

    let mut trees = trees.into_iter();
    let answer = |entry: &Result<IndexEntry>| match entry {
        Ok(_) => trees
            .next()
            .flatten()
            .expect("each version has a tree or an error"),
        Err(error) => Err(error.clone()),
    };
    entries.iter().map(answer).collect()
}

/// Downloads the archives of versions, each checked against its digest.
pub(super) fn download_archives(
    sources: &PackageSources<'_>,
    url: &str,
    entries: &[&IndexEntry],
) -> Vec<Result<Vec<u8>>> {
    let index = match sources.open_index(url) {
        Ok(index) => index,
        Err(error) => return entries.iter().map(|_| Err(error.clone())).collect(),
    };

    let checked = |(entry, bytes): (&&IndexEntry, Result<Option<Vec<u8>>>)| {
        let bytes = bytes?.ok_or_else(|| index.missing_archive_error(entry))?;
        check_digest(entry, &bytes).map(|()| bytes)
    };

    entries
        .iter()
        .zip(download_bytes(sources, &index, entries, u64::MAX))
        .map(checked)
        .collect()
}

/// Downloads archives, at most `together` bytes in all; `None` where there is none.
fn download_bytes(
    sources: &PackageSources<'_>,
    index: &Index<'_>,
    entries: &[&IndexEntry],
    together: u64,
) -> Vec<Result<Option<Vec<u8>>>> {
    let places = index.locate_archives(entries, together);
    let allowance = Arc::new(ByteAllowance::new(together));

    let request = |(entry, place): (&&IndexEntry, &Result<Option<ArchiveLocation>>)| match place {
        Ok(Some(ArchiveLocation::Url(url))) => {
            let digest = entry.archive_digest();
            let allowance = Some(Arc::clone(&allowance));
            Some(index.archive_request(url).map(|request| HttpRequest {
                // Compared while it is downloaded: one that differs is fetched once more, bypassing all caches.
                sha256: digest,
                allowance,
                ..request
            }))
        }
        _ => None,
    };

    let requests: Vec<HttpRequest> = match entries.iter().zip(&places).filter_map(request).collect()
    {
        Ok(requests) => requests,
        Err(error) => return entries.iter().map(|_| Err(Error::clone(&error))).collect(),
    };

    let mut answers = sources
        .tools
        .http
        .get_all(&requests, sources.reporter)
        .into_iter();

    let taken = entries.iter().zip(places);
    taken
        .map(|(entry, place)| match place? {
            None => Ok(None),
            Some(ArchiveLocation::Bytes(bytes)) => Ok(Some(bytes)),
            Some(ArchiveLocation::Url(_)) => {
                archive_bytes(entry, answers.next().expect("every request has an answer"))
            }
        })
        .collect()
}

fn archive_bytes(entry: &IndexEntry, answer: Result<HttpOutcome>) -> Result<Option<Vec<u8>>> {
    match answer {
        Ok(HttpOutcome::Fresh(response)) => Ok(Some(response.bytes)),
        Ok(HttpOutcome::Missing(_)) => Ok(None),
        Ok(HttpOutcome::NotModified) => {
            Err(Error::internal("a plain request got a conditional answer"))
        }
        // The digest was compared during the download.
        Err(error) if error.kind() == FailureKind::Integrity => {
            Err(error.wrap(mismatch_message(entry)))
        }
        Err(error) => Err(error),
    }
}

fn mismatch_message(entry: &IndexEntry) -> String {
    format!(
        "checksum mismatch for the archive of `{} {}`: it differs from the index",
        entry.name, entry.vers
    )
}

fn verify_and_unpack(entry: &IndexEntry, bytes: &[u8]) -> Result<Tree> {
    // Checked before any of it is parsed.
    check_digest(entry, bytes).map_err(|error| {
        error
            .help("nothing was installed; try again, and report it to the registry's owners if it persists")
    })?;
    unpack_verified(entry, bytes)
}

fn check_digest(entry: &IndexEntry, bytes: &[u8]) -> Result<()> {
    let found = Sha256Digest::hash_bytes(bytes);
    if entry.archive_digest() == Some(found) {
        return Ok(());
    }
    Err(Error::integrity(mismatch_message(entry))
        .note(format!(
            "index    {}",
            entry.archive.as_deref().unwrap_or("none")
        ))
        .note(format!("archive  sha256:{found}")))
}

/// Unpacks an archive from [`download_archives`], and checks its files.
pub(super) fn unpack_verified(entry: &IndexEntry, bytes: &[u8]) -> Result<Tree> {
    // Whatever its URL ends in, the archive of a registry has this format.
    let kind = archive::ArchiveFormat::detect("package.tar.gz", bytes)?;

    let (tree, _) = archive::strip_top(archive::unpack(bytes, kind)?)?;
    check_tree(entry, tree)
}

/// Checks a tree against the checksum in the index.
fn check_tree(entry: &IndexEntry, tree: Tree) -> Result<Tree> {
    let found = Checksum::from_tree(&tree);
    if found == entry.cksum {
        return Ok(tree);
    }

    Err(Error::integrity(format!(
        "checksum mismatch for the content of `{} {}`: it differs from the index",
        entry.name, entry.vers
    ))
    .note(format!("index    {}", entry.cksum))
    .note(format!("content  {found}"))
    .help("nothing was installed; report it to the registry's owners"))
}

/// Fetches the trees of versions from the commits they were published from, a repository at a time.
fn fetch_from_git(
    sources: &PackageSources<'_>,
    index: &Index<'_>,
    entries: &[&IndexEntry],
) -> Vec<Result<Tree>> {
    let places: Vec<Result<(GitUrl, CommitId, String)>> = entries
        .iter()
        .map(|entry| commit_of_entry(index, entry))
        .collect();

    let mut trees: Vec<Option<Result<Tree>>> = places.iter().map(|_| None).collect();
    let mut by_repository: BTreeMap<&GitUrl, Vec<usize>> = BTreeMap::new();
    // By repository, so that the commits of each are one request.
    for (at, place) in places.iter().enumerate() {
        match place {
            Ok((url, ..)) => by_repository.entry(url).or_default().push(at),
            Err(error) => trees[at] = Some(Err(error.clone())),
        }
    }

    for (url, members) in by_repository {
        let wanted: Vec<(CommitId, &str)> = members
            .iter()
            .filter_map(|&at| places[at].as_ref().ok())
            .map(|(_, commit, dir)| (*commit, &**dir))
            .collect();
        let fetched =
            sources.with_repository(url, &wanted, |opened| git::read_trees_at(opened, &wanted));
        for (at, tree) in members.into_iter().zip(fetched) {
            let entry = entries[at];
            trees[at] = Some(tree.map_err(|error| {
                error.wrap(format!(
                    "failed to fetch `{} {}` from its commit",
                    entry.name, entry.vers
                ))
            }));
        }
    }

    trees
        .into_iter()
        .map(|tree| tree.expect("each is in one repository, or cannot be"))
        .collect()
}

/// The commit that an entry was published from, if its index may refer to that repository.
fn commit_of_entry(index: &Index<'_>, entry: &IndexEntry) -> Result<(GitUrl, CommitId, String)> {
    let src = entry
        .src
        .as_ref()
        .ok_or_else(|| index.missing_archive_error(entry))?;

    let from: IndexUrl = index.url().parse()?;
    let to: IndexUrl = format!("git+{}", src.git).parse()?;

    // As with redirects: a remote index may not refer to services of this machine.
    let is_allowed = match src.git.scheme() {
        // A service on this machine only for an index that is on it, too.
        "https" | "ssh" => !to.is_on_loopback() || from.is_local() || from.is_on_loopback(),
        "http" => from.is_local() || from.is_on_loopback(),
        _ => from.is_local(),
    };

    if !is_allowed {
        return Err(Error::integrity(format!(
            "refusing to fetch `{} {}` from `{}`, which index `{}` may not refer to",
            entry.name,
            entry.vers,
            src.git,
            index.url()
        ))
        .help(
            "a remote index may refer to https and ssh repositories only; report it to the registry's owners",
        ));
    }

    let commit = src.rev.parse()?;
    Ok((
        src.git.clone(),
        commit,
        src.path
            .as_ref()
            .map_or_else(String::new, RelPath::to_string),
    ))
}
