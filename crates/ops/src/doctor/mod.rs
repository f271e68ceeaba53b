//! `doctor`: everything that can be wrong with a project, with what skillpm keeps and with the machine, each with what
//! mends it.
//!
//! | file | looks at |
//! |---|---|
//! | `home.rs` | `$SKILLPM_HOME`: settings, secrets, the cache |
//! | `machine.rs` | clock, disks, programs, certificates, registries |
//! | `project.rs` | manifest, lockfile, state, what killed commands left |
//! | `installed.rs` | installed skills, links, names that several claim |
//! | `mend.rs` | what `--fix` does |
//!
//! A check looks and says; only `mend.rs` changes anything, and nothing that somebody could miss. With `--fix` everything is
//! looked at again afterwards, so that what is told is what is left.

mod home;
mod installed;
mod machine;
mod mend;
mod project;

use std::fmt;

use serde::Serialize;

use super::Context;
use crate::error::{Error, Result};
use crate::lockfile::Lockfile;
use crate::manifest::Manifest;
use crate::workspace::{Sort, Workspace};
use mend::Mend;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Health {
    /// Nothing is wrong.
    Ok,
    /// Good to know.
    Note,
    /// It may be meant, or will hurt one day.
    Warning,
    /// Something does not work, or is not what it says it is.
    Error,
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Health::Ok => "ok",
            Health::Note => "note",
            Health::Warning => "warning",
            Health::Error => "error",
        })
    }
}

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The check's name: `lockfile-readable`.
    pub check: &'static str,
    /// How bad it is.
    pub health: Health,
    /// One sentence.
    pub message: String,
    /// What belongs to it.
    pub notes: Vec<String>,
    /// What mends it, best as a command.
    pub help: Option<String>,
    mend: Option<Mend>,
}

/// How to look.
#[derive(Debug, Clone, Copy)]
pub struct DoctorOptions {
    /// Which project.
    pub sort: Sort,
    /// Mend what can be mended without losing anything.
    pub fix: bool,
    /// Ask the registries, too.
    pub online: bool,
}

/// What was found.
#[derive(Debug, Clone, Default)]
pub struct Diagnosis {
    /// What is so now, by check in the order of [`CHECKS`]; each has at least one.
    pub findings: Vec<Finding>,
    /// What was mended.
    pub mended: Vec<String>,
    /// What could not be, and why.
    pub failed: Vec<Error>,
}

/// A check: it looks at one thing, and says nothing if that is as it should be.
pub type Check = fn(&Patient<'_>) -> Result<Vec<Finding>>;

/// Every check in the order of the answer. Later ones may take for granted what earlier ones look at.
pub const CHECKS: [(&str, Check); 23] = [
    ("clock", machine::clock),
    ("home", home::place),
    ("settings", home::settings),
    ("credentials", home::credentials),
    ("disk-space", machine::disk_space),
    ("file-system", machine::file_system),
    ("git", machine::git),
    ("ssh", machine::ssh),
    ("certificates", machine::certificates),
    ("registries", machine::registries),
    ("cache", home::cache),
    ("cache-litter", home::litter),
    ("manifest", project::manifest),
    ("interrupted", project::interrupted),
    ("tracked", project::tracked),
    ("lockfile", project::lockfile),
    ("agreement", project::agreement),
    ("state", project::state),
    ("litter", project::litter),
    ("installed", installed::installed),
    ("links", installed::links),
    ("names", installed::names),
    ("agents", installed::agents),
];

/// What is looked at.
pub struct Patient<'c> {
    context: &'c Context<'c>,
    options: DoctorOptions,
    /// Why the settings could not be read; then they are at their defaults.
    settings: Option<&'c Error>,
    /// The project, with its manifest; `None` if there is none, or it cannot be understood.
    project: Option<(Workspace, Manifest)>,
    /// Why not, if it cannot be understood.
    unread: Option<Error>,
    /// Its lockfile; `None` if there is none, or it cannot be understood.
    lockfile: Option<Lockfile>,
}

