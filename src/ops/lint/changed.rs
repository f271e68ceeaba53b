//! `--since`: which skills are not as they were at a commit.

use std::collections::HashMap;

use super::find::{Found, Place};
use crate::error::{Error, Result};
use crate::io::disk;
use crate::io::git::{Checkout, Snapshot};
use crate::lint::{Content, SkillDir};

/// What lay where at the commit, for each directory that is searched.
pub(super) struct Changed(HashMap<usize, Snapshot>);

impl Changed {
    /// Looks a revision up in the repositories of all that is searched. What it and the checked out commit have in common
    /// counts, so that what others have done on its branch meanwhile does not.
    pub(super) fn of(since: &str, found: &Found) -> Result<Changed> {
        let mut snapshots = HashMap::new();
        for (at, base) in found.bases.iter().enumerate() {
            let checkout = Checkout::around(&base.dir)?.filter(|checkout| !checkout.is_bare()).ok_or_else(|| {
                Error::usage(format!(
                    "`{}` lies in no git checkout, so nothing has changed since `{since}`",
                    base.shown
                ))
                .help("leave `--since` out")
            })?;
            let mut commit = checkout.commit(since)?;
            if let Some(head) = checkout.head() {
                commit = checkout.merge_base(&commit, &head)?.unwrap_or(commit);
            }
            snapshots.insert(at, checkout.snapshot(&commit)?);
        }
        Ok(Changed(snapshots))
    }

    /// Whether a skill has changed: a file of it was written, made or taken away.
    pub(super) fn holds(&self, place: &Place, skill: &SkillDir) -> bool {
        let Some(snapshot) = self.0.get(&place.base) else { return true };
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
