//! Checks of the machine: clock, disks, programs, certificates and registries.

#![expect(clippy::unnecessary_wraps, reason = "all checks have one form")]

use std::path::PathBuf;

use super::{DoctorContext, DoctorFinding, HealthLevel};
use skillpm_core::error::Result;
use skillpm_core::lockfile::{FILE, Lockfile};
use skillpm_core::package::SourceId;
use skillpm_io::{disk, http};
use skillpm_registry::index::Index;

/// 2026-01-01, in seconds since 1970: skillpm is not older.
const FIRST_DAY: u64 = 1_767_225_600;
/// Free bytes below which the next install may fail.
const LOW_SPACE: u64 = 200 << 20;
/// Free bytes below which the next install will fail.
const NO_SPACE: u64 = 4 << 20;

/// The clock is not before the first release.
pub(super) fn clock(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    if doctor.context.now >= FIRST_DAY {
        return Ok(Vec::new());
    }
    Ok(vec![
        DoctorFinding::new(HealthLevel::Error, "the system clock is before 2026")
            .note(
                "server certificates look as if they are not valid yet, and release ages are wrong",
            )
            .help("set the clock; `timedatectl` shows it"),
    ])
}

/// The disks have space for the next install.
pub(super) fn disk_space(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    // The home may not exist yet: the disk that it will be on counts.
    let mut dirs = vec![nearest_existing(&doctor.context.dirs.skillpm_home)];
    if let Some((workspace, _)) = &doctor.project {
        let root = workspace.root.clone();
        // Two directories on one file system are one finding.
        if !disk::is_same_mount(&root, &dirs[0]) {
            dirs.push(root);
        }
    }

    let mut findings = Vec::new();
    for dir in dirs {
        let free = disk::free_space(&dir)?.filter(|free| *free < LOW_SPACE);
        let Some(free) = free else { continue };
        let health = if free < NO_SPACE {
            HealthLevel::Error
        } else {
            HealthLevel::Warning
        };

        findings.push(
            DoctorFinding::new(
                health,
                format!(
                    "low disk space: {} MiB free on the file system of `{}`",
                    free >> 20,
                    dir.display()
                ),
            )
            .help("`skillpm cache prune` frees space"),
        );
    }
    Ok(findings)
}

/// The path itself or its nearest existing parent.
fn nearest_existing(path: &std::path::Path) -> PathBuf {
    let exists = |path: &&std::path::Path| disk::lstat(path).is_ok_and(|found| found.is_some());
    path.ancestors().find(exists).unwrap_or(path).to_owned()
}

/// The file system is case-sensitive.
pub(super) fn file_system(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let Some((workspace, _)) = doctor
        .project
        .as_ref()
        .filter(|(workspace, _)| workspace.exists)
    else {
        return Ok(Vec::new());
    };

    // The manifest exists, so its name in capital letters shows whether case matters.
    let path = workspace.manifest_path();
    let other = path.with_file_name("SKILLPM.TOML");
    let same = disk::file_identity(&path)?
        .is_some_and(|this| disk::file_identity(&other).ok().flatten() == Some(this));

    Ok(same
        .then(|| {
            DoctorFinding::new(
                HealthLevel::Note,
                "the file system is case-insensitive: names that differ only in case are one file",
            )
            .note("packages with two such names are refused on every machine, so no file is lost")
        })
        .into_iter()
        .collect())
}

/// `git` is installed, for publishing.
pub(super) fn git(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    if find_program(doctor, "git").is_some() {
        return Ok(Vec::new());
    }
    Ok(vec![
        DoctorFinding::new(HealthLevel::Note, "`git` not found in `PATH`")
            .note(
                "reading repositories works without it; `file:///` repositories and `publish` to a git registry do not",
            )
            .help("install git if you publish"),
    ])
}

