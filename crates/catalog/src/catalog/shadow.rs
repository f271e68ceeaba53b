//! Who covers whom.

use std::path::{Path, PathBuf};

use super::text::one_line;
use super::{Candidate, Root, Tier};
use crate::package::Checksum;
use crate::report::{Diagnostic, Level};
use crate::skill::Format;

/// One name that several skills claim: the one it means, and those that one covers.
#[derive(Debug, Clone, PartialEq)]
pub struct Shadow {
    /// The name.
    pub skill: Box<str>,
    /// The skill it means.
    pub winner: Copy,
    /// The others, highest first, each with whether it holds the same files; `None` if nobody looked.
    pub losers: Vec<(Copy, Option<bool>)>,
}

/// One of several skills of a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Copy {
    /// Its tier.
    pub tier: Tier,
    /// Its root's name in reports.
    pub label: Box<str>,
    /// Its `SKILL.md`.
    pub path: PathBuf,
    /// Its version, as written.
    pub version: Option<Box<str>>,
    /// Its content, if somebody looked.
    pub checksum: Option<Checksum>,
}

impl Copy {
    /// The copy that a found skill is.
    #[must_use]
    pub fn of(candidate: &Candidate, roots: &[Root]) -> Self {
        let root = &roots[usize::from(candidate.root)];
        Copy {
            tier: root.tier,
            label: root.label.clone(),
            path: candidate.location(roots),
            version: candidate.version().map(Into::into),
            checksum: candidate.content.as_ref().and_then(|content| content.checksum),
        }
    }
}

impl Shadow {
    /// What `candidate` covers; `None` if that is nothing.
    #[must_use]
    pub fn of(candidate: &Candidate, roots: &[Root]) -> Option<Self> {
        let loser = |other: &Candidate| (Copy::of(other, roots), candidate.same_content(other));
        (!candidate.shadows.is_empty()).then(|| Shadow {
            skill: candidate.listing.name.clone(),
            winner: Copy::of(candidate, roots),
            losers: candidate.shadows.iter().map(loser).collect(),
        })
    }

    /// One line for each other skill that is covered, in OpenClaw's words; what cannot be seen in names and paths is
    /// marked. A copy of the very same content covers nothing, so it is passed over in silence, as OpenClaw does.
    pub fn sentences(&self) -> impl Iterator<Item = String> {
        self.losers.iter().filter(|(_, same)| *same != Some(true)).map(|(loser, _)| {
            format!(
                "Skill precedence collision: skill=\"{}\" winner={} loser={}",
                one_line(&self.skill),
                place(&self.winner),
                place(loser)
            )
        })
    }

    /// One finding for each that is covered: `duplicate` inside a tier, `shadowed` across tiers; a note if nothing is
    /// lost by it because the content is the same.
    pub fn diagnostics(&self) -> impl Iterator<Item = Diagnostic> {
        self.losers.iter().map(|(loser, same)| {
            let duplicate = loser.tier == self.winner.tier;
            let level = if *same == Some(true) { Level::Note } else { Level::Warning };
            let also = if *same == Some(true) { "the same skill also lies" } else { "another skill of this name lies" };
            let finding = Diagnostic::new(
                if duplicate { "duplicate" } else { "shadowed" },
                level,
                format!("{also} in `{}`, which this one covers", shown(&loser.path)),
            );
            finding.help(match same {
                Some(true) => "remove one of the two",
                _ => "remove or rename one of the two",
            })
        })
    }
}

/// Takes what may not cover out of the way of what it may not cover: a skill of the project that covers one of the
/// person's own or a bundled one with other files. Gives what the names mean then, and what was taken out, each with a
/// finding that says so; `by` is who forbids it.
pub(super) fn protect(candidates: Vec<Candidate>, roots: &[Root], by: &str) -> (Vec<Candidate>, Vec<Candidate>) {
    let tier = |candidate: &Candidate| roots[usize::from(candidate.root)].tier;
    let (mut kept, mut refused) = (Vec::with_capacity(candidates.len()), Vec::new());
    for mut candidate in candidates {
        let is_protected = |other: &Candidate| matches!(tier(other), Tier::Managed | Tier::Bundled);
        let covers_other = |at: &usize| candidate.same_content(&candidate.shadows[*at]) != Some(true);
        let first = candidate.shadows.iter().position(is_protected);
        let Some(at) = first.filter(|at| tier(&candidate) == Tier::Workspace && covers_other(at)) else {
            kept.push(candidate);
            continue;
        };
        let lower = candidate.shadows.split_off(at + 1);
        let mut winner = candidate.shadows.pop().expect("`at` is in the list");
        winner.shadows = lower;
        let finding = denied(&winner.location(roots), by);
        for mut above in each_for_itself(candidate) {
            above.diagnostics.push(finding.clone());
            refused.push(above);
        }
        kept.push(winner);
    }
    (kept, refused)
}

fn denied(covered: &Path, by: &str) -> Diagnostic {
    let message = format!("it would cover `{}`, which {by} forbids", shown(covered));
    Diagnostic::new("shadowing-denied", Level::Error, message).help("rename it, or remove one of the two")
}

/// Parts the skills of one format from all others. What covers a skill of that format in another gives way to it.
pub(super) fn in_format(candidates: Vec<Candidate>, format: Format) -> (Vec<Candidate>, Vec<Candidate>) {
    let (mut kept, mut others) = (Vec::with_capacity(candidates.len()), Vec::new());
    for candidate in candidates {
        let is_read = |copy: &Candidate| copy.listing.facts().format == format;
        let (read, other): (Vec<_>, Vec<_>) = each_for_itself(candidate).into_iter().partition(is_read);
        others.extend(other);
        let mut read = read.into_iter();
        if let Some(winner) = read.next() {
            kept.push(Candidate { shadows: read.collect(), ..winner });
        }
    }
    (kept, others)
}

/// A skill and those it covers, none of which covers another.
pub(super) fn each_for_itself(mut candidate: Candidate) -> Vec<Candidate> {
    let below = std::mem::take(&mut candidate.shadows);
    std::iter::once(candidate).chain(below).collect()
}

fn place(copy: &Copy) -> String {
    format!("{}:{}", one_line(&copy.label), shown(&copy.path))
}

pub(super) fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy()).into_owned()
}
