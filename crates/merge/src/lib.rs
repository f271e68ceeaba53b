//! Three-way merge of packages: the installed version, the local edits, and the new upstream version.
//!
//! ```text
//!          base
//!         ╱    ╲
//!     ours      theirs      file by file; a file that only moved is followed
//!         ╲    ╱
//!       MergedTree
//! ```
//!
//! No local edit is lost: added files stay, a file that upstream removed and the user edited stays, and a file that the
//! user removed stays removed. A file that both changed is merged line by line; where that fails, it is a conflict, and the
//! result has both versions of the lines.

pub mod patch;
mod renames;
mod text;

use std::collections::BTreeMap;

use skillpm_core::error::Result;
use skillpm_core::package::{RelPath, Tree, TreeFile};

pub use text::{ConflictLabels, has_conflict_markers};

/// Whose lines win where both changed the same ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MergeFavor {
    /// No side's: it is a conflict.
    #[default]
    Neither,
    /// The local ones.
    Ours,
    /// The upstream ones.
    Theirs,
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedTree {
    /// All files; those in conflict with conflict markers, or with the local bytes if they are binary.
    pub tree: Tree,
    /// The outcome of each file that either side changed, sorted by path.
    pub files: Vec<MergedFile>,
}

/// The outcome of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedFile {
    /// Its path now, or its last one if it was removed.
    pub path: RelPath,
    /// Its path before, if it was renamed.
    pub from: Option<RelPath>,
    /// Its outcome.
    pub outcome: FileOutcome,
}

/// The outcome of a file that either side changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileOutcome {
    /// Only upstream changed it.
    Updated,
    /// Upstream added it.
    Added,
    /// Upstream removed it.
    Removed,
    /// Only the user changed it.
    Kept,
    /// The user added it.
    KeptAdded,
    /// The user removed it, and it stays removed.
    KeptRemoved,
    /// The user changed it, and upstream removed it: it stays.
    KeptThoughRemoved,
    /// Both changed it, in different lines or alike.
    Merged,
    /// Both changed the same lines.
    Conflict,
    /// Both changed it, and it is binary.
    BinaryConflict,
}

impl FileOutcome {
    /// Whether a person has to resolve it.
    #[must_use]
    pub fn is_conflict(self) -> bool {
        matches!(self, FileOutcome::Conflict | FileOutcome::BinaryConflict)
    }

    /// The outcome's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            FileOutcome::Updated => "updated",
            FileOutcome::Added => "added",
            FileOutcome::Removed => "removed",
            FileOutcome::Kept => "kept",
            FileOutcome::KeptAdded => "kept-added",
            FileOutcome::KeptRemoved => "kept-removed",
            FileOutcome::KeptThoughRemoved => "kept-though-removed",
            FileOutcome::Merged => "merged",
            FileOutcome::Conflict => "conflict",
            FileOutcome::BinaryConflict => "binary-conflict",
        }
    }
}

impl MergedTree {
    /// The files in conflict.
    pub fn conflicts(&self) -> impl Iterator<Item = &MergedFile> {
        self.files
            .iter()
            .filter(|change| change.outcome.is_conflict())
    }
}

