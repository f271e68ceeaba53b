//! Agents as this machine knows them: the table's, changed by settings, and those that only settings name.

use std::path::Path;

use super::Context;
use crate::catalog::budget::Limit;
use crate::error::{Error, Result, nearest};
use crate::install::target::{self, Agent, Places};
use crate::io::disk;

/// The agent with this id.
///
/// # Errors
/// If neither the table nor a setting knows it (the nearest is offered), or a setting of it cannot be.
pub fn agent(context: &Context<'_>, id: &str) -> Result<Agent> {
    let say_where = format!("say where it reads skills: `skillpm config set agents.{id}.project-dir DIR`");
    find(context, id)?.ok_or_else(|| unknown(context, id, &[], say_where))
}

/// No agent has this id: the nearest is offered, of the table's, those that settings name and `further` ones, or else `help`.
pub(super) fn unknown(context: &Context<'_>, id: &str, further: &[&str], help: String) -> Error {
    let configured = context.config.configured_agents();
    let table = target::agents().iter().map(|agent| agent.id.as_str());
    let names = table.chain(configured.iter().map(String::as_str)).chain(further.iter().copied());
    let error = Error::usage(format!("no agent is known as `{}`", id.escape_debug()));
    match nearest(id, names) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(help),
    }
}

/// The agent with this id, if there is one.
///
/// # Errors
/// If a setting of it cannot be.
pub fn find(context: &Context<'_>, id: &str) -> Result<Option<Agent>> {
    let row = target::agents().iter().find(|agent| agent.id == id).cloned();
    let is_configured = context.config.configured_agents().iter().any(|known| known == id);
    match row {
        Some(agent) if !is_configured => Ok(Some(agent)),
        None if !is_configured => Ok(None),
        row => {
            let setting = |key: &str| context.config.string(&format!("agents.{id}.{key}"));
            let agent = row.unwrap_or_else(|| Agent::new(id)).with(&setting);
            agent.map(Some).map_err(|error| told(context, id, error))
        }
    }
}

/// An error about the settings of an agent, with where they are.
fn told(context: &Context<'_>, id: &str, error: Error) -> Error {
    let keys = context.config.all();
    let mut origins: Vec<_> = keys.iter().filter(|(key, _)| key.starts_with(&format!("agents.{id}."))).collect();
    origins.retain(|(key, _)| error.message().contains(key.as_str()));
    origins.into_iter().fold(error, |error, (_, set)| error.note(format!("it is set in {}", set.origin)))
}

/// The limit of an agent's listing: what settings say, and else what is known.
#[must_use]
pub fn limit(context: &Context<'_>, id: &str) -> Limit {
    let number = |key: &str| {
        let text = context.config.string(&format!("agents.{id}.{key}"))?;
        text.parse().ok()
    };
    let known = Limit::of(id);
    Limit {
        skills: number("max-skills").or(known.skills),
        characters: number("max-characters").or(known.characters),
        description: number("max-description").or(known.description),
        ..known
    }
}

/// The agents that are in use here: those that `targets` names, those that settings name, and those of which something
/// lies in the project or at home. Sorted by id.
///
/// # Errors
/// If a target is unknown, or a setting of an agent cannot be.
pub fn in_use(context: &Context<'_>, project: &Path, targets: &[String]) -> Result<Vec<Agent>> {
    let places = expansion(context);
    let is_there = |sign: &Path| disk::lstat(sign).is_ok_and(|meta| meta.is_some());
    let seen = target::agents().iter().filter(|agent| agent.signs(project, &places).iter().any(|sign| is_there(sign)));
    let mut ids: Vec<String> = seen.map(|agent| agent.id.clone()).collect();
    ids.extend_from_slice(targets);
    ids.extend(context.config.configured_agents());
    ids.sort();
    ids.dedup();
    ids.iter().map(|id| agent(context, id)).collect()
}

/// What paths with `~` and variables are expanded by.
pub(super) fn expansion<'c>(context: &'c Context<'_>) -> Places<'c> {
    Places { home: Some(&context.places.home), env: context.variable }
}
