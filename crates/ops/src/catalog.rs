//! `catalog`: discovers skills in the tiers, or in an agent's own directories, then decides which
//! of them an agent sees.

mod agent_config;
mod agent_discovery;
mod agent_files;
mod agent_listing;
mod agent_switches;
mod agent_view;
mod denied;
mod nova;
mod project_directories;
mod refused;
mod tier_context;
mod tool_patterns;

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::{CommandContext, interrupted, show};
use agent_view::AgentView;
use skillpm_catalog::catalog::{
    AgentDisagreement, Catalog, CatalogEntry, CatalogQuery, CatalogView, DiscoveredSkills,
    GateAssumptions, HiddenReason, NameSet, Tier,
};
use skillpm_core::error::{Error, Result};
use skillpm_io::disk;
use skillpm_registry::install::target::AgentSpec;
use tier_context::TierContext;

pub(super) use agent_listing::{AgentListing, AgentListings, real_directory};
pub(super) use agent_view::{agent_rules, project_rules};
pub(super) use nova::PERMISSIONS as NOVA_PERMISSIONS;
pub(super) use tier_context::deny_shadowing;

/// Options of [`catalog`].
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct CatalogOptions {
    /// Directories to list instead of the tiers, in this order; empty for the tiers.
    pub dirs: Vec<PathBuf>,
    /// The names to list; `None` for all.
    pub only: Option<Vec<String>>,
    /// Assumptions about the machine, as `os=…,bins=…,env=…`, instead of what is detected.
    pub assume: Vec<String>,
    /// Whether the skills are published for other machines: then none is hidden because this one
    /// lacks something, except for what `assume` says.
    pub any_machine: bool,
    /// Whether to read files and checksums, too.
    pub contents: bool,
    /// The query that listed skills match.
    pub search: CatalogQuery,
    /// Lists only the project's own skills, as for a file that is committed with it.
    pub workspace_only: bool,
    /// The agent whose view is listed, with its own directories in its own order, or a name under
    /// `[catalog.agents]`; `None` for the plain tiers.
    pub agent: Option<String>,
    /// Switches skills off for this run, as Kodelet's flag of that name.
    pub no_skills: bool,
}

/// Lists the skills of the project, the user's own and the bundled ones, or one agent's view of
/// them.
///
/// # Errors
/// If a manifest or lockfile is invalid, or a name in `only` or the agent is unknown.
pub fn catalog(context: &CommandContext<'_>, options: &CatalogOptions) -> Result<Catalog> {
    let catalog = resolve(context, options)?;
    match catalog.unknown.first() {
        Some(name) => Err(
            Error::negative(format!("skill `{}` not found", name.escape_debug()))
                .help("`skillpm list` shows all skills"),
        ),
        None => Ok(catalog),
    }
}

/// The directories of the skills that an agent lists, and of those that it finds and does not load.
///
/// # Errors
/// As for [`catalog`].
pub fn agent_skill_dirs(context: &CommandContext<'_>, agent: &str) -> Result<Vec<PathBuf>> {
    let catalog = catalog(
        context,
        &CatalogOptions {
            agent: Some(agent.to_owned()),
            ..CatalogOptions::default()
        },
    )?;

    let is_meant = |entry: &&CatalogEntry| {
        entry
            .hidden
            .is_none_or(|hidden| matches!(hidden, HiddenReason::Dropped | HiddenReason::OverBudget))
    };
    let mut dirs: Vec<PathBuf> = catalog
        .entries
        .iter()
        .filter(is_meant)
        // A command is a page, which the rules for skills do not fit.
        .filter(|entry| entry.candidate.command.is_none())
        .map(|entry| entry.candidate.base_dir(&catalog.roots))
        .collect();
    let unread = catalog.unlisted.iter().map(|unlisted| &unlisted.location);
    dirs.extend(unread.filter_map(|file| Some(file.parent()?.to_owned())));

    dirs.sort();
    dirs.dedup();
    // Shorter, and as people would write them.
    let shown = |dir: PathBuf| match dir.strip_prefix(&context.dirs.cwd) {
        Ok(below) if !below.as_os_str().is_empty() => below.to_owned(),
        _ => dir,
    };
    Ok(dirs.into_iter().map(shown).collect())
}