/// Merges the local and the upstream changes of `base`.
///
/// # Errors
/// If the files of both together exceed the limits of a package, or two paths differ only in case.
pub fn merge_trees(
    base: &Tree,
    ours: &Tree,
    theirs: &Tree,
    favor: MergeFavor,
    labels: ConflictLabels<'_>,
) -> Result<MergedTree> {
    // First, so that a file that one side moved and the other changed is merged as one file.
    let (our_moves, their_moves) = find_moves(base, ours, theirs);
    let mut merge = TreeMerge {
        favor,
        labels,
        files: BTreeMap::new(),
        changes: Vec::new(),
    };

    for (path, file) in base.files() {
        let (ours_at, theirs_at) = (
            our_moves.get(path).copied().unwrap_or(path),
            their_moves.get(path).copied().unwrap_or(path),
        );
        // The side that moved it decides on its path; the user, if both did.
        let to = if ours_at == path { theirs_at } else { ours_at };
        let sides = FileSides {
            ours: ours.file(ours_at.as_str()),
            theirs: theirs.file(theirs_at.as_str()),
        };
        merge.merge_known(path, to, file, sides);
    }

    for (path, file) in added_files(ours, base, &our_moves) {
        let sides = FileSides {
            ours: Some(file),
            theirs: theirs.file(path.as_str()),
        };
        merge.merge_new(path, sides);
    }

    for (path, file) in added_files(theirs, base, &their_moves) {
        // Files that both added were merged above.
        if ours.file(path.as_str()).is_none() {
            let sides = FileSides {
                ours: None,
                theirs: Some(file),
            };
            merge.merge_new(path, sides);
        }
    }

    merge.finish()
}

/// The files of a side that are neither in the base nor moved from there.
fn added_files<'t>(
    side: &'t Tree,
    base: &Tree,
    moves: &RenameMap<'_>,
) -> impl Iterator<Item = (&'t RelPath, &'t TreeFile)> {
    side.files().filter(|(path, _)| {
        base.file(path.as_str()).is_none() && !moves.values().any(|to| to == path)
    })
}

/// The new paths of moved files, by their paths in `base`.
type RenameMap<'t> = BTreeMap<&'t RelPath, &'t RelPath>;

/// The moves of both sides. A move to a path where the other side has another file is taken for a removal and an addition,
/// so that the two files are merged there, and neither replaces the other.
fn find_moves<'t>(
    base: &'t Tree,
    ours: &'t Tree,
    theirs: &'t Tree,
) -> (RenameMap<'t>, RenameMap<'t>) {
    let our_moves = renames::find_renames(base, ours);
    let their_moves = renames::find_renames(base, theirs);

    (
        moves_to_free_paths(&our_moves, &their_moves, theirs),
        moves_to_free_paths(&their_moves, &our_moves, ours),
    )
}

/// The `moves` to paths where the `other` side has no file, or has moved the same one.
fn moves_to_free_paths<'t>(
    moves: &RenameMap<'t>,
    other_moves: &RenameMap<'t>,
    other: &Tree,
) -> RenameMap<'t> {
    let is_free = |from: &RelPath, to: &RelPath| {
        other.file(to.as_str()).is_none()
            || other_moves
                .get(from)
                .is_some_and(|other_to| *other_to == to)
    };

    moves
        .iter()
        .filter(|(from, to)| is_free(from, to))
        .map(|(from, to)| (*from, *to))
        .collect()
}

struct TreeMerge<'n> {
    favor: MergeFavor,
    labels: ConflictLabels<'n>,
    files: BTreeMap<RelPath, TreeFile>,
    changes: Vec<MergedFile>,
}

/// A file as each side has it; `None` where a side has none.
#[derive(Clone, Copy)]
struct FileSides<'f> {
    ours: Option<&'f TreeFile>,
    theirs: Option<&'f TreeFile>,
}

