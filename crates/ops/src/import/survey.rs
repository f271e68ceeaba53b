//! The directories that agents read, and what lies in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::install::target::{self, SHARED};
use crate::io::disk;
use crate::manifest::Manifest;
use crate::ops::{Context, agents, targets};
use crate::package::RelPath;
use crate::workspace::{Sort, Workspace};

/// Where `openskills` puts skills for all agents.
const FORMER_SHARED: &str = ".agent/skills";
/// Where OpenClaw keeps the skills of a workspace.
const OPENCLAW: &str = "skills";

/// The directories that are there.
pub(super) struct Survey {
    root: PathBuf,
    dirs: Vec<Dir>,
}

struct Dir {
    /// As the state writes it: relative to the project, or absolute.
    target: PathBuf,
    /// The agent whose own it is.
    agent: Option<&'static str>,
    /// The earlier directory that it is a link to.
    same_as: Option<usize>,
    entries: BTreeMap<String, Kind>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Real,
    Link,
}

impl Survey {
    /// Looks at the main directory of a project, which is the first, and at those of all agents.
    pub(super) fn of(context: &Context<'_>, workspace: &Workspace, manifest: &Manifest) -> Result<Survey> {
        let main = targets::directories(context, workspace, manifest)?.into_iter().next().unwrap_or_default();
        let mut known: Vec<(PathBuf, Option<&'static str>)> = vec![(main, None)];
        let places = agents::expansion(context);
        match workspace.sort {
            Sort::Project => {
                let own = target::agents()
                    .iter()
                    .filter_map(|agent| Some((PathBuf::from(agent.project_dir.as_ref()?), Some(agent.id.as_str()))));
                known.push((SHARED.into(), None));
                known.extend(own);
                known.extend([(FORMER_SHARED.into(), None), (OPENCLAW.into(), None)]);
            }
            Sort::Managed => {
                let own = target::agents()
                    .iter()
                    .filter_map(|agent| Some((agent.user_path(&places)?, Some(agent.id.as_str()))));
                known.push((context.places.home.join(SHARED), None));
                known.extend(own);
                known.push((context.places.home.join(FORMER_SHARED), None));
            }
        }
        let mut survey = Survey { root: workspace.root.clone(), dirs: Vec::new() };
        for (target, agent) in known {
            survey.add(target, agent)?;
        }
        survey.pass_over_sources(workspace);
        Ok(survey)
    }

    /// Passes over what lies in directories such as `skills`, where people write skills, if the same name lies in one that
    /// only agents use: unless it is where `clawhub` installs, the first is the source of something.
    fn pass_over_sources(&mut self, workspace: &Workspace) {
        let is_clawhub_s = [".clawhub", ".clawdhub"]
            .iter()
            .any(|dir| matches!(disk::lstat(&workspace.root.join(dir).join("lock.json")), Ok(Some(_))));
        let (for_agents, open): (Vec<usize>, Vec<usize>) = (0..self.dirs.len()).partition(|at| self.is_for_agents(*at));
        let installed: BTreeSet<String> =
            for_agents.iter().flat_map(|at| self.dirs[*at].entries.keys().cloned()).collect();
        for at in open {
            let is_installed_here = is_clawhub_s && self.dirs[at].target == Path::new(OPENCLAW);
            self.dirs[at].entries.retain(|name, _| is_installed_here || !installed.contains(name));
        }
    }

    fn add(&mut self, target: PathBuf, agent: Option<&'static str>) -> Result<()> {
        if let Some(known) = self.dirs.iter_mut().find(|dir| dir.target == target) {
            known.agent = known.agent.or(agent);
            return Ok(());
        }
        let path = self.root.join(&target);
        if !self.dirs.is_empty() && disk::lstat(&path)?.is_none() {
            return Ok(());
        }
        let real = disk::real_path(&path);
        let same_as = self.dirs.iter().position(|dir| disk::real_path(&self.root.join(&dir.target)) == real);
        let mut entries = BTreeMap::new();
        for name in if same_as.is_some() { Vec::new() } else { disk::names(&path)? } {
            match disk::lstat(&path.join(&name))? {
                Some(meta) if meta.is_symlink() => entries.insert(name, Kind::Link),
                Some(meta) if meta.is_dir() => entries.insert(name, Kind::Real),
                _ => None,
            };
        }
        self.dirs.push(Dir { target, agent, same_as, entries });
        Ok(())
    }

    /// The position of the main directory.
    #[expect(clippy::unused_self, reason = "it is the survey's to say which that is")]
    pub(super) fn main(&self) -> usize {
        0
    }

    /// The positions of all directories that are there by themselves.
    pub(super) fn dirs(&self) -> impl Iterator<Item = usize> {
        self.dirs.iter().enumerate().filter(|(_, dir)| dir.same_as.is_none()).map(|(at, _)| at)
    }

    /// The directory, as the state writes it.
    pub(super) fn target(&self, at: usize) -> &Path {
        &self.dirs[at].target
    }

    /// Where it is.
    pub(super) fn path(&self, at: usize) -> PathBuf {
        self.root.join(&self.dirs[at].target)
    }

    /// The agent whose own it is.
    pub(super) fn agent(&self, at: usize) -> Option<&'static str> {
        self.dirs[at].agent
    }

    /// The agents whose own directories are links to this one.
    pub(super) fn linked_agents(&self, at: usize) -> impl Iterator<Item = &'static str> {
        self.dirs.iter().filter(move |dir| dir.same_as == Some(at)).filter_map(|dir| dir.agent)
    }

    /// Whether something is called that there.
    pub(super) fn has(&self, at: usize, name: &str) -> bool {
        self.dirs[at].entries.contains_key(name)
    }

    /// Whether it is a directory, and no link to one.
    pub(super) fn is_real(&self, at: usize, name: &str) -> bool {
        self.dirs[at].entries.get(name) == Some(&Kind::Real)
    }

    /// The directories in which something is called that.
    pub(super) fn with<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s Path> {
        self.dirs().filter(move |at| self.has(*at, name)).map(|at| self.target(at))
    }

    /// The names of what lies in a directory.
    pub(super) fn names(&self, at: usize) -> impl Iterator<Item = &str> {
        self.dirs[at].entries.keys().map(String::as_str)
    }

    /// Whether a directory is one that only agents and their tools use: the main one, and those that are hidden.
    pub(super) fn is_for_agents(&self, at: usize) -> bool {
        let target = &self.dirs[at].target;
        at == self.main()
            || target.is_absolute()
            || target.to_string_lossy().parse::<RelPath>().is_ok_and(|dir| dir.as_str().starts_with('.'))
    }

    /// The position of the directory that is at a path.
    pub(super) fn at_path(&self, path: &Path) -> Option<usize> {
        let real = disk::real_path(path);
        self.dirs().find(|at| disk::real_path(&self.path(*at)) == real)
    }
}
