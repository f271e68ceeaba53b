//! `export` and `import` of a bundle: all packages of a project in one file, for a machine without
//! network access.

mod file_format;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::CommandContext;
use super::sync::{self, SyncOptions, lock_project_read_only};
use super::vendor::is_outside;
use file_format::{BUNDLE_MAX, BundleFile};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::SourceId;
use skillpm_io::disk;
use skillpm_registry::sources::PackageSources;
use skillpm_registry::store::Store;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

pub use file_format::{BundledPackage, FILE_SUFFIX};

/// Options of [`export`].
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// The file, relative to the current directory; `None` for `PROJECT.skillpm-bundle.tar.gz`.
    pub file: Option<PathBuf>,
    /// Which project: the one around the current directory, or the user's own skills.
    pub sort: WorkspaceKind,
}

/// The result of [`export`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleExport {
    /// The written file.
    pub file: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// The packages in it, sorted by name.
    pub packages: Vec<BundledPackage>,
    /// Whether the file had the same content before.
    pub is_unchanged: bool,
}

/// Writes a bundle of the locked packages of a project, except those inside the project itself.
///
/// # Errors
/// If the lockfile does not match the manifest, a package cannot be fetched, or the file exists and
/// is not a bundle.
pub fn export(context: &CommandContext<'_>, options: &ExportOptions) -> Result<BundleExport> {
    let lock = lock_project_read_only(context, options.sort)?;
    let workspace = &lock.workspace;

    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = PackageSources::new(&tools, &workspace.root, &registries, context.reporter);
    let store = context.store()?;

    let bundle = gather_bundle(context, workspace, &sources, &store)?;
    let bytes = bundle.to_bytes()?;

    let file = options.file.clone();
    let file = file.unwrap_or_else(|| default_file_name(workspace));
    let file = context.dirs.cwd.join(file);
    let is_unchanged = write_bundle(&file, &bytes)?;

    let mut packages: Vec<BundledPackage> = bundle
        .packages
        .into_values()
        .map(|(package, _)| package)
        .collect();
    // The bundle has them by checksum; the report has them by name.
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));

    Ok(BundleExport {
        file,
        size: bytes.len() as u64,
        packages,
        is_unchanged,
    })
}

/// Fetches the locked packages of a project, except those inside the project itself.
fn gather_bundle(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    sources: &PackageSources<'_>,
    store: &Store,
) -> Result<BundleFile> {
    // Sources inside the project are committed with it.
    let is_included = |locked: &LockedPackage| is_outside(&workspace.root, &locked.source);
    let request = sync::ResolveRequest {
        sources,
        store,
        known_trees: BTreeMap::new(),
        // A bundle has what is locked; exporting never changes the lockfile.
        options: SyncOptions {
            locked: true,
            lock_only: true,
            ..SyncOptions::default()
        },
        is_wanted: &is_included,
    };

    let resolved = sync::resolve_project(context, workspace, request).map_err(|error| {
        if error.kind() == FailureKind::Negative {
            error.help("a bundle contains the locked packages; `skillpm lock` updates the lockfile")
        } else {
            error
        }
    })?;

    let mut packages = BTreeMap::new();
    let included = resolved.lockfile.packages().iter();
    for locked in included.filter(|locked| is_included(locked)) {
        let checksum = locked.upstream_checksum();
        let tree = resolved.trees.get(&checksum);
        let tree = tree.ok_or_else(|| Error::internal("a fetched package is missing"))?;
        packages.insert(
            checksum,
            (BundledPackage::from_locked(locked), tree.clone()),
        );
    }

    Ok(BundleFile {
        lock_text: resolved.lock_text,
        manifest_text: workspace.manifest_text.clone(),
        packages,
    })
}

fn default_file_name(workspace: &Workspace) -> PathBuf {
    let name = workspace
        .root
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("project");
    // The directory of the user's own skills has no name of the user's choice.
    let name = if workspace.kind == WorkspaceKind::Managed {
        "my-skills"
    } else {
        name
    };
    format!("{name}{FILE_SUFFIX}").into()
}

/// Writes a new file or replaces a bundle; returns whether the file had the same content before.
fn write_bundle(file: &Path, bytes: &[u8]) -> Result<bool> {
    if disk::lstat(file)?.is_some() {
        let before = disk::read_up_to(file, BUNDLE_MAX)?.unwrap_or_default();
        // The file is not written again, and keeps its time.
        if before == bytes {
            return Ok(true);
        }
        // The name may be a typo for another file: only a bundle is replaced.
        if BundleFile::from_bytes("", &before).is_err() {
            return Err(Error::negative(format!(
                "refusing to overwrite `{}`: it is not a bundle",
                file.display()
            ))
            .help("choose another file, or move this one away"));
        }
    }

    disk::write_atomic(file, bytes).map(|()| false)
}

