//! Who looks: an agent with its own directories, order and configuration, or a part that `[catalog.agents]` names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::{Context, agents};
use super::ground::Ground;
use super::{CatalogOptions, assume};
use crate::catalog::permission::{self, Permissions};
use crate::catalog::{
    Clash, Content, Disagreement, Discovery, Finding, Known, Rules, Settings, Tier, View, disagreements, seen_by,
};
use crate::error::Result;
use crate::install::target::{Agent, IdFrom, SHARED, SameName};
use crate::io::disk;
use crate::manifest::{self, AgentRules, ToolRules};
use crate::report::{Diagnostic, Level};
use crate::skill::Format;
use crate::tiers::{self, Memory, Place, Which};

/// Where agents whose configuration skillpm reads keep it, by their ids.
const CONFIG_FILES: [(&str, &str); 1] = [("openclaw", "~/.openclaw/openclaw.json")];

/// Who looks at the skills.
pub(super) struct Sight {
    /// The name that was asked for.
    name: String,
    /// The agent of that name; `None` for a part that only `[catalog.agents]` knows.
    pub(super) agent: Option<Agent>,
}

impl Sight {
    /// The agent or part of that name.
    pub(super) fn of(context: &Context<'_>, ground: &Ground, name: &str) -> Result<Self> {
        let agent = agents::find(context, name)?;
        if agent.is_none() && !ground.rules.agents.contains_key(name) {
            let help = format!(
                "say what it sees under `[catalog.agents.{name}]` in skillpm.toml, or where it reads skills with \
                 `skillpm config set agents.{name}.project-dir DIR`"
            );
            let parts: Vec<&str> = ground.rules.agents.keys().map(String::as_str).collect();
            return Err(agents::unknown(context, name, &parts, help));
        }
        Ok(Sight { name: name.to_owned(), agent })
    }
}

/// The skills of an agent's own directories, in its own order, and where it means others than the tiers do.
pub(super) fn own_order(
    context: &Context<'_>,
    ground: &Ground,
    agent: &Agent,
    options: &CatalogOptions,
) -> (Discovery, Vec<Disagreement>) {
    let places = own_places(context, &ground.root, agent);
    let memory = Memory::new(
        &context.places.skillpm.join("index"),
        Some(&ground.root.join("|").join(&agent.id)),
        context.clock(),
    );
    let mut theirs = tiers::discover(&places, Some(&memory));
    tiers::inspect(&mut theirs, &places, which(options), Some(&memory));
    if agent.id_from == Some(IdFrom::Dir) {
        theirs.candidates = tiers::by_directory(theirs.candidates);
    }
    let ours = ground.look(Which::Shadowed);
    share_contents(&ours, &mut theirs);
    let found = disagreements(&ours, &theirs, clash(agent));
    (theirs, found)
}

/// Whose files are to be looked at. What a skill says to Codex is in a file of its own.
pub(super) fn which(options: &CatalogOptions) -> Which {
    let is_heeded = options.agent.as_deref().is_some_and(|agent| product(agent).is_some());
    if options.contents || is_heeded { Which::All } else { Which::Shadowed }
}

/// What an agent is called in `agents/openai.yaml`; `None` for those that do not heed it.
fn product(agent: &str) -> Option<&'static str> {
    (agent == "codex").then_some("codex")
}

/// The directories that an agent reads, under the names that tiers give them.
fn own_places(context: &Context<'_>, root: &Path, agent: &Agent) -> Vec<Place> {
    let (shared, own) = (root.join(SHARED), context.places.home.join(SHARED));
    let order = agent.reading_order(Some(root), &agents::expansion(context));
    let place = |path: PathBuf, in_project| {
        let label = match &path {
            path if *path == shared => "project-agents",
            path if *path == own => "personal-agents",
            path if *path == root.join("skills") => "workspace",
            _ => &agent.id,
        };
        Place::directory(if in_project { Tier::Workspace } else { Tier::Managed }, label, path.clone())
    };
    order.into_iter().map(|read| place(read.path, read.in_project)).collect()
}

/// Where agents that are in use take names differently from the tiers, by their ids. Only names that several skills
/// claim can be, so mostly nobody is asked.
pub(super) fn others(context: &Context<'_>, ground: &Ground, ours: &Discovery) -> Result<Vec<(Agent, Disagreement)>> {
    if ours.candidates.iter().all(|candidate| candidate.shadows.is_empty()) {
        return Ok(Vec::new());
    }
    let real: Vec<PathBuf> = ours.roots.iter().map(|root| disk::real_path(&root.path)).collect();
    let mut found = Vec::new();
    for agent in agents::in_use(context, &ground.root, &ground.targets)? {
        let order = agent.reading_order(Some(&ground.root), &agents::expansion(context));
        let order: Vec<PathBuf> = order.iter().map(|read| disk::real_path(&read.path)).collect();
        let rank: Vec<_> = real.iter().map(|root| order.iter().position(|read| read == root)).collect();
        let theirs = seen_by(ours, &rank);
        found.extend(disagreements(ours, &theirs, clash(&agent)).into_iter().map(|found| (agent.clone(), found)));
    }
    Ok(found)
}

/// Says of what was found what an agent makes of it.
pub(super) fn tell<'d>(discovery: &mut Discovery, found: impl Iterator<Item = (&'d str, &'d Disagreement)>) {
    let mut said: HashMap<&str, Vec<Diagnostic>> = HashMap::new();
    for (agent, disagreement) in found {
        said.entry(disagreement.skill()).or_default().push(disagreement.diagnostic(agent));
    }
    for candidate in &mut discovery.candidates {
        candidate.diagnostics.extend(said.remove(&*candidate.listing.name).unwrap_or_default());
    }
}

