//! The gate: a package in which something critical is found is not installed, unless somebody has said that it may be.
//!
//! Only what this machine does not have installed yet is looked at, so that a project with nothing new costs nothing. What
//! is critical is what no honest skill has: text that is hidden, code that is decoded and run, a program of nobody that is
//! to be run first, a shell for somebody else. The rules are those of `audit`.

use std::collections::{BTreeMap, BTreeSet};

use super::Context;
use super::lint::stranger;
use crate::error::{Error, Result};
use crate::io::parallel;
use crate::lint::{self, Settings, no_rule, rules};
use crate::lockfile::Locked;
use crate::manifest::Policy;
use crate::package::{SkillName, Tree};
use crate::report::{Finding, Severity};

/// The setting, and what the manifest calls it in `[policy]`.
const KEY: &str = "policy.allow-findings";

/// Findings that are told of one refusal.
const TOLD_MAX: usize = 5;

/// Rules whose findings stop nothing.
pub(super) struct Gate {
    allowed: BTreeSet<&'static str>,
}

impl Gate {
    /// What holds for a project: its word and the person's; where the person's is enforced, that alone.
    ///
    /// # Errors
    /// If a rule is named that there is not.
    pub(super) fn of(context: &Context<'_>, project: &Policy) -> Result<Gate> {
        let place = context.config.get(KEY)?.map_or(String::new(), |set| set.origin.to_string());
        let own = context.config.list(KEY).into_iter().map(|word| (word, place.clone()));
        let theirs = project.allow_findings.iter().filter(|_| !context.config.switch("policy.enforce"));
        let theirs = theirs.flat_map(|rule| rule.value.iter().map(|word| (word.clone(), rule.place.clone())));
        let name = |(word, place): (String, String)| {
            let known = rules::find(&word).filter(|rule| rule.is_security());
            known.map(|rule| rule.name).ok_or_else(|| no_rule(&word).note(format!("`{KEY}` in {place} names it")))
        };
        Ok(Gate { allowed: own.chain(theirs).map(name).collect::<Result<_>>()? })
    }

    /// Refuses packages with something critical in them.
    ///
    /// # Errors
    /// [`Integrity`](crate::error::Kind::Integrity) if there is one; the message has the finding and how to go on.
    pub(super) fn hold(&self, packages: &[&Locked], trees: &BTreeMap<SkillName, Tree>) -> Result<()> {
        let jobs = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let look = |locked: &&Locked| {
            let tree = trees.get(locked.install_name());
            tree.map_or_else(Vec::new, |tree| self.critical(locked.install_name().as_str(), tree))
        };
        let findings = parallel(jobs, packages, look);
        let refused: Vec<(&Locked, Vec<Finding>)> =
            packages.iter().copied().zip(findings).filter(|(_, findings)| !findings.is_empty()).collect();
        let Some((first, found)) = refused.first() else { return Ok(()) };
        let mut error =
            Error::integrity(format!("`{}` is refused for what it holds: {}", first.reference(), told(&found[0])));
        let more = refused.iter().flat_map(|(locked, findings)| findings.iter().map(move |found| (locked, found)));
        for (locked, finding) in more.skip(1).take(TOLD_MAX) {
            error = error.note(format!("`{}`, too: {}", locked.reference(), told(finding)));
        }
        let code = rules::find(&found[0].diagnostic.rule).map_or("", |rule| rule.code);
        Err(error
            .help(format!("nothing was installed; `skillpm lint --explain {code}` says why this is dangerous"))
            .help(format!(
                "if you have read it and trust it: `--allow-finding {code}`, or `allow-findings = [\"{code}\"]` below `[policy]`"
            )))
    }

    fn critical(&self, name: &str, tree: &Tree) -> Vec<Finding> {
        let mut findings = lint::audit(&stranger(name, name, tree), &Settings::default());
        findings.retain(|finding| {
            let found = &finding.diagnostic;
            found.severity == Some(Severity::Critical) && !self.allowed.contains(found.rule.as_str())
        });
        findings
    }
}

/// `pdf/SKILL.md:8:1: decodes something and runs it (SK711 encoded-execution)`
fn told(finding: &Finding) -> String {
    let found = &finding.diagnostic;
    let code = rules::find(&found.rule).map_or("", |rule| rule.code);
    format!("{}: {} ({code} {})", found.place(&finding.path), found.message, found.rule)
}
