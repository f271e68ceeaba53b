//! Detects the agents that do not read the main directory, and makes them targets. Where all read one other directory, that
//! becomes the main one.
//!
//! Only a new project, or one without packages and without `targets`: afterwards `targets` is the
//! user's, and an agent that they removed is not added again.

use std::path::PathBuf;

use super::status::{
    AgentLabel, InstallDirectories, agents_command, own_directory, read_directories, why_unwritable,
};
use super::usage::in_use;
use crate::CommandContext;
use skillpm_core::error::Result;
use skillpm_core::manifest::{Manifest, edit};
use skillpm_core::package::RelPath;
use skillpm_core::report::ProgressEvent;
use skillpm_io::disk;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// An agent that is used here, or installed on this machine, and does not see the skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetProposal {
    /// The agent.
    pub agent: AgentLabel,
    /// What shows it: `.claude/`, `~/.claude`.
    pub found: String,
    /// Its own directory, which would get the skills.
    pub directory: PathBuf,
    /// Whether it is used here, and becomes a target without a question.
    pub is_used: bool,
}

/// An agent that a command made a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DetectedTarget {
    /// The agent.
    pub agent: AgentLabel,
    /// What shows that it is used: `.claude/`.
    pub found: String,
    /// Its own directory, which gets the skills.
    pub directory: PathBuf,
    /// The command that removes the target again.
    pub undo: String,
}

/// Asks the user which agents become targets; returns their positions. `None` if the session is not
/// interactive: then all that are used here do.
pub type AgentChooser<'a> = &'a dyn Fn(&[TargetProposal]) -> Result<Option<Vec<usize>>>;

/// Chooses all agents that are used here, for callers that cannot ask.
///
/// # Errors
/// Never.
pub fn choose_all(_: &[TargetProposal]) -> Result<Option<Vec<usize>>> {
    Ok(None)
}

/// A manifest text with the detected targets.
pub(crate) struct DetectedManifest {
    /// The new text.
    pub(crate) text: String,
    /// The agents that were added.
    pub(crate) targets: Vec<DetectedTarget>,
}

/// Adds the agents that are used here and do not see the skills to the targets of `text`, the new
/// text of the manifest of `workspace`.
///
/// # Errors
/// If the text is invalid, a setting of an agent is, or the user cancels.
pub(crate) fn detect_targets(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    text: String,
    choose: AgentChooser<'_>,
) -> Result<DetectedManifest> {
    let unchanged = |text| DetectedManifest {
        text,
        targets: Vec::new(),
    };
    let registries = |name: Option<&str>| context.config.registry(name);
    let is_enabled = context.config.switch("install.detect");
    if !is_enabled || !is_first(workspace, &workspace.manifest(&registries)?) {
        return Ok(unchanged(text));
    }

    let next = workspace.with_edited_text(&text);
    let proposals = propose_targets(context, &next, &next.manifest(&registries)?)?;
    let answer = if proposals.is_empty() {
        None
    } else {
        choose(&proposals)?
    };

    let was_asked = answer.is_some();
    let chosen: Vec<&TargetProposal> = match answer {
        Some(chosen) => chosen
            .into_iter()
            .filter_map(|at| proposals.get(at))
            .collect(),
        // What is committed does not depend on what is installed on this machine.
        None => proposals.iter().filter(|found| found.is_used).collect(),
    };
    let mut found = if chosen.is_empty() && !was_asked {
        unchanged(text)
    } else {
        add_targets(&text, chosen.into_iter(), workspace.kind)?
    };

    if let Some(directory) = find_common_directory(context, workspace, &found.text, was_asked)? {
        found.text = edit::set_install_value(&found.text, "dir", directory.as_str())?;
    }
    Ok(found)
}

