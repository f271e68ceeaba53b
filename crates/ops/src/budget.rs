//! `budget`: measures the context that each agent's skill list uses, and what its limits cut off.

use super::agents::AgentLabel;
use super::catalog::{CatalogOptions, catalog};
use super::{CommandContext, agents};
use skillpm_catalog::catalog::Catalog;
use skillpm_catalog::catalog::budget::{
    ListingCost, ListingLimit, TruncatedSkill, measure_listing, render_listing,
};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::SkillName;
use skillpm_core::report::ProgressEvent;
use skillpm_core::skill::tokens;

/// Options of [`measure_listings`].
#[derive(Debug, Clone, Default)]
pub struct BudgetOptions {
    /// The agents; empty for those in use here.
    pub agents: Vec<String>,
    /// Whether tokens are also counted with a real vocabulary.
    pub exact: bool,
}

/// The cost of one agent's listing.
#[derive(Debug, Clone)]
pub struct AgentListing {
    /// The agent's id; `None` for skillpm's own tiers, in the format of the client guide.
    pub agent: Option<String>,
    /// The agent's limits.
    pub limit: ListingLimit,
    /// The size of the listing.
    pub budget: ListingCost,
}

/// Measures the listing of the tiers and of each agent.
///
/// # Errors
/// If an agent is unknown, a manifest is invalid, or `exact` is set in a build without the
/// vocabulary.
pub fn measure_listings(
    context: &CommandContext<'_>,
    options: &BudgetOptions,
) -> Result<Vec<AgentListing>> {
    // The vocabulary is behind a feature: it is large.
    if options.exact && tokens::exact("").is_none() {
        return Err(Error::usage(
            "`--exact` requires the feature `tokens`, and this skillpm was built without it",
        )
        .help("omit `--exact` for an estimate, or build skillpm with `--features tokens`"));
    }

    let agents = if options.agents.is_empty() {
        agents_in_use(context)?
    } else {
        options.agents.clone()
    };

    // Without named agents, the tiers themselves come first.
    let all = options.agents.is_empty().then_some(None).into_iter();
    all.chain(agents.into_iter().map(Some))
        .map(|agent| measure_agent_listing(context, agent, options.exact))
        .collect()
}

fn measure_agent_listing(
    context: &CommandContext<'_>,
    agent: Option<String>,
    exact: bool,
) -> Result<AgentListing> {
    let mut catalog = catalog(
        context,
        &CatalogOptions {
            agent: agent.clone(),
            ..CatalogOptions::default()
        },
    )?;
    // The whole is measured, and what has no room in it is a loss.
    catalog.list_overflow();

    // Without an agent nothing is cut off: the tiers have no limit.
    let limit = agent
        .as_deref()
        .map(|id| agents::listing_limit(context, id))
        .unwrap_or_default();
    let text = render_listing(&catalog, &listing_format(context, agent.as_deref())?)?;
    Ok(AgentListing {
        budget: measure_listing(&catalog, &text, &limit, exact),
        agent,
        limit,
    })
}

/// Warns of each agent whose limits cut the descriptions of skills that were just added.
pub(super) fn warn_of_losses(
    context: &CommandContext<'_>,
    seeing: &[AgentLabel],
    added: &[SkillName],
) {
    for AgentLabel { id, name } in seeing {
        if agents::listing_limit(context, id) == ListingLimit::default() {
            continue;
        }
        // The skills are installed, and `budget` reports what cannot be measured.
        let Ok(AgentListing { limit, budget, .. }) =
            measure_agent_listing(context, Some(id.clone()), false)
        else {
            continue;
        };
        let is_added =
            |loss: &&TruncatedSkill| added.iter().any(|name| name.as_str() == loss.skill);
        let lost = budget.losses.iter().filter(is_added).count();
        if lost > 0 {
            context.reporter.report(ProgressEvent::Warning {
                message: format!(
                    "{name} cuts or leaves out the descriptions of {lost} of {} added (its limit is {limit})",
                    describe_count(added.len())
                ),
                help: Some(format!("`skillpm list --tokens --agent {id}` shows which")),
            });
        }
    }
}

