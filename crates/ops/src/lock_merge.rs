//! `lock --merge`: one lockfile of what both sides of a merge in version control decided.
//!
//! Called with three files it is a merge driver of git: it asks nobody, takes no lock and writes nothing but the answer.
//! Called without any it settles the conflict that lies in the project's lockfile, and goes the way of `lock` after that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Context;
use super::sync::{Rules, Synced, Wish, hold, sync};
use crate::error::{Error, Result};
use crate::io::disk;
use crate::io::git::Checkout;
use crate::lockfile::merge::{self, Clash, Known, Merged, Needs, Sides};
use crate::lockfile::{self, Locked, Lockfile};
use crate::manifest;
use crate::package::{Patch, with_line_ends_of};
use crate::resolver::Root;
use crate::sources::describe::{Surroundings, describe};
use crate::store::Store;
use crate::workspace::{Sort, Workspace};

/// The files that git gives its merge driver.
#[derive(Debug, Clone)]
pub struct DriverFiles {
    /// What both sides began with (`%O`).
    pub base: PathBuf,
    /// What one side has, and where the answer goes (`%A`).
    pub ours: PathBuf,
    /// What the other side has (`%B`).
    pub theirs: PathBuf,
    /// Where the lockfile is in the repository (`%P`).
    pub path: Option<PathBuf>,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Driven {
    /// How many packages are decided.
    pub packages: usize,
    /// What is not.
    pub clashes: Vec<Clash>,
}

/// Merges three files, and writes the answer over the second.
///
/// # Errors
/// If one of them cannot be read, or is no lockfile; then the second is left as git left it.
pub fn drive(context: &Context<'_>, files: &DriverFiles) -> Result<Driven> {
    let [base, ours, theirs] = [&files.base, &files.ours, &files.theirs].map(|file| context.places.here.join(file));
    let texts = [&base, &ours, &theirs].map(|file| disk::read_text(file));
    let [base_text, our_text, their_text] = texts;
    let our_text = our_text?;
    let project = project_of(context, files.path.as_deref())?;
    let lockfiles = (parsed(base_text?, &base)?, parsed(our_text.clone(), &ours)?, parsed(their_text?, &theirs)?);
    let sides = Sides { base: &lockfiles.0, ours: &lockfiles.1, theirs: &lockfiles.2 };
    // The manifest may not be merged yet: git promises no order.
    let merged = merge(context, project.as_ref(), sides, false);
    let text = with_line_ends_of(our_text.as_deref().unwrap_or_default(), merged.to_text());
    disk::write_atomic(&ours, text.as_bytes())?;
    Ok(Driven { packages: merged.lockfile.packages().len(), clashes: merged.clashes })
}

/// The project whose lockfile is merged: git runs its driver at the root of the work tree.
fn project_of(context: &Context<'_>, path: Option<&Path>) -> Result<Option<Workspace>> {
    let dir =
        path.and_then(Path::parent).map_or_else(|| context.places.here.clone(), |dir| context.places.here.join(dir));
    if disk::lstat(&dir.join(manifest::FILE))?.is_none() {
        return Ok(None);
    }
    Ok(context.project_around(&dir).ok().flatten())
}

fn parsed(text: Option<String>, file: &Path) -> Result<Lockfile> {
    match text {
        None => Err(Error::usage(format!("there is no file `{}`", file.display()))),
        // A side that has none begins with nothing.
        Some(text) if text.trim().is_empty() => Ok(Lockfile::default()),
        Some(text) => Lockfile::parse(&text, &file.display().to_string()),
    }
}

/// Settles a conflict in the project's lockfile; where there is none, does what `lock` does.
///
/// What cannot be told from the two sides is decided by the manifest and the sources, as for `lock`.
///
/// # Errors
/// As for [`sync`]; if the lockfile is damaged in another way than by a merge.
pub fn settle(context: &Context<'_>, sort: Sort, rules: Rules) -> Result<Synced> {
    let mut held = hold(context, sort, None)?;
    let Some(conflict) = conflict(&held.workspace)? else { return sync(context, &held, &Wish::default(), rules) };
    if rules.locked {
        return Err(Error::negative(format!(
            "`{}` holds a merge that is not settled, and `--locked` forbids changing it",
            lockfile::FILE
        ))
        .help("run `skillpm lock --merge` without it"));
    }
    // Before anything is merged: the manifest decides, and must be settled itself.
    held.workspace.lines(&|name| context.config.registry(name))?;
    let sides = Sides { base: &conflict.base, ours: &conflict.ours, theirs: &conflict.theirs };
    let merged = merge(context, Some(&held.workspace), sides, true);
    let old = held.workspace.lock_text.take().unwrap_or_default();
    held.workspace.lock_text = Some(with_line_ends_of(&old, merged.lockfile.to_text()));
    sync(context, &held, &Wish::default(), rules)
}

/// The lockfiles that a merge left.
struct Conflict {
    base: Lockfile,
    ours: Lockfile,
    theirs: Lockfile,
}

/// The conflict in a project's lockfile: as git's list of files has its sides, else as the markers in it have; `None` if
/// the lockfile is whole.
fn conflict(workspace: &Workspace) -> Result<Option<Conflict>> {
    let Some(text) = &workspace.lock_text else { return Ok(None) };
    let Err(fault) = Lockfile::parse(text, lockfile::FILE) else { return Ok(None) };
    if manifest::conflict_marker(text).is_none() {
        // Git saw no conflict where both sides counted alike.
        let ours = Lockfile::parse_uncounted(text, lockfile::FILE).map_err(|_| fault)?;
        return Ok(Some(Conflict { base: ours.clone(), theirs: ours.clone(), ours }));
    }
    if let Some(conflict) = staged(workspace)? {
        return Ok(Some(conflict));
    }
    let Some(sides) = merge::sides(text) else {
        return Err(fault.help(format!(
            "the markers do not belong together; `git checkout -m {}` writes them anew",
            lockfile::FILE
        )));
    };
    let side =
        |text: &str, which: &str| Lockfile::parse_uncounted(text, &format!("{which} side of {}", lockfile::FILE));
    let (ours, theirs) = (side(&sides.ours, "our")?, side(&sides.theirs, "their")?);
    let base = sides.base.and_then(|base| side(&base, "base").ok()).unwrap_or_default();
    Ok(Some(Conflict { base, ours, theirs }))
}

/// The sides as git's list of files has them while a merge is not done.
fn staged(workspace: &Workspace) -> Result<Option<Conflict>> {
    let Some(checkout) = Checkout::around(&workspace.root)? else { return Ok(None) };
    let [base, ours, theirs] = checkout.stages(lockfile::FILE)?;
    let read = |text: Option<String>| text.and_then(|text| Lockfile::parse(&text, lockfile::FILE).ok());
    Ok(match (read(ours), read(theirs)) {
        (Some(ours), Some(theirs)) => Some(Conflict { base: read(base).unwrap_or_default(), ours, theirs }),
        _ => None,
    })
}

fn merge(context: &Context<'_>, project: Option<&Workspace>, sides: Sides<'_>, is_final: bool) -> Merged {
    let (roots, patches) = project
        .and_then(|project| asked(context, project).ok())
        .map_or((None, Vec::new()), |(roots, patches)| (Some(roots), patches));
    let needs = needs(context, sides);
    merge::merge(sides, Known { roots: roots.as_deref(), is_final, patches: &patches, needs: &needs })
}

fn asked(context: &Context<'_>, project: &Workspace) -> Result<(Vec<Root>, Vec<Patch>)> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let roots = project.lines(&registries)?.roots;
    Ok((roots, manifest::patches(&project.manifest_text, manifest::FILE, &registries)?))
}

/// What the packages need whose trees are here, of those that need anything.
fn needs(context: &Context<'_>, sides: Sides<'_>) -> Needs {
    let Ok(store) = Store::open(&context.places.skillpm, context.patience(), context.reporter) else {
        return Needs::new();
    };
    let locked =
        sides.ours.packages().iter().chain(sides.theirs.packages()).filter(|locked| !locked.dependencies.is_empty());
    let by_checksum: BTreeMap<_, &Locked> = locked.map(|locked| (locked.upstream(), locked)).collect();
    let needs = by_checksum.into_iter().filter_map(|(checksum, locked)| {
        let tree = store.get(&checksum, context.reporter).ok()??;
        let nowhere = |_: &str| Err(Error::negative("only names and versions are asked for"));
        let around = Surroundings {
            place: locked.name.skill().as_str(),
            directory: locked.name.skill().as_str(),
            registries: &|name| context.config.registry(name),
            sibling: &|_| None,
            relative: &nowhere,
            shared: &|| Ok(None),
        };
        let described = describe(&tree, &around).ok()?;
        Some((checksum, described.dependencies.into_iter().map(|needed| (needed.package, needed.req)).collect()))
    });
    needs.collect()
}
