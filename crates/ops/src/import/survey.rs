//! Lists the directories that agents read, and the skills in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::{CommandContext, agents, targets};
use skillpm_core::error::Result;
use skillpm_core::manifest::Manifest;
use skillpm_core::package::RelPath;
use skillpm_io::disk;
use skillpm_registry::install::target::{self, SHARED_DIR};
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// The directory of `openskills` for all agents.
const FORMER_SHARED: &str = ".agent/skills";
/// The directory of OpenClaw for the skills of a workspace.
const OPENCLAW: &str = "skills";

/// The existing directories. Methods take a directory's position.
pub(super) struct DirectorySurvey {
    root: PathBuf,
    dirs: Vec<SurveyedDir>,
}

struct SurveyedDir {
    /// Its path, as in the state file: relative to the project, or absolute.
    target: PathBuf,
    /// The agent whose own directory it is.
    agent: Option<&'static str>,
    /// The position of an earlier directory that has the same real path.
    same_as: Option<usize>,
    entries: BTreeMap<String, SurveyedKind>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SurveyedKind {
    Real,
    Link,
}

impl DirectorySurvey {
    /// Lists the main directory of a project, which is the first, and those of all agents.
    pub(super) fn from_workspace(
        context: &CommandContext<'_>,
        workspace: &Workspace,
        manifest: &Manifest,
    ) -> Result<DirectorySurvey> {
        let main = targets::directories(context, workspace, manifest)?
            .into_iter()
            .next()
            .unwrap_or_default();

        let mut survey = DirectorySurvey {
            root: workspace.root.clone(),
            dirs: Vec::new(),
        };

        // The main directory comes first: its position is 0.
        survey.add_dir(main, None)?;
        for (target, agent) in agent_directories(context, workspace.kind) {
            survey.add_dir(target, agent)?;
        }

        // After all are listed: which skills are sources shows only in comparison.
        survey.skip_sources(workspace);
        Ok(survey)
    }

    /// Skips skills in directories such as `skills`, where users write skills, if a directory that
    /// only agents use has the same name: the former is then the source of the latter. The
    /// directory that `clawhub` installs into is an exception.
    fn skip_sources(&mut self, workspace: &Workspace) {
        let has_clawhub = [".clawhub", ".clawdhub"].iter().any(|dir| {
            matches!(
                disk::lstat(&workspace.root.join(dir).join("lock.json")),
                Ok(Some(_))
            )
        });

        let (for_agents, for_users): (Vec<usize>, Vec<usize>) =
            (0..self.dirs.len()).partition(|at| self.is_for_agents(*at));
        let installed: BTreeSet<String> = for_agents
            .iter()
            .flat_map(|at| self.dirs[*at].entries.keys().cloned())
            .collect();

        for at in for_users {
            let is_installed_here = has_clawhub && self.dirs[at].target == Path::new(OPENCLAW);
            self.dirs[at]
                .entries
                .retain(|name, _| is_installed_here || !installed.contains(name));
        }
    }

    fn add_dir(&mut self, target: PathBuf, agent: Option<&'static str>) -> Result<()> {
        // Several agents may share a directory: the first one counts.
        if let Some(known) = self.dirs.iter_mut().find(|dir| dir.target == target) {
            known.agent = known.agent.or(agent);
            return Ok(());
        }

        let path = self.root.join(&target);
        // The main directory is listed even if it does not exist: its position is 0.
        if !self.dirs.is_empty() && disk::lstat(&path)?.is_none() {
            return Ok(());
        }

        let real = disk::real_path(&path);
        // Skills of a directory that is listed under another path must not be found twice.
        let same_as = self
            .dirs
            .iter()
            .position(|dir| disk::real_path(&self.root.join(&dir.target)) == real);

        let mut entries = BTreeMap::new();
        let names = if same_as.is_some() {
            Vec::new()
        } else {
            disk::list_names(&path)?
        };
        for name in names {
            // A plain file is not a skill.
            match disk::lstat(&path.join(&name))? {
                Some(meta) if meta.is_symlink() => entries.insert(name, SurveyedKind::Link),
                Some(meta) if meta.is_dir() => entries.insert(name, SurveyedKind::Real),
                _ => None,
            };
        }

        self.dirs.push(SurveyedDir {
            target,
            agent,
            same_as,
            entries,
        });
        Ok(())
    }

