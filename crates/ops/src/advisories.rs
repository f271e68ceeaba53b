//! Reads advisory databases and matches them with locked packages: the databases inside the
//! indexes of registries, and those that `[audit]` lists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::CommandContext;
use skillpm_core::advisory::pack::UnpackedAdvisories;
use skillpm_core::advisory::{Advisory, AdvisoryId, AdvisoryMatch, AuditedPackage};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::manifest::audit::AuditTable;
use skillpm_core::package::{Checksum, IndexUrl, SourceId};
use skillpm_core::report::{EventReporter, ProgressEvent, SilentReporter};
use skillpm_registry::index;
use skillpm_registry::sources::{PackageSources, SourceContext};

/// Whether databases are fetched.
#[derive(Clone, Copy)]
pub(super) enum AdvisoryAccess<'a> {
    /// All of them; for one that cannot be reached, the cached copy is used.
    Online(&'a SourceContext),
    /// Only those that this run has fetched already; for the others, the cached copy is used.
    Cached,
}

/// The advisories of all databases.
#[derive(Debug, Default)]
pub(super) struct AdvisoryDatabases {
    list: Vec<AdvisoryDatabase>,
    /// Warnings about databases and advisories that could not be read, each with its help.
    pub remarks: Vec<(String, String)>,
}

#[derive(Debug)]
struct AdvisoryDatabase {
    /// The registry whose index it belongs to; `None` for a database of `[audit]`.
    registry: Option<String>,
    /// Its URL or path.
    origin: String,
    advisories: Vec<Advisory>,
}

/// An advisory that matches a package.
#[derive(Debug, Clone)]
pub(super) struct AdvisoryNotice<'a> {
    pub advisory: &'a Advisory,
    pub hit: AdvisoryMatch,
    /// The URL or path of its database.
    pub origin: &'a str,
}

/// Reads the databases of one project.
pub(super) struct AdvisoryReader<'a, 's> {
    pub context: &'a CommandContext<'a>,
    pub sources: &'a PackageSources<'s>,
    /// The project's root, which paths are relative to.
    pub root: &'a Path,
    pub access: AdvisoryAccess<'a>,
}

impl AdvisoryReader<'_, '_> {
    /// Reads the databases that may have advisories about these packages.
    ///
    /// # Errors
    /// If a database is invalid, or a setting is.
    pub(super) fn read_databases(
        &self,
        table: &AuditTable,
        packages: &[LockedPackage],
    ) -> Result<AdvisoryDatabases> {
        let mut databases = AdvisoryDatabases::default();
        let registries: BTreeSet<&String> = packages
            .iter()
            .filter_map(|locked| registry_url(&locked.source))
            .collect();
        // Nothing to look up: no cache is opened, and no network is required.
        if registries.is_empty() && table.databases.is_empty() {
            return Ok(databases);
        }

        // The copies of an earlier run, for databases that are not fetched or cannot be reached.
        let local = self.context.offline_tools()?;
        let known = |name: Option<&str>| self.context.config.registry(name);
        let before = PackageSources::new(&local, self.root, &known, &SilentReporter);

        for url in registries {
            self.add_registry(&mut databases, url, &before)?;
        }
        for location in &table.databases {
            self.add_listed(&mut databases, location, &local)?;
        }

        Ok(databases)
    }

    /// Adds the advisories inside the index of a registry.
    fn add_registry(
        &self,
        databases: &mut AdvisoryDatabases,
        url: &String,
        before: &PackageSources<'_>,
    ) -> Result<()> {
        let online = || self.sources.open_index(url)?.advisories();
        let cached = || before.open_index(url)?.advisories();

        // `add` and `install` read only the advisories of registries that they read anyway.
        let is_fetched =
            matches!(self.access, AdvisoryAccess::Online(_)) || self.sources.has_opened(url);
        let online: Option<&dyn Fn() -> Result<Option<UnpackedAdvisories>>> =
            if is_fetched { Some(&online) } else { None };

        if let Some(unpacked) = databases.read_or_cached(url, online, &cached, self.access)? {
            databases.add_database(Some(url), url, unpacked);
        }
        Ok(())
    }

