//! Finds the commit of a repository that a skill came from, where it was not recorded, or recorded in another form.

use std::sync::PoisonError;

use super::PackageSources;
use super::git::OpenRepository;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::package::{GitReference, GitUrl, RelPath, SkillName, Tree};
use skillpm_io::git::{CommitId, DirectoryState, TreeId};

/// Most commits of the history that are searched.
const COMMITS_MAX: usize = 2000;
/// Most states of a directory whose files are fetched to be compared with a recorded hash.
const CONTENTS_MAX: usize = 64;

/// The known facts about a skill.
#[derive(Clone, Copy)]
pub struct TraceQuery<'s> {
    /// The repository that it is from.
    pub url: &'s GitUrl,
    /// The branch, tag or commit, as the user typed it; `None` for the default branch.
    pub reference: Option<&'s str>,
    /// Its name, for the search if its directory is unknown.
    pub name: &'s SkillName,
    /// Its directory in the repository; empty for the root, `None` if it is unknown.
    pub path: Option<&'s str>,
    /// The recorded commit.
    pub commit: Option<&'s str>,
    /// The recorded git id of the directory.
    pub tree: Option<&'s str>,
    /// Its installed files.
    pub disk: Option<&'s Tree>,
    /// Whether files match a recorded hash; `None` if that cannot be determined.
    pub proof: &'s dyn Fn(&Tree) -> Option<bool>,
    /// When it was installed, in seconds since 1970.
    pub installed: Option<i64>,
}

/// The evidence for a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceEvidence {
    /// It was recorded.
    Record,
    /// Its files are the installed ones.
    Disk,
    /// Its files match a recorded hash.
    Proof,
    /// It was the newest when the skill was installed.
    Time,
    /// It is the newest now, and nothing better was found.
    Newest,
}

/// The origin of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceResult {
    /// The resolved reference.
    pub reference: GitReference,
    /// The full commit.
    pub commit: String,
    /// The directory; `None` for the root.
    pub path: Option<RelPath>,
    /// The evidence for it.
    pub by: TraceEvidence,
}

impl PackageSources<'_> {
    /// Finds the commit that a skill came from.
    ///
    /// # Errors
    /// If the repository cannot be read, or has no such reference or skill.
    pub fn trace(&self, search: &TraceQuery<'_>) -> Result<TraceResult> {
        let opened = self.repository(search.url);
        let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
        // A missing repository is a wrong URL, and no fact about the skill.
        opened
            .ensure_open(self)
            .map_err(|error| match error.kind() {
                FailureKind::Negative => error.with_kind(FailureKind::Usage),
                _ => error,
            })?;
        trace_commit(&mut opened, search)
    }
}

fn trace_commit(opened: &mut OpenRepository<'_>, search: &TraceQuery<'_>) -> Result<TraceResult> {
    let reference = resolve_reference(opened, search.reference)?;
    let origin = find_origin(opened, &reference, search)?;
    let path = if origin.path.is_empty() {
        None
    } else {
        Some(origin.path.parse()?)
    };
    Ok(TraceResult {
        reference,
        commit: origin.commit.to_string(),
        path,
        by: origin.by,
    })
}

/// A commit with the skill, its directory in it, and the evidence for the commit.
struct TraceOrigin {
    commit: CommitId,
    path: String,
    by: TraceEvidence,
}

fn find_origin(
    opened: &mut OpenRepository<'_>,
    reference: &GitReference,
    search: &TraceQuery<'_>,
) -> Result<TraceOrigin> {
    // A recorded commit is used if the skill is in it. One that no longer exists counts as not recorded.
    if let Some(commit) = search.commit
        && let Ok((path, _)) = locate_skill(opened, commit.parse()?, search)
    {
        return Ok(TraceOrigin {
            commit: commit.parse()?,
            path,
            by: TraceEvidence::Record,
        });
    }

    let head = opened.resolve_commit(reference)?;
    let newest = locate_skill(opened, head, search);
    // It is nearly always the newest state, which costs no further request.
    if let Ok((path, tree)) = &newest
        && is_installed(opened, tree, search)
    {
        return Ok(TraceOrigin {
            commit: head,
            path: path.clone(),
            by: match search.disk {
                Some(_) => TraceEvidence::Disk,
                None => TraceEvidence::Newest,
            },
        });
    }

    let path = match (&newest, search.path) {
        (Ok((path, _)), _) => path.clone(),
        // It no longer exists, but the history may have it.
        (Err(error), Some(path)) if error.kind() == FailureKind::Negative => path.to_owned(),
        (Err(error), _) => return Err(error.clone()),
    };
    match search_history(opened, head, path, search)? {
        Some(origin) => Ok(origin),
        None => Err(newest
            .err()
            .unwrap_or_else(|| Error::internal("an existing directory has no history"))),
    }
}

