//! The first half of a sync: manifest and lockfile → a lockfile that satisfies the manifest, and
//! the trees that resolving fetched.

use std::collections::{BTreeMap, BTreeSet};

use super::lock_builder::{ByName, LockBuilder};
use super::patch_updates::PatchUpdater;
use super::resolution::{LockResolution, PatchUpdates};
use super::signatures::SignatureVerifier;
use super::unchanged::find_unchanged;
use super::unused_patches::report_unused_patches;
use super::{PinPolicy, SyncInput};
use crate::fetch::{self, PackageFetcher};
use crate::policy::EffectivePolicy;
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::{PackageSummary, RelPath, SkillName, SourceId};
use skillpm_core::resolver::{self, RootDependency};
use skillpm_io::disk;
use skillpm_registry::sources::PackageSources;
use skillpm_registry::sources::gather::{
    GatherRequest, gather_packages, matches_patches, report_missing_optional,
};
use skillpm_registry::store::Store;
use skillpm_registry::workspace::WorkspaceMember;

/// Resolves a project: decides its lockfile.
pub(super) struct LockResolver<'a> {
    pub(super) input: &'a SyncInput<'a>,
}

impl LockResolver<'_> {
    /// Keeps the lockfile if it still satisfies the manifest, else resolves again. Then applies the
    /// saved edits.
    pub(super) fn resolve(
        &self,
        sources: &PackageSources<'_>,
        store: &Store,
    ) -> Result<LockResolution> {
        let mut resolution = self.solve(sources, store)?;
        // Before the edits, which change `checksum`: allowed findings belong to the package without
        // edits.
        self.keep_allowed_findings(&mut resolution);
        PatchUpdater { input: self.input }
            .apply_kept_edits(self.input.fetcher(sources, store), &mut resolution)?;
        Ok(resolution)
    }

    /// With `--locked`, refuses a project without a lockfile.
    pub(super) fn refuse_missing_lockfile(&self) -> Result<()> {
        let SyncInput {
            options,
            workspace,
            old,
            ..
        } = self.input;
        // Another message than for a changed one: there is no lockfile to compare with.
        if options.locked && workspace.lock_text.is_none() {
            return Err(lockfile_changed(old, old, false));
        }
        Ok(())
    }

    /// [`resolve`](Self::resolve), which may not change the lockfile with `--locked`.
    pub(super) fn resolve_if_allowed(
        &self,
        sources: &PackageSources<'_>,
        store: &Store,
    ) -> Result<LockResolution> {
        let resolution = self.resolve(sources, store)?;
        if self.input.options.locked && !self.is_unchanged(&resolution.lockfile) {
            return Err(lockfile_changed(
                &self.input.old,
                &resolution.lockfile,
                true,
            ));
        }
        Ok(resolution)
    }

    /// Keeps the allowed findings of unchanged packages.
    fn keep_allowed_findings(&self, resolution: &mut LockResolution) {
        // Most lockfiles have none, and are not built again.
        if self
            .input
            .old
            .packages()
            .iter()
            .all(|old| old.allowed_findings.is_empty())
        {
            return;
        }

        let allowed = |locked: &LockedPackage| {
            let old = self.input.old.installed_as(locked.install_name())?;
            let is_same =
                old.name == locked.name && old.upstream_checksum() == locked.upstream_checksum();
            (is_same && !old.allowed_findings.is_empty()).then(|| old.allowed_findings.clone())
        };

        let keep = |locked: &LockedPackage| LockedPackage {
            allowed_findings: allowed(locked).unwrap_or_else(|| locked.allowed_findings.clone()),
            ..locked.clone()
        };
        resolution.lockfile =
            Lockfile::new(resolution.lockfile.packages().iter().map(keep).collect());
    }

    fn solve(&self, sources: &PackageSources<'_>, store: &Store) -> Result<LockResolution> {
        // Packages in directories may have changed, and are read by every command.
        let has_paths = self
            .input
            .old
            .packages()
            .iter()
            .any(|locked| self.is_live_directory(sources, locked));

        let keeps_all = self.input.request.keep == PinPolicy::All
            && self.input.request.precise.is_empty()
            && self.input.request.commits.is_empty();

        // Everything is locked and matches: no source is queried, and no version changes.
        if keeps_all && !has_paths && self.is_satisfied() {
            return Ok(LockResolution {
                lockfile: self.input.old.clone(),
                fetched_trees: BTreeMap::new(),
                patch_updates: PatchUpdates::default(),
                unsaved_edits: BTreeMap::new(),
                held: BTreeSet::new(),
                failed: Vec::new(),
            });
        }

        // A member is a package in a directory, whose manifest this command may change.
        sources.set_unsaved_manifest(self.input.unsaved_manifest());
        let at_commits = self.pinned_to_commits();
        let mut kept = self.packages_to_keep(sources, &at_commits);
        kept.extend(find_unchanged(self.input, sources, store)?);

        let (mut held, mut failed) = (BTreeSet::new(), Vec::new());
        let gathered = loop {
            let request = GatherRequest {
                roots: &self.input.roots,
                patches: &self.input.patches,
                kept_packages: &kept,
                precise: &self.input.request.precise,
                age: &self.input.age,
                previous_lock: &self.input.old,
            };
            let error = match gather_packages(sources, &request) {
                Ok(gathered) => break gathered,
                Err(error) => error,
            };

            let failing = self.failing_packages(&error, &kept);
            let names = failing.iter().map(|locked| locked.install_name().clone());
            held.extend(names);
            // All that may change failed: there is nothing to go on with.
            if failing.is_empty() || self.keeps_all_but(&held) {
                return Err(error);
            }
            kept.extend(failing);
            error.add_to(&mut failed);
        };
        report_missing_optional(&gathered.resolve, self.input.reporter());
        report_unused_patches(self.input, &gathered);

        let resolution = LockBuilder { input: self.input }.build_lockfile(
            sources,
            store,
            gathered,
            &ByName::new(kept),
        )?;
        let note_kept = |error: Error| {
            let names: Vec<String> = error
                .packages()
                .iter()
                .map(|name| format!("`{name}`"))
                .collect();
            error.note(format!("kept as locked: {}", names.join(", ")))
        };
        Ok(LockResolution {
            held,
            failed: failed.into_iter().map(note_kept).collect(),
            ..resolution
        })
    }

    /// The locked packages that a failure is about and that are not kept yet, if the request goes on without them.
    fn failing_packages(&self, error: &Error, kept: &[&LockedPackage]) -> Vec<&LockedPackage> {
        if !self.input.request.skips_failing {
            return Vec::new();
        }
        let old = self.input.old.packages().iter();
        old.filter(|locked| {
            let name = locked.install_name();
            error.packages().iter().any(|about| about == name.as_str())
                && !kept.iter().any(|kept| kept.install_name() == name)
        })
        .collect()
    }

    /// Whether all locked packages but these are kept anyway.
    fn keeps_all_but(&self, names: &BTreeSet<SkillName>) -> bool {
        let mut locked = self
            .input
            .old
            .packages()
            .iter()
            .map(LockedPackage::install_name);
        locked.all(|name| names.contains(name) || self.input.request.keeps(name))
    }

    /// Locked packages at the commits that were requested.
    fn pinned_to_commits(&self) -> Vec<LockedPackage> {
        let mut pinned = Vec::new();
        for (name, commit) in &self.input.request.commits {
            let Some(locked) = self.input.old.installed_as(name) else {
                continue;
            };
            pinned.push(LockedPackage {
                commit: Some(commit.clone()),
                path: self.directory_of(locked),
                // Its dependencies there are unknown: an empty reference makes the resolver read it.
                dependencies: vec![String::new()],
                ..locked.clone()
            });
        }
        pinned
    }

    /// The directory of a package: as the manifest names it, which may have moved since it was locked.
    fn directory_of(&self, locked: &LockedPackage) -> Option<RelPath> {
        let mut roots = self.input.roots.iter().map(|root| &root.dependency);
        let line = roots.find(|line| line.alias == *locked.install_name());
        let named = line.and_then(|line| line.subdir.clone());
        named.or_else(|| locked.path.clone())
    }

    /// Whether a package is read by every command: it is in a directory, where it may be edited.
    ///
    /// Not so if it is vendored, or if its directory does not exist and it stays locked.
    fn is_live_directory(&self, sources: &PackageSources<'_>, locked: &LockedPackage) -> bool {
        let SourceId::Path(path) = &locked.source else {
            return false;
        };

        let is_there = || {
            disk::lstat(&disk::real_path(&self.input.workspace.root.join(path)))
                .is_ok_and(|at| at.is_some())
        };
        // With `--locked` a package from a missing directory stays locked: CI may not have it.
        let keeps_absent = self.input.options.locked || self.input.options.keep_absent;
        sources.vendor_directory(&locked.source).is_none() && (!keeps_absent || is_there())
    }

    fn packages_to_keep<'k>(
        &'k self,
        sources: &PackageSources<'_>,
        at_commits: &'k [LockedPackage],
    ) -> Vec<&'k LockedPackage> {
        let old = self.input.old.packages().iter();
        old.filter(|locked| !self.is_live_directory(sources, locked) && self.is_kept(locked))
            .chain(at_commits)
            .chain(&self.input.request.adopted.packages)
            .collect()
    }

    fn is_kept(&self, locked: &LockedPackage) -> bool {
        let (request, name) = (&self.input.request, locked.install_name());
        // The requested commits replace the locked ones, which must not be candidates.
        request.keeps(name) && !request.commits.contains_key(name)
    }

    /// Whether a new lockfile equals the old one. The content of a member may differ: it is edited
    /// in place.
    fn is_unchanged(&self, new: &Lockfile) -> bool {
        let (old, new) = (self.input.old.packages(), new.packages());
        old.len() == new.len()
            && old
                .iter()
                .zip(new)
                .all(|(old, new)| self.is_same_package(old, new))
    }

    fn is_same_package(&self, old: &LockedPackage, new: &LockedPackage) -> bool {
        // Signatures are verified later.
        let new = LockedPackage {
            signed_by: old.signed_by,
            ..new.clone()
        };
        if *old == new {
            return true;
        }

        // A member's content changes with every edit; only its dependencies are compared.
        self.input.member_at(&new.source).is_some()
            && *old
                == LockedPackage {
                    version: old.version.clone(),
                    checksum: old.checksum,
                    source_checksum: old.source_checksum,
                    patch: old.patch,
                    ..new
                }
    }

    /// Checks all packages except the project's own members against the policy, whether they were
    /// locked before or not.
    pub(super) fn check_policy(
        &self,
        fetcher: PackageFetcher<'_, '_>,
        resolution: &mut LockResolution,
    ) -> Result<()> {
        let policy = EffectivePolicy::load(self.input.context, &self.input.manifest.policy)?;
        let external = resolution
            .lockfile
            .packages()
            .iter()
            .filter(|locked| !self.input.is_member(locked));

        let packages: Vec<&LockedPackage> = external.collect();
        let request_origin = (self.input.roots.as_slice(), &resolution.lockfile);
        // The cheapest rules first: the later ones may need the network.
        policy.check_sources(&packages, request_origin)?;

        if policy.requires_reachable() {
            let found = fetcher
                .sources
                .check_reachable(&packages)
                .into_iter()
                .collect::<Result<Vec<_>>>()?;
            policy.check_reachable(
                &packages.iter().copied().zip(found).collect::<Vec<_>>(),
                request_origin,
            )?;
        }

        if policy.needs_trees() {
            let trees = fetch::fetch(&packages, &mut resolution.fetched_trees, fetcher)?;
            policy.check_trees(&packages, &trees, request_origin)?;
        }

        SignatureVerifier {
            input: self.input,
            held: &resolution.held,
        }
        .verify_signatures(fetcher.sources, &policy, &mut resolution.lockfile)
    }
}

