//! Checks of `$SKILLPM_HOME`: the directory itself, settings, secrets and the cache.

#![expect(clippy::unnecessary_wraps, reason = "all checks have one form")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::repair::DoctorRepair;
use super::{DoctorContext, DoctorFinding, HealthLevel};
use crate::cache;
use skillpm_core::error::{FailureKind, Result};
use skillpm_io::disk::{self, FileOwnership};
use skillpm_io::git::cache as copies;
use skillpm_registry::store::{ExclusiveStore, StoreDamage};

/// What others may do at most with what is in `$SKILLPM_HOME`: the first row that a path is at or below counts. The tokens
/// have a check of their own.
const ALLOWED_MODES: [(&str, u32); 3] = [
    // Anyone who reads it can write a journal that the next command follows.
    ("state-key", 0o600),
    ("credentials.toml", 0o777),
    // Anyone who writes here decides what agents read, and which commands run for credentials.
    ("", 0o755),
];
/// How many paths a finding names.
const NAMED_MAX: usize = 5;

/// The directory is writable, and only for its owner.
pub(super) fn check_home(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let home = &doctor.context.dirs.skillpm_home;
    let shown = home.display();
    let Some(meta) = disk::lstat(&disk::real_path(home))? else {
        return Ok(vec![missing_home(home)]);
    };
    if !meta.is_dir() {
        return Ok(vec![
            DoctorFinding::new(HealthLevel::Error, format!("`{shown}` is not a directory"))
                .help("move it away, or set `SKILLPM_HOME` to another directory"),
        ]);
    }

    let mut findings = Vec::new();
    // Asked of the system: the mode says nothing about read-only mounts and access lists.
    if !disk::is_writable(home) {
        findings.push(
            DoctorFinding::new(
                HealthLevel::Error,
                format!("cannot write to `{shown}`, so nothing can be installed"),
            )
            .help(format!(
                "take ownership (`sudo chown -R \"$USER\" '{shown}'`), or set `SKILLPM_HOME`"
            )),
        );
    }
    findings.extend(check_ownership(home, &disk::file_ownership(&meta)));

    if let Some((workspace, _)) = &doctor.project
        && !disk::is_same_mount(home, &workspace.root)
    {
        let message = format!("`{shown}` and the project are on different file systems");
        findings.push(
            DoctorFinding::new(HealthLevel::Note, message)
                .note("installing works, but copies every file"),
        );
    }

    Ok(findings)
}

/// The findings about other users who own the directory, or can write to it.
fn check_ownership(home: &Path, owner: &FileOwnership) -> Vec<DoctorFinding> {
    let shown = home.display();

    let mut findings = Vec::new();
    if !owner.is_ours {
        findings.push(
            DoctorFinding::new(
                HealthLevel::Warning,
                format!("`{shown}` is owned by another user"),
            )
            .note("its owner decides what your agents read")
            .help("set `SKILLPM_HOME` to a directory of your own"),
        );
    }
    // Other users with write access can replace the skills that agents read.
    if owner.others_write {
        findings.push(
            DoctorFinding::new(
                HealthLevel::Warning,
                format!("`{shown}` is writable by other users"),
            )
            .help(format!("chmod go-w '{shown}'"))
            .with_repair(DoctorRepair::CloseToOthers(home.to_owned())),
        );
    }
    findings
}

/// The finding about a directory that does not exist yet: whether it can be created.
fn missing_home(home: &Path) -> DoctorFinding {
    // The nearest existing directory decides whether the others can be created.
    let shown = home.display();
    let parent = home
        .ancestors()
        .skip(1)
        .find(|parent| matches!(disk::lstat(parent), Ok(Some(_))));

    match parent.filter(|parent| !disk::is_writable(parent)) {
        None => DoctorFinding::new(
            HealthLevel::Ok,
            format!("`{shown}` does not exist yet; it is created when needed"),
        ),
        Some(parent) => {
            let message = format!(
                "`{shown}` does not exist and cannot be created, so nothing can be installed"
            );
            DoctorFinding::new(HealthLevel::Error, message)
                .note(format!("cannot write to `{}`", parent.display()))
                .help("set `SKILLPM_HOME` to a directory of your own")
        }
    }
}

/// The settings can be read, and every key is known.
pub(super) fn settings(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let found = doctor.settings_error.map(|error| {
        DoctorFinding::from_error("settings", error)
            .note("no other command runs until this is fixed; `doctor` used the defaults and did not check the project")
    });
    Ok(found.into_iter().collect())
}

/// The file of tokens is readable only by its owner.
pub(super) fn credentials(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let path = doctor.context.dirs.skillpm_home.join("credentials.toml");
    let Some(meta) = disk::lstat(&path)? else {
        return Ok(Vec::new());
    };
    let mode = disk::file_ownership(&meta).mode;
    if meta.is_file() && !disk::file_ownership(&meta).others_access {
        return Ok(Vec::new());
    }

    let finding = DoctorFinding::new(
        HealthLevel::Error,
        format!(
            "the tokens in `{}` are accessible to other users",
            path.display()
        ),
    )
    .note(format!(
        "its mode is {mode:04o}, expected 0600; the file is not read until then"
    ))
    .help(format!(
        "chmod 600 '{}'; if others use this machine, create new tokens",
        path.display()
    ));

    // A link is only reported: changing its mode would change its target.
    Ok(vec![if meta.is_file() {
        finding.with_repair(DoctorRepair::CloseToOthers(path))
    } else {
        finding
    }])
}

