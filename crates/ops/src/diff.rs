//! `diff`: shows the user's edits of installed skills, or the changes of another version.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::fetch::PackageFetcher;
use super::patch_files::PatchFiles;
use super::sync::{ProjectLock, SyncRequest, lock_project_read_only, preview};
use super::update::{self, find_locked};
use super::{CommandContext, fetch, targets};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{FileChange, SkillName, Tree};
use skillpm_io::disk;
use skillpm_merge::patch::diff_trees;
use skillpm_registry::sources::PackageSources;
use skillpm_registry::store::Store;
use skillpm_registry::workspace::WorkspaceKind;

/// Options of [`diff`].
#[derive(Debug, Clone)]
pub struct DiffOptions {
    /// Install names; empty for all.
    pub names: Vec<SkillName>,
    /// The version to compare with, for git the commit, or `latest` for the newest that matches;
    /// `None` to compare with the files on disk.
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
    let manifest = lock.workspace.manifest(&registries)?;
    // The main directory is the first; other targets have copies of its skills, or links to it.
    let main = targets::directories(context, &lock.workspace, &manifest)?.swap_remove(0);

    let is_wanted = |package: &&LockedPackage| {
        options.names.is_empty() || options.names.contains(package.install_name())
    };
    let packages: Vec<&LockedPackage> = lockfile.packages().iter().filter(is_wanted).collect();

    let tools = context.tools()?;
    let sources = PackageSources::new(&tools, &lock.workspace.root, &registries, context.reporter);
    let store = Store::open(
        &context.dirs.skillpm_home,
        context.lock_timeout(),
        context.reporter,
    )?;
    let patch_files = PatchFiles::read(&lock.workspace.root, &manifest.edits)?;
    let fetcher = PackageFetcher {
        store: &store,
        sources: &sources,
        patch_files: &patch_files,
        reporter: context.reporter,
    };

    let bases = fetch::fetch(&packages, &mut BTreeMap::new(), fetcher)?;

    if let Some(to) = &options.to {
        // As `update` would do it, in memory only.
        let mut request = SyncRequest {
            keep: update::pin_policy(&options.names),
            ..SyncRequest::default()
        };
        if to != "latest" {
            update::pin_precise(&mut request, &lockfile, &sources, &options.names, to)?;
        }

        let compared = diff_request(context, &lock, &sources, &store, &request)?;
        // The new version may change dependencies, too, which were not requested.
        let is_named = |compared: &SkillDiff| {
            options.names.is_empty() || options.names.contains(&compared.name)
        };
        return Ok(compared.into_iter().filter(is_named).collect());
    }

    let compare = |package: &&LockedPackage| {
        let name = package.install_name();
        let place = main.join(name.as_str());
        let changes = diff_trees(
            &bases[name],
            &read_installed(&lock.workspace.root.join(&place))?,
        );
        Ok(SkillDiff {
            changes,
            name: name.clone(),
            place,
            from: "installed".into(),
            to: "edited".into(),
        })
    };

    let compared = packages.iter().map(compare).collect::<Result<Vec<_>>>()?;
    Ok(compared
        .into_iter()
        .filter(|compared| !compared.changes.is_empty())
        .collect())
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
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = lock.workspace.manifest(&registries)?;
    let main = targets::directories(context, &lock.workspace, &manifest)?.swap_remove(0);
    let lockfile = lock.workspace.lockfile()?.unwrap_or_default();

    let others = preview(context, lock, sources, store, request)?;
    // New skills have no old side to compare with.
    let packages: Vec<&LockedPackage> = others
        .keys()
        .filter_map(|name| lockfile.installed_as(name))
        .collect();

    let patch_files = PatchFiles::read(&lock.workspace.root, &manifest.edits)?;
    let fetcher = PackageFetcher {
        store,
        sources,
        patch_files: &patch_files,
        reporter: context.reporter,
    };
    let bases = fetch::fetch(&packages, &mut BTreeMap::new(), fetcher)?;

    let compare = |package: &&LockedPackage| {
        let name = package.install_name();
        let (other, tree) = &others[name];
        let (from, to) = (package.revision(), other.revision());
        let place = main.join(name.as_str());
        SkillDiff {
            changes: diff_trees(&bases[name], tree),
            name: name.clone(),
            place,
            from,
            to,
        }
    };
    Ok(packages.iter().map(compare).collect())
}

fn read_installed(dir: &std::path::Path) -> Result<Tree> {
    if disk::lstat(dir)?.is_none() {
        return Err(Error::negative(format!("`{}` not found", dir.display()))
            .help("`skillpm install` installs it"));
    }
    disk::read_tree(dir)
}
