//! `patch`: saves edits of installed skills as patch files, which every later install and update
//! applies.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::CommandContext;
use super::fetch::{PackageFetcher, fetch_without_edits};
use super::patch_files::{PatchFiles, unresolved_conflicts};
use super::sync::{
    self, ProjectLock, SyncOptions, SyncReport, SyncRequest, convert_for_target, inspect_installed,
    lock_project, sync_with,
};
use super::targets::{self, TargetDirectory};
use super::update::find_locked;
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::manifest::Manifest;
use skillpm_core::package::{Checksum, SkillName, Tree};
use skillpm_io::disk;
use skillpm_io::local_files::InstalledReader;
use skillpm_registry::install::plan::OnDisk;
use skillpm_registry::install::state::ProjectState;
use skillpm_registry::sources::PackageSources;
use skillpm_registry::workspace::WorkspaceKind;

/// The skills to patch, and whether edits are saved or dropped.
#[derive(Debug, Clone)]
pub struct PatchOptions {
    /// Install names.
    pub names: Vec<SkillName>,
    /// Drops the saved edits: the skills are as upstream again.
    pub drop: bool,
    /// Which project.
    pub sort: WorkspaceKind,
    /// How to sync.
    pub sync: SyncOptions,
}

/// Saves the edits of installed skills, or drops the saved ones.
///
/// # Errors
/// If a skill is not locked, has no edits, or its edits cannot be saved; nothing is changed then.
pub fn patch(context: &CommandContext<'_>, options: &PatchOptions) -> Result<SyncReport> {
    let project = lock_project(context, options.sort, None)?;
    let lockfile = project.workspace.required_lockfile()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = project.workspace.manifest(&registries)?;

    let tools = context.tools()?;
    let sources = PackageSources::new(
        &tools,
        &project.workspace.root,
        &registries,
        context.reporter,
    );

    let locked_project = LockedProject {
        context,
        project: &project,
        manifest: &manifest,
    };
    let mut request = SyncRequest::default();
    for name in &options.names {
        let package = find_locked(&lockfile, name)?;
        // All skills are checked before the first change: one without edits stops the command.
        let text = if options.drop {
            refuse_without_edits(&manifest, package)?;
            None
        } else {
            Some(edits_as_patch(&locked_project, &sources, package)?)
        };
        request.edits.insert(name.clone(), text);
    }

    sync_with(context, &project, &sources, &request, options.sync)
}

fn refuse_without_edits(manifest: &Manifest, package: &LockedPackage) -> Result<()> {
    let name = package.install_name();
    if package.patch.is_some() || manifest.edits.contains_key(name) {
        return Ok(());
    }
    Err(Error::negative(format!("no patch file of `{name}` found"))
        .help(format!("to discard unsaved edits, run `skillpm restore {name}`, which moves them to `.skillpm/backup`")))
}

/// A project whose lock this process has, and its manifest.
struct LockedProject<'a> {
    context: &'a CommandContext<'a>,
    project: &'a ProjectLock,
    manifest: &'a Manifest,
}

/// The edits of a skill as the text of its patch file.
fn edits_as_patch(
    locked_project: &LockedProject<'_>,
    sources: &PackageSources<'_>,
    package: &LockedPackage,
) -> Result<String> {
    let LockedProject {
        context, project, ..
    } = locked_project;
    let (name, store) = (package.install_name(), context.store()?);

    // Without patch files: the difference is to the source, so that it has all edits.
    let files = PatchFiles::default();
    let fetcher = PackageFetcher {
        store: &store,
        sources,
        patch_files: &files,
        reporter: context.reporter,
    };
    let plain = fetch_without_edits(package, &mut BTreeMap::new(), fetcher)?;

    let stored = |checksum: &Checksum| store.get(checksum, context.reporter).ok()?;
    let installed = InstalledReader::new(&project.workspace.root, &stored);
    let path = find_edited_copy(locked_project, package, &plain, installed)?;
    let place = project.workspace.root.join(&path);
    if disk::lstat(&place)?.is_none() {
        return Err(
            Error::negative(format!("no installed copy of `{name}` found"))
                .note(format!("`{}` does not exist", path.display()))
                .help(format!(
                    "run `skillpm install`, or `skillpm enable {name}` if it is disabled"
                )),
        );
    }
    let found = installed.read(&place, Some(&package.checksum))?;
    let tree = found.tree;
    // Conflict markers in a patch file would be installed for everyone.
    let marked = unresolved_conflicts(&plain, &tree);
    if !marked.is_empty() {
        let files: Vec<String> = marked
            .iter()
            .map(|path| format!("`{name}/{path}`"))
            .collect();
        return Err(Error::negative(format!(
            "unresolved conflict markers in {}",
            files.join(", ")
        ))
        .help(format!(
            "resolve the conflicts, then run `skillpm patch {name}`"
        )));
    }

    if plain == tree {
        return Err(Error::negative(format!("no edits of `{name}` found"))
            .note(format!("`{}` is the same as its source", path.display()))
            .help(format!(
                "edit the files in `{}`, then run `skillpm patch {name}`",
                path.display()
            )));
    }

    Ok(sync::patch_text(package, &plain, &tree))
}

