//! `search`: searches every registry and the installed skills for words.
//!
//! A registry is searched by its table (`index::search`), which the first search builds. Later
//! searches make no requests: local files are read again, and network data stays as it was last
//! fetched until `--refresh`. For a registry with a search index (`index::search::shards`) a table
//! of the packages that the query may find is fetched each time. Installed skills are one more table, built in memory. An installed
//! package of a registry is found once.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::CommandContext;
use super::catalog::{CatalogOptions, catalog};
use skillpm_catalog::catalog::{Catalog, SkillCandidate, Tier};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::{IndexUrl, PackageName, SourceId};
use skillpm_core::report::ProgressEvent;
use skillpm_registry::index::search::{
    self, DuplicateRow, SearchQuery, SearchResults, SearchRow, SearchTable, TableBasis, TableStore,
    WordCorrection, suggest_names,
};
use skillpm_registry::sources::{PackageSources, SourceContext};
use skillpm_registry::workspace::WorkspaceKind;

/// The age of a registry's data after which a warning is reported.
const STALE: Duration = Duration::from_hours(7 * 24);

/// The highest number of suggested names if nothing is found.
const NAMES_MAX: usize = 5;

/// What to search for, and where.
#[derive(Debug, Clone, Default)]
pub struct SearchOptions {
    /// The words.
    pub words: Vec<String>,
    /// Searches only this registry, and no installed skills.
    pub registry: Option<String>,
    /// Searches only installed skills.
    pub installed: bool,
    /// Searches only installed skills of this tier.
    pub tier: Option<Tier>,
    /// Whether to fetch the registries' current data.
    pub refresh: bool,
    /// The highest number of hits.
    pub limit: usize,
}

/// The result of [`search()`].
#[derive(Debug, Default)]
pub struct SearchReport {
    /// The hits, best first.
    pub hits: Vec<PackageHit>,
    /// The number of all hits.
    pub total: usize,
    /// The registries that were searched.
    pub registries: Vec<String>,
    /// Words without a match, and the words that were searched for instead.
    pub corrections: Vec<WordCorrection>,
    /// Whether no package has all of the words, so that the hits have only some.
    pub partial: bool,
    /// Similar names, if nothing was found.
    pub near: Vec<String>,
    /// The error of the first registry that could not be searched.
    pub failed: Option<Error>,
}

/// A package or skill that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageHit {
    /// Its name, version and description.
    pub row: SearchRow,
    /// The registry that has it; `None` for a skill that is only installed.
    pub registry: Option<NamedRegistry>,
    /// Its installed copies, the highest tier first.
    pub installed: Vec<InstalledCopy>,
}

/// A registry as it is configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedRegistry {
    /// Its name.
    pub name: String,
    /// The URL of its index.
    pub index: String,
}

/// One installed copy of a package or skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledCopy {
    /// The tier.
    pub tier: Tier,
    /// The name it is installed under.
    pub name: String,
    /// Its version, if it has one.
    pub version: Option<String>,
    /// The path of its `SKILL.md`; `None` if it is only locked.
    pub location: Option<PathBuf>,
}

/// Searches for words.
///
/// A registry that cannot be searched does not prevent searching the others; its error is in
/// [`SearchReport::failed`].
///
/// # Errors
/// If the only requested registry cannot be searched, or settings or lockfiles are invalid.
pub fn search(context: &CommandContext<'_>, options: &SearchOptions) -> Result<SearchReport> {
    let query = SearchQuery::new(&options.words);
    if query.is_empty() {
        return Err(Error::usage("missing search words").help("pass a word with letters or digits"));
    }

    let job = SearchJob {
        context,
        options,
        query: &query,
    };
    let mut found = SearchReport::default();
    let tools = (context.tools()?, context.offline_tools()?);
    let mut corpus = job.open_registries(&tools, &mut found)?;

    context.reporter.report(ProgressEvent::Fetched);
    // Before the installed skills are added: lockfiles match them with the registries' rows.
    corpus.lockfiles = read_lockfiles(context)?;

    if options.registry.is_none() {
        job.add_installed(&mut corpus)?;
    }

    let result = job.run(&mut corpus, &tools)?;

    for hit in &result.hits {
        found.hits.push(corpus.hit(hit.table, hit.row)?);
    }
    (found.total, found.partial) = (result.total, result.partial);
    found.corrections = result.corrections;

    if found.total == 0 {
        found.near =
            suggest_names(&mut corpus.tables, &query, NAMES_MAX).map_err(|_| damaged_table())?;
    }

    Ok(found)
}