/// Like [`catalog`], but names in `only` may be unknown.
pub(super) fn resolve(context: &CommandContext<'_>, options: &CatalogOptions) -> Result<Catalog> {
    // A killed command may have left skills half updated: they are listed, with a warning.
    if let Some(workspace) = context.project()? {
        interrupted::warn_if_idle(&context.state_dir(&workspace), context.reporter)?;
    }

    let tier_context = TierContext::from_options(context, options)?;
    let viewer = options
        .agent
        .as_deref()
        .map(|name| AgentView::from_name(context, &tier_context, name))
        .transpose()?;

    let (mut discovery, found) = discover(context, options, &tier_context, viewer.as_ref())?;
    agent_view::add_diagnostics(
        &mut discovery,
        found
            .iter()
            .map(|(agent, found)| (agent.display_name.as_str(), found)),
    );

    // Filtered after discovery, so that shadowing is decided over all tiers.
    if options.workspace_only {
        let roots = &discovery.roots;
        discovery
            .candidates
            .retain(|candidate| roots[usize::from(candidate.root)].tier == Tier::Workspace);
    }

    let (view, mut findings) = agent_view::build_view(
        context,
        &tier_context,
        (viewer.as_ref(), &discovery),
        options,
    )?;
    // Before anything is taken out: what a rule names may be a skill that cannot be listed.
    if options.dirs.is_empty() {
        let denied = denied::absent_names(&tier_context, options.agent.as_deref(), &discovery);
        findings.extend(denied);
    }

    let mut catalog = build_catalog(context, options, viewer.as_ref(), (discovery, &view));
    catalog.agent.clone_from(&options.agent);
    catalog.listing_format = viewer
        .as_ref()
        .and_then(|viewer| Some(viewer.agent.as_ref()?.emit.clone()));
    catalog.findings.extend(findings);

    catalog.disagreements = found
        .into_iter()
        .map(|(agent, found)| (agent.id, found))
        .collect();

    // Last: only the skills that are left are read.
    if options.contents {
        load_instructions(&mut catalog)?;
    }

    Ok(catalog)
}

/// The discovered skills as a view has them, in the form of the agent's own list if that is known.
fn build_catalog(
    context: &CommandContext<'_>,
    options: &CatalogOptions,
    viewer: Option<&AgentView>,
    (mut discovery, view): (DiscoveredSkills, &CatalogView),
) -> Catalog {
    if let Some(agent) = viewer.and_then(|viewer| viewer.agent.as_ref()) {
        let without = refused::directories_without_skill(&discovery, &agent.id);
        discovery.unlisted.extend(without);
        refused::skip_refused(&mut discovery, view.format, &agent.id);
    }

    let mut catalog = Catalog::from_discovery(discovery, view);
    catalog.apply_query(&options.search);
    let modeled = viewer.and_then(|viewer| viewer.modeled.as_ref());
    if let Some(modeled) = modeled.filter(|_| options.dirs.is_empty()) {
        modeled.list_skills(context, &mut catalog);
    }
    catalog
}

/// Discovers the skills in an agent's own order, or that of the tiers, and the names that agents
/// resolve differently.
fn discover(
    context: &CommandContext<'_>,
    options: &CatalogOptions,
    tier_context: &TierContext,
    viewer: Option<&AgentView>,
) -> Result<(DiscoveredSkills, Vec<(AgentSpec, AgentDisagreement)>)> {
    let agent = viewer.and_then(|viewer| Some((viewer.agent.as_ref()?, viewer.modeled.as_ref())));
    // `--dir` lists only those directories: the agent's own order does not apply.
    if let Some((agent, modeled)) = agent.filter(|_| options.dirs.is_empty()) {
        let (theirs, found) =
            agent_view::discover_own_order(context, tier_context, (agent, modeled), options);
        let found = found.into_iter().map(|found| (agent.clone(), found));
        return Ok((theirs, found.collect()));
    }

    let ours = tier_context.discover(agent_view::inspection_scope(options));
    // Agents are compared only for the plain catalog: `--agent` shows a single view.
    let found = if viewer.is_none() {
        agent_view::find_all_disagreements(context, tier_context, &ours)?
    } else {
        Vec::new()
    };
    Ok((ours, found))
}

/// Reads the instructions of the skills that the agent always includes.
fn load_instructions(catalog: &mut Catalog) -> Result<()> {
    for at in 0..catalog.entries.len() {
        let entry = &catalog.entries[at];
        // Hidden skills are not shown: their text is not needed.
        if entry.always && entry.hidden.is_none() {
            let text = show::read_instructions(catalog, entry)?;
            catalog.entries[at].instructions = Some(text.into());
        }
    }
    Ok(())
}

/// The facts about this machine that gates are checked against.
fn assume_machine(context: &CommandContext<'_>) -> GateAssumptions {
    // Skills use the names of Node.js for operating systems.
    let mut assume = GateAssumptions::for_os(match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    });

    let path: Vec<PathBuf> = (context.env_var)("PATH")
        .map(|path| path.split(':').map(PathBuf::from).collect())
        .unwrap_or_default();
    assume.bins = NameSet::Lookup(Box::new(move |name| {
        // A path is not a program name: it would be looked up outside of `PATH`.
        let is_plain = !name.is_empty() && !name.contains('/');
        is_plain
            && path
                .iter()
                .any(|dir| disk::lstat(&dir.join(name)).is_ok_and(|meta| meta.is_some()))
    }));

    let named: BTreeSet<String> = (context.env_names)();
    assume.env = NameSet::Fixed(named);
    assume
}
