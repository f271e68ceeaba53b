//! Finds the skills to audit, from names and paths, and checks them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{AuditOptions, AuditSubject};
use crate::fetch::fetch_locked;
use crate::lint::{UntrustedSkill, find_untrusted_skills, untrusted_skill};
use crate::{CommandContext, targets};
use skillpm_core::error::{Error, Result, nearest_name};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::{Checksum, slashed};
use skillpm_io::local_files::InstalledReader;
use skillpm_io::{archive, disk, run_on_all_processors};
use skillpm_lint::SkillDir;
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

/// What to audit.
pub(super) struct SubjectSearch<'a> {
    pub context: &'a CommandContext<'a>,
    pub options: &'a AuditOptions,
    /// The project; `None` if there is none.
    pub workspace: Option<&'a Workspace>,
    pub lockfile: &'a Lockfile,
}

/// A check of a skill that may run in several threads.
type SkillCheck<'c, R> = &'c (dyn Fn(SkillDir) -> R + Sync);

impl SubjectSearch<'_> {
    /// Reads and checks the skills to audit: the named ones, or all of the project.
    ///
    /// Each is read, checked and dropped in one of as many threads as there are processors.
    ///
    /// # Errors
    /// If a named skill or path does not exist, or a skill cannot be read or fetched.
    pub(super) fn check_subjects<R: Send>(
        &self,
        check: SkillCheck<'_, R>,
    ) -> Result<Vec<(AuditSubject, R)>> {
        let installed = self.find_installed()?;
        let checked = self.check_project(&installed, check)?;
        if self.options.subjects.is_empty() {
            return Ok(checked);
        }

        // A skill may be named twice, and its path as well.
        let mut found: BTreeMap<String, (AuditSubject, R)> = BTreeMap::new();
        let mut add = |checked: Vec<(AuditSubject, R)>| {
            let by_path = |(subject, result): (AuditSubject, R)| {
                let path = subject.path.clone();
                (path, (subject, result))
            };
            found.extend(checked.into_iter().map(by_path));
        };
        add(checked);

        // Everything that is not a known name is a path.
        let installed = installed.into_iter().flat_map(|one| one.names);
        let locked = self.lockfile.packages().iter().flat_map(package_names);
        let known: BTreeSet<String> = installed.chain(locked).collect();
        for name in &self.options.subjects {
            if !known.contains(name) {
                add(check_path(&self.context.dirs.cwd, name, &known, check)?);
            }
        }

        Ok(found.into_values().collect())
    }

    /// Whether a skill is to be audited, by its names.
    fn is_wanted(&self, names: &[String]) -> bool {
        let wanted = &self.options.subjects;
        wanted.is_empty() || names.iter().any(|name| wanted.contains(name))
    }

    /// Every directory in the targets of the project, installed by skillpm or not.
    fn find_installed(&self) -> Result<Vec<InstalledDirectory<'_>>> {
        let Some(workspace) = self.workspace else {
            return Ok(Vec::new());
        };
        let registries = |name: Option<&str>| self.context.config.registry(name);
        let manifest = workspace.manifest(&registries)?;
        let by_name: BTreeMap<&str, &LockedPackage> = self
            .lockfile
            .packages()
            .iter()
            .map(|locked| (locked.install_name().as_str(), locked))
            .collect();

        let mut installed = Vec::new();
        let mut seen = BTreeSet::new();
        for dir in targets::directories(self.context, workspace, &manifest)? {
            let target = workspace.root.join(&dir);

            // A target that does not exist yet has no skills.
            for name in disk::list_names(&target).unwrap_or_default() {
                let path = disk::real_path(&target.join(&name));
                // Several targets may link to one directory, which is checked once.
                if name.starts_with('.') || !seen.insert(path.clone()) || !path.is_dir() {
                    continue;
                }
                let locked = by_name.get(name.as_str()).copied();
                installed.push(InstalledDirectory {
                    shown: display_path(&self.context.dirs.cwd, &target.join(&name)),
                    dir: path,
                    names: locked.map_or_else(|| vec![name], package_names),
                    locked,
                });
            }
        }
        Ok(installed)
    }

    /// Checks the wanted skills that the project gives to agents: those in its targets, and the locked packages that are
    /// not installed as locked.
    fn check_project<R: Send>(
        &self,
        installed: &[InstalledDirectory<'_>],
        check: SkillCheck<'_, R>,
    ) -> Result<Vec<(AuditSubject, R)>> {
        let Some(workspace) = self.workspace else {
            return Ok(Vec::new());
        };
        let wanted: Vec<&InstalledDirectory<'_>> = installed
            .iter()
            .filter(|one| self.is_wanted(&one.names))
            .collect();
        let stored = |checksum: &Checksum| {
            let store = self.context.store().ok()?;
            store.get(checksum, self.context.reporter).ok()?
        };
        let reader = InstalledReader::new(&workspace.root, &stored);
        let results = run_on_all_processors(&wanted, |one| one.check(reader, check));

        let mut checked = Vec::new();
        let mut as_locked = BTreeSet::new();
        for (one, result) in wanted.iter().zip(results) {
            let CheckedDirectory {
                is_as_locked,
                mut skills,
            } = result?;
            checked.append(&mut skills);
            if is_as_locked {
                as_locked.extend(one.locked.map(|locked| locked.install_name().as_str()));
            }
        }

        // An edited copy was checked above; the locked files are checked as they are in the store.
        let missing: Vec<&LockedPackage> = self
            .lockfile
            .packages()
            .iter()
            .filter(|locked| self.is_wanted(&package_names(locked)))
            .filter(|locked| !as_locked.contains(locked.install_name().as_str()))
            .collect();
        // With everything installed, no store is opened and no network is needed.
        if !missing.is_empty() {
            checked.append(&mut check_locked(self.context, workspace, &missing, check)?);
        }
        Ok(checked)
    }
}

