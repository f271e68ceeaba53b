//! Which directories of a project an agent looks into.

use std::path::PathBuf;

use super::super::CommandContext;
use super::tier_context::TierContext;
use skillpm_catalog::loaders::ProjectScope;
use skillpm_io::disk;

/// Where the directories of a project are: in the nearest directory, and in those above it.
pub(super) struct ProjectDirectories {
    pub(super) nearest: PathBuf,
    /// From the nearest to the topmost.
    pub(super) all: Vec<PathBuf>,
}

impl ProjectDirectories {
    pub(super) fn new(
        context: &CommandContext<'_>,
        tier_context: &TierContext,
        scope: ProjectScope,
    ) -> Self {
        if scope == ProjectScope::Workspace {
            return ProjectDirectories {
                nearest: tier_context.root.clone(),
                all: vec![tier_context.root.clone()],
            };
        }

        let cwd = &context.dirs.cwd;
        let top = match (disk::find_repository_root(cwd), scope) {
            (Some(root), _) => Some(root.to_owned()),
            (None, ProjectScope::RepositoryOrAll | ProjectScope::RepositoryOrBelowHome) => None,
            (None, _) => Some(cwd.clone()),
        };
        let mut all: Vec<PathBuf> = Vec::new();
        let stops_at_home = top.is_none() && scope == ProjectScope::RepositoryOrBelowHome;
        for dir in cwd.ancestors() {
            if stops_at_home && dir == context.dirs.home {
                break;
            }
            all.push(dir.to_owned());
            if top.as_deref() == Some(dir) {
                break;
            }
        }
        ProjectDirectories {
            nearest: cwd.clone(),
            all,
        }
    }
}
