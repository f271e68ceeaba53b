//! `tree` and `why`: the dependency graph of a project, and why a skill is installed.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use super::CommandContext;
use super::agents::{AgentLabel, SkillVisibility, UnseeingAgent};
use super::catalog::{CatalogOptions, catalog};
use super::policy::EffectivePolicy;
use super::verify::edited_copies;
use skillpm_catalog::catalog::{
    AgentDisagreement, Catalog, CatalogEntry, SkillCopy, SkillShadow, UnlistedSkill,
};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::SkillName;
use skillpm_core::resolver::RootDependency;
use skillpm_core::skill::InstallMethod;
use skillpm_io::skills_dir;
use skillpm_lint::agents;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// Finds a skill of the catalog by its name, or by the id that the catalog shows.
///
/// # Errors
/// If there is none; the nearest name is suggested.
pub(super) fn find_entry<'c>(catalog: &'c Catalog, name: &str) -> Result<&'c CatalogEntry> {
    catalog
        .find(name)
        .ok_or_else(|| unknown_skill_error(catalog, name))
}

fn unknown_skill_error(catalog: &Catalog, name: &str) -> Error {
    let names = catalog
        .entries
        .iter()
        .map(|entry| &*entry.candidate.listing.name);
    let mut error = Error::negative(format!("skill `{}` not found", name.escape_debug()));
    // It may exist but be unreadable: the reason helps more than a similar name.
    for unlisted in catalog
        .unlisted
        .iter()
        .filter(|unlisted| is_named(&unlisted.location, name))
    {
        let why = unlisted
            .diagnostics
            .iter()
            .map(|diagnostic| &*diagnostic.message)
            .next()
            .unwrap_or_default();
        error = error.note(format!(
            "`{}` cannot be listed: {why}",
            unlisted.location.display()
        ));
        if let Some(note) = describe_listing_agents(unlisted) {
            error = error.note(note);
        }
    }

    error.help_nearest(name, names, "`skillpm list` shows all skills")
}

/// Which agents list a skill that skillpm does not; `None` if none is known to.
///
/// One sentence, as for a note: `Claude Code and OpenClaw list it nevertheless`.
fn describe_listing_agents(unlisted: &UnlistedSkill) -> Option<String> {
    // The models are of `SKILL.md`: no other agent reads Nova's or Devai's files.
    let path = &unlisted.location;
    if path.file_name()? != "SKILL.md" {
        return None;
    }

    let (bytes, _) = skills_dir::read_file(path, PAGE_MAX).ok()??;
    let directory = path.parent()?.file_name()?.to_str()?;
    match &*agents::listing_agents(std::str::from_utf8(&bytes).ok()?, directory) {
        [] => None,
        [one] => Some(format!("{one} lists it nevertheless")),
        several => Some(format!(
            "{} list it nevertheless",
            agents::join_titles(several)
        )),
    }
}

/// The size of a `SKILL.md` up to which the agents are compared, in bytes.
const PAGE_MAX: u64 = 1 << 20;

/// Whether a `SKILL.md` is in a directory of this name.
fn is_named(skill_md: &Path, name: &str) -> bool {
    skill_md
        .parent()
        .and_then(Path::file_name)
        .is_some_and(|directory| directory == name)
}

/// One line of a dependency tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeLine {
    /// The depth; 0 for a direct dependency of the project.
    pub depth: usize,
    /// The package.
    pub package: LockedPackage,
    /// Whether its dependencies are omitted because an earlier line has them.
    pub repeated: bool,
    /// Whether the package, and each of its parents, is the last of its siblings, outermost first.
    pub last: Vec<bool>,
}

