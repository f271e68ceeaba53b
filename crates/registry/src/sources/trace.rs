//! Which commit of a repository a skill came from, where nobody wrote that down, or wrote down something else.

use std::sync::PoisonError;

use super::Sources;
use super::git::Opened;
use crate::error::{Error, Kind, Result};
use crate::io::git::{CommitId, State, TreeId};
use crate::package::{GitReference, GitUrl, RelPath, SkillName, Tree};

/// Most commits that are looked back.
const COMMITS_MAX: usize = 2000;
/// Most contents whose files are brought to be held against a hash.
const CONTENTS_MAX: usize = 64;

/// What is known of a skill.
#[derive(Clone, Copy)]
pub struct Search<'s> {
    /// The repository that it is from.
    pub url: &'s GitUrl,
    /// The branch, tag or commit, as somebody typed it; `None` for the default branch.
    pub reference: Option<&'s str>,
    /// Its name, to find it by where its directory is not known.
    pub name: &'s SkillName,
    /// Its directory in the repository; empty for the root, `None` if it is not known.
    pub path: Option<&'s str>,
    /// The commit that somebody wrote down.
    pub commit: Option<&'s str>,
    /// The git id of the directory that somebody wrote down.
    pub tree: Option<&'s str>,
    /// What lies on the disk of it.
    pub disk: Option<&'s Tree>,
    /// Whether files are those of which somebody wrote down a hash; `None` if that cannot be told.
    pub proof: &'s dyn Fn(&Tree) -> Option<bool>,
    /// When it was installed, in seconds since 1970.
    pub installed: Option<i64>,
}

/// By what a commit was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// It was written down.
    Record,
    /// It has just what lies on the disk.
    Disk,
    /// It has what a hash was written down of.
    Proof,
    /// It was the newest when the skill was installed.
    Time,
    /// It is the newest now, and nothing better was found.
    Newest,
}

/// Where a skill came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Traced {
    /// What the reference is.
    pub reference: GitReference,
    /// The full commit.
    pub commit: String,
    /// The directory; `None` for the root.
    pub path: Option<RelPath>,
    /// By what it was found.
    pub by: By,
}

impl Sources<'_> {
    /// Finds the commit that a skill came from.
    ///
    /// # Errors
    /// If the repository cannot be asked, or has no such reference or skill.
    pub fn trace(&self, search: &Search<'_>) -> Result<Traced> {
        let opened = self.repository(search.url);
        let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
        // That there is no repository says nothing of the skill.
        opened.open(self).map_err(|error| match error.kind() {
            Kind::Negative => error.with_kind(Kind::Usage),
            _ => error,
        })?;
        trace(&mut opened, search)
    }
}

fn trace(opened: &mut Opened, search: &Search<'_>) -> Result<Traced> {
    let reference = reference(opened, search.reference)?;
    let recorded = match search.commit {
        Some(commit) => directory(opened, commit.parse()?, search).ok(),
        None => None,
    };
    let found = |(commit, path): (CommitId, &str), by: By| {
        let path = if path.is_empty() { None } else { Some(path.parse()?) };
        Ok(Traced { reference: reference.clone(), commit: commit.to_string(), path, by })
    };
    if let Some((commit, path, _)) = &recorded {
        return found((*commit, path), By::Record);
    }
    let head = opened.commit(&reference)?;
    let newest = directory(opened, head, search);
    let path = match (&newest, search.path) {
        (Ok((_, path, _)), _) => path.clone(),
        (Err(error), Some(path)) if error.kind() == Kind::Negative => path.to_owned(),
        (Err(error), _) => return Err(error.clone()),
    };
    let is_there = |tree: &TreeId| search.disk.is_none_or(|disk| opened.repository_ref().is_tree(tree, disk));
    if let Ok((commit, path, tree)) = &newest
        && is_there(tree)
    {
        return found((*commit, path), if search.disk.is_some() { By::Disk } else { By::Newest });
    }
    let states = opened.repository().states(&head, &path, COMMITS_MAX)?;
    let disk =
        search.disk.and_then(|disk| states.iter().find(|state| opened.repository_ref().is_tree(&state.tree, disk)));
    if let Some(state) = disk {
        return found((state.commit, &path), By::Disk);
    }
    if let Some(state) = proved(opened, &states, search)? {
        return found((state.commit, &path), By::Proof);
    }
    let before = |state: &&State| state.since.zip(search.installed).is_some_and(|(since, at)| since <= at);
    match (states.iter().find(before), states.first()) {
        (Some(state), _) => found((state.commit, &path), By::Time),
        (None, Some(state)) => found((state.commit, &path), By::Newest),
        (None, None) => Err(newest.err().unwrap_or_else(|| Error::internal("a directory that is there has no past"))),
    }
}

/// What a reference is that somebody typed.
fn reference(opened: &mut Opened, typed: Option<&str>) -> Result<GitReference> {
    let Some(typed) = typed else { return Ok(GitReference::Default) };
    let typed = GitReference::checked(typed)?;
    if matches!(typed.len(), 40 | 64) && typed.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(GitReference::Rev(typed));
    }
    let branch = GitReference::Branch(typed.clone());
    let failed = match opened.commit(&branch) {
        Ok(_) => return Ok(branch),
        Err(error) if error.kind() == Kind::Negative => error,
        Err(error) => return Err(error),
    };
    let others = [GitReference::Tag(typed.clone()), GitReference::Rev(typed)];
    others.into_iter().find(|other| opened.commit(other).is_ok()).ok_or(failed)
}

/// The skill's directory in a commit, and its id.
fn directory(opened: &mut Opened, commit: CommitId, search: &Search<'_>) -> Result<(CommitId, String, TreeId)> {
    let (path, tree) = opened.directory(commit, search.path, search.name)?;
    Ok((commit, path, tree))
}

/// The content that was written down: by its id, or by a hash.
fn proved<'s>(opened: &mut Opened, states: &'s [State], search: &Search<'_>) -> Result<Option<&'s State>> {
    if let Some(state) = states.iter().find(|state| Some(state.tree.to_string().as_str()) == search.tree) {
        return Ok(Some(state));
    }
    // What lies there is as it was installed, and none of the contents: there is nothing to be found.
    let is_hopeless = search.disk.is_none_or(|disk| (search.proof)(disk) != Some(false));
    if is_hopeless {
        return Ok(None);
    }
    let states = &states[..states.len().min(CONTENTS_MAX)];
    let trees: Vec<TreeId> = states.iter().map(|state| state.tree).collect();
    if !opened.repository().fetch_trees(&trees)? {
        return Ok(None);
    }
    let is_it = |state: &&State| {
        let tree = opened.repository_ref().tree(&state.tree);
        tree.is_ok_and(|tree| (search.proof)(&tree) == Some(true))
    };
    Ok(states.iter().find(is_it))
}
