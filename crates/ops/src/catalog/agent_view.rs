//! The catalog as one agent sees it, with its own directories, order and configuration, or as a
//! name under `[catalog.agents]` does.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::{CommandContext, agents};
use super::agent_config::read_agent_settings;
use super::agent_discovery;
use super::agent_files::{DefinedAgent, read_defined_agent};
use super::agent_switches::{AgentSwitches, read_switches};
use super::nova::ProjectPermissions;
use super::project_directories::ProjectDirectories;
use super::tier_context::TierContext;
use super::tool_patterns::{PatternTargets, idle_patterns};
use super::{CatalogOptions, assume_machine};
use skillpm_catalog::catalog::budget::ListingLimit;
use skillpm_catalog::catalog::permission::ToolPermissions;
use skillpm_catalog::catalog::{
    AgentDisagreement, Catalog, CatalogView, DiscoveredSkills, DuplicatePolicy, GateAssumptions,
    NameSet, PathFinding, SkillContent, SkillFilter, Tier, discovery_for_agent, find_disagreements,
};
use skillpm_catalog::loaders::{AgentLoader, InvocationRule, ListRoom, find_loader};
use skillpm_catalog::tiers::{self, DiscoveryCache, InspectScope, TierRoot};
use skillpm_core::error::Result;
use skillpm_core::manifest::{AgentRules, CatalogRules, ToolRules};
use skillpm_core::report::Diagnostic;
use skillpm_core::skill::SkillFormat;
use skillpm_io::disk;
use skillpm_registry::install::target::{AgentDirectory, AgentSpec, IdFrom, SameName};

/// The agent whose view is listed.
pub(super) struct AgentView {
    /// The requested name.
    name: String,
    /// The agent of that name, or the one that it is a part of; `None` if only `[catalog.agents]` has it.
    pub(super) agent: Option<AgentSpec>,
    /// The file that defines it, for an agent inside Yodoca or Pickle-bot.
    defined: Option<DefinedAgent>,
    /// What is known of its loader; `None` for an agent without a model.
    pub(super) modeled: Option<ModeledAgent>,
}

/// An agent whose loader is modeled, here.
pub(super) struct ModeledAgent {
    pub(super) loader: &'static AgentLoader,
    project: ProjectDirectories,
    pub(super) switches: AgentSwitches,
}

impl ModeledAgent {
    /// Reads the switches of an agent; `None` if its loader is not modeled.
    ///
    /// # Errors
    /// If a file of its configuration cannot be read, or is invalid.
    fn find(
        context: &CommandContext<'_>,
        tier_context: &TierContext,
        agent: &AgentSpec,
    ) -> Result<Option<Self>> {
        // An agent of that id which settings give another format is another agent.
        let Some(loader) = find_loader(&agent.id).filter(|_| agent.format.is_none()) else {
            return Ok(None);
        };

        let project = ProjectDirectories::new(context, tier_context, loader.project);
        let switches = read_switches(context, &project, loader.agent)?;
        Ok(Some(ModeledAgent {
            loader,
            project,
            switches,
        }))
    }

    /// Discovers the agent's skills by its model.
    fn discover(
        &self,
        context: &CommandContext<'_>,
        agent: &AgentSpec,
        cache: &DiscoveryCache,
    ) -> (Vec<TierRoot>, DiscoveredSkills) {
        let (loader, switches) = (self.loader, &self.switches);
        let search = agent_discovery::search_roots(context, &self.project, agent, loader, switches);
        let theirs = agent_discovery::discover_roots(&search, agent, (loader, switches), cache);
        (search.into_iter().map(|root| root.root).collect(), theirs)
    }

    /// The limit of the agent's list: of skillpm's settings, else of the agent's own, else the known one.
    fn listing_limit(&self, context: &CommandContext<'_>) -> ListingLimit {
        let (id, known) = (
            self.loader.agent,
            ListingLimit::for_agent(self.loader.agent),
        );
        let own = &self.switches.limits;
        let limit = ListingLimit {
            skills: own.skills.or(known.skills),
            characters: own.characters.or(known.characters),
            description: own.description.or(known.description),
            lists_own_skills: known.lists_own_skills && !own.lists_no_own_skills,
            ..known
        };
        agents::limit_over(context, id, limit)
    }

    /// Puts a catalog into the form of the agent's own list.
    pub(super) fn list_skills(&self, context: &CommandContext<'_>, catalog: &mut Catalog) {
        let limit = self.listing_limit(context);
        self.loader.list_skills(
            catalog,
            &ListRoom {
                limit: &limit,
                home: &context.dirs.home,
            },
        );
    }
}

