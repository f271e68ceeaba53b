//! Differences between two catalogs of the same directories.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use super::{Catalog, CatalogEntry, HiddenReason, SkillCandidate, SkillCopy, SkillRoot};
use skillpm_core::report::Diagnostic;

/// One difference between a catalog and a later one.
#[derive(Debug, Clone, PartialEq)]
pub enum CatalogChange {
    /// A skill was added.
    Added(ChangedSkill),
    /// The skill of a name was replaced or modified; with the names of the changed aspects.
    Changed(ChangedSkill, Vec<&'static str>),
    /// A skill was removed.
    Removed(ChangedSkill),
    /// A skill is newly shadowed by another of its name.
    Shadowed(ShadowedPair),
    /// A shadowed skill was removed. One that is no longer shadowed is reported as [`CatalogChange::Changed`].
    Unshadowed(ShadowedPair),
    /// A directory contains a skill that no agent would list, with at least one new finding.
    Invalid {
        /// Its `SKILL.md`.
        location: PathBuf,
        /// Why not.
        diagnostics: Vec<Diagnostic>,
    },
}

/// The current or former skill of a name.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedSkill {
    /// The name.
    pub name: Box<str>,
    /// Its location and content.
    pub copy: SkillCopy,
    /// What it does, as written.
    pub description: Box<str>,
    /// Why it is hidden from agents, if it is.
    pub hidden: Option<&'static str>,
}

/// A skill shadowed by another of its name.
#[derive(Debug, Clone, PartialEq)]
pub struct ShadowedPair {
    /// The name.
    pub name: Box<str>,
    /// The shadowed skill.
    pub loser: SkillCopy,
    /// The skill that the name means.
    pub winner: SkillCopy,
    /// Whether both have the same files; `None` if they were not compared.
    pub same_content: Option<bool>,
}

impl Catalog {
    /// Changes since `before`: by name in order, then invalid skills.
    #[must_use]
    pub fn changes_since(&self, before: &Catalog) -> Vec<CatalogChange> {
        let mut changes = Vec::new();

        let (mut old, mut new) = (
            before.entries.iter().peekable(),
            self.entries.iter().peekable(),
        );
        // Both lists are sorted by name, so that one pass finds every pair.
        while let Some(pair) = next_pair(&mut old, &mut new) {
            let (old, new) = (
                pair.0.map(|entry| (entry, &*before.roots)),
                pair.1.map(|entry| (entry, &*self.roots)),
            );

            push_name_changes(old, new, &mut changes);
        }

        changes.extend(self.newly_invalid(before));
        changes
    }

    fn newly_invalid(&self, before: &Catalog) -> impl Iterator<Item = CatalogChange> {
        let known: BTreeMap<&Path, &[Diagnostic]> = before
            .unlisted
            .iter()
            // By location, since an invalid file often has no name that could be trusted.
            .map(|unlisted| (&*unlisted.location, &*unlisted.diagnostics))
            .collect();
        // Only new findings are reported, not the removal of others.
        let is_new = move |location: &Path, found: &[Diagnostic]| {
            known
                .get(location)
                .is_none_or(|known| found.iter().any(|diagnostic| !known.contains(diagnostic)))
        };

        let new = self
            .unlisted
            .iter()
            .filter(move |unlisted| is_new(&unlisted.location, &unlisted.diagnostics));

        new.map(|unlisted| CatalogChange::Invalid {
            location: unlisted.location.clone(),
            diagnostics: unlisted.diagnostics.clone(),
        })
    }
}

type EntryInRoots<'a> = (&'a CatalogEntry, &'a [SkillRoot]);

/// The next name of either, with its entry in each.
fn next_pair<'a, I: Iterator<Item = &'a CatalogEntry>>(
    old: &mut Peekable<I>,
    new: &mut Peekable<I>,
) -> Option<(Option<&'a CatalogEntry>, Option<&'a CatalogEntry>)> {
    let order = match (old.peek(), new.peek()) {
        (None, None) => return None,
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (Some(old), Some(new)) => old.candidate.listing.name.cmp(&new.candidate.listing.name),
    };

    Some((
        // With equal names both lists move on; else only the one that is behind.
        if order.is_le() { old.next() } else { None },
        if order.is_ge() { new.next() } else { None },
    ))
}