/// Gives what `theirs` has not looked at the files that `ours` has seen in the same place.
fn share_contents(ours: &Discovery, theirs: &mut Discovery) {
    let copies = ours.candidates.iter().flat_map(|winner| std::iter::once(winner).chain(&winner.shadows));
    let known: HashMap<PathBuf, &Content> =
        copies.filter_map(|copy| Some((copy.base_dir(&ours.roots), copy.content.as_deref()?))).collect();
    for candidate in theirs.candidates.iter_mut().filter(|candidate| candidate.content.is_none()) {
        let content = known.get(&candidate.base_dir(&theirs.roots));
        candidate.content = content.map(|content| Box::new((*content).clone()));
    }
}

fn clash(agent: &Agent) -> Clash {
    if agent.same_name == Some(SameName::ListsAll) { Clash::ListsAll } else { Clash::OneWins }
}

/// What of everything `options` and the manifest leave to who looks, and what is wrong with the manifest's patterns.
pub(super) fn view(
    context: &Context<'_>,
    ground: &Ground,
    sight: Option<&Sight>,
    options: &CatalogOptions,
) -> Result<(View, Vec<Finding>)> {
    let mut view = View::all(assume(context));
    view.only.clone_from(&options.only);
    view.deny_shadowing.clone_from(&ground.deny_shadowing);
    view.rules.push(Rules {
        by: "`[catalog]` of skillpm.toml".to_owned(),
        enabled: ground.rules.enabled,
        allow: ground.rules.allow.clone(),
        deny: ground.rules.deny.clone(),
    });
    view.permissions = permissions(&ground.rules.tools);
    if let Some(sight) = sight {
        if let Some(rules) = ground.rules.agents.get(&sight.name) {
            view.rules.push(of_agent(&sight.name, rules));
            view.always.clone_from(&rules.always);
            view.permissions.add(&permissions(&rules.tools));
        }
        if let Some(agent) = &sight.agent {
            view.clash = clash(agent);
            view.product = product(&agent.id);
            view.format = match agent.format.as_deref() {
                None => Some(Format::SkillMd),
                known => [Format::Nova, Format::Devai].into_iter().find(|format| known == Some(format.name())),
            };
            view.settings = settings(context, agent)?;
        }
    }
    if let Some(settings) = &mut view.settings {
        view.assume.config = Known::These(settings.truths.clone());
        if options.assume.iter().any(|facts| facts.contains("env=")) {
            settings.variables.clear();
            settings.api_keys.clear();
        }
    }
    options.assume.iter().try_for_each(|facts| view.assume.replace(facts))?;
    let findings = idle_patterns(ground, &view.permissions, sight);
    Ok((view, findings))
}

/// Kodelet takes an empty list for all; skillpm, like others, for none.
fn of_agent(name: &str, rules: &AgentRules) -> Rules {
    let means_all = name == "kodelet" && rules.allow.as_ref().is_some_and(Vec::is_empty);
    Rules {
        by: format!("`[catalog.agents.{name}]` of skillpm.toml"),
        enabled: rules.enabled,
        allow: if means_all { None } else { rules.allow.clone() },
        deny: rules.deny.clone(),
    }
}

fn permissions(rules: &ToolRules) -> Permissions {
    Permissions { allow: rules.allow.clone(), deny: rules.deny.clone(), ask: rules.ask.clone() }
}

/// The agent's own configuration, if skillpm knows where it is and it is there.
fn settings(context: &Context<'_>, agent: &Agent) -> Result<Option<Settings>> {
    let known = CONFIG_FILES.iter().find(|(id, _)| *id == agent.id).map(|(_, path)| (*path).to_owned());
    let Some(path) = context.config.string(&format!("agents.{}.config-file", agent.id)).or(known) else {
        return Ok(None);
    };
    let text = disk::read_text(&context.expand(&path))?;
    text.map(|text| Settings::parse(&text, &path, &agent.id)).transpose()
}

/// What is wrong with patterns for tools that nothing can fit.
fn idle_patterns(ground: &Ground, permissions: &Permissions, sight: Option<&Sight>) -> Vec<Finding> {
    let is_nova = sight.is_some_and(|sight| sight.name == "nova");
    let reason = |pattern: &str| {
        permission::never_fits(pattern).or_else(|| permission::never_fits_in_nova(pattern).filter(|_| is_nova))
    };
    let finding = |pattern: &str| {
        let message = format!("no tool can fit `{}`: {}", pattern.escape_debug(), reason(pattern)?);
        let diagnostic = Diagnostic::new("pattern-cannot-match", Level::Warning, message);
        Some((pattern.to_owned(), diagnostic.help("write `SKILL__TOOL`, `SKILL__*` or `*__TOOL`")))
    };
    let found: Vec<(String, Diagnostic)> = permissions.patterns().filter_map(finding).collect();
    if found.is_empty() {
        return Vec::new();
    }

    let text = &ground.manifest_text;
    let mut places = manifest::tool_patterns(text);
    let at_its_place = |(pattern, diagnostic): (String, Diagnostic)| {
        let at = places.iter().position(|(written, _)| *written == pattern).map(|at| places.swap_remove(at).1);
        let diagnostic = at.map_or(diagnostic.clone(), |span| diagnostic.at(span, text));
        Finding { path: manifest::FILE.into(), diagnostic }
    };
    found.into_iter().map(at_its_place).collect()
}
