//! Mending: the fixes of findings applied to the files of one skill, in memory.
//!
//! ```text
//! look ─ choose ─ apply ─ guard ─┐      look    the rules, which say what is wrong and how it is mended
//!   └───────── again ────────────┘      choose  the fixes that do not meet: by place, then by code; one kind at a time
//!                                       guard   nothing got worse, and agents read what they read before
//! ```
//!
//! A round takes the fixes that can stand beside each other; then the skill is looked at anew, because places have moved
//! and one fault may have hidden another. A fix is taken whole or not at all. One that would do harm is left out and
//! told; where the rounds do not come to an end, nothing is done.

mod apply;
mod guard;

use super::subject::{Content, SkillDir};
use super::{below, rules};
use crate::error::{Error, Result};
use crate::merge::patch::FileChange;
use crate::report::{Applicability, Finding, Fix};

use apply::{Work, touches};

/// Most rounds before rules are taken for quarrelling. Each takes all fixes that do not meet, so two are usual.
const ROUNDS_MAX: usize = 20;

/// How findings are made and which of them are to be mended.
pub struct Mender<'a> {
    /// Looks for what is wrong.
    pub look: &'a dyn Fn(&SkillDir) -> Vec<Finding>,
    /// Whether a finding is to be mended: whether it is shown, say.
    pub wanted: &'a dyn Fn(&Finding) -> bool,
    /// How far fixes may be trusted at worst.
    pub trust: Applicability,
}

/// What came of mending one skill.
#[derive(Debug)]
pub struct Fixed {
    /// The skill afterwards.
    pub skill: SkillDir,
    /// What differs, by path.
    pub changes: Vec<FileChange>,
    /// What was done, in the order of doing.
    pub applied: Vec<Applied>,
    /// What would have done harm, and is not done.
    pub refused: Vec<Refused>,
    /// What is still wrong.
    pub findings: Vec<Finding>,
}

/// One finding that was mended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The rule that was broken.
    pub rule: String,
    /// The file, as people look for it.
    pub path: String,
    /// What was done.
    pub fix: Fix,
}

/// One fix that was left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The finding that is still there.
    pub finding: Finding,
    /// Why its fix was not applied.
    pub why: String,
}

/// The fix of a finding, ready to be applied.
#[derive(Debug, Clone, Copy)]
struct Proposal<'f> {
    finding: &'f Finding,
    fix: &'f Fix,
    /// The file that it is about, below the skill's directory.
    path: &'f str,
    /// The code of its rule; its name where it has none.
    code: &'f str,
    kind: Kind,
}

/// Sorts of fixes, in the order in which they are applied: each makes the skill clearer to those after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Only writes what is there in another way, so that every agent reads what some read now.
    Spelling,
    /// Any other that is safe.
    Safe,
    /// Guesses.
    Unsafe,
}

impl Kind {
    fn of(fix: &Fix, rule: &str, code: &str) -> Self {
        /// What stands behind ` #` is no comment afterwards; a control character is not there any more.
        const VALUES: [&str; 2] = ["yaml-comment-truncates", "control-character"];
        let is_form = ["SK00", "SK10", "SK11", "SK12"].iter().any(|group| code.starts_with(group));
        match fix.applicability {
            Applicability::Safe if is_form && !VALUES.contains(&rule) => Kind::Spelling,
            Applicability::Safe => Kind::Safe,
            Applicability::Unsafe => Kind::Unsafe,
        }
    }
}

/// Mends what can be mended in one skill.
///
/// # Errors
/// If the fixes come to no end, which is a fault of the rules; the skill is then to be left as it is.
pub fn fix(skill: &SkillDir, mender: &Mender<'_>) -> Result<Fixed> {
    let mut findings = (mender.look)(skill);
    let mut work = Work::new(skill);
    let mut applied = Vec::new();
    for _ in 0..ROUNDS_MAX {
        let round = Round { mender, work: &work, findings: &findings };
        let outcome = round.run();
        let Some(step) = outcome.step else {
            let changes = work.changes(skill);
            return Ok(Fixed { skill: work.skill, changes, applied, refused: outcome.refused, findings });
        };
        applied.extend(outcome.applied);
        (work, findings) = (step.work, step.findings);
    }
    let rules: Vec<&str> = applied.iter().rev().take(3).map(|applied| applied.rule.as_str()).collect();
    Err(Error::internal(format!("the fixes of `{}` come to no end", skill.path))
        .note(format!("the last were of {}", rules.join(", ")))
        .help("nothing was changed there; this is a bug in skillpm, please report it with the file"))
}

/// A skill after a step, with what is wrong with it then.
struct Step {
    work: Work,
    findings: Vec<Finding>,
}

/// What one round came to; without a step there was nothing left to do.
struct Outcome {
    step: Option<Step>,
    applied: Vec<Applied>,
    refused: Vec<Refused>,
}

/// Fixes that do harm, and which.
type Harmful<'p> = Vec<(Proposal<'p>, String)>;

