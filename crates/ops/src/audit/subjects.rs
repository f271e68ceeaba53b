//! Finds the skills to audit, from names and paths.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{AuditOptions, AuditSubject};
use crate::fetch::fetch_locked;
use crate::lint::{untrusted_skill, untrusted_skills_below};
use crate::{CommandContext, targets};
use skillpm_core::error::{Error, Result, nearest_name};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest::Manifest;
use skillpm_core::package::{Tree, slashed};
use skillpm_io::{archive, disk};
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// The project; `None` if there is none and skills or paths are named.
pub(super) fn find_workspace(
    context: &CommandContext<'_>,
    options: &AuditOptions,
) -> Result<Option<Workspace>> {
    match options.sort {
        // A path or an archive can be audited outside of a project.
        WorkspaceKind::Project if !options.subjects.is_empty() => context.project(),
        sort => context.workspace(sort).map(Some),
    }
}

/// The skills to audit: the named ones, or all of the project.
pub(super) fn find_subjects(
    context: &CommandContext<'_>,
    options: &AuditOptions,
    workspace: Option<&Workspace>,
    lockfile: &Lockfile,
) -> Result<Vec<AuditSubject>> {
    let all = workspace.map_or_else(
        || Ok(Vec::new()),
        |workspace| find_in_project(context, workspace, lockfile),
    )?;
    if options.subjects.is_empty() {
        return Ok(all);
    }

    let mut found: BTreeMap<String, AuditSubject> = BTreeMap::new();
    let is_named = |subject: &AuditSubject| {
        options
            .subjects
            .iter()
            .any(|name| subject.names.contains(name))
    };
    let known: BTreeSet<String> = all
        .iter()
        .flat_map(|subject| subject.names.clone())
        .collect();

    for subject in all.into_iter().filter(is_named) {
        found.insert(subject.skill.path.clone(), subject);
    }

    // Everything that is not a known name is a path.
    for name in options
        .subjects
        .iter()
        .filter(|name| !known.contains(*name))
    {
        for subject in find_under(&context.dirs.cwd, name, &known)? {
            found.insert(subject.skill.path.clone(), subject);
        }
    }

    Ok(found.into_values().collect())
}

/// The skills in a directory or an archive.
fn find_under(cwd: &Path, name: &str, known: &BTreeSet<String>) -> Result<Vec<AuditSubject>> {
    let path = cwd.join(name);
    let Some(meta) = disk::lstat(&disk::real_path(&path))? else {
        let error = Error::usage(format!("skill or path `{}` not found", name.escape_debug()));
        return Err(match nearest_name(name, known.iter().map(String::as_str)) {
            Some(near) => error.help(format!("did you mean `skillpm audit {near}`?")),
            None => {
                error.help("pass an installed skill, a directory or an archive; `skillpm list` shows the installed skills")
            }
        });
    };

    // `.` is left out of the paths of findings.
    let shown = name.trim_end_matches('/');
    let skills = if meta.is_dir() {
        untrusted_skills_below(if shown == "." { "" } else { shown }, &path)?
    } else {
        // An archive is unpacked in memory: nothing of it is written to disk.
        let bytes = disk::read_up_to(&path, archive::ARCHIVE_MAX)?.unwrap_or_default();
        let unpacked = archive::ArchiveFormat::detect(name, &bytes)
            .and_then(|kind| archive::unpack(&bytes, kind));
        let (tree, top) = unpacked.and_then(archive::strip_top)?;
        vec![untrusted_skill(shown, &top.unwrap_or_default(), &tree)]
    };

    Ok(skills
        .into_iter()
        .map(|skill| AuditSubject {
            names: vec![skill.directory.clone()],
            skill,
        })
        .collect())
}

