//! Updates saved edits (patch files) when their packages change.
//!
//! | upstream | patch file | then |
//! |---|---|---|
//! | as locked | as locked | nothing changes |
//! | new | as locked | both are merged as an edit on disk is, and the patch file is written again |
//! | new, with conflicts | as locked | with `--merge`, the patch file is removed, and its edits are merged on disk |
//! | any | another | it is applied as it is, or the command fails |
//!
//! If upstream has all of the edits, the patch file and its line in `[edits]` are removed.

use std::collections::BTreeMap;
use std::path::Path;

use super::resolution::{LockResolution, PatchUpdates, UnsavedEdits};
use super::{EditPolicy, PatchOutcome, SkillMerge, SyncInput};
use crate::fetch::{PackageFetcher, fetch_without_edits};
use crate::patch_files::{PatchFile, default_path};
use skillpm_core::error::Result;
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::{Checksum, RelPath, SkillName, Tree};
use skillpm_core::report::ProgressEvent;
use skillpm_merge::MergedTree;
use skillpm_merge::patch::{diff_trees, render_patch_file};

/// Applies the saved edits to resolved packages, and updates their patch files.
pub(super) struct PatchUpdater<'a> {
    pub(super) input: &'a SyncInput<'a>,
}

impl PatchUpdater<'_> {
    /// Applies the saved edits to the resolved packages.
    pub(super) fn apply_kept_edits(
        &self,
        fetcher: PackageFetcher<'_, '_>,
        decided: &mut LockResolution,
    ) -> Result<()> {
        // Most projects have no saved edits, and fetch nothing here.
        let has_patch = |package: &LockedPackage| package.patch.is_some();
        if self.input.patch_files.is_empty()
            && self.input.request.edits.is_empty()
            && !decided.lockfile.packages().iter().any(has_patch)
        {
            return Ok(());
        }
        self.apply_requested_edits(&mut decided.patch_updates);

        let (mut packages, mut conflicts) = (decided.lockfile.packages().to_vec(), Vec::new());
        for package in &mut packages {
            match self.input.patch_files.get(package.install_name()) {
                Some(file) => self.update_patch(package, file, fetcher, decided, &mut conflicts)?,
                // Its line in `[edits]` was removed: the package is locked without edits again.
                None if package.patch.is_some() => {
                    let tree = fetch_without_edits(package, &mut decided.fetched_trees, fetcher)?;
                    lock_edited(package, &tree, None, &mut decided.fetched_trees);
                }
                None => {}
            }
        }

        decided.lockfile = Lockfile::new(packages);
        // As for edits on disk: with one conflict nothing is changed.
        self.input.refuse_conflicts(&conflicts)?;
        self.drop_unused(decided);
        Ok(())
    }

    fn apply_requested_edits(&self, updates: &mut PatchUpdates) {
        for (name, text) in &self.input.request.edits {
            let known = self.input.manifest.edits.get(name).cloned();
            let path = known.clone().unwrap_or_else(|| default_path(name));
            let outcome = if text.is_some() {
                PatchOutcome::Written
            } else {
                PatchOutcome::Dropped
            };

            updates.add_outcome(name, &path, outcome);
            updates
                .lines
                .insert(name.clone(), text.as_ref().map(|_| path.clone()));
            updates.files.insert(path, text.clone());
        }
    }

    fn update_patch(
        &self,
        package: &mut LockedPackage,
        file: &PatchFile,
        fetcher: PackageFetcher<'_, '_>,
        decided: &mut LockResolution,
        conflicts: &mut Vec<(SkillName, MergedTree)>,
    ) -> Result<()> {
        let old = self.input.old.installed_as(package.install_name());
        let old = old.filter(|old| old.patch == Some(file.digest));
        // Neither the package nor its patch changed: the locked checksums are still valid.
        if let Some(old) = old.filter(|old| old.upstream_checksum() == package.upstream_checksum())
        {
            package.checksum = old.checksum;
            package.source_checksum = old.source_checksum;
            package.patch = old.patch;
            return Ok(());
        }

        let theirs = fetch_without_edits(package, &mut decided.fetched_trees, fetcher)?;
        // A patch file that was changed by hand or by git is applied as it is, without a merge.
        let Some(old) = old else {
            let tree = file.apply(&theirs)?;
            lock_edited(package, &tree, Some(file), &mut decided.fetched_trees);
            return Ok(());
        };

        // Upstream changed: the edits become a diff to the new version.
        let base = fetch_without_edits(old, &mut decided.fetched_trees, fetcher)?;
        let edited = file.apply(&base)?;
        let merged = self.input.merge_trees(&base, &edited, &theirs)?;
        if merged.conflicts().next().is_none() {
            return self.record_merge(package, file, &theirs, merged, decided);
        }

        let name = package.install_name().clone();
        // Without the installed files there is nowhere to merge them.
        if self.input.options.edits == EditPolicy::Stop || self.input.options.lock_only {
            conflicts.push((name, merged));
            return Ok(());
        }
        remove_patch(package, &theirs, &file.path, PatchOutcome::Unsaved, decided);
        decided
            .unsaved_edits
            .insert(name, UnsavedEdits { base, edited });
        Ok(())
    }

    /// Locks a package with its merged edits, and saves them.
    fn record_merge(
        &self,
        package: &mut LockedPackage,
        file: &PatchFile,
        theirs: &Tree,
        merged: MergedTree,
        decided: &mut LockResolution,
    ) -> Result<()> {
        record_edits(package, theirs, &merged.tree, &file.path, decided)?;

        let name = package.install_name().clone();
        let main = Path::new(self.input.manifest.install.dir.as_str());
        decided.patch_updates.merges.push(SkillMerge {
            place: main.join(name.as_str()),
            name,
            files: merged.files,
        });
        Ok(())
    }

    /// Saves the merge of edits on disk and upstream's changes as a patch file.
    pub(super) fn keep_merged_edits(
        &self,
        name: &SkillName,
        tree: &Tree,
        fetcher: PackageFetcher<'_, '_>,
        decided: &mut LockResolution,
    ) -> Result<()> {
        let mut packages = decided.lockfile.packages().to_vec();
        for package in packages
            .iter_mut()
            .filter(|package| package.install_name() == name)
        {
            // The patch file has the difference to upstream, not to what was installed before.
            let theirs = fetch_without_edits(package, &mut decided.fetched_trees, fetcher)?;

            let path = self
                .input
                .patch_files
                .get(name)
                .map_or_else(|| default_path(name), |file| file.path.clone());
            record_edits(package, &theirs, tree, &path, decided)?;
        }

        decided.lockfile = Lockfile::new(packages);
        Ok(())
    }

    /// Removes lines of `[edits]` whose skills this command removes, and warns of other unused
    /// lines.
    fn drop_unused(&self, decided: &mut LockResolution) {
        for (name, file) in self.input.patch_files.iter() {
            if decided.lockfile.installed_as(name).is_some() {
                continue;
            }
            // Removed by this command: the line is removed, and the file is left for the user.
            if self.input.old.installed_as(name).is_some() {
                decided.patch_updates.lines.insert(name.clone(), None);
                decided
                    .patch_updates
                    .add_outcome(name, &file.path, PatchOutcome::Unused);
            } else {
                // Never installed in this project: probably a typo, which is not removed silently.
                self.input.reporter().report(ProgressEvent::Warning {
                    message: format!(
                        "unused entry `{name}` in `[edits]` of skillpm.toml: no skill of that name is installed"
                    ),
                    help: Some("remove the line from `[edits]`".into()),
                });
            }
        }
    }
}

