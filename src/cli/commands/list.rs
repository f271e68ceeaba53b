//! `list`: prints the catalog of [`catalog`] by tier, with what is hidden from an agent.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use clap::Args;
use serde_json::{Value, json};

use super::budget::print_budget;
use super::{catalog_notes, plural, warn_about_unlisted};
use crate::catalog::{Catalog, CatalogEntry, HiddenReason, SkillCandidate};
use crate::cli::CliSession;
use crate::cli::render::foreign_text::{escape_json, escape_line};
use crate::cli::render::human::{
    TableColumns, text_width, truncate_description, truncate_line, truncate_words,
};
use crate::cli::render::terminal::{GOOD, NOTE, stdout_width};
use crate::error::{ErrorContext as _, Result};
use crate::ops::agents::{AgentVisibility, SkillVisibility};
use crate::ops::availability::disabled_skills;
use crate::ops::catalog::{CatalogOptions, catalog};
use crate::ops::verify::edited_copies;

/// List skills by tier
///
/// Project skills, your own, and those bundled with skillpm. If several have the
/// same name, the highest tier comes first.
///
/// Examples:
///
///   skillpm list
///   skillpm list --format json
///   skillpm list --agent codex
///   skillpm list --tokens
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct ListArgs {
    /// List the skills that this agent sees
    ///
    /// In the agent's own order, as its loader reads them; `skillpm catalog --agent ID --all` says why others are hidden.
    #[arg(long, value_name = "ID")]
    agent: Option<String>,

    /// Show how many context tokens the list uses, per agent
    ///
    /// Every request of an agent contains the names and descriptions of all its skills. This counts them, in characters and
    /// tokens, and shows which descriptions the agent would truncate or omit because of its limit. Without `--agent`, shows
    /// the agents in use here; the first row is for all skills of all tiers. For agents whose listing format is not known, the
    /// format of the client guide is counted.
    #[arg(long)]
    tokens: bool,

    /// With --tokens, count them with the o200k vocabulary
    ///
    /// Without it, tokens are estimated at four characters each.
    #[arg(long, requires = "tokens")]
    exact: bool,
}

impl ListArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        if self.tokens {
            return print_budget(session, self.agent.as_slice(), self.exact);
        }

        let as_json = session.wants_json()?;
        let options = CatalogOptions {
            agent: self.agent.clone(),
            ..CatalogOptions::default()
        };
        let catalog = catalog(&session.context, &options)?;
        let visibility = SkillVisibility::find(&session.context)?;
        let mut entries: Vec<&CatalogEntry> = catalog.entries.iter().collect();
        if self.agent.is_some() {
            entries.retain(|entry| as_json || entry.hidden.is_none());
            entries.sort_by_key(|entry| place_in_list(entry));
        } else {
            // The sort is stable, so that names stay in order within a tier.
            entries.sort_by_key(|entry| catalog.roots[usize::from(entry.candidate.root)].tier);
        }

        // Before the stream, which has stdout for itself.
        let has_color = session.shell.stdout_has_color();
        let written = session.shell.write_stream(|out| {
            if as_json {
                write_lines(out, &catalog, &entries, &visibility)
            } else {
                write_table(out, &catalog, &entries, has_color)
            }
        });
        written.context(|| "failed to write the list".to_owned())?;

        warn_about_unlisted(session, &catalog);
        warn_about_broken_links(session, &catalog);
        if !as_json {
            print_seeing(session, &catalog, &visibility, &entries);
            print_edited(session)?;
            print_disabled(session)?;
            catalog_notes::warn_about_disagreements(session, &catalog);
        }

        if !as_json && entries.is_empty() {
            session.shell.status("Found", &plural(0, "skill"));
        }
        Ok(0)
    }
}

fn write_lines(
    out: &mut dyn Write,
    catalog: &Catalog,
    entries: &[&CatalogEntry],
    visibility: &SkillVisibility,
) -> io::Result<()> {
    let agents = catalog_notes::disagreements_by_name(catalog);
    for entry in entries {
        let mut value = skill_json(catalog, entry, &agents);
        let seeing = visibility.seen_by(catalog, &entry.candidate);
        let id = |agent: &&AgentVisibility| agent.status.label().id;
        value["seen_by"] = seeing.iter().map(id).collect();
        writeln!(out, "{}", escape_json(&value))?;
    }
    Ok(())
}

/// The place of a skill in the agent's own list; those that are not in it come last.
fn place_in_list(entry: &CatalogEntry) -> (bool, Option<usize>) {
    let listed = entry.listed.as_ref();
    (
        entry.hidden.is_some(),
        listed.and_then(|listed| listed.position),
    )
}

fn print_disabled(session: &CliSession<'_>) -> Result<()> {
    let disabled = disabled_skills(&session.context)?;
    if !disabled.is_empty() {
        session.shell.status(
            "Disabled",
            &escape_line(&format!(
                "{}: `skillpm enable {}` puts back",
                disabled.join(", "),
                disabled.join(" ")
            )),
        );
    }
    Ok(())
}

/// Prints the installed copies that differ from the lockfile.
fn print_edited(session: &CliSession<'_>) -> Result<()> {
    for place in edited_copies(&session.context)? {
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let what = format!("{}: `skillpm diff {name}` shows the edits", place.display());
        session.shell.status("Edited", &what);
    }
    Ok(())
}

/// How many skills are named in one line; of more, their number is enough.
const NAMED_MAX: usize = 6;

