//! The workspace around skills that are packed.

use std::path::{Path, PathBuf};

use crate::CommandContext;
use skillpm_core::error::Result;
use skillpm_core::manifest::WorkspaceTable;
use skillpm_core::package::RelPath;
use skillpm_io::disk;
use skillpm_registry::workspace::{Workspace, WorkspaceMember};

/// The workspace around skills, read once for all skills that are packed together.
pub struct WorkspaceMembers {
    pub(super) workspace: Option<Workspace>,
    pub(super) table: Option<WorkspaceTable>,
    pub(super) members: Vec<WorkspaceMember>,
}

impl WorkspaceMembers {
    /// Reads the workspace around a directory, if it belongs to one.
    ///
    /// # Errors
    /// If the workspace or a member of it cannot be read or is invalid.
    pub fn load(context: &CommandContext<'_>, dir: &Path) -> Result<WorkspaceMembers> {
        let dir = disk::real_path(&context.dirs.cwd.join(dir));
        let registries = |name: Option<&str>| context.config.registry(name);
        let workspace = context.project_around(&dir)?;

        let root = workspace
            .as_ref()
            .map(|found| found.manifest(&registries))
            .transpose()?;

        let mut siblings = WorkspaceMembers {
            workspace,
            table: root.and_then(|root| root.workspace),
            members: Vec::new(),
        };
        // A directory that is not one of the workspace's members is packed on its own.
        if siblings.table.is_some()
            && (siblings.is_root(&dir) || siblings.member_path(&dir).is_some())
        {
            let found = siblings
                .workspace
                .as_ref()
                .map(|found| found.members(&registries))
                .transpose()?;
            siblings.members = found.unwrap_or_default();
        }

        Ok(siblings)
    }

    /// The members of the workspace; empty without a workspace.
    #[must_use]
    pub fn members(&self) -> &[WorkspaceMember] {
        &self.members
    }

    /// The directories of the members.
    #[must_use]
    pub fn directories(&self) -> Vec<PathBuf> {
        let root = self.workspace.as_ref().map(|found| found.root.as_path());
        root.map(|root| {
            self.members
                .iter()
                .map(|member| member.place(root))
                .collect()
        })
        .unwrap_or_default()
    }

    pub(super) fn is_root(&self, dir: &Path) -> bool {
        self.workspace
            .as_ref()
            .is_some_and(|found| found.root == dir)
    }

    /// The path of the member with this directory, relative to the root.
    pub(super) fn member_path(&self, dir: &Path) -> Option<&RelPath> {
        let found = self.workspace.as_ref()?;

        let members = found
            .member
            .iter()
            // The one around the directory first: it is known before the members are read.
            .chain(self.members.iter().filter_map(|member| member.dir.as_ref()));

        members
            .into_iter()
            .find(|member| found.root.join(member.to_path()) == dir)
    }
}
