//! The project: manifest, lockfile, state, and what killed commands left.

#![expect(clippy::unnecessary_wraps, reason = "all checks have one form")]

use std::path::PathBuf;
use std::time::Duration;

use super::mend::Mend;
use super::{Finding, Health, Patient};
use crate::error::{Kind, Result};
use crate::install::state::{self, State};
use crate::install::transaction;
use crate::io::disk::{self, FileLock};
use crate::io::git::Checkout;
use crate::lockfile;
use crate::manifest;
use crate::ops::{sync, targets};
use crate::workspace::Sort;

/// The manifest can be understood.
pub(super) fn manifest(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    if patient.settings.is_some() {
        return Ok(Vec::new());
    }
    if let Some(error) = &patient.unread {
        return Ok(vec![Finding::of_error("manifest", error)]);
    }
    let is_there = patient.project.as_ref().is_some_and(|(workspace, _)| workspace.exists);
    if is_there || patient.options.sort == Sort::Managed {
        return Ok(Vec::new());
    }
    let here = patient.context.places.here.display();
    Ok(vec![
        Finding::new(Health::Note, format!("there is no `{}` in `{here}` or above", manifest::FILE))
            .help("`skillpm init` makes one; `skillpm doctor --global` looks at your own skills"),
    ])
}

/// No command was interrupted.
pub(super) fn interrupted(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let Some((workspace, _)) = &patient.project else { return Ok(Vec::new()) };
    let state_dir = patient.context.state_dir(workspace);
    let Some(journal) = transaction::unfinished(&state_dir)? else { return Ok(Vec::new()) };
    if !journal.is_trusted {
        return Ok(vec![Finding::of_error("interrupted", &state_dir.refused(transaction::JOURNAL))]);
    }
    if FileLock::of_dir(&workspace.root, Duration::ZERO, patient.context.reporter)
        .is_err_and(|e| e.kind() == Kind::Busy)
    {
        return Ok(vec![Finding::new(Health::Note, "another skillpm is changing this project right now")]);
    }
    let finding = Finding::new(Health::Error, "a command was interrupted, and its changes are half made")
        .note(format!("`{}` says which", journal.path.display()));
    Ok(vec![if journal.is_readable {
        finding.help("the next command that changes the project puts it right: `skillpm install`").mend(Mend::Project)
    } else {
        finding.help("it is of another version of skillpm; run that one again, or remove the file")
    }])
}

/// No file of ours is tracked by git: another person's clone would have it, and refuse it.
pub(super) fn tracked(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let Some((workspace, _)) = &patient.project else { return Ok(Vec::new()) };
    let Some(checkout) = Checkout::around(&workspace.root)? else { return Ok(Vec::new()) };

    let is_own = |path: &&String| {
        let name = path.strip_prefix(".skillpm/").unwrap_or_default();
        let dirs = ["undo/", "stage/", "backup/"];
        [state::FILE, transaction::JOURNAL].contains(&name) || dirs.iter().any(|dir| name.starts_with(dir))
    };
    let tracked = checkout.tracked()?;
    let own: Vec<&String> = tracked.iter().filter(is_own).collect();
    let Some(first) = own.first() else { return Ok(Vec::new()) };

    let more =
        if own.len() > 1 { format!(", and {} more of skillpm's own files", own.len() - 1) } else { String::new() };
    let finding = Finding::new(Health::Warning, format!("`{first}` is tracked by git{more}"))
        .note("it says what was done on one machine, and is refused on every other")
        .help(format!("git rm -r --cached {}", own.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(" ")));
    Ok(vec![finding])
}

/// The lockfile can be understood.
pub(super) fn lockfile(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let Some((workspace, _)) = &patient.project else { return Ok(Vec::new()) };
    if workspace.lock_text.is_none() {
        let needs_one =
            workspace.exists && patient.project.as_ref().is_some_and(|(_, manifest)| !manifest.dependencies.is_empty());
        let finding = Finding::new(Health::Warning, format!("there is no `{}`", lockfile::FILE));
        return Ok(needs_one.then(|| finding.help("`skillpm install` makes one")).into_iter().collect());
    }
    let Err(error) = workspace.lockfile() else { return Ok(Vec::new()) };
    Ok(vec![Finding::of_error("lockfile", &error)])
}

