//! `--since`: which skills are not as they were at a commit.

use super::find::{Found, Place};
use crate::error::{Error, Result};
use crate::io::disk;
use crate::io::git::{Checkout, Snapshot};
use crate::lint::{Content, SkillDir};

/// What lay where at the commit.
pub(super) struct Changed {
    /// In each repository.
    snapshots: Vec<Snapshot>,
    /// The place of that for each directory that is searched.
    by_base: Vec<usize>,
}

impl Changed {
    /// Looks a revision up in the repositories of all that is searched. What it and the checked out commit have in common
    /// counts, so that what others have done on its branch meanwhile does not.
    pub(super) fn of(since: &str, found: &Found) -> Result<Changed> {
        let mut changed = Changed { snapshots: Vec::new(), by_base: Vec::with_capacity(found.bases.len()) };
        for base in &found.bases {
            let checkout = Checkout::around(&base.dir)?.filter(|checkout| !checkout.is_bare()).ok_or_else(|| {
                Error::usage(format!(
                    "`{}` lies in no git checkout, so nothing has changed since `{since}`",
                    base.shown
                ))
                .help("leave `--since` out")
            })?;
            let known = changed.snapshots.iter().position(|snapshot| snapshot.root() == checkout.root());
            changed.by_base.push(known.unwrap_or(changed.snapshots.len()));
            if known.is_none() {
                changed.snapshots.push(snapshot(since, checkout)?);
            }
        }
        Ok(changed)
    }

    /// Whether a skill has changed: a file of it was written, made or taken away.
    pub(super) fn holds(&self, place: &Place, skill: &SkillDir) -> bool {
        let snapshot = &self.snapshots[self.by_base[place.base]];
        let Some(root) = snapshot.below(&place.dir) else { return true };
        let is_same = |file: &crate::lint::File| {
            let path = crate::lint::join(&root, &file.path);
            match &file.content {
                Content::Text(text) => snapshot.holds(&path, text.as_bytes()),
                Content::Bytes(bytes) => snapshot.holds(&path, bytes),
                Content::Link(to) => snapshot.holds(&path, to.as_bytes()),
                Content::Large(..) => {
                    let bytes = disk::read(&place.dir.join(&file.path)).ok().flatten();
                    bytes.is_some_and(|bytes| snapshot.holds(&path, &bytes))
                }
                Content::Special => false,
            }
        };
        let is_nested = |path: &str| {
            let mut dirs = place.nested.iter().filter_map(|page| page.rsplit_once('/'));
            dirs.any(|(dir, _)| crate::lint::below(dir, path).is_some())
        };
        let is_gone = |path: &str| skill.file(path).is_none() && !is_nested(path);
        !skill.files.iter().all(is_same) || snapshot.files_below(&root).any(is_gone)
    }
}

fn snapshot(since: &str, checkout: Checkout) -> Result<Snapshot> {
    let mut commit = checkout.commit(since)?;
    if let Some(head) = checkout.head() {
        commit = checkout.merge_base(&commit, &head)?.unwrap_or(commit);
    }
    checkout.snapshot(&commit)
}
