//! The install gate: refuses packages with critical findings, unless a policy allows them.
//!
//! Only packages that are not installed on this machine yet are checked, so that an unchanged
//! project costs nothing. Critical is what no honest skill has: hidden text, code that is decoded
//! and run, a program of unknown origin to run first, a reverse shell. The rules are those of
//! `audit`.

use std::collections::{BTreeMap, BTreeSet};

use super::CommandContext;
use super::lint::untrusted_skill;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::manifest::Policy;
use skillpm_core::package::{SkillName, Tree};
use skillpm_core::report::{EventReporter, FileFinding, ProgressEvent, Severity};
use skillpm_io::run_on_all_processors;
use skillpm_lint::{LintSettings, rules, unknown_rule};

/// The settings of the policy, which have the same names in the manifest.
const ALLOW_KEY: &str = "policy.allow-findings";
const DENY_KEY: &str = "policy.deny-findings";

/// Rules whose findings are always reported: missing files, and names that imitate others.
const NOTED: [&str; 2] = ["lfs-pointer", "typosquat"];

/// The number of findings that one refusal names.
const SHOWN_MAX: usize = 5;

/// What to do with findings of high severity in new packages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SeverityAction {
    /// Warns, and installs.
    #[default]
    Warn,
    /// Fails with [`NeedsConfirmation`](skillpm_core::error::FailureKind::NeedsConfirmation), so
    /// that the caller can ask the user.
    Ask,
    /// Warns, installs, and records the rules in the lockfile: the user passed `--yes`.
    Accept,
    /// Like `Accept`, but without warnings: the user has seen them in a prompt.
    Accepted,
}

/// The policy that packages are checked against.
pub(super) struct InstallGate {
    /// The names of rules whose findings are allowed.
    allowed: BTreeSet<&'static str>,
    /// Whether the rules that the lockfile allows for a package count.
    honors_lockfile: bool,
    /// The severity from which findings are refused, and the file that sets it.
    denied: (Severity, Option<String>),
    high: SeverityAction,
}

/// The findings in a package, by their consequence.
#[derive(Default)]
struct GateFindings {
    /// Those that prevent the installation.
    refused: Vec<FileFinding>,
    /// Those of high severity, which need confirmation.
    doubtful: Vec<FileFinding>,
    /// Those that are harmless but reported.
    notes: Vec<FileFinding>,
    /// The codes of rules whose findings are allowed.
    passed: BTreeSet<&'static str>,
}

impl GateFindings {
    /// The codes of allowed rules; with `accepts`, also those of findings that need confirmation.
    fn into_passed(self, accepts: bool) -> BTreeSet<&'static str> {
        let accepted = self.doubtful.iter().filter(|_| accepts);
        let accepted = accepted.filter_map(rule_code);
        self.passed.into_iter().chain(accepted).collect()
    }
}

impl InstallGate {
    /// The policy of a project, merged with the user's; with `policy.enforce`, only the user's.
    ///
    /// # Errors
    /// If a rule or severity is unknown.
    pub(super) fn from_policies(
        context: &CommandContext<'_>,
        project: &Policy,
        high: SeverityAction,
    ) -> Result<InstallGate> {
        let origin = context
            .config
            .get(ALLOW_KEY)?
            .map_or(String::new(), |set| set.origin.to_string());

        // With `policy.enforce`, the project's list is ignored.
        let is_enforced = context.config.switch("policy.enforce");

        let own = context
            .config
            .list(ALLOW_KEY)
            .into_iter()
            .map(|rule| (rule, origin.clone()));
        let theirs = project.allow_findings.iter().filter(|_| !is_enforced);
        let theirs = theirs.flat_map(|rule| {
            rule.value
                .iter()
                .map(|name| (name.clone(), rule.location.clone()))
        });

        let resolve = |(name, location): (String, String)| {
            // Only security rules are gated: allowing another one is a mistake.
            let known = rules::find(&name).filter(|rule| rule.is_security());
            known.map(|rule| rule.name).ok_or_else(|| {
                unknown_rule(&name).note(format!("it is set by `{ALLOW_KEY}` in {location}"))
            })
        };
        let allowed = own.chain(theirs).map(resolve).collect::<Result<_>>()?;

        Ok(InstallGate {
            allowed,
            honors_lockfile: !is_enforced,
            denied: deny_threshold(context, project, is_enforced)?,
            high,
        })
    }