    /// The position of the main directory.
    #[expect(clippy::unused_self, reason = "which one it is belongs to the survey")]
    pub(super) fn main(&self) -> usize {
        0
    }

    /// The positions of all directories, without those that are links to an earlier one.
    pub(super) fn dirs(&self) -> impl Iterator<Item = usize> {
        self.dirs
            .iter()
            .enumerate()
            .filter(|(_, dir)| dir.same_as.is_none())
            .map(|(at, _)| at)
    }

    /// The path, as in the state file.
    pub(super) fn target(&self, at: usize) -> &Path {
        &self.dirs[at].target
    }

    /// The absolute path.
    pub(super) fn path(&self, at: usize) -> PathBuf {
        self.root.join(&self.dirs[at].target)
    }

    /// The agent whose own directory it is.
    pub(super) fn agent(&self, at: usize) -> Option<&'static str> {
        self.dirs[at].agent
    }

    /// The agents whose own directories are links to this one.
    pub(super) fn linked_agents(&self, at: usize) -> impl Iterator<Item = &'static str> {
        self.dirs
            .iter()
            .filter(move |dir| dir.same_as == Some(at))
            .filter_map(|dir| dir.agent)
    }

    /// Whether the directory has an entry of that name.
    pub(super) fn has_entry(&self, at: usize, name: &str) -> bool {
        self.dirs[at].entries.contains_key(name)
    }

    /// Whether the entry is a directory, not a link to one.
    pub(super) fn is_real(&self, at: usize, name: &str) -> bool {
        self.dirs[at].entries.get(name) == Some(&SurveyedKind::Real)
    }

    /// The directories with an entry of that name.
    pub(super) fn dirs_with<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s Path> {
        self.dirs()
            .filter(move |at| self.has_entry(*at, name))
            .map(|at| self.target(at))
    }

    /// The names of a directory's entries.
    pub(super) fn names(&self, at: usize) -> impl Iterator<Item = &str> {
        self.dirs[at].entries.keys().map(String::as_str)
    }

    /// Whether only agents and their tools use a directory: the main one, and hidden ones.
    pub(super) fn is_for_agents(&self, at: usize) -> bool {
        let target = &self.dirs[at].target;
        at == self.main()
            || target.is_absolute()
            || target
                .to_string_lossy()
                .parse::<RelPath>()
                .is_ok_and(|dir| dir.as_str().starts_with('.'))
    }

    /// The position of the directory at a path.
    pub(super) fn at_path(&self, path: &Path) -> Option<usize> {
        let real = disk::real_path(path);
        self.dirs()
            .find(|at| disk::real_path(&self.path(*at)) == real)
    }
}

/// The directories that agents read skills from, with the agent whose own it is. The shared one
/// comes first, so that an agent's own that is a link to it is found to be the same.
fn agent_directories(
    context: &CommandContext<'_>,
    kind: WorkspaceKind,
) -> Vec<(PathBuf, Option<&'static str>)> {
    let agents = target::all_agents().iter();

    match kind {
        WorkspaceKind::Project => {
            let own = agents.filter_map(|agent| {
                let dir = PathBuf::from(agent.project_dir.as_ref()?);
                Some((dir, Some(agent.id.as_str())))
            });
            std::iter::once((SHARED_DIR.into(), None))
                .chain(own)
                .chain([(FORMER_SHARED.into(), None), (OPENCLAW.into(), None)])
                .collect()
        }
        WorkspaceKind::Managed => {
            let expand = agents::path_expansion(context);
            let home = &context.dirs.home;
            let own = agents
                .filter_map(|agent| Some((agent.user_path(&expand)?, Some(agent.id.as_str()))));
            std::iter::once((home.join(SHARED_DIR), None))
                .chain(own)
                .chain([(home.join(FORMER_SHARED), None)])
                .collect()
        }
    }
}
