//! `export` and `import` of a bundle: all that a project needs, in one file, for a machine without a network.

mod form;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Context;
use super::sync::{self, Rules, hold_unchanged};
use super::vendor::lies_outside;
use crate::error::{Error, Kind, Result};
use crate::io::disk;
use crate::lockfile::{Locked, Lockfile};
use crate::package::SourceId;
use crate::sources::Sources;
use crate::store::Store;
use crate::workspace::{Sort, Workspace};
use form::{BUNDLE_MAX, Bundle};

pub use form::{ENDING, Package};

/// What to export.
#[derive(Debug, Clone)]
pub struct ExportOptions {
    /// The file, as seen from here; `PROJECT.skillpm-bundle.tar.gz` here if it is `None`.
    pub file: Option<PathBuf>,
    /// Which project.
    pub sort: Sort,
}

/// What was exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The file.
    pub file: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// The packages in it, by name.
    pub packages: Vec<Package>,
    /// Whether it was the same before.
    pub is_unchanged: bool,
}

/// Writes a bundle of everything that a project's lockfile names and that does not lie in the project itself.
///
/// # Errors
/// If the lockfile does not answer the manifest, a package cannot be brought, or something else stands in the file's
/// place.
pub fn export(context: &Context<'_>, options: &ExportOptions) -> Result<Exported> {
    let held = hold_unchanged(context, options.sort)?;
    let workspace = &held.workspace;
    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = Sources::new(&tools, &workspace.root, &registries, context.reporter);
    let store = Store::open(&context.places.skillpm, context.patience(), context.reporter)?;
    let rules = Rules { locked: true, lock_only: true, ..Rules::default() };
    let wanted = |locked: &Locked| lies_outside(&workspace.root, &locked.source);
    let whole =
        sync::whole(context, workspace, (&sources, &store), BTreeMap::new(), (rules, &wanted)).map_err(|error| {
            if error.kind() == Kind::Negative { error.help("a bundle holds what is locked") } else { error }
        })?;
    let mut packages = BTreeMap::new();
    for locked in whole.lockfile.packages().iter().filter(|locked| wanted(locked)) {
        let tree = whole.trees.get(&locked.upstream());
        let tree = tree.ok_or_else(|| Error::internal("a package was brought and is not there"))?;
        packages.insert(locked.upstream(), (Package::of(locked), tree.clone()));
    }
    let bundle = Bundle { lock_text: whole.lock_text, manifest_text: workspace.manifest_text.clone(), packages };
    let bytes = bundle.to_bytes()?;
    let file = context.places.here.join(options.file.clone().unwrap_or_else(|| usual(workspace)));
    let is_unchanged = write(&file, &bytes)?;
    let mut packages: Vec<Package> = bundle.packages.into_values().map(|(package, _)| package).collect();
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(Exported { file, size: bytes.len() as u64, packages, is_unchanged })
}

fn usual(workspace: &Workspace) -> PathBuf {
    let name = workspace.root.file_name().and_then(|name| name.to_str()).unwrap_or("project");
    let name = if workspace.sort == Sort::Managed { "my-skills" } else { name };
    format!("{name}{ENDING}").into()
}

/// Writes a file in place of none, or of another bundle; says whether it was the same before.
fn write(file: &Path, bytes: &[u8]) -> Result<bool> {
    if disk::lstat(file)?.is_some() {
        let before = disk::read_up_to(file, BUNDLE_MAX)?.unwrap_or_default();
        if before == bytes {
            return Ok(true);
        }
        if Bundle::from_bytes("", &before).is_err() {
            return Err(Error::negative(format!("`{}` is there, and is no bundle", file.display()))
                .help("name another file, or move that one away"));
        }
    }
    disk::write_atomic(file, bytes).map(|()| false)
}

/// Whether a file is called as a bundle may be; nothing else that can be imported is an archive.
#[must_use]
pub fn is_bundle(file: &Path) -> bool {
    file.extension().is_some_and(|end| end == "gz" || end == "tgz")
}

/// What was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The packages that are in the store now and were not, by name.
    pub new: Vec<Package>,
    /// How many there were already.
    pub known: usize,
    /// The project here.
    pub project: Project,
}

/// What a bundle is to the project around here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Project {
    /// There is none.
    None,
    /// It has this very lockfile.
    Same,
    /// It has another lockfile, or none; these of its packages are still not in the store.
    Other(Vec<String>),
}

/// Puts the packages of a bundle into the store, after all of them were checked. Nothing else is written.
///
/// # Errors
/// If there is no such file, it is no bundle, or anything in it is not what it says.
pub fn import(context: &Context<'_>, file: &Path) -> Result<Imported> {
    let place = context.places.here.join(file);
    let bytes = read(&place, &file.display().to_string())?;
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let bundle = Bundle::from_bytes(&name, &bytes)?;
    check_whole(&name, &bundle)?;
    let store = Store::open(&context.places.skillpm, context.patience(), context.reporter)?;
    let (mut new, mut known) = (Vec::new(), 0);
    for (checksum, (package, tree)) in &bundle.packages {
        // Read, and not only looked for: one that was damaged is to be mended.
        if store.get(checksum, context.reporter)?.is_some() {
            known += 1;
        } else {
            store.put(tree)?;
            new.push(package.clone());
        }
    }
    new.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    let project = project(context, &store, &bundle)?;
    Ok(Imported { new, known, project })
}

fn read(place: &Path, shown: &str) -> Result<Vec<u8>> {
    match disk::lstat(&disk::real_path(place))? {
        Some(meta) if meta.is_file() && meta.len() > BUNDLE_MAX => {
            Err(Error::integrity(format!("`{shown}` has {} bytes, and a bundle {BUNDLE_MAX} at most", meta.len())))
        }
        Some(meta) if meta.is_file() => Ok(disk::read_up_to(place, BUNDLE_MAX)?.unwrap_or_default()),
        _ => Err(Error::usage(format!("there is no file `{shown}`")).help("`skillpm export` makes a bundle")),
    }
}

/// Refuses a bundle that lacks something of what its own lockfile names.
fn check_whole(name: &str, bundle: &Bundle) -> Result<()> {
    let lockfile = bundle.lockfile()?;
    let is_there = |locked: &&Locked| {
        let may_lie_in_project = matches!(&locked.source, SourceId::Path(_) | SourceId::Archive(_));
        may_lie_in_project || bundle.packages.contains_key(&locked.upstream())
    };
    match lockfile.packages().iter().find(|locked| !is_there(locked)) {
        None => Ok(()),
        Some(lacking) => {
            Err(Error::integrity(format!("bundle `{name}` is damaged: it lacks `{}`", lacking.reference()))
                .note("its own lockfile names that")
                .help("nothing was taken from it"))
        }
    }
}

fn project(context: &Context<'_>, store: &Store, bundle: &Bundle) -> Result<Project> {
    let Some(workspace) = context.project()? else { return Ok(Project::None) };
    if workspace.lock_text.as_ref() == Some(&bundle.lock_text) {
        return Ok(Project::Same);
    }
    let lockfile: Lockfile = workspace.lockfile()?.unwrap_or_default();
    let mut lacking = Vec::new();
    for locked in lockfile.packages().iter().filter(|locked| lies_outside(&workspace.root, &locked.source)) {
        if !store.contains(&locked.upstream())? {
            lacking.push(locked.reference());
        }
    }
    Ok(Project::Other(lacking))
}
