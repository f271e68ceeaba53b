//! `diff`: what a person made of installed skills, or what another version would bring.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::fetch::Stock;
use super::patch_files::PatchFiles;
use super::sync::{Held, Wish, hold_unchanged, preview};
use super::update::{self, locked};
use super::{Context, fetch, targets};
use crate::error::{Error, Result};
use crate::io::disk;
use crate::lockfile::Locked;
use crate::merge::patch::{FileChange, changes};
use crate::package::{SkillName, Tree};
use crate::sources::Sources;
use crate::store::Store;
use crate::workspace::Sort;

/// What is to be compared.
#[derive(Debug, Clone)]
pub struct DiffOptions {
    /// Install names; empty for all.
    pub names: Vec<SkillName>,
    /// Not what lies on the disk but this version, or for git this commit; `latest` for the newest that fits.
    pub to: Option<String>,
    /// Which project.
    pub sort: Sort,
}

/// How one skill differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// The skill.
    pub name: SkillName,
    /// Where it stands, as seen from the project.
    pub place: PathBuf,
    /// What it is compared with: a version, or `installed`.
    pub from: String,
    /// What it is: a version, or `edited`.
    pub to: String,
    /// What became of each file.
    pub changes: Vec<FileChange>,
}

/// Compares installed skills with what was installed, or with another version.
///
/// # Errors
/// If a name is not locked, or what is to be compared cannot be had.
pub fn diff(context: &Context<'_>, options: &DiffOptions) -> Result<Vec<Compared>> {
    let held = hold_unchanged(context, options.sort)?;
    let lockfile = held.workspace.required_lockfile()?;
    options.names.iter().try_for_each(|name| locked(&lockfile, name).map(|_| ()))?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = held.workspace.manifest(&registries)?;
    let main = targets::directories(context, &held.workspace, &manifest)?.swap_remove(0);
    let is_wanted = |package: &&Locked| options.names.is_empty() || options.names.contains(package.install_name());
    let packages: Vec<&Locked> = lockfile.packages().iter().filter(is_wanted).collect();
    let tools = context.tools()?;
    let sources = Sources::new(&tools, &held.workspace.root, &registries, context.reporter);
    let store = Store::open(&context.places.skillpm, context.patience(), context.reporter)?;
    let patch_files = PatchFiles::read(&held.workspace.root, &manifest.edits)?;
    let stock = Stock { store: &store, sources: &sources, patch_files: &patch_files, reporter: context.reporter };
    let bases = fetch::fetch(&packages, &mut BTreeMap::new(), stock)?;
    if let Some(to) = &options.to {
        let mut wish = Wish { keep: update::let_go(&options.names), ..Wish::default() };
        if to != "latest" {
            update::pin(&mut wish, (&lockfile, &sources), &options.names, to)?;
        }
        let brought = brings(context, &held, (&sources, &store), &wish)?;
        let is_named = |compared: &Compared| options.names.is_empty() || options.names.contains(&compared.name);
        return Ok(brought.into_iter().filter(is_named).collect());
    }
    let compare = |package: &&Locked| {
        let name = package.install_name();
        let place = main.join(name.as_str());
        let changes = changes(&bases[name], &on_disk(&held.workspace.root.join(&place))?);
        Ok(Compared { changes, name: name.clone(), place, from: "installed".into(), to: "edited".into() })
    };
    let compared = packages.iter().map(compare).collect::<Result<Vec<_>>>()?;
    Ok(compared.into_iter().filter(|compared| !compared.changes.is_empty()).collect())
}

/// What a wish would change in installed skills, without the edits that lie on the disk alone; new skills are none of it.
///
/// # Errors
/// As [`diff`].
pub(super) fn brings(
    context: &Context<'_>,
    held: &Held,
    (sources, store): (&Sources<'_>, &Store),
    wish: &Wish,
) -> Result<Vec<Compared>> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = held.workspace.manifest(&registries)?;
    let main = targets::directories(context, &held.workspace, &manifest)?.swap_remove(0);
    let lockfile = held.workspace.lockfile()?.unwrap_or_default();
    let others = preview(context, held, (sources, store), wish)?;
    let packages: Vec<&Locked> = others.keys().filter_map(|name| lockfile.installed_as(name)).collect();
    let patch_files = PatchFiles::read(&held.workspace.root, &manifest.edits)?;
    let stock = Stock { store, sources, patch_files: &patch_files, reporter: context.reporter };
    let bases = fetch::fetch(&packages, &mut BTreeMap::new(), stock)?;
    let compare = |package: &&Locked| {
        let name = package.install_name();
        let (other, tree) = &others[name];
        let (from, to) = (package.revision(), other.revision());
        let place = main.join(name.as_str());
        Compared { changes: changes(&bases[name], tree), name: name.clone(), place, from, to }
    };
    Ok(packages.iter().map(compare).collect())
}

fn on_disk(place: &std::path::Path) -> Result<Tree> {
    if disk::lstat(place)?.is_none() {
        return Err(
            Error::negative(format!("`{}` is not there", place.display())).help("`skillpm install` puts it there")
        );
    }
    disk::read_tree(place)
}
