use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;

use clap::Args;
use serde_json::{Value, json};

use super::{plural, seen, warn_of_unlisted};
use crate::catalog::{Catalog, Entry, Why};
use crate::cli::Session;
use crate::cli::render::human::{Columns, beginning};
use crate::cli::shell::visible;
use crate::error::{Context as _, Result};
use crate::ops::catalog::{CatalogOptions, catalog};

/// List the skills that are there, by tier
///
/// The project's, your own, and those that come with skillpm; highest tier first
/// where a name is there twice.
///
/// Examples:
///
///   skillpm list
///   skillpm list --format json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {}

impl Arguments {
    #[expect(clippy::unused_self, reason = "every command is run the same way")]
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let catalog = catalog(&session.context, &CatalogOptions::default())?;
        let mut entries: Vec<&Entry> = catalog.entries.iter().collect();
        entries.sort_by_key(|entry| catalog.roots[usize::from(entry.candidate.root)].tier);
        let written = session.shell.stream(|out| {
            if as_json {
                let agents = seen::agents(&catalog);
                return entries.iter().try_for_each(|entry| writeln!(out, "{}", object(&catalog, entry, &agents)));
            }
            write_table(out, &catalog, &entries)
        });
        written.context(|| "could not write the list".to_owned())?;
        warn_of_unlisted(session, &catalog);
        warn_of_broken_links(session, &catalog);
        if !as_json {
            seen::warn_of_disagreements(session, &catalog);
        }
        if !as_json && entries.is_empty() {
            session.shell.status("Found", &plural(0, "skill"));
        }
        Ok(0)
    }
}

/// Warns of each link among skills that leads nowhere.
fn warn_of_broken_links(session: &Session<'_>, catalog: &Catalog) {
    for broken in catalog.findings.iter().filter(|finding| finding.diagnostic.rule == "link-broken") {
        let message = format!("`{}`: {}", broken.path.display(), broken.diagnostic.message);
        session.shell.warn(&message, Some("`skillpm install` mends those that skillpm made"));
    }
}

/// Writes a line a skill; there may be a hundred thousand, so none is held.
fn write_table(out: &mut dyn Write, catalog: &Catalog, entries: &[&Entry]) -> std::io::Result<()> {
    let mut columns = Columns::default();
    entries.iter().for_each(|entry| columns.fit(&head(catalog, entry)));
    columns.fit(&[""; 4]);
    for entry in entries {
        let [tier, name, version] = head(catalog, entry);
        let row = [tier, name, version, beginning(&entry.candidate.listing.description, None).into()];
        writeln!(out, "{}", visible(&columns.line(&row)))?;
    }
    Ok(())
}

fn head<'a>(catalog: &Catalog, entry: &'a Entry) -> [Cow<'a, str>; 3] {
    let candidate = &entry.candidate;
    let tier = catalog.roots[usize::from(candidate.root)].tier;
    let others = candidate.shadows.iter().filter(|other| candidate.same_content(other) != Some(true));
    let name = match (others.count(), entry.hidden) {
        (_, Some(Why::ShadowingDenied)) => format!("{} (left out)", candidate.listing.name).into(),
        (0, _) => Cow::Borrowed(&*candidate.listing.name),
        (count, _) => format!("{} (covers {count})", candidate.listing.name).into(),
    };
    [tier.name().into(), name, candidate.version().unwrap_or("-").into()]
}

fn object(catalog: &Catalog, entry: &Entry, agents: &HashMap<&str, Vec<Value>>) -> Value {
    let candidate = &entry.candidate;
    json!({
        "type": "skill",
        "name": candidate.listing.name,
        "tier": catalog.roots[usize::from(candidate.root)].tier,
        "version": candidate.version(),
        "description": candidate.listing.description,
        "location": candidate.location(&catalog.roots),
        "source": candidate.source,
        "signed-by": candidate.signed_by,
        "hidden": entry.hidden.map(Why::name),
        "because": entry.because,
        "agents": agents.get(&*candidate.listing.name).map_or(&[][..], Vec::as_slice),
        "shadows": candidate.shadows.iter().map(|other| other.location(&catalog.roots)).collect::<Vec<_>>(),
    })
}
