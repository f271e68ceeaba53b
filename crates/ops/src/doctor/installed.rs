//! What is installed, and what agents make of it.

use super::mend::Mend;
use super::{Finding, Health, Patient};
use crate::error::Result;
use crate::io::disk;
use crate::ops::catalog::{CatalogOptions, catalog};
use crate::ops::sync;
use crate::ops::targets;
use crate::ops::verify::{Deviation, Fault, verify};
use crate::ops::withdrawn::{Revoked, way_out};
use crate::report::Level;
use crate::workspace::Sort;

/// Every installed skill is what the lockfile says.
pub(super) fn installed(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let Some((workspace, ..)) = patient.locked() else { return Ok(Vec::new()) };
    // What a lockfile that is out of date says of the disk, nobody wants to know.
    let is_current = sync::is_answered(patient.context, workspace).unwrap_or(false);
    let verified = verify(patient.context, patient.options.sort)?;
    let finding =
        |revoked: &Revoked| Finding::new(Health::Error, revoked.told()).help(way_out(revoked.locked.install_name()));
    let revoked = verified.revoked.iter().map(finding);
    let deviations = &verified.deviations;
    let finding = |deviation: &Deviation| {
        let place = deviation.place.display();
        match &deviation.fault {
            Fault::Missing => {
                let finding = Finding::new(Health::Error, format!("`{place}` is not there")).help("skillpm install");
                if is_current { finding.mend(Mend::Project) } else { finding }
            }
            Fault::Differs(_) => Finding::new(Health::Warning, format!("`{place}` was changed after it was installed"))
                .help("`skillpm diff` shows how; `skillpm patch NAME` keeps it, `skillpm install --force` restores and saves it"),
            Fault::Unreadable(why) => Finding::new(Health::Error, format!("`{place}` cannot be read as a skill: {why}"))
                .help("`skillpm install --force` restores it, and saves what is there under `.skillpm/backup`"),
        }
    };
    Ok(deviations.iter().map(finding).chain(revoked).collect())
}

/// No link among the skills leads nowhere.
pub(super) fn links(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let Some((workspace, manifest)) = &patient.project else { return Ok(Vec::new()) };
    let mut findings = Vec::new();
    for dir in targets::directories(patient.context, workspace, manifest)? {
        for name in disk::names(&workspace.root.join(&dir))? {
            let place = dir.join(&name);
            let path = workspace.root.join(&place);
            let is_link = disk::lstat(&path)?.is_some_and(|meta| meta.is_symlink());
            if !is_link || disk::lstat(&disk::real_path(&path))?.is_some_and(|meta| !meta.is_symlink()) {
                continue;
            }
            let to = disk::read_link(&path)?;
            findings.push(
                Finding::new(
                    Health::Warning,
                    format!("`{}` is a link to `{}`, where nothing is", place.display(), to.display()),
                )
                .help(format!("rm '{}', or bring back what it leads to", place.display())),
            );
        }
    }
    Ok(findings)
}

/// Each name means one skill, and every skill can be listed.
pub(super) fn names(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    if !can_list(patient) {
        return Ok(Vec::new());
    }
    let catalog = catalog(patient.context, &CatalogOptions::default())?;
    let about_names = |rule: &str| matches!(rule, "duplicate" | "shadowed" | "shadowing-denied");
    let mut findings = Vec::new();
    for (path, found) in catalog.diagnostics() {
        let health = match found.level {
            Level::Error => Health::Warning,
            _ if found.rule == "duplicate" => Health::Warning,
            _ => Health::Note,
        };
        if found.level != Level::Error && !about_names(&found.rule) {
            continue;
        }
        let message = format!("{}: {} ({})", found.place(&path.display().to_string()), found.message, found.rule);
        findings.push(Finding { help: found.help.clone(), ..Finding::new(health, message) });
    }
    Ok(findings)
}

/// No agent takes a name for another skill than the tiers mean.
pub(super) fn agents(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    if !can_list(patient) {
        return Ok(Vec::new());
    }
    let catalog = catalog(patient.context, &CatalogOptions::default())?;
    let finding = |(agent, found): &(String, crate::catalog::Disagreement)| {
        let found = found.diagnostic(agent);
        Finding { help: found.help.clone(), ..Finding::new(Health::Warning, found.message) }
    };
    Ok(catalog.disagreements.iter().map(finding).collect())
}

/// Whether the catalog can be made at all; why not, other checks say.
fn can_list(patient: &Patient<'_>) -> bool {
    let has_broken_lock = patient
        .project
        .as_ref()
        .is_some_and(|(workspace, _)| workspace.lock_text.is_some() && patient.lockfile.is_none());
    let is_of_project = patient.options.sort == Sort::Project;
    patient.settings.is_none() && patient.unread.is_none() && !(is_of_project && has_broken_lock)
}