/// Prints which agents see which of the project's and the user's own skills.
fn print_seeing(
    session: &CliSession<'_>,
    catalog: &Catalog,
    visibility: &SkillVisibility,
    entries: &[&CatalogEntry],
) {
    // In the order of the first skill of each group.
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for entry in entries {
        let seeing = visibility.seen_by(catalog, &entry.candidate);
        // Bundled skills are in no agent's directory: `skillpm serve` offers them.
        if seeing.is_empty() {
            continue;
        }

        let name = |agent: &&AgentVisibility| agent.status.label().name;
        let names = seeing.iter().map(name).collect::<Vec<_>>().join(", ");
        let skill = &*entry.candidate.listing.name;
        match groups.iter_mut().find(|(known, _)| *known == names) {
            Some((_, skills)) => skills.push(skill),
            None => groups.push((names, vec![skill])),
        }
    }

    for (names, skills) in groups {
        let which = if skills.len() > NAMED_MAX {
            plural(skills.len(), "skill")
        } else {
            skills.join(", ")
        };
        session
            .shell
            .status("Seen by", &format!("{names}: {which}"));
    }
}

/// Warns of each dangling symbolic link among the skills.
fn warn_about_broken_links(session: &CliSession<'_>, catalog: &Catalog) {
    for broken in catalog
        .findings
        .iter()
        // A dangling link looks like a skill that is missing from the list.
        .filter(|finding| finding.diagnostic.rule == "link-broken")
    {
        let message = format!("`{}`: {}", broken.path.display(), broken.diagnostic.message);
        // skillpm repairs only the links that it made itself.
        session.shell.warn(
            &message,
            Some("run `skillpm install` to fix links that skillpm created"),
        );
    }
}

/// The titles of the columns.
const TITLES: [&str; 4] = ["TIER", "NAME", "VERSION", "DESCRIPTION"];

/// Writes one line per skill, which a terminal does not wrap; there may be a hundred thousand, so none is kept in memory.
fn write_table(
    out: &mut dyn Write,
    catalog: &Catalog,
    entries: &[&CatalogEntry],
    has_color: bool,
) -> std::io::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }

    let width = stdout_width();
    let mut columns = TableColumns::default();
    columns.widen(&TITLES[..3]);
    // The first pass only measures, so that no row is kept in memory.
    for entry in entries {
        let cells = head_cells(catalog, entry);
        // One long name does not take the place of all descriptions.
        if width.is_none_or(|width| text_width(&cells[1]) <= width / 3) {
            columns.widen(&cells);
        }
    }
    // The description is a fourth column, and is not padded.
    columns.widen(&[""; 4]);

    let cut = |line: String| match width {
        Some(width) => truncate_line(&line, width),
        None => line,
    };
    let title = cut(columns.format_row(&TITLES));
    if has_color {
        writeln!(out, "{GOOD}{title}{GOOD:#}")?;
    } else {
        writeln!(out, "{title}")?;
    }
    for entry in entries {
        let [tier, name, version] = head_cells(catalog, entry);
        let description = &entry.candidate.listing.description;
        let head = escape_line(&columns.format_row(&[&*tier, &*name, &*version, ""]));
        let about = match width {
            None => truncate_description(description, None),
            Some(width) => {
                let taken = columns.width().max(text_width(&head) + 2);
                truncate_words(description, width.saturating_sub(taken))
            }
        };

        let shown_name = escape_line(&name);
        let row = [tier, name, version, about.into()];
        let line = cut(escape_line(&columns.format_row(&row)));
        // The name is behind the first blanks; one that was cut is not found.
        let behind_name = line
            .split_once(' ')
            .and_then(|(_, rest)| rest.trim_start().strip_prefix(&shown_name));
        match behind_name.filter(|_| has_color) {
            Some(behind) => {
                let before = &line[..line.len() - behind.len() - shown_name.len()];
                writeln!(out, "{before}{NOTE}{shown_name}{NOTE:#}{behind}")?;
            }
            None => writeln!(out, "{line}")?,
        }
    }
    Ok(())
}

fn head_cells<'a>(catalog: &Catalog, entry: &'a CatalogEntry) -> [Cow<'a, str>; 3] {
    let candidate = &entry.candidate;
    let tier = catalog.roots[usize::from(candidate.root)].tier;
    // A copy is no surprise, so it is not counted.
    let roots = &catalog.roots;
    let others = candidate
        .shadows
        .iter()
        .filter(|other| !candidate.is_copy_of(roots, other, roots));

    let name = match (others.count(), entry.hidden) {
        (_, Some(HiddenReason::ShadowingDenied)) => {
            format!("{} (left out)", candidate.listing.name).into()
        }
        (0, _) => Cow::Borrowed(&*candidate.listing.name),
        (count, _) => format!("{} (hides {count})", candidate.listing.name).into(),
    };

    let version = candidate.version().or_else(|| short_commit(candidate));
    [tier.name().into(), name, version.unwrap_or("-").into()]
}

/// The abbreviated commit that a skill was installed from.
fn short_commit(candidate: &SkillCandidate) -> Option<&str> {
    let (_, commit) = candidate.source.as_ref()?.rsplit_once('#')?;
    commit.get(..8)
}

fn skill_json(
    catalog: &Catalog,
    entry: &CatalogEntry,
    agents: &HashMap<&str, Vec<Value>>,
) -> Value {
    let candidate = &entry.candidate;
    json!({
        "type": "skill",
        "name": candidate.listing.name,
        "tier": catalog.roots[usize::from(candidate.root)].tier,
        "version": candidate.version(),
        "description": candidate.listing.description,
        "location": candidate.location(&catalog.roots),
        "source": candidate.source,
        "signed_by": candidate.signed_by,
        "hidden": entry.hidden.map(HiddenReason::name),
        "because": entry.because,
        // An empty list rather than no key, so that readers need not ask.
        "agents": agents.get(&*candidate.listing.name).map_or(&[][..], Vec::as_slice),
        "shadows": candidate.shadows.iter().map(|other| other.location(&catalog.roots)).collect::<Vec<_>>(),
    })
}