/// One look at a skill, and what can be done at once about what was seen.
struct Round<'r> {
    mender: &'r Mender<'r>,
    work: &'r Work,
    findings: &'r [Finding],
}

impl<'r> Round<'r> {
    /// Takes as many fixes of one kind as can be taken together.
    fn run(&self) -> Outcome {
        let mut proposals = self.proposals();
        let mut refused = Vec::new();
        for kind in [Kind::Spelling, Kind::Safe, Kind::Unsafe] {
            loop {
                let chosen = choose(proposals.iter().filter(|proposal| proposal.kind == kind));
                if chosen.is_empty() {
                    break;
                }
                match self.take(&chosen) {
                    Ok((step, taken)) => {
                        let applied = taken.iter().map(Proposal::applied).collect();
                        return Outcome { step: Some(step), applied, refused };
                    }
                    Err(harmful) => {
                        proposals.retain(|proposal| !harmful.iter().any(|(other, _)| other.is(proposal)));
                        refused.extend(harmful.into_iter().map(|(proposal, why)| proposal.refused(why)));
                    }
                }
            }
        }
        Outcome { step: None, applied: Vec::new(), refused }
    }

    /// All fixes that are asked for, by place, then by code.
    fn proposals(&self) -> Vec<Proposal<'r>> {
        let root = self.work.skill.path.as_str();
        let mut proposals: Vec<Proposal<'r>> = self
            .findings
            .iter()
            .filter_map(|finding| {
                let fix = finding.diagnostic.fix.as_ref().filter(|fix| fix.applicability <= self.mender.trust)?;
                let path = below(root, &finding.path)?;
                let rule = finding.diagnostic.rule.as_str();
                let code = rules::find(rule).map_or(rule, |rule| rule.code);
                let proposal = Proposal { finding, fix, path, code, kind: Kind::of(fix, rule, code) };
                (self.mender.wanted)(finding).then_some(proposal)
            })
            .collect();
        proposals.sort_by(|a, b| {
            a.path.cmp(b.path).then_with(|| a.start().cmp(&b.start())).then_with(|| a.code.cmp(b.code))
        });
        proposals
    }

    /// Takes them all; else those that can be taken alone; else the first of these.
    ///
    /// # Errors
    /// Those that do harm even alone, if there are any.
    fn take<'p>(&self, chosen: &[Proposal<'p>]) -> Result<(Step, Vec<Proposal<'p>>), Harmful<'p>> {
        if let Ok(step) = self.attempt(chosen) {
            return Ok((step, chosen.to_vec()));
        }
        let harmful: Vec<_> =
            chosen.iter().filter_map(|proposal| Some((*proposal, self.attempt(&[*proposal]).err()?))).collect();
        if !harmful.is_empty() {
            return Err(harmful);
        }
        match self.attempt(&chosen[..1]) {
            Ok(step) => Ok((step, chosen[..1].to_vec())),
            Err(why) => Err(vec![(chosen[0], why)]),
        }
    }

    /// The skill with these fixes applied.
    ///
    /// # Errors
    /// If one of them cannot be, or they do harm: why.
    fn attempt(&self, chosen: &[Proposal<'_>]) -> Result<Step, String> {
        let work = self.work.with(chosen)?;
        let findings = (self.mender.look)(&work.skill);
        let before = guard::Seen { skill: &self.work.skill, findings: self.findings };
        guard::check(&before, &guard::Seen { skill: &work.skill, findings: &findings }, chosen)?;
        Ok(Step { work, findings })
    }
}

/// The first fixes of a list that do not meet each other. One that is the same as another that was taken is taken too.
fn choose<'a, 'p: 'a>(proposals: impl Iterator<Item = &'a Proposal<'p>>) -> Vec<Proposal<'p>> {
    let mut chosen: Vec<Proposal<'p>> = Vec::new();
    for proposal in proposals {
        let same = |other: &Proposal<'_>| other.path == proposal.path && other.fix.changes == proposal.fix.changes;
        if chosen.iter().any(same) || !chosen.iter().any(|other| touches(other, proposal)) {
            chosen.push(*proposal);
        }
    }
    chosen
}

impl Proposal<'_> {
    /// Where its finding begins.
    fn start(&self) -> Option<usize> {
        self.finding.diagnostic.span.as_ref().map(|span| span.start)
    }

    fn is(&self, other: &Proposal<'_>) -> bool {
        std::ptr::eq(self.finding, other.finding)
    }

    fn applied(&self) -> Applied {
        let Finding { path, diagnostic } = self.finding;
        Applied { rule: diagnostic.rule.clone(), path: path.clone(), fix: self.fix.clone() }
    }

    fn refused(&self, why: String) -> Refused {
        Refused { finding: self.finding.clone(), why }
    }
}

/// The bytes of a file that can be edited.
fn bytes(content: &Content) -> Option<&[u8]> {
    match content {
        Content::Text(text) => Some(text.as_bytes()),
        Content::Bytes(bytes) => Some(bytes),
        Content::Large(..) | Content::Link(_) | Content::Special => None,
    }
}

#[cfg(test)]
mod tests;
