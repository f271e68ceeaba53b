//! `verify`: compares every installed file with the lockfile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::patch_files::{PatchFiles, default_path};
use super::withdrawn::{self, RevokedPackage};
use super::{CommandContext, fetch, targets};
use skillpm_core::error::Result;
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest::LinkMode;
use skillpm_core::package::{Checksum, FileChange, RelPath, SkillName, TreeDiff};
use skillpm_core::provenance::KeyFingerprint;
use skillpm_io::{disk, run_parallel};
use skillpm_merge::patch::diff_trees;
use skillpm_registry::store::Store;
use skillpm_registry::workspace::WorkspaceKind;

/// The difference of an installed skill from the lockfile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillFault {
    /// It is not installed.
    Missing,
    /// Its files differ; which ones, if the store still has the locked tree.
    Differs(Option<TreeDiff>),
    /// It cannot be read as a package, with the reason.
    Unreadable(String),
}

/// An installed skill that differs from the lockfile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillDeviation {
    /// Its directory, relative to the project.
    pub place: PathBuf,
    /// The difference.
    pub fault: SkillFault,
}

/// An installed skill with saved edits, as the lockfile has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedSkill {
    /// The skill.
    pub name: SkillName,
    /// The version or commit that the edits were made to.
    pub revision: String,
    /// The patch file with the edits.
    pub path: RelPath,
    /// Whether the patch file is the locked one.
    pub is_locked: bool,
    /// The edits; empty if the patch file or the base is missing.
    pub changes: Vec<FileChange>,
}

/// The result of [`verify`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifyReport {
    /// The number of checked skills.
    pub checked: usize,
    /// Skills that differ from the lockfile, by directory.
    pub deviations: Vec<SkillDeviation>,
    /// Skills with saved edits, by name.
    pub patched: Vec<PatchedSkill>,
    /// Packages that their registries have revoked, according to the cached indexes.
    pub revoked: Vec<RevokedPackage>,
    /// Packages whose signature was verified when they were locked, by name, each with the key.
    pub signed: Vec<(SkillName, KeyFingerprint)>,
}

/// Reads every installed file of a project and compares it with the lockfile.
///
/// # Errors
/// If there is no lockfile, or it or the manifest is invalid.
pub fn verify(context: &CommandContext<'_>, sort: WorkspaceKind) -> Result<VerifyReport> {
    let workspace = context.workspace(sort)?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = workspace.manifest(&registries)?;
    let lockfile = workspace.required_lockfile()?;

    let installation = Installation {
        context,
        root: &workspace.root,
        directories: targets::directories(context, &workspace, &manifest)?,
        link: manifest.install.link,
        patch_files: PatchFiles::read(&workspace.root, &manifest.edits)?,
    };
    let deviations = installation.find_deviations(&lockfile)?;
    let revoked = withdrawn::find_revoked(context, &workspace.root, lockfile.packages().iter())?;

    let mut verified = VerifyReport {
        checked: installation.directories.len() * lockfile.packages().len(),
        deviations,
        revoked,
        ..VerifyReport::default()
    };

    for package in lockfile.packages() {
        verified.signed.extend(
            package
                .signed_by
                .map(|key| (package.install_name().clone(), key)),
        );
        verified.patched.extend(explain_patch(
            context,
            package,
            &manifest.edits,
            &installation.patch_files,
        )?);
    }
    Ok(verified)
}

/// The targets of a project, and how skills are in them.
struct Installation<'a> {
    context: &'a CommandContext<'a>,
    root: &'a Path,
    /// The main directory first.
    directories: Vec<PathBuf>,
    link: LinkMode,
    patch_files: PatchFiles,
}

