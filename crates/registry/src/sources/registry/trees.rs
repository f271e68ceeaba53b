//! The trees of versions in an index: from their archives, or from the commits they were published from.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::super::{PackageSources, git};
use super::results_of_entries;
use crate::index::{ArchiveLocation, Index, IndexEntry};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::package::{Checksum, GitUrl, IndexUrl, RelPath, Sha256Digest, Tree};
use skillpm_core::report::ProgressEvent;
use skillpm_io::git::CommitId;
use skillpm_io::http::{ByteAllowance, HttpOutcome, HttpRequest};
use skillpm_io::{archive, run_parallel};

/// Most archives that are unpacked at once: the size of each counts only after it is unpacked.
const UNPACKED_AT_ONCE: usize = 4;

/// Fetches the trees of versions: all archives at once, then from git those without an archive.
pub(super) fn fetch_trees(
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
    let mut trees = unpack_archives(sources, &wanted, archives);
    fill_from_git(sources, &index, &wanted, &mut trees);

    let trees = trees
        .into_iter()
        .map(|tree| tree.expect("each version has a tree or an error"));
    results_of_entries(entries, trees.collect())
}

/// Unpacks the archives of versions, several at once; `None` where there is none.
fn unpack_archives(
    sources: &PackageSources<'_>,
    wanted: &[&IndexEntry],
    archives: Vec<Result<Option<Vec<u8>>>>,
) -> Vec<Option<Result<Tree>>> {
    let packed: Vec<_> = wanted
        .iter()
        .copied()
        .zip(archives.into_iter().map(Mutex::new))
        .collect();

    // An archive is dropped as soon as it is unpacked, so that not all of both are in memory at once.
    run_parallel(
        sources.tools.jobs.min(UNPACKED_AT_ONCE),
        &packed,
        |(entry, archive)| {
            let mut archive = archive.lock().unwrap_or_else(PoisonError::into_inner);
            let archive = std::mem::replace(&mut *archive, Ok(None));
            let bytes = archive.transpose()?;
            Some(bytes.and_then(|bytes| unpack_archive(sources, entry, &bytes)))
        },
    )
}

fn unpack_archive(sources: &PackageSources<'_>, entry: &IndexEntry, bytes: &[u8]) -> Result<Tree> {
    sources.budget.charge(verify_and_unpack(entry, bytes)?)
}

/// Fetches the trees that are missing, whose versions have no archive, from the commits in `src`.
fn fill_from_git(
    sources: &PackageSources<'_>,
    index: &Index<'_>,
    wanted: &[&IndexEntry],
    trees: &mut [Option<Result<Tree>>],
) {
    let missing: Vec<usize> = (0..wanted.len())
        .filter(|&at| trees[at].is_none())
        .collect();
    let entries: Vec<&IndexEntry> = missing.iter().map(|&at| wanted[at]).collect();

    for (at, tree) in missing
        .into_iter()
        .zip(fetch_from_git(sources, index, &entries))
    {
        // A commit proves nothing about the version: the index's checksum decides, as for an archive.
        trees[at] = Some(tree.and_then(|tree| check_tree(wanted[at], tree)));
    }
}

/// Downloads the archives of versions, each checked against its digest.
pub(in crate::sources) fn download_archives(
    sources: &PackageSources<'_>,
    url: &str,
    entries: &[&IndexEntry],
) -> Vec<Result<Vec<u8>>> {
    let index = match sources.open_index(url) {
        Ok(index) => index,
        Err(error) => return entries.iter().map(|_| Err(error.clone())).collect(),
    };

    // Archives of a directory or a repository did not go through the client, which checks digests.
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
    let requests = match archive_requests(index, entries, &places, together) {
        Ok(requests) => requests,
        Err(error) => return entries.iter().map(|_| Err(error.clone())).collect(),
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

/// The requests for the archives that are at a URL, in the order of the entries.
fn archive_requests(
    index: &Index<'_>,
    entries: &[&IndexEntry],
    places: &[Result<Option<ArchiveLocation>>],
    together: u64,
) -> Result<Vec<HttpRequest>> {
    // Shared by all requests, which run at the same time.
    let allowance = Arc::new(ByteAllowance::new(together));
    let request = |(entry, place): (&&IndexEntry, &Result<Option<ArchiveLocation>>)| match place {
        Ok(Some(ArchiveLocation::Url(url))) => {
            Some(index.archive_request(url).map(|request| HttpRequest {
                // Compared while it is downloaded: one that differs is fetched once more, bypassing all caches.
                sha256: entry.archive_digest(),
                allowance: Some(Arc::clone(&allowance)),
                ..request
            }))
        }
        _ => None,
    };
    entries.iter().zip(places).filter_map(request).collect()
}

fn archive_bytes(entry: &IndexEntry, answer: Result<HttpOutcome>) -> Result<Option<Vec<u8>>> {
    match answer {
        Ok(HttpOutcome::Fresh(response)) => Ok(Some(response.bytes)),
        Ok(HttpOutcome::Missing(_) | HttpOutcome::Refused(..)) => Ok(None),
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
pub(in crate::sources) fn unpack_verified(entry: &IndexEntry, bytes: &[u8]) -> Result<Tree> {
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
    let places: Vec<Result<CommitPlace>> = entries
        .iter()
        .map(|entry| commit_of_entry(index, entry))
        .collect();

    let mut trees: BTreeMap<usize, Result<Tree>> = BTreeMap::new();
    for (url, members) in group_by_repository(&places) {
        let wanted: Vec<(CommitId, &str)> = members
            .iter()
            .filter_map(|&at| places[at].as_ref().ok())
            .map(|(_, commit, dir)| (*commit, &**dir))
            .collect();
        let fetched =
            sources.with_repository(url, &wanted, |opened| git::read_trees_at(opened, &wanted));
        trees.extend(members.into_iter().zip(fetched));
    }

    let tree = |(at, place): (usize, Result<_>)| {
        place?;
        let tree = trees.remove(&at).expect("each place is in one repository");
        tree.map_err(|error| note_version(error, entries[at]))
    };
    places.into_iter().enumerate().map(tree).collect()
}

/// A directory in a commit of a repository.
type CommitPlace = (GitUrl, CommitId, String);

/// The positions of the places in each repository, so that the commits of each are one request.
fn group_by_repository(places: &[Result<CommitPlace>]) -> BTreeMap<&GitUrl, Vec<usize>> {
    let mut groups: BTreeMap<&GitUrl, Vec<usize>> = BTreeMap::new();
    for (at, place) in places.iter().enumerate() {
        // One that its index may not refer to keeps its error, and is not fetched.
        if let Ok((url, ..)) = place {
            groups.entry(url).or_default().push(at);
        }
    }
    groups
}

fn note_version(error: Error, entry: &IndexEntry) -> Error {
    error.wrap(format!(
        "failed to fetch `{} {}` from its commit",
        entry.name, entry.vers
    ))
}

/// The commit that an entry was published from, if its index may refer to that repository.
fn commit_of_entry(index: &Index<'_>, entry: &IndexEntry) -> Result<CommitPlace> {
    // Neither archive nor commit: the line has no source at all.
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
