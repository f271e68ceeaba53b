//! What databases of advisories say of packages: those that the indexes of registries carry, and those that `[audit]`
//! names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Context;
use crate::advisory::pack::Unpacked;
use crate::advisory::{Advisory, AdvisoryId, Held, Hit};
use crate::error::{Error, Kind, Result};
use crate::index;
use crate::lockfile::Locked;
use crate::manifest::audit::AuditTable;
use crate::package::{Checksum, IndexUrl, SourceId};
use crate::report::{Event, Reporter, Silent};
use crate::sources::{Sources, Tools};

/// Whether places elsewhere are asked.
#[derive(Clone, Copy)]
pub(super) enum Ask<'a> {
    /// All of them, with these; where one cannot be reached, what it said before counts.
    Now(&'a Tools),
    /// Only those that this run has asked already; of the others counts what they said before.
    Not,
}

/// Every advisory that is known here.
#[derive(Debug, Default)]
pub(super) struct Databases {
    list: Vec<Database>,
    /// What could not be known, each with what to do about it.
    pub remarks: Vec<(String, String)>,
}

#[derive(Debug)]
struct Database {
    /// The registry whose index it is.
    own: Option<String>,
    /// Its URL or path.
    origin: String,
    advisories: Vec<Advisory>,
}

/// An advisory that is about a package.
#[derive(Debug, Clone)]
pub(super) struct Notice<'a> {
    pub advisory: &'a Advisory,
    pub hit: Hit,
    /// Where it is from.
    pub origin: &'a str,
}

/// What it takes to read them.
pub(super) struct Reading<'a, 's> {
    pub context: &'a Context<'a>,
    pub sources: &'a Sources<'s>,
    /// The project's root, which paths are relative to.
    pub root: &'a Path,
    pub ask: Ask<'a>,
}

impl Reading<'_, '_> {
    /// The databases that have a word on these packages.
    ///
    /// # Errors
    /// If one that is asked is none, or a setting cannot be.
    pub(super) fn databases(&self, table: &AuditTable, packages: &[Locked]) -> Result<Databases> {
        let mut databases = Databases::default();
        let registries: BTreeSet<&String> = packages.iter().filter_map(|locked| registry(&locked.source)).collect();
        if registries.is_empty() && table.databases.is_empty() {
            return Ok(databases);
        }
        let local = self.context.local_tools()?;
        let known = |name: Option<&str>| self.context.config.registry(name);
        let before = Sources::new(&local, self.root, &known, &Silent);
        for url in registries {
            let now = || self.sources.index(url)?.advisories();
            let then = || before.index(url)?.advisories();
            let asks = matches!(self.ask, Ask::Now(_)) || self.sources.has_opened(url);
            let asked: Option<&dyn Fn() -> Result<Option<Unpacked>>> = if asks { Some(&now) } else { None };
            if let Some(unpacked) = databases.settle(url, asked, &then, self.ask)? {
                databases.take(Some(url), url, unpacked);
            }
        }
        for place in &table.databases {
            let then = || self.database(place, &local, &Silent).map(Some);
            let unpacked = match self.ask {
                Ask::Now(tools) => {
                    let now = || self.database(place, tools, self.context.reporter).map(Some);
                    databases.settle(place, Some(&now), &then, self.ask)?
                }
                Ask::Not => databases.settle(place, None, &then, self.ask)?,
            };
            if let Some(unpacked) = unpacked {
                databases.take(None, place, unpacked);
            }
        }
        Ok(databases)
    }

    fn database(&self, place: &str, tools: &Tools, reporter: &dyn Reporter) -> Result<Unpacked> {
        let tools = tools.for_index(reporter);
        let is_url = place.contains("://") || place.starts_with("git+") || place.starts_with("sparse+");
        let read = if is_url {
            place.parse::<IndexUrl>().and_then(|url| index::database(&url, tools))
        } else if place.starts_with('~') {
            index::database_in(&self.context.expand(place), tools)
        } else {
            index::database_in(&self.root.join(place), tools)
        };
        read.map_err(|error| error.note(format!("`databases` below `[audit]` names `{place}`")))
    }
}

