//! `status`: what is in the current directory, and which commands come next. It changes nothing and asks no server: newer
//! versions are those that the cached indexes and repositories know.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::CommandContext;
use super::agents::{AgentLabel, AgentStatus, SkillVisibility};
use super::catalog::{CatalogOptions, catalog};
use super::outdated::{OutdatedSkill, known_outdated};
use super::verify::{SkillFault, verify};
use super::withdrawn::RevokedPackage;
use skillpm_catalog::catalog::{Catalog, CatalogEntry, Tier};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::Lockfile;
use skillpm_core::manifest::edit;
use skillpm_core::package::{RelPath, SkillName};
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// The number of commands that are suggested.
const NEXT_MAX: usize = 3;

/// The result of [`status`].
#[derive(Debug, Clone)]
pub struct StatusReport {
    /// The project around the current directory; `None` if there is none.
    pub project: Option<ProjectStatus>,
    /// The number of skills of each tier that has any, highest first.
    pub tiers: Vec<(Tier, usize)>,
    /// The agents in use, and those of this machine that should see the skills and do not, by id.
    pub agents: Vec<AgentSummary>,
    /// Skills in agents' directories that no lockfile has, by directory.
    pub unmanaged: Vec<UnmanagedSkills>,
    /// The commands that come next, the most useful first; at most three.
    pub next: Vec<NextCommand>,
}

/// A project, compared with its lockfile.
#[derive(Debug, Clone)]
pub struct ProjectStatus {
    /// Its directory.
    pub root: PathBuf,
    /// The number of its direct dependencies, with those of its members.
    pub required: usize,
    /// The number of locked packages; `None` if there is no lockfile.
    pub locked: Option<usize>,
    /// The locked skills that are missing from a directory, by name.
    pub missing: Vec<String>,
    /// The installed skills that differ from the lockfile, by name.
    pub edited: Vec<String>,
    /// Those of them in which an update left conflict markers, by name.
    pub conflicts: BTreeSet<String>,
    /// The patch files with saved edits, by the names of their skills.
    pub saved_edits: BTreeMap<SkillName, RelPath>,
    /// The locked packages that were revoked, as far as the cache knows, by name.
    pub revoked: Vec<RevokedPackage>,
    /// The dependencies with a newer version, as far as the cache knows.
    pub outdated: Vec<OutdatedSkill>,
    /// The number of dependencies of which the cache knows nothing.
    pub unknown: usize,
}

/// An agent in use, and what it sees.
#[derive(Debug, Clone)]
pub struct AgentSummary {
    /// The agent.
    pub agent: AgentLabel,
    /// What shows that it is used, or installed: `.claude/`, `~/.claude`; `None` for a target.
    pub found: Option<String>,
    /// The number of listed skills that it sees.
    pub sees: usize,
    /// The command after which it sees the skills of the project; `None` if it sees them.
    pub command: Option<String>,
}

/// Skills of a directory that no lockfile has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnmanagedSkills {
    /// The directory, relative to the project, or to the current directory.
    pub directory: PathBuf,
    /// Their names.
    pub names: Vec<String>,
}

/// A command and what it does here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextCommand {
    /// The whole command line.
    pub command: String,
    /// What it does, as a phrase: `install 2 missing skills`.
    pub purpose: String,
}

/// Finds out what is in the current directory, and which commands come next.
///
/// # Errors
/// If the manifest, the lockfile or a setting is invalid, or a file cannot be read.
pub fn status(context: &CommandContext<'_>) -> Result<StatusReport> {
    let catalog = catalog(context, &CatalogOptions::default())?;
    let workspace = context.reported_project()?;
    let lockfile = match &workspace {
        Some(workspace) => workspace.lockfile()?,
        None => None,
    };

    let project = match &workspace {
        Some(workspace) => Some(compare_project(context, workspace, lockfile.as_ref())?),
        None => None,
    };
    let root = workspace
        .as_ref()
        .map_or(&context.dirs.cwd, |workspace| &workspace.root);

    let mut report = StatusReport {
        project,
        tiers: count_tiers(&catalog),
        agents: summarize_agents(context, &catalog, workspace.as_ref())?,
        unmanaged: find_unmanaged(&catalog, root, lockfile.as_ref()),
        next: Vec::new(),
    };
    report.next = choose_next(&report);
    Ok(report)
}