/// The dependency tree of a project as lines; `inverted` shows the dependents of each package.
///
/// # Errors
/// If the lockfile is missing, or it or the manifest is invalid.
pub fn tree(
    context: &CommandContext<'_>,
    sort: WorkspaceKind,
    inverted: bool,
    depth: Option<usize>,
) -> Result<Vec<TreeLine>> {
    let (roots, lockfile) = read_project(context, sort)?;
    let starts: Vec<&LockedPackage> = if inverted {
        // Inverted, every package is a start: any of them may be the one that is looked for.
        lockfile.packages().iter().collect()
    } else {
        // Several members may depend on one package, which is one root then.
        let mut seen = BTreeSet::new();
        let asked = roots
            .iter()
            .map(|root| &root.dependency.alias)
            .filter(|alias| seen.insert(*alias));
        asked
            .filter_map(|alias| lockfile.installed_as(alias))
            .collect()
    };

    let mut walk = TreeWalk {
        lockfile: &lockfile,
        inverted,
        depth: depth.unwrap_or(usize::MAX),
        shown: BTreeSet::new(),
        lines: Vec::new(),
    };
    walk.walk_level(&starts, &[]);
    Ok(walk.lines)
}

struct TreeWalk<'l> {
    lockfile: &'l Lockfile,
    inverted: bool,
    depth: usize,
    shown: BTreeSet<SkillName>,
    lines: Vec<TreeLine>,
}

impl<'l> TreeWalk<'l> {
    fn walk_level(&mut self, packages: &[&'l LockedPackage], above: &[bool]) {
        for (at, package) in packages.iter().enumerate() {
            let next = self.next_packages(package);
            // A package is expanded only the first time: the output grows with the graph, not
            // with the paths through it.
            let repeated = !next.is_empty() && !self.shown.insert(package.install_name().clone());

            let last: Vec<bool> = above
                .iter()
                .copied()
                .chain([at + 1 == packages.len()])
                .collect();

            self.lines.push(TreeLine {
                depth: above.len(),
                package: (*package).clone(),
                repeated,
                last: last.clone(),
            });

            if !repeated && above.len() + 1 < self.depth {
                self.walk_level(&next, &last);
            }
        }
    }

    fn next_packages(&self, package: &LockedPackage) -> Vec<&'l LockedPackage> {
        if self.inverted {
            return dependents(self.lockfile, package);
        }
        package
            .dependencies
            .iter()
            .filter_map(|reference| self.lockfile.find_by_reference(reference))
            .collect()
    }
}

fn dependents<'l>(lockfile: &'l Lockfile, package: &LockedPackage) -> Vec<&'l LockedPackage> {
    let reference = package.reference();
    lockfile
        .packages()
        .iter()
        .filter(|other| other.dependencies.contains(&reference))
        .collect()
}

fn read_project(
    context: &CommandContext<'_>,
    sort: WorkspaceKind,
) -> Result<(Vec<RootDependency>, Lockfile)> {
    let workspace = context.workspace(sort)?;
    let registries = |name: Option<&str>| context.config.registry(name);
    Ok((
        workspace.read_manifests(&registries)?.roots,
        workspace.required_lockfile()?,
    ))
}

/// The result of [`why`].
#[derive(Debug, Clone)]
pub struct WhyReport {
    /// The requested name.
    pub name: String,
    /// The direct requirements of the project's manifest and of its members.
    pub requirements: Vec<RootDependency>,
    /// The package, if it is locked.
    pub locked: Option<LockedPackage>,
    /// The dependency paths to it from packages of the manifest, the shortest first.
    pub paths: Vec<Vec<LockedPackage>>,
    /// What the policy says about its source.
    pub policy: Vec<String>,
    /// The skill that the name resolves to; `None` if no tier has one.
    pub winner: Option<SkillCopy>,
    /// The skills of that name that it shadows, each with whether it is a copy of it; `None` if they were not compared.
    pub shadows: Vec<(SkillCopy, Option<bool>)>,
    /// Its installed copies that differ from the lockfile, relative to the project.
    pub edited: Vec<PathBuf>,
    /// Why it is hidden from agents, as a word; `None` if it is not.
    pub hidden: Option<String>,
    /// The same as a sentence.
    pub because: Option<String>,
    /// How its missing requirements could be installed, by its own metadata; never run by skillpm.
    pub install: Vec<InstallMethod>,
    /// The agents in use here that resolve the name to another skill, by id.
    pub agents: Vec<(String, AgentDisagreement)>,
    /// The agents used here or installed on this machine that see it.
    pub seen_by: Vec<AgentLabel>,
    /// Those that do not see it, if it is one of the project's packages or if they hide it.
    pub unseen_by: Vec<UnseeingAgent>,
}

