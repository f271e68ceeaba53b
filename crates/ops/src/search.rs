//! `search`: words, in every registry and in the tiers.
//!
//! A registry is searched by its table (`index::search`), made when it is first searched. Later searches ask nobody:
//! what lies on this disk is looked at anew, and what only the network can tell is taken as it was last told, until
//! `--refresh`. Installed skills are one more table, made on the spot. Where a registry's package is installed, it is
//! found once.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::Context;
use super::catalog::{CatalogOptions, catalog};
use crate::catalog::{Candidate, Catalog, Tier};
use crate::error::{Error, Kind, Result};
use crate::index::search::{self, Basis, Correction, Query, Row, Table, Tables, Twin, near_names};
use crate::lockfile::{Locked, Lockfile};
use crate::package::{IndexUrl, PackageName, SourceId};
use crate::report::Event;
use crate::sources::{Sources, Tools};
use crate::workspace::Sort;

/// After how long it is said that a registry was not asked.
const STALE: Duration = Duration::from_hours(7 * 24);

/// How many names are offered where nothing is found.
const NAMES: usize = 5;

/// What to look for, and where.
#[derive(Debug, Clone, Default)]
pub struct SearchOptions {
    /// The words.
    pub words: Vec<String>,
    /// Just this registry, and no tier.
    pub registry: Option<String>,
    /// Just what is installed.
    pub installed: bool,
    /// Just what is installed in this tier.
    pub tier: Option<Tier>,
    /// Whether to ask the registries what there is now.
    pub refresh: bool,
    /// How many to give.
    pub limit: usize,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Search {
    /// The best, the best first.
    pub hits: Vec<Hit>,
    /// How many there are.
    pub total: usize,
    /// The registries that were searched.
    pub registries: Vec<String>,
    /// Words that stand nowhere, and what was looked for instead.
    pub corrections: Vec<Correction>,
    /// Whether nothing has all of the words, so that what has some is given.
    pub partial: bool,
    /// Where nothing was found: names that may have been meant.
    pub near: Vec<String>,
    /// Why a registry could not be searched, of the first that could not.
    pub failed: Option<Error>,
}

/// A package or skill that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// What it says of itself.
    pub row: Row,
    /// The registry that has it; `None` for a skill that is only installed.
    pub registry: Option<Registry>,
    /// Where it is installed, the highest tier first.
    pub installed: Vec<Installed>,
}

/// A registry as it is configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registry {
    /// Its name.
    pub name: String,
    /// The URL of its index.
    pub index: String,
}

/// One installed copy of a package or skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The tier.
    pub tier: Tier,
    /// The name it is installed under.
    pub name: String,
    /// Its version, where it has one.
    pub version: Option<String>,
    /// Its `SKILL.md`; `None` where it is only locked.
    pub location: Option<PathBuf>,
}

/// Looks for words.
///
/// A registry that cannot be searched does not keep the others from it; why not is in [`Search::failed`].
///
/// # Errors
/// If the one registry that was asked for cannot be searched, or settings or lockfiles cannot be understood.
pub fn search(context: &Context<'_>, options: &SearchOptions) -> Result<Search> {
    let query = Query::new(&options.words);
    if query.is_empty() {
        return Err(Error::usage("there is no word to search for").help("a word has letters or digits in it"));
    }
    let desk = Desk { context, options };
    let mut found = Search::default();
    let tools = (context.tools()?, context.local_tools()?);
    let mut ground = Ground::default();
    for registry in desk.registries()? {
        let table = match desk.table(&registry, &tools) {
            Ok(table) => Some(table),
            Err(error) if options.registry.is_some() => return Err(error),
            Err(error) => {
                desk.lament(&registry, error, &mut found);
                desk.kept(&registry, &tools.1)
            }
        };
        if let Some(table) = table {
            found.registries.push(registry.name.clone());
            ground.registries.push(registry);
            ground.tables.push(table);
        }
    }
    context.reporter.report(Event::Fetched);
    ground.locks = locks(context)?;
    if options.registry.is_none() {
        desk.add_installed(&mut ground)?;
    }
    let result = match search::search(&mut ground.tables, &query, &ground.twins, options.limit) {
        Ok(result) => result,
        Err(damaged) => {
            desk.mend(&mut ground, damaged, &tools)?;
            search::search(&mut ground.tables, &query, &ground.twins, options.limit).map_err(|_| unreadable())?
        }
    };
    for hit in &result.hits {
        found.hits.push(ground.hit(hit.table, hit.row)?);
    }
    (found.total, found.partial) = (result.total, result.partial);
    found.corrections = result.corrections;
    if found.total == 0 {
        found.near = near_names(&mut ground.tables, &query, NAMES).map_err(|_| unreadable())?;
    }
    Ok(found)
}