    /// Checks packages against the policy; returns the codes of allowed and accepted rules, by
    /// install name.
    ///
    /// # Errors
    /// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if a package is refused,
    /// [`NeedsConfirmation`](skillpm_core::error::FailureKind::NeedsConfirmation) if the user has
    /// to confirm first; the message has the finding, the help how to allow it.
    pub(super) fn check_packages(
        &self,
        packages: &[&LockedPackage],
        trees: &BTreeMap<SkillName, Tree>,
        reporter: &dyn EventReporter,
    ) -> Result<BTreeMap<SkillName, BTreeSet<&'static str>>> {
        let check = |locked: &&LockedPackage| {
            trees
                .get(locked.install_name())
                .map_or_else(GateFindings::default, |tree| self.classify(locked, tree))
        };
        let found: Vec<(&LockedPackage, GateFindings)> = packages
            .iter()
            .copied()
            .zip(run_on_all_processors(packages, check))
            .collect();

        // Refusals come first: confirming the findings below would not allow these.
        let refused = flatten_findings(&found, |sorted| &sorted.refused);
        if let Some(refusal) = self.refusal_error(&refused) {
            return Err(refusal);
        }

        let doubtful = flatten_findings(&found, |sorted| &sorted.doubtful);
        if self.high == SeverityAction::Ask
            && let Some(doubt) = doubt_error(&doubtful)
        {
            return Err(doubt);
        }
        // After a prompt, the user has seen them.
        if self.high != SeverityAction::Accepted {
            warn_of_doubtful(&doubtful, reporter);
        }
        report_notes(&flatten_findings(&found, |sorted| &sorted.notes), reporter);

        Ok(self.collect_passed(found))
    }

    /// The codes of allowed and accepted rules, by install name.
    fn collect_passed(
        &self,
        found: Vec<(&LockedPackage, GateFindings)>,
    ) -> BTreeMap<SkillName, BTreeSet<&'static str>> {
        // Accepted rules go into the lockfile, so that installs from it need no confirmation.
        let accepts = matches!(self.high, SeverityAction::Accept | SeverityAction::Accepted);
        found
            .into_iter()
            .map(|(locked, sorted)| (locked.install_name().clone(), sorted.into_passed(accepts)))
            .filter(|(_, codes)| !codes.is_empty())
            .collect()
    }

    fn refusal_error(&self, refused: &[(&LockedPackage, &FileFinding)]) -> Option<Error> {
        let ((first, finding), more) = refused.split_first()?;
        let mut error = Error::integrity(format!(
            "refusing to install `{}`: {}",
            first.reference(),
            describe_finding(finding)
        ));

        for (locked, finding) in more.iter().take(SHOWN_MAX) {
            error = error.note(format!(
                "also in `{}`: {}",
                locked.reference(),
                describe_finding(finding)
            ));
        }

        // Below critical, only that setting refuses it: the user has to know which file has it.
        if let (severity, Some(place)) = &self.denied
            && finding.diagnostic.severity < Some(Severity::Critical)
        {
            error = error.note(format!("`deny-findings` in {place} is `{severity}`"));
        }

        let code = rule_code(finding).unwrap_or_default();
        Some(
            error
                .help(format!("nothing was installed; `skillpm lint --explain {code}` explains why this is dangerous"))
                .help(format!(
                    "if you have reviewed it and trust it: `--allow-finding {code}`, or `allow-findings = [\"{code}\"]` under `[policy]`"
                )),
        )
    }

    /// Checks a package, and sorts its findings by their consequence.
    fn classify(&self, locked: &LockedPackage, tree: &Tree) -> GateFindings {
        let name = locked.install_name().as_str();
        let mut sorted = GateFindings::default();
        // Neither the skill nor a project's `[lint]` may turn a security rule off.
        for finding in
            skillpm_lint::audit(&untrusted_skill(name, name, tree), &LintSettings::default())
        {
            // Always reported, at any severity.
            if NOTED.contains(&finding.diagnostic.rule.as_str()) {
                sorted.notes.push(finding);
                continue;
            }

            // Below high, findings are ignored unless a policy denies them.
            let Some(severity) = finding
                .diagnostic
                .severity
                .filter(|found| *found >= self.denied.0.min(Severity::High))
            else {
                continue;
            };

            let Some(code) = rule_code(&finding) else {
                continue;
            };
            // The lockfile allows a rule only for the content that it locks.
            let is_locked =
                self.honors_lockfile && locked.allowed_findings.iter().any(|one| one == code);
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

/// The severity from which findings are refused: the project's, else the user's; with
/// `policy.enforce`, the stricter of both.
fn deny_threshold(
    context: &CommandContext<'_>,
    project: &Policy,
    is_enforced: bool,
) -> Result<(Severity, Option<String>)> {
    let read = |text: &str, location: String| {
        let severity = text.parse::<Severity>();
        let severity = severity
            .map_err(|error| error.note(format!("it is set by `deny-findings` in {location}")))?;
        Ok((severity.min(Severity::Critical), Some(location)))
    };

    let own = context
        .config
        .get(DENY_KEY)?
        .map(|set| read(&set.text, set.origin.to_string()))
        .transpose()?;
    let theirs = project
        .deny_findings
        .as_ref()
        .map(|rule| read(&rule.value, rule.location.clone()))
        .transpose()?;

    // With `enforce` the lower one wins: a project can be stricter than the user, not looser.
    let chosen = match (own, theirs) {
        (Some(own), Some(theirs)) if is_enforced => {
            Some(if own.0 <= theirs.0 { own } else { theirs })
        }
        (own, theirs) => theirs.or(own),
    };
    Ok(chosen.unwrap_or((Severity::Critical, None)))
}

/// The findings of one consequence in all packages, in the order of packages.
fn flatten_findings<'f>(
    found: &'f [(&'f LockedPackage, GateFindings)],
    pick: fn(&GateFindings) -> &Vec<FileFinding>,
) -> Vec<(&'f LockedPackage, &'f FileFinding)> {
    found
        .iter()
        .flat_map(|(locked, sorted)| pick(sorted).iter().map(move |one| (*locked, one)))
        .collect()
}

