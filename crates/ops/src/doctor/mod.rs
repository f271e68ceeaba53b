//! `doctor`: checks the project, `$SKILLPM_HOME` and the machine for problems, each with its fix.
//!
//! | file | checks |
//! |---|---|
//! | `home.rs` | `$SKILLPM_HOME`: settings, secrets, the cache |
//! | `machine.rs` | clock, disks, programs, certificates, registries |
//! | `project.rs` | manifest, lockfile, state, leftovers of killed commands |
//! | `installed.rs` | installed skills, links, duplicate names |
//! | `visibility.rs` | agents that do not see the skills |
//! | `repair.rs` | nothing: it does the repairs of `--fix` |
//!
//! A check only reads; `repair.rs` changes files, and never loses data. After `--fix` all checks
//! run again, so that the report has the remaining findings.

mod home;
mod installed;
mod machine;
mod project;
mod repair;
mod visibility;

use std::fmt;

use serde::Serialize;

use super::CommandContext;
use repair::DoctorRepair;
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::Lockfile;
use skillpm_core::manifest::Manifest;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HealthLevel {
    /// Nothing is wrong.
    Ok,
    /// Information; nothing has to be done.
    Note,
    /// It may be intended, or may cause a failure later.
    Warning,
    /// Something does not work, or does not match its checksum.
    Error,
}

impl fmt::Display for HealthLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HealthLevel::Ok => "ok",
            HealthLevel::Note => "note",
            HealthLevel::Warning => "warning",
            HealthLevel::Error => "error",
        })
    }
}

/// One finding of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoctorFinding {
    /// The check's name: `lockfile-readable`.
    pub check: &'static str,
    /// Its severity.
    pub health: HealthLevel,
    /// One sentence, without a full stop.
    pub message: String,
    /// Details, one line each.
    pub notes: Vec<String>,
    /// How to fix it, best as a command; `None` if nothing has to be done.
    pub help: Option<String>,
    repair: Option<DoctorRepair>,
}

/// Options of [`doctor`].
#[derive(Debug, Clone, Copy)]
pub struct DoctorOptions {
    /// Which project: the one around the current directory, or the user's own skills.
    pub sort: WorkspaceKind,
    /// Repairs findings that can be repaired without losing data.
    pub fix: bool,
    /// Checks that registries can be reached, too.
    pub online: bool,
}

/// The result of [`doctor`].
#[derive(Debug, Clone, Default)]
pub struct DoctorReport {
    /// The findings after repairs, in the order of [`CHECKS`]; each check has at least one.
    pub findings: Vec<DoctorFinding>,
    /// The repairs that were made.
    pub repaired: Vec<String>,
    /// The errors of repairs that failed.
    pub failed: Vec<Error>,
}

/// A check of one thing; without findings, it passed.
pub type DoctorCheck = fn(&DoctorContext<'_>) -> Result<Vec<DoctorFinding>>;

/// Every check, in the order of the report. Later ones may rely on earlier ones.
pub const CHECKS: [(&str, DoctorCheck); 27] = [
    ("clock", machine::clock),
    ("home", home::check_home),
    ("settings", home::settings),
    ("credentials", home::credentials),
    ("permissions", home::permissions),
    ("disk-space", machine::disk_space),
    ("file-system", machine::file_system),
    ("git", machine::git),
    ("ssh", machine::ssh),
    ("certificates", machine::certificates),
    ("registries", machine::registries),
    ("cache", home::cache),
    ("cache-litter", home::leftovers),
    ("manifest", project::manifest),
    ("interrupted", project::interrupted),
    ("tracked", project::tracked),
    ("line-endings", project::line_endings),
    ("lockfile", project::lockfile),
    ("agreement", project::agreement),
    ("state", project::state),
    ("litter", project::leftovers),
    ("installed", installed::installed),
    ("links", installed::links),
    ("names", installed::names),
    ("sections", installed::sections),
    ("agents", installed::agents),
    ("visibility", visibility::visibility),
];

/// The state that checks read.
pub struct DoctorContext<'c> {
    context: &'c CommandContext<'c>,
    options: DoctorOptions,
    /// Why the settings could not be read; then the defaults are used.
    settings_error: Option<&'c Error>,
    /// The project, with its manifest; `None` if there is none, or it is invalid.
    project: Option<(Workspace, Manifest)>,
    /// Why the project is invalid.
    project_error: Option<Error>,
    /// Its lockfile; `None` if there is none, or it is invalid.
    lockfile: Option<Lockfile>,
}

