//! The install gate: refuses packages with critical findings, unless a policy allows them.
//!
//! ```text
//! add, install, update, import   new packages, and skills that came with a clone   check_packages
//! propose, proposals             a skill as a proposal would change it             check_change
//! ```
//!
//! What is installed on this machine already is not checked, so that an unchanged project costs
//! nothing. Critical is what no honest skill has: hidden text, code that is decoded and run, a
//! program of unknown origin to run first, a reverse shell. The rules are those of `audit`.
//! What is found is recorded in the store, for other projects.

mod verdict;

use std::collections::{BTreeMap, BTreeSet};

use super::CommandContext;
use super::lint::untrusted_skill;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::{self, LockedPackage};
use skillpm_core::manifest::Policy;
use skillpm_core::package::{SkillName, Tree};
use skillpm_core::report::{EventReporter, FileFinding, ProgressEvent, Severity};
use skillpm_io::run_on_all_processors;
use skillpm_lint::{LintSettings, rules, unknown_rule};
use skillpm_registry::store::Store;
use verdict::AuditVerdict;

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

/// A tree that is checked, and the package that it belongs to.
#[derive(Clone, Copy)]
pub(super) struct GatedTree<'a> {
    pub(super) package: &'a LockedPackage,
    pub(super) tree: &'a Tree,
}

/// The policy that packages are checked against.
pub(super) struct InstallGate {
    /// The rules whose findings are allowed, by name.
    allowed: BTreeMap<&'static str, AllowedBy>,
    /// Whether the rules that the lockfile allows for a package count.
    honors_lockfile: bool,
    /// The severity from which findings are refused, and the file that sets it.
    denied: (Severity, Option<String>),
    high: SeverityAction,
}

/// Who allows the findings of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum AllowedBy {
    /// The user: a flag, an environment variable or the user's settings.
    User,
    /// A file of the project, which its author wrote: `skillpm.toml:12:17`.
    Project(String),
}

/// The findings in a skill, by their consequence.
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
    /// The findings that a file of the project allows, and that file.
    excused: Vec<(FileFinding, String)>,
    /// Whether the files were read: not if the store has the verdict of another run.
    is_audited: bool,
}

/// What the gate finds in a skill as a proposal would change it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ChangeFindings {
    /// Those for which the change is refused, described.
    pub(super) refused: Vec<String>,
    /// Those of high severity, described.
    pub(super) doubtful: Vec<String>,
    /// The code of the first rule that refuses.
    code: &'static str,
    /// Why findings below critical are refused.
    reason: Option<String>,
}

impl ChangeFindings {
    /// The findings for the reviewer, one a line.
    pub(super) fn remarks(&self) -> Vec<String> {
        let refused = self
            .refused
            .iter()
            .map(|found| format!("refused by the gate: {found}"));
        let doubtful = self
            .doubtful
            .iter()
            .map(|found| format!("potentially harmful content: {found}"));
        refused.chain(doubtful).collect()
    }

    /// The refusal of a proposal with this id; `None` if nothing refuses it.
    pub(super) fn refusal_error(&self, id: &str) -> Option<Error> {
        let (first, more) = self.refused.split_first()?;
        let error = Error::integrity(format!("refusing to apply `{id}`: {first}"));
        let error = more
            .iter()
            .take(SHOWN_MAX)
            .fold(error, |error, found| error.note(format!("also: {found}")));
        let error = self.reason.iter().fold(error, Error::note);
        Some(with_permission_help(
            error,
            "nothing was changed",
            self.code,
        ))
    }
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

        let mut allowed = BTreeMap::new();
        for rule in project.allow_findings.iter().filter(|_| !is_enforced) {
            for name in &rule.value {
                let by = AllowedBy::Project(rule.location.clone());
                allowed.insert(find_security_rule(name, &rule.location)?, by);
            }
        }
        // Last: what the user allows need not be said, even if the project allows it as well.
        for name in context.config.list(ALLOW_KEY) {
            allowed.insert(find_security_rule(&name, &origin)?, AllowedBy::User);
        }

