//! Three-way merge of packages: what was installed, what a person made of it, what upstream made of it.
//!
//! ```text
//!          base
//!         ╱    ╲
//!     ours      theirs      file by file; a file that only moved is followed
//!         ╲    ╱
//!         Merged
//! ```
//!
//! Nothing a person did is lost: files that they added stay, a file that upstream removed and they edited stays, a file
//! that they removed stays away. What both changed is merged line by line; where that cannot be done, the result says so
//! and holds both.

pub mod patch;
mod renames;
mod text;

use std::collections::BTreeMap;

use crate::error::Result;
use crate::package::{File, RelPath, Tree};

pub use text::{Names, has_marks};

/// Whose lines are taken where both changed the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Favour {
    /// Nobody's: it is a conflict.
    #[default]
    Neither,
    /// The person's.
    Ours,
    /// Upstream's.
    Theirs,
}

/// Two changes of a package as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// All files; those in conflict with marks, or as the person has them if they are no text.
    pub tree: Tree,
    /// What became of each file that anybody changed, sorted by path.
    pub files: Vec<Change>,
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where it is now, or was.
    pub path: RelPath,
    /// Where it was, if it has moved.
    pub from: Option<RelPath>,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a file that somebody changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Only upstream changed it.
    Updated,
    /// Upstream added it.
    Added,
    /// Upstream removed it.
    Removed,
    /// Only the person changed it.
    Kept,
    /// The person added it.
    KeptAdded,
    /// The person removed it, and it stays away.
    KeptRemoved,
    /// The person changed it, and upstream removed it: it stays.
    KeptThoughRemoved,
    /// Both changed it, in different places or alike.
    Merged,
    /// Both changed it, in the same place.
    Conflict,
    /// Both changed it, and it is no text.
    BinaryConflict,
}

impl Outcome {
    /// Whether somebody has to decide.
    #[must_use]
    pub fn is_conflict(self) -> bool {
        matches!(self, Outcome::Conflict | Outcome::BinaryConflict)
    }

    /// The outcome's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Updated => "updated",
            Outcome::Added => "added",
            Outcome::Removed => "removed",
            Outcome::Kept => "kept",
            Outcome::KeptAdded => "kept-added",
            Outcome::KeptRemoved => "kept-removed",
            Outcome::KeptThoughRemoved => "kept-though-removed",
            Outcome::Merged => "merged",
            Outcome::Conflict => "conflict",
            Outcome::BinaryConflict => "binary-conflict",
        }
    }
}

impl Merged {
    /// The files that somebody has to decide about.
    pub fn conflicts(&self) -> impl Iterator<Item = &Change> {
        self.files.iter().filter(|change| change.outcome.is_conflict())
    }
}

/// Merges what a person and what upstream made of `base`.
///
/// # Errors
/// If the files of both together are more than a package may hold, or two of them would meet on a disk that folds case.
pub fn trees(base: &Tree, ours: &Tree, theirs: &Tree, favour: Favour, names: Names<'_>) -> Result<Merged> {
    let (here, there) = moves(base, ours, theirs);
    let mut merge = Merge { favour, names, files: BTreeMap::new(), changes: Vec::new() };
    for (path, file) in base.files() {
        let (ours_at, theirs_at) = (here.get(path).copied().unwrap_or(path), there.get(path).copied().unwrap_or(path));
        // Whoever moved it decides where it is; the person, if both did.
        let to = if ours_at == path { theirs_at } else { ours_at };
        merge.known(path, to, file, (ours.file(ours_at.as_str()), theirs.file(theirs_at.as_str())));
    }
    let is_new =
        |path: &RelPath, moves: &Moves<'_>| base.file(path.as_str()).is_none() && !moves.values().any(|to| *to == path);
    for (path, file) in ours.files().filter(|(path, _)| is_new(path, &here)) {
        merge.unknown(path, (Some(file), theirs.file(path.as_str())));
    }
    for (path, file) in theirs.files().filter(|(path, _)| is_new(path, &there)) {
        if ours.file(path.as_str()).is_none() {
            merge.unknown(path, (None, Some(file)));
        }
    }
    merge.finish()
}

/// Where files of `base` have gone.
type Moves<'t> = BTreeMap<&'t RelPath, &'t RelPath>;

