//! What all steps of a sync read: the project with the requested changes.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use super::{SyncOptions, SyncRequest};
use crate::CommandContext;
use crate::fetch::PackageFetcher;
use crate::patch_files::{PatchFile, PatchFiles, default_path};
use crate::release_age::release_age;
use skillpm_core::error::Result;
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest::{self, Manifest};
use skillpm_core::package::{Checksum, PatchEntry, SkillName, SourceId};
use skillpm_core::report::EventReporter;
use skillpm_core::resolver::RootDependency;
use skillpm_io::disk;
use skillpm_registry::install::plan::{ForceMode, InstallTarget};
use skillpm_registry::install::state_dir::StateDir;
use skillpm_registry::sources::PackageSources;
use skillpm_registry::sources::release_age::ReleaseAge;
use skillpm_registry::store::Store;
use skillpm_registry::workspace::{Workspace, WorkspaceManifests, WorkspaceMember};

/// The input of all steps.
pub(super) struct SyncInput<'a> {
    pub(super) context: &'a CommandContext<'a>,
    pub(super) workspace: &'a Workspace,
    /// The project with the requested changes.
    pub(super) next: Cow<'a, Workspace>,
    pub(super) request: &'a SyncRequest,
    pub(super) options: SyncOptions,
    pub(super) manifest: Manifest,
    pub(super) members: Vec<WorkspaceMember>,
    /// The dependencies of the project and its members.
    pub(super) roots: Vec<RootDependency>,
    pub(super) patches: Vec<PatchEntry>,
    pub(super) age: ReleaseAge,
    pub(super) old: Lockfile,
    /// The saved edits, with the requested changes.
    pub(super) patch_files: PatchFiles,
}

impl<'a> SyncInput<'a> {
    /// Whether the user's files of a skill may be moved to the backup.
    pub(super) fn force_at(&self, name: &SkillName) -> ForceMode {
        if self.request.restored.contains(name) {
            ForceMode::Restore
        } else {
            self.options.force
        }
    }

    pub(super) fn read(
        context: &'a CommandContext<'a>,
        workspace: &'a Workspace,
        request: &'a SyncRequest,
        options: SyncOptions,
    ) -> Result<Self> {
        let next = match &request.manifest_text {
            Some(text) => Cow::Owned(workspace.with_edited_text(text)),
            None => Cow::Borrowed(workspace),
        };

        let registries = |name: Option<&str>| context.config.registry(name);
        let WorkspaceManifests {
            manifest,
            members,
            roots,
        } = next.read_manifests(&registries)?;

        // `[patch]` is only read at the root; a member's would change what others get.
        let patches = manifest::parse_patches(&next.manifest_text, manifest::FILE, &registries)?;
        let age = release_age(context, &manifest.policy)?;
        // The lockfile on disk: a request changes the manifest only.
        let old = workspace.lockfile()?.unwrap_or_default();
        let patch_files = requested_patch_files(&workspace.root, &manifest, request)?;

        Ok(SyncInput {
            context,
            workspace,
            next,
            request,
            options,
            manifest,
            members,
            roots,
            patches,
            age,
            old,
            patch_files,
        })
    }

    pub(super) fn state_dir(&self) -> StateDir {
        self.context.state_dir(self.workspace)
    }

    pub(super) fn store(&self) -> Result<Store> {
        self.context.store()
    }

    pub(super) fn fetcher<'s, 'r>(
        &'s self,
        sources: &'s PackageSources<'r>,
        store: &'s Store,
    ) -> PackageFetcher<'s, 'r> {
        PackageFetcher {
            store,
            sources,
            patch_files: &self.patch_files,
            reporter: self.reporter(),
        }
    }

    pub(super) fn reporter(&self) -> &dyn EventReporter {
        self.context.reporter
    }

    /// The member in the directory of a source.
    pub(super) fn member_at(&self, source: &SourceId) -> Option<&WorkspaceMember> {
        let SourceId::Path(path) = source else {
            return None;
        };
        self.members
            .iter()
            .find(|member| member.dir.as_ref().is_some_and(|dir| dir.as_str() == path))
    }

    /// The manifest that the command changes, which is not written yet: its path, and its new text.
    pub(super) fn unsaved_manifest(&self) -> Option<(PathBuf, String)> {
        let text = self.request.manifest_text.clone()?;
        let dir = disk::real_path(&self.next.edited_dir());
        Some((dir.join(manifest::FILE), text))
    }

    /// The checksum of a skill that another tool installed in a target, and skillpm adopts.
    pub(super) fn adopted_checksum(&self, place: &InstallTarget) -> Option<Checksum> {
        let key = (place.target.clone(), place.name.clone());
        self.request.adopted.places.get(&key).copied()
    }

    /// Whether a locked package is a member of the workspace.
    pub(super) fn is_member(&self, locked: &LockedPackage) -> bool {
        self.member_at(&locked.source).is_some()
    }
}

/// The saved edits, with those of a request.
fn requested_patch_files(
    root: &Path,
    manifest: &Manifest,
    request: &SyncRequest,
) -> Result<PatchFiles> {
    // The file of an edit that is dropped or replaced may be missing or invalid.
    let named = manifest
        .edits
        .iter()
        .filter(|(name, _)| !request.edits.contains_key(*name));
    let mut files = PatchFiles::read(
        root,
        &named
            .map(|(name, path)| (name.clone(), path.clone()))
            .collect(),
    )?;
    // An edit of this request replaces the file, which is not read.
    for (name, text) in &request.edits {
        if let Some(text) = text {
            let path = manifest
                .edits
                .get(name)
                .cloned()
                .unwrap_or_else(|| default_path(name));
            files.insert(name.clone(), PatchFile::new(path, text.clone())?);
        }
    }

    Ok(files)
}
