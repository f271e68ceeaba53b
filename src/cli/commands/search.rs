use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::plural;
use crate::catalog::Tier;
use crate::cli::Session;
use crate::cli::render::human::{Columns, beginning, cell};
use crate::cli::shell::width;
use crate::error::{Error, Result};
use crate::ops::search::{Hit, Search, SearchOptions, search};

/// Find packages and skills by words
///
/// Looks through every configured registry, the project's skills, your own and the
/// bundled ones. The words may stand in names, keywords and descriptions; who has all
/// of them is found, those called so first. A registry is asked when it is searched
/// for the first time; after that its list is at hand, and searching needs no network.
///
/// Examples:
///
///   skillpm search release notes
///   skillpm search pdf --registry acme --refresh
///   skillpm search git --installed --format json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// What to look for
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,

    /// Search this registry only
    #[arg(long, value_name = "NAME", conflicts_with_all = ["installed", "tier"])]
    registry: Option<String>,

    /// Show this many at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,

    /// Search what is installed only
    #[arg(long)]
    installed: bool,

    /// Search what is installed in this tier only
    #[arg(long, value_name = "TIER")]
    tier: Option<TierName>,

    /// Ask the registries what there is now
    #[arg(long)]
    refresh: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TierName {
    Workspace,
    Managed,
    Bundled,
}

impl From<TierName> for Tier {
    fn from(name: TierName) -> Self {
        match name {
            TierName::Workspace => Tier::Workspace,
            TierName::Managed => Tier::Managed,
            TierName::Bundled => Tier::Bundled,
        }
    }
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let options = SearchOptions {
            words: self.words.clone(),
            registry: self.registry.clone(),
            installed: self.installed,
            tier: self.tier.map(Into::into),
            refresh: self.refresh,
            limit: usize::try_from(self.limit).unwrap_or(usize::MAX),
        };
        let found = search(&session.context, &options)?;
        if as_json {
            found.hits.iter().for_each(|hit| session.shell.object(&object(hit)));
            session.shell.object(&summary(&found));
        } else {
            tell(session, &found);
        }
        match found.failed {
            Some(error) => Err(error),
            None if found.total == 0 => Err(self.nothing(&found)),
            None => Ok(0),
        }
    }

    fn nothing(&self, found: &Search) -> Error {
        let place = match (self.tier, found.registries.as_slice()) {
            (Some(tier), _) => format!("the {} tier", Tier::from(tier).name()),
            (None, []) => "what is installed".to_owned(),
            (None, [one]) if self.registry.is_some() => format!("registry `{one}`"),
            (None, [_]) => "1 registry and what is installed".to_owned(),
            (None, names) => format!("{} registries and what is installed", names.len()),
        };
        let words: Vec<String> = self.words.iter().map(|word| word.escape_debug().to_string()).collect();
        let error = Error::negative(format!("nothing in {place} has `{}`", words.join(" ")));
        if found.near.is_empty() {
            return error
                .help("try fewer words, or `skillpm search --refresh` to ask the registries what there is now");
        }
        error.help(format!("did you mean `{}`?", found.near.join("`, `")))
    }
}

/// Tells people what was found.
fn tell(session: &Session<'_>, found: &Search) {
    for correction in found.corrections.iter().filter(|_| found.total > 0) {
        let message = match correction.meant.as_slice() {
            [] => format!("no package has `{}`", correction.typed),
            meant => format!("no package has `{}`; this is what has `{}`", correction.typed, meant.join("` or `")),
        };
        session.shell.warn(&message, None);
    }
    if found.partial && found.corrections.is_empty() {
        session.shell.warn("no package has all of the words; these have some of them", None);
    }
    let rows: Vec<[String; 3]> = found.hits.iter().map(head).collect();
    let mut columns = Columns::default();
    rows.iter().for_each(|row| columns.fit(row));
    for ([name, version, place], hit) in rows.into_iter().zip(&found.hits) {
        let room = width().map(|width| width.saturating_sub(columns.width()));
        let description = hit.row.description.as_deref().unwrap_or_default();
        session.shell.line(&columns.line(&[name, version, place, beginning(description, room)]));
    }
    if found.total > found.hits.len() {
        let shown = format!("{}, of which these are the first {}", plural(found.total, "package"), found.hits.len());
        session.shell.status("Found", &format!("{shown}; `--limit {}` shows all", found.total));
    } else if found.total > 0 {
        session.shell.status("Found", &plural(found.total, "package"));
    }
}

/// Name, version, and where it is: its registry, and the tiers it is installed in.
fn head(hit: &Hit) -> [String; 3] {
    let newest = hit.row.vers.as_deref();
    let registry = hit.registry.iter().map(|registry| registry.name.clone());
    let installed = hit.installed.iter().map(|copy| match copy.version.as_deref() {
        Some(version) if Some(version) != newest => format!("{} {version}", copy.tier.name()),
        _ => copy.tier.name().to_owned(),
    });
    let places: Vec<String> = registry.chain(installed).collect();
    [cell(&hit.row.name), cell(newest.unwrap_or("-")), cell(&places.join(", "))]
}

fn object(hit: &Hit) -> Value {
    let installed = hit
        .installed
        .iter()
        .map(|copy| json!({"tier": copy.tier, "name": copy.name, "version": copy.version, "location": copy.location}));
    json!({
        "type": "package",
        "name": hit.row.name,
        "version": hit.row.vers,
        "description": hit.row.description,
        "keywords": hit.row.keywords,
        "license": hit.row.license,
        "published": hit.row.pubtime,
        "registry": hit.registry.as_ref().map(|registry| &registry.name),
        "index": hit.registry.as_ref().map(|registry| &registry.index),
        "installed": installed.collect::<Vec<_>>(),
    })
}

fn summary(found: &Search) -> Value {
    let corrections = found.corrections.iter().map(|word| json!({"typed": word.typed, "meant": word.meant}));
    json!({
        "type": "summary",
        "found": found.total,
        "shown": found.hits.len(),
        "partial": found.partial,
        "corrections": corrections.collect::<Vec<_>>(),
        "near": found.near,
        "registries": found.registries,
    })
}