/// The format of an agent's listing, as a name for [`render_listing`].
fn listing_format(context: &CommandContext<'_>, agent: Option<&str>) -> Result<String> {
    let agent = agent
        .map(|id| agents::find_agent(context, id))
        .transpose()?
        .flatten();
    // Without an agent, the format of the client guide is measured.
    Ok(agent.map_or_else(|| "xml".to_owned(), |agent| agent.emit))
}

fn agents_in_use(context: &CommandContext<'_>) -> Result<Vec<String>> {
    let project = context.project()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let root = project
        .as_ref()
        .map_or(context.dirs.cwd.as_path(), |workspace| {
            workspace.root.as_path()
        });

    let manifest = project
        .as_ref()
        .map(|workspace| workspace.manifest(&registries))
        .transpose()?;
    let targets = manifest
        .map(|manifest| manifest.install.targets)
        .unwrap_or_default();

    Ok(agents::in_use(context, Some(root), &targets)?
        .into_iter()
        .map(|used| used.agent.id)
        .collect())
}

/// The maximum size of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListingBudget {
    /// In characters.
    Characters(usize),
    /// In tokens, as estimated.
    Tokens(usize),
}

impl std::str::FromStr for ListingBudget {
    type Err = Error;

    /// Parses a number of characters, or of tokens if `t` follows: `8000`, `2000t`.
    fn from_str(text: &str) -> Result<Self> {
        let number = |text: &str| text.parse().ok();
        let read = match text.strip_suffix('t') {
            Some(tokens) => number(tokens).map(ListingBudget::Tokens),
            None => number(text).map(ListingBudget::Characters),
        };

        read.ok_or_else(|| {
            Error::usage(format!("invalid budget `{}`", text.escape_debug()))
                .help("use a number of characters, such as `8000`, or of tokens, such as `2000t`")
        })
    }
}

/// Checks a catalog's listing against a budget; `text` is the listing, or `None` to render that of
/// the agent.
///
/// # Errors
/// If the listing is larger; the notes name the descriptions to shorten.
pub fn check_budget(
    context: &CommandContext<'_>,
    catalog: &Catalog,
    text: Option<&str>,
    limit: ListingBudget,
) -> Result<()> {
    let listing = match text {
        Some(text) => text.to_owned(),
        None => render_listing(catalog, &listing_format(context, catalog.agent.as_deref())?)?,
    };
    // Without the agent's own limits: only the given budget counts.
    let cost = measure_listing(catalog, &listing, &ListingLimit::default(), false);
    let (size, max, unit) = match limit {
        ListingBudget::Characters(max) => (cost.characters, max, "characters"),
        ListingBudget::Tokens(max) => (cost.est_tokens, max, "tokens"),
    };

    if size <= max {
        return Ok(());
    }

    let error = Error::negative(format!(
        "budget exceeded: the listing of {} takes {size} {unit}, {} over the budget of {max}",
        describe_count(cost.skills),
        size - max
    ));

    // Shortening the longest descriptions helps most.
    let longest = cost
        .longest
        .iter()
        .filter(|(_, length)| *length > 0)
        .take(LONGEST_SHOWN);
    let error = longest.fold(error, |error, (name, length)| {
        error.note(format!("`{name}` has a description of {length} characters"))
    });

    Err(error.help("shorten these descriptions, or exclude skills with `deny` under `[catalog]` in skillpm.toml"))
}

/// The number of descriptions that an error names.
const LONGEST_SHOWN: usize = 5;

fn describe_count(count: usize) -> String {
    if count == 1 {
        "1 skill".to_owned()
    } else {
        format!("{count} skills")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_is_in_characters_or_with_a_t_in_tokens() {
        assert_eq!(
            "8000".parse::<ListingBudget>().unwrap(),
            ListingBudget::Characters(8000)
        );
        assert_eq!(
            "2000t".parse::<ListingBudget>().unwrap(),
            ListingBudget::Tokens(2000)
        );
        for bad in ["", "t", "-1", "8k"] {
            assert!(bad.parse::<ListingBudget>().is_err(), "{bad}");
        }
    }
}
