//! Checks of installed skills, and of how agents resolve their names.

use std::path::{Path, PathBuf};

use super::repair::DoctorRepair;
use super::{DoctorContext, DoctorFinding, HealthLevel};
use crate::catalog::{CatalogOptions, catalog};
use crate::catalog_sections::find_sections;
use crate::sync;
use crate::targets;
use crate::verify::{ConvertedSkill, SkillDeviation, SkillFault, verify};
use crate::withdrawn::{RevokedPackage, revoked_help};
use skillpm_catalog::catalog::{AgentDisagreement, Catalog};
use skillpm_core::error::Result;
use skillpm_core::lockfile::Lockfile;
use skillpm_core::package::SkillName;
use skillpm_core::report::{Diagnostic, DiagnosticLevel};
use skillpm_io::disk;
use skillpm_io::git::crlf_setting;
use skillpm_registry::workspace::WorkspaceKind;

/// Every installed skill matches the lockfile.
pub(super) fn installed(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let Some((workspace, ..)) = doctor.locked_project() else {
        return Ok(Vec::new());
    };

    // If it cannot be decided, no repair is offered.
    let is_current = sync::is_lockfile_satisfied(doctor.context, workspace).unwrap_or(false);
    let verified = verify(doctor.context, doctor.options.sort)?;
    let finding = |revoked: &RevokedPackage| {
        DoctorFinding::new(HealthLevel::Error, revoked.message())
            .help(revoked_help(revoked.locked.install_name()))
    };
    let revoked = verified.revoked.iter().map(finding);

    let deviations = &verified.deviations;
    let deviations = deviations
        .iter()
        .map(|deviation| deviation_finding(deviation, is_current));
    let root = &workspace.root;
    let converted = verified.line_ends.iter();
    let converted = converted.map(|converted| line_ends_finding(converted, root));
    Ok(deviations.chain(converted).chain(revoked).collect())
}

fn line_ends_finding(converted: &ConvertedSkill, root: &Path) -> DoctorFinding {
    let (path, count) = (converted.place.display(), converted.files.len());
    let files = if count == 1 { "file has" } else { "files have" };
    let finding = DoctorFinding::new(
        HealthLevel::Warning,
        format!("`{path}`: {count} {files} other line endings than the package"),
    );
    let why = match crlf_setting(root) {
        Some(setting) => format!("git converts them at checkout, as `{setting}` is set"),
        None => {
            "git converted them at checkout, as with `core.autocrlf=true`, or an editor did".into()
        }
    };
    finding.note(why).help(
        "`skillpm install --force` restores the locked files, with a backup in `.skillpm/backup`",
    )
}

/// `is_current` is whether the lockfile is up to date with the manifest.
fn deviation_finding(deviation: &SkillDeviation, is_current: bool) -> DoctorFinding {
    let path = deviation.place.display();
    match &deviation.fault {
        SkillFault::Missing => {
            let message = format!("`{path}` is missing");
            let finding = DoctorFinding::new(HealthLevel::Error, message).help("skillpm install");
            // With an outdated lockfile, an install could add unwanted skills.
            if is_current {
                finding.with_repair(DoctorRepair::Project)
            } else {
                finding
            }
        }
        SkillFault::Differs { conflicts, .. } if !conflicts.is_empty() => {
            let name = deviation.place.file_name().unwrap_or_default().display();
            let files: Vec<String> = conflicts.iter().map(ToString::to_string).collect();
            let message = format!(
                "`{path}` has unresolved conflict markers in {}",
                files.join(", ")
            );
            DoctorFinding::new(HealthLevel::Error, message).help(format!(
                "resolve the conflicts in an editor, then run `skillpm patch {name}`"
            ))
        }
        SkillFault::Differs { .. } => {
            let name = deviation.place.file_name().unwrap_or_default().display();
            let message = format!("`{path}` was modified after it was installed");
            DoctorFinding::new(HealthLevel::Warning, message).help(format!(
                "`skillpm diff {name}` shows the changes; `skillpm patch {name}` keeps them, \
                 `skillpm restore {name}` saves a backup and restores the skill"
            ))
        }
        SkillFault::Unreadable(why) => {
            let name = deviation.place.file_name().unwrap_or_default().display();
            let message = format!("failed to read skill `{path}`: {why}");
            DoctorFinding::new(HealthLevel::Error, message).help(format!(
                "`skillpm restore {name}` saves the current files under `.skillpm/backup` and \
                 restores the skill"
            ))
        }
    }
}