impl Databases {
    /// What a place says `now`, else what it said `then`.
    fn settle(
        &mut self,
        place: &str,
        now: Option<&dyn Fn() -> Result<Option<Unpacked>>>,
        then: &dyn Fn() -> Result<Option<Unpacked>>,
        ask: Ask<'_>,
    ) -> Result<Option<Unpacked>> {
        let failed = match now.map(|now| now()) {
            Some(Ok(unpacked)) => return Ok(unpacked),
            Some(Err(error)) if error.kind() != Kind::Network && matches!(ask, Ask::Now(_)) => return Err(error),
            other => other,
        };
        let kept = then();
        if matches!(ask, Ask::Now(_)) {
            let why = failed.and_then(Result::err).map_or_else(String::new, |error: Error| format!(": {error}"));
            let (what, help) = match &kept {
                Ok(_) => ("counts as it was when it was last read", "run it again when the network is there"),
                Err(_) => ("is not known here", "run `skillpm audit` once with the network"),
            };
            self.remarks.push((format!("what `{place}` has of advisories {what}{why}"), help.to_owned()));
        }
        Ok(kept.ok().flatten())
    }

    fn take(&mut self, own: Option<&String>, origin: &str, unpacked: Unpacked) {
        for skipped in unpacked.skipped {
            let help = "a newer skillpm may read it; else tell whoever keeps it";
            self.remarks.push((format!("passed over in the advisories of `{origin}`: {skipped}"), help.to_owned()));
        }
        let (own, origin) = (own.cloned(), origin.to_owned());
        self.list.push(Database { own, origin, advisories: unpacked.advisories });
    }

    /// What is known against a locked package, the worst first.
    pub(super) fn about(&self, locked: &Locked) -> Vec<Notice<'_>> {
        let checksums: Vec<Checksum> = [locked.checksum].into_iter().chain(locked.source_checksum).collect();
        let held = Held {
            name: &locked.name,
            version: locked.version.as_ref(),
            source: &locked.source,
            commit: locked.commit.as_deref(),
            path: locked.path.as_ref(),
            checksums: &checksums,
        };
        let hits = |database: &Database, advisory: &Advisory| advisory.hits(&held, database.own.as_deref());
        self.notices(hits)
    }

    /// What is known against just these files, the worst first.
    pub(super) fn about_content(&self, checksum: Checksum) -> Vec<Notice<'_>> {
        let hit = Hit { fixed: None, by_content: true };
        self.notices(|_, advisory| advisory.holds_content(&[checksum]).then(|| hit.clone()))
    }

    fn notices(&self, hits: impl Fn(&Database, &Advisory) -> Option<Hit>) -> Vec<Notice<'_>> {
        let mut found: BTreeMap<&AdvisoryId, Notice<'_>> = BTreeMap::new();
        for database in &self.list {
            for advisory in &database.advisories {
                if let Some(hit) = hits(database, advisory) {
                    let notice = Notice { advisory, hit, origin: &database.origin };
                    found.entry(&advisory.id).or_insert(notice);
                }
            }
        }
        let mut found: Vec<Notice<'_>> = found.into_values().collect();
        found.sort_by_key(|notice| std::cmp::Reverse(notice.advisory.severity));
        found
    }

    /// Whether there is anything at all.
    pub(super) fn is_empty(&self) -> bool {
        self.list.iter().all(|database| database.advisories.is_empty())
    }

    /// The id of an advisory that goes by a name, its own or one of others.
    pub(super) fn id_of(&self, name: &str) -> Option<&AdvisoryId> {
        let mut all = self.list.iter().flat_map(|database| &database.advisories);
        all.find(|advisory| advisory.is_called(name)).map(|advisory| &advisory.id)
    }
}

impl Notice<'_> {
    /// What helps: a command that can be pasted, as far as there is one.
    pub(super) fn help(&self, locked: &Locked, asked_by: &Locked) -> String {
        match &self.hit.fixed {
            Some(fixed) => format!("`skillpm update {}`: {fixed} is not affected", locked.install_name()),
            None => format!("no version is mended: `skillpm remove {}`", asked_by.install_name()),
        }
    }

    /// The warning to who is about to install it.
    pub(super) fn warning(&self, locked: &Locked) -> Event {
        let Advisory { id, severity, summary, .. } = self.advisory;
        Event::Warning {
            message: format!("{id}, {severity}: `{}` {}", locked.reference(), told(summary)),
            help: Some(format!("{}; `skillpm audit` tells more", self.help(locked, locked))),
        }
    }
}

/// A summary as it follows a name.
pub(super) fn told(summary: &str) -> String {
    format!("has an advisory: {}", summary.escape_debug())
}

fn registry(source: &SourceId) -> Option<&String> {
    match source {
        SourceId::Registry(url) => Some(url),
        _ => None,
    }
}