/// Warns of findings of high severity, with the number of those that are not shown.
fn warn_of_doubtful(doubtful: &[(&LockedPackage, &FileFinding)], reporter: &dyn EventReporter) {
    let (shown, rest) = doubtful.split_at(doubtful.len().min(SHOWN_MAX));
    for (at, (locked, finding)) in shown.iter().enumerate() {
        let is_last = at + 1 == shown.len() && !rest.is_empty();
        let more = if is_last {
            format!("; and {} more", rest.len())
        } else {
            String::new()
        };
        reporter.report(ProgressEvent::Warning {
            message: format!(
                "potentially harmful content in `{}`: {}{more}",
                locked.reference(),
                describe_finding(finding)
            ),
            help: Some(format!(
                "review it; details: `skillpm audit {}`",
                locked.install_name()
            )),
        });
    }
}

/// Reports findings that are harmless, but worth knowing before the skill is used.
fn report_notes(notes: &[(&LockedPackage, &FileFinding)], reporter: &dyn EventReporter) {
    for (locked, finding) in notes.iter().take(SHOWN_MAX) {
        let message = format!("`{}`: {}", locked.reference(), describe_finding(finding));
        reporter.report(ProgressEvent::Warning {
            message,
            help: finding.diagnostic.help.clone(),
        });
    }
}

/// The error that requires confirmation of findings; `None` without findings.
fn doubt_error(doubtful: &[(&LockedPackage, &FileFinding)]) -> Option<Error> {
    let ((first, finding), more) = doubtful.split_first()?;
    let message = format!(
        "potentially harmful content in `{}`: {}",
        first.reference(),
        describe_finding(finding)
    );
    let error = more.iter().take(SHOWN_MAX).fold(
        Error::new(FailureKind::NeedsConfirmation, message),
        |error, (locked, finding)| {
            error.note(format!(
                "also in `{}`: {}",
                locked.reference(),
                describe_finding(finding)
            ))
        },
    );

    // A harmful package may have hundreds of findings.
    let rest = more.len().saturating_sub(SHOWN_MAX);
    let error = if rest > 0 {
        error.note(format!("and {rest} more"))
    } else {
        error
    };
    Some(error.help("nothing was installed; review it first, then pass `--yes` to install it"))
}

fn rule_code(finding: &FileFinding) -> Option<&'static str> {
    rules::find(&finding.diagnostic.rule).map(|rule| rule.code)
}

/// Formats a finding: `pdf/SKILL.md:8:1: decodes something and runs it (SK711 encoded-execution)`.
fn describe_finding(finding: &FileFinding) -> String {
    let found = &finding.diagnostic;
    let code = rule_code(finding).unwrap_or_default();
    format!(
        "{}: {} ({code} {})",
        found.location(&finding.path),
        found.message,
        found.rule
    )
}
