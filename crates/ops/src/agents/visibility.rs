//! Which agents see a skill, and why one does not: the one answer of all commands.

use std::path::PathBuf;

use super::status::{AgentLabel, AgentStatus, agent_statuses, agents_command};
use super::unknown_listing;
use crate::CommandContext;
use crate::catalog::{AgentListing, AgentListings, real_directory};
use crate::hidden_skills::TargetView;
use crate::targets::{self, TargetDirectory};
use skillpm_catalog::catalog::{Catalog, SkillCandidate};
use skillpm_core::error::Result;
use skillpm_core::manifest::{Manifest, edit};
use skillpm_core::package::SkillName;
use skillpm_core::report::ProgressEvent;
use skillpm_io::disk;
use skillpm_io::skills_dir::RealPaths;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// What an agent sees.
#[derive(Debug)]
pub struct AgentVisibility {
    /// The agent, and the install directory that it reads.
    pub status: AgentStatus,
    /// What it makes of the skills in its directories; an error if its own configuration is invalid.
    pub(crate) listing: Result<AgentListing>,
    /// What the project shows it.
    rules: TargetView,
}

/// Why an agent does not see a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnseenReason {
    /// The agent's configuration or the project's rules hide it, or the agent's loader drops it.
    Hidden(String),
    /// The agent reads none of the directories that skills are installed into.
    Unread,
    /// The agent reads one, and the skill is not in it.
    Missing,
    /// The agent's configuration is invalid.
    Unknown,
}

/// An agent that does not see a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnseeingAgent {
    /// The agent.
    pub agent: AgentLabel,
    /// What shows that it is used: `.claude/`, or that it is installed: `~/.claude`; `None` for a target.
    pub found: Option<String>,
    /// Why it does not list the skill, although it reads its directory; `None` if it does not read it.
    pub because: Option<String>,
    /// The command after which it sees the skill; `None` if none would help.
    pub command: Option<String>,
}

/// Where the skills that a command installed are, and which agents see them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillReach {
    /// The directories that skills are installed into, as in the manifest.
    pub directories: Vec<PathBuf>,
    /// The agents used here or installed on this machine that see the skills.
    pub seen_by: Vec<AgentLabel>,
    /// Those that read none of the directories.
    pub unseen_by: Vec<UnseeingAgent>,
    /// The command after which they see the skills; `None` if there are none, or none has a directory.
    pub add_command: Option<String>,
}

impl AgentVisibility {
    /// Why the agent sees none of the copies of a skill; `None` if it sees one. `copies` are real paths.
    #[must_use]
    pub fn unseen_reason(&self, name: &str, copies: &[PathBuf]) -> Option<UnseenReason> {
        let listing = self.listing.as_ref().ok();
        if copies
            .iter()
            .any(|copy| listing.is_some_and(|listing| listing.lists(copy)))
        {
            return None;
        }

        let mut copies = copies.iter();
        let because = copies
            .find_map(|copy| listing?.hidden_because(copy).map(str::to_owned))
            // What the project's rules hide from a target is not in its directory at all.
            .or_else(|| self.rules.reason(name));
        Some(match because {
            Some(because) => UnseenReason::Hidden(because),
            None if self.status.sees.is_none() => UnseenReason::Unread,
            None if listing.is_none() => UnseenReason::Unknown,
            None => UnseenReason::Missing,
        })
    }

    /// The agent as one that does not see a skill for this reason.
    #[must_use]
    pub fn unseeing(&self, reason: UnseenReason) -> UnseeingAgent {
        UnseeingAgent {
            agent: self.status.label(),
            found: self.status.found().map(str::to_owned),
            command: match reason {
                // What hides it is named, and no command of skillpm changes it.
                UnseenReason::Hidden(_) | UnseenReason::Unknown => None,
                UnseenReason::Missing => Some("skillpm install".to_owned()),
                UnseenReason::Unread => self.status.add_command(),
            },
            because: match reason {
                UnseenReason::Hidden(because) => Some(because),
                UnseenReason::Unknown => Some("its configuration is invalid".to_owned()),
                UnseenReason::Unread | UnseenReason::Missing => None,
            },
        }
    }
}

