//! `$SKILLPM_HOME`: the place itself, settings, secrets and the cache.

#![expect(clippy::unnecessary_wraps, reason = "all checks have one form")]

use std::path::Path;
use std::time::Duration;

use super::mend::Mend;
use super::{Finding, Health, Patient};
use crate::error::{Kind, Result};
use crate::io::disk;
use crate::io::git::cache as copies;
use crate::ops::cache;
use crate::store::{Damage, Keeper};

/// The directory can be written, and nobody else can write it.
pub(super) fn place(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let home = &patient.context.places.skillpm;
    let shown = home.display();
    let Some(meta) = disk::lstat(&disk::real_path(home))? else {
        return Ok(vec![absent(home)]);
    };
    if !meta.is_dir() {
        return Ok(vec![
            Finding::new(Health::Error, format!("`{shown}` is no directory"))
                .help("move it away, or set `SKILLPM_HOME` to another place"),
        ]);
    }
    let mut findings = Vec::new();
    if !disk::may_write(home) {
        findings.push(
            Finding::new(Health::Error, format!("`{shown}` may not be written, and nothing can be installed"))
                .help(format!("make it yours (`sudo chown -R \"$USER\" '{shown}'`), or set `SKILLPM_HOME`")),
        );
    }
    let who = disk::ownership(&meta);
    if !who.is_ours {
        findings.push(
            Finding::new(Health::Warning, format!("`{shown}` belongs to somebody else"))
                .note("whoever owns it decides what your agents are given")
                .help("set `SKILLPM_HOME` to a directory of your own"),
        );
    }
    if who.others_write {
        findings.push(
            Finding::new(Health::Warning, format!("others may write `{shown}`"))
                .help(format!("chmod go-w '{shown}'"))
                .mend(Mend::Close(home.clone())),
        );
    }
    if let Some((workspace, _)) = &patient.project
        && !disk::same_mount(home, &workspace.root)
    {
        let message = format!("`{shown}` and the project lie on different file systems");
        findings.push(Finding::new(Health::Note, message).note("installing works, and has to copy every byte"));
    }
    Ok(findings)
}

/// What is told of a place that is not there yet: whether it can be made.
fn absent(home: &Path) -> Finding {
    let shown = home.display();
    let above = home.ancestors().skip(1).find(|above| matches!(disk::lstat(above), Ok(Some(_))));
    match above.filter(|above| !disk::may_write(above)) {
        None => Finding::new(Health::Ok, format!("`{shown}` is not there yet; it is made when it is needed")),
        Some(above) => {
            let message = format!("`{shown}` is not there and cannot be made, so nothing can be installed");
            Finding::new(Health::Error, message)
                .note(format!("`{}` may not be written", above.display()))
                .help("set `SKILLPM_HOME` to a directory of your own")
        }
    }
}

/// Settings can be read, and every key is known.
pub(super) fn settings(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let found = patient.settings.map(|error| {
        Finding::of_error("settings", error)
            .note("no other command runs before that; here the defaults were taken, and the project was not looked at")
    });
    Ok(found.into_iter().collect())
}

/// Tokens are for their owner's eyes only.
pub(super) fn credentials(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let path = patient.context.places.skillpm.join("credentials.toml");
    let Some(meta) = disk::lstat(&path)? else { return Ok(Vec::new()) };
    let mode = disk::ownership(&meta).mode;
    if meta.is_file() && !disk::ownership(&meta).others_may {
        return Ok(Vec::new());
    }
    let finding = Finding::new(Health::Error, format!("others may read or write the tokens in `{}`", path.display()))
        .note(format!("its mode is {mode:04o}; 0600 was expected, and it is not read before that"))
        .help(format!("chmod 600 '{}'; if others use this machine, make new tokens", path.display()));
    Ok(vec![if meta.is_file() { finding.mend(Mend::Close(path)) } else { finding }])
}

/// Everything in the cache is what its checksum says.
pub(super) fn cache(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let home = &patient.context.places.skillpm;
    if disk::lstat(&home.join("store"))?.is_none() && disk::lstat(&home.join("git"))?.is_none() {
        return Ok(Vec::new());
    }
    let damaged = cache::damages(patient.context)?;
    if damaged.is_empty() {
        return Ok(Vec::new());
    }
    let count = damaged.len();
    let are = if count == 1 { "entry of the cache is" } else { "entries of the cache are" };
    let finding = Finding::new(Health::Error, format!("{count} {are} not what their checksums say"));
    let finding =
        damaged.iter().take(5).fold(finding, |finding, (path, why)| finding.note(format!("{}: {why}", path.display())));
    Ok(vec![finding.help("`skillpm cache verify` takes them away; they are brought anew").mend(Mend::Cache)])
}

/// Nothing lies about that a killed command left.
pub(super) fn litter(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let home = &patient.context.places.skillpm;
    if disk::lstat(&home.join("store/sha256"))?.is_none() {
        return Ok(Vec::new());
    }
    let keeper = match Keeper::alone(home, Duration::ZERO, patient.context.reporter) {
        Ok(keeper) => keeper,
        Err(error) if error.kind() == Kind::Busy => {
            return Ok(vec![Finding::new(Health::Note, "another skillpm is at work in the store; not looked at")]);
        }
        Err(error) => return Err(error),
    };
    let unmarked = keeper.all()?.into_iter().filter(|kept| keeper.damage(kept) == Some(Damage::Unfinished));
    let mut left: Vec<_> = unmarked.map(|kept| keeper.place(&kept)).collect();
    left.extend(disk::left_over(&home.join("store"))?);
    left.extend(disk::left_over(&home.join("store/sha256"))?);
    left.extend(copies::left_over(&home.join("git"))?);
    left.extend(disk::left_over(&home.join("index"))?);
    if left.is_empty() {
        return Ok(Vec::new());
    }
    let finding = Finding::new(Health::Warning, "a command that was killed left something in the cache");
    let finding = left.iter().fold(finding, |finding, path| finding.note(path.display().to_string()));
    Ok(vec![finding.help("`skillpm cache prune` removes it").mend(Mend::Cache)])
}
