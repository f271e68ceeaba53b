//! `audit`: checks installed and locked skills, or given directories and archives, against the
//! security rules.
//!
//! ```text
//! subjects      names, paths → skills        targets, the store, directories, archives; one skill is in memory
//!                                            for each processor
//! check_skill   a skill → findings           the engine of `lint`, without the skill's own settings
//! known_issues  lockfile, files → findings   advisories, and withdrawn versions
//! exemptions    findings → report            `[audit]` of the user's manifest, then the baseline
//! ```

mod exemptions;
mod known_issues;
mod subjects;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::CommandContext;
use skillpm_core::error::Result;
use skillpm_core::manifest::audit::{AuditTable, parse_audit_table};
use skillpm_core::report::{FileFinding, Severity};
use skillpm_io::disk;
use skillpm_lint::capabilities::{SkillCapabilities, capabilities};
use skillpm_lint::{FileContent, LintSettings, SkillDir};
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

use exemptions::AuditExemptions;
pub use known_issues::AuditAdvisory;
use known_issues::{KnownIssues, PackageFindings};
use subjects::SubjectSearch;

/// Options of [`audit`].
#[derive(Debug, Clone)]
pub struct AuditOptions {
    /// Names of skills, directories and archives; empty for all skills of the project.
    pub subjects: Vec<String>,
    /// Which project: the one around the current directory, or the user's own skills.
    pub sort: WorkspaceKind,
    /// The lowest severity that fails the audit, instead of the manifest's.
    pub fail_on: Option<Severity>,
    /// Whether findings of low severity are reported.
    pub low: bool,
    /// The file of known findings, instead of the manifest's.
    pub baseline: Option<PathBuf>,
    /// Whether to write the baseline.
    pub write_baseline: bool,
}

/// The result of [`audit`].
#[derive(Debug, Default)]
pub struct AuditReport {
    /// The reported findings, sorted by path and position.
    pub findings: Vec<FileFinding>,
    /// The texts of the files with findings, by path.
    pub sources: BTreeMap<String, String>,
    /// The checked skills, as the paths of findings begin.
    pub dirs: Vec<String>,
    /// The number of findings of low severity that are not reported.
    pub hidden: usize,
    /// The number of findings that `[audit]` ignores.
    pub ignored: usize,
    /// The number of findings that the baseline lists.
    pub baselined: usize,
    /// The written baseline and the number of its findings.
    pub written: Option<(PathBuf, usize)>,
    /// Warnings about `[audit]` and the advisory databases, each with its help.
    pub remarks: Vec<(String, String)>,
    /// The reported advisories, in the order of packages.
    pub advisories: Vec<AuditAdvisory>,
    /// Whether a finding is at or above the failing severity.
    pub has_failed: bool,
}

/// A skill that was checked; its files are dropped by then.
struct AuditSubject {
    /// Its path, as findings have it.
    path: String,
    /// The name of its directory.
    directory: String,
    /// The package's name and the install name; the directory's name if it is not locked.
    names: Vec<String>,
}

/// The findings in a skill, with the texts of their files.
struct SkillFindings {
    findings: Vec<FileFinding>,
    sources: BTreeMap<String, String>,
}

/// Checks skills for security problems.
///
/// # Errors
/// If a project, skill or path does not exist or cannot be read, or `[audit]` or the baseline is
/// invalid.
pub fn audit(context: &CommandContext<'_>, options: &AuditOptions) -> Result<AuditReport> {
    let workspace = subjects::find_workspace(context, options)?;
    let table = audit_settings(context, workspace.as_ref())?;
    let fail_on = choose_fail_on(options, &table)?;
    let baseline = choose_baseline(context, options, &table, workspace.as_ref());

    // Advisories first: an exemption may name one by an alias, which only the databases resolve.
    let known = KnownIssues::read(context, workspace.as_ref(), &table, &options.subjects)?;
    let mut exemptions = AuditExemptions::new(context, &table, baseline, &known, options)?;
    let search = SubjectSearch {
        context,
        options,
        workspace: workspace.as_ref(),
        lockfile: &known.lockfile,
    };
    let checked = search.check_subjects(&check_skill)?;
    let (subjects, results): (Vec<AuditSubject>, Vec<SkillFindings>) = checked.into_iter().unzip();

    let mut report = AuditReport {
        remarks: known.remarks(),
        ..AuditReport::default()
    };
    for package in known.collect_findings(context, &subjects) {
        report.add_package(package, &mut exemptions);
    }
    for (subject, found) in subjects.iter().zip(results) {
        report.add_subject(subject, found, &mut exemptions);
    }

    // An exemption can only be called unused when every skill was checked.
    exemptions.finish(options.subjects.is_empty(), &mut report)?;
    report.classify_findings(fail_on, options.low);
    Ok(report)
}

/// The severity that fails the audit: that of the command line, else of `[audit]`, else `high`.
fn choose_fail_on(options: &AuditOptions, table: &AuditTable) -> Result<Severity> {
    // Parsed even if the command line overrides it, so that a typo is found on every run.
    let configured = table.fail_on.as_ref().map(|(text, location)| {
        text.parse::<Severity>()
            .map_err(|error| error.wrap(format!("invalid `fail-on` at {location}")))
    });
    let configured = configured.transpose()?;
    Ok(options.fail_on.or(configured).unwrap_or(Severity::High))
}

