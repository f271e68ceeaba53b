//! `verify`: every installed byte against the lockfile.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::patch_files::{PatchFiles, default_path};
use super::withdrawn::{self, Revoked};
use super::{Context, fetch, targets};
use crate::error::Result;
use crate::io::{disk, parallel};
use crate::lockfile::Locked;
use crate::manifest::Link;
use crate::merge::patch::{FileChange, changes};
use crate::package::{Checksum, Drift, RelPath, SkillName};
use crate::provenance::Fingerprint;
use crate::store::Store;
use crate::workspace::Sort;

/// What is wrong with one installed skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is not there.
    Missing,
    /// Its files differ; which ones, where the store still has what was installed.
    Differs(Option<Drift>),
    /// It cannot be read as a package, and why.
    Unreadable(String),
}

/// One installed skill that is not what the lockfile says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// Where it stands, as seen from the project.
    pub place: PathBuf,
    /// What is wrong.
    pub fault: Fault,
}

/// An installed skill with edits that are kept, which is what the lockfile says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The skill.
    pub name: SkillName,
    /// The version or commit that the edits were made to.
    pub revision: String,
    /// The patch file with the edits.
    pub path: RelPath,
    /// Whether that is the file that was locked.
    pub is_locked: bool,
    /// What was edited; none where it is not at hand.
    pub changes: Vec<FileChange>,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many installed skills were read.
    pub checked: usize,
    /// Those that are not what the lockfile says, by place.
    pub deviations: Vec<Deviation>,
    /// Those with edits that are kept, by name.
    pub patched: Vec<Explained>,
    /// Those that their registries have revoked, as far as the copies of the indexes here know.
    pub revoked: Vec<Revoked>,
    /// Packages that were vouched for when they were locked, by name, each with the key that did.
    pub signed: Vec<(SkillName, Fingerprint)>,
}

/// Reads every installed file of a project and compares it with the lockfile.
///
/// # Errors
/// If there is no lockfile, or it or the manifest cannot be understood.
pub fn verify(context: &Context<'_>, sort: Sort) -> Result<Verified> {
    let workspace = context.workspace(sort)?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = workspace.manifest(&registries)?;
    let lockfile = workspace.required_lockfile()?;
    let directories = targets::directories(context, &workspace, &manifest)?;
    let patch_files = PatchFiles::read(&workspace.root, &manifest.edits)?;
    let places: Vec<(PathBuf, &Locked)> = directories
        .iter()
        .flat_map(|dir| {
            lockfile.packages().iter().map(move |locked| (dir.join(locked.install_name().as_str()), locked))
        })
        .collect();
    let faults = parallel(2, &places, |(place, locked)| {
        let dir = place.parent().map(PathBuf::from).unwrap_or_default();
        let path = workspace.root.join(place);
        if manifest.install.link == Link::Symlink && dir != directories[0] {
            return check_link(&path, &targets::link(&directories[0], &dir, locked.install_name()));
        }
        check(context, &path, (locked, &patch_files))
    });
    let revoked = withdrawn::revoked(context, &workspace.root, lockfile.packages().iter())?;
    let mut verified = Verified { checked: places.len(), revoked, ..Verified::default() };
    for package in lockfile.packages() {
        verified.signed.extend(package.signed_by.map(|key| (package.install_name().clone(), key)));
        verified.patched.extend(explain(context, package, (&manifest.edits, &patch_files))?);
    }
    for ((place, _), fault) in places.into_iter().zip(faults) {
        if let Some(fault) = fault? {
            verified.deviations.push(Deviation { place, fault });
        }
    }
    verified.deviations.sort_by(|a, b| a.place.cmp(&b.place));
    Ok(verified)
}

fn check_link(place: &std::path::Path, wanted: &std::path::Path) -> Result<Option<Fault>> {
    Ok(match disk::lstat(place)? {
        None => Some(Fault::Missing),
        Some(meta) if meta.is_symlink() && disk::read_link(place)? == wanted => {
            let leads_nowhere =
                || Fault::Unreadable(format!("its link leads to `{}`, where nothing is", wanted.display()));
            matches!(disk::lstat(&place.join(".")), Ok(None)).then(leads_nowhere)
        }
        Some(_) => {
            Some(Fault::Unreadable(format!("it is not the link to `{}` that the manifest asks for", wanted.display())))
        }
    })
}

fn check(
    context: &Context<'_>,
    place: &std::path::Path,
    (locked, patch_files): (&Locked, &PatchFiles),
) -> Result<Option<Fault>> {
    match disk::lstat(place)? {
        None => return Ok(Some(Fault::Missing)),
        Some(meta) if !meta.is_dir() => return Ok(Some(Fault::Unreadable("it is not a directory".into()))),
        Some(_) => {}
    }
    let found = match disk::read_tree(place) {
        Ok(found) => found,
        Err(error) => return Ok(Some(Fault::Unreadable(error.in_one_line()))),
    };
    if Checksum::of(&found) == locked.checksum {
        return Ok(None);
    }
    // Edits that are no longer at hand are told of on their own.
    let installed = patch_files.stored(locked, &store(context)?, context.reporter).ok().flatten();
    Ok(Some(Fault::Differs(installed.map(|tree| tree.drift(&found)))))
}

/// What a package's patch file makes of it; `None` for one that has none, and is not to have any.
fn explain(
    context: &Context<'_>,
    package: &Locked,
    (edits, patch_files): (&BTreeMap<SkillName, RelPath>, &PatchFiles),
) -> Result<Option<Explained>> {
    let name = package.install_name();
    let file = patch_files.get(name);
    if package.patch.is_none() && file.is_none() {
        return Ok(None);
    }
    let path = edits.get(name).cloned().unwrap_or_else(|| default_path(name));
    let is_locked = file.map(|file| file.digest) == package.patch;
    let plain = store(context)?.get(&package.upstream(), context.reporter)?;
    let changes = match plain.filter(|_| is_locked).map(|tree| fetch::as_installed(&tree, name)) {
        Some(Ok(plain)) => changes(&plain, &file.map_or(Ok(plain.clone()), |file| file.apply(&plain))?),
        _ => Vec::new(),
    };
    Ok(Some(Explained { name: name.clone(), revision: package.revision(), path, is_locked, changes }))
}

fn store(context: &Context<'_>) -> Result<Store> {
    Store::open(&context.places.skillpm, context.patience(), context.reporter)
}