/// The copy with the edits: all edited copies must be identical, but for those that are as the last command left them. A
/// converted one has other files than the package, so that a patch file cannot have its edits.
fn find_edited_copy(
    locked_project: &LockedProject<'_>,
    package: &LockedPackage,
    plain: &Tree,
    installed: InstalledReader<'_>,
) -> Result<PathBuf> {
    let LockedProject {
        context,
        project,
        manifest,
    } = locked_project;
    let name = package.install_name();
    let mut directories = targets::directories_with_readers(context, &project.workspace, manifest)?;
    retain_unconverted(&mut directories, package, plain)?;

    let state = ProjectState::load(&context.state_dir(&project.workspace))?;
    let mut edited = Vec::new();
    for directory in &directories {
        let path = directory.path.join(name.as_str());
        let place = project.workspace.root.join(&path);
        match inspect_installed(installed, &place, Some(&package.checksum))? {
            // As locked, with the edits that are saved already.
            OnDisk::Tree(checksum) if checksum == package.checksum => {}
            OnDisk::Tree(checksum) => {
                let record = state.installed_skill(&directory.path, name);
                let is_later = record.and_then(|record| record.edited) != Some(checksum);
                edited.push((is_later, checksum, path));
            }
            OnDisk::Other(why) => {
                return Err(Error::negative(format!(
                    "cannot save the edits of `{}`: {why}",
                    path.display()
                )));
            }
            // A link, or no directory at all, has no files to save.
            OnDisk::Nothing | OnDisk::Link(_) => {}
        }
    }

    // The next command copies a later edit to the others, as where conflicts were resolved in one of them.
    if edited.iter().any(|(is_later, ..)| *is_later) {
        edited.retain(|(is_later, ..)| *is_later);
    }
    match &*edited {
        // No edited copy: the main one may still differ from the source by saved edits.
        [] => Ok(directories[0].path.join(name.as_str())),
        [(_, first, path), others @ ..] if others.iter().all(|(_, other, _)| other == first) => {
            Ok(path.clone())
        }
        // Which of the copies to save is not known.
        _ => Err(divergent_error(edited.into_iter().map(|(.., path)| path))),
    }
}

/// Retains the directories that have the package's own files.
///
/// # Errors
/// If there are none.
fn retain_unconverted(
    directories: &mut Vec<TargetDirectory>,
    package: &LockedPackage,
    plain: &Tree,
) -> Result<()> {
    directories
        .retain(|directory| matches!(convert_for_target(directory, package, plain), Ok(None)));
    if !directories.is_empty() {
        return Ok(());
    }

    Err(Error::negative(format!(
        "failed to save the edits of `{}`: its copies are converted from another format",
        package.install_name()
    ))
    .note("a patch file has edits of the package's own files")
    .help("to have a copy of them, set another `dir` under `[install]`, and run `skillpm install`"))
}

fn divergent_error(edited: impl Iterator<Item = PathBuf>) -> Error {
    let paths: Vec<String> = edited.map(|path| format!("`{}`", path.display())).collect();
    Error::negative(format!("conflicting edits in {}", paths.join(" and ")))
        .help("make the copies identical, then run `skillpm patch` again")
}