/// `ssh` is installed, if a source or registry requires it.
pub(super) fn ssh(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let variable = |name: &str| (doctor.context.env_var)(name).filter(|text| !text.is_empty());

    // As with git, these variables name another program.
    if find_program(doctor, "ssh").is_some()
        || variable("GIT_SSH_COMMAND")
            .or_else(|| variable("GIT_SSH"))
            .is_some()
    {
        return Ok(Vec::new());
    }

    let users = find_ssh_users(doctor);
    // Without a user of it, a missing program is worth knowing, and no fault.
    let Some(first) = users.first() else {
        return Ok(vec![DoctorFinding::new(
            HealthLevel::Note,
            "`ssh` not found in `PATH`; no source here requires it",
        )]);
    };
    Ok(vec![
        DoctorFinding::new(
            HealthLevel::Error,
            format!("`ssh` not found in `PATH`, and {first} requires it"),
        )
        .help("install an ssh client, or name one in `GIT_SSH_COMMAND`"),
    ])
}

/// The locked packages and registries that are read over ssh, as messages show them.
fn find_ssh_users(doctor: &DoctorContext<'_>) -> Vec<String> {
    let locked = doctor.lockfile.iter().flat_map(Lockfile::packages);
    let packages = locked
        .filter(|locked| match &locked.source {
            SourceId::Git { url, .. } => url.scheme() == "ssh",
            SourceId::Registry(index) => index.starts_with("git+ssh"),
            _ => false,
        })
        .map(|locked| format!("`{}` in `{FILE}`", locked.install_name()));

    let registries = doctor.context.config.registries().into_iter();
    let registries = registries
        .filter(|(_, url)| url.contains("ssh://"))
        .map(|(name, _)| format!("registry `{name}`"));
    packages.chain(registries).collect()
}

fn find_program(doctor: &DoctorContext<'_>, program: &str) -> Option<PathBuf> {
    let path = (doctor.context.env_var)("PATH")?;
    let mut candidates = path
        .split(':')
        // An empty entry means the current directory, which may be a cloned project.
        .filter(|dir| !dir.is_empty())
        .map(|dir| PathBuf::from(dir).join(program));
    candidates.find(|candidate| {
        // Many systems install programs as links.
        disk::lstat(&disk::real_path(candidate))
            .ok()
            .flatten()
            .is_some_and(|meta| meta.is_file())
    })
}

/// The configured certificate files can be read.
pub(super) fn certificates(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let setting = doctor
        .context
        .config
        .string("net.ca-file")
        .map(|path| doctor.context.expand_path(&path));
    let variable = (doctor.context.env_var)("SSL_CERT_FILE")
        .filter(|path| !path.is_empty())
        .map(PathBuf::from);

    let mut findings = Vec::new();
    for (path, key) in [(setting, "`net.ca-file`"), (variable, "`SSL_CERT_FILE`")] {
        let Some(path) = path else { continue };
        // Read as requests read them, so that the error is the one that they would have.
        if let Err(error) = http::check_authorities(&path) {
            let finding = DoctorFinding::from_error("certificates", &error)
                .note(format!("it is set by {key}"));
            findings.push(
                finding.help("set it to a PEM file with the certificates to trust, or unset it"),
            );
        }
    }
    Ok(findings)
}

/// Every registry can be reached; checked only with `--online`.
pub(super) fn registries(doctor: &DoctorContext<'_>) -> Result<Vec<DoctorFinding>> {
    let context = doctor.context;
    // With default settings, the registries would not be those of the user.
    if !doctor.options.online || doctor.settings_error.is_some() {
        return Ok(vec![DoctorFinding::new(
            HealthLevel::Ok,
            "not checked; `--online` checks them",
        )]);
    }
    if context.config.switch("net.offline") {
        let finding = DoctorFinding::new(
            HealthLevel::Warning,
            "offline mode is on, so no registry was checked",
        );
        return Ok(vec![
            finding.help("`skillpm config list` shows where `net.offline` is set"),
        ]);
    }

    let tools = context.tools()?;
    let mut findings = Vec::new();
    for name in context.config.registry_names() {
        let url = context.config.registry(Some(&name))?;
        // With a mirror, commands use the mirror instead of the registry.
        let mirror = tools.mirrors.get(&url).unwrap_or(&url);
        if let Err(error) = Index::open(mirror, tools.for_index(context.reporter)) {
            findings.push(
                DoctorFinding::from_error("registries", &error)
                    .note(format!("in registry `{name}`")),
            );
        }
    }
    Ok(findings)
}