/// Runs all checks; `settings` is why the settings could not be read, if so. A check that fails is
/// a finding, too.
#[must_use]
pub fn doctor(
    context: &CommandContext<'_>,
    options: DoctorOptions,
    settings: Option<&Error>,
) -> DoctorReport {
    let findings = run_checks(context, options, settings);
    if !options.fix {
        return DoctorReport {
            findings,
            ..DoctorReport::default()
        };
    }

    let mut repairs: Vec<DoctorRepair> = findings
        .into_iter()
        .filter_map(|finding| finding.repair)
        .collect();
    // Sorted by variant: permissions first, the project last.
    repairs.sort();
    // Several findings may have one repair, which is done once.
    repairs.dedup();

    let mut report = DoctorReport::default();
    for repair in repairs {
        match repair.apply(context, options.sort) {
            Ok(done) => report.repaired.push(done),
            // The other repairs do not depend on it.
            Err(error) => report.failed.push(error),
        }
    }

    // Checked again, so that the report has the remaining findings.
    report.findings = run_checks(context, options, settings);
    report
}

fn run_checks(
    context: &CommandContext<'_>,
    options: DoctorOptions,
    settings: Option<&Error>,
) -> Vec<DoctorFinding> {
    let doctor = DoctorContext::new(context, options, settings);
    let mut all = Vec::new();
    for (name, check) in CHECKS {
        // A check that fails becomes a finding: the others still run.
        let mut findings =
            check(&doctor).unwrap_or_else(|error| vec![DoctorFinding::from_error(name, &error)]);
        if findings.is_empty() {
            // Without a line of its own, a check that passed would look as if it was not run.
            findings.push(DoctorFinding::new(HealthLevel::Ok, "no problems found"));
        }
        all.extend(findings.into_iter().map(|finding| DoctorFinding {
            check: name,
            ..finding
        }));
    }
    all
}

impl<'c> DoctorContext<'c> {
    fn new(
        context: &'c CommandContext<'c>,
        options: DoctorOptions,
        settings: Option<&'c Error>,
    ) -> Self {
        let mut doctor = DoctorContext {
            context,
            options,
            settings_error: settings,
            project: None,
            project_error: None,
            lockfile: None,
        };

        // With default settings, the manifest would be read with the wrong registries.
        if settings.is_some() {
            return doctor;
        }

        // A project that cannot be read is a finding of the check `manifest`; the others still run.
        match doctor.read_project() {
            Ok(project) => doctor.project = project,
            Err(error) => doctor.project_error = Some(error),
        }

        // The check `lockfile` reports an invalid one; the other checks see none.
        doctor.lockfile = doctor
            .project
            .as_ref()
            .and_then(|(workspace, _)| workspace.lockfile().ok().flatten());
        doctor
    }

    fn read_project(&self) -> Result<Option<(Workspace, Manifest)>> {
        let found = match self.options.sort {
            WorkspaceKind::Project => self.context.reported_project()?,
            WorkspaceKind::Managed => Some(self.context.find_workspace(WorkspaceKind::Managed)?),
        };

        let registries = |name: Option<&str>| self.context.config.registry(name);
        found
            .map(|workspace| {
                workspace
                    .read_manifests(&registries)
                    .map(|manifests| (workspace, manifests.manifest))
            })
            .transpose()
    }

    /// The project with its lockfile; `None` unless both are valid.
    fn locked_project(&self) -> Option<(&Workspace, &Manifest, &Lockfile)> {
        let (workspace, manifest) = self.project.as_ref()?;
        Some((workspace, manifest, self.lockfile.as_ref()?))
    }
}

impl DoctorFinding {
    fn new(health: HealthLevel, message: impl Into<String>) -> DoctorFinding {
        DoctorFinding {
            // `run_checks` sets it: a check does not know its own name.
            check: "",
            health,
            message: message.into(),
            notes: Vec::new(),
            help: None,
            repair: None,
        }
    }

    fn from_error(check: &'static str, error: &Error) -> DoctorFinding {
        DoctorFinding {
            check,
            notes: error
                .notes()
                .iter()
                .chain(error.causes())
                .cloned()
                .collect(),
            // A finding has one line of help.
            help: error.helps().first().cloned(),
            ..DoctorFinding::new(HealthLevel::Error, error.message())
        }
    }

    fn note(mut self, note: impl Into<String>) -> DoctorFinding {
        self.notes.push(note.into());
        self
    }

    fn help(self, help: impl Into<String>) -> DoctorFinding {
        DoctorFinding {
            help: Some(help.into()),
            ..self
        }
    }

    fn with_repair(self, repair: DoctorRepair) -> DoctorFinding {
        DoctorFinding {
            repair: Some(repair),
            ..self
        }
    }

    /// Whether `--fix` repairs it.
    #[must_use]
    pub fn is_repairable(&self) -> bool {
        self.repair.is_some()
    }
}

impl DoctorReport {
    /// The number of findings of a severity.
    #[must_use]
    pub fn count(&self, health: HealthLevel) -> usize {
        self.findings
            .iter()
            .filter(|finding| finding.health == health)
            .count()
    }
}
