//! `--since`: which skills differ from a commit.

use super::find::{LintInput, LocatedSkill};
use skillpm_core::error::{Error, Result};
use skillpm_io::disk;
use skillpm_io::git::{CommitSnapshot, GitCheckout};
use skillpm_lint::{FileContent, SkillDir, SkillFile};

/// The files of each repository at the commit.
pub(super) struct ChangedSkills {
    /// One for each repository.
    snapshots: Vec<CommitSnapshot>,
    /// For each searched directory, the index of its snapshot.
    by_base: Vec<usize>,
}

impl ChangedSkills {
    /// Resolves a revision in the repositories of all searched directories. Its merge base with
    /// `HEAD` is compared, so that later commits on its branch do not count.
    pub(super) fn find(since: &str, found: &LintInput) -> Result<ChangedSkills> {
        let mut changed = ChangedSkills {
            snapshots: Vec::new(),
            by_base: Vec::with_capacity(found.roots.len()),
        };
        for base in &found.roots {
            // A bare repository has no work tree to compare with.
            let checkout = GitCheckout::discover(&base.dir)?
                .filter(|checkout| !checkout.is_bare())
                .ok_or_else(|| {
                    Error::usage(format!(
                        "`--since {since}` requires a git work tree, and `{}` is not in one",
                        base.shown
                    ))
                    .help("run the command without `--since`")
                })?;

            // Several paths of one repository share a snapshot: reading a tree is the expensive part.
            let known = changed
                .snapshots
                .iter()
                .position(|snapshot| snapshot.root() == checkout.root());
            changed
                .by_base
                .push(known.unwrap_or(changed.snapshots.len()));

            if known.is_none() {
                changed.snapshots.push(take_snapshot(since, checkout)?);
            }
        }

        Ok(changed)
    }

    /// Whether a file of a skill was modified, added or deleted.
    pub(super) fn contains(&self, located: &LocatedSkill, skill: &SkillDir) -> bool {
        let snapshot = &self.snapshots[self.by_base[located.root]];

        // Outside the repository's work tree nothing is known, so that it counts as changed.
        let Some(root) = snapshot.relative_dir(&located.dir) else {
            return true;
        };

        let is_same = |file: &SkillFile| {
            let path = skillpm_lint::join(&root, &file.path);
            has_same_content(snapshot, &path, file, located)
        };
        let is_gone = |path: &str| skill.file(path).is_none() && !is_in_nested_skill(located, path);

        !skill.files.iter().all(is_same) || snapshot.files_below(&root).any(is_gone)
    }
}

/// Whether the commit has a file as it is now; `path` is its path in the repository.
fn has_same_content(
    snapshot: &CommitSnapshot,
    path: &str,
    file: &SkillFile,
    located: &LocatedSkill,
) -> bool {
    match &file.content {
        FileContent::Text(text) => snapshot.has_content(path, text.as_bytes()),
        FileContent::Bytes(bytes) => snapshot.has_content(path, bytes),
        FileContent::Link(to) => snapshot.has_content(path, to.as_bytes()),
        // The walk kept only its head; here every byte counts.
        FileContent::Large(..) => {
            let bytes = disk::read(&located.dir.join(&file.path)).ok().flatten();
            bytes.is_some_and(|bytes| snapshot.has_content(path, &bytes))
        }
        // Git stores no device or pipe, so that one is always new.
        FileContent::Special => false,
    }
}

/// Whether a path is in a skill further down: that is compared on its own, and its files do not
/// make this one changed.
fn is_in_nested_skill(located: &LocatedSkill, path: &str) -> bool {
    located
        .nested
        .iter()
        .filter_map(|nested| nested.rsplit_once('/'))
        .any(|(dir, _)| skillpm_lint::relative_to(dir, path).is_some())
}

fn take_snapshot(since: &str, checkout: GitCheckout) -> Result<CommitSnapshot> {
    let mut commit = checkout.resolve_commit(since)?;

    // Compares with where the branch began, not with the tip of `since`: commits that only
    // the other side has would make untouched skills look changed.
    if let Some(head) = checkout.head()? {
        commit = checkout.merge_base(&commit, &head)?.unwrap_or(commit);
    }

    checkout.snapshot(&commit)
}