/// A directory in a target.
struct InstalledDirectory<'a> {
    /// Its path as findings have it.
    shown: String,
    /// Its real path.
    dir: PathBuf,
    names: Vec<String>,
    /// The package that is locked under its name.
    locked: Option<&'a LockedPackage>,
}

/// What was found in an [`InstalledDirectory`].
struct CheckedDirectory<R> {
    /// Whether its files are those of the lockfile, byte for byte: the copy in the store is not checked again.
    is_as_locked: bool,
    skills: Vec<(AuditSubject, R)>,
}

impl InstalledDirectory<'_> {
    /// Checks the skills in it, in this thread.
    fn check<R>(
        &self,
        reader: InstalledReader<'_>,
        check: SkillCheck<'_, R>,
    ) -> Result<CheckedDirectory<R>> {
        let locked = self.locked.map(|locked| &locked.checksum);
        // What cannot be read as a package is checked as far as it can be, with all that is in it.
        let installed = reader.read(&self.dir, locked).unwrap_or_default();
        let is_as_locked = locked == Some(&Checksum::from_tree(&installed.tree));
        let left_out = match locked {
            Some(_) => &installed.local.entries[..],
            None => &[],
        };
        let found = find_untrusted_skills(&self.shown, &self.dir, 1, left_out)?;
        let skills = found
            .iter()
            .map(|skill| Ok(check_subject(skill.read()?, Some(&self.names), check)));
        Ok(CheckedDirectory {
            is_as_locked,
            skills: skills.collect::<Result<_>>()?,
        })
    }
}

/// Checks a skill, with the names of its package; `None` for the name of its directory.
fn check_subject<R>(
    skill: SkillDir,
    names: Option<&[String]>,
    check: SkillCheck<'_, R>,
) -> (AuditSubject, R) {
    let subject = AuditSubject {
        path: skill.path.clone(),
        directory: skill.directory.clone(),
        names: names.map_or_else(|| vec![skill.directory.clone()], <[String]>::to_vec),
    };
    (subject, check(skill))
}

/// Checks the skills in a directory or an archive.
fn check_path<R: Send>(
    cwd: &Path,
    name: &str,
    known: &BTreeSet<String>,
    check: SkillCheck<'_, R>,
) -> Result<Vec<(AuditSubject, R)>> {
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
    if meta.is_dir() {
        let found = find_untrusted_skills(if shown == "." { "" } else { shown }, &path, 0, &[])?;
        let checked = run_on_all_processors(&found, |skill: &UntrustedSkill| {
            Ok(check_subject(skill.read()?, None, check))
        });
        return checked.into_iter().collect();
    }

    // An archive is unpacked in memory: nothing of it is written to disk.
    let bytes = disk::read_up_to(&path, archive::ARCHIVE_MAX)?.unwrap_or_default();
    let unpacked =
        archive::ArchiveFormat::detect(name, &bytes).and_then(|kind| archive::unpack(&bytes, kind));
    let (tree, top) = unpacked.and_then(archive::strip_top)?;
    let skill = untrusted_skill(shown, &top.unwrap_or_default(), tree);
    Ok(vec![check_subject(skill, None, check)])
}

/// Checks the files of locked packages, from the store or fetched.
fn check_locked<R: Send>(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    missing: &[&LockedPackage],
    check: SkillCheck<'_, R>,
) -> Result<Vec<(AuditSubject, R)>> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = workspace.manifest(&registries)?;
    let trees = fetch_locked(context, workspace, &manifest, missing)?;

    let checked = run_on_all_processors(missing, |locked| {
        let name = locked.install_name();
        // Not a path on disk: it says that the files of the lockfile have the finding.
        let shown = format!("skillpm.lock/{name}@{}", locked.revision());
        let skill = untrusted_skill(&shown, name.as_str(), trees.get(name)?.clone());
        Some(check_subject(skill, Some(&package_names(locked)), check))
    });
    Ok(checked.into_iter().flatten().collect())
}

/// The path of a skill as messages show it: relative to `cwd` if it is below.
fn display_path(cwd: &Path, path: &Path) -> String {
    slashed(path.strip_prefix(cwd).unwrap_or(path))
}

/// The names of a locked package: its own, and the install name.
pub(super) fn package_names(locked: &LockedPackage) -> Vec<String> {
    vec![locked.name.to_string(), locked.install_name().to_string()]
}
