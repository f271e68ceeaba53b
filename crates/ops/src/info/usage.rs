//! Finds where a package is used on this machine: its installed copies, and what depends on it.

use super::DependentInfo;
use crate::CommandContext;
use crate::search::InstalledCopy;
use skillpm_catalog::catalog::Tier;
use skillpm_core::error::Result;
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest;
use skillpm_core::package::{PackageName, RelPath, SourceId};
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// Whether a source, name and directory in it are those of the package.
type IsSamePackage<'a> = &'a dyn Fn(&SourceId, &PackageName, Option<&RelPath>) -> bool;

/// The manifests and lockfiles of the project and of the user.
pub(super) struct PackageUsage<'t> {
    pub context: &'t CommandContext<'t>,
    pub locks: Vec<(Tier, Lockfile)>,
}

impl PackageUsage<'_> {
    pub(super) fn find_installed(&self, is_same: IsSamePackage<'_>) -> Vec<InstalledCopy> {
        let mut found = Vec::new();
        for (tier, lock) in &self.locks {
            found.extend(
                matching_packages(lock, is_same).map(|locked| InstalledCopy {
                    tier: *tier,
                    name: locked.install_name().to_string(),
                    version: Some(locked.revision()),
                    // A lockfile does not show whether the skill is on disk.
                    location: None,
                }),
            );
        }
        found
    }

    /// The manifests and locked packages that depend on the package for which `is_same` is true.
    pub(super) fn find_dependents(&self, is_same: IsSamePackage<'_>) -> Result<Vec<DependentInfo>> {
        let project = self
            .context
            .project()?
            .map(|project| (Tier::Workspace, project));
        // The user's own skills may have the package, too.
        let managed = (
            Tier::Managed,
            self.context.workspace(WorkspaceKind::Managed)?,
        );

        let mut dependents = Vec::new();
        for (tier, project) in project.into_iter().chain([managed]) {
            dependents.extend(self.find_in_manifest(tier, &project, is_same)?);
        }
        for (tier, lock) in &self.locks {
            dependents.extend(find_in_lockfile(*tier, lock, is_same));
        }
        Ok(dependents)
    }

    fn find_in_manifest(
        &self,
        tier: Tier,
        project: &Workspace,
        is_same: IsSamePackage<'_>,
    ) -> Result<Vec<DependentInfo>> {
        let registries = |name: Option<&str>| self.context.config.registry(name);
        let manifest = project.manifest(&registries)?;
        let asked = manifest
            .dependencies
            .iter()
            .filter(|asked| is_same(&asked.source, &asked.package, asked.subdir.as_ref()));
        Ok(asked
            .map(|asked| DependentInfo {
                tier,
                who: manifest::FILE.to_owned(),
                req: Some(asked.req.to_string()),
            })
            .collect())
    }
}

/// The locked packages that depend on the package, without requirements: a lockfile has none.
fn find_in_lockfile(tier: Tier, lock: &Lockfile, is_same: IsSamePackage<'_>) -> Vec<DependentInfo> {
    let mut dependents = Vec::new();
    for reference in matching_packages(lock, is_same).map(LockedPackage::reference) {
        let dependent = lock
            .packages()
            .iter()
            .filter(|locked| locked.dependencies.contains(&reference));
        dependents.extend(dependent.map(|locked| DependentInfo {
            tier,
            who: locked.reference(),
            req: None,
        }));
    }
    dependents
}

fn matching_packages<'l>(
    lock: &'l Lockfile,
    is_same: IsSamePackage<'l>,
) -> impl Iterator<Item = &'l LockedPackage> {
    // Several install names may have one package.
    lock.packages()
        .iter()
        .filter(move |locked| is_same(&locked.source, &locked.name, locked.path.as_ref()))
}