fn damaged_table() -> Error {
    Error::disk("the search table of a registry is corrupt")
        .help("run the command again, which rebuilds it")
}

/// The lockfiles of the current project and of the user's own skills, by tier.
pub(super) fn read_lockfiles(context: &CommandContext<'_>) -> Result<Vec<(Tier, Lockfile)>> {
    let mut locks = Vec::new();
    if let Some(workspace) = context.project()? {
        locks.extend(workspace.lockfile()?.map(|lock| (Tier::Workspace, lock)));
    }

    locks.extend(
        context
            .workspace(WorkspaceKind::Managed)?
            .lockfile()?
            .map(|lock| (Tier::Managed, lock)),
    );
    Ok(locks)
}

/// One search.
struct SearchJob<'d> {
    context: &'d CommandContext<'d>,
    options: &'d SearchOptions,
    query: &'d SearchQuery,
}

/// The searched tables: those of the registries, then that of installed skills.
#[derive(Default)]
struct SearchCorpus {
    tables: Vec<SearchTable>,
    /// One for each of the first tables.
    registries: Vec<NamedRegistry>,
    /// One for each row of the last table.
    installed: Vec<InstalledCopy>,
    duplicates: Vec<DuplicateRow>,
    lockfiles: Vec<(Tier, Lockfile)>,
}

