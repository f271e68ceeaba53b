//! Discovery for an agent whose loader is modeled: its directories from here, its verdicts on files from `lint`.

use std::path::{Path, PathBuf};

use super::super::{CommandContext, agents};
use super::agent_switches::{AgentSwitches, FurtherRoot, RootPlace, UnreadKind};
use super::project_directories::ProjectDirectories;
use skillpm_catalog::catalog::{DiscoveredSkills, ShownText, SkillRoot, Tier};
use skillpm_catalog::loaders::{
    AgentLoader, FileReader, FileVerdict, LoaderRoot, SearchRoot, SearchRules, discover_as_agent,
};
use skillpm_catalog::tiers::{DiscoveryCache, TierRoot};
use skillpm_lint::agents::{AgentModel, LoadOutcome, load, load_command};
use skillpm_registry::install::target::{
    AgentSpec, IdFrom, SHARED_DIR, UserEnvironment, all_agents,
};

/// The settings that replace an agent's whole list of directories.
const LIST_SETTINGS: [&str; 3] = ["also-reads-project", "also-reads-user", "order"];

/// The directories of a modeled agent, those with precedence first.
pub(super) fn search_roots(
    context: &CommandContext<'_>,
    project: &ProjectDirectories,
    agent: &AgentSpec,
    loader: &AgentLoader,
    switches: &AgentSwitches,
) -> Vec<SearchRoot> {
    let labels = RootLabels {
        context,
        project,
        agent,
    };
    let environment = agents::path_expansion(context);
    let is_replaced = LIST_SETTINGS.iter().any(|key| {
        let key = format!("agents.{}.{key}", agent.id);
        context.config.string(&key).is_some()
    });

    let mut roots: Vec<SearchRoot> = if is_replaced {
        let order = agent.reading_order(Some(&project.nearest), &environment);
        order
            .into_iter()
            .map(|read| labels.search_root(read.path, read.in_project, loader.search))
            .collect()
    } else {
        let table = loader.roots.iter();
        table
            .flat_map(|root| expand_root(root, &labels, &environment))
            .collect()
    };

    add_further_roots(&mut roots, &switches.roots);
    for root in &mut roots {
        root.unread = unread_reason(&root.root.root, switches);
        root.link_targets.clone_from(&switches.link_targets);
    }
    roots
}

/// Puts the directories that only the configuration names where they are in the order of precedence.
fn add_further_roots(roots: &mut Vec<SearchRoot>, further: &[FurtherRoot]) {
    let placed = |place: RootPlace| {
        let roots = further.iter().filter(move |root| root.place == place);
        roots.map(|further| SearchRoot {
            root: TierRoot::directory(further.tier, further.label, &further.path),
            rules: further.rules,
            link_targets: Vec::new(),
            unread: None,
        })
    };

    let users = roots
        .iter()
        .position(|root| root.root.root.tier != Tier::Workspace)
        .unwrap_or(roots.len());
    // The later place first, so that the earlier one is still where it was.
    roots.splice(users..users, placed(RootPlace::BetweenTiers));
    roots.splice(0..0, placed(RootPlace::First));
    roots.extend(placed(RootPlace::Last));
}

/// Why a directory is not read; `None` if it is.
fn unread_reason(root: &SkillRoot, switches: &AgentSwitches) -> Option<String> {
    let is_meant = |which: &UnreadKind| match which {
        UnreadKind::Project => root.tier == Tier::Workspace,
        UnreadKind::Containing(part) => root.path.to_string_lossy().contains(part),
    };
    let unread = switches
        .unread
        .iter()
        .find(|unread| is_meant(&unread.which))?;
    Some(unread.because.clone())
}

/// One row of the table as directories of this machine.
fn expand_root(
    root: &LoaderRoot,
    labels: &RootLabels<'_>,
    environment: &UserEnvironment<'_>,
) -> Vec<SearchRoot> {
    let path = moved_path(labels.agent, root.path);
    if path.starts_with(['~', '$', '/']) {
        let path = environment.expand(path);
        let root = path.map(|path| labels.search_root(path, false, root.search));
        return root.into_iter().collect();
    }

    let project = labels.project;
    let above = if root.climbs {
        &project.all[..]
    } else {
        std::slice::from_ref(&project.nearest)
    };
    // That of the home is the user's, and has its own place in the order.
    let own = labels.context.dirs.home.join(SHARED_DIR);
    above
        .iter()
        .map(|dir| dir.join(path))
        .filter(|dir| *dir != own)
        .map(|dir| labels.search_root(dir, true, root.search))
        .collect()
}

