//! The machine: clock, disks, programs, certificates, and whether registries answer.

#![expect(clippy::unnecessary_wraps, reason = "all checks have one form")]

use std::path::PathBuf;

use super::{Finding, Health, Patient};
use crate::error::Result;
use crate::index::Index;
use crate::io::{disk, http};
use crate::lockfile::{FILE, Lockfile};
use crate::package::SourceId;

/// 2026-01-01, in seconds since 1970: before that there was no skillpm.
const FIRST_DAY: u64 = 1_767_225_600;
/// Free bytes below which the next install may fail.
const SCARCE: u64 = 200 << 20;
/// Free bytes below which it will.
const NONE_LEFT: u64 = 4 << 20;

/// The clock says a time at which skillpm existed.
pub(super) fn clock(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    if patient.context.now >= FIRST_DAY {
        return Ok(Vec::new());
    }
    Ok(vec![
        Finding::new(Health::Error, "the clock is before 2026")
            .note("certificates of servers seem not to be valid yet, and release ages are wrong")
            .help("set the clock; `timedatectl` shows it"),
    ])
}

/// There is room for what is to come.
pub(super) fn disk_space(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let mut places = vec![nearest(&patient.context.places.skillpm)];
    if let Some((workspace, _)) = &patient.project {
        let root = workspace.root.clone();
        if !disk::same_mount(&root, &places[0]) {
            places.push(root);
        }
    }
    let mut findings = Vec::new();
    for place in places {
        let free = disk::free_space(&place)?;
        if free >= SCARCE {
            continue;
        }
        let health = if free < NONE_LEFT { Health::Error } else { Health::Warning };
        findings.push(
            Finding::new(health, format!("{} MiB are free where `{}` lies", free >> 20, place.display()))
                .help("`skillpm cache prune` makes room"),
        );
    }
    Ok(findings)
}

/// The nearest directory upwards that is there.
fn nearest(path: &std::path::Path) -> PathBuf {
    let is_there = |path: &&std::path::Path| disk::lstat(path).is_ok_and(|found| found.is_some());
    path.ancestors().find(is_there).unwrap_or(path).to_owned()
}

/// Names that differ in case are two names here, as they are elsewhere.
pub(super) fn file_system(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let Some((workspace, _)) = patient.project.as_ref().filter(|(workspace, _)| workspace.exists) else {
        return Ok(Vec::new());
    };
    let path = workspace.manifest_path();
    let other = path.with_file_name("SKILLPM.TOML");
    let same = disk::identity(&path)?.is_some_and(|this| disk::identity(&other).ok().flatten() == Some(this));
    Ok(same
        .then(|| {
            Finding::new(Health::Note, "this file system takes names that differ in case only for one")
                .note("packages with two such names are refused everywhere, so nothing is lost by it")
        })
        .into_iter()
        .collect())
}

/// `git` is there, for who publishes.
pub(super) fn git(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    if find(patient, "git").is_some() {
        return Ok(Vec::new());
    }
    Ok(vec![
        Finding::new(Health::Note, "there is no `git` on the path")
            .note(
                "reading repositories works without it; `file:///` repositories and `publish` to a git registry do not",
            )
            .help("install git, if you publish"),
    ])
}

/// `ssh` is there, where something comes over it.
pub(super) fn ssh(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let variable = |name: &str| (patient.context.variable)(name).filter(|text| !text.is_empty());
    if find(patient, "ssh").is_some() || variable("GIT_SSH_COMMAND").or_else(|| variable("GIT_SSH")).is_some() {
        return Ok(Vec::new());
    }
    let locked = patient.lockfile.iter().flat_map(Lockfile::packages);
    let mut users: Vec<String> = locked
        .filter(|locked| match &locked.source {
            SourceId::Git { url, .. } => url.scheme() == "ssh",
            SourceId::Registry(index) => index.starts_with("git+ssh"),
            _ => false,
        })
        .map(|locked| format!("`{}` in `{FILE}`", locked.install_name()))
        .collect();
    users.extend(
        patient
            .context
            .config
            .registries()
            .into_iter()
            .filter(|(_, url)| url.contains("ssh://"))
            .map(|(url, _)| format!("registry `{url}`")),
    );
    let Some(first) = users.first() else {
        return Ok(vec![Finding::new(Health::Note, "there is no `ssh` on the path; nothing here comes over it")]);
    };
    Ok(vec![
        Finding::new(Health::Error, format!("there is no `ssh` on the path, and {first} comes over it"))
            .help("install an ssh client, or name one in `GIT_SSH_COMMAND`"),
    ])
}

fn find(patient: &Patient<'_>, program: &str) -> Option<PathBuf> {
    let path = (patient.context.variable)("PATH")?;
    let places = path.split(':').filter(|dir| !dir.is_empty()).map(|dir| PathBuf::from(dir).join(program));
    places
        .into_iter()
        .find(|place| disk::lstat(&disk::real_path(place)).ok().flatten().is_some_and(|meta| meta.is_file()))
}

/// The certificates that are named can be read.
pub(super) fn certificates(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let setting = patient.context.config.string("net.ca-file").map(|path| patient.context.expand(&path));
    let variable = (patient.context.variable)("SSL_CERT_FILE").filter(|path| !path.is_empty()).map(PathBuf::from);
    let mut findings = Vec::new();
    for (place, said) in [(setting, "`net.ca-file`"), (variable, "`SSL_CERT_FILE`")] {
        let Some(place) = place else { continue };
        if let Err(error) = http::check_authorities(&place) {
            let finding = Finding::of_error("certificates", &error).note(format!("{said} names it"));
            findings.push(finding.help("name a PEM file with the certificates to trust, or unset it"));
        }
    }
    Ok(findings)
}

/// Every registry answers; asked only where that is wanted.
pub(super) fn registries(patient: &Patient<'_>) -> Result<Vec<Finding>> {
    let context = patient.context;
    if !patient.options.online || patient.settings.is_some() {
        return Ok(vec![Finding::new(Health::Ok, "not asked; `--online` does")]);
    }
    if context.config.switch("net.offline") {
        let finding = Finding::new(Health::Warning, "the network is off, so no registry was asked");
        return Ok(vec![finding.help("`skillpm config list` shows where `net.offline` is set")]);
    }
    let tools = context.tools()?;
    let mut findings = Vec::new();
    for name in context.config.registry_names() {
        let url = context.config.registry(Some(&name))?;
        let place = tools.mirrors.get(&url).unwrap_or(&url);
        if let Err(error) = Index::open(place, tools.for_index(context.reporter)) {
            findings.push(Finding::of_error("registries", &error).note(format!("it is the registry `{name}`")));
        }
    }
    Ok(findings)
}