/// The skills that agents' directories have where there is no manifest; none in a project with one.
#[must_use]
pub fn skills_without_manifest(context: &CommandContext<'_>) -> Vec<UnmanagedSkills> {
    if !matches!(context.project(), Ok(None)) {
        return Vec::new();
    }
    // Only for advice: what cannot be read is reported by the commands that need it.
    catalog(context, &CatalogOptions::default())
        .map(|catalog| find_unmanaged(&catalog, &context.dirs.cwd, None))
        .unwrap_or_default()
}

/// Adds to an error that may come from a missing manifest what agents' directories have nevertheless, and names `import`.
#[must_use]
pub fn explain_missing_manifest(context: &CommandContext<'_>, error: Error) -> Error {
    let unmanaged = skills_without_manifest(context);
    if unmanaged.is_empty() {
        return error;
    }

    let describe = |error: Error, found: &UnmanagedSkills| {
        error.note(format!(
            "`{}` has {} without a manifest: {}",
            found.directory.display(),
            skills(found.names.len()),
            found.names.join(", ")
        ))
    };
    unmanaged.iter().fold(error, describe).help(
        "`skillpm import` takes over those that other tools installed; your own need no manifest",
    )
}

fn compare_project(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    lockfile: Option<&Lockfile>,
) -> Result<ProjectStatus> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifests = workspace.read_manifests(&registries)?;
    let mut project = ProjectStatus {
        root: workspace.root.clone(),
        required: manifests.roots.len(),
        locked: lockfile.map(|lockfile| lockfile.packages().len()),
        missing: Vec::new(),
        edited: Vec::new(),
        conflicts: BTreeSet::new(),
        saved_edits: workspace.manifest(&registries)?.edits,
        revoked: Vec::new(),
        outdated: Vec::new(),
        unknown: 0,
    };
    let Some(lockfile) = lockfile else {
        return Ok(project);
    };

    // Each name once: a skill may differ in several directories.
    let (mut missing, mut edited) = (BTreeSet::new(), BTreeSet::new());
    let verified = verify(context, WorkspaceKind::Project)?;
    for deviation in verified.deviations {
        let name = deviation.place.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        match deviation.fault {
            SkillFault::Missing => missing.insert(name),
            SkillFault::Differs { conflicts, .. } => {
                if !conflicts.is_empty() {
                    project.conflicts.insert(name.clone());
                }
                edited.insert(name)
            }
            SkillFault::Unreadable(_) => edited.insert(name),
        };
    }
    project.missing.extend(missing);
    project.edited.extend(edited);
    project.revoked = verified.revoked;

    (project.outdated, project.unknown) = known_outdated(context, workspace, &manifests, lockfile)?;
    Ok(project)
}

fn count_tiers(catalog: &Catalog) -> Vec<(Tier, usize)> {
    let mut counts: BTreeMap<Tier, usize> = BTreeMap::new();
    for entry in &catalog.entries {
        *counts.entry(tier_of(catalog, entry)).or_default() += 1;
    }
    counts.into_iter().collect()
}

fn tier_of(catalog: &Catalog, entry: &CatalogEntry) -> Tier {
    catalog.roots[usize::from(entry.candidate.root)].tier
}

/// The agents that are used here, and those installed on this machine that see no skill of a project that has chosen none.
fn summarize_agents(
    context: &CommandContext<'_>,
    catalog: &Catalog,
    workspace: Option<&Workspace>,
) -> Result<Vec<AgentSummary>> {
    let visibility = SkillVisibility::find(context)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &catalog.entries {
        for agent in visibility.seen_by(catalog, &entry.candidate) {
            *counts.entry(&agent.status.usage.agent.id).or_default() += 1;
        }
    }

    let statuses = visibility.agents.iter().map(|agent| &agent.status);
    let summarize = |status: &AgentStatus| AgentSummary {
        agent: status.label(),
        found: status.found().map(str::to_owned),
        sees: counts
            .get(&*status.usage.agent.id)
            .copied()
            .unwrap_or_default(),
        command: status.add_command(),
    };
    let is_open =
        workspace.is_some_and(|found| !edit::has_install_key(&found.manifest_text, "targets"));
    Ok(statuses
        .filter(|status| status.is_used() || (is_open && status.add_command().is_some()))
        .map(summarize)
        .collect())
}

