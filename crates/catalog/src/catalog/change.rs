//! What is different between two catalogs of the same place.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use super::{Candidate, Catalog, Copy, Entry, Root, Why};
use crate::report::Diagnostic;

/// One difference between a catalog and a later one.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A name means a skill, and meant none before.
    Added(Subject),
    /// The skill that a name means is another, or is not as it was; with what differs, each by a name.
    Changed(Subject, Vec<&'static str>),
    /// A name means no skill any more.
    Removed(Subject),
    /// A skill is covered by another of its name, and was not before.
    Shadowed(Covered),
    /// A skill that was covered is not there any more. One that has become what its name means has [`Change::Changed`].
    Unshadowed(Covered),
    /// A directory holds a skill that no agent would list; at least one of the findings was not there before.
    Invalid {
        /// Its `SKILL.md`.
        location: PathBuf,
        /// Why not.
        diagnostics: Vec<Diagnostic>,
    },
}

/// The skill that a name means, or meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// The name.
    pub name: Box<str>,
    /// Where it stands, and with what content.
    pub copy: Copy,
    /// What it does, as written.
    pub description: Box<str>,
    /// Why agents are not shown it, if they are not.
    pub hidden: Option<&'static str>,
}

/// A skill that another of its name covers.
#[derive(Debug, Clone, PartialEq)]
pub struct Covered {
    /// The name.
    pub name: Box<str>,
    /// The skill that is covered.
    pub loser: Copy,
    /// The skill that the name means.
    pub winner: Copy,
    /// Whether both hold the same files; `None` if nobody looked.
    pub same_content: Option<bool>,
}

impl Catalog {
    /// What has changed since `before`: the names in order, then what is invalid.
    #[must_use]
    pub fn changes_since(&self, before: &Catalog) -> Vec<Change> {
        let mut changes = Vec::new();
        let (mut old, mut new) = (before.entries.iter().peekable(), self.entries.iter().peekable());
        while let Some(pair) = next_pair(&mut old, &mut new) {
            let (old, new) = (pair.0.map(|entry| (entry, &*before.roots)), pair.1.map(|entry| (entry, &*self.roots)));
            of_name(old, new, &mut changes);
        }
        changes.extend(self.newly_invalid(before));
        changes
    }

    fn newly_invalid(&self, before: &Catalog) -> impl Iterator<Item = Change> {
        let known: BTreeMap<&Path, &[Diagnostic]> =
            before.unlisted.iter().map(|unlisted| (&*unlisted.location, &*unlisted.diagnostics)).collect();
        let is_new = move |location: &Path, found: &[Diagnostic]| {
            known.get(location).is_none_or(|known| found.iter().any(|diagnostic| !known.contains(diagnostic)))
        };
        let new = self.unlisted.iter().filter(move |unlisted| is_new(&unlisted.location, &unlisted.diagnostics));
        new.map(|unlisted| Change::Invalid {
            location: unlisted.location.clone(),
            diagnostics: unlisted.diagnostics.clone(),
        })
    }
}

type Known<'a> = (&'a Entry, &'a [Root]);

/// The next name of either, with its entry in each.
fn next_pair<'a, I: Iterator<Item = &'a Entry>>(
    old: &mut Peekable<I>,
    new: &mut Peekable<I>,
) -> Option<(Option<&'a Entry>, Option<&'a Entry>)> {
    let order = match (old.peek(), new.peek()) {
        (None, None) => return None,
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (Some(old), Some(new)) => old.candidate.listing.name.cmp(&new.candidate.listing.name),
    };
    Some((if order.is_le() { old.next() } else { None }, if order.is_ge() { new.next() } else { None }))
}

fn of_name(old: Option<Known<'_>>, new: Option<Known<'_>>, changes: &mut Vec<Change>) {
    match (old, new) {
        (None, Some(new)) => changes.push(Change::Added(Subject::of(new))),
        (Some(old), None) => changes.push(Change::Removed(Subject::of(old))),
        (Some(old), Some(new)) => {
            let aspects = aspects(old, new);
            if !aspects.is_empty() {
                changes.push(Change::Changed(Subject::of(new), aspects));
            }
        }
        (None, None) => {}
    }
    let (was, is) = (covered(old), covered(new));
    changes
        .extend(is.iter().filter(|(path, _)| !was.contains_key(*path)).map(|(_, now)| Change::Shadowed(now.clone())));
    let means = new.map(|(entry, roots)| entry.candidate.location(roots));
    let gone = was.iter().filter(|(path, _)| !is.contains_key(*path) && means.as_ref() != Some(*path));
    changes.extend(gone.map(|(_, before)| Change::Unshadowed(before.clone())));
}

/// The skills that one covers, by place.
fn covered(known: Option<Known<'_>>) -> BTreeMap<PathBuf, Covered> {
    let Some((entry, roots)) = known else { return BTreeMap::new() };
    let winner = &entry.candidate;
    let covered = |loser: &Candidate| Covered {
        name: winner.listing.name.clone(),
        loser: Copy::of(loser, roots),
        winner: Copy::of(winner, roots),
        same_content: winner.same_content(loser),
    };
    winner.shadows.iter().map(|loser| (loser.location(roots), covered(loser))).collect()
}

/// In what the two differ: `location`, `description`, `version`, `visibility`, `requirements`, `content` (any of its
/// files), or else `metadata`.
fn aspects((old, old_roots): Known<'_>, (new, new_roots): Known<'_>) -> Vec<&'static str> {
    let (was, is) = (&old.candidate, &new.candidate);
    let mut aspects: Vec<&'static str> = [
        ("location", was.location(old_roots) != is.location(new_roots)),
        ("description", was.listing.description != is.listing.description),
        ("version", was.version() != is.version()),
        ("visibility", old.hidden != new.hidden),
        ("requirements", old.missing != new.missing),
        (
            "content",
            was.content.as_ref().map(|content| &content.files) != is.content.as_ref().map(|content| &content.files),
        ),
    ]
    .into_iter()
    .filter_map(|(aspect, differs)| differs.then_some(aspect))
    .collect();
    if aspects.is_empty() && (was.listing != is.listing || was.source != is.source) {
        aspects.push("metadata");
    }
    aspects
}

impl Subject {
    fn of((entry, roots): Known<'_>) -> Self {
        Subject {
            name: entry.candidate.listing.name.clone(),
            copy: Copy::of(&entry.candidate, roots),
            description: entry.candidate.listing.description.clone(),
            hidden: entry.hidden.map(Why::name),
        }
    }
}