/// Explains a skill: what requires it, which tier it is from, and why it is hidden, if so.
///
/// # Errors
/// If neither the project nor a tier has the name.
pub fn why(context: &CommandContext<'_>, name: &str) -> Result<WhyReport> {
    let catalog = catalog(context, &CatalogOptions::default())?;
    // Outside of a project, only the tiers count.
    let project = match context.workspace(WorkspaceKind::Project) {
        Ok(workspace) => Some(WhyProject::read(context, &workspace)?),
        Err(_) => None,
    };

    let alias = SkillName::parse_install_name(name).ok();
    let alias = alias.as_ref();
    let locked = project
        .as_ref()
        .and_then(|project| project.lockfile.installed_as(alias?));

    let entry = match find_entry(&catalog, name) {
        Ok(entry) => Some(entry),
        Err(error) if locked.is_none() => return Err(error),
        // Locked but not installed: the dependency paths are still worth showing.
        Err(_) => None,
    };

    let mut report = explain_entry(&catalog, entry, name);
    if let Some(project) = &project {
        explain_requirements(&mut report, project, alias, locked);
    }

    if report.locked.is_some() {
        let is_of_skill = |place: &PathBuf| place.file_name().is_some_and(|file| file == name);
        report.edited = edited_copies(context)?;
        report.edited.retain(is_of_skill);
    }

    explain_visibility(context, &mut report, &catalog, entry, alias)?;
    Ok(report)
}

/// Adds which agents see a skill, and why the others do not.
fn explain_visibility(
    context: &CommandContext<'_>,
    report: &mut WhyReport,
    catalog: &Catalog,
    entry: Option<&CatalogEntry>,
    alias: Option<&SkillName>,
) -> Result<()> {
    let visibility = SkillVisibility::find(context)?;
    let copies = match (entry, alias) {
        (Some(entry), _) => visibility.copies(catalog, &entry.candidate),
        (None, Some(alias)) => visibility.installed_copies(alias),
        (None, None) => Vec::new(),
    };
    for agent in &visibility.agents {
        match agent.unseen_reason(&report.name, &copies) {
            None => report.seen_by.push(agent.status.label()),
            Some(reason) if agent.status.can_see() => {
                report.unseen_by.push(agent.unseeing(reason));
            }
            Some(_) => {}
        }
    }
    // A skill that is not a package of the project is in no target that could be added.
    if report.locked.is_none() {
        report.unseen_by.retain(|unseen| unseen.because.is_some());
    }
    Ok(())
}

/// Adds what the project requires and locks of a skill.
fn explain_requirements(
    report: &mut WhyReport,
    project: &WhyProject,
    alias: Option<&SkillName>,
    locked: Option<&LockedPackage>,
) {
    let roots = project.roots.iter();
    report.requirements = roots
        .filter(|root| Some(&root.dependency.alias) == alias)
        .cloned()
        .collect();

    if let Some(locked) = locked {
        report.paths = dependency_paths(&project.roots, &project.lockfile, locked);
        report.policy = project.policy.explain_source(locked);
    }
    report.locked = locked.cloned();
}

/// What a project says about its packages.
struct WhyProject {
    roots: Vec<RootDependency>,
    lockfile: Lockfile,
    policy: EffectivePolicy,
}