impl LockResolver<'_> {
    /// Whether the lockfile satisfies the manifests, without missing or unused packages.
    pub(super) fn is_satisfied(&self) -> bool {
        let packages = self.input.old.packages();

        let by_alias: BTreeMap<&SkillName, &LockedPackage> = packages
            .iter()
            .map(|locked| (locked.install_name(), locked))
            .collect();

        let mut by_reference: BTreeMap<String, &LockedPackage> = BTreeMap::new();
        for locked in packages {
            by_reference.entry(locked.reference()).or_insert(locked);
        }

        let (mut reached, mut todo) = (BTreeSet::new(), Vec::new());
        // Every direct dependency must have a locked package that satisfies it.
        for root in &self.input.roots {
            match (
                self.sibling_member(root),
                by_alias.get(&root.dependency.alias),
            ) {
                // A member that another member depends on is in the workspace, not in the lockfile.
                (Some(sibling), _)
                    if resolver::is_satisfied_by(
                        &root.dependency,
                        &member_summary(sibling, root),
                    ) => {}
                (None, Some(locked)) if self.satisfies(root, locked) => todo.push(*locked),
                _ => return false,
            }
        }

        while let Some(locked) = todo.pop() {
            if reached.insert(locked.install_name()) {
                for reference in &locked.dependencies {
                    // A reference to a missing entry: the lockfile was edited by hand.
                    let Some(needed) = by_reference.get(reference) else {
                        return false;
                    };
                    todo.push(needed);
                }
            }
        }

        // Packages that are no longer required have to be removed.
        reached.len() == packages.len() && matches_patches(&self.input.old, &self.input.patches)
    }

    fn satisfies(
        &self,
        RootDependency { dependency, .. }: &RootDependency,
        locked: &LockedPackage,
    ) -> bool {
        let summary = locked.summary();
        let mut patches = self
            .input
            .patches
            .iter()
            .filter(|_| !locked.replaces.is_empty());
        // With `[patch]` a package of another source may satisfy the dependency.
        resolver::is_satisfied_by(dependency, &summary)
            || patches.any(|patch| resolver::can_replace(patch, &summary, dependency))
    }

    /// The member that another member depends on: it is in the workspace, and need not be locked.
    fn sibling_member(&self, root: &RootDependency) -> Option<&WorkspaceMember> {
        root.member
            .as_ref()
            .and_then(|_| self.input.member_at(&root.dependency.source))
    }
}

