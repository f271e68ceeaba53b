//! `diff`: shows the user's edits of installed skills, or the changes of another version.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::fetch::PackageFetcher;
use super::patch_files::PatchFiles;
use super::sync::{
    HeldSkill, ProjectLock, SyncRequest, convert_for_target, lock_project_read_only, preview,
};
use super::update::{self, find_locked};
use super::{CommandContext, fetch, targets};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest::Manifest;
use skillpm_core::package::{Checksum, FileChange, RelPath, SkillName, Tree};
use skillpm_core::report::ProgressEvent;
use skillpm_io::disk;
use skillpm_io::local_files::InstalledReader;
use skillpm_merge::patch::diff_trees;
use skillpm_registry::sources::PackageSources;
use skillpm_registry::store::Store;
use skillpm_registry::workspace::WorkspaceKind;

/// Options of [`diff`].
#[derive(Debug, Clone)]
pub struct DiffOptions {
    /// Install names; empty for all.
    pub names: Vec<SkillName>,
    /// The version to compare with, for git the commit; `latest` for the newest, `compatible` for the newest that matches
    /// the manifest. `None` to compare with the files on disk.
    pub to: Option<String>,
    /// Which project: the one around the current directory, or the user's own skills.
    pub sort: WorkspaceKind,
}

/// The differences of one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillDiff {
    /// The install name.
    pub name: SkillName,
    /// Its directory, relative to the project.
    pub place: PathBuf,
    /// The old side: a version, or `installed`.
    pub from: String,
    /// The new side: a version, or `edited`.
    pub to: String,
    /// The change of each file that differs.
    pub changes: Vec<FileChange>,
}

/// Compares the files of installed skills with their locked version, or that with another version.
///
/// Edits that several copies of a skill have are returned once, and those that differ each with the directory of its copy.
///
/// # Errors
/// If a name is not locked, or a version to compare is not found or cannot be fetched.
pub fn diff(context: &CommandContext<'_>, options: &DiffOptions) -> Result<Vec<SkillDiff>> {
    let lock = lock_project_read_only(context, options.sort)?;
    let lockfile = lock.workspace.required_lockfile()?;

    // An unknown name fails before anything is fetched.
    options
        .names
        .iter()
        .try_for_each(|name| find_locked(&lockfile, name).map(|_| ()))?;

    let registries = |name: Option<&str>| context.config.registry(name);
    let tools = context.tools()?;
    let sources = PackageSources::new(&tools, &lock.workspace.root, &registries, context.reporter);
    let store = context.store()?;
    let project = LockedProject {
        context,
        lock: &lock,
        sources: &sources,
        store: &store,
    };

    match &options.to {
        Some(to) => project.diff_version(&options.names, &lockfile, to),
        None => project.diff_disk(&options.names, &lockfile),
    }
}

/// The patch files with saved edits of these skills, or of all: edits that [`diff`] takes as a part of the package.
///
/// # Errors
/// If there is no project, or its manifest is invalid.
pub fn saved_edits(
    context: &CommandContext<'_>,
    options: &DiffOptions,
) -> Result<BTreeMap<SkillName, RelPath>> {
    let workspace = context.workspace(options.sort)?;
    let mut edits = workspace
        .manifest(&|name| context.config.registry(name))?
        .edits;
    edits.retain(|name, _| options.names.is_empty() || options.names.contains(name));
    Ok(edits)
}

/// A locked project, and where the files of its packages are.
struct LockedProject<'a, 's> {
    context: &'a CommandContext<'a>,
    lock: &'a ProjectLock,
    sources: &'a PackageSources<'s>,
    store: &'a Store,
}

impl LockedProject<'_, '_> {
    /// Compares the locked version with the files on disk.
    fn diff_disk(&self, names: &[SkillName], lockfile: &Lockfile) -> Result<Vec<SkillDiff>> {
        let manifest = self.read_manifest()?;
        let directories =
            targets::directories_with_readers(self.context, &self.lock.workspace, &manifest)?;
        let packages: Vec<&LockedPackage> = lockfile
            .packages()
            .iter()
            .filter(|package| names.is_empty() || names.contains(package.install_name()))
            .collect();
        let bases = self.fetch_locked(&packages, &manifest)?;

        let mut compared = Vec::new();
        for package in packages {
            let base = &bases[package.install_name()];
            for directory in &directories {
                if directory.hides(package.install_name()) {
                    continue;
                }
                let is_main = directory.path == directories[0].path;
                let converted = convert_for_target(directory, package, base)?;
                let copy = directory.directory_of(package.install_name());
                let place = directory.path.join(copy.as_str());
                // The other targets may have links to the main copy, and none yet where an agent was added.
                if !is_main && converted.is_none() && !self.is_directory(&place)? {
                    continue;
                }

                let base = converted.as_ref().unwrap_or(base);
                let edits = match self.diff_copy(package, place, base) {
                    // One skill that cannot be read hides no edits of the others.
                    Err(error) if names.is_empty() && error.kind() == FailureKind::Integrity => {
                        let message = error.in_one_line();
                        self.context
                            .reporter
                            .report(ProgressEvent::warning(message));
                        continue;
                    }
                    edits => edits?,
                };
                compared.extend(edits.filter(|edits| !is_shown(&compared, edits)));
            }
        }
        Ok(compared)
    }

