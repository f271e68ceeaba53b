//! The gate: a package in which something critical is found is not installed, unless somebody has said that it may be.
//!
//! Only what this machine does not have installed yet is looked at, so that a project with nothing new costs nothing. What
//! is critical is what no honest skill has: text that is hidden, code that is decoded and run, a program of nobody that is
//! to be run first, a shell for somebody else. The rules are those of `audit`.

use std::collections::{BTreeMap, BTreeSet};

use super::Context;
use super::lint::stranger;
use crate::error::{Error, Kind, Result};
use crate::io::on_all_processors;
use crate::lint::{self, Settings, no_rule, rules};
use crate::lockfile::Locked;
use crate::manifest::Policy;
use crate::package::{SkillName, Tree};
use crate::report::{Event, Finding, Reporter, Severity};

/// The settings, which the manifest calls the same.
const KEY: &str = "policy.allow-findings";
const DENY: &str = "policy.deny-findings";

/// Rules whose findings are told however mild: files that are not there, names that pass for others.
const NOTED: [&str; 2] = ["lfs-pointer", "typosquat"];

/// Findings that are told of one refusal.
const TOLD_MAX: usize = 5;

/// What is done with findings of high severity in what is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum High {
    /// They are told.
    #[default]
    Warn,
    /// A person is to be asked: it is a [`Doubt`](crate::error::Kind::Doubt).
    Ask,
    /// A person has said that it is wanted: they are told, and the lockfile remembers it.
    Accept,
    /// The same, by who was told of them and asked.
    Accepted,
}

/// What may pass, and what may not.
pub(super) struct Gate {
    /// Rules whose findings stop nothing.
    allowed: BTreeSet<&'static str>,
    /// Whether what the lockfile says was let through counts.
    heeds_lockfile: bool,
    /// From which severity on nothing passes, and who says so.
    denied: (Severity, Option<String>),
    high: High,
}

/// What was found in a package, by what becomes of it.
#[derive(Default)]
struct Sorted {
    refused: Vec<Finding>,
    doubtful: Vec<Finding>,
    /// What does no harm and is to be known before it is installed.
    noted: Vec<Finding>,
    /// The codes of rules that were let through.
    passed: BTreeSet<&'static str>,
}

impl Gate {
    /// What holds for a project: its word and the person's; where the person's is enforced, that alone.
    ///
    /// # Errors
    /// If a rule or a severity is named that there is not.
    pub(super) fn of(context: &Context<'_>, project: &Policy, high: High) -> Result<Gate> {
        let place = context.config.get(KEY)?.map_or(String::new(), |set| set.origin.to_string());
        let is_enforced = context.config.switch("policy.enforce");
        let own = context.config.list(KEY).into_iter().map(|word| (word, place.clone()));
        let theirs = project.allow_findings.iter().filter(|_| !is_enforced);
        let theirs = theirs.flat_map(|rule| rule.value.iter().map(|word| (word.clone(), rule.place.clone())));
        let name = |(word, place): (String, String)| {
            let known = rules::find(&word).filter(|rule| rule.is_security());
            known.map(|rule| rule.name).ok_or_else(|| no_rule(&word).note(format!("`{KEY}` in {place} names it")))
        };
        let allowed = own.chain(theirs).map(name).collect::<Result<_>>()?;
        Ok(Gate { allowed, heeds_lockfile: !is_enforced, denied: denied(context, project, is_enforced)?, high })
    }

