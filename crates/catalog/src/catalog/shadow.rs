//! Shadowing of skills by others of the same name.

use std::path::{Path, PathBuf};

use super::text::one_line;
use super::{SkillCandidate, SkillRoot, Tier};
use skillpm_core::package::Checksum;
use skillpm_core::report::{Diagnostic, DiagnosticLevel};
use skillpm_core::skill::SkillFormat;

/// One name of several skills: the winner, and those that it shadows.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillShadow {
    /// The name.
    pub skill: Box<str>,
    /// The winner.
    pub winner: SkillCopy,
    /// The others, highest first, each with whether it is a copy of the winner; `None` if they were not compared.
    pub losers: Vec<(SkillCopy, Option<bool>)>,
}

/// One of several skills of a name.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillCopy {
    /// Its tier.
    pub tier: Tier,
    /// Its root's name in reports.
    pub label: Box<str>,
    /// Its `SKILL.md`.
    pub path: PathBuf,
    /// Its version, as written.
    pub version: Option<Box<str>>,
    /// Its content, if it was read.
    pub checksum: Option<Checksum>,
}

impl SkillCopy {
    /// The copy that a found skill is.
    #[must_use]
    pub fn from_candidate(candidate: &SkillCandidate, roots: &[SkillRoot]) -> Self {
        let root = &roots[usize::from(candidate.root)];
        SkillCopy {
            tier: root.tier,
            label: root.label.clone(),
            path: candidate.location(roots),
            version: candidate.version().map(Into::into),
            checksum: candidate
                .content
                .as_ref()
                .and_then(|content| content.checksum),
        }
    }
}

impl SkillShadow {
    /// The skills that `candidate` shadows; `None` if there are none.
    #[must_use]
    pub fn from_candidate(candidate: &SkillCandidate, roots: &[SkillRoot]) -> Option<Self> {
        let loser = |other: &SkillCandidate| {
            let is_copy = candidate.is_copy_of(roots, other, roots);
            (
                SkillCopy::from_candidate(other, roots),
                if is_copy {
                    Some(true)
                } else {
                    candidate.same_content(other)
                },
            )
        };

        (!candidate.shadows.is_empty()).then(|| SkillShadow {
            skill: candidate.listing.name.clone(),
            winner: SkillCopy::from_candidate(candidate, roots),
            losers: candidate.shadows.iter().map(loser).collect(),
        })
    }

    /// One line for each shadowed skill, in OpenClaw's words; invisible characters in names and paths are marked. An
    /// identical copy is skipped, as OpenClaw does.
    pub fn collision_lines(&self) -> impl Iterator<Item = String> {
        self.losers
            .iter()
            .filter(|(_, same)| *same != Some(true))
            .map(|(loser, _)| self.collision_line(loser))
    }

    fn collision_line(&self, loser: &SkillCopy) -> String {
        format!(
            "Skill precedence collision: skill=\"{}\" winner={} loser={}",
            one_line(&self.skill),
            labeled_path(&self.winner),
            labeled_path(loser)
        )
    }

    /// One finding for each shadowed skill: `duplicate` inside a tier, `shadowed` across tiers; a note if the content is
    /// identical.
    pub fn diagnostics(&self) -> impl Iterator<Item = Diagnostic> {
        self.losers
            .iter()
            .map(|(loser, same)| self.diagnose_loser(loser, *same == Some(true)))
    }

    fn diagnose_loser(&self, loser: &SkillCopy, is_same: bool) -> Diagnostic {
        // Inside a tier it is likely a mistake; across tiers it may be meant.
        let code = if loser.tier == self.winner.tier {
            "duplicate"
        } else {
            "shadowed"
        };

        let (level, also, help) = if is_same {
            // Renaming would leave two names for the same files.
            (
                DiagnosticLevel::Note,
                "the same skill is also",
                "remove one of the two",
            )
        } else {
            (
                DiagnosticLevel::Warning,
                "another skill with this name is",
                "remove or rename one of the two",
            )
        };

        let path = display_path(&loser.path);
        Diagnostic::new(
            code,
            level,
            format!("{also} in `{path}`, hidden by this one"),
        )
        .help(help)
    }
}

/// Removes skills that must not shadow others: a skill of the project that shadows one of the user's own or a bundled
/// one with other files. Returns the remaining winners, and the removed skills, each with a finding; `by` is the source
/// of the policy.
pub(super) fn deny_shadowing(
    candidates: Vec<SkillCandidate>,
    roots: &[SkillRoot],
    by: &str,
) -> (Vec<SkillCandidate>, Vec<SkillCandidate>) {
    let tier = |candidate: &SkillCandidate| roots[usize::from(candidate.root)].tier;

    let (mut kept, mut refused) = (Vec::with_capacity(candidates.len()), Vec::new());
    for mut candidate in candidates {
        let is_protected =
            |other: &SkillCandidate| matches!(tier(other), Tier::Managed | Tier::Bundled);

        let covers_other =
            |at: &usize| candidate.same_content(&candidate.shadows[*at]) != Some(true);

        // The highest protected copy decides: it is the one that would be used without the others.
        let first = candidate.shadows.iter().position(is_protected);
        let Some(at) = first.filter(|at| tier(&candidate) == Tier::Workspace && covers_other(at))
        else {
            kept.push(candidate);
            continue;
        };

        let lower = candidate.shadows.split_off(at + 1);
        let mut winner = candidate.shadows.pop().expect("`at` is in the list");
        winner.shadows = lower;

        let finding = shadowing_denied(&winner.location(roots), by);
        // All skills above the protected one are removed, since each of them would shadow it.
        for mut above in flatten_shadows(candidate) {
            above.diagnostics.push(finding.clone());
            refused.push(above);
        }

        kept.push(winner);
    }

    (kept, refused)
}

fn shadowing_denied(covered: &Path, by: &str) -> Diagnostic {
    let message = format!(
        "it would shadow `{}`, which {by} forbids",
        display_path(covered)
    );

    Diagnostic::new("shadowing-denied", DiagnosticLevel::Error, message)
        .help("rename it, or remove one of the two")
}

/// Separates the skills of one format from all others. A skill of another format no longer shadows one of that format.
pub(super) fn split_by_format(
    candidates: Vec<SkillCandidate>,
    format: SkillFormat,
) -> (Vec<SkillCandidate>, Vec<SkillCandidate>) {
    let (mut kept, mut others) = (Vec::with_capacity(candidates.len()), Vec::new());

    for candidate in candidates {
        let is_read = |copy: &SkillCandidate| copy.listing.facts().format == format;
        // Taken apart, so that a skill of the format that was covered by another format can win.
        let (read, other): (Vec<_>, Vec<_>) =
            flatten_shadows(candidate).into_iter().partition(is_read);
        others.extend(other);

        let mut read = read.into_iter();
        if let Some(winner) = read.next() {
            kept.push(SkillCandidate {
                shadows: read.collect(),
                ..winner
            });
        }
    }

    (kept, others)
}

/// A skill and those it shadows.
pub(super) fn flatten_shadows(mut candidate: SkillCandidate) -> Vec<SkillCandidate> {
    let shadows = std::mem::take(&mut candidate.shadows);
    std::iter::once(candidate).chain(shadows).collect()
}

fn labeled_path(copy: &SkillCopy) -> String {
    format!("{}:{}", one_line(&copy.label), display_path(&copy.path))
}

pub(super) fn display_path(path: &Path) -> String {
    one_line(&path.to_string_lossy()).into_owned()
}
