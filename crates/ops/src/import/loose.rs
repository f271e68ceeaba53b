//! Skills that nobody claims: whoever wrote them keeps them, unless a registry knows them byte for byte.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::pin::{Pinned, Standing};
use super::records::Records;
use super::survey::Survey;
use crate::error::{Error, Result};
use crate::install::transaction::Transaction;
use crate::install::undo::{self, Step, Thing};
use crate::io::disk;
use crate::lockfile::Locked;
use crate::manifest::edit::Entry;
use crate::ops::Context;
use crate::ops::add::caret;
use crate::ops::sync::{Held, Made};
use crate::package::{Checksum, PackageName, SkillName, SourceId};
use crate::sources::Sources;
use crate::workspace::Workspace;

/// A skill that nobody claims.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loose {
    /// Its directory's name.
    pub name: SkillName,
    /// Where it lies, as seen from the project.
    pub places: Vec<PathBuf>,
    /// What it is; `None` if its copies are not alike, or it cannot be a package.
    pub checksum: Option<Checksum>,
}

/// Finds the skills in agents' directories that no tool claims and skillpm has not installed, by name.
pub(super) fn find(survey: &Survey, records: &Records, held: &Held, named: bool) -> Result<Vec<Loose>> {
    let lockfile = held.workspace.lockfile()?.unwrap_or_default();
    let mut found: BTreeMap<SkillName, Vec<usize>> = BTreeMap::new();
    for at in survey.dirs().filter(|at| survey.is_for_agents(*at) && records.is_within(*at, named)) {
        for name in survey.names(at).filter(|name| survey.is_real(at, name) && !records.has(name)) {
            let Ok(name) = name.parse::<SkillName>() else { continue };
            let is_skill = disk::lstat(&survey.path(at).join(name.as_str()).join("SKILL.md"))?.is_some();
            if is_skill && lockfile.installed_as(&name).is_none() {
                found.entry(name).or_default().push(at);
            }
        }
    }
    let loose = |(name, dirs): (SkillName, Vec<usize>)| {
        let checksum =
            |at: &usize| disk::read_tree(&survey.path(*at).join(name.as_str())).ok().map(|tree| Checksum::of(&tree));
        let checksums: BTreeSet<Option<Checksum>> = dirs.iter().map(checksum).collect();
        let places = dirs.iter().map(|at| survey.target(*at).join(name.as_str())).collect();
        let checksum = if checksums.len() == 1 { checksums.into_iter().next().flatten() } else { None };
        Loose { name, places, checksum }
    };
    Ok(found.into_iter().map(loose).collect())
}

/// Where skills are put that copies were made one of.
const HOME: &str = "skills";

/// Skills of which one was made.
pub(super) struct Gathered {
    pub(super) pinned: Vec<Pinned>,
    pub(super) made: Made,
}

/// Puts each skill into a directory of its own, of which its copies are installed from then on.
///
/// It is a whole by itself, which can be undone: the solver has to find those directories.
pub(super) fn gather(context: &Context<'_>, workspace: &Workspace, several: &[Loose]) -> Result<Gathered> {
    let state_dir = context.state_dir(workspace);
    let mut changes = Transaction::begin(&state_dir)?;
    let (mut pinned, mut steps) = (Vec::new(), Vec::new());
    for loose in several {
        let place = workspace.root.join(HOME).join(loose.name.as_str());
        if disk::lstat(&place)?.is_some() {
            return Err(Error::negative(format!("`{HOME}/{}` is there already", loose.name))
                .note("the one skill that its copies would become would lie there")
                .help("move it away, or leave out `--gather`"));
        }
        let first = loose.places.first().map_or(place.as_path(), PathBuf::as_path);
        let tree = disk::read_tree(&workspace.root.join(first))?;
        changes.put(&place, &tree, None)?;
        let checksum = Checksum::of(&tree);
        let after = Thing::Tree(checksum);
        let step = Step::unmoved(Path::new(HOME), &loose.name, &Thing::Nothing);
        steps.push(Step { after, ..step });
        pinned.push(own(loose, checksum));
    }
    let (file, bytes) =
        undo::Entry::new(context.command, context.now, steps.clone(), Vec::new()).to_file(&state_dir)?;
    changes.write(&file, &bytes)?;
    let home = workspace.root.join(HOME);
    let directories = changes.made().iter().filter(|made| home.starts_with(made));
    let directories =
        directories.filter_map(|made| Some(made.strip_prefix(&workspace.root).ok()?.to_owned())).collect();
    changes.commit()?;
    Ok(Gathered { pinned, made: Made { file, steps, directories } })
}

/// Takes away what [`gather`] made.
pub(super) fn forget(context: &Context<'_>, workspace: &Workspace, made: &Made) -> Result<()> {
    let mut changes = Transaction::begin(&context.state_dir(workspace))?;
    for step in &made.steps {
        changes.remove(&workspace.root.join(step.place()), None)?;
    }
    changes.remove(&made.file, None)?;
    changes.commit()?;
    made.directories.iter().rev().for_each(|dir| disk::remove_if_empty(&workspace.root.join(dir)));
    Ok(())
}

fn own(loose: &Loose, checksum: Checksum) -> Pinned {
    let path = format!("./{HOME}/{}", loose.name);
    let locked = package(loose, SourceId::path(&path), checksum);
    let entry = Entry { key: loose.name.to_string(), fields: vec![("path", path)], dev: false };
    Pinned { name: loose.name.clone(), tool: None, entry, locked, standing: Standing::Same, upstream: checksum }
}

fn package(loose: &Loose, source: SourceId, checksum: Checksum) -> Locked {
    Locked {
        // A reference to nothing makes the solver read what it needs.
        dependencies: vec![String::new()],
        ..Locked::new(loose.name.clone().into(), source, checksum)
    }
}

/// The version that a registry has of it, byte for byte, if one has.
pub(super) fn known(context: &Context<'_>, sources: &Sources<'_>, loose: &Loose) -> Option<Pinned> {
    let checksum = loose.checksum?;
    let default = context.config.registry(None).ok();
    let others = context.config.registries().into_values();
    for url in default.iter().cloned().chain(others).collect::<BTreeSet<_>>() {
        // One that cannot be asked knows nothing.
        let Ok(index) = sources.index(&url) else { continue };
        let names: Vec<PackageName> = index.names().into_iter().filter(|name| *name.skill() == loose.name).collect();
        for lookup in index.lookup_all(&names).into_iter().flatten() {
            let Some(entry) = lookup.entries.into_iter().rfind(|entry| entry.cksum == checksum) else { continue };
            let mut fields = vec![("version", caret(&entry.vers))];
            if Some(&url) != default.as_ref() {
                let registries = context.config.registries();
                let Some((name, _)) = registries.iter().find(|(_, other)| **other == url) else { continue };
                fields.push(("registry", name.clone()));
            }
            let archive = entry.archive.as_ref().and_then(|text| text.strip_prefix("sha256:")?.parse().ok());
            let locked = Locked {
                name: entry.name.clone(),
                version: Some(entry.vers.clone()),
                archive,
                ..package(loose, SourceId::Registry(url.clone()), checksum)
            };
            let key = entry.name.to_string();
            return Some(Pinned {
                name: loose.name.clone(),
                tool: None,
                entry: Entry { key, fields, dev: false },
                locked,
                standing: Standing::Same,
                upstream: checksum,
            });
        }
    }
    None
}
