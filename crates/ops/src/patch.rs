//! `patch`: keeps what a person changed in installed skills as patch files, which every later install and update takes up.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::fetch::{Stock, fetch_plain};
use super::patch_files::PatchFiles;
use super::sync::{self, Held, Rules, Synced, Wish, found, hold, sync_with};
use super::update::locked;
use super::{Context, targets};
use crate::error::{Error, Result};
use crate::install::plan::Found;
use crate::io::disk;
use crate::lockfile::Locked;
use crate::manifest::Manifest;
use crate::merge::has_marks;
use crate::package::{SkillName, Tree};
use crate::sources::Sources;
use crate::store::Store;
use crate::workspace::Sort;

/// What to keep, or to give up.
#[derive(Debug, Clone)]
pub struct PatchOptions {
    /// Install names.
    pub names: Vec<SkillName>,
    /// Give the edits up that are kept: the skills are as upstream has them again.
    pub drop: bool,
    /// Which project.
    pub sort: Sort,
    /// How far to go.
    pub rules: Rules,
}

/// Keeps the edits of installed skills, or gives up those that are kept.
///
/// # Errors
/// If a name is not locked, nothing of it was edited, or its edits cannot be kept; then nothing was changed.
pub fn patch(context: &Context<'_>, options: &PatchOptions) -> Result<Synced> {
    let held = hold(context, options.sort, None)?;
    let lockfile = held.workspace.required_lockfile()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = held.workspace.manifest(&registries)?;
    let tools = context.tools()?;
    let sources = Sources::new(&tools, &held.workspace.root, &registries, context.reporter);
    let mut wish = Wish::default();
    for name in &options.names {
        let package = locked(&lockfile, name)?;
        let text = if options.drop {
            refuse_unkept(&manifest, package)?;
            None
        } else {
            Some(edits(context, (&held, &manifest), &sources, package)?)
        };
        wish.edits.insert(name.clone(), text);
    }
    sync_with(context, &held, &sources, &wish, options.rules)
}

fn refuse_unkept(manifest: &Manifest, package: &Locked) -> Result<()> {
    let name = package.install_name();
    if package.patch.is_some() || manifest.edits.contains_key(name) {
        return Ok(());
    }
    Err(Error::negative(format!("no edits of `{name}` are kept"))
        .help("`skillpm install --force` takes away edits that are not, and saves them under `.skillpm/backup`"))
}

/// What was changed in a skill, as the text of its patch file.
fn edits(
    context: &Context<'_>,
    (held, manifest): (&Held, &Manifest),
    sources: &Sources<'_>,
    package: &Locked,
) -> Result<String> {
    let (name, store) =
        (package.install_name(), Store::open(&context.places.skillpm, context.patience(), context.reporter)?);
    let place = edited_place(context, (held, manifest), package)?;
    let tree = disk::read_tree(&held.workspace.root.join(&place))?;
    refuse_marks(name, &tree)?;
    let files = PatchFiles::default();
    let stock = Stock { store: &store, sources, patch_files: &files, reporter: context.reporter };
    let plain = fetch_plain(package, &mut BTreeMap::new(), stock)?;
    if plain == tree {
        return Err(Error::negative(format!("nothing of `{name}` was edited"))
            .note(format!("`{}` is as its source has it", place.display()))
            .help(format!("edit the files in `{}`, then run `skillpm patch {name}`", place.display())));
    }
    Ok(sync::patch_text(package, (&plain, &tree)))
}

/// The copy with the edits: all copies that differ from what was installed must be alike.
fn edited_place(context: &Context<'_>, (held, manifest): (&Held, &Manifest), package: &Locked) -> Result<PathBuf> {
    let name = package.install_name();
    let directories = targets::directories(context, &held.workspace, manifest)?;
    let (mut edited, mut contents) = (Vec::new(), BTreeSet::new());
    for directory in &directories {
        let place = directory.join(name.as_str());
        match found(&held.workspace.root.join(&place))? {
            Found::Tree(checksum) if checksum == package.checksum => {}
            Found::Tree(checksum) => {
                contents.insert(checksum);
                edited.push(place);
            }
            Found::Other(why) => {
                return Err(Error::negative(format!("`{}` cannot be kept: {why}", place.display())));
            }
            Found::Nothing | Found::Link(_) => {}
        }
    }
    match contents.len() {
        0 => Ok(directories[0].join(name.as_str())),
        1 => Ok(edited.swap_remove(0)),
        _ => {
            let places: Vec<String> = edited.iter().map(|place| format!("`{}`", place.display())).collect();
            Err(Error::negative(format!("{} are edited, and not alike", places.join(" and ")))
                .help("make them alike, then run `skillpm patch` again"))
        }
    }
}

fn refuse_marks(name: &SkillName, tree: &Tree) -> Result<()> {
    let marked: Vec<String> =
        tree.files().filter(|(_, file)| has_marks(&file.bytes)).map(|(path, _)| format!("`{name}/{path}`")).collect();
    if marked.is_empty() {
        return Ok(());
    }
    Err(Error::negative(format!("{} still has marks of a merge", marked.join(", ")))
        .help(format!("decide what is to be between them, then run `skillpm patch {name}`")))
}