impl AgentView {
    /// Looks up an agent, or a name under `[catalog.agents]`.
    pub(super) fn from_name(
        context: &CommandContext<'_>,
        tier_context: &TierContext,
        name: &str,
    ) -> Result<Self> {
        let mut agent = agents::find_agent(context, name)?;
        let mut defined = None;
        if agent.is_none() {
            defined = read_defined_agent(context, &tier_context.root, name)?;
            agent = defined.as_ref().map(|defined| defined.host.clone());
        }

        if agent.is_none() && !tier_context.rules.agents.contains_key(name) {
            let help = format!(
                "set its filters under `[catalog.agents.{name}]` in skillpm.toml, or the directory it reads with \
                `skillpm config set agents.{name}.project-dir DIR`"
            );
            let names: Vec<&str> = tier_context
                .rules
                .agents
                .keys()
                .map(String::as_str)
                .collect();
            return Err(agents::unknown_agent_error(context, name, &names, help));
        }

        let modeled = match &agent {
            Some(agent) => ModeledAgent::find(context, tier_context, agent)?,
            None => None,
        };
        Ok(AgentView {
            name: name.to_owned(),
            agent,
            defined,
            modeled,
        })
    }

    /// Whether it is Nova, whose permissions have a file and a matcher of their own.
    fn is_nova(&self) -> bool {
        self.name == "nova"
    }

    /// Adds to a view the rules under `[catalog.agents]`, and how the agent reads skills.
    fn apply(
        &self,
        context: &CommandContext<'_>,
        tier_context: &TierContext,
        view: &mut CatalogView,
    ) -> Result<()> {
        if let Some(defined) = &self.defined {
            view.filters.extend(defined.filter.clone());
            view.always.clone_from(&defined.uses);
            view.always_file = Some(defined.file.clone());
        }

        if let Some(rules) = tier_context.rules.agents.get(&self.name) {
            view.filters.push(agent_rules(&self.name, rules));
            // The project's own list goes before the one that the agent's file has.
            if !rules.always.is_empty() {
                view.always.clone_from(&rules.always);
                view.always_file = None;
            }
            view.permissions.add(&permissions(&rules.tools));
        }

        if let Some(agent) = &self.agent {
            view.duplicates = clash_mode(agent);
            view.ids_are_directories = agent.id_from == Some(IdFrom::Dir);
            view.product = product_name(&agent.id);
            if let Some(modeled) = &self.modeled {
                view.knows_gates = modeled.loader.knows_gates;
                let invocation = modeled.loader.invocation;
                view.knows_invocation = invocation == InvocationRule::Known;
                view.drops_by_invocation = invocation != InvocationRule::Ignored;
                view.knows_paths = modeled.loader.knows_paths;
                view.switches.clone_from(&modeled.switches.rules);
                view.filters.extend(modeled.switches.filter.clone());
            }
            view.format = match agent.format.as_deref() {
                // An agent without a format of its own reads `SKILL.md`.
                None => Some(SkillFormat::SkillMd),
                known => [SkillFormat::Nova, SkillFormat::Devai]
                    .into_iter()
                    .find(|format| known == Some(format.name())),
            };
            view.settings = read_agent_settings(context, &tier_context.root, agent)?;
        }
        Ok(())
    }
}

/// Discovers the skills of an agent's own directories, in its own order, and the names that it
/// resolves to other skills than the tiers do.
pub(super) fn discover_own_order(
    context: &CommandContext<'_>,
    tier_context: &TierContext,
    (agent, modeled): (&AgentSpec, Option<&ModeledAgent>),
    options: &CatalogOptions,
) -> (DiscoveredSkills, Vec<AgentDisagreement>) {
    let scope = inspection_scope(options);
    let mut theirs = discover_agent(context, tier_context, (agent, modeled), scope);

    let ours = tier_context.discover(InspectScope::Shadowed);
    if modeled.is_some() {
        add_root_findings(&ours, &mut theirs);
    }
    // Contents that only one side has read would count as a difference.
    share_contents(&ours, &mut theirs);
    tier_context.add_sources(&mut theirs);
    let found = find_disagreements(&ours, &theirs, clash_mode(agent));
    (theirs, found)
}

/// Discovers the skills of an agent's own directories, in its own order.
pub(super) fn discover_agent(
    context: &CommandContext<'_>,
    tier_context: &TierContext,
    (agent, modeled): (&AgentSpec, Option<&ModeledAgent>),
    scope: InspectScope,
) -> DiscoveredSkills {
    let cache = DiscoveryCache::new(
        &context.dirs.skillpm_home.join("index"),
        // Not the cache of the tiers: that has other roots.
        Some(&tier_context.root.join("|").join(&agent.id)),
        context.start_time(),
    );

    let (roots, mut theirs) = match modeled {
        Some(modeled) => modeled.discover(context, agent, &cache),
        None => discover_unmodeled(context, tier_context, agent, &cache),
    };
    tiers::inspect(&mut theirs, &roots, scope, Some(&cache));
    theirs
}

