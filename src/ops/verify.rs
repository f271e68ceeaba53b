//! `verify`: every installed byte against the lockfile.

use std::path::PathBuf;

use super::{Context, fetch, targets};
use crate::error::Result;
use crate::io::{disk, parallel};
use crate::lockfile::Locked;
use crate::manifest::Link;
use crate::package::{Checksum, Drift, Tree};
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

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many installed skills were read.
    pub checked: usize,
    /// Those that are not what the lockfile says, by place.
    pub deviations: Vec<Deviation>,
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
        check(context, &path, locked)
    });
    let mut verified = Verified { checked: places.len(), ..Verified::default() };
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

fn check(context: &Context<'_>, place: &std::path::Path, locked: &Locked) -> Result<Option<Fault>> {
    match disk::lstat(place)? {
        None => return Ok(Some(Fault::Missing)),
        Some(meta) if !meta.is_dir() => return Ok(Some(Fault::Unreadable("it is not a directory".into()))),
        Some(_) => {}
    }
    let found = match disk::read_tree(place) {
        Ok(found) => found,
        Err(error) => return Ok(Some(Fault::Unreadable(error.message().to_owned()))),
    };
    if Checksum::of(&found) == locked.checksum {
        return Ok(None);
    }
    Ok(Some(Fault::Differs(installed(context, locked)?.map(|tree| tree.drift(&found)))))
}

/// What was installed, if the store has it.
fn installed(context: &Context<'_>, locked: &Locked) -> Result<Option<Tree>> {
    let store = Store::open(&context.places.skillpm, context.patience(), context.reporter)?;
    let upstream = store.get(&locked.upstream(), context.reporter)?;
    upstream.map(|tree| fetch::as_installed(&tree, locked.install_name())).transpose()
}