/// What the agents that are used in a project, or installed on this machine, see.
#[derive(Debug)]
pub struct SkillVisibility {
    /// The agents, by id.
    pub agents: Vec<AgentVisibility>,
    /// Whether the skills are the project's or the user's own.
    kind: WorkspaceKind,
    /// The root of the project.
    root: PathBuf,
    /// The directories that its skills are installed into.
    directories: Vec<TargetDirectory>,
    real_paths: RealPaths,
}

impl SkillVisibility {
    /// Finds the agents around the current directory, and what each of them lists; for an agent in use whose configuration is
    /// invalid, a warning says so.
    ///
    /// # Errors
    /// If the manifest is invalid, a target is unknown, or a setting of an agent is invalid.
    pub fn find(context: &CommandContext<'_>) -> Result<Self> {
        let workspace = match context.project()? {
            Some(workspace) => workspace,
            // The catalog, too, is that of the current directory then.
            None => Workspace::new_in(&context.dirs.cwd)?,
        };
        let registries = |name: Option<&str>| context.config.registry(name);
        let manifest = workspace.manifest(&registries)?;
        let visibility = Self::of_workspace(context, &workspace, &manifest)?;
        visibility.warn_of_unknown(context);
        Ok(visibility)
    }

    /// The same for a project.
    ///
    /// # Errors
    /// As for [`SkillVisibility::find`].
    pub(crate) fn of_workspace(
        context: &CommandContext<'_>,
        workspace: &Workspace,
        manifest: &Manifest,
    ) -> Result<Self> {
        let mut statuses = agent_statuses(context, workspace, manifest)?;
        statuses.retain(AgentStatus::is_used_or_installed);

        let mut agents = Vec::new();
        // Mostly no agent is used, and then nothing more is read.
        if !statuses.is_empty() {
            let listings = AgentListings::new(context)?;
            agents.extend(statuses.into_iter().map(|status| AgentVisibility {
                listing: listings.read(&status.usage.agent),
                rules: TargetView::new(&status.usage.agent, &manifest.catalog),
                status,
            }));
        }
        Ok(SkillVisibility {
            agents,
            kind: workspace.kind,
            root: workspace.root.clone(),
            directories: targets::directories_with_readers(context, workspace, manifest)?,
            real_paths: RealPaths::default(),
        })
    }

    /// Warns of the agents in use whose configuration is invalid.
    pub(crate) fn warn_of_unknown(&self, context: &CommandContext<'_>) {
        for agent in &self.agents {
            if let Err(error) = &agent.listing
                && agent.status.is_used()
            {
                context.reporter.report(ProgressEvent::Warning {
                    message: unknown_listing(&agent.status.usage.agent, error),
                    help: error.helps().first().cloned(),
                });
            }
        }
    }

    /// The agents that see a skill of a catalog, or a copy of it.
    #[must_use]
    pub fn seen_by(&self, catalog: &Catalog, skill: &SkillCandidate) -> Vec<&AgentVisibility> {
        if self.agents.is_empty() {
            return Vec::new();
        }
        let copies = self.copies(catalog, skill);
        let sees = |agent: &&AgentVisibility| agent.unseen_reason(skill.id(), &copies).is_none();
        self.agents.iter().filter(sees).collect()
    }

    /// All agents, each with the reason why it does not see a skill of a catalog, or a copy of it.
    pub(crate) fn reasons(
        &self,
        catalog: &Catalog,
        skill: &SkillCandidate,
    ) -> Vec<(AgentLabel, Option<UnseenReason>)> {
        let copies = self.copies(catalog, skill);
        let reason = |agent: &AgentVisibility| agent.unseen_reason(skill.id(), &copies);
        self.agents
            .iter()
            .map(|agent| (agent.status.label(), reason(agent)))
            .collect()
    }

    /// The real directories of a skill of a catalog and of its copies.
    pub(crate) fn copies(&self, catalog: &Catalog, skill: &SkillCandidate) -> Vec<PathBuf> {
        let same = skill
            .shadows
            .iter()
            .filter(|copy| skill.is_copy_of(&catalog.roots, copy, &catalog.roots));
        std::iter::once(skill)
            .chain(same)
            .map(|copy| real_directory(copy, &catalog.roots, &self.real_paths))
            .collect()
    }