/// The skills of the workspace tier below `root` that no lockfile has.
fn find_unmanaged(
    catalog: &Catalog,
    root: &Path,
    lockfile: Option<&Lockfile>,
) -> Vec<UnmanagedSkills> {
    let is_locked = |name: &str| {
        lockfile.is_some_and(|lockfile| {
            let mut packages = lockfile.packages().iter();
            packages.any(|locked| locked.install_name().as_str() == name)
        })
    };

    let mut by_directory: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for entry in &catalog.entries {
        let found = &catalog.roots[usize::from(entry.candidate.root)];
        let Ok(directory) = found.path.strip_prefix(root) else {
            continue;
        };
        // What an author writes is in `skills/`; only a dot directory is an agent's own.
        let is_agents = directory.to_string_lossy().starts_with('.');
        if found.tier == Tier::Workspace && is_agents && !is_locked(entry.candidate.id()) {
            let names = by_directory.entry(directory.to_owned()).or_default();
            names.push(entry.candidate.listing.name.to_string());
        }
    }

    by_directory
        .into_iter()
        .map(|(directory, names)| UnmanagedSkills { directory, names })
        .collect()
}

/// The commands that come next: first what is wrong, then what is new, then what is always useful.
fn choose_next(report: &StatusReport) -> Vec<NextCommand> {
    let mut next = Vec::new();
    let mut suggest = |command: &str, purpose: String| {
        next.push(NextCommand {
            command: format!("skillpm {command}"),
            purpose,
        });
    };

    match &report.project {
        Some(project) => suggest_for_project(project, &mut suggest),
        None if report.unmanaged.is_empty() => {}
        None => {
            suggest(
                "import",
                "take over the skills that other tools installed here".to_owned(),
            );
        }
    }

    // Without a project there is nothing that an agent could be a target of.
    let unseen = report
        .agents
        .iter()
        .filter(|agent| report.project.is_some() && agent.command.is_some());
    for agent in unseen {
        suggest(
            &format!("agents add {}", agent.agent.id),
            format!("let {} see the project's skills", agent.agent.name),
        );
    }

    suggest("add", "search for a skill and add it".to_owned());
    if report.tiers.iter().any(|(tier, _)| *tier != Tier::Bundled) {
        suggest("list", "list the skills by tier".to_owned());
        suggest("doctor", "check the installation for problems".to_owned());
    } else {
        suggest("new NAME", "write a skill of your own".to_owned());
        suggest("help", "list all commands".to_owned());
    }

    next.truncate(NEXT_MAX);
    next
}

fn suggest_for_project(project: &ProjectStatus, suggest: &mut impl FnMut(&str, String)) {
    for revoked in &project.revoked {
        let name = revoked.locked.install_name();
        suggest(
            &format!("update {name}"),
            format!("replace the revoked version of {name}"),
        );
    }

    if project.locked.is_none() && project.required > 0 {
        suggest(
            "install",
            format!("lock and install {}", skills(project.required)),
        );
    } else if !project.missing.is_empty() {
        let count = project.missing.len();
        suggest(
            "install",
            format!("install {} that {} missing", skills(count), are(count)),
        );
    }

    if let Some(first) = project.conflicts.first() {
        suggest(
            &format!("patch {first}"),
            format!("save the edits of {first}, once you have resolved its conflicts"),
        );
    } else if let [first, ..] = &*project.edited {
        suggest(
            &format!("diff {first}"),
            format!("show your edits of {first}"),
        );
        suggest(
            &format!("patch {first}"),
            format!("save your edits of {first} for the team"),
        );
    }

    let compatible: Vec<&OutdatedSkill> = project
        .outdated
        .iter()
        .filter(|outdated| outdated.compatible.is_some())
        .collect();
    match &*compatible {
        [] => {}
        [one] => suggest("update", format!("update {}", one.name)),
        several => suggest("update", format!("update {}", skills(several.len()))),
    }
}

fn skills(count: usize) -> String {
    match count {
        1 => "1 skill".to_owned(),
        _ => format!("{count} skills"),
    }
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