    fn is_directory(&self, place: &Path) -> Result<bool> {
        let meta = disk::lstat(&self.lock.workspace.root.join(place))?;
        Ok(meta.is_some_and(|meta| meta.is_dir()))
    }

    /// The edits of one copy, with what was installed there; `None` without edits.
    fn diff_copy(
        &self,
        package: &LockedPackage,
        place: PathBuf,
        base: &Tree,
    ) -> Result<Option<SkillDiff>> {
        let path = self.lock.workspace.root.join(&place);
        if disk::lstat(&path)?.is_none() {
            return Err(Error::negative(format!("`{}` not found", path.display()))
                .help("`skillpm install` installs it"));
        }
        let stored = |_: &Checksum| Some(base.clone());
        let reader = InstalledReader::new(&self.lock.workspace.root, &stored);
        let installed = reader.read(&path, Some(&Checksum::from_tree(base)))?.tree;
        let changes = diff_trees(base, &installed);
        // A skill without edits has nothing to show.
        Ok((!changes.is_empty()).then(|| SkillDiff {
            changes,
            name: package.install_name().clone(),
            place,
            from: "installed".into(),
            to: "edited".into(),
        }))
    }

    /// Compares the locked version with another one, as `update`, `update --latest` or `update --precise` would install it.
    fn diff_version(
        &self,
        names: &[SkillName],
        lockfile: &Lockfile,
        to: &str,
    ) -> Result<Vec<SkillDiff>> {
        let mut request = SyncRequest {
            keep: update::pin_policy(names),
            ..SyncRequest::default()
        };
        if !matches!(to, "latest" | "compatible") {
            update::pin_precise(&mut request, lockfile, self.sources, names, to)?;
            update::allow_precise(self.context, self.lock, &mut request, &names[0])?;
        }

        let (request, changes) = update::find_changes(
            self.context,
            self.lock,
            lockfile,
            self.sources,
            (to == "latest").then_some(names),
            &request,
        )?;
        for HeldSkill {
            name,
            revision,
            reason,
        } in changes.held
        {
            let message = format!("`{name}` has no {revision}: it {reason}");
            self.context
                .reporter
                .report(ProgressEvent::warning(message));
        }

        let mut compared = self.diff_request(&request)?;
        // The new version may change dependencies, too, which were not requested.
        compared.retain(|compared| names.is_empty() || names.contains(&compared.name));
        Ok(compared)
    }

    /// The changes that a request would make; computed in memory, nothing is installed.
    fn diff_request(&self, request: &SyncRequest) -> Result<Vec<SkillDiff>> {
        let manifest = self.read_manifest()?;
        let main = self.main_directory(&manifest)?;
        let lockfile = self.lock.workspace.lockfile()?.unwrap_or_default();

        // Computed in memory: nothing is installed or locked.
        let others = preview(self.context, self.lock, self.sources, self.store, request)?;
        // New skills have no old side to compare with.
        let packages: Vec<&LockedPackage> = others
            .keys()
            .filter_map(|name| lockfile.installed_as(name))
            .collect();
        let bases = self.fetch_locked(&packages, &manifest)?;

        let mut compared = Vec::with_capacity(packages.len());
        for package in packages {
            let name = package.install_name();
            let (other, tree) = &others[name];
            compared.push(SkillDiff {
                changes: diff_trees(&bases[name], tree),
                name: name.clone(),
                place: main.join(name.as_str()),
                from: package.revision(),
                to: other.revision(),
            });
        }
        Ok(compared)
    }

    fn read_manifest(&self) -> Result<Manifest> {
        self.lock
            .workspace
            .manifest(&|name| self.context.config.registry(name))
    }

    /// The directory that skills are compared in, relative to the project.
    fn main_directory(&self, manifest: &Manifest) -> Result<PathBuf> {
        // The main directory is the first; other targets have copies of its skills, or links to it.
        let mut directories = targets::directories(self.context, &self.lock.workspace, manifest)?;
        Ok(directories.swap_remove(0))
    }

    /// Reads the files of packages as they are locked, with the project's patch files.
    fn fetch_locked(
        &self,
        packages: &[&LockedPackage],
        manifest: &Manifest,
    ) -> Result<BTreeMap<SkillName, Tree>> {
        let patch_files = PatchFiles::read(&self.lock.workspace.root, &manifest.edits)?;
        let fetcher = PackageFetcher {
            store: self.store,
            sources: self.sources,
            patch_files: &patch_files,
            reporter: self.context.reporter,
        };
        fetch::fetch(packages, &mut BTreeMap::new(), fetcher)
    }
}

/// The changes that a request would make to installed skills, without the user's unsaved edits and
/// without new skills.
///
/// # Errors
/// As [`diff`].
pub(super) fn diff_request(
    context: &CommandContext<'_>,
    lock: &ProjectLock,
    sources: &PackageSources<'_>,
    store: &Store,
    request: &SyncRequest,
) -> Result<Vec<SkillDiff>> {
    let project = LockedProject {
        context,
        lock,
        sources,
        store,
    };
    project.diff_request(request)
}

/// Whether the same edits of another copy of the skill are among these.
fn is_shown(compared: &[SkillDiff], edits: &SkillDiff) -> bool {
    compared
        .iter()
        .any(|other| other.name == edits.name && other.changes == edits.changes)
}