/// The directory of a target that can be the main one of a new project, as all agents that see the skills read it: a second
/// copy would be in every diff. Those of this machine count if the user was asked about them.
fn find_common_directory(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    text: &str,
    was_asked: bool,
) -> Result<Option<RelPath>> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let next = workspace.with_edited_text(text);
    let manifest = next.manifest(&registries)?;
    let main = workspace.root.join(manifest.install.dir.to_path());
    if workspace.kind != WorkspaceKind::Project
        || manifest.install.targets.is_empty()
        || edit::has_install_key(text, "dir")
        || disk::lstat(&main)?.is_some()
    {
        return Ok(None);
    }

    let installed = InstallDirectories::new(context, &next, &manifest)?;
    let mut seeing = in_use(context, Some(&workspace.root), &manifest.install.targets)?;
    seeing.retain(|usage| {
        let counts = usage.is_used(workspace.kind) || was_asked && usage.on_machine().is_some();
        counts && installed.seen_by(context, usage).is_some()
    });
    // Another format than `SKILL.md` is converted from the main directory.
    if seeing.iter().any(|usage| usage.agent.format.is_some()) {
        return Ok(None);
    }

    Ok(installed.directories().skip(1).find_map(|directory| {
        let only = InstallDirectories::from_paths(&next, [directory.to_owned()]);
        let is_enough = seeing
            .iter()
            .all(|usage| only.seen_by(context, usage).is_some());
        let path = directory.to_str().filter(|_| is_enough)?;
        // A setting can move an agent's directory out of the project.
        path.parse().ok()
    }))
}

fn add_targets<'p>(
    text: &str,
    chosen: impl Iterator<Item = &'p TargetProposal>,
    kind: WorkspaceKind,
) -> Result<DetectedManifest> {
    // Also if none was chosen: an empty list keeps the next command from asking again.
    let mut text = edit::set_no_targets(text)?;
    let mut targets = Vec::new();
    for proposal in chosen {
        text = edit::add_target(&text, &proposal.agent.id)?;
        targets.push(DetectedTarget {
            agent: proposal.agent.clone(),
            found: proposal.found.clone(),
            directory: proposal.directory.clone(),
            undo: agents_command("remove", &proposal.agent.id, kind),
        });
    }

    Ok(DetectedManifest { text, targets })
}

/// Whether nothing was decided about targets yet: there are no packages, and no `targets`.
fn is_first(workspace: &Workspace, manifest: &Manifest) -> bool {
    // `targets` is set at the root; the manifest of a member cannot.
    let is_root = workspace.member.is_none();
    is_root
        && manifest.dependencies.is_empty()
        && !edit::has_install_key(&workspace.manifest_text, "targets")
}

/// The agents that are used here, or installed on this machine, and see none of the install directories, each with a directory
/// that can be written. Warns about used ones whose directory cannot be.
fn propose_targets(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    manifest: &Manifest,
) -> Result<Vec<TargetProposal>> {
    let root = (workspace.kind == WorkspaceKind::Project).then_some(workspace.root.as_path());
    let mut installed = InstallDirectories::new(context, workspace, manifest)?;
    let mut agents = in_use(context, root, &manifest.install.targets)?;
    // Those with fewest directories first: the target of one may be read by the next.
    agents.sort_by_key(|usage| {
        let is_used = usage.found(workspace.kind).is_some();
        let directories = read_directories(context, workspace, &usage.agent);
        (!is_used, directories.len())
    });

    let mut proposals = Vec::new();
    for usage in agents {
        let agent = &usage.agent;
        let used = usage.found(workspace.kind);
        let (Some(found), Some(directory)) = (
            used.or(usage.on_machine()),
            own_directory(context, workspace.kind, agent),
        ) else {
            continue;
        };
        // Another format than `SKILL.md` is a conversion, which may fail: only on request.
        if agent.format.is_some() || installed.seen_by(context, &usage).is_some() {
            continue;
        }

        if let Some(reason) = why_unwritable(&workspace.root, &directory) {
            if used.is_some() {
                warn_of_unwritable(context, &AgentLabel::from_agent(agent), &reason);
            }
            continue;
        }

        if used.is_some() {
            installed.push(directory.clone());
        }
        proposals.push(TargetProposal {
            agent: AgentLabel::from_agent(agent),
            found: found.to_owned(),
            directory,
            is_used: used.is_some(),
        });
    }

    proposals.sort_by(|a, b| (!a.is_used, &a.agent.id).cmp(&(!b.is_used, &b.agent.id)));
    Ok(proposals)
}

/// The command goes on for the other agents: what is in the way is not this package's fault.
fn warn_of_unwritable(context: &CommandContext<'_>, agent: &AgentLabel, reason: &str) {
    context.reporter.report(ProgressEvent::Warning {
        message: format!("{} does not see the skills: {reason}", agent.name),
        help: Some(format!(
            "fix it, then run `skillpm agents add {}`",
            agent.id
        )),
    });
}
