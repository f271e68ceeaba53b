//! Applies the fixes of findings to the files of one skill, in memory.
//!
//! ```text
//! lint ─ choose ─ apply ─ guard ─┐      lint    the rules report findings with fixes
//!   └──────── repeat ────────────┘      choose  fixes that do not conflict: by place, then by code; one kind at a time
//!                                       guard   no new errors, and agents read the same as before
//! ```
//!
//! A pass applies all fixes that do not conflict; then the skill is linted again, because spans have moved and one fault
//! may have hidden another. A fix is applied completely or not at all. A harmful one is skipped and reported; if the
//! passes do not converge, nothing is changed.

mod apply;
mod guard;

use super::subject::{FileContent, SkillDir};
use super::{relative_to, rules};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::FileChange;
use skillpm_core::report::{DiagnosticFix, FileFinding, FixApplicability};

use apply::{FixedSkill, fixes_conflict};

/// The limit of passes: rules that need more undo each other's fixes. Each pass applies all fixes that do not conflict,
/// so two are usual.
const PASSES_MAX: usize = 20;

/// How a skill is linted, and which findings are fixed.
pub struct SkillFixer<'a> {
    /// Lints a skill.
    pub lint: &'a dyn Fn(&SkillDir) -> Vec<FileFinding>,
    /// Whether a finding should be fixed: for example, whether it is shown.
    pub is_wanted: &'a dyn Fn(&FileFinding) -> bool,
    /// The least safe kind of fix to apply.
    pub max_applicability: FixApplicability,
}

/// The result of fixing one skill.
#[derive(Debug)]
pub struct FixReport {
    /// The fixed skill.
    pub skill: SkillDir,
    /// The changed files, by path.
    pub changes: Vec<FileChange>,
    /// The applied fixes, in order.
    pub applied: Vec<AppliedFix>,
    /// The fixes that were not applied because they would do harm.
    pub refused: Vec<RefusedFix>,
    /// The remaining findings.
    pub findings: Vec<FileFinding>,
}

/// A finding that was fixed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedFix {
    /// The rule of the finding.
    pub rule: String,
    /// The file, as it is shown to users.
    pub path: String,
    /// The fix that was applied.
    pub fix: DiagnosticFix,
}

/// A fix that was not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedFix {
    /// The remaining finding.
    pub finding: FileFinding,
    /// Why its fix was not applied.
    pub reason: String,
}

/// The fix of a finding, ready to be applied.
#[derive(Debug, Clone, Copy)]
struct FixProposal<'f> {
    finding: &'f FileFinding,
    fix: &'f DiagnosticFix,
    /// The file of the finding, relative to the skill's directory.
    path: &'f str,
    /// The code of its rule; the rule's name if it has no code.
    code: &'f str,
    kind: FixKind,
}

/// Kinds of fixes, in the order in which they are applied: each makes the skill easier to read for the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FixKind {
    /// Changes the notation only, so that every agent reads what some read now.
    Spelling,
    /// Any other safe fix.
    Safe,
    /// A guess.
    Unsafe,
}

impl FixKind {
    fn from_fix(fix: &DiagnosticFix, rule: &str, code: &str) -> Self {
        /// The rule of a safe fix of notation that changes a value: a control character is removed from it.
        const VALUE_RULE: &str = "control-character";
        let is_spelling = ["SK00", "SK10", "SK11", "SK12"]
            .iter()
            .any(|group| code.starts_with(group));

        match fix.applicability {
            FixApplicability::Safe if is_spelling && rule != VALUE_RULE => FixKind::Spelling,
            FixApplicability::Safe => FixKind::Safe,
            FixApplicability::Unsafe => FixKind::Unsafe,
        }
    }
}