/// No link among the skills is broken.
pub(super) fn links(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let Some((workspace, manifest)) = &doctor.project else {
        return Ok(Vec::new());
    };
    let mut findings = Vec::new();
    for dir in targets::directories(doctor.context, workspace, manifest)? {
        for name in disk::list_names(&workspace.root.join(&dir))? {
            let relative = dir.join(&name);
            let path = workspace.root.join(&relative);

            let is_link = disk::lstat(&path)?.is_some_and(|meta| meta.is_symlink());
            // A broken link resolves to itself.
            if !is_link
                || disk::lstat(&disk::real_path(&path))?.is_some_and(|meta| !meta.is_symlink())
            {
                continue;
            }

            let to = disk::read_link(&path)?;
            findings.push(
                DoctorFinding::new(
                    HealthLevel::Warning,
                    format!(
                        "broken link `{}`: its target `{}` does not exist",
                        relative.display(),
                        to.display()
                    ),
                )
                .help(format!(
                    "rm '{}', or restore its target",
                    relative.display()
                )),
            );
        }
    }
    Ok(findings)
}

/// Each name means one skill, and every skill can be listed.
pub(super) fn names(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    if !can_list(doctor) {
        return Ok(Vec::new());
    }
    let catalog = catalog(doctor.context, &CatalogOptions::default())?;
    let about_names = |rule: &str| matches!(rule, "duplicate" | "shadowed" | "shadowing-denied");
    // The copies of a skill in several targets are what `targets` asks for.
    let own = own_copies(doctor, &catalog);
    let mut findings = Vec::new();
    for (path, found) in catalog.diagnostics() {
        if own.iter().any(|(at, copy)| *at == path && *copy == found) {
            continue;
        }

        let health = match found.level {
            // It hides one skill; the project works without it.
            DiagnosticLevel::Error => HealthLevel::Warning,
            _ if found.rule == "duplicate" => HealthLevel::Warning,
            _ => HealthLevel::Note,
        };
        // Warnings about anything but names are reported by `lint`.
        if found.level != DiagnosticLevel::Error && !about_names(&found.rule) {
            continue;
        }

        let message = format!(
            "{}: {} ({})",
            found.location(&path.display().to_string()),
            found.message,
            found.rule
        );
        findings.push(DoctorFinding {
            help: found.help.clone(),
            ..DoctorFinding::new(health, message)
        });
    }
    Ok(findings)
}

/// The findings, each with its file, about copies of one skill that skillpm installed in several targets.
fn own_copies(doctor: &DoctorContext<'_>, catalog: &Catalog) -> Vec<(PathBuf, Diagnostic)> {
    let mut own = Vec::new();
    // The user's own skills have targets as well, and are listed in every project.
    for kind in [WorkspaceKind::Project, WorkspaceKind::Managed] {
        let installed = InstalledCopies::read(doctor, kind);
        let Some(installed) = installed.filter(|installed| installed.directories.len() > 1) else {
            continue;
        };

        for shadow in catalog.shadows() {
            if !installed.contains(&shadow.winner.path) {
                continue;
            }
            let findings = shadow.losers.iter().zip(shadow.diagnostics());
            own.extend(
                findings
                    .filter(|((loser, _), _)| installed.contains(&loser.path))
                    .map(|(_, finding)| (shadow.winner.path.clone(), finding)),
            );
        }
    }
    own
}

/// What a lockfile installs, and where.
struct InstalledCopies {
    lockfile: Lockfile,
    /// The target directories, as they really are: a catalog may read one through a link.
    directories: Vec<PathBuf>,
}