/// Locks a package with edits, and saves them; if the trees are equal, its patch file is removed.
fn record_edits(
    package: &mut LockedPackage,
    theirs: &Tree,
    tree: &Tree,
    path: &RelPath,
    decided: &mut LockResolution,
) -> Result<()> {
    let name = package.install_name().clone();
    decided
        .patch_updates
        .patched
        .retain(|patched| patched.name != name);
    // Upstream has all of the edits: the patch file would be empty.
    if theirs == tree {
        remove_patch(package, theirs, path, PatchOutcome::Upstreamed, decided);
        return Ok(());
    }

    let file = PatchFile::new(path.clone(), patch_file_text(package, theirs, tree))?;
    decided
        .patch_updates
        .lines
        .insert(name.clone(), Some(path.clone()));
    decided
        .patch_updates
        .files
        .insert(path.clone(), Some(file.text.clone()));
    decided
        .patch_updates
        .add_outcome(&name, path, PatchOutcome::Written);
    lock_edited(package, tree, Some(&file), &mut decided.fetched_trees);
    Ok(())
}

/// Locks a package without edits, and removes its patch file.
fn remove_patch(
    package: &mut LockedPackage,
    theirs: &Tree,
    path: &RelPath,
    outcome: PatchOutcome,
    decided: &mut LockResolution,
) {
    let name = package.install_name().clone();
    let updates = &mut decided.patch_updates;
    updates.lines.insert(name.clone(), None);
    updates.files.insert(path.clone(), None);
    updates.add_outcome(&name, path, outcome);
    lock_edited(package, theirs, None, &mut decided.fetched_trees);
}

fn lock_edited(
    package: &mut LockedPackage,
    tree: &Tree,
    file: Option<&PatchFile>,
    fetched_trees: &mut BTreeMap<Checksum, Tree>,
) {
    let (upstream, checksum) = (package.upstream_checksum(), Checksum::from_tree(tree));

    package.checksum = checksum;
    package.source_checksum = (checksum != upstream).then_some(upstream);
    package.patch = file.map(|file| file.digest);
    // Installing finds it here, and does not apply the patch again.
    fetched_trees.insert(checksum, tree.clone());
}

/// The text of a patch file: a title, then the patch.
pub(crate) fn patch_file_text(package: &LockedPackage, theirs: &Tree, tree: &Tree) -> String {
    let name = package.install_name();
    let title = format!(
        "Edits of the skill `{name}`, made to {}.\n\
         Written by `skillpm patch {name}` and by each update.\n",
        package.revision(),
    );
    render_patch_file(&title, &diff_trees(theirs, tree))
}
