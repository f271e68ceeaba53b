//! What is told beside a catalog: what agents make of it, what is hidden, what may not be.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::catalog::{Catalog, Disagreement};
use crate::cli::Session;
use crate::error::{Error, Result};

/// Tells what the form itself does not, and fails where a skill covers what it may not cover.
pub(super) fn tell(session: &Session<'_>, catalog: &Catalog, is_json: bool, all: bool) -> Result<()> {
    if !is_json {
        warn_of_disagreements(session, catalog);
    }
    if all && !is_json {
        for (entry, why) in catalog.hidden() {
            let because = entry.because.as_deref().unwrap_or(why.name());
            session.shell.status("Hidden", &format!("{}: {because}", entry.candidate.listing.name));
        }
    }
    let of_manifest = catalog.findings.iter().filter(|finding| finding.path.as_os_str() == "skillpm.toml");
    for finding in of_manifest.map(|finding| &finding.diagnostic) {
        let place = finding.place("skillpm.toml");
        session.shell.warn(&format!("{place}: {} ({})", finding.message, finding.rule), finding.help.as_deref());
    }
    refuse(catalog)
}

/// Says where agents take a name differently.
pub(super) fn warn_of_disagreements(session: &Session<'_>, catalog: &Catalog) {
    for (agent, found) in &catalog.disagreements {
        let found = found.diagnostic(agent);
        session.shell.warn(&format!("{} ({})", found.message, found.rule), found.help.as_deref());
    }
}

/// Fails if a skill would cover one that may not be covered: it was left out, and somebody has to see to it.
fn refuse(catalog: &Catalog) -> Result<()> {
    let mut refused = catalog.refused();
    let Some(first) = refused.next() else { return Ok(()) };
    let because = |entry: &crate::catalog::Entry| entry.because.as_deref().unwrap_or_default().to_owned();
    let name = &first.candidate.listing.name;
    let error = Error::negative(format!("`{name}` was left out: {}", because(first)));
    let error = refused.fold(error, |error, entry| {
        error.note(format!("`{}` was left out: {}", entry.candidate.listing.name, because(entry)))
    });
    Err(error.help("give it another name, or remove one of the two"))
}

/// What agents make of names, as JSON, by name.
pub(super) fn agents(catalog: &Catalog) -> HashMap<&str, Vec<Value>> {
    let mut by_name: HashMap<&str, Vec<Value>> = HashMap::new();
    for found in &catalog.disagreements {
        by_name.entry(found.1.skill()).or_default().push(one(found));
    }
    by_name
}

/// What agents make of one name, as JSON.
pub(super) fn told(found: &[(String, Disagreement)]) -> Vec<Value> {
    found.iter().map(one).collect()
}

fn one((agent, found): &(String, Disagreement)) -> Value {
    let told = found.diagnostic(agent);
    json!({"agent": agent, "rule": told.rule, "message": told.message})
}
