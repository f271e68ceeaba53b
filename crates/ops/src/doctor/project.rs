//! Checks of the project: manifest, lockfile, state, and leftovers of killed commands.

#![expect(clippy::unnecessary_wraps, reason = "all checks have one form")]

use std::path::PathBuf;
use std::time::Duration;

use super::repair::DoctorRepair;
use super::{DoctorContext, DoctorFinding, HealthLevel};
use crate::{line_endings, sync, targets};
use skillpm_core::error::{FailureKind, Result};
use skillpm_core::lockfile;
use skillpm_core::manifest;
use skillpm_io::disk::{self, FileLock};
use skillpm_io::git::{ATTRIBUTES_FILE, GitCheckout, keep_line_ends_line};
use skillpm_registry::install::state::{self, ProjectState};
use skillpm_registry::install::transaction;
use skillpm_registry::workspace::WorkspaceKind;

/// The manifest is valid.
pub(super) fn manifest(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    // Then the project was not read; the check `settings` reports why.
    if doctor.settings_error.is_some() {
        return Ok(Vec::new());
    }
    if let Some(error) = &doctor.project_error {
        return Ok(vec![DoctorFinding::from_error("manifest", error)]);
    }

    let exists = doctor
        .project
        .as_ref()
        .is_some_and(|(workspace, _)| workspace.exists);
    // The user's own skills need no manifest until one is added.
    if exists || doctor.options.sort == WorkspaceKind::Managed {
        return Ok(Vec::new());
    }

    let cwd = doctor.context.dirs.cwd.display();
    Ok(vec![
        DoctorFinding::new(
            HealthLevel::Note,
            format!(
                "could not find `{}` in `{cwd}` or any parent directory",
                manifest::FILE
            ),
        )
        .help("`skillpm init` creates one; `skillpm doctor --global` checks your own skills"),
    ])
}

/// No command was interrupted.
pub(super) fn interrupted(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let Some((workspace, _)) = &doctor.project else {
        return Ok(Vec::new());
    };
    let state_dir = doctor.context.state_dir(workspace);
    let Some(journal) = transaction::find_unfinished(&state_dir)? else {
        return Ok(Vec::new());
    };
    // A journal that this user did not write on this machine may have come with a clone.
    if !journal.is_trusted {
        return Ok(vec![DoctorFinding::from_error(
            "interrupted",
            &state_dir.untrusted_error(transaction::JOURNAL),
        )]);
    }

    // A journal is normal while a command runs.
    if FileLock::acquire_dir(&workspace.root, Duration::ZERO, doctor.context.reporter)
        .is_err_and(|e| e.kind() == FailureKind::Busy)
    {
        return Ok(vec![DoctorFinding::new(
            HealthLevel::Note,
            "another skillpm is changing this project right now",
        )]);
    }

    let finding = DoctorFinding::new(
        HealthLevel::Error,
        "a command was interrupted, and its changes are incomplete",
    )
    .note(format!("they are recorded in `{}`", journal.path.display()));

    // What another version recorded cannot be undone by guessing.
    Ok(vec![if journal.is_readable {
        finding
            .help("the next command that changes the project undoes them: `skillpm install`")
            .with_repair(DoctorRepair::Project)
    } else {
        finding
            .help("another version of skillpm wrote it; run that version again, or remove the file")
    }])
}

/// No state file of skillpm is tracked by git: a clone would have it, and refuse it.
pub(super) fn tracked(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let Some((workspace, _)) = &doctor.project else {
        return Ok(Vec::new());
    };
    let Some(checkout) = GitCheckout::discover(&workspace.root)? else {
        return Ok(Vec::new());
    };

    let tracked = checkout.tracked_files()?;
    let own: Vec<&str> = tracked
        .iter()
        .map(String::as_str)
        .filter(|path| is_state_file(path))
        .collect();
    let Some(first) = own.first() else {
        return Ok(Vec::new());
    };

    let more = if own.len() > 1 {
        format!(", and {} more of skillpm's own files", own.len() - 1)
    } else {
        String::new()
    };
    let finding = DoctorFinding::new(
        HealthLevel::Warning,
        format!("`{first}` is tracked by git{more}"),
    )
    .note("it records the state of one machine, and is refused on every other")
    .help(format!("git rm -r --cached {}", own.join(" ")));
    Ok(vec![finding])
}

/// Git converts no line ends in committed skills: a checkout would have other bytes than the lockfile.
pub(super) fn line_endings(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let Some((workspace, manifest)) = &doctor.project else {
        return Ok(Vec::new());
    };
    let directories = targets::directories(doctor.context, workspace, manifest)?;
    let unprotected = line_endings::find_unprotected(&workspace.root, &directories)?;

    let findings = unprotected.into_iter().map(|dir| {
        let line = keep_line_ends_line(&dir);
        DoctorFinding::new(
            HealthLevel::Note,
            format!("git may convert the line endings of the committed skills in `{dir}`"),
        )
        .note("it does so for everyone with `core.autocrlf=true`; their files then differ from the lockfile")
        .help(format!("add the line `{line}` to `{ATTRIBUTES_FILE}`, or run `skillpm doctor --fix`"))
        .with_repair(DoctorRepair::LineEndings(workspace.root.clone(), line))
    });
    Ok(findings.collect())
}

/// Whether a path in a project is a file that skillpm writes for this machine only.
fn is_state_file(path: &str) -> bool {
    // The other files under `.skillpm/`, such as `config.toml`, are meant to be committed.
    let name = path.strip_prefix(".skillpm/").unwrap_or_default();
    let dirs = ["undo/", "stage/", "backup/"];
    [state::STATE_FILE, transaction::JOURNAL].contains(&name)
        || dirs.iter().any(|dir| name.starts_with(dir))
}