impl SearchJob<'_> {
    /// Opens the tables of the registries; those that cannot be read are recorded in `found`.
    fn open_registries(
        &self,
        tools: &(SourceContext, SourceContext),
        found: &mut SearchReport,
    ) -> Result<SearchCorpus> {
        let mut corpus = SearchCorpus::default();
        for registry in self.registries()? {
            let table = match self.table(&registry, tools) {
                Ok(table) => Some(table),
                // The only requested registry must be searched: other results do not replace it.
                Err(error) if self.options.registry.is_some() => return Err(error),
                Err(error) => {
                    self.record_failure(&registry, error, found);
                    // An old table is better than none; the report has the error, too.
                    self.cached_table(&registry, &tools.1)
                }
            };

            // Pushed together: a table and its registry have the same index.
            if let Some(table) = table {
                found.registries.push(registry.name.clone());
                corpus.registries.push(registry);
                corpus.tables.push(table);
            }
        }
        Ok(corpus)
    }

    fn run(
        &self,
        corpus: &mut SearchCorpus,
        tools: &(SourceContext, SourceContext),
    ) -> Result<SearchResults> {
        let (query, limit) = (self.query, self.options.limit);
        match corpus.run(query, limit) {
            Ok(result) => Ok(result),
            // A table file may be damaged: it is rebuilt, once.
            Err(damaged) => {
                self.rebuild_table(corpus, damaged, tools)?;
                corpus.run(query, limit).map_err(|_| damaged_table())
            }
        }
    }

    /// The registries to search: each index once, under the first of its names.
    fn registries(&self) -> Result<Vec<NamedRegistry>> {
        let config = &self.context.config;
        let names = match &self.options.registry {
            Some(name) => vec![name.clone()],
            None if self.options.installed || self.options.tier.is_some() => Vec::new(),
            None => config.registry_names(),
        };

        let mut registries: Vec<NamedRegistry> = Vec::new();
        for name in names {
            let index = config.registry(Some(&name))?;
            // Two names of one index would give every hit twice.
            if registries.iter().all(|known| known.index != index) {
                registries.push(NamedRegistry { name, index });
            }
        }
        Ok(registries)
    }

    /// The registry's table: the local one if there is one, else, or with `refresh`, one of its
    /// current data.
    fn table(
        &self,
        registry: &NamedRegistry,
        (tools, local): &(SourceContext, SourceContext),
    ) -> Result<SearchTable> {
        let tables = self.context.search_tables(local);
        // With a mirror, the table is that of the mirror.
        let index_url = local
            .mirrors
            .get(&registry.index)
            .unwrap_or(&registry.index);

        let cached = if self.options.refresh {
            None
        } else {
            tables.open_table(index_url)
        };

        if let Some(cached) = cached {
            // Before it is opened: rebuilding it from local data changes its time, but is no check.
            let checked = tables.last_checked(index_url);
            // Local files may have changed. If they cannot be read, the table is still valid.
            let table = self.open(registry, &tables, local, false).unwrap_or(cached);
            self.warn_if_stale(registry, checked);
            return Ok(table);
        }

        let table = self.open(
            registry,
            &tables,
            // Offline, a table can still be built from caches and local files.
            if tools.offline { local } else { tools },
            !tools.offline,
        )?;

        self.warn_if_partial(registry, &table);
        Ok(table)
    }

    fn open(
        &self,
        registry: &NamedRegistry,
        tables: &TableStore<'_>,
        tools: &SourceContext,
        refresh: bool,
    ) -> Result<SearchTable> {
        let registries = |name: Option<&str>| self.context.config.registry(name);

        let sources = PackageSources::new(
            tools,
            &self.context.dirs.cwd,
            &registries,
            self.context.reporter,
        );

        let index = sources.open_index(&registry.index)?;
        // Of a large index only the packages that this query may find are fetched.
        let found = index.search_shards(self.query, self.options.limit, self.context.reporter)?;
        let Some(table) = found else {
            return index.search_table(tables, refresh);
        };

        // A table of the whole list would be used by later searches, and is older.
        if refresh {
            tables.discard(index.url())?;
        }
        Ok(table)
    }

    /// The table as last built, if it cannot be updated.
    fn cached_table(&self, registry: &NamedRegistry, local: &SourceContext) -> Option<SearchTable> {
        self.context.search_tables(local).open_table(
            local
                .mirrors
                .get(&registry.index)
                .unwrap_or(&registry.index),
        )
    }

    /// Warns if the data of a remote registry is old.
    fn warn_if_stale(&self, registry: &NamedRegistry, checked: Option<SystemTime>) {
        if registry
            .index
            .parse::<IndexUrl>()
            // A local index is read again by every search, and never old.
            .is_ok_and(|url| url.is_local())
        {
            return;
        }

        // A clock that was set back gives no age, and no warning.
        let age = checked
            .and_then(|checked| self.context.start_time().duration_since(checked).ok())
            .unwrap_or_default();

        if age > STALE {
            self.context.reporter.report(ProgressEvent::Warning {
                message: format!(
                    "data of registry `{}` is {} days old",
                    registry.name,
                    age.as_secs() / 86_400
                ),
                help: Some("pass `--refresh` to fetch its current data".into()),
            });
        }
    }

    fn warn_if_partial(&self, registry: &NamedRegistry, table: &SearchTable) {
        if table.basis() == TableBasis::Cached {
            self.context.reporter.report(ProgressEvent::Warning {
                message: format!(
                    "registry `{}` has no search list: only the {} packages that were fetched before are searched",
                    registry.name,
                    table.len()
                ),
                help: Some("its owners can publish `search.jsonl`, which `skillpm registry site` writes".into()),
            });
        }
    }

    /// Records that a registry cannot be searched. Offline that is a warning, since the user asked
    /// for it.
    fn record_failure(&self, registry: &NamedRegistry, error: Error, found: &mut SearchReport) {
        let error = error.wrap(format!("failed to search registry `{}`", registry.name));
        // Offline was the user's choice; one failure is enough for the exit code.
        let is_offline =
            error.kind() == FailureKind::Network && self.context.config.switch("net.offline");
        if is_offline || found.failed.is_some() {
            let message =
                std::iter::once(error.message()).chain(error.causes().iter().map(String::as_str));
            let message = message.collect::<Vec<_>>().join(": ");
            self.context.reporter.report(ProgressEvent::Warning {
                message,
                help: error.helps().first().cloned(),
            });
        } else {
            found.failed = Some(error);
        }
    }

    /// Rebuilds a damaged table.
    fn rebuild_table(
        &self,
        corpus: &mut SearchCorpus,
        damaged: usize,
        tools: &(SourceContext, SourceContext),
    ) -> Result<()> {
        let registry = corpus.registries.get(damaged).ok_or_else(damaged_table)?;
        self.context.reporter.report(ProgressEvent::warning(format!(
            "the search table of registry `{}` is corrupt; rebuilding it",
            registry.name
        )));

        // Removed first: otherwise the damaged file would be opened again.
        self.context.search_tables(&tools.1).discard(
            tools
                .1
                .mirrors
                .get(&registry.index)
                .unwrap_or(&registry.index),
        )?;

        corpus.tables[damaged] = self.table(registry, tools)?;
        Ok(())
    }

    /// Adds the table of installed skills.
    fn add_installed(&self, corpus: &mut SearchCorpus) -> Result<()> {
        let catalog = catalog(self.context, &CatalogOptions::default())?;
        let mut rows = Vec::new();
        let at = corpus.tables.len();

        for candidate in self.candidates(&catalog) {
            let tier = catalog.roots[usize::from(candidate.root)].tier;
            let duplicate = corpus
                .locked(tier, candidate)
                .and_then(|locked| corpus.duplicate(locked));
            // A registry's package that is installed is shown once, by the registry's row.
            let row = u32::try_from(rows.len()).map_err(|_| Error::internal("too many skills"))?;
            corpus
                .duplicates
                .extend(duplicate.map(|(table, name)| DuplicateRow {
                    table,
                    name,
                    other: (at, row),
                }));

            // The rows of this table and `installed` have the same order.
            corpus.installed.push(InstalledCopy {
                tier,
                name: candidate.directory.to_string(),
                version: candidate.version().map(str::to_owned),
                location: Some(candidate.location(&catalog.roots)),
            });
            rows.push(row_of(candidate));
        }

        corpus.tables.push(SearchTable::from_rows(&rows));
        Ok(())
    }

    /// The active skill of each name; with a tier, all skills of that tier.
    fn candidates<'c>(&self, catalog: &'c Catalog) -> Vec<&'c SkillCandidate> {
        let winners = catalog.entries.iter().map(|entry| &entry.candidate);
        // With a tier, also its skills that a higher tier shadows.
        let Some(tier) = self.options.tier else {
            return winners.collect();
        };
        let all = winners.flat_map(|winner| std::iter::once(winner).chain(&winner.shadows));
        all.filter(|candidate| catalog.roots[usize::from(candidate.root)].tier == tier)
            .collect()
    }
}