impl Installation<'_> {
    /// Compares every package in every target with the lockfile; the result is sorted by place.
    fn find_deviations(&self, lockfile: &Lockfile) -> Result<Vec<SkillDeviation>> {
        let places: Vec<(&PathBuf, &LockedPackage)> = self
            .directories
            .iter()
            .flat_map(|dir| lockfile.packages().iter().map(move |locked| (dir, locked)))
            .collect();
        let faults = run_parallel(2, &places, |(dir, locked)| self.check_place(dir, locked));

        let mut deviations = Vec::new();
        for ((dir, locked), fault) in places.into_iter().zip(faults) {
            if let Some(fault) = fault? {
                deviations.push(SkillDeviation {
                    place: dir.join(locked.install_name().as_str()),
                    fault,
                });
            }
        }
        deviations.sort_by(|a, b| a.place.cmp(&b.place));
        Ok(deviations)
    }

    fn check_place(&self, dir: &Path, locked: &LockedPackage) -> Result<Option<SkillFault>> {
        let name = locked.install_name();
        let path = self.root.join(dir).join(name.as_str());

        // With `link = "symlink"` further targets are links, without files of their own.
        let main = &self.directories[0];
        if self.link == LinkMode::Symlink && dir != main {
            return check_link(&path, &targets::link_target(main, dir, name));
        }
        check_skill(self.context, &path, locked, &self.patch_files)
    }
}

fn check_link(place: &Path, target: &Path) -> Result<Option<SkillFault>> {
    Ok(match disk::lstat(place)? {
        None => Some(SkillFault::Missing),
        Some(meta) if meta.is_symlink() && disk::read_link(place)? == target => {
            // `lstat` on `.` follows the link: it fails for a broken one.
            let broken_link =
                || SkillFault::Unreadable(format!("broken link to `{}`", target.display()));
            matches!(disk::lstat(&place.join(".")), Ok(None)).then(broken_link)
        }
        Some(_) => Some(SkillFault::Unreadable(format!(
            "not a link to `{}`, which the manifest requires",
            target.display()
        ))),
    })
}

fn check_skill(
    context: &CommandContext<'_>,
    place: &Path,
    locked: &LockedPackage,
    patch_files: &PatchFiles,
) -> Result<Option<SkillFault>> {
    match disk::lstat(place)? {
        None => return Ok(Some(SkillFault::Missing)),
        // Not followed: a link is no copy of the files, wherever it leads.
        Some(meta) if !meta.is_dir() => {
            return Ok(Some(SkillFault::Unreadable("not a directory".into())));
        }
        Some(_) => {}
    }

    let found = match disk::read_tree(place) {
        Ok(found) => found,
        // One skill that cannot be read must not hide the state of the others.
        Err(error) => return Ok(Some(SkillFault::Unreadable(error.in_one_line()))),
    };

    if Checksum::from_tree(&found) == locked.checksum {
        return Ok(None);
    }
    // A missing patch file is reported by `explain_patch`.
    let installed = patch_files
        .installed_from_store(locked, &open_store(context)?, context.reporter)
        .ok()
        .flatten();

    Ok(Some(SkillFault::Differs(
        installed.map(|tree| tree.diff(&found)),
    )))
}

/// The saved edits of a package; `None` if it has none, and none are locked.
fn explain_patch(
    context: &CommandContext<'_>,
    package: &LockedPackage,
    edits: &BTreeMap<SkillName, RelPath>,
    patch_files: &PatchFiles,
) -> Result<Option<PatchedSkill>> {
    let name = package.install_name();
    let file = patch_files.get(name);

    // With only one of the two, the report shows that they differ.
    if package.patch.is_none() && file.is_none() {
        return Ok(None);
    }

    let path = edits
        .get(name)
        .cloned()
        .unwrap_or_else(|| default_path(name));
    let is_locked = file.map(|file| file.digest) == package.patch;
    // From the store only: `verify` makes no request.
    let plain = open_store(context)?.get(&package.upstream_checksum(), context.reporter)?;
    // Only for the locked patch file: another one says nothing about the installed files.
    let changes = match plain
        .filter(|_| is_locked)
        .map(|tree| fetch::as_installed(&tree, name))
    {
        Some(Ok(plain)) => diff_trees(
            &plain,
            &file.map_or(Ok(plain.clone()), |file| file.apply(&plain))?,
        ),
        _ => Vec::new(),
    };

    Ok(Some(PatchedSkill {
        name: name.clone(),
        revision: package.revision(),
        path,
        is_locked,
        changes,
    }))
}

fn open_store(context: &CommandContext<'_>) -> Result<Store> {
    Store::open(
        &context.dirs.skillpm_home,
        context.lock_timeout(),
        context.reporter,
    )
}