/// A directory of the table, or what a setting or a variable has put in its place.
fn moved_path<'p>(agent: &'p AgentSpec, path: &'p str) -> &'p str {
    let Some(row) = all_agents().iter().find(|row| row.id == agent.id) else {
        return path;
    };

    let own = [
        (&row.project_dir, &agent.project_dir),
        (&row.global_dir, &agent.global_dir),
    ];
    own.into_iter()
        .find(|(was, _)| was.as_deref() == Some(path))
        .and_then(|(_, now)| now.as_deref())
        .unwrap_or(path)
}

/// Names directories as the tiers do.
struct RootLabels<'a> {
    context: &'a CommandContext<'a>,
    project: &'a ProjectDirectories,
    agent: &'a AgentSpec,
}

impl RootLabels<'_> {
    fn search_root(&self, path: PathBuf, in_project: bool, rules: SearchRules) -> SearchRoot {
        let tier = if in_project {
            Tier::Workspace
        } else {
            Tier::Managed
        };
        let label = root_label(self.context, &self.project.nearest, &self.agent.id, &path);
        SearchRoot {
            root: TierRoot::directory(tier, &label, path),
            rules,
            link_targets: Vec::new(),
            unread: None,
        }
    }
}

/// The tiers' own name for a directory; of one that only the agent has, the agent's id.
pub(super) fn root_label(
    context: &CommandContext<'_>,
    project: &Path,
    agent: &str,
    path: &Path,
) -> String {
    let label = if path == project.join(SHARED_DIR) {
        "project-agents"
    } else if path == context.dirs.home.join(SHARED_DIR) {
        "personal-agents"
    } else if path == project.join("skills") {
        "workspace"
    } else {
        agent
    };
    label.to_owned()
}

/// Discovers the skills in these directories as the agent does.
pub(super) fn discover_roots(
    roots: &[SearchRoot],
    agent: &AgentSpec,
    (loader, switches): (&AgentLoader, &AgentSwitches),
    cache: &DiscoveryCache,
) -> DiscoveredSkills {
    let exclude = |tier: Tier, file: &Path| {
        let mut overrides = switches.excluded.iter();
        overrides.find_map(|overrides| overrides.exclusion_reason(tier, file))
    };
    let model = loader.agent.parse::<AgentModel>();
    let judge = |text: &str, directory: &str| match &model {
        Ok(model) => match judge_file(*model, text, directory) {
            FileVerdict::Listed(shown)
                if loader.needs_description && !is_described(&shown, text) =>
            {
                FileVerdict::Dropped("it lists nothing without a `description`".to_owned())
            }
            verdict => verdict,
        },
        Err(_) => FileVerdict::Listed(ShownText {
            name: directory.into(),
            description: Box::default(),
            location: None,
        }),
    };

    // Only Claude Code has commands.
    let judge_command = |text: &str, name: &str| verdict(load_command(text, name));
    discover_as_agent(
        roots,
        &FileReader {
            loader,
            title: &agent.display_name,
            judge: &judge,
            judge_command: &judge_command,
            exclude: &exclude,
            names_from_files: agent.id_from != Some(IdFrom::Dir),
        },
        Some(cache),
    )
}

/// Whether a skill has a description, which may be empty.
fn is_described(shown: &ShownText, text: &str) -> bool {
    !shown.description.is_empty() || text.lines().any(|line| line.starts_with("description:"))
}

fn judge_file(model: AgentModel, text: &str, directory: &str) -> FileVerdict {
    verdict(load(model, text, directory))
}

fn verdict(outcome: LoadOutcome) -> FileVerdict {
    match outcome {
        LoadOutcome::Listed { name, description } | LoadOutcome::Degraded { name, description } => {
            FileVerdict::Listed(ShownText {
                name: name.into(),
                description: description.into(),
                location: None,
            })
        }
        LoadOutcome::Dropped(reason) => FileVerdict::Dropped(reason),
    }
}