/// The path of the baseline; `None` if neither the command line nor `[audit]` names one.
fn choose_baseline(
    context: &CommandContext<'_>,
    options: &AuditOptions,
    table: &AuditTable,
    workspace: Option<&Workspace>,
) -> Option<PathBuf> {
    // A flag is relative to the shell's directory, a setting to the manifest that has it.
    match &options.baseline {
        Some(path) => Some(context.dirs.cwd.join(path)),
        None => Some(workspace?.root.join(table.baseline.as_ref()?)),
    }
}

impl AuditReport {
    /// Adds the findings about one package that are not exempt.
    fn add_package(&mut self, mut package: PackageFindings, exemptions: &mut AuditExemptions) {
        exemptions.remove_exempt(&package.names, &mut package.found, self);

        // An advisory is reported only if one of its findings is left.
        let left: BTreeSet<String> = package
            .found
            .findings
            .iter()
            .map(|one| one.diagnostic.rule.clone())
            .collect();
        let advisories = package.advisories.into_iter();
        self.advisories
            .extend(advisories.filter(|advisory| left.contains(&advisory.id)));

        self.add_findings(package.found);
    }

    /// Adds the findings in one skill that are not exempt.
    fn add_subject(
        &mut self,
        subject: &AuditSubject,
        mut found: SkillFindings,
        exemptions: &mut AuditExemptions,
    ) {
        exemptions.remove_exempt(&subject.names, &mut found, self);
        self.dirs.push(subject.path.clone());
        self.add_findings(found);
    }

    fn add_findings(&mut self, mut found: SkillFindings) {
        self.findings.append(&mut found.findings);
        self.sources.append(&mut found.sources);
    }

    /// Sorts the findings, decides whether they fail the audit, and hides those of low severity.
    fn classify_findings(&mut self, fail_on: Severity, shows_low: bool) {
        skillpm_lint::sort_findings(&mut self.findings);
        // Several targets may link to one skill, and each copy has the same findings.
        self.findings.dedup();

        // Before low findings are hidden: the exit code counts them, too.
        self.has_failed = self
            .findings
            .iter()
            .any(|finding| finding.diagnostic.severity >= Some(fail_on));

        let before = self.findings.len();
        self.findings.retain(|finding| {
            shows_low || finding.diagnostic.severity > Some(Severity::Low.min(fail_on))
        });
        self.hidden = before - self.findings.len();
    }
}

/// The capabilities of one skill: what it makes agents do and reach.
#[derive(Debug, Clone)]
pub struct SkillInventory {
    /// Its path, as findings have it.
    pub path: String,
    /// Its names: of the package, and the install name.
    pub names: Vec<String>,
    /// The commands, hosts, variables and files that it uses.
    pub capabilities: SkillCapabilities,
}

/// Lists the capabilities of the skills that `audit` would check, sorted by path.
///
/// # Errors
/// As [`audit`].
pub fn take_inventory(
    context: &CommandContext<'_>,
    options: &AuditOptions,
) -> Result<Vec<SkillInventory>> {
    let workspace = subjects::find_workspace(context, options)?;
    let lockfile = workspace
        .as_ref()
        .map(Workspace::lockfile)
        .transpose()?
        .flatten()
        .unwrap_or_default();

    let search = SubjectSearch {
        context,
        options,
        workspace: workspace.as_ref(),
        lockfile: &lockfile,
    };
    let checked = search.check_subjects(&|skill| capabilities(&skill))?;

    let inventory = checked
        .into_iter()
        .map(|(subject, capabilities)| SkillInventory {
            path: subject.path,
            names: subject.names,
            capabilities,
        });
    let mut inventory: Vec<SkillInventory> = inventory.collect();
    inventory.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(inventory)
}

/// `[audit]` of the project, merged over that of the user's settings.
pub(super) fn audit_settings(
    context: &CommandContext<'_>,
    workspace: Option<&Workspace>,
) -> Result<AuditTable> {
    let read = |text: &str, path: &Path| {
        parse_audit_table(text, &disk::real_path(path).display().to_string())
    };
    let project = workspace
        .map(|workspace| read(&workspace.manifest_text, &workspace.manifest_path()))
        .transpose()?;

    let file = context.dirs.skillpm_home.join("config.toml");
    let own = disk::read_text(&file)?
        .map(|text| read(&text, &file))
        .transpose()?;

    // If both set a value, the project's wins.
    Ok(project
        .unwrap_or_default()
        .merge_user_table(own.unwrap_or_default(), &context.dirs.skillpm_home))
}

/// Checks a skill against the rules, with default settings, and keeps of its files those with findings.
fn check_skill(skill: SkillDir) -> SkillFindings {
    // Neither the skill nor a project's `[lint]` may turn a security rule off.
    let findings = skillpm_lint::audit(&skill, &LintSettings::default());

    // Each text once, however many findings are in it, and moved: it may be as large as a package.
    let paths: BTreeSet<&str> = findings.iter().map(|found| found.path.as_str()).collect();
    let mut sources = BTreeMap::new();
    for file in skill.files {
        let path = skillpm_lint::join(&skill.path, &file.path);
        if let FileContent::Text(text) = file.content
            && paths.contains(path.as_str())
        {
            sources.insert(path, text);
        }
    }
    SkillFindings { findings, sources }
}
