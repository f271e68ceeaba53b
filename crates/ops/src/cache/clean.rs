//! `cache clean`: removes the whole cache, or everything of one skill or source.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::{CacheContents, CacheEntry, CacheRemoval, SelectedEntries, read_contents};
use crate::CommandContext;
use crate::projects;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{Checksum, GitUrl, IndexUrl, PackageSpec, SkillName};
use skillpm_core::skill::formats;
use skillpm_io::disk;
use skillpm_io::git::cache::{self as git, CachedRepository};
use skillpm_registry::index::cache_dir_name;
use skillpm_registry::store::{ExclusiveStore, StoreEntry};

/// What `cache clean` removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CleanTarget {
    /// All trees of this skill, of every version.
    Skill(SkillName),
    /// This tree.
    Tree(Checksum),
    /// The copy of this git repository.
    Repository(GitUrl),
    /// The copies of this index's files.
    Index(IndexUrl),
}

impl fmt::Display for CleanTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CleanTarget::Skill(name) => write!(f, "{name}"),
            CleanTarget::Tree(checksum) => write!(f, "{checksum}"),
            CleanTarget::Repository(url) => f.write_str(url.as_str()),
            CleanTarget::Index(url) => f.write_str(url.as_str()),
        }
    }
}

impl FromStr for CleanTarget {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if text.starts_with("skill-tree-") {
            return text.parse().map(CleanTarget::Tree);
        }
        if text.starts_with("sparse+") || text.starts_with("git+") {
            return text.parse().map(CleanTarget::Index);
        }

        match text.parse::<PackageSpec>() {
            Ok(PackageSpec::Registry { name, .. }) => Ok(CleanTarget::Skill(name.skill().clone())),
            Ok(PackageSpec::Git { url, .. }) => Ok(CleanTarget::Repository(url)),
            Ok(_) => Err(Error::usage(format!(
                "unsupported target `{text}`: only its trees are cached"
            ))
            .help("pass the name of a skill: `skillpm cache clean pdf`")),
            Err(error) => Err(error),
        }
    }
}

/// Removes everything, or everything of one target, except the trees that a known project requires
/// and cannot fetch again.
///
/// # Errors
/// [`FailureKind::Negative`](skillpm_core::error::FailureKind::Negative) if nothing of the target
/// is cached; if another process uses the store for too long, or on an I/O error.
pub fn clean(context: &CommandContext<'_>, target: Option<&CleanTarget>) -> Result<CacheRemoval> {
    let home = &context.dirs.skillpm_home;
    // Exclusive: no other command may find a tree that is removed before it is installed.
    let store = ExclusiveStore::open_exclusive(home, context.lock_timeout(), context.reporter)?;
    store.remove_leftovers()?;
    git::remove_leftovers(&home.join("git"))?;
    disk::remove_leftovers(&home.join("index"))?;

    let contents = read_contents(context)?;
    // A tree that a project requires is kept and reported with the reason.
    let (trees, kept) = select_trees(context, &store, &contents, target)?;
    let selected = SelectedEntries {
        trees,
        copies: contents
            .repositories
            .iter()
            .filter(|copy| is_target_copy(target, copy))
            .collect(),
        items: contents
            .indexes
            .iter()
            .chain(&contents.tables)
            .filter(|item| is_target_item(target, item))
            .collect(),
    };
    let removed = CacheRemoval {
        kept,
        ..CacheRemoval::from_items(selected.list(context), contents.bytes(context))
    };

    // A target that matches nothing is likely a typo.
    if let Some(target) = target
        && removed.items.is_empty()
        && removed.kept.is_empty()
    {
        return Err(
            Error::negative(format!("`{target}` not found in the cache")).help(
                "`skillpm cache size` shows the cache, `skillpm cache clean` removes all of it",
            ),
        );
    }

    selected.remove_files(home, &store)?;
    drop(store);
    selected.remove_copies(context)?;
    Ok(removed)
}

type CleanSelection<'c> = (Vec<&'c StoreEntry>, Vec<(CacheEntry, String)>);

/// The trees to remove, and those of the target that are kept, with the reason.
fn select_trees<'c>(
    context: &CommandContext<'_>,
    store: &ExclusiveStore,
    contents: &'c CacheContents,
    target: Option<&CleanTarget>,
) -> Result<CleanSelection<'c>> {
    // The trees of `undo` and of saved edits may exist only in the store.
    let mut needed: BTreeMap<Checksum, PathBuf> = BTreeMap::new();
    let projects = projects::known_projects(&context.dirs.skillpm_home)?;
    for project in &projects {
        needed.extend(
            project
                .required_trees()?
                .into_iter()
                .map(|tree| (tree, project.root.clone())),
        );
    }

    // A project on a disk that is not mounted may require trees that no source has.
    let unmounted = projects.iter().find(|project| project.may_return());
    let (mut removed, mut kept) = (Vec::new(), Vec::new());

    for entry in contents
        .trees
        .iter()
        .filter(|entry| is_target_tree(target, store, entry))
    {
        let user = needed.get(&entry.checksum).or(unmounted
            .filter(|_| entry.is_own)
            .map(|project| &project.root));
        // An unfinished tree has no mark, and no project can use it.
        match user.filter(|_| entry.used.is_some()) {
            Some(root) => {
                let why = format!("`undo` or a saved edit in `{}` requires it", root.display());
                kept.push((CacheEntry::from_tree(context, entry), why));
            }
            None => removed.push(entry),
        }
    }

    Ok((removed, kept))
}

fn is_target_tree(
    target: Option<&CleanTarget>,
    store: &ExclusiveStore,
    entry: &StoreEntry,
) -> bool {
    match target {
        None => true,
        Some(CleanTarget::Tree(checksum)) => entry.checksum == *checksum,
        // A tree's path is its checksum: the name is read from the files.
        Some(CleanTarget::Skill(name)) => store.read_tree(entry).is_some_and(|tree| {
            let read = formats::read_tree(&tree, "");
            read.and_then(|read| read.skill)
                .is_some_and(|skill| skill.name == name.as_str())
        }),
        Some(CleanTarget::Repository(_) | CleanTarget::Index(_)) => false,
    }
}

fn is_target_copy(target: Option<&CleanTarget>, copy: &CachedRepository) -> bool {
    match target {
        None => true,
        Some(CleanTarget::Repository(url)) => copy.name == git::cached_name(url),
        // An index in a git repository is read from the copy of the repository.
        Some(CleanTarget::Index(index)) => index.inner().parse::<GitUrl>().is_ok_and(|url| {
            index.as_str().starts_with("git+") && copy.name == git::cached_name(&url)
        }),
        Some(CleanTarget::Tree(_) | CleanTarget::Skill(_)) => false,
    }
}

fn is_target_item(target: Option<&CleanTarget>, item: &CacheEntry) -> bool {
    match target {
        None => true,
        Some(CleanTarget::Index(index)) => item.name == cache_dir_name(index),
        Some(_) => false,
    }
}