/// Searches the history of a directory for the installed state, by the strongest evidence that there is; `None` if the
/// directory has no history.
fn search_history(
    opened: &mut OpenRepository<'_>,
    head: CommitId,
    path: String,
    search: &TraceQuery<'_>,
) -> Result<Option<TraceOrigin>> {
    let states = opened
        .repository()
        .directory_states(&head, &path, COMMITS_MAX)?;
    let on_disk = search.disk.and_then(|disk| {
        states
            .iter()
            .find(|state| opened.repository_ref().is_same_tree(&state.tree, disk))
    });

    let (state, by) = if let Some(state) = on_disk {
        (Some(state), TraceEvidence::Disk)
    } else if let Some(state) = find_recorded_state(opened, &states, search)? {
        (Some(state), TraceEvidence::Proof)
    } else if let Some(state) = states
        .iter()
        .find(|state| was_installed_after(state, search))
    {
        // Weaker evidence than any content: the newest state when the skill was installed.
        (Some(state), TraceEvidence::Time)
    } else {
        (states.first(), TraceEvidence::Newest)
    };
    Ok(state.map(|state| TraceOrigin {
        commit: state.commit,
        path,
        by,
    }))
}

/// Whether a directory has the installed files; true also if these are not known.
fn is_installed(opened: &OpenRepository<'_>, tree: &TreeId, search: &TraceQuery<'_>) -> bool {
    search
        .disk
        .is_none_or(|disk| opened.repository_ref().is_same_tree(tree, disk))
}

fn was_installed_after(state: &DirectoryState, search: &TraceQuery<'_>) -> bool {
    state
        .since
        .zip(search.installed)
        .is_some_and(|(since, at)| since <= at)
}

/// Resolves a reference that the user typed to a branch, tag or commit.
fn resolve_reference(opened: &mut OpenRepository<'_>, typed: Option<&str>) -> Result<GitReference> {
    let Some(typed) = typed else {
        return Ok(GitReference::Default);
    };
    let typed = GitReference::check_name(typed)?;
    if let Some(branch) = typed.strip_prefix("refs/heads/") {
        return Ok(GitReference::Branch(branch.to_owned()));
    }
    if let Some(tag) = typed.strip_prefix("refs/tags/") {
        return Ok(GitReference::Tag(tag.to_owned()));
    }
    // Full digits are a commit, even if there is a branch of that name.
    if matches!(typed.len(), 40 | 64) && typed.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(GitReference::Rev(typed));
    }

    let branch = GitReference::Branch(typed.clone());
    // A branch first, as git does for a name that could be either.
    let failed = match opened.resolve_commit(&branch) {
        Ok(_) => return Ok(branch),
        Err(error) if error.kind() == FailureKind::Negative => error,
        Err(error) => return Err(error),
    };

    // A tag, or else a short commit.
    let others = [GitReference::Tag(typed.clone()), GitReference::Rev(typed)];
    others
        .into_iter()
        .find(|other| opened.resolve_commit(other).is_ok())
        .ok_or(failed)
}

/// Finds the skill's directory in a commit, and its id.
fn locate_skill(
    opened: &mut OpenRepository<'_>,
    commit: CommitId,
    search: &TraceQuery<'_>,
) -> Result<(String, TreeId)> {
    opened.find_directory(commit, search.path, search.name)
}

/// Finds the recorded state: by its id, or by a hash.
fn find_recorded_state<'s>(
    opened: &mut OpenRepository<'_>,
    states: &'s [DirectoryState],
    search: &TraceQuery<'_>,
) -> Result<Option<&'s DirectoryState>> {
    if let Some(state) = states
        .iter()
        .find(|state| Some(state.tree.to_string().as_str()) == search.tree)
    {
        return Ok(Some(state));
    }

    // The installed files match the hash, and no state has them: there is nothing to be found.
    let is_hopeless = search
        .disk
        .is_none_or(|disk| (search.proof)(disk) != Some(false));
    if is_hopeless {
        return Ok(None);
    }

    // The newest ones: a hash was most likely recorded not long ago.
    let states = &states[..states.len().min(CONTENTS_MAX)];
    let trees: Vec<TreeId> = states.iter().map(|state| state.tree).collect();
    // A host that does not serve trees by their ids cannot be searched in this way.
    if !opened.repository().fetch_trees(&trees)? {
        return Ok(None);
    }

    let is_it = |state: &&DirectoryState| {
        let tree = opened.repository_ref().read_tree(&state.tree);
        tree.is_ok_and(|tree| (search.proof)(&tree) == Some(true))
    };
    Ok(states.iter().find(is_it))
}