/// The lockfile answers what the manifest asks.
pub(super) fn agreement(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let Some((workspace, ..)) = patient.locked() else { return Ok(Vec::new()) };
    if sync::is_answered(patient.context, workspace)? {
        return Ok(Vec::new());
    }
    let message = format!("`{}` does not answer what `{}` asks", lockfile::FILE, manifest::FILE);
    Ok(vec![
        Finding::new(Health::Error, message)
            .note("something was changed in one of them and not in the other")
            .help("`skillpm lock` decides anew what changed; `skillpm install` installs it, too"),
    ])
}

/// The memory of what was installed is there.
pub(super) fn state(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let Some((workspace, _, lockfile)) = patient.locked() else { return Ok(Vec::new()) };
    if lockfile.packages().is_empty() {
        return Ok(Vec::new());
    }
    let path = workspace.state_dir.join(state::FILE);
    let is_there = disk::lstat(&path)?.is_some();
    if State::load(&patient.context.state_dir(workspace))? != State::default() {
        return Ok(Vec::new());
    }
    let (health, fault) = if is_there {
        (Health::Warning, "is damaged, of another version, or not written by this user on this machine")
    } else {
        (Health::Note, "is not there, as in a fresh clone")
    };
    let finding = Finding::new(health, format!("`{}` {fault}", path.display()))
        .note("it is made again from lockfile and disk, and nothing is lost")
        .help("skillpm install");
    Ok(vec![finding.mend(Mend::Project)])
}

/// Nothing of ours lies about in the project.
pub(super) fn litter(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let left = left_over(patient)?;
    if left.is_empty() {
        return Ok(Vec::new());
    }
    let finding = Finding::new(Health::Warning, "a command that was killed left something in the project");
    let finding = left.iter().fold(finding, |finding, path| finding.note(path.display().to_string()));
    Ok(vec![finding.help("remove it, or let `skillpm doctor --fix`").mend(Mend::Litter(left))])
}

/// What bears a name that only we give, while nobody is at work: in the root, beside the state and beside the skills.
fn left_over(patient: &Patient<'_>) -> Result<Vec<PathBuf>> {
    let Some((workspace, manifest)) = &patient.project else { return Ok(Vec::new()) };
    if transaction::unfinished(&patient.context.state_dir(workspace))?.is_some() {
        return Ok(Vec::new());
    }
    let Ok(_alone) = FileLock::of_dir(&workspace.root, Duration::ZERO, patient.context.reporter) else {
        return Ok(Vec::new());
    };
    let mut dirs = vec![workspace.root.clone(), workspace.state_dir.clone()];
    let targets = targets::directories(patient.context, workspace, manifest)?;
    dirs.extend(targets.into_iter().map(|dir| workspace.root.join(dir)));
    let mut left = Vec::new();
    for dir in dirs {
        let names = disk::names(&dir)?.into_iter();
        left.extend(names.filter(|name| is_ours(name)).map(|name| dir.join(name)));
    }
    Ok(left)
}

/// `.skillpm-stage`, or `.skillpm-stage-` and six letters or digits.
fn is_ours(name: &str) -> bool {
    let Some(rest) = name.strip_prefix(transaction::STAGE_BESIDE) else { return false };
    rest.is_empty()
        || rest
            .strip_prefix('-')
            .is_some_and(|random| random.len() == 6 && random.bytes().all(|b| b.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::is_ours;

    #[test]
    fn only_names_that_we_give_are_ours() {
        for ours in [".skillpm-stage", ".skillpm-stage-aB3dE9"] {
            assert!(is_ours(ours), "{ours}");
        }
        for theirs in [
            ".skillpm",
            ".skillpm-stages",
            ".skillpm-stage-",
            ".skillpm-stage-notes!",
            ".skillpm-stage-longer1",
            "stage",
        ] {
            assert!(!is_ours(theirs), "{theirs}");
        }
    }
}