fn unreadable() -> Error {
    Error::disk("the table of a registry was damaged while it was read").help("run it again; it is made anew then")
}

/// The lockfiles of the project here and of the person's own, by tier.
pub(super) fn locks(context: &Context<'_>) -> Result<Vec<(Tier, Lockfile)>> {
    let mut locks = Vec::new();
    if let Some(workspace) = context.project()? {
        locks.extend(workspace.lockfile()?.map(|lock| (Tier::Workspace, lock)));
    }
    locks.extend(context.workspace(Sort::Managed)?.lockfile()?.map(|lock| (Tier::Managed, lock)));
    Ok(locks)
}

/// How one search is done.
struct Desk<'d> {
    context: &'d Context<'d>,
    options: &'d SearchOptions,
}

/// What one search goes through: the registries' tables, then that of what is installed.
#[derive(Default)]
struct Ground {
    tables: Vec<Table>,
    /// One for each of the first tables.
    registries: Vec<Registry>,
    /// One for each row of the table after those.
    installed: Vec<Installed>,
    twins: Vec<Twin>,
    locks: Vec<(Tier, Lockfile)>,
}

impl Desk<'_> {
    /// The registries to search: each index once, under the first of its names.
    fn registries(&self) -> Result<Vec<Registry>> {
        let config = &self.context.config;
        let names = match &self.options.registry {
            Some(name) => vec![name.clone()],
            None if self.options.installed || self.options.tier.is_some() => Vec::new(),
            None => config.registry_names(),
        };
        let mut registries: Vec<Registry> = Vec::new();
        for name in names {
            let index = config.registry(Some(&name))?;
            if registries.iter().all(|known| known.index != index) {
                registries.push(Registry { name, index });
            }
        }
        Ok(registries)
    }

    /// The registry's table: of what is here if there is one, else, or if that is asked for, of what there is now.
    fn table(&self, registry: &Registry, (tools, local): &(Tools, Tools)) -> Result<Table> {
        let tables = self.context.tables(local);
        let place = local.mirrors.get(&registry.index).unwrap_or(&registry.index);
        let kept = if self.options.refresh { None } else { tables.take(place) };
        if let Some(kept) = kept {
            // Before it is opened: what is made anew of what is here tells nothing of the network.
            let checked = tables.checked(place);
            let table = self.open(registry, &tables, local, false).unwrap_or(kept);
            self.tell_age(registry, checked);
            return Ok(table);
        }
        let table = self.open(registry, &tables, if tools.offline { local } else { tools }, !tools.offline)?;
        self.tell_basis(registry, &table);
        Ok(table)
    }

    fn open(&self, registry: &Registry, tables: &Tables<'_>, tools: &Tools, anew: bool) -> Result<Table> {
        let registries = |name: Option<&str>| self.context.config.registry(name);
        let sources = Sources::new(tools, &self.context.places.here, &registries, self.context.reporter);
        sources.index(&registry.index)?.table(tables, anew)
    }

    /// The table as it was last made, for where it cannot be brought up to date.
    fn kept(&self, registry: &Registry, local: &Tools) -> Option<Table> {
        self.context.tables(local).take(local.mirrors.get(&registry.index).unwrap_or(&registry.index))
    }

    /// Says so where a registry that is elsewhere was not asked for long.
    fn tell_age(&self, registry: &Registry, checked: Option<SystemTime>) {
        if registry.index.parse::<IndexUrl>().is_ok_and(|url| url.is_local()) {
            return;
        }
        let age = checked.and_then(|checked| self.context.clock().duration_since(checked).ok()).unwrap_or_default();
        if age > STALE {
            self.context.reporter.report(Event::Warning {
                message: format!("registry `{}` was last asked {} days ago", registry.name, age.as_secs() / 86_400),
                help: Some("`--refresh` asks it what there is now".into()),
            });
        }
    }

    fn tell_basis(&self, registry: &Registry, table: &Table) {
        if table.basis() == Basis::Brought {
            self.context.reporter.report(Event::Warning {
                message: format!(
                    "registry `{}` publishes no list to search; what is known of it are the {} packages that were asked for before",
                    registry.name,
                    table.len()
                ),
                help: Some("its owners can publish `search.jsonl`: `skillpm registry site` writes it".into()),
            });
        }
    }

    /// Notes that a registry cannot be searched. With the network off that is what was asked for, and no failure.
    fn lament(&self, registry: &Registry, error: Error, found: &mut Search) {
        let error = error.wrap(format!("registry `{}` could not be asked", registry.name));
        let is_asked_for = error.kind() == Kind::Network && self.context.config.switch("net.offline");
        if is_asked_for || found.failed.is_some() {
            let message = std::iter::once(error.message()).chain(error.causes().iter().map(String::as_str));
            let message = message.collect::<Vec<_>>().join(": ");
            self.context.reporter.report(Event::Warning { message, help: error.helps().first().cloned() });
        } else {
            found.failed = Some(error);
        }
    }

    /// Makes a damaged table anew.
    fn mend(&self, ground: &mut Ground, damaged: usize, tools: &(Tools, Tools)) -> Result<()> {
        let registry = ground.registries.get(damaged).ok_or_else(unreadable)?;
        self.context
            .reporter
            .report(Event::warning(format!("the table of registry `{}` is damaged, and made anew", registry.name)));
        self.context.tables(&tools.1).discard(tools.1.mirrors.get(&registry.index).unwrap_or(&registry.index))?;
        ground.tables[damaged] = self.table(registry, tools)?;
        Ok(())
    }

    /// Adds the table of what is installed.
    fn add_installed(&self, ground: &mut Ground) -> Result<()> {
        let catalog = catalog(self.context, &CatalogOptions::default())?;
        let mut rows = Vec::new();
        let at = ground.tables.len();
        for candidate in self.candidates(&catalog) {
            let tier = catalog.roots[usize::from(candidate.root)].tier;
            let twin = ground.locked(tier, candidate).and_then(|locked| ground.twin(locked));
            let row = u32::try_from(rows.len()).map_err(|_| Error::internal("there are too many skills"))?;
            ground.twins.extend(twin.map(|(table, name)| Twin { table, name, other: (at, row) }));
            ground.installed.push(Installed {
                tier,
                name: candidate.directory.to_string(),
                version: candidate.version().map(str::to_owned),
                location: Some(candidate.location(&catalog.roots)),
            });
            rows.push(row_of(candidate));
        }
        ground.tables.push(Table::of(&rows));
        Ok(())
    }

    /// The skills that names mean; of one tier, all that stand in it.
    fn candidates<'c>(&self, catalog: &'c Catalog) -> Vec<&'c Candidate> {
        let winners = catalog.entries.iter().map(|entry| &entry.candidate);
        let Some(tier) = self.options.tier else { return winners.collect() };
        let all = winners.flat_map(|winner| std::iter::once(winner).chain(&winner.shadows));
        all.filter(|candidate| catalog.roots[usize::from(candidate.root)].tier == tier).collect()
    }
}

