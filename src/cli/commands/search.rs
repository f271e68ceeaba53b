//! `search`: prints the hits of [`search`] over registries, the project and bundled skills, the best first.

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::plural;
use crate::catalog::Tier;
use crate::cli::CliSession;
use crate::cli::render::human::{TableColumns, table_cell, truncate_description};
use crate::cli::render::terminal::stdout_width;
use crate::error::{Error, Result};
use crate::ops::search::{PackageHit, SearchOptions, SearchReport, search};

/// Search registries for packages and skills
///
/// Searches every configured registry, the project's skills, your own and the bundled
/// ones. A package matches if its name, keywords and description contain all words;
/// name matches come first. The list of a registry is fetched at the first search and
/// then cached, so that searching needs no network.
///
/// Examples:
///
///   skillpm search release notes
///   skillpm search pdf --registry acme --refresh
///   skillpm search git --installed --format json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct SearchArgs {
    /// Words to search for
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,

    /// Search this registry only
    #[arg(long, value_name = "NAME", conflicts_with_all = ["installed", "tier"])]
    registry: Option<String>,

    /// Show this many at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,

    /// Search installed skills only
    #[arg(long)]
    installed: bool,

    /// Search skills installed in this tier only
    #[arg(long, value_name = "TIER")]
    tier: Option<TierName>,

    /// Fetch the registries' current lists
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

impl SearchArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
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
            found
                .hits
                .iter()
                .for_each(|hit| session.shell.print_object(&hit_json(hit)));
            session.shell.print_object(&summary_json(&found));
        } else {
            print_hits(session, &found);
            // Of a registry that was named, a person knows the flag.
            if self.registry.is_none() {
                print_registries(session, &found);
            }
        }
        // Hits of the registries that answered are shown before the error of the one that did not.
        match found.failed {
            Some(error) => Err(error),
            None if found.total == 0 => Err(self.nothing_found(&found)),
            None => Ok(0),
        }
    }

    fn nothing_found(&self, found: &SearchReport) -> Error {
        let place = match (self.tier, found.registries.as_slice()) {
            (Some(tier), _) => format!("the {} tier", Tier::from(tier).name()),
            (None, []) => "installed skills".to_owned(),
            (None, [one]) if self.registry.is_some() => format!("registry `{one}`"),
            (None, [_]) => "1 registry and installed skills".to_owned(),
            (None, names) => format!("{} registries and installed skills", names.len()),
        };

        let words: Vec<String> = self
            .words
            .iter()
            // The words come from a shell, and may have control characters in them.
            .map(|word| word.escape_debug().to_string())
            .collect();

        let error = Error::negative(format!(
            "no package matching `{}` found in {place}",
            words.join(" ")
        ));
        if found.near.is_empty() {
            let error = match words.as_slice() {
                [_] => error,
                _ => error.help("try fewer words"),
            };
            return error
                .help("a repository is not searched: `skillpm add gh:obra/superpowers --list` lists the skills of one")
                .help("`skillpm search --refresh` fetches the registries' current lists");
        }

        error.help(format!("did you mean `{}`?", found.near.join("`, `")))
    }
}

/// Prints the packages found, for people.
fn print_hits(session: &CliSession<'_>, found: &SearchReport) {
    // Said first, or the hits would pass for those of the words that were typed.
    warn_about_corrections(session, found);

    let rows: Vec<[String; 3]> = found.hits.iter().map(head_cells).collect();
    let mut columns = TableColumns::default();
    rows.iter().for_each(|row| columns.widen(row));

    for ([name, version, place], hit) in rows.into_iter().zip(&found.hits) {
        // A line of a narrow terminal is not wrapped: the name is what people look for.
        let remaining = stdout_width().map(|width| width.saturating_sub(columns.width()));
        let description = hit.row.description.as_deref().unwrap_or_default();
        session.shell.print_line(&columns.format_row(&[
            name,
            version,
            place,
            truncate_description(description, remaining),
        ]));
    }

    if found.total > found.hits.len() {
        let shown = format!(
            "{}, showing the first {}",
            plural(found.total, "package"),
            found.hits.len()
        );
        session.shell.status(
            "Found",
            &format!("{shown}; pass `--limit {}` to show all", found.total),
        );
    } else if found.total > 0 {
        session
            .shell
            .status("Found", &plural(found.total, "package"));
    }
}

/// Says how to add what is in other registries than the default one.
fn print_registries(session: &CliSession<'_>, found: &SearchReport) {
    let Ok(default) = session.context.config.registry(None) else {
        return;
    };
    let others = found.hits.iter().filter_map(|hit| hit.registry.as_ref());
    let others: BTreeSet<&str> = others
        .filter(|registry| registry.index != default)
        .map(|registry| &*registry.name)
        .collect();
    for name in others {
        let what = format!("packages of {name}: `skillpm add NAME --registry {name}`");
        session.shell.status("Add", &what);
    }
}

/// Warns if the hits are not for all words as they were typed.
fn warn_about_corrections(session: &CliSession<'_>, found: &SearchReport) {
    // Without a hit there is nothing that could be misread, and the error says the rest.
    for correction in found.corrections.iter().filter(|_| found.total > 0) {
        let message = match correction.suggestions.as_slice() {
            [] => format!("no package matches `{}`", correction.typed),
            meant => format!(
                "no package matches `{}`; showing results for `{}`",
                correction.typed,
                meant.join("` or `")
            ),
        };
        session.shell.warn(&message, None);
    }

    if found.partial && found.corrections.is_empty() {
        session.shell.warn(
            "no package matches all words; showing packages that match some",
            None,
        );
    }
}

/// Name, version, and locations: the registry, and the tiers where it is installed.
fn head_cells(hit: &PackageHit) -> [String; 3] {
    let newest = hit.row.vers.as_deref();

    let registry = hit.registry.iter().map(|registry| registry.name.clone());
    // The version is repeated only where another one is installed.
    let installed = hit
        .installed
        .iter()
        .map(|copy| match copy.version.as_deref() {
            Some(version) if Some(version) != newest => format!("{} {version}", copy.tier.name()),
            _ => copy.tier.name().to_owned(),
        });

    let places: Vec<String> = registry.chain(installed).collect();
    [
        table_cell(&hit.row.name),
        table_cell(newest.unwrap_or("-")),
        table_cell(&places.join(", ")),
    ]
}

fn hit_json(hit: &PackageHit) -> Value {
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

fn summary_json(found: &SearchReport) -> Value {
    let corrections = found
        .corrections
        .iter()
        .map(|word| json!({"typed": word.typed, "meant": word.suggestions}));

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
