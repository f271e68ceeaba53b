//! The trees of locked packages and of directories in commits, with as few requests as possible.

use std::collections::{BTreeMap, BTreeSet};

use super::OpenRepository;
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{RelPath, Tree};
use skillpm_io::git::{BlobId, CommitId, CommitListing, ListedEntry, TreeId};

/// Fetches locked trees: by their ids in one request where the host allows that, else by their commits.
pub(in crate::sources) fn restore_trees(
    opened: &mut OpenRepository<'_>,
    packages: &[&LockedPackage],
) -> Vec<Result<Tree>> {
    let parsed: Vec<Option<TreeId>> = packages
        .iter()
        .map(|package| package.tree.as_ref()?.parse().ok())
        .collect();
    // With one id missing the commits have to be listed anyway.
    let known: Vec<TreeId> = parsed.iter().flatten().copied().collect();
    let fetched_by_id =
        known.len() == packages.len() && opened.repository().fetch_trees(&known).unwrap_or(false);

    // The fast way: one request for trees by their ids, where the host allows it.
    if fetched_by_id {
        let pairs = packages.iter().zip(&known);
        return pairs
            .map(|(package, tree)| {
                check_tree_of_commit(opened, package, tree)?;
                opened.read_tree(tree, None)
            })
            .collect();
    }

    // Else the commits are listed, and all missing blobs are one request.
    let located = packages
        .iter()
        .map(|package| locate_locked(opened, package))
        .collect();
    read_located(opened, located)
}

/// A directory of a commit.
struct LocatedTree {
    tree: TreeId,
    blobs: Vec<BlobId>,
    /// The file outside of it that its `SKILL.md` is a copy of.
    linked: Option<ListedEntry>,
}

/// Reads located trees, after all of their missing blobs were fetched in one request.
fn read_located(
    opened: &mut OpenRepository<'_>,
    located: Vec<Result<LocatedTree>>,
) -> Vec<Result<Tree>> {
    let blobs: BTreeSet<BlobId> = located
        .iter()
        .flatten()
        .flat_map(|one| one.blobs.iter().copied())
        .collect();

    let blobs: Vec<BlobId> = blobs.into_iter().collect();
    if let Err(error) = opened.repository().fetch_blobs(&blobs) {
        // One that could not be located keeps its own error.
        return located
            .into_iter()
            .map(|found| found.and(Err(error.clone())))
            .collect();
    }

    located
        .into_iter()
        .map(|found| found.and_then(|one| opened.read_tree(&one.tree, one.linked.as_ref())))
        .collect()
}

/// Reads directories of commits, all missing blobs in one request.
pub(in crate::sources) fn read_trees_at(
    opened: &mut OpenRepository<'_>,
    places: &[(CommitId, &str)],
) -> Vec<Result<Tree>> {
    // Several packages of one commit share its listing.
    let mut listings: BTreeMap<CommitId, Result<CommitListing>> = BTreeMap::new();
    let mut located = Vec::new();
    for (commit, dir) in places {
        let listing = listings
            .entry(*commit)
            .or_insert_with(|| opened.repository().list_commit(commit));
        located.push(match listing {
            Ok(listing) => locate_in_listing(opened, listing, dir),
            Err(error) => Err(error.clone()),
        });
    }
    read_located(opened, located)
}

fn locate_in_listing(
    opened: &mut OpenRepository<'_>,
    listing: &CommitListing,
    dir: &str,
) -> Result<LocatedTree> {
    let Some(tree) = listing.tree_at(dir) else {
        return Err(Error::integrity(format!(
            "directory `{dir}` not found in commit {} of `{}`",
            listing.commit(),
            opened.url
        ))
        .help("report it to the owners of the registry or lockfile that refers to it"));
    };
    opened.check_file_count(listing, dir)?;
    located_tree(opened, listing, dir, tree)
}

fn located_tree(
    opened: &mut OpenRepository<'_>,
    listing: &CommitListing,
    dir: &str,
    tree: TreeId,
) -> Result<LocatedTree> {
    let linked = opened.outside_descriptor(listing, dir)?;
    let mut blobs = listing.blobs_below(dir);
    blobs.extend(linked.as_ref().map(|file| file.id));
    Ok(LocatedTree {
        tree,
        blobs,
        linked,
    })
}

impl OpenRepository<'_> {
    /// Counts the files of a directory before anything is fetched, so that an excessive tree is never requested.
    pub(super) fn check_file_count(&self, listing: &CommitListing, dir: &str) -> Result<()> {
        let files = listing.entries_below(dir).len();
        self.budget
            .check_file_count(files)
            .map_err(|error| error.wrap(format!("failed to fetch `{dir}` of `{}`", self.url)))
    }
}

/// Refuses a tree that is not the one of the commit it is locked with, if that commit is cached.
fn check_tree_of_commit(
    opened: &mut OpenRepository<'_>,
    package: &LockedPackage,
    tree: &TreeId,
) -> Result<()> {
    let commit: CommitId = package.commit.as_deref().unwrap_or_default().parse()?;
    let dir = package.path.as_ref().map_or("", RelPath::as_str);

    match opened.repository().find_cached_tree(&commit, dir) {
        // Only if the commit is cached: to fetch it just for this would undo the fast way.
        Some(known) if known != *tree => Err(Error::integrity(format!(
            "checksum mismatch for `{}`: its locked tree is not in its locked commit",
            package.reference()
        ))
        .note(format!("locked  tree {tree}"))
        .note(format!("commit {commit} has  tree {known}"))
        .help(format!(
            "the lockfile is inconsistent: restore it, or run `skillpm update {}`",
            package.install_name()
        ))),
        _ => Ok(()),
    }
}

fn locate_locked(opened: &mut OpenRepository<'_>, package: &LockedPackage) -> Result<LocatedTree> {
    let commit: CommitId = package.commit.as_deref().unwrap_or_default().parse()?;

    let dir = package.path.as_ref().map_or("", RelPath::as_str);
    let contents = opened.commit_contents(commit, &[])?;
    let tree = contents.listing.tree_at(dir).ok_or_else(|| {
        Error::integrity(format!(
            "locked directory `{dir}` not found in commit {commit} of `{}`",
            opened.url
        ))
    })?;
    located_tree(opened, &contents.listing, dir, tree)
}