/// Adds what the tiers found wrong with the agent's directories: files with another spelling, broken links.
fn add_root_findings(ours: &DiscoveredSkills, theirs: &mut DiscoveredSkills) {
    let is_theirs = |finding: &&PathFinding| {
        let mut roots = theirs.roots.iter();
        roots.any(|root| finding.path.starts_with(&root.path))
    };
    let findings: Vec<PathFinding> = ours.findings.iter().filter(is_theirs).cloned().collect();
    theirs.findings.extend(findings);
}

/// Discovers the skills of an agent of which only the directories are known.
fn discover_unmodeled(
    context: &CommandContext<'_>,
    tier_context: &TierContext,
    agent: &AgentSpec,
    cache: &DiscoveryCache,
) -> (Vec<TierRoot>, DiscoveredSkills) {
    let roots = agent_roots(context, &tier_context.root, agent);
    let mut theirs = tiers::discover(&roots, Some(cache));
    // This agent uses directory names and ignores `name` in the frontmatter.
    if agent.id_from == Some(IdFrom::Dir) {
        theirs.candidates = tiers::merge_by_directory(theirs.candidates);
    }
    (roots, theirs)
}

/// Which skills' files are read: for Codex all, since its policy of a skill is in a file of its
/// own.
pub(super) fn inspection_scope(options: &CatalogOptions) -> InspectScope {
    let has_product = options
        .agent
        .as_deref()
        .is_some_and(|agent| product_name(agent).is_some());
    if options.contents || has_product {
        InspectScope::All
    } else {
        InspectScope::Shadowed
    }
}

/// The product name of an agent in `agents/openai.yaml`; `None` if the agent ignores that file.
fn product_name(agent: &str) -> Option<&'static str> {
    find_loader(agent)?.product
}

/// The directories that an agent reads, with the labels of the tiers.
fn agent_roots(context: &CommandContext<'_>, root: &Path, agent: &AgentSpec) -> Vec<TierRoot> {
    let order = agent.reading_order(Some(root), &agents::path_expansion(context));
    let to_root = |read: AgentDirectory| {
        // The tiers' own labels, so that both lists name a directory alike.
        let label = agent_discovery::root_label(context, root, &agent.id, &read.path);
        let tier = if read.in_project {
            Tier::Workspace
        } else {
            Tier::Managed
        };
        TierRoot::directory(tier, &label, read.path)
    };

    order.into_iter().map(to_root).collect()
}

/// The names that agents in use resolve to other skills than the tiers do. Only a name with several
/// skills can be one, so mostly no agent has to be compared.
pub(super) fn find_all_disagreements(
    context: &CommandContext<'_>,
    tier_context: &TierContext,
    ours: &DiscoveredSkills,
) -> Result<Vec<(AgentSpec, AgentDisagreement)>> {
    // If no name has two skills, every agent resolves it alike.
    if ours
        .candidates
        .iter()
        .all(|candidate| candidate.shadows.is_empty())
    {
        return Ok(Vec::new());
    }

    // Real paths: an agent may read a root through a link.
    let real_roots: Vec<PathBuf> = ours
        .roots
        .iter()
        .map(|root| disk::real_path(&root.path))
        .collect();

    let mut found = Vec::new();
    for used in agents::in_use(context, Some(&tier_context.root), &tier_context.targets)? {
        let agent = used.agent;
        let order = agent.reading_order(Some(&tier_context.root), &agents::path_expansion(context));
        let order: Vec<PathBuf> = order
            .iter()
            .map(|read| disk::real_path(&read.path))
            .collect();
        // A root that the agent does not read has no rank.
        let rank: Vec<_> = real_roots
            .iter()
            .map(|root| order.iter().position(|read| read == root))
            .collect();

        let theirs = discovery_for_agent(ours, &rank);
        found.extend(
            find_disagreements(ours, &theirs, clash_mode(&agent))
                .into_iter()
                .map(|found| (agent.clone(), found)),
        );
    }
    Ok(found)
}

/// Adds a diagnostic for each disagreement to the skill of that name.
pub(super) fn add_diagnostics<'d>(
    discovery: &mut DiscoveredSkills,
    found: impl Iterator<Item = (&'d str, &'d AgentDisagreement)>,
) {
    let mut by_skill: HashMap<&str, Vec<Diagnostic>> = HashMap::new();
    for (agent, disagreement) in found {
        by_skill
            .entry(disagreement.skill())
            .or_default()
            .push(disagreement.diagnostic(agent));
    }

    for candidate in &mut discovery.candidates {
        candidate.diagnostics.extend(
            by_skill
                .remove(&*candidate.listing.name)
                .unwrap_or_default(),
        );
    }
}