    /// Adds a database that `[audit]` lists.
    fn add_listed(
        &self,
        databases: &mut AdvisoryDatabases,
        location: &str,
        local: &SourceContext,
    ) -> Result<()> {
        // Silent: the caller reports once that the cached copy is used.
        let cached = || {
            self.read_database(location, local, &SilentReporter)
                .map(Some)
        };

        let unpacked = match self.access {
            AdvisoryAccess::Online(tools) => {
                let online = || {
                    self.read_database(location, tools, self.context.reporter)
                        .map(Some)
                };
                databases.read_or_cached(location, Some(&online), &cached, self.access)?
            }
            // An install makes no request for it: the copy of the last `audit` counts.
            AdvisoryAccess::Cached => {
                databases.read_or_cached(location, None, &cached, self.access)?
            }
        };

        if let Some(unpacked) = unpacked {
            databases.add_database(None, location, unpacked);
        }
        Ok(())
    }

    /// Reads a database of `[audit]`: the index at a URL, or a directory.
    fn read_database(
        &self,
        location: &str,
        tools: &SourceContext,
        reporter: &dyn EventReporter,
    ) -> Result<UnpackedAdvisories> {
        let tools = tools.for_index(reporter);

        // Anything else is a path, which needs no prefix.
        let is_url = location.contains("://")
            || location.starts_with("git+")
            || location.starts_with("sparse+");
        let read = if is_url {
            location
                .parse::<IndexUrl>()
                .and_then(|url| index::read_database(&url, tools))
        } else if location.starts_with('~') {
            index::read_database_dir(&self.context.expand_path(location), tools)
        } else {
            index::read_database_dir(&self.root.join(location), tools)
        };

        read.map_err(|error| error.note(format!("`databases` under `[audit]` lists `{location}`")))
    }
}

impl AdvisoryDatabases {
    /// Reads a database `online`, else its `cached` copy; `None` if there is neither.
    fn read_or_cached(
        &mut self,
        location: &str,
        online: Option<&dyn Fn() -> Result<Option<UnpackedAdvisories>>>,
        cached: &dyn Fn() -> Result<Option<UnpackedAdvisories>>,
        access: AdvisoryAccess<'_>,
    ) -> Result<Option<UnpackedAdvisories>> {
        let failed = match online.map(|fetch| fetch()) {
            Some(Ok(unpacked)) => return Ok(unpacked),
            // An invalid database is an error of its own: the cached copy would hide it.
            Some(Err(error))
                if error.kind() != FailureKind::Network
                    && matches!(access, AdvisoryAccess::Online(_)) =>
            {
                return Err(error);
            }
            other => other,
        };

        // A copy that cannot be read counts as none, and the warning below says so.
        let cached = cached();

        // Only `audit` promises current advisories; an install with older ones is normal.
        if matches!(access, AdvisoryAccess::Online(_)) {
            let why = failed
                .and_then(Result::err)
                .map_or_else(String::new, |error: Error| format!(": {error}"));
            let (message, help) = match &cached {
                Ok(_) => (
                    format!(
                        "failed to update the advisories of `{location}`, using the cached copy{why}"
                    ),
                    "run the command again with network access",
                ),
                Err(_) => (
                    format!(
                        "failed to fetch the advisories of `{location}`, and no copy is cached{why}"
                    ),
                    "run `skillpm audit` once with network access",
                ),
            };
            self.remarks.push((message, help.to_owned()));
        }

        Ok(cached.ok().flatten())
    }

    fn add_database(
        &mut self,
        registry: Option<&String>,
        origin: &str,
        unpacked: UnpackedAdvisories,
    ) {
        // An advisory that cannot be read is skipped alone; the others still count.
        for skipped in unpacked.skipped {
            let help = "upgrade skillpm, which may read it; otherwise report it to the owners of the database";
            self.remarks.push((
                format!("ignoring an advisory of `{origin}`: {skipped}"),
                help.to_owned(),
            ));
        }

        self.list.push(AdvisoryDatabase {
            registry: registry.cloned(),
            origin: origin.to_owned(),
            advisories: unpacked.advisories,
        });
    }