/// Whether a file has the extension of a bundle; nothing else that can be imported is an archive.
#[must_use]
pub fn is_bundle(file: &Path) -> bool {
    file.extension()
        .is_some_and(|end| end == "gz" || end == "tgz")
}

/// The result of [`import`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleImport {
    /// The packages that were added to the store, sorted by name.
    pub new: Vec<BundledPackage>,
    /// The number of packages that were in the store already.
    pub known: usize,
    /// How the bundle relates to the project around the current directory.
    pub project: BundleProject,
}

/// How a bundle relates to the project around the current directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BundleProject {
    /// There is no project.
    None,
    /// The project has the same lockfile.
    Same,
    /// The project has another lockfile, or none; these of its packages are still not in the store.
    Other(Vec<String>),
}

/// Adds the packages of a bundle to the store, after checking all of them. Nothing else is written.
///
/// # Errors
/// If the file does not exist or is not a bundle, or anything in it does not match its digest.
pub fn import(context: &CommandContext<'_>, file: &Path) -> Result<BundleImport> {
    let path = context.dirs.cwd.join(file);
    let bytes = read_bundle(&path, &file.display().to_string())?;
    let name = file
        .file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned());

    let bundle = BundleFile::from_bytes(&name, &bytes)?;
    // Everything is checked before the first tree goes into the store.
    check_complete(&name, &bundle)?;

    let store = context.store()?;

    let (mut new, mut known) = (Vec::new(), 0);
    for (checksum, (package, tree)) in &bundle.packages {
        // Read, not only looked up: a damaged tree in the store is replaced.
        if store.get(checksum, context.reporter)?.is_some() {
            known += 1;
        } else {
            store.put(tree)?;
            new.push(package.clone());
        }
    }

    new.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    let project = compare_project(context, &store, &bundle)?;
    Ok(BundleImport {
        new,
        known,
        project,
    })
}

fn read_bundle(path: &Path, shown: &str) -> Result<Vec<u8>> {
    match disk::lstat(&disk::real_path(path))? {
        // The size is checked before anything is read.
        Some(meta) if meta.is_file() && meta.len() > BUNDLE_MAX => Err(Error::integrity(format!(
            "refusing to read `{shown}`: it has {} bytes, and a bundle has at most {BUNDLE_MAX}",
            meta.len()
        ))),
        Some(meta) if meta.is_file() => Ok(disk::read_up_to(path, BUNDLE_MAX)?.unwrap_or_default()),
        _ => Err(Error::usage(format!("file `{shown}` not found"))
            .help("`skillpm bundle` creates a bundle")),
    }
}

/// Refuses a bundle without a package that its own lockfile names.
fn check_complete(name: &str, bundle: &BundleFile) -> Result<()> {
    let lockfile = bundle.lockfile()?;
    let is_present = |locked: &&LockedPackage| {
        // These may be inside the project itself, and then they are not in the bundle.
        let may_be_in_project = matches!(&locked.source, SourceId::Path(_) | SourceId::Archive(_));
        may_be_in_project || bundle.packages.contains_key(&locked.upstream_checksum())
    };

    match lockfile
        .packages()
        .iter()
        .find(|locked| !is_present(locked))
    {
        None => Ok(()),
        Some(missing) => Err(Error::integrity(format!(
            "invalid bundle `{name}`: missing package `{}`",
            missing.reference()
        ))
        .note("the lockfile in the bundle requires it")
        .help("nothing was imported")),
    }
}

fn compare_project(
    context: &CommandContext<'_>,
    store: &Store,
    bundle: &BundleFile,
) -> Result<BundleProject> {
    let Some(workspace) = context.project()? else {
        return Ok(BundleProject::None);
    };

    // The same lockfile: all its packages were in this bundle.
    if workspace.lock_text.as_ref() == Some(&bundle.lock_text) {
        return Ok(BundleProject::Same);
    }

    let lockfile: Lockfile = workspace.lockfile()?.unwrap_or_default();
    let mut missing = Vec::new();
    for locked in lockfile
        .packages()
        .iter()
        .filter(|locked| is_outside(&workspace.root, &locked.source))
    {
        if !store.contains(&locked.upstream_checksum())? {
            missing.push(locked.reference());
        }
    }

    Ok(BundleProject::Other(missing))
}