impl InstalledCopies {
    /// Reads the project or the user's own skills; `None` if there are none, or they are invalid,
    /// which another check reports.
    fn read(doctor: &DoctorContext<'_>, kind: WorkspaceKind) -> Option<Self> {
        let context = doctor.context;
        let workspace = context.workspace(kind).ok()?;
        let registries = |name: Option<&str>| context.config.registry(name);
        let manifest = workspace.manifest(&registries).ok()?;
        let lockfile = workspace.lockfile().ok()??;

        let directories = targets::directories(context, &workspace, &manifest).ok()?;
        Some(InstalledCopies {
            lockfile,
            directories: directories
                .iter()
                .map(|dir| disk::real_path(&workspace.root.join(dir)))
                .collect(),
        })
    }

    /// Whether the `SKILL.md` is of a locked skill in a target.
    fn contains(&self, skill_md: &Path) -> bool {
        let Some(dir) = skill_md.parent() else {
            return false;
        };
        let name = dir
            .file_name()
            .and_then(|name| SkillName::parse_install_name(name.to_str()?).ok());
        let in_target = dir
            .parent()
            .is_some_and(|target| self.directories.contains(&disk::real_path(target)));

        in_target && name.is_some_and(|name| self.is_locked(&name))
    }

    /// Whether a package is installed as `name`. A converted copy of a skill of Nova has hyphens for the underscores of
    /// its name.
    fn is_locked(&self, name: &SkillName) -> bool {
        self.lockfile.packages().iter().any(|package| {
            let locked = package.install_name();
            locked == name || locked.to_specified() == *name
        })
    }
}

/// The sections of `catalog --into` list the skills as they are.
pub(super) fn sections(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let Some((workspace, _)) = doctor.project.as_ref().filter(|_| can_list(doctor)) else {
        return Ok(Vec::new());
    };
    let sections = find_sections(doctor.context, workspace)?;
    let stale = sections.iter().filter(|section| !section.is_current);
    let findings = stale.map(|section| {
        let (message, command) = section.stale_message();
        DoctorFinding::new(HealthLevel::Warning, message)
            .note("it was edited, or skills were changed without skillpm")
            .help(command)
    });
    Ok(findings.collect())
}

/// Every agent resolves each name to the same skill as the tiers.
pub(super) fn agents(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    if !can_list(doctor) {
        return Ok(Vec::new());
    }
    let catalog = catalog(doctor.context, &CatalogOptions::default())?;
    // A copy that was converted for an agent differs from the package, and is what that agent is to use.
    let installed: Vec<InstalledCopies> = [WorkspaceKind::Project, WorkspaceKind::Managed]
        .into_iter()
        .filter_map(|kind| InstalledCopies::read(doctor, kind))
        .collect();
    let is_own = |found: &AgentDisagreement| match found {
        AgentDisagreement::Inversion { ours, theirs, .. } => installed
            .iter()
            .any(|copies| copies.contains(&ours.path) && copies.contains(&theirs.path)),
        AgentDisagreement::DuplicateListing { .. } => false,
    };
    let finding = |(agent, found): &(String, AgentDisagreement)| {
        let found = found.diagnostic(agent);
        DoctorFinding {
            help: found.help.clone(),
            ..DoctorFinding::new(HealthLevel::Warning, found.message)
        }
    };
    let others = catalog
        .disagreements
        .iter()
        .filter(|(_, found)| !is_own(found));
    Ok(others.map(finding).collect())
}

/// Whether the catalog can be listed; if not, another check reports why.
fn can_list(doctor: &DoctorContext<'_>) -> bool {
    // The catalog fails on an invalid lockfile, which the check `lockfile` reports.
    let has_broken_lock = doctor
        .project
        .as_ref()
        .is_some_and(|(workspace, _)| workspace.lock_text.is_some() && doctor.lockfile.is_none());
    let is_of_project = doctor.options.sort == WorkspaceKind::Project;
    doctor.settings_error.is_none()
        && doctor.project_error.is_none()
        && !(is_of_project && has_broken_lock)
}