/// All skills that a project gives to agents: every directory in its targets, installed by skillpm
/// or not, and the locked packages that are not installed as locked.
fn find_in_project(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    lockfile: &Lockfile,
) -> Result<Vec<AuditSubject>> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = workspace.manifest(&registries)?;

    let mut search = TargetSearch {
        context,
        workspace,
        lockfile,
        subjects: Vec::new(),
        seen: BTreeSet::new(),
        as_locked: BTreeSet::new(),
    };
    for dir in targets::directories(context, workspace, &manifest)? {
        search.add_target(&dir)?;
    }

    let TargetSearch {
        mut subjects,
        as_locked,
        ..
    } = search;

    // An edited copy was checked above; the locked files are checked as they are in the store.
    let missing: Vec<&LockedPackage> = lockfile
        .packages()
        .iter()
        .filter(|locked| !as_locked.contains(locked.install_name().as_str()))
        .collect();
    // With everything installed, no store is opened and no network is needed.
    if !missing.is_empty() {
        subjects.extend(fetch_subjects(context, workspace, &manifest, &missing)?);
    }

    Ok(subjects)
}

/// The skills found in the targets of a project.
struct TargetSearch<'a> {
    context: &'a CommandContext<'a>,
    workspace: &'a Workspace,
    lockfile: &'a Lockfile,
    subjects: Vec<AuditSubject>,
    /// The real paths that were searched.
    seen: BTreeSet<PathBuf>,
    /// The install names of packages that are installed as locked.
    as_locked: BTreeSet<String>,
}

impl TargetSearch<'_> {
    /// Adds the skills in one target.
    fn add_target(&mut self, dir: &Path) -> Result<()> {
        let target = self.workspace.root.join(dir);

        // A target that does not exist yet has no skills.
        for name in disk::list_names(&target).unwrap_or_default() {
            let path = disk::real_path(&target.join(&name));
            // Several targets may link to one directory, which is checked once.
            if name.starts_with('.') || !self.seen.insert(path.clone()) || !path.is_dir() {
                continue;
            }
            self.add_directory(&target.join(&name), &path, name)?;
        }
        Ok(())
    }

    /// Adds the skills in a directory of a target, and notes whether it is as locked.
    fn add_directory(&mut self, place: &Path, real: &Path, name: String) -> Result<()> {
        let locked = self
            .lockfile
            .packages()
            .iter()
            .find(|one| one.install_name().as_str() == name);

        let shown = display_path(&self.context.dirs.cwd, place);
        let names = locked.map_or_else(|| vec![name.clone()], package_names);

        // Installed as locked, byte for byte: the copy in the store is not checked again.
        if let Some(locked) = locked
            && matches!(disk::tree_checksum(real), Ok(Some(checksum)) if checksum == locked.checksum)
        {
            self.as_locked.insert(name);
        }

        let skills = untrusted_skills_below(&shown, real)?;
        self.subjects
            .extend(skills.into_iter().map(|skill| AuditSubject {
                skill,
                names: names.clone(),
            }));
        Ok(())
    }
}

/// Reads the files of locked packages from the store, or fetches them.
fn fetch_subjects(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    manifest: &Manifest,
    missing: &[&LockedPackage],
) -> Result<Vec<AuditSubject>> {
    let trees = fetch_locked(context, workspace, manifest, missing)?;
    let subjects = missing.iter().filter_map(|locked| {
        let tree = trees.get(locked.install_name())?;
        Some(AuditSubject::from_locked(locked, tree))
    });
    Ok(subjects.collect())
}

impl AuditSubject {
    fn from_locked(locked: &LockedPackage, tree: &Tree) -> Self {
        let name = locked.install_name();
        // Not a path on disk: it says that the files of the lockfile have the finding.
        let shown = format!("skillpm.lock/{name}@{}", locked.revision());
        AuditSubject {
            skill: untrusted_skill(&shown, name.as_str(), tree),
            names: package_names(locked),
        }
    }
}

/// The path of a skill as messages show it: relative to `cwd` if it is below.
fn display_path(cwd: &Path, path: &Path) -> String {
    slashed(path.strip_prefix(cwd).unwrap_or(path))
}

/// The names of a locked package: its own, and the install name.
pub(super) fn package_names(locked: &LockedPackage) -> Vec<String> {
    vec![locked.name.to_string(), locked.install_name().to_string()]
}