    /// Where these packages of a project are, and who sees them. If an agent does not list one of them, a warning says why, and
    /// also if nothing can be found out: by now they are installed, and the command must not fail.
    pub(crate) fn find_reach(
        context: &CommandContext<'_>,
        workspace: &Workspace,
        manifest: &Manifest,
        names: &[SkillName],
    ) -> Option<SkillReach> {
        match Self::of_workspace(context, workspace, manifest) {
            Ok(visibility) => {
                visibility.warn_of_unknown(context);
                let text = &workspace.manifest_text;
                // No one left out the agents that read the usual main directory, where another one is.
                let are_chosen =
                    edit::has_install_key(text, "targets") && !edit::has_install_key(text, "dir");
                Some(visibility.reach(context, names, are_chosen))
            }
            Err(error) => {
                context.reporter.report(ProgressEvent::Warning {
                    message: format!(
                        "cannot find out which agents see the skills: {}",
                        error.in_one_line()
                    ),
                    help: error.helps().first().cloned(),
                });
                None
            }
        }
    }

    /// Where skills are, and who sees them. In a project that has chosen its targets, an agent that is only installed on this
    /// machine was left out on purpose, and is not named.
    fn reach(
        &self,
        context: &CommandContext<'_>,
        names: &[SkillName],
        are_chosen: bool,
    ) -> SkillReach {
        let mut reach = SkillReach {
            directories: self
                .directories
                .iter()
                .map(|directory| directory.path.clone())
                .collect(),
            ..SkillReach::default()
        };

        let copies: Vec<_> = names
            .iter()
            .map(|name| (name, self.installed_copies(name)))
            .collect();
        for agent in &self.agents {
            let status = &agent.status;
            // What the project's rules hide is no surprise.
            let shown = copies.iter().filter(|(name, _)| !agent.rules.hides(name));
            let reasons: Vec<_> = shown
                .map(|(name, copies)| (*name, agent.unseen_reason(name.as_str(), copies)))
                .collect();
            for (name, reason) in &reasons {
                if let Some(UnseenReason::Hidden(because)) = reason {
                    warn_of_hidden(context, &status.label(), name, because);
                    break;
                }
            }

            // In a dry run they are missing yet.
            let is_seen = |reason: &_| matches!(reason, None | Some(UnseenReason::Missing));
            let is_unread = |reason: &_| matches!(reason, Some(UnseenReason::Unread));
            let is_expected = status.can_see() && (status.is_used() || !are_chosen);
            if reasons.is_empty() {
                continue;
            }
            if reasons.iter().all(|(_, reason)| is_seen(reason)) {
                reach.seen_by.push(status.label());
            } else if reasons.iter().any(|(_, reason)| is_unread(reason)) && is_expected {
                reach.unseen_by.push(agent.unseeing(UnseenReason::Unread));
            }
        }

        let can_be_added = reach
            .unseen_by
            .iter()
            .filter(|unseen| unseen.command.is_some());
        let ids: Vec<&str> = can_be_added.map(|unseen| &*unseen.agent.id).collect();
        reach.add_command =
            (!ids.is_empty()).then(|| agents_command("add", &ids.join(" "), self.kind));
        reach
    }

    /// The real directories of an installed package.
    pub(crate) fn installed_copies(&self, name: &SkillName) -> Vec<PathBuf> {
        let copy = |directory: &TargetDirectory| {
            let copy = directory.path.join(directory.directory_of(name).as_str());
            disk::real_path(&self.root.join(copy))
        };
        self.directories.iter().map(copy).collect()
    }
}

fn warn_of_hidden(context: &CommandContext<'_>, agent: &AgentLabel, name: &SkillName, why: &str) {
    let AgentLabel { id, name: agent } = agent;
    context.reporter.report(ProgressEvent::Warning {
        message: format!("{agent} does not list `{name}`: {why}"),
        help: Some(format!(
            "`skillpm catalog --agent {id} --all` shows what it lists"
        )),
    });
}