fn push_name_changes(
    old: Option<EntryInRoots<'_>>,
    new: Option<EntryInRoots<'_>>,
    changes: &mut Vec<CatalogChange>,
) {
    match (old, new) {
        (None, Some(new)) => changes.push(CatalogChange::Added(ChangedSkill::from_entry(new))),
        (Some(old), None) => changes.push(CatalogChange::Removed(ChangedSkill::from_entry(old))),
        (Some(old), Some(new)) => {
            let aspects = changed_aspects(old, new);
            if !aspects.is_empty() {
                changes.push(CatalogChange::Changed(
                    ChangedSkill::from_entry(new),
                    aspects,
                ));
            }
        }
        (None, None) => {}
    }

    push_shadow_changes(old, new, changes);
}

fn push_shadow_changes(
    old: Option<EntryInRoots<'_>>,
    new: Option<EntryInRoots<'_>>,
    changes: &mut Vec<CatalogChange>,
) {
    // By path and not by content: a shadowed copy that is edited is still the same shadow.
    let (was, is) = (shadowed_by_path(old), shadowed_by_path(new));

    changes.extend(
        is.iter()
            .filter(|(path, _)| !was.contains_key(*path))
            .map(|(_, now)| CatalogChange::Shadowed(now.clone())),
    );

    let winner_path = new.map(|(entry, roots)| entry.candidate.location(roots));
    // A skill that was covered and is what the name means now has been reported as changed.
    let gone = was
        .iter()
        .filter(|(path, _)| !is.contains_key(*path) && winner_path.as_ref() != Some(*path));
    changes.extend(gone.map(|(_, before)| CatalogChange::Unshadowed(before.clone())));
}

/// The skills that one shadows, by location.
fn shadowed_by_path(known: Option<EntryInRoots<'_>>) -> BTreeMap<PathBuf, ShadowedPair> {
    let Some((entry, roots)) = known else {
        return BTreeMap::new();
    };

    let winner = &entry.candidate;
    let covered = |loser: &SkillCandidate| ShadowedPair {
        name: winner.listing.name.clone(),
        loser: SkillCopy::from_candidate(loser, roots),
        winner: SkillCopy::from_candidate(winner, roots),
        same_content: winner.same_content(loser),
    };

    winner
        .shadows
        .iter()
        .map(|loser| (loser.location(roots), covered(loser)))
        .collect()
}

/// In what the two differ: `location`, `description`, `version`, `visibility`, `requirements`, `content` (any of its
/// files), or else `metadata`.
fn changed_aspects(
    (old, old_roots): EntryInRoots<'_>,
    (new, new_roots): EntryInRoots<'_>,
) -> Vec<&'static str> {
    // Cheap comparisons are enough: files are compared by their digests.
    let (was, is) = (&old.candidate, &new.candidate);

    let mut aspects: Vec<&'static str> = [
        (
            "location",
            was.location(old_roots) != is.location(new_roots),
        ),
        (
            "description",
            was.listing.description != is.listing.description,
        ),
        ("version", was.version() != is.version()),
        ("visibility", old.hidden != new.hidden),
        ("requirements", old.missing != new.missing),
        // Files only, since `content` also has the checksum and estimates that follow from them.
        (
            "content",
            was.content.as_ref().map(|content| &content.files)
                != is.content.as_ref().map(|content| &content.files),
        ),
    ]
    .into_iter()
    .filter_map(|(aspect, differs)| differs.then_some(aspect))
    .collect();

    // Whatever else differs (author, tags, gates) has one name, so that nothing is silent.
    if aspects.is_empty() && (was.listing != is.listing || was.source != is.source) {
        aspects.push("metadata");
    }
    aspects
}

impl ChangedSkill {
    fn from_entry((entry, roots): EntryInRoots<'_>) -> Self {
        ChangedSkill {
            name: entry.candidate.listing.name.clone(),
            copy: SkillCopy::from_candidate(&entry.candidate, roots),
            description: entry.candidate.listing.description.clone(),
            hidden: entry.hidden.map(HiddenReason::name),
        }
    }
}