        Ok(InstallGate {
            allowed,
            honors_lockfile: !is_enforced,
            denied: deny_threshold(context, project, is_enforced)?,
            high,
        })
    }

    /// Checks trees against the policy, and says what the project allows in them; returns the codes
    /// of allowed and accepted rules, by install name.
    ///
    /// # Errors
    /// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if a package is refused,
    /// [`NeedsConfirmation`](skillpm_core::error::FailureKind::NeedsConfirmation) if the user has
    /// to confirm first; the message has the finding, the help how to allow it.
    pub(super) fn check_packages(
        &self,
        trees: &[GatedTree<'_>],
        store: &Store,
        reporter: &dyn EventReporter,
    ) -> Result<BTreeMap<SkillName, BTreeSet<&'static str>>> {
        let check = |gated: &GatedTree<'_>| {
            let name = gated.package.install_name();
            let allowed = &gated.package.allowed_findings;
            self.classify(name.as_str(), allowed, gated.tree, Some(store))
        };
        let found: Vec<(&LockedPackage, GateFindings)> = trees
            .iter()
            .map(|gated| gated.package)
            .zip(run_on_all_processors(trees, check))
            .collect();
        report_audited(&found, reporter);

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
        report_excused(&found, reporter);

        Ok(self.collect_passed(found))
    }

    /// Checks a skill as a proposal would change it. Findings in files that it leaves alone are not
    /// the proposal's, unless the change causes them. What the lockfile allows is about the
    /// installed files, and does not count.
    pub(super) fn check_change(&self, name: &str, before: &Tree, after: &Tree) -> ChangeFindings {
        let old = self.classify(name, &[], before, None);
        let new = self.classify(name, &[], after, None);

        let is_unchanged = |finding: &FileFinding| {
            let file = finding.path.strip_prefix(&format!("{name}/"));
            let file = file.unwrap_or(&finding.path);
            before
                .get(file)
                .is_some_and(|entry| after.get(file) == Some(entry))
        };
        let is_own = |finding: &&FileFinding, old: &[FileFinding]| {
            !(is_unchanged(finding) && old.contains(finding))
        };
        let refused: Vec<&FileFinding> = new
            .refused
            .iter()
            .filter(|finding| is_own(finding, &old.refused))
            .collect();
        let doubtful = new
            .doubtful
            .iter()
            .filter(|finding| is_own(finding, &old.doubtful));

        ChangeFindings {
            doubtful: doubtful.map(describe_finding).collect(),
            code: refused
                .first()
                .and_then(|first| rule_code(first))
                .unwrap_or_default(),
            reason: refused.first().and_then(|first| self.denial_reason(first)),
            refused: refused.into_iter().map(describe_finding).collect(),
        }
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

        let error = self
            .denial_reason(finding)
            .into_iter()
            .fold(error, Error::note);
        let code = rule_code(finding).unwrap_or_default();
        let error = with_permission_help(error, "nothing was installed", code);
        Some(
            error.about(
                refused
                    .iter()
                    .map(|(locked, _)| locked.install_name().to_string()),
            ),
        )
    }

    /// Why a finding below critical is refused. Only that setting does: the user has to know which
    /// file has it.
    fn denial_reason(&self, finding: &FileFinding) -> Option<String> {
        let (severity, place) = &self.denied;
        let place = place.as_ref()?;
        (finding.diagnostic.severity < Some(Severity::Critical))
            .then(|| format!("`deny-findings` in {place} is `{severity}`"))
    }

    /// The severity from which findings have a consequence.
    fn threshold(&self) -> Severity {
        self.denied.0.min(Severity::High)
    }

    /// Checks a skill, and sorts its findings by their consequence; `locked` has the codes of rules
    /// that the lockfile allows for this content.
    fn classify(
        &self,
        name: &str,
        locked: &[String],
        tree: &Tree,
        store: Option<&Store>,
    ) -> GateFindings {
        let mut sorted = GateFindings::default();
        if let Some(store) = store
            && let Some(verdict) = AuditVerdict::recall(store, tree, name)
            && verdict.worst < Some(self.threshold())
        {
            return sorted;
        }

        sorted.is_audited = true;
        // Neither the skill nor a project's `[lint]` may turn a security rule off.
        let findings = skillpm_lint::audit(
            &untrusted_skill(name, name, tree.clone()),
            &LintSettings::default(),
        );
        if let Some(store) = store {
            AuditVerdict::record(store, tree, name, &findings);
        }

        for finding in findings {
            // Always reported, at any severity.
            if NOTED.contains(&finding.diagnostic.rule.as_str()) {
                sorted.notes.push(finding);
                continue;
            }

            // Below high, findings are ignored unless a policy denies them.
            let Some(severity) = finding
                .diagnostic
                .severity
                .filter(|found| *found >= self.threshold())
            else {
                continue;
            };

            let Some(code) = rule_code(&finding) else {
                continue;
            };
            // The lockfile allows a rule only for the content that it locks.
            let is_locked = self.honors_lockfile && locked.iter().any(|one| one == code);
            let by = self.allowed.get(finding.diagnostic.rule.as_str()).cloned();
            let by = by.or_else(|| is_locked.then(|| AllowedBy::Project(lockfile::FILE.into())));
            if let Some(by) = by {
                sorted.passed.insert(code);
                if let AllowedBy::Project(place) = by {
                    sorted.excused.push((finding, place));
                }
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

/// Reports how many of the new packages were read and audited.
fn report_audited(found: &[(&LockedPackage, GateFindings)], reporter: &dyn EventReporter) {
    let audited = found.iter().filter(|(_, sorted)| sorted.is_audited).count();
    let mut message = format!("audited {audited} of {} new packages", found.len());
    if audited < found.len() {
        message += "; the others passed in another project";
    }
    if !found.is_empty() {
        reporter.report(ProgressEvent::Detail { message });
    }
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

/// Says what the project's own files allow, one line for each skill, rule and file: they come with a
/// clone, and the person who wrote them may have written the skill.
fn report_excused(found: &[(&LockedPackage, GateFindings)], reporter: &dyn EventReporter) {
    let mut excused: BTreeMap<(&SkillName, &'static str, &str), Vec<&FileFinding>> =
        BTreeMap::new();
    for (locked, sorted) in found {
        for (finding, place) in &sorted.excused {
            let code = rule_code(finding).unwrap_or_default();
            let findings = excused
                .entry((locked.install_name(), code, place))
                .or_default();
            findings.push(finding);
        }
    }

    for ((name, code, place), findings) in excused {
        let Some((first, more)) = findings.split_first() else {
            continue;
        };
        let more = match more.len() {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        reporter.report(ProgressEvent::Warning {
            message: format!(
                "`{place}` allows {code} in `{name}`: {}{more}",
                describe_finding(first)
            ),
            help: Some(format!("review it; details: `skillpm audit {name}`")),
        });
    }
}

/// Adds to a refusal how its finding is explained, and how it is allowed.
fn with_permission_help(error: Error, outcome: &str, code: &str) -> Error {
    error
        .help(format!(
            "{outcome}; `skillpm lint --explain {code}` explains why this is dangerous"
        ))
        .help(format!(
            "if you have reviewed it and trust it: `--allow-finding {code}`, or `allow-findings = [\"{code}\"]` under `[policy]`"
        ))
}

/// The name of a security rule. Only these are gated: allowing another one is a mistake.
fn find_security_rule(name: &str, location: &str) -> Result<&'static str> {
    let known = rules::find(name).filter(|rule| rule.is_security());
    known
        .map(|rule| rule.name)
        .ok_or_else(|| unknown_rule(name).note(format!("it is set by `{ALLOW_KEY}` in {location}")))
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
