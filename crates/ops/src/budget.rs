//! `budget`: what each agent's listing costs, and what its limits would cut off it.

use super::catalog::{CatalogOptions, catalog};
use super::{Context, agents};
use crate::catalog::Catalog;
use crate::catalog::budget::{Budget, Limit, budget, listing};
use crate::error::{Error, Result};
use crate::skill::tokens;

/// Whose listings are weighed.
#[derive(Debug, Clone, Default)]
pub struct BudgetOptions {
    /// These agents; the ones in use here where none is named.
    pub agents: Vec<String>,
    /// Whether tokens are counted by a real vocabulary, too.
    pub exact: bool,
}

/// What one listing costs.
#[derive(Debug, Clone)]
pub struct Weighed {
    /// The agent; `None` for the tiers as skillpm has them, in the form of the client guide.
    pub agent: Option<String>,
    /// What it shows its model at most.
    pub limit: Limit,
    /// What it costs.
    pub budget: Budget,
}

/// Weighs the listing of the tiers and of each agent.
///
/// # Errors
/// If an agent is unknown, a manifest cannot be understood, or tokens are to be counted and cannot be.
pub fn weigh(context: &Context<'_>, options: &BudgetOptions) -> Result<Vec<Weighed>> {
    if options.exact && tokens::exact("").is_none() {
        return Err(Error::usage("this skillpm was built without the vocabulary that tokens are counted by")
            .help("leave `--exact` away for an estimate, or build it with the feature `tokens`"));
    }
    let agents = if options.agents.is_empty() { in_use(context)? } else { options.agents.clone() };
    let all = options.agents.is_empty().then_some(None).into_iter();
    all.chain(agents.into_iter().map(Some)).map(|agent| weigh_one(context, agent, options.exact)).collect()
}

fn weigh_one(context: &Context<'_>, agent: Option<String>, exact: bool) -> Result<Weighed> {
    let seen = catalog(context, &CatalogOptions { agent: agent.clone(), ..CatalogOptions::default() })?;
    let limit = agent.as_deref().map(|id| agents::limit(context, id)).unwrap_or_default();
    let text = listing(&seen, &form(context, agent.as_deref())?)?;
    Ok(Weighed { budget: budget(&seen, &text, &limit, exact), agent, limit })
}

/// The format of an agent's listing, by the name that [`listing`] knows.
fn form(context: &Context<'_>, agent: Option<&str>) -> Result<String> {
    let agent = agent.map(|id| agents::find(context, id)).transpose()?.flatten();
    Ok(agent.map_or_else(|| "xml".to_owned(), |agent| agent.emit))
}

fn in_use(context: &Context<'_>) -> Result<Vec<String>> {
    let project = context.project()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let root = project.as_ref().map_or(context.places.here.as_path(), |workspace| workspace.root.as_path());
    let manifest = project.as_ref().map(|workspace| workspace.manifest(&registries)).transpose()?;
    let targets = manifest.map(|manifest| manifest.install.targets).unwrap_or_default();
    Ok(agents::in_use(context, root, &targets)?.into_iter().map(|agent| agent.id).collect())
}

/// How long a listing may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Most {
    /// So many characters.
    Characters(usize),
    /// So many tokens, by the estimate.
    Tokens(usize),
}

impl std::str::FromStr for Most {
    type Err = Error;

    /// A number of characters, or with `t` behind it of tokens.
    fn from_str(text: &str) -> Result<Self> {
        let number = |text: &str| text.parse().ok();
        let read = match text.strip_suffix('t') {
            Some(tokens) => number(tokens).map(Most::Tokens),
            None => number(text).map(Most::Characters),
        };
        read.ok_or_else(|| {
            Error::usage(format!("`{}` is no budget", text.escape_debug()))
                .help("write a number of characters, `8000`, or of tokens, `2000t`")
        })
    }
}

/// Holds a catalog to a budget; `text` is its listing where the caller has it, and else that of the agent is weighed.
///
/// # Errors
/// If it is over it; the message names the descriptions to shorten.
pub fn hold(context: &Context<'_>, catalog: &Catalog, text: Option<&str>, most: Most) -> Result<()> {
    let own = match text {
        Some(text) => text.to_owned(),
        None => listing(catalog, &form(context, catalog.agent.as_deref())?)?,
    };
    let weighed = budget(catalog, &own, &Limit::default(), false);
    let (is, most, unit) = match most {
        Most::Characters(most) => (weighed.characters, most, "characters"),
        Most::Tokens(most) => (weighed.est_tokens, most, "tokens"),
    };
    if is <= most {
        return Ok(());
    }
    let error = Error::negative(format!(
        "the listing of {} takes {is} {unit}, {} over the budget of {most}",
        skills(weighed.skills),
        is - most
    ));
    let longest = weighed.longest.iter().filter(|(_, length)| *length > 0).take(LONGEST);
    let error = longest
        .fold(error, |error, (name, length)| error.note(format!("`{name}` has a description of {length} characters")));
    Err(error.help("shorten these descriptions, or leave skills out with `deny` under `[catalog]` in skillpm.toml"))
}

/// How many descriptions are named.
const LONGEST: usize = 5;

fn skills(count: usize) -> String {
    if count == 1 { "1 skill".to_owned() } else { format!("{count} skills") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_of_characters_or_with_a_t_of_tokens() {
        assert_eq!("8000".parse::<Most>().unwrap(), Most::Characters(8000));
        assert_eq!("2000t".parse::<Most>().unwrap(), Most::Tokens(2000));
        for bad in ["", "t", "-1", "8k"] {
            assert!(bad.parse::<Most>().is_err(), "{bad}");
        }
    }
}