/// What either side moved. A move to where the other side has another file is taken for a removal and an addition, so
/// that the two files meet, and neither takes the other's place.
fn moves<'t>(base: &'t Tree, ours: &'t Tree, theirs: &'t Tree) -> (Moves<'t>, Moves<'t>) {
    let (here, there) = (renames::renames(base, ours), renames::renames(base, theirs));
    let free = |moves: &Moves<'t>, others: &Moves<'t>, other: &Tree| -> Moves<'t> {
        let is_free = |from: &RelPath, to: &RelPath| {
            other.file(to.as_str()).is_none() || others.get(from).is_some_and(|others_to| *others_to == to)
        };
        moves.iter().filter(|(from, to)| is_free(from, to)).map(|(from, to)| (*from, *to)).collect()
    };
    (free(&here, &there, theirs), free(&there, &here, ours))
}

struct Merge<'n> {
    favour: Favour,
    names: Names<'n>,
    files: BTreeMap<RelPath, File>,
    changes: Vec<Change>,
}

/// A file as the person and as upstream has it.
type Sides<'f> = (Option<&'f File>, Option<&'f File>);

impl Merge<'_> {
    /// A file that there was.
    fn known(&mut self, from: &RelPath, to: &RelPath, base: &File, sides: Sides<'_>) {
        match sides {
            (Some(ours), Some(theirs)) => {
                let (file, outcome) = self.both(base, ours, theirs);
                let moved = (from != to).then(|| from.clone());
                let outcome = outcome.or(moved.as_ref().map(|_| Outcome::Updated));
                self.files.insert(to.clone(), file);
                if let Some(outcome) = outcome {
                    self.changes.push(Change { path: to.clone(), from: moved, outcome });
                }
            }
            (Some(ours), None) if ours == base && from == to => self.tell(from, Outcome::Removed),
            (Some(ours), None) => {
                self.files.insert(to.clone(), ours.clone());
                self.tell(to, Outcome::KeptThoughRemoved);
            }
            (None, Some(_)) => self.tell(from, Outcome::KeptRemoved),
            (None, None) => {}
        }
    }

    /// A file that there was not.
    fn unknown(&mut self, path: &RelPath, sides: Sides<'_>) {
        let (file, outcome) = match sides {
            (Some(ours), Some(theirs)) => {
                let nothing = File { bytes: Vec::new(), executable: false };
                let (file, outcome) = self.both(&nothing, ours, theirs);
                (file, outcome.unwrap_or(Outcome::Merged))
            }
            (Some(ours), None) => (ours.clone(), Outcome::KeptAdded),
            (None, Some(theirs)) => (theirs.clone(), Outcome::Added),
            (None, None) => return,
        };
        self.files.insert(path.clone(), file);
        self.tell(path, outcome);
    }

    /// A file that both have; `None` if nobody changed it.
    fn both(&self, base: &File, ours: &File, theirs: &File) -> (File, Option<Outcome>) {
        match (ours == base, theirs == base) {
            (true, true) => return (base.clone(), None),
            (true, false) => return (theirs.clone(), Some(Outcome::Updated)),
            (false, true) => return (ours.clone(), Some(Outcome::Kept)),
            (false, false) => {}
        }
        let executable = if ours.executable == base.executable { theirs.executable } else { ours.executable };
        let (bytes, outcome) = if ours.bytes == theirs.bytes || theirs.bytes == base.bytes {
            (ours.bytes.clone(), Outcome::Merged)
        } else if ours.bytes == base.bytes {
            (theirs.bytes.clone(), Outcome::Merged)
        } else {
            self.contents(&base.bytes, &ours.bytes, &theirs.bytes)
        };
        (File { bytes, executable }, Some(outcome))
    }

    fn contents(&self, base: &[u8], ours: &[u8], theirs: &[u8]) -> (Vec<u8>, Outcome) {
        if [base, ours, theirs].into_iter().all(text::is_text) {
            let (bytes, is_clean) = text::merge(base, ours, theirs, self.favour, self.names);
            return (bytes, if is_clean { Outcome::Merged } else { Outcome::Conflict });
        }
        match self.favour {
            Favour::Neither => (ours.to_vec(), Outcome::BinaryConflict),
            Favour::Ours => (ours.to_vec(), Outcome::Kept),
            Favour::Theirs => (theirs.to_vec(), Outcome::Updated),
        }
    }

    fn tell(&mut self, path: &RelPath, outcome: Outcome) {
        self.changes.push(Change { path: path.clone(), from: None, outcome });
    }

    fn finish(mut self) -> Result<Merged> {
        let mut tree = Tree::builder();
        for (path, file) in self.files {
            tree.add(path.as_str(), file.bytes, file.executable)?;
        }
        self.changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Merged { tree: tree.finish(), files: self.changes })
    }
}

#[cfg(test)]
mod tests;
