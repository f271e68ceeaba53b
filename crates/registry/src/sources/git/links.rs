//! The symbolic links of a commit that lead to skills, and to the `SKILL.md` of one.

use std::collections::BTreeMap;

use super::super::discover::{SkillSearch, dir_name, join_paths};
use super::super::links::{
    DirectoryLinks, PathKind, may_be_directory, resolve_directory_links, resolve_link,
};
use super::OpenRepository;
use skillpm_core::error::Result;
use skillpm_core::package::{follow_link, link_refused, resolve_under};
use skillpm_core::skill::formats::container::is_at_or_under;
use skillpm_io::git::{BlobId, CommitListing, EntryKind, ListedEntry};

/// The links of a commit that discovery follows: those outside of skills that may lead to directories.
pub(super) fn directory_links<'l>(
    listing: &'l CommitListing,
    search: &SkillSearch<'_>,
) -> Vec<&'l ListedEntry> {
    let links = listing.entries().iter().filter(|entry| {
        entry.kind == EntryKind::Link
            && may_be_directory(&entry.path)
            && !search.is_in_skill(&entry.path)
    });
    links.collect()
}

/// The links that are the `SKILL.md` of a skill.
pub(super) fn descriptor_links(listing: &CommitListing) -> impl Iterator<Item = BlobId> {
    let links = listing.entries().iter();
    links
        .filter(|entry| entry.kind == EntryKind::Link && dir_name(&entry.path) == "SKILL.md")
        .map(|entry| entry.id)
}

impl OpenRepository<'_> {
    /// Reads where links lead.
    pub(super) fn resolve_directory_links(
        &mut self,
        listing: &CommitListing,
        links: &[&ListedEntry],
    ) -> Result<DirectoryLinks> {
        let targets = self.read_links(links.iter().copied())?;
        Ok(resolve_directory_links(targets, &|path| {
            kind_at(listing, path)
        }))
    }

    /// The targets that are written in links, by their paths.
    fn read_links<'l>(
        &mut self,
        links: impl Iterator<Item = &'l ListedEntry> + Clone,
    ) -> Result<BTreeMap<String, String>> {
        let blobs: Vec<BlobId> = links.clone().map(|link| link.id).collect();
        self.repository().fetch_blobs(&blobs)?;

        // One without a path leads nowhere, as an empty one does.
        let target = |link: &ListedEntry| self.repository_ref().read_link(&link.id);
        Ok(links
            .map(|link| (link.path.clone(), target(link).ok().flatten()))
            .map(|(path, target)| (path, target.unwrap_or_default()))
            .collect())
    }

    /// The files that the `SKILL.md` of skills are copies of, by the directories of the skills; those that are not followed
    /// are left out.
    pub(super) fn follow_descriptors(
        &mut self,
        listing: &CommitListing,
        skills: &[String],
    ) -> BTreeMap<String, ListedEntry> {
        let mut files = BTreeMap::new();
        for dir in skills {
            if let Ok(Some(file)) = self.follow_descriptor(listing, dir) {
                files.insert(dir.clone(), file);
            }
        }
        files
    }

    /// The file that the `SKILL.md` in a directory is a copy of; `None` if it is no link.
    ///
    /// # Errors
    /// If the link is not followed: it leads out of the repository, to another link, to a submodule, or to no file.
    pub(super) fn follow_descriptor(
        &mut self,
        listing: &CommitListing,
        dir: &str,
    ) -> Result<Option<ListedEntry>> {
        let descriptor = listing.entry(&join_paths(dir, "SKILL.md"));
        let Some(link) = descriptor.filter(|entry| entry.kind == EntryKind::Link) else {
            return Ok(None);
        };

        let target = self.read_links([link].into_iter())?.remove(&link.path);
        let target = target.unwrap_or_default();
        // In the skill links may follow one another, as in any package.
        let inner = resolve_under(dir, &target).filter(|path| is_at_or_under(path, dir));
        let path = if inner.is_some() && !target.starts_with('/') {
            let inside = listing.entries_below(dir).iter();
            let inside = inside.filter(|entry| entry.kind == EntryKind::Link);
            let targets = self.read_links(inside)?.into_iter();
            let relative = targets.map(|(path, target)| {
                let path = path[dir.len()..].trim_start_matches('/');
                (path.to_owned(), target)
            });
            join_paths(dir, &follow_link(&relative.collect(), "SKILL.md")?)
        } else {
            let resolved = resolve_link(&link.path, &target, &|path| kind_at(listing, path));
            let (path, _) = resolved.map_err(|reason| link_refused("SKILL.md", &reason))?;
            path
        };

        let found = listing.entry(&path);
        let file = found.filter(|entry| matches!(entry.kind, EntryKind::File { .. }));
        let file = file.ok_or_else(|| {
            let reason = format!("leads to `{}`, which is not a file", path.escape_debug());
            link_refused("SKILL.md", &reason)
        });
        file.cloned().map(Some)
    }

    /// The file outside of a directory that its `SKILL.md` is a copy of; `None` if all of its files are in it.
    pub(super) fn outside_descriptor(
        &mut self,
        listing: &CommitListing,
        dir: &str,
    ) -> Result<Option<ListedEntry>> {
        let file = self.follow_descriptor(listing, dir).map_err(|error| {
            let dir = if dir.is_empty() { "." } else { dir };
            error.wrap(format!("invalid package in `{dir}` of `{}`", self.url))
        })?;
        Ok(file.filter(|file| !is_at_or_under(&file.path, dir)))
    }
}

fn kind_at(listing: &CommitListing, path: &str) -> Option<PathKind> {
    match listing.entry(path).map(|entry| entry.kind) {
        Some(EntryKind::File { .. }) => Some(PathKind::File),
        Some(EntryKind::Link) => Some(PathKind::Link),
        Some(EntryKind::Submodule) => Some(PathKind::Submodule),
        Some(EntryKind::Unusable) => None,
        None => listing.tree_at(path).map(|_| PathKind::Directory),
    }
}