/// Fixes the findings of one skill.
///
/// # Errors
/// If the fixes do not converge, which is a bug in the rules; the skill must then be left unchanged.
pub fn fix(skill: &SkillDir, fixer: &SkillFixer<'_>) -> Result<FixReport> {
    let mut findings = (fixer.lint)(skill);
    let mut current = FixedSkill::new(skill);
    let mut applied = Vec::new();

    for _ in 0..PASSES_MAX {
        let pass = FixPass {
            fixer,
            fixed: &current,
            findings: &findings,
        };
        let outcome = pass.run();
        // No step: the fixes are exhausted. What is left was refused, or has no fix.
        let Some(step) = outcome.step else {
            let changes = current.changes(skill);
            return Ok(FixReport {
                skill: current.skill,
                changes,
                applied,
                refused: outcome.refused,
                findings,
            });
        };

        applied.extend(outcome.applied);
        (current, findings) = (step.fixed, step.findings);
    }

    // Two rules that undo each other's fixes would go on forever.
    let rules: Vec<&str> = applied
        .iter()
        .rev()
        .take(3)
        .map(|applied| applied.rule.as_str())
        .collect();
    Err(Error::internal(format!("the fixes of `{}` do not converge", skill.path))
        .note(format!("the last fixes were of {}", rules.join(", ")))
        .help("nothing was changed there; this is a bug in skillpm, please report it with the file"))
}

/// A skill after a step, with its findings.
struct FixStep {
    fixed: FixedSkill,
    findings: Vec<FileFinding>,
}

/// The result of one pass; without a step there was nothing left to fix.
struct PassOutcome {
    step: Option<FixStep>,
    applied: Vec<AppliedFix>,
    refused: Vec<RefusedFix>,
}

/// Harmful fixes, each with the reason.
type HarmfulFixes<'p> = Vec<(FixProposal<'p>, String)>;

/// One lint run of a skill, and the fixes that can be applied at once.
struct FixPass<'r> {
    fixer: &'r SkillFixer<'r>,
    fixed: &'r FixedSkill,
    findings: &'r [FileFinding],
}

impl<'r> FixPass<'r> {
    /// Applies as many fixes of one kind as possible together.
    fn run(&self) -> PassOutcome {
        let mut proposals = self.collect_proposals();
        let mut refused = Vec::new();
        for kind in [FixKind::Spelling, FixKind::Safe, FixKind::Unsafe] {
            // Fixes that do harm are taken out, and the rest of the kind is tried again. The first
            // step ends the pass, because all spans may have moved.
            loop {
                let chosen =
                    choose_compatible(proposals.iter().filter(|proposal| proposal.kind == kind));
                if chosen.is_empty() {
                    break;
                }
                match self.apply_harmless(&chosen) {
                    Ok((step, taken)) => {
                        let applied = taken.iter().map(FixProposal::applied_fix).collect();
                        return PassOutcome {
                            step: Some(step),
                            applied,
                            refused,
                        };
                    }
                    // Each was tried alone, so these are known to be harmful.
                    Err(harmful) => {
                        proposals.retain(|proposal| {
                            !harmful.iter().any(|(other, _)| other.is_same_as(proposal))
                        });
                        refused.extend(
                            harmful
                                .into_iter()
                                .map(|(proposal, why)| proposal.refused_fix(why)),
                        );
                    }
                }
            }
        }

        PassOutcome {
            step: None,
            applied: Vec::new(),
            refused,
        }
    }

    /// All wanted fixes, by place, then by code.
    fn collect_proposals(&self) -> Vec<FixProposal<'r>> {
        let mut proposals: Vec<FixProposal<'r>> = self
            .findings
            .iter()
            .filter_map(|finding| self.propose_fix(finding))
            .collect();

