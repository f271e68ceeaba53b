//! Skills that nobody claims: whoever wrote them keeps them, unless a registry knows them byte for byte.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::pin::{Pinned, Standing};
use super::records::Records;
use super::survey::Survey;
use crate::error::Result;
use crate::io::disk;
use crate::lockfile::Locked;
use crate::manifest::edit::Entry;
use crate::ops::Context;
use crate::ops::add::caret;
use crate::ops::sync::Held;
use crate::package::{Checksum, PackageName, SkillName, SourceId};
use crate::sources::Sources;

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
        let checksum = |at: &usize| disk::read_tree(&survey.path(*at).join(name.as_str())).ok().map(|tree| Checksum::of(&tree));
        let checksums: BTreeSet<Option<Checksum>> = dirs.iter().map(checksum).collect();
        let places = dirs.iter().map(|at| survey.target(*at).join(name.as_str())).collect();
        let checksum = if checksums.len() == 1 { checksums.into_iter().next().flatten() } else { None };
        Loose { name, places, checksum }
    };
    Ok(found.into_iter().map(loose).collect())
}

/// The version that a registry has of it, byte for byte, if one has.
pub(super) fn known(context: &Context<'_>, sources: &Sources<'_>, loose: &Loose) -> Result<Option<Pinned>> {
    let Some(checksum) = loose.checksum else { return Ok(None) };
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
                alias: None,
                version: Some(entry.vers.clone()),
                source: SourceId::Registry(url.clone()),
                commit: None,
                path: None,
                tree: None,
                checksum,
                source_checksum: None,
                archive,
                replaces: Vec::new(),
                dependencies: vec![String::new()],
            };
            let key = entry.name.to_string();
            return Ok(Some(Pinned {
                name: loose.name.clone(),
                tool: None,
                entry: Entry { key, fields, dev: false },
                locked,
                standing: Standing::Same,
                upstream: checksum,
            }));
        }
    }
    Ok(None)
}
