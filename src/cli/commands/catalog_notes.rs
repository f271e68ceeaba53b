//! Notes printed with a catalog: disagreements between agents, hidden skills, and forbidden shadows.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::catalog::{AgentDisagreement, Catalog};
use crate::cli::CliSession;
use crate::error::{Error, Result};

/// Prints notes that the format has no place for; fails if a skill shadows one that it must not.
pub(super) fn print_notes(
    session: &CliSession<'_>,
    catalog: &Catalog,
    is_json: bool,
    all: bool,
) -> Result<()> {
    if !is_json {
        warn_about_disagreements(session, catalog);
    }
    // The JSON model has the reason beside each skill.
    if all && !is_json {
        for (entry, why) in catalog.hidden() {
            let because = entry.because.as_deref().unwrap_or(why.name());
            session.shell.status(
                "Hidden",
                &format!("{}: {because}", entry.candidate.listing.name),
            );
        }
    }

    // What is wrong with the project's own files belongs to no skill, so it has no other place. Their paths are relative
    // to the project, and those of directories with skills are absolute.
    for file in catalog
        .findings
        .iter()
        .filter(|finding| finding.path.is_relative())
    {
        let finding = &file.diagnostic;
        let place = finding.location(&file.path.display().to_string());
        session.shell.warn(
            &format!("{place}: {} ({})", finding.message, finding.rule),
            finding.help.as_deref(),
        );
    }

    check_refused(catalog)
}

/// Warns of names that agents resolve differently.
pub(super) fn warn_about_disagreements(session: &CliSession<'_>, catalog: &Catalog) {
    for (agent, found) in &catalog.disagreements {
        let found = found.diagnostic(agent);
        session.shell.warn(
            &format!("{} ({})", found.message, found.rule),
            found.help.as_deref(),
        );
    }
}

/// Fails if a skill was left out because it would shadow one that must not be shadowed.
fn check_refused(catalog: &Catalog) -> Result<()> {
    let mut refused = catalog.refused();
    let Some(first) = refused.next() else {
        return Ok(());
    };
    let because = |entry: &crate::catalog::CatalogEntry| {
        entry.because.as_deref().unwrap_or_default().to_owned()
    };

    let name = &first.candidate.listing.name;
    let error = Error::negative(format!("`{name}` was left out: {}", because(first)));

    // All of them in one error: the next run would otherwise stop at the next one.
    let error = refused.fold(error, |error, entry| {
        error.note(format!(
            "`{}` was left out: {}",
            entry.candidate.listing.name,
            because(entry)
        ))
    });

    Err(error.help("give it another name, or remove one of the two"))
}

/// Disagreements between agents, as JSON, by name.
pub(super) fn disagreements_by_name(catalog: &Catalog) -> HashMap<&str, Vec<Value>> {
    let mut by_name: HashMap<&str, Vec<Value>> = HashMap::new();
    for found in &catalog.disagreements {
        by_name
            .entry(found.1.skill())
            .or_default()
            .push(disagreement_json(found));
    }
    by_name
}

/// Disagreements between agents on one name, as JSON.
pub(super) fn disagreements_json(found: &[(String, AgentDisagreement)]) -> Vec<Value> {
    found.iter().map(disagreement_json).collect()
}

fn disagreement_json((agent, found): &(String, AgentDisagreement)) -> Value {
    let diagnostic = found.diagnostic(agent);
    json!({"agent": agent, "rule": diagnostic.rule, "message": diagnostic.message})
}