        proposals.sort_by(|a, b| {
            a.path
                .cmp(b.path)
                .then_with(|| a.start().cmp(&b.start()))
                .then_with(|| a.code.cmp(b.code))
        });
        proposals
    }

    /// The fix of a finding, if it is one of this skill and is wanted.
    fn propose_fix(&self, finding: &'r FileFinding) -> Option<FixProposal<'r>> {
        let fix = finding
            .diagnostic
            .fix
            .as_ref()
            // Applicabilities are ordered from safe to unsafe.
            .filter(|fix| fix.applicability <= self.fixer.max_applicability)?;
        // A finding about another skill is fixed when that skill is.
        let path = relative_to(self.fixed.skill.path.as_str(), &finding.path)?;
        let rule = finding.diagnostic.rule.as_str();
        // The reader has findings without a rule in the table.
        let code = rules::find(rule).map_or(rule, |rule| rule.code);

        let proposal = FixProposal {
            finding,
            fix,
            path,
            code,
            kind: FixKind::from_fix(fix, rule, code),
        };
        (self.fixer.is_wanted)(finding).then_some(proposal)
    }

    /// Applies all fixes together; if that does harm, the first one alone.
    ///
    /// # Errors
    /// If fixes do harm even alone: those.
    fn apply_harmless<'p>(
        &self,
        chosen: &[FixProposal<'p>],
    ) -> Result<(FixStep, Vec<FixProposal<'p>>), HarmfulFixes<'p>> {
        if let Ok(step) = self.try_apply(chosen) {
            return Ok((step, chosen.to_vec()));
        }

        // Together they do harm. Trying each alone shows whether one of them is to blame.
        let harmful: Vec<_> = chosen
            .iter()
            .filter_map(|proposal| Some((*proposal, self.try_apply(&[*proposal]).err()?)))
            .collect();
        if !harmful.is_empty() {
            return Err(harmful);
        }

        // Harmless alone, harmful together: one at a time, the others in later passes.
        match self.try_apply(&chosen[..1]) {
            Ok(step) => Ok((step, chosen[..1].to_vec())),
            Err(why) => Err(vec![(chosen[0], why)]),
        }
    }

    /// The skill with these fixes applied.
    ///
    /// # Errors
    /// If one of them cannot be applied, or they do harm: the reason.
    fn try_apply(&self, chosen: &[FixProposal<'_>]) -> Result<FixStep, String> {
        let work = self.fixed.with_fixes(chosen)?;
        // Linted as a whole, because an edit in one place may break a rule about another.
        let findings = (self.fixer.lint)(&work.skill);

        let before = guard::LintedSkill {
            skill: &self.fixed.skill,
            findings: self.findings,
        };
        guard::check(
            &before,
            &guard::LintedSkill {
                skill: &work.skill,
                findings: &findings,
            },
            chosen,
        )?;
        Ok(FixStep {
            fixed: work,
            findings,
        })
    }
}

/// Selects fixes from the front of a list that do not conflict. One that equals a selected fix is selected too.
fn choose_compatible<'a, 'p: 'a>(
    proposals: impl Iterator<Item = &'a FixProposal<'p>>,
) -> Vec<FixProposal<'p>> {
    let mut chosen: Vec<FixProposal<'p>> = Vec::new();
    for proposal in proposals {
        let same = |other: &FixProposal<'_>| {
            other.path == proposal.path && other.fix.changes == proposal.fix.changes
        };
        // Two findings with one fix: it is applied once and counts for both.
        if chosen.iter().any(same) || !chosen.iter().any(|other| fixes_conflict(other, proposal)) {
            chosen.push(*proposal);
        }
    }

    chosen
}

impl FixProposal<'_> {
    /// The start of its finding.
    fn start(&self) -> Option<usize> {
        self.finding.diagnostic.span.as_ref().map(|span| span.start)
    }

    fn is_same_as(&self, other: &FixProposal<'_>) -> bool {
        std::ptr::eq(self.finding, other.finding)
    }

    fn applied_fix(&self) -> AppliedFix {
        let FileFinding { path, diagnostic } = self.finding;
        AppliedFix {
            rule: diagnostic.rule.clone(),
            path: path.clone(),
            fix: self.fix.clone(),
        }
    }

    fn refused_fix(&self, why: String) -> RefusedFix {
        RefusedFix {
            finding: self.finding.clone(),
            reason: why,
        }
    }
}

/// The bytes of a file that can be edited.
fn editable_bytes(content: &FileContent) -> Option<&[u8]> {
    match content {
        FileContent::Text(text) => Some(text.as_bytes()),
        FileContent::Bytes(bytes) => Some(bytes),
        FileContent::Large(..) | FileContent::Link(_) | FileContent::Special => None,
    }
}

#[cfg(test)]
mod tests;