impl WhyProject {
    fn read(context: &CommandContext<'_>, workspace: &Workspace) -> Result<WhyProject> {
        let registries = |name: Option<&str>| context.config.registry(name);
        let manifests = workspace.read_manifests(&registries)?;
        Ok(WhyProject {
            policy: EffectivePolicy::load(context, &manifests.manifest.policy)?,
            roots: manifests.roots,
            lockfile: workspace.lockfile()?.unwrap_or_default(),
        })
    }
}

/// What the tiers say about a skill, without what the project says; `entry` is `None` if no tier
/// has it.
fn explain_entry(catalog: &Catalog, entry: Option<&CatalogEntry>, name: &str) -> WhyReport {
    let shadow =
        entry.and_then(|entry| SkillShadow::from_candidate(&entry.candidate, &catalog.roots));
    WhyReport {
        name: name.to_owned(),
        requirements: Vec::new(),
        locked: None,
        paths: Vec::new(),
        policy: Vec::new(),
        winner: entry.map(|entry| SkillCopy::from_candidate(&entry.candidate, &catalog.roots)),
        shadows: shadow.map(|shadow| shadow.losers).unwrap_or_default(),
        edited: Vec::new(),
        hidden: entry
            .and_then(|entry| entry.hidden)
            .map(|why| why.name().to_owned()),
        because: entry
            .and_then(|entry| entry.because.as_deref())
            .map(str::to_owned),
        // An eligible skill has all that it requires, so that there is nothing to install.
        install: entry
            .filter(|entry| !entry.is_eligible())
            .map_or_else(Vec::new, |entry| {
                entry.candidate.listing.facts().install.to_vec()
            }),
        agents: catalog
            .disagreements
            .iter()
            .filter(|(_, found)| found.skill() == name)
            .cloned()
            .collect(),
        seen_by: Vec::new(),
        unseen_by: Vec::new(),
    }
}

/// The number of dependency paths that are reported.
const PATHS_MAX: usize = 12;

/// The dependency paths from the packages of the manifest to `wanted`, the shortest first.
pub(super) fn dependency_paths(
    roots: &[RootDependency],
    lockfile: &Lockfile,
    wanted: &LockedPackage,
) -> Vec<Vec<LockedPackage>> {
    let aliases: BTreeSet<&SkillName> = roots.iter().map(|root| &root.dependency.alias).collect();
    let starts = aliases
        .into_iter()
        .filter_map(|alias| lockfile.installed_as(alias));
    let mut todo: VecDeque<Vec<&LockedPackage>> = starts.map(|start| vec![start]).collect();
    let mut paths = Vec::new();
    // Breadth first: the shortest paths come first.
    while let Some(path) = todo.pop_front().filter(|_| paths.len() < PATHS_MAX) {
        // The bound stops graphs in which the number of paths is exponential.
        let Some((at, _)) = path.split_last() else {
            continue;
        };
        if *at == wanted {
            paths.push(path.into_iter().cloned().collect());
            continue;
        }

        let next = at
            .dependencies
            .iter()
            .filter_map(|reference| lockfile.find_by_reference(reference));
        // Only dependencies that lead to it: a large graph has too many paths to walk all.
        for needed in
            next.filter(|needed| !path.contains(needed) && leads_to(lockfile, needed, wanted))
        {
            todo.push_back(path.iter().copied().chain([needed]).collect());
        }
    }

    paths
}

/// Whether `to` is `from` itself or one of its dependencies, direct or not.
pub(super) fn leads_to(lockfile: &Lockfile, from: &LockedPackage, to: &LockedPackage) -> bool {
    let (mut seen, mut todo) = (BTreeSet::new(), vec![from]);
    while let Some(at) = todo.pop() {
        if at == to {
            return true;
        }
        // Each package once: the dependencies of a lockfile may form a cycle.
        if seen.insert(at.install_name().clone()) {
            todo.extend(
                at.dependencies
                    .iter()
                    .filter_map(|reference| lockfile.find_by_reference(reference)),
            );
        }
    }

    false
}
