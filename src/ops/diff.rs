//! `diff`: what a person made of installed skills, or what another version would bring.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::sync::{Wish, hold, preview};
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
    let held = hold(context, options.sort, None)?;
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
    let bases = fetch::fetch(&packages, &mut BTreeMap::new(), (&store, &sources), context.reporter)?;
    let others = match &options.to {
        None => None,
        Some(to) => {
            let mut wish = Wish { keep: update::let_go(&options.names), ..Wish::default() };
            if to != "latest" {
                update::pin(&mut wish, &lockfile, &options.names, to)?;
            }
            Some(preview(context, &held, (&sources, &store), &wish)?)
        }
    };
    let compare = |package: &&Locked| {
        let name = package.install_name();
        let place = main.join(name.as_str());
        let (to, tree) = match &others {
            None => ("edited".to_owned(), on_disk(&held.workspace.root.join(&place))?),
            Some(others) => match others.get(name) {
                Some((other, tree)) => (other.revision(), tree.clone()),
                None => return Ok(None),
            },
        };
        let from = if others.is_some() { package.revision() } else { "installed".to_owned() };
        Ok(Some(Compared { changes: changes(&bases[name], &tree), name: name.clone(), place, from, to }))
    };
    let compared = packages.iter().filter_map(|package| compare(package).transpose()).collect::<Result<Vec<_>>>()?;
    Ok(compared.into_iter().filter(|compared| !compared.changes.is_empty()).collect())
}

fn on_disk(place: &std::path::Path) -> Result<Tree> {
    if disk::lstat(place)?.is_none() {
        return Err(
            Error::negative(format!("`{}` is not there", place.display())).help("`skillpm install` puts it there")
        );
    }
    disk::read_tree(place)
}
