//! From names and paths to skills.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{AuditOptions, Subject};
use crate::error::{Error, Result, nearest};
use crate::io::{archive, disk};
use crate::lockfile::{Locked, Lockfile};
use crate::ops::fetch::{self, Stock};
use crate::ops::lint::{stranger, strangers_below};
use crate::ops::patch_files::PatchFiles;
use crate::ops::{Context, targets};
use crate::sources::Sources;
use crate::store::Store;
use crate::workspace::{Sort, Workspace};

/// The project, which there has to be unless skills or paths are named.
pub(super) fn workspace(context: &Context<'_>, options: &AuditOptions) -> Result<Option<Workspace>> {
    match options.sort {
        Sort::Project if !options.subjects.is_empty() => context.project(),
        sort => context.workspace(sort).map(Some),
    }
}

/// The skills that are meant: all of the project if nothing is named.
pub(super) fn find(
    context: &Context<'_>,
    options: &AuditOptions,
    (workspace, lockfile): (Option<&Workspace>, &Lockfile),
) -> Result<Vec<Subject>> {
    let all = workspace.map_or_else(|| Ok(Vec::new()), |workspace| of_project(context, workspace, lockfile))?;
    if options.subjects.is_empty() {
        return Ok(all);
    }
    let mut found: BTreeMap<String, Subject> = BTreeMap::new();
    let is_named = |subject: &Subject| options.subjects.iter().any(|name| subject.names.contains(name));
    let known: BTreeSet<String> = all.iter().flat_map(|subject| subject.names.clone()).collect();
    for subject in all.into_iter().filter(is_named) {
        found.insert(subject.skill.path.clone(), subject);
    }
    for name in options.subjects.iter().filter(|name| !known.contains(*name)) {
        for subject in below(&context.places.here, name, &known)? {
            found.insert(subject.skill.path.clone(), subject);
        }
    }
    Ok(found.into_values().collect())
}

/// The skills in a directory or an archive.
fn below(here: &Path, name: &str, known: &BTreeSet<String>) -> Result<Vec<Subject>> {
    let place = here.join(name);
    let Some(meta) = disk::lstat(&disk::real_path(&place))? else {
        let error = Error::usage(format!("there is no skill and no path `{}`", name.escape_debug()));
        return Err(match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => error.help(format!("did you mean `skillpm audit {near}`?")),
            None => {
                error.help("name an installed skill, a directory or an archive; `skillpm list` shows what is there")
            }
        });
    };
    let shown = name.trim_end_matches('/');
    let skills = if meta.is_dir() {
        strangers_below(if shown == "." { "" } else { shown }, &place)?
    } else {
        let bytes = disk::read_up_to(&place, archive::ARCHIVE_MAX)?.unwrap_or_default();
        let unpacked = archive::Kind::of(name, &bytes).and_then(|kind| archive::unpack(&bytes, kind));
        let (tree, top) = unpacked.and_then(archive::strip_top)?;
        vec![stranger(shown, &top.unwrap_or_default(), &tree)]
    };
    Ok(skills.into_iter().map(|skill| Subject { names: vec![skill.directory.clone()], skill }).collect())
}

/// All that a project has agents read: what lies in each of its targets, whoever put it there, and what is locked and
/// does not lie there as locked.
fn of_project(context: &Context<'_>, workspace: &Workspace, lockfile: &Lockfile) -> Result<Vec<Subject>> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = workspace.manifest(&registries)?;
    let (mut subjects, mut seen, mut as_locked) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for dir in targets::directories(context, workspace, &manifest)? {
        for name in disk::names(&workspace.root.join(&dir)).unwrap_or_default() {
            let place = disk::real_path(&workspace.root.join(&dir).join(&name));
            if name.starts_with('.') || !seen.insert(place.clone()) || !place.is_dir() {
                continue;
            }
            let locked = lockfile.packages().iter().find(|one| one.install_name().as_str() == name);
            if let Some(locked) = locked
                && matches!(disk::checksum_of(&place), Ok(Some(checksum)) if checksum == locked.checksum)
            {
                as_locked.insert(name.clone());
            }
            let shown = shown(&context.places.here, &workspace.root.join(&dir).join(&name));
            let names = locked.map_or_else(|| vec![name.clone()], names);
            let skills = strangers_below(&shown, &place)?;
            subjects.extend(skills.into_iter().map(|skill| Subject { skill, names: names.clone() }));
        }
    }
    let is_elsewhere = |locked: &&Locked| !as_locked.contains(locked.install_name().as_str());
    let missing: Vec<&Locked> = lockfile.packages().iter().filter(is_elsewhere).collect();
    if missing.is_empty() {
        return Ok(subjects);
    }
    let tools = context.tools()?;
    let sources = Sources::new(&tools, &workspace.root, &registries, context.reporter);
    let store = Store::open(&context.places.skillpm, context.patience(), context.reporter)?;
    let patch_files = PatchFiles::read(&workspace.root, &manifest.edits)?;
    let stock = Stock { store: &store, sources: &sources, patch_files: &patch_files, reporter: context.reporter };
    let trees = fetch::fetch(&missing, &mut BTreeMap::new(), stock)?;
    for locked in missing {
        if let Some(tree) = trees.get(locked.install_name()) {
            let shown = format!("skillpm.lock/{}@{}", locked.install_name(), locked.revision());
            let skill = stranger(&shown, locked.install_name().as_str(), tree);
            subjects.push(Subject { skill, names: names(locked) });
        }
    }
    Ok(subjects)
}

/// Where a skill lies, as seen from here.
fn shown(here: &Path, place: &Path) -> String {
    place.strip_prefix(here).unwrap_or(place).display().to_string().replace('\\', "/")
}

/// The names that a locked package goes by.
pub(super) fn names(locked: &Locked) -> Vec<String> {
    vec![locked.name.to_string(), locked.install_name().to_string()]
}