pub(super) fn row_of(candidate: &Candidate) -> Row {
    let facts = candidate.listing.facts();
    Row {
        name: candidate.listing.name.to_string(),
        vers: candidate.version().map(str::to_owned),
        description: Some(candidate.listing.description.to_string()),
        keywords: facts.tags.iter().map(ToString::to_string).collect(),
        license: facts.license.as_deref().map(str::to_owned),
        pubtime: None,
    }
}

impl Ground {
    /// What the lockfile of a tier says of a skill that was found there, if the lockfile put it there.
    fn locked(&self, tier: Tier, candidate: &Candidate) -> Option<&Locked> {
        let source = candidate.source.as_deref()?;
        let (_, lock) = self.locks.iter().find(|(of, _)| *of == tier)?;
        let locked = lock.installed_as(&candidate.directory.parse().ok()?)?;
        source.starts_with(&locked.source.to_string()).then_some(locked)
    }

    /// The table and name of the package that was locked, if a registry that is searched has it.
    fn twin(&self, locked: &Locked) -> Option<(usize, String)> {
        let SourceId::Registry(index) = &locked.source else { return None };
        let table = self.registries.iter().position(|registry| registry.index == *index)?;
        Some((table, locked.name.to_string()))
    }

    fn hit(&mut self, table: usize, row: u32) -> Result<Hit> {
        let found = self.tables[table].row(row).map_err(|_| unreadable())?;
        match self.registries.get(table) {
            Some(registry) => {
                let installed = installed(&self.locks, &registry.index, &found.name);
                Ok(Hit { row: found, registry: Some(registry.clone()), installed })
            }
            None => Ok(Hit { row: found, registry: None, installed: vec![self.installed[row as usize].clone()] }),
        }
    }
}

/// Where a registry's package is installed, by the lockfiles.
pub(super) fn installed(locks: &[(Tier, Lockfile)], index: &str, name: &str) -> Vec<Installed> {
    let Ok(name) = name.parse::<PackageName>() else { return Vec::new() };
    let from_there = |locked: &&Locked| {
        locked.name == name && matches!(&locked.source, SourceId::Registry(registry) if registry == index)
    };
    let of_lock = |(tier, lock): &(Tier, Lockfile)| {
        let tier = *tier;
        let packages = lock.packages().iter().filter(from_there);
        packages
            .map(move |locked| Installed {
                tier,
                name: locked.install_name().to_string(),
                version: locked.version.as_ref().map(ToString::to_string),
                location: None,
            })
            .collect::<Vec<_>>()
    };
    locks.iter().flat_map(of_lock).collect()
}