pub(super) fn row_of(candidate: &SkillCandidate) -> SearchRow {
    let facts = candidate.listing.facts();
    SearchRow {
        name: candidate.listing.name.to_string(),
        vers: candidate.version().map(str::to_owned),
        description: Some(candidate.listing.description.to_string()),
        keywords: facts.tags.iter().map(ToString::to_string).collect(),
        license: facts.license.as_deref().map(str::to_owned),
        pubtime: None,
    }
}

impl SearchCorpus {
    /// Searches all tables; on failure, returns the index of the damaged one.
    fn run(&mut self, query: &SearchQuery, limit: usize) -> Result<SearchResults, usize> {
        search::search_tables(&mut self.tables, query, &self.duplicates, limit)
    }
    /// The lockfile entry of a skill in a tier, if it was installed from that lockfile.
    fn locked(&self, tier: Tier, candidate: &SkillCandidate) -> Option<&LockedPackage> {
        let source = candidate.source.as_deref()?;
        let (_, lock) = self.lockfiles.iter().find(|(of, _)| *of == tier)?;

        let locked = lock.installed_as(&candidate.directory.parse().ok()?)?;
        // The name alone could be another package's: the source has to match.
        source
            .starts_with(&locked.source.to_string())
            .then_some(locked)
    }

    /// The table and name of a locked package, if its registry is searched.
    fn duplicate(&self, locked: &LockedPackage) -> Option<(usize, String)> {
        let SourceId::Registry(index) = &locked.source else {
            return None;
        };

        let table = self
            .registries
            .iter()
            .position(|registry| registry.index == *index)?;
        Some((table, locked.name.to_string()))
    }

    fn hit(&mut self, table: usize, row: u32) -> Result<PackageHit> {
        let found = self.tables[table].row(row).map_err(|_| damaged_table())?;
        // Tables of registries come first; the last one is that of installed skills.
        match self.registries.get(table) {
            Some(registry) => {
                let installed = installed_copies(&self.lockfiles, &registry.index, &found.name);
                Ok(PackageHit {
                    row: found,
                    registry: Some(registry.clone()),
                    installed,
                })
            }
            None => Ok(PackageHit {
                row: found,
                registry: None,
                installed: vec![self.installed[row as usize].clone()],
            }),
        }
    }
}

/// The installed copies of a registry's package, by the lockfiles.
pub(super) fn installed_copies(
    locks: &[(Tier, Lockfile)],
    index: &str,
    name: &str,
) -> Vec<InstalledCopy> {
    // A row with an invalid name cannot be installed.
    let Ok(name) = name.parse::<PackageName>() else {
        return Vec::new();
    };

    let from_there = |locked: &&LockedPackage| {
        locked.name == name
            && matches!(&locked.source, SourceId::Registry(registry) if registry == index)
    };

    let mut found = Vec::new();
    for (tier, lock) in locks {
        let packages = lock.packages().iter().filter(from_there);
        found.extend(packages.map(|locked| InstalledCopy {
            tier: *tier,
            name: locked.install_name().to_string(),
            version: locked.version.as_ref().map(ToString::to_string),
            location: None,
        }));
    }
    found
}