    /// Refuses packages with something in them that may not pass; gives what was let through, by install name and code.
    ///
    /// # Errors
    /// [`Integrity`](crate::error::Kind::Integrity) if there is one, [`Doubt`](crate::error::Kind::Doubt) if a person is to
    /// be asked first; the message has the finding and how to go on.
    pub(super) fn hold(
        &self,
        packages: &[&Locked],
        trees: &BTreeMap<SkillName, Tree>,
        reporter: &dyn Reporter,
    ) -> Result<BTreeMap<SkillName, BTreeSet<&'static str>>> {
        let look = |locked: &&Locked| {
            trees.get(locked.install_name()).map_or_else(Sorted::default, |tree| self.sort(locked, tree))
        };
        let found: Vec<(&Locked, Sorted)> = packages.iter().copied().zip(on_all_processors(packages, look)).collect();
        let told = |pick: fn(&Sorted) -> &Vec<Finding>| -> Vec<(&Locked, &Finding)> {
            found.iter().flat_map(|(locked, sorted)| pick(sorted).iter().map(move |one| (*locked, one))).collect()
        };
        if let Some(refusal) = self.refusal(&told(|sorted| &sorted.refused)) {
            return Err(refusal);
        }
        let doubtful = told(|sorted| &sorted.doubtful);
        if self.high == High::Ask
            && let Some(doubt) = doubt(&doubtful)
        {
            return Err(doubt);
        }
        let told_max = if self.high == High::Accepted { 0 } else { TOLD_MAX };
        let (shown, rest) = doubtful.split_at(doubtful.len().min(told_max));
        for (at, (locked, finding)) in shown.iter().enumerate() {
            let is_last = at + 1 == shown.len() && !rest.is_empty();
            let more = if is_last { format!("; and {} more", rest.len()) } else { String::new() };
            reporter.report(Event::Warning {
                message: format!("`{}` could do harm: {}{more}", locked.reference(), self::told(finding)),
                help: Some(format!("read it; `skillpm audit {}` tells more", locked.install_name())),
            });
        }
        for (locked, noted) in told(|sorted| &sorted.noted).into_iter().take(TOLD_MAX) {
            let message = format!("`{}`: {}", locked.reference(), self::told(noted));
            reporter.report(Event::Warning { message, help: noted.diagnostic.help.clone() });
        }
        let accepts = matches!(self.high, High::Accept | High::Accepted);
        let passed = found.into_iter().map(|(locked, sorted)| {
            let accepted = sorted.doubtful.iter().filter(|_| accepts).filter_map(code);
            (locked.install_name().clone(), sorted.passed.into_iter().chain(accepted).collect::<BTreeSet<_>>())
        });
        Ok(passed.filter(|(_, codes)| !codes.is_empty()).collect())
    }

    fn refusal(&self, refused: &[(&Locked, &Finding)]) -> Option<Error> {
        let ((first, finding), more) = refused.split_first()?;
        let mut error =
            Error::integrity(format!("`{}` is refused for what it holds: {}", first.reference(), told(finding)));
        for (locked, finding) in more.iter().take(TOLD_MAX) {
            error = error.note(format!("`{}`, too: {}", locked.reference(), told(finding)));
        }
        if let (severity, Some(place)) = &self.denied
            && finding.diagnostic.severity < Some(Severity::Critical)
        {
            error = error.note(format!("`deny-findings` in {place} is `{severity}`"));
        }
        let code = code(finding).unwrap_or_default();
        Some(
            error
                .help(format!("nothing was installed; `skillpm lint --explain {code}` says why this is dangerous"))
                .help(format!(
                    "if you have read it and trust it: `--allow-finding {code}`, or `allow-findings = [\"{code}\"]` below `[policy]`"
                )),
        )
    }

    fn sort(&self, locked: &Locked, tree: &Tree) -> Sorted {
        let name = locked.install_name().as_str();
        let mut sorted = Sorted::default();
        for finding in lint::audit(&stranger(name, name, tree), &Settings::default()) {
            if NOTED.contains(&finding.diagnostic.rule.as_str()) {
                sorted.noted.push(finding);
                continue;
            }
            let Some(severity) =
                finding.diagnostic.severity.filter(|found| *found >= self.denied.0.min(Severity::High))
            else {
                continue;
            };
            let Some(code) = code(&finding) else { continue };
            let is_locked = self.heeds_lockfile && locked.allowed_findings.iter().any(|one| one == code);
            if is_locked || self.allowed.contains(finding.diagnostic.rule.as_str()) {
                sorted.passed.insert(code);
            } else if severity >= self.denied.0 {
                sorted.refused.push(finding);
            } else {
                sorted.doubtful.push(finding);
            }
        }
        sorted
    }
}

/// From which severity on nothing passes: as the project says, else the person; where the person's word is enforced, the
/// stricter of both.
fn denied(context: &Context<'_>, project: &Policy, is_enforced: bool) -> Result<(Severity, Option<String>)> {
    let read = |text: &str, place: String| {
        let severity = text.parse::<Severity>();
        let severity = severity.map_err(|error| error.note(format!("`deny-findings` in {place} names it")))?;
        Ok((severity.min(Severity::Critical), Some(place)))
    };
    let own = context.config.get(DENY)?.map(|set| read(&set.text, set.origin.to_string())).transpose()?;
    let theirs = project.deny_findings.as_ref().map(|rule| read(&rule.value, rule.place.clone())).transpose()?;
    let chosen = match (own, theirs) {
        (Some(own), Some(theirs)) if is_enforced => Some(if own.0 <= theirs.0 { own } else { theirs }),
        (own, theirs) => theirs.or(own),
    };
    Ok(chosen.unwrap_or((Severity::Critical, None)))
}

/// The question about what could do harm.
fn doubt(doubtful: &[(&Locked, &Finding)]) -> Option<Error> {
    let ((first, finding), more) = doubtful.split_first()?;
    let message = format!("`{}` could do harm: {}", first.reference(), told(finding));
    let error = more.iter().take(TOLD_MAX).fold(Error::new(Kind::Doubt, message), |error, (locked, finding)| {
        error.note(format!("`{}`, too: {}", locked.reference(), told(finding)))
    });
    let rest = more.len().saturating_sub(TOLD_MAX);
    let error = if rest > 0 { error.note(format!("and {rest} more")) } else { error };
    Some(error.help("nothing was installed; read it first, then say `--yes` if it is wanted"))
}

fn code(finding: &Finding) -> Option<&'static str> {
    rules::find(&finding.diagnostic.rule).map(|rule| rule.code)
}

/// `pdf/SKILL.md:8:1: decodes something and runs it (SK711 encoded-execution)`
fn told(finding: &Finding) -> String {
    let found = &finding.diagnostic;
    let code = code(finding).unwrap_or_default();
    format!("{}: {} ({code} {})", found.place(&finding.path), found.message, found.rule)
}