/// The summary of a member, for the member that depends on it.
fn member_summary(member: &WorkspaceMember, root: &RootDependency) -> PackageSummary {
    PackageSummary {
        version: member.version.clone(),
        ..PackageSummary::unread(&root.dependency)
    }
}

/// The error of `--locked`, with the changes that the lockfile needs.
fn lockfile_changed(old: &Lockfile, new: &Lockfile, exists: bool) -> Error {
    if !exists {
        return Error::negative(
            "the lock file `skillpm.lock` needs to be created but --locked was passed",
        )
        .help("run `skillpm install` without `--locked`, and commit `skillpm.lock`");
    }

    let mut error = Error::negative(
        "the lock file `skillpm.lock` needs to be updated but --locked or --frozen was passed",
    );

    let names: BTreeSet<&SkillName> = old
        .packages()
        .iter()
        .chain(new.packages())
        .map(LockedPackage::install_name)
        .collect();

    for name in names {
        // Only differences are reported: equal entries are not the reason of the failure.
        match (old.installed_as(name), new.installed_as(name)) {
            (None, Some(new)) => {
                error = error.note(format!("`{}` would be added", new.reference()));
            }
            (Some(old), None) => {
                error = error.note(format!("`{}` would be removed", old.reference()));
            }
            // The same package with other edits: both revisions are the same.
            (Some(old), Some(new))
                if old.patch != new.patch && old.upstream_checksum() == new.upstream_checksum() =>
            {
                let change = if new.patch.is_some() {
                    "would have other edits: its patch file"
                } else {
                    "would lose its edits: its line in `[edits]`"
                };
                error = error.note(format!("`{name}` {change} has changed"));
            }
            (Some(old), Some(new)) if old != new => {
                error = error.note(format!(
                    "`{name}` would be updated from {} to {}",
                    old.revision(),
                    new.revision()
                ));
            }
            _ => {}
        }
    }

    error.help("run `skillpm install` without `--locked`, and commit `skillpm.lock`")
}
