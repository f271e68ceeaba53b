//! What the other scope has installed in the same directories: `--global` beside a project, and a project beside
//! `--global`.
//!
//! Both have the same `.agents/skills` where the home directory is a project, where `managed.dir` is inside one, and where a
//! link leads from one to the other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{CommandContext, targets};
use skillpm_core::error::Result;
use skillpm_core::manifest;
use skillpm_core::package::SkillName;
use skillpm_io::disk;
use skillpm_registry::install::plan::ScopeOwner;
use skillpm_registry::install::state::ProjectState;
use skillpm_registry::install::state_dir::StateDir;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// The skills that the other scope has in the directories of this one.
#[derive(Default)]
pub(super) struct OtherScope {
    /// The real paths of this scope's directories.
    targets: BTreeMap<PathBuf, PathBuf>,
    /// The owners of skills, by real path.
    owners: BTreeMap<PathBuf, ScopeOwner>,
}

impl OtherScope {
    /// Reads what the other scope has in these directories of `workspace`.
    ///
    /// # Errors
    /// If a file of the user's own skills cannot be read.
    pub(super) fn read<'p>(
        context: &CommandContext<'_>,
        workspace: &Workspace,
        directories: impl Iterator<Item = &'p Path>,
    ) -> Result<OtherScope> {
        let directories: BTreeSet<&Path> = directories.collect();
        let mut found = OtherScope {
            targets: directories
                .into_iter()
                .map(|dir| {
                    (
                        dir.to_owned(),
                        targets::destination(&workspace.root.join(dir)),
                    )
                })
                .collect(),
            owners: BTreeMap::new(),
        };

        match workspace.kind {
            WorkspaceKind::Project => {
                let home = &context.dirs.skillpm_home;
                let state_dir = StateDir::new(&home.join("state"), home, home);
                let open = || Workspace::managed(home);
                found.add_skills(context, &state_dir, &open, &ScopeOwner::Managed)?;
            }
            WorkspaceKind::Managed => {
                for project in found.projects_around(context) {
                    let state_dir = context.state_dir(&project);
                    let owner = ScopeOwner::Project(project.root.clone());
                    found.add_skills(context, &state_dir, &|| Ok(project.clone()), &owner)?;
                }
            }
        }
        Ok(found)
    }

    /// The other scope that has installed a skill in the directory of that name.
    pub(super) fn owner(&self, target: &Path, directory: &SkillName) -> Option<&ScopeOwner> {
        let path = self.targets.get(target)?.join(directory.as_str());
        self.owners.get(&path)
    }

    /// The projects that the directories are in: only those can have skills there.
    fn projects_around(&self, context: &CommandContext<'_>) -> Vec<Workspace> {
        let above: BTreeSet<&Path> = self
            .targets
            .values()
            .flat_map(|target| target.ancestors())
            .filter(|dir| matches!(disk::lstat(&dir.join(manifest::FILE)), Ok(Some(_))))
            .collect();
        // The user's own manifest may be above its skills, too.
        let own = disk::real_path(&context.dirs.skillpm_home);

        // A project that cannot be read, or is another user's, has installed nothing here.
        above
            .into_iter()
            .filter(|dir| **dir != own)
            .filter_map(|dir| {
                let found = context.project_around(dir).ok()??;
                (found.root == dir).then_some(found)
            })
            .collect()
    }

    /// Adds the skills that a scope has in the directories.
    fn add_skills(
        &mut self,
        context: &CommandContext<'_>,
        state_dir: &StateDir,
        open: &dyn Fn() -> Result<Workspace>,
        owner: &ScopeOwner,
    ) -> Result<()> {
        let state = ProjectState::load(state_dir)?;
        let installed = if state.targets.is_empty() {
            // A lost state, or that of another machine: what is locked counts as installed. Files that are invalid are
            // reported by the commands of that scope.
            open()
                .and_then(|scope| locked_skills(context, &scope))
                .unwrap_or_default()
        } else {
            recorded_skills(&state)
        };

        let root = state_dir.root();
        let mut real_paths: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        for (target, directory) in installed {
            let real = real_paths
                .entry(target)
                .or_insert_with_key(|target| targets::destination(&root.join(target)));
            if self.targets.values().any(|own| own == real) {
                let path = real.join(directory.as_str());
                self.owners.insert(path, owner.clone());
            }
        }
        Ok(())
    }
}

/// The directories of the skills that a state has.
fn recorded_skills(state: &ProjectState) -> Vec<(PathBuf, SkillName)> {
    let mut skills = Vec::new();
    for (target, records) in &state.targets {
        let directories = records
            .iter()
            .map(|(name, record)| record.directory_of(name));
        skills.extend(directories.map(|directory| (target.clone(), directory)));
    }
    skills
}

/// The directories of the locked skills of a scope.
fn locked_skills(
    context: &CommandContext<'_>,
    scope: &Workspace,
) -> Result<Vec<(PathBuf, SkillName)>> {
    let Some(lockfile) = scope.lockfile()? else {
        return Ok(Vec::new());
    };

    let manifest = scope.manifest(&|name| context.config.registry(name))?;
    let mut skills = Vec::new();
    for directory in targets::directories_with_readers(context, scope, &manifest)? {
        let packages = lockfile.packages().iter();
        let names = packages.map(|locked| directory.directory_of(locked.install_name()));
        skills.extend(names.map(|name| (directory.path.clone(), name)));
    }
    Ok(skills)
}