impl TreeMerge<'_> {
    /// Merges a file of `base`, which is at `from` there and at `to` in the result.
    fn merge_known(&mut self, from: &RelPath, to: &RelPath, base: &TreeFile, sides: FileSides<'_>) {
        match (sides.ours, sides.theirs) {
            (Some(ours), Some(theirs)) => {
                let (file, outcome) = self.merge_both(base, ours, theirs);
                let moved = (from != to).then(|| from.clone());
                // A renamed file with the same content is a change, too.
                let outcome = outcome.or(moved.as_ref().map(|_| FileOutcome::Updated));
                self.files.insert(to.clone(), file);
                if let Some(outcome) = outcome {
                    self.changes.push(MergedFile {
                        path: to.clone(),
                        from: moved,
                        outcome,
                    });
                }
            }
            (Some(ours), None) if ours == base && from == to => {
                self.record_outcome(from, FileOutcome::Removed);
            }
            // It was edited or moved here, and edits are never lost.
            (Some(ours), None) => {
                self.files.insert(to.clone(), ours.clone());
                self.record_outcome(to, FileOutcome::KeptThoughRemoved);
            }
            // Also if upstream changed it: a file that was removed on purpose must not come back.
            (None, Some(_)) => self.record_outcome(from, FileOutcome::KeptRemoved),
            (None, None) => {}
        }
    }

    /// Merges a file that is not in `base`.
    fn merge_new(&mut self, path: &RelPath, sides: FileSides<'_>) {
        let (file, outcome) = match (sides.ours, sides.theirs) {
            (Some(ours), Some(theirs)) => {
                // There is no common ancestor, so all lines of both are new.
                let nothing = TreeFile {
                    bytes: Vec::new(),
                    executable: false,
                };
                let (file, outcome) = self.merge_both(&nothing, ours, theirs);
                (file, outcome.unwrap_or(FileOutcome::Merged))
            }
            (Some(ours), None) => (ours.clone(), FileOutcome::KeptAdded),
            (None, Some(theirs)) => (theirs.clone(), FileOutcome::Added),
            (None, None) => return,
        };
        self.files.insert(path.clone(), file);
        self.record_outcome(path, outcome);
    }

    /// Merges a file that both sides have; the outcome is `None` if neither changed it.
    fn merge_both(
        &self,
        base: &TreeFile,
        ours: &TreeFile,
        theirs: &TreeFile,
    ) -> (TreeFile, Option<FileOutcome>) {
        match (ours == base, theirs == base) {
            (true, true) => return (base.clone(), None),
            (true, false) => return (theirs.clone(), Some(FileOutcome::Updated)),
            (false, true) => return (ours.clone(), Some(FileOutcome::Kept)),
            (false, false) => {}
        }

        // The executable bit is merged like content: the side that changed it decides.
        let executable = if ours.executable == base.executable {
            theirs.executable
        } else {
            ours.executable
        };

        // Without the text merge where the bytes decide, so that this works for binary files as
        // well.
        let (bytes, outcome) = if ours.bytes == theirs.bytes || theirs.bytes == base.bytes {
            (ours.bytes.clone(), FileOutcome::Merged)
        } else if ours.bytes == base.bytes {
            (theirs.bytes.clone(), FileOutcome::Merged)
        } else {
            self.merge_contents(&base.bytes, &ours.bytes, &theirs.bytes)
        };

        (TreeFile { bytes, executable }, Some(outcome))
    }

    fn merge_contents(&self, base: &[u8], ours: &[u8], theirs: &[u8]) -> (Vec<u8>, FileOutcome) {
        if [base, ours, theirs]
            .into_iter()
            .all(skillpm_core::package::is_text)
        {
            let (bytes, is_clean) = text::merge_text(base, ours, theirs, self.favor, self.labels);
            return (
                bytes,
                if is_clean {
                    FileOutcome::Merged
                } else {
                    FileOutcome::Conflict
                },
            );
        }

        // Binary: one side wins as a whole, and in a conflict the local bytes stay.
        match self.favor {
            MergeFavor::Neither => (ours.to_vec(), FileOutcome::BinaryConflict),
            MergeFavor::Ours => (ours.to_vec(), FileOutcome::Kept),
            MergeFavor::Theirs => (theirs.to_vec(), FileOutcome::Updated),
        }
    }

    fn record_outcome(&mut self, path: &RelPath, outcome: FileOutcome) {
        self.changes.push(MergedFile {
            path: path.clone(),
            from: None,
            outcome,
        });
    }

    fn finish(mut self) -> Result<MergedTree> {
        let mut tree = Tree::builder();
        for (path, file) in self.files {
            tree.add(path.as_str(), file.bytes, file.executable)?;
        }

        self.changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(MergedTree {
            tree: tree.finish(),
            files: self.changes,
        })
    }
}

#[cfg(test)]
mod tests;
