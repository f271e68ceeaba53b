//! Installed skills, which `lint` skips: it checks the skills that are written in a project.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::CommandContext;
use crate::targets;
use skillpm_core::error::Result;
use skillpm_core::lockfile::LockedPackage;
use skillpm_io::disk;
use skillpm_registry::install::state::ProjectState;
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// The directories of installed skills.
pub(super) struct InstalledSkills {
    places: HashSet<PathBuf>,
    /// The directories of vendored packages, and the store.
    copied: Vec<PathBuf>,
}

impl InstalledSkills {
    /// Finds those of the project around the current directory, and the user's own. Errors count as
    /// none installed.
    pub(super) fn find(context: &CommandContext<'_>) -> InstalledSkills {
        // `lint` only reads: a project or state that cannot be read excludes nothing.
        let project = context.project().ok().flatten();
        let managed = context.find_workspace(WorkspaceKind::Managed).ok();

        let mut places = HashSet::new();
        for workspace in project.iter().chain(&managed) {
            // The state has what is on this disk, the lockfile what a fresh clone will have.
            places.extend(places_in_state(context, workspace));
            places.extend(
                places_in_lockfile(context, workspace)
                    .unwrap_or_default()
                    .into_iter()
                    .map(|(place, _)| place),
            );
        }
        let vendored = context.vendored_sources().unwrap_or_default().into_values();
        let store = context.dirs.skillpm_home.join("store");
        let copied = vendored.map(|directory| directory.dir).chain([store]);

        InstalledSkills {
            places,
            copied: copied.map(|dir| disk::real_path(&dir)).collect(),
        }
    }

    /// Whether a skill is installed, and deeper than the named path: naming the directory of
    /// installed skills, or one of them, includes them.
    pub(super) fn contains(&self, skill: &Path, named: &Path) -> bool {
        let is_deeper = |place: &Path| !place.parent().is_some_and(|dir| named.starts_with(dir));
        // Looked up, not compared with each place: there are as many places as skills.
        skill
            .ancestors()
            .any(|place| self.places.contains(place) && is_deeper(place))
    }

    /// The directories of vendored packages, and the store, as far as they are below a directory that was named.
    pub(super) fn copies_below(&self, named: &Path) -> Vec<&Path> {
        let copied = self.copied.iter().map(PathBuf::as_path);
        copied
            .filter(|dir| dir.starts_with(named) && *dir != named)
            .collect()
    }
}

/// The directories that the installation state on this machine lists.
fn places_in_state(context: &CommandContext<'_>, workspace: &Workspace) -> Vec<PathBuf> {
    let state = ProjectState::load(&context.state_dir(workspace)).unwrap_or_default();
    let mut places = Vec::new();
    for (target, skills) in state.targets {
        // Skills are found by their real paths, and a target may be a link.
        let dir = disk::real_path(&workspace.root.join(target));
        let skills = skills.into_iter();
        places.extend(skills.map(|(name, record)| dir.join(record.directory_of(&name).as_str())));
    }
    places
}

/// The directories that the lockfile implies, with their packages: a fresh clone has no
/// installation state.
pub(super) fn places_in_lockfile(
    context: &CommandContext<'_>,
    workspace: &Workspace,
) -> Result<Vec<(PathBuf, String)>> {
    let Some(lockfile) = workspace.lockfile()? else {
        return Ok(Vec::new());
    };
    let manifest = workspace.manifest(&|name| context.config.registry(name))?;

    let mut places = Vec::new();
    for directory in targets::directories_with_readers(context, workspace, &manifest)? {
        let dir = disk::real_path(&workspace.root.join(&directory.path));
        let place = |locked: &LockedPackage| {
            (
                dir.join(directory.directory_of(locked.install_name()).as_str()),
                locked.name.to_string(),
            )
        };
        places.extend(lockfile.packages().iter().map(place));
    }

    Ok(places)
}