/// Looks at everything; `settings` is why the settings could not be read, if they could not. What cannot even be looked at is a finding, too.
#[must_use]
pub fn doctor(context: &Context<'_>, options: DoctorOptions, settings: Option<&Error>) -> Diagnosis {
    let findings = look(context, options, settings);
    if !options.fix {
        return Diagnosis { findings, ..Diagnosis::default() };
    }
    let mut mends: Vec<Mend> = findings.into_iter().filter_map(|finding| finding.mend).collect();
    mends.sort();
    mends.dedup();
    let mut diagnosis = Diagnosis::default();
    for mend in mends {
        match mend.apply(context, options.sort) {
            Ok(told) => diagnosis.mended.push(told),
            Err(error) => diagnosis.failed.push(error),
        }
    }
    diagnosis.findings = look(context, options, settings);
    diagnosis
}

fn look(context: &Context<'_>, options: DoctorOptions, settings: Option<&Error>) -> Vec<Finding> {
    let patient = Patient::new(context, options, settings);
    let mut all = Vec::new();
    for (name, check) in CHECKS {
        let mut findings = check(&patient).unwrap_or_else(|error| vec![Finding::of_error(name, &error)]);
        if findings.is_empty() {
            findings.push(Finding::new(Health::Ok, "nothing to say"));
        }
        all.extend(findings.into_iter().map(|finding| Finding { check: name, ..finding }));
    }
    all
}

impl<'c> Patient<'c> {
    fn new(context: &'c Context<'c>, options: DoctorOptions, settings: Option<&'c Error>) -> Self {
        let mut patient = Patient { context, options, settings, project: None, unread: None, lockfile: None };
        if settings.is_some() {
            return patient;
        }
        match patient.read() {
            Ok(project) => patient.project = project,
            Err(error) => patient.unread = Some(error),
        }
        patient.lockfile = patient.project.as_ref().and_then(|(workspace, _)| workspace.lockfile().ok().flatten());
        patient
    }

    fn read(&self) -> Result<Option<(Workspace, Manifest)>> {
        let found = match self.options.sort {
            Sort::Project => self.context.project()?,
            Sort::Managed => Some(self.context.find_workspace(Sort::Managed)?),
        };
        let registries = |name: Option<&str>| self.context.config.registry(name);
        found.map(|workspace| workspace.lines(&registries).map(|lines| (workspace, lines.manifest))).transpose()
    }

    /// A project whose lockfile can be read.
    fn locked(&self) -> Option<(&Workspace, &Manifest, &Lockfile)> {
        let (workspace, manifest) = self.project.as_ref()?;
        Some((workspace, manifest, self.lockfile.as_ref()?))
    }
}

impl Finding {
    fn new(health: Health, message: impl Into<String>) -> Finding {
        Finding { check: "", health, message: message.into(), notes: Vec::new(), help: None, mend: None }
    }

    fn of_error(check: &'static str, error: &Error) -> Finding {
        Finding {
            check,
            notes: error.notes().iter().chain(error.causes()).cloned().collect(),
            help: error.helps().first().cloned(),
            ..Finding::new(Health::Error, error.message())
        }
    }

    fn note(mut self, note: impl Into<String>) -> Finding {
        self.notes.push(note.into());
        self
    }

    fn help(self, help: impl Into<String>) -> Finding {
        Finding { help: Some(help.into()), ..self }
    }

    fn mend(self, mend: Mend) -> Finding {
        Finding { mend: Some(mend), ..self }
    }

    /// Whether `--fix` would mend it.
    #[must_use]
    pub fn is_mendable(&self) -> bool {
        self.mend.is_some()
    }
}

impl Diagnosis {
    /// How many findings are of that health.
    #[must_use]
    pub fn count(&self, health: Health) -> usize {
        self.findings.iter().filter(|finding| finding.health == health).count()
    }
}