    /// The advisories that match a locked package, the most severe first.
    pub(super) fn notices_for(&self, locked: &LockedPackage) -> Vec<AdvisoryNotice<'_>> {
        // An advisory may have the checksum of the source's files or of the installed ones.
        let checksums: Vec<Checksum> = [locked.checksum]
            .into_iter()
            .chain(locked.source_checksum)
            .collect();
        let package = AuditedPackage {
            name: &locked.name,
            version: locked.version.as_ref(),
            source: &locked.source,
            commit: locked.commit.as_deref(),
            path: locked.path.as_ref(),
            checksums: &checksums,
        };

        let hits = |database: &AdvisoryDatabase, advisory: &Advisory| {
            advisory.find_match(&package, database.registry.as_deref())
        };
        self.collect_notices(hits)
    }

    /// The advisories about exactly these files, the most severe first.
    pub(super) fn notices_for_content(&self, checksum: Checksum) -> Vec<AdvisoryNotice<'_>> {
        let hit = AdvisoryMatch {
            fixed: None,
            by_content: true,
        };
        self.collect_notices(|_, advisory| {
            advisory.matches_content(&[checksum]).then(|| hit.clone())
        })
    }

    fn collect_notices(
        &self,
        hits: impl Fn(&AdvisoryDatabase, &Advisory) -> Option<AdvisoryMatch>,
    ) -> Vec<AdvisoryNotice<'_>> {
        let mut found: BTreeMap<&AdvisoryId, AdvisoryNotice<'_>> = BTreeMap::new();
        for database in &self.list {
            for advisory in &database.advisories {
                if let Some(hit) = hits(database, advisory) {
                    let notice = AdvisoryNotice {
                        advisory,
                        hit,
                        origin: &database.origin,
                    };
                    // An id that is in several databases counts once, as in the first one.
                    found.entry(&advisory.id).or_insert(notice);
                }
            }
        }

        let mut found: Vec<AdvisoryNotice<'_>> = found.into_values().collect();
        // A stable sort: those of one severity stay in the order of their ids.
        found.sort_by_key(|notice| std::cmp::Reverse(notice.advisory.severity));
        found
    }

    /// Whether no database has an advisory.
    pub(super) fn is_empty(&self) -> bool {
        self.list
            .iter()
            .all(|database| database.advisories.is_empty())
    }

    /// The id of the advisory with this id or alias.
    pub(super) fn find_id(&self, name: &str) -> Option<&AdvisoryId> {
        let mut all = self.list.iter().flat_map(|database| &database.advisories);
        all.find(|advisory| advisory.has_id_or_alias(name))
            .map(|advisory| &advisory.id)
    }
}

impl AdvisoryNotice<'_> {
    /// The help: the command that updates to a fixed version, or removes the package.
    pub(super) fn help(&self, locked: &LockedPackage, required_by: &LockedPackage) -> String {
        match &self.hit.fixed {
            Some(fixed) => format!(
                "`skillpm update {}`: {fixed} is not affected",
                locked.install_name()
            ),
            None => format!(
                // The package that the manifest names: a dependency cannot be removed alone.
                "no fixed version is available: `skillpm remove {}`",
                required_by.install_name()
            ),
        }
    }

    /// The warning before an affected package is installed.
    pub(super) fn warning(&self, locked: &LockedPackage) -> ProgressEvent {
        let Advisory {
            id,
            severity,
            summary,
            ..
        } = self.advisory;
        ProgressEvent::Warning {
            message: format!(
                "{id}, {severity}: `{}` {}",
                locked.reference(),
                describe_summary(summary)
            ),
            help: Some(format!(
                "{}; details: `skillpm audit`",
                self.help(locked, locked)
            )),
        }
    }
}

/// A summary as it follows the package's name in a message.
pub(super) fn describe_summary(summary: &str) -> String {
    format!("has an advisory: {}", summary.escape_debug())
}

fn registry_url(source: &SourceId) -> Option<&String> {
    match source {
        SourceId::Registry(url) => Some(url),
        _ => None,
    }
}