/// Nothing in the directory can be written by other users, and secrets cannot be read.
pub(super) fn permissions(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let home = disk::real_path(&doctor.context.dirs.skillpm_home);
    let found = disk::find_wider_modes(&home, &allowed_mode);
    let (secret, open): (Vec<_>, Vec<_>) = found.into_iter().partition(|(path, _)| {
        let below = path.strip_prefix(&home).unwrap_or(path);
        allowed_mode(below).trailing_zeros() >= 6
    });

    let mut findings = Vec::new();
    for (path, owner) in secret {
        findings.push(
            DoctorFinding::new(
                HealthLevel::Error,
                format!("`{}` is accessible to other users", path.display()),
            )
            .note(format!(
                "its mode is {:04o}, expected 0600; commands that change a project refuse it",
                owner.mode
            ))
            .help(format!("chmod 600 '{}'", path.display()))
            .with_repair(DoctorRepair::CloseToOthers(path)),
        );
    }

    let paths: Vec<PathBuf> = open.into_iter().map(|(path, _)| path).collect();
    if let Some(first) = paths.first() {
        let message = match paths.len() {
            1 => format!("`{}` is writable by other users", first.display()),
            count => format!(
                "{count} files and directories in `{}` are writable by other users",
                home.display()
            ),
        };
        let quoted: Vec<String> = paths
            .iter()
            .map(|path| format!("'{}'", path.display()))
            .collect();
        let command = if quoted.len() > NAMED_MAX {
            format!("chmod -R go-w '{}'", home.display())
        } else {
            format!("chmod go-w {}", quoted.join(" "))
        };
        let mut finding = DoctorFinding::new(HealthLevel::Warning, message);
        if paths.len() > 1 {
            for path in paths.iter().take(NAMED_MAX) {
                finding = finding.note(path.display().to_string());
            }
        }
        findings.push(
            finding
                .note("anyone who writes there decides what your agents read")
                .help(command)
                .with_repair(DoctorRepair::CloseToWriters(paths)),
        );
    }
    Ok(findings)
}

/// What others may do at most with a path, relative to `$SKILLPM_HOME`.
fn allowed_mode(below: &Path) -> u32 {
    let row = ALLOWED_MODES
        .iter()
        .find(|(path, _)| below.starts_with(path));
    row.map_or(0o755, |(_, mode)| *mode)
}

/// Everything in the cache matches its checksum.
pub(super) fn cache(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let home = &doctor.context.dirs.skillpm_home;
    // A fresh machine has no cache.
    if disk::lstat(&home.join("store"))?.is_none() && disk::lstat(&home.join("git"))?.is_none() {
        return Ok(Vec::new());
    }
    let damaged = cache::find_damage(doctor.context)?;
    if damaged.is_empty() {
        return Ok(Vec::new());
    }

    let count = damaged.len();
    let message = if count == 1 {
        "1 entry of the cache does not match its checksum".to_owned()
    } else {
        format!("{count} entries of the cache do not match their checksums")
    };
    let finding = DoctorFinding::new(HealthLevel::Error, message);

    let finding = damaged
        .iter()
        // Enough to see what happened; the repair is for all of them.
        .take(5)
        .fold(finding, |finding, (path, why)| {
            finding.note(format!("{}: {why}", path.display()))
        });
    Ok(vec![
        finding
            .help("`skillpm cache verify` removes them; they are fetched again")
            .with_repair(DoctorRepair::Cache),
    ])
}

/// The cache has no leftovers of killed commands.
pub(super) fn leftovers(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let home = &doctor.context.dirs.skillpm_home;
    if disk::lstat(&home.join("store/sha256"))?.is_none() {
        return Ok(Vec::new());
    }

    // Without waiting: files that another command is writing now would look like leftovers.
    let store = match ExclusiveStore::open_exclusive(home, Duration::ZERO, doctor.context.reporter)
    {
        Ok(store) => store,
        Err(error) if error.kind() == FailureKind::Busy => {
            return Ok(vec![DoctorFinding::new(
                HealthLevel::Note,
                "another skillpm is using the store; not checked",
            )]);
        }
        Err(error) => return Err(error),
    };

    let leftovers = find_leftovers(home, &store)?;
    if leftovers.is_empty() {
        return Ok(Vec::new());
    }

    let finding = DoctorFinding::new(
        HealthLevel::Warning,
        "a killed command left files in the cache",
    );
    let finding = leftovers.iter().fold(finding, |finding, path| {
        finding.note(path.display().to_string())
    });
    Ok(vec![
        finding
            .help("`skillpm cache prune` removes them")
            .with_repair(DoctorRepair::Cache),
    ])
}

fn find_leftovers(home: &Path, store: &ExclusiveStore) -> Result<Vec<PathBuf>> {
    // The mark is written last: a tree without one was never finished.
    let unmarked = store
        .entries()?
        .into_iter()
        .filter(|entry| store.find_damage(entry) == Some(StoreDamage::Unfinished));
    let mut leftovers: Vec<PathBuf> = unmarked.map(|entry| store.tree_path(&entry)).collect();

    leftovers.extend(disk::list_leftovers(&home.join("store"))?);
    leftovers.extend(disk::list_leftovers(&home.join("store/sha256"))?);
    leftovers.extend(copies::list_leftovers(&home.join("git"))?);
    leftovers.extend(disk::list_leftovers(&home.join("index"))?);
    Ok(leftovers)
}
