//! Notes printed with a catalog: disagreements between agents, hidden skills, and forbidden shadows.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::catalog::{AgentDisagreement, Catalog, Tier};
use crate::cli::CliSession;
use crate::error::{Error, Result};
use crate::ops::remove::removable_names;
use crate::workspace::WorkspaceKind;

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
        if let AgentDisagreement::Inversion { .. } = found {
            let found = found.diagnostic(agent);
            session.shell.warn(
                &format!("{} ({})", found.message, found.rule),
                found.help.as_deref(),
            );
        }
    }

    for duplicates in group_duplicates(&catalog.disagreements) {
        let help = duplicates.removal(session);
        session.shell.warn(&duplicates.message(), Some(&help));
    }
}

/// Skills that the same agents list several times, from the same directories.
struct DuplicateSkills<'c> {
    agents: Vec<&'c str>,
    /// The directories of the copies, in the agents' order, with the tiers of them.
    directories: Vec<(&'c Path, Tier)>,
    skills: Vec<&'c str>,
}

/// The duplicate listings, with those of several agents and of several skills together.
fn group_duplicates(found: &[(String, AgentDisagreement)]) -> Vec<DuplicateSkills<'_>> {
    // By skill, as several agents read the same directories.
    let mut by_skill: Vec<DuplicateSkills<'_>> = Vec::new();
    for (agent, found) in found {
        let AgentDisagreement::DuplicateListing { skill, copies } = found else {
            continue;
        };
        let directories: Vec<(&Path, Tier)> = copies
            .iter()
            .map(|copy| {
                let directory = copy.path.parent().and_then(Path::parent);
                (directory.unwrap_or(&copy.path), copy.tier)
            })
            .collect();
        let known = by_skill
            .iter_mut()
            .find(|known| *known.skills == [&**skill] && known.directories == directories);
        match known {
            Some(known) => known.agents.push(agent),
            None => by_skill.push(DuplicateSkills {
                agents: vec![agent],
                directories,
                skills: vec![skill],
            }),
        }
    }

    let mut groups: Vec<DuplicateSkills<'_>> = Vec::new();
    for one in by_skill {
        let known = groups
            .iter_mut()
            .find(|known| known.agents == one.agents && known.directories == one.directories);
        match known {
            Some(known) => known.skills.extend(one.skills),
            None => groups.push(one),
        }
    }
    groups
}

impl DuplicateSkills<'_> {
    /// `codex and zed list 2 skills 2 times (duplicate-listing): csv, pdf; in …, …`
    fn message(&self) -> String {
        let verb = match self.agents.len() {
            1 => "lists",
            _ => "list",
        };
        let skills: Vec<String> = self.skills.iter().map(|name| format!("`{name}`")).collect();
        let directories = self.directories.iter();
        let directories: Vec<String> = directories
            .map(|(directory, _)| format!("`{}`", directory.display()))
            .collect();
        format!(
            "{} {verb} {} {} times, from {} (duplicate-listing)",
            self.agents.join(" and "),
            skills.join(", "),
            self.directories.len(),
            directories.join(" and ")
        )
    }

    /// The command that leaves one of them, if there is one.
    fn removal(&self, session: &CliSession<'_>) -> String {
        // The project's are shared with others, and stay if there is a choice.
        for (tier, kind, flag) in [
            (Tier::Managed, WorkspaceKind::Managed, " -g"),
            (Tier::Workspace, WorkspaceKind::Project, ""),
        ] {
            let copies = self.directories.iter().filter(|(_, copy)| *copy == tier);
            if copies.count() != 1 {
                continue;
            }
            let names = removable_names(&session.context, kind).unwrap_or_default();
            let is_removable = |skill: &&&str| names.iter().any(|name| name.as_str() == **skill);
            let removable: Vec<&str> = self.skills.iter().filter(is_removable).copied().collect();
            if !removable.is_empty() {
                return format!("run `skillpm remove{flag} {}`", removable.join(" "));
            }
        }
        "remove all but one".to_owned()
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