/// Copies the contents that `ours` has read to the skills of `theirs` at the same path.
fn share_contents(ours: &DiscoveredSkills, theirs: &mut DiscoveredSkills) {
    let copies = ours
        .candidates
        .iter()
        .flat_map(|winner| std::iter::once(winner).chain(&winner.shadows));
    let known: HashMap<PathBuf, &SkillContent> = copies
        .filter_map(|copy| Some((copy.base_dir(&ours.roots), copy.content.as_deref()?)))
        .collect();
    for candidate in theirs
        .candidates
        .iter_mut()
        .filter(|candidate| candidate.content.is_none())
    {
        let content = known.get(&candidate.base_dir(&theirs.roots));
        candidate.content = content.map(|content| Box::new((*content).clone()));
    }
}

fn clash_mode(agent: &AgentSpec) -> DuplicatePolicy {
    // An agent of which this is unknown is treated as most are: one skill has the name.
    if agent.same_name == Some(SameName::ListsAll) {
        DuplicatePolicy::ListsAll
    } else {
        DuplicatePolicy::OneWins
    }
}

/// The filters of `options` and the manifest for a viewer, and findings about patterns of the
/// manifest that match no tool of the discovered skills.
pub(super) fn build_view(
    context: &CommandContext<'_>,
    tier_context: &TierContext,
    (viewer, discovery): (Option<&AgentView>, &DiscoveredSkills),
    options: &CatalogOptions,
) -> Result<(CatalogView, Vec<PathFinding>)> {
    // What is published must not depend on the machine that publishes it.
    let machine = if options.any_machine {
        GateAssumptions::any_machine()
    } else {
        assume_machine(context)
    };
    let mut view = CatalogView::with_assumptions(machine);
    view.only.clone_from(&options.only);
    view.deny_shadowing.clone_from(&tier_context.deny_shadowing);
    // The project's filter comes first, so that it is named where both hide a skill.
    view.filters.push(project_rules(&tier_context.rules));
    view.permissions = permissions(&tier_context.rules.tools);
    view.filters.extend(switched_off(context, options)?);

    if let Some(viewer) = viewer {
        viewer.apply(context, tier_context, &mut view)?;
    }

    if let Some(settings) = &mut view.settings {
        if !options.any_machine {
            view.assumptions.config = NameSet::Fixed(settings.true_paths.clone());
        }
        // `--assume env=…` replaces the whole environment, the agent's own variables included.
        if options.assume.iter().any(|facts| facts.contains("env=")) {
            settings.variables.clear();
            settings.api_keys.clear();
        }
    }

    options
        .assume
        .iter()
        .try_for_each(|facts| view.assumptions.override_with(facts))?;

    let is_nova = viewer.is_some_and(AgentView::is_nova);
    let targets = PatternTargets::new(discovery, is_nova);
    let mut findings = idle_patterns(tier_context, &view.permissions, &targets);
    if is_nova {
        let file = ProjectPermissions::read(tier_context)?;
        findings.extend(file.findings(&targets));
        view.permissions.add(file.permissions());
    }
    Ok((view, findings))
}

/// The filter that switches skills off for this run, or by a setting.
fn switched_off(
    context: &CommandContext<'_>,
    options: &CatalogOptions,
) -> Result<Option<SkillFilter>> {
    if options.no_skills {
        return Ok(Some(SkillFilter::disabling(
            "this run (`--no-skills`)".into(),
        )));
    }
    if context.config.switch("catalog.enabled") {
        return Ok(None);
    }

    let set = context.config.get("catalog.enabled")?;
    let by = set.map_or(String::new(), |set| format!(" ({})", set.origin));
    Ok(Some(SkillFilter::disabling(format!(
        "`catalog.enabled`{by}"
    ))))
}

/// The filter of a project's rules for all agents.
pub(crate) fn project_rules(rules: &CatalogRules) -> SkillFilter {
    SkillFilter {
        set_by: "`[catalog]` of skillpm.toml".to_owned(),
        enabled: rules.enabled,
        allow: rules.allow.clone(),
        deny: rules.deny.clone(),
    }
}

/// The filter of an agent's rules. For Kodelet an empty `allow` allows everything; for skillpm and
/// other agents it allows nothing.
pub(crate) fn agent_rules(name: &str, rules: &AgentRules) -> SkillFilter {
    let means_all = name == "kodelet" && rules.allow.as_ref().is_some_and(Vec::is_empty);
    SkillFilter {
        set_by: format!("`[catalog.agents.{name}]` of skillpm.toml"),
        enabled: rules.enabled,
        allow: if means_all { None } else { rules.allow.clone() },
        deny: rules.deny.clone(),
    }
}

fn permissions(rules: &ToolRules) -> ToolPermissions {
    ToolPermissions {
        allow: rules.allow.clone(),
        deny: rules.deny.clone(),
        ask: rules.ask.clone(),
    }
}
