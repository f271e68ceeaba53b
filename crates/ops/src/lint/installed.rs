//! The skills that skillpm put somewhere: who lints a project means what is written there, not what was installed.

use std::path::{Path, PathBuf};

use super::Context;
use crate::error::Result;
use crate::install::state::State;
use crate::io::disk;
use crate::lockfile::Locked;
use crate::ops::targets;
use crate::workspace::{Sort, Workspace};

/// Where they are.
pub(super) struct Installed {
    places: Vec<PathBuf>,
    /// The directories in which packages lie in place of their sources.
    vendored: Vec<PathBuf>,
}

impl Installed {
    /// Those of the project around here, and the person's own. What cannot be found out is not known to be installed.
    pub(super) fn around(context: &Context<'_>) -> Installed {
        let project = context.project().ok().flatten();
        let managed = context.find_workspace(Sort::Managed).ok();
        let mut places = Vec::new();
        for workspace in project.iter().chain(&managed) {
            places.extend(by_state(context, workspace));
            places.extend(by_lockfile(context, workspace).unwrap_or_default().into_iter().map(|(place, _)| place));
        }
        let directories = context.vendored().unwrap_or_default().into_values();
        Installed { places, vendored: directories.map(|directory| disk::real_path(&directory.dir)).collect() }
    }

    /// Whether a skill was installed, and lies deeper than what somebody named: naming the directory of installed skills,
    /// or one of them, is asking for them.
    pub(super) fn holds(&self, skill: &Path, named: &Path) -> bool {
        let is_deeper = |place: &PathBuf| !place.parent().is_some_and(|dir| named.starts_with(dir));
        self.places.iter().any(|place| skill.starts_with(place) && is_deeper(place))
    }

    /// Whether a file lies where packages are kept in place of their sources, and nobody named that place.
    pub(super) fn keeps(&self, file: &Path, named: &Path) -> bool {
        self.vendored.iter().any(|dir| file.starts_with(dir) && !named.starts_with(dir))
    }
}

/// What was installed on this machine.
fn by_state(context: &Context<'_>, workspace: &Workspace) -> Vec<PathBuf> {
    let state = State::load(&context.state_dir(workspace)).unwrap_or_default();
    let places = state.targets.into_iter().flat_map(|(target, skills)| {
        let dir = disk::real_path(&workspace.root.join(target));
        skills.into_keys().map(move |name| dir.join(name.as_str())).collect::<Vec<_>>()
    });
    places.collect()
}

/// Where the lockfile says that something is installed, and from which package: in a fresh clone there is nothing else to
/// go by.
pub(super) fn by_lockfile(context: &Context<'_>, workspace: &Workspace) -> Result<Vec<(PathBuf, String)>> {
    let Some(lockfile) = workspace.lockfile()? else { return Ok(Vec::new()) };
    let manifest = workspace.manifest(&|name| context.config.registry(name))?;
    let mut places = Vec::new();
    for dir in targets::directories(context, workspace, &manifest)? {
        let dir = disk::real_path(&workspace.root.join(dir));
        let place = |locked: &Locked| (dir.join(locked.install_name().as_str()), locked.name.to_string());
        places.extend(lockfile.packages().iter().map(place));
    }
    Ok(places)
}