/// The lockfile is valid.
pub(super) fn lockfile(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let Some((workspace, _)) = &doctor.project else {
        return Ok(Vec::new());
    };
    if workspace.lock_text.is_none() {
        // Without dependencies there is nothing to lock.
        let is_required = workspace.exists
            && doctor
                .project
                .as_ref()
                .is_some_and(|(_, manifest)| !manifest.dependencies.is_empty());

        let finding = DoctorFinding::new(
            HealthLevel::Warning,
            format!("`{}` not found", lockfile::FILE),
        );
        return Ok(is_required
            .then(|| finding.help("`skillpm install` creates it"))
            .into_iter()
            .collect());
    }

    let Err(error) = workspace.lockfile() else {
        return Ok(Vec::new());
    };
    Ok(vec![DoctorFinding::from_error("lockfile", &error)])
}

/// The lockfile is up to date with the manifest.
pub(super) fn agreement(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let Some((workspace, ..)) = doctor.locked_project() else {
        return Ok(Vec::new());
    };
    if sync::is_lockfile_satisfied(doctor.context, workspace)? {
        return Ok(Vec::new());
    }

    let message = format!(
        "the lockfile `{}` needs to be updated: it does not match `{}`",
        lockfile::FILE,
        manifest::FILE
    );
    Ok(vec![
        DoctorFinding::new(HealthLevel::Error, message)
            .note("one of them was changed without the other")
            .help(
                "`skillpm lock` updates the lockfile; `skillpm install` also installs the changes",
            ),
    ])
}

/// The record of installed skills exists and is valid.
pub(super) fn state(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let Some((workspace, _, lockfile)) = doctor.locked_project() else {
        return Ok(Vec::new());
    };
    if lockfile.packages().is_empty() {
        return Ok(Vec::new());
    }

    let path = workspace.state_dir.join(state::STATE_FILE);
    let exists = disk::lstat(&path)?.is_some();
    // One that cannot be trusted is read as an empty one.
    if ProjectState::load(&doctor.context.state_dir(workspace))? != ProjectState::default() {
        return Ok(Vec::new());
    }

    let (health, fault) = if exists {
        (
            HealthLevel::Warning,
            "is damaged, from another version, or not written by this user on this machine",
        )
    } else {
        (HealthLevel::Note, "does not exist, as in a fresh clone")
    };

    let finding = DoctorFinding::new(health, format!("`{}` {fault}", path.display()))
        .note("it is rebuilt from the lockfile and the installed files; nothing is lost")
        .help("skillpm install");
    Ok(vec![finding.with_repair(DoctorRepair::Project)])
}

/// The project has no leftovers of killed commands.
pub(super) fn leftovers(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let leftovers = find_leftovers(doctor)?;
    if leftovers.is_empty() {
        return Ok(Vec::new());
    }

    let finding = DoctorFinding::new(
        HealthLevel::Warning,
        "a killed command left files in the project",
    );
    let finding = leftovers.iter().fold(finding, |finding, path| {
        finding.note(path.display().to_string())
    });
    Ok(vec![
        finding
            .help("remove them, or run `skillpm doctor --fix`")
            .with_repair(DoctorRepair::Leftovers(leftovers)),
    ])
}

/// The files with a name that only skillpm gives: in the root, next to the state and next to the
/// skills. Empty while another command runs.
fn find_leftovers(doctor: &DoctorContext<'_>) -> Result<Vec<PathBuf>> {
    let Some((workspace, manifest)) = &doctor.project else {
        return Ok(Vec::new());
    };

    // With a journal, recovery still needs these files.
    if transaction::find_unfinished(&doctor.context.state_dir(workspace))?.is_some() {
        return Ok(Vec::new());
    }

    // A running command has such files, too, and is still using them.
    let Ok(_lock) = FileLock::acquire_dir(&workspace.root, Duration::ZERO, doctor.context.reporter)
    else {
        return Ok(Vec::new());
    };

    let mut dirs = vec![workspace.root.clone(), workspace.state_dir.clone()];
    let targets = targets::directories(doctor.context, workspace, manifest)?;
    dirs.extend(targets.into_iter().map(|dir| workspace.root.join(dir)));

    let mut handles = doctor.context.state_dir(workspace).handles();
    let mut leftovers = Vec::new();
    for dir in dirs {
        let names = handles.list_names(&dir)?.into_iter();
        leftovers.extend(
            names
                .filter(|name| is_leftover_name(name))
                .map(|name| dir.join(name)),
        );
    }
    Ok(leftovers)
}

/// Whether a name is `.skillpm-stage`, or `.skillpm-stage-` and six letters or digits.
fn is_leftover_name(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(transaction::STAGE_BESIDE) else {
        return false;
    };
    rest.is_empty()
        || rest.strip_prefix('-').is_some_and(|random| {
            random.len() == 6 && random.bytes().all(|b| b.is_ascii_alphanumeric())
        })
}

#[cfg(test)]
mod tests {
    use super::is_leftover_name;

    #[test]
    fn only_names_of_staging_directories_are_leftovers() {
        for leftover in [".skillpm-stage", ".skillpm-stage-aB3dE9"] {
            assert!(is_leftover_name(leftover), "{leftover}");
        }
        for other in [
            ".skillpm",
            ".skillpm-stages",
            ".skillpm-stage-",
            ".skillpm-stage-notes!",
            ".skillpm-stage-longer1",
            "stage",
        ] {
            assert!(!is_leftover_name(other), "{other}");
        }
    }
}
