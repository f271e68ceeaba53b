//! The user's edits of installed skills: merges them with upstream's changes, and carries them to
//! all copies.
//!
//! | on disk | upstream | then |
//! |---|---|---|
//! | as installed | new | replaced |
//! | edited | as installed | kept, and carried to the other copies |
//! | edited | new | merged, file by file; with conflicts nothing changes unless a side is chosen |
//! | | | if this command changes the lockfile, the edit is saved as a patch file, so that the lockfile matches |
//! | edited in a former target | | carried to the other copies, and removed here |
//! | two copies with different edits | | nothing changes |
//! | edited again, or reverted, in one of several copies | | the same in all of them |
//!
//! Copies in another format than the package, converted for the agents of their targets, have edits
//! of their own: they are merged in the same way, carried among themselves only, and never saved as
//! a patch file, which has the package's files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::contents::{convert_to, converted_content};
use super::patch_updates::PatchUpdater;
use super::planned::UpstreamTrees;
use super::resolution::{LockResolution, UnsavedEdits};
use super::snapshot::{CopyGroup, InstalledSnapshot};
use super::{EditPolicy, SkillMerge, SyncInput};
use crate::fetch::{self, PackageFetcher};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::{Checksum, SkillName, Tree};
use skillpm_core::report::ProgressEvent;
use skillpm_io::disk::FileModes;
use skillpm_io::local_files::{InstalledFiles, InstalledReader};
use skillpm_merge::MergedTree;
use skillpm_registry::install::plan::{
    InstallTarget, OnDisk, Plan, PlanAction, TargetContent, compute_plan,
};

/// The result of merging and carrying edits.
#[derive(Default)]
pub(super) struct EditOutcome {
    /// The trees of targets whose content differs from the lockfile.
    pub(super) trees: BTreeMap<InstallTarget, Tree>,
    pub(super) merges: Vec<SkillMerge>,
    /// The permissions that a person has restricted edited files to, by skill.
    pub(super) modes: BTreeMap<SkillName, FileModes>,
    /// Merges with conflicts, of which none is applied.
    conflicts: Vec<(SkillName, MergedTree)>,
    /// Skills whose edits were saved, and are locked with them.
    locked_with_edits: BTreeSet<SkillName>,
}

/// Merges the user's edits of installed skills with upstream's changes.
pub(super) struct EditMerger<'a> {
    pub(super) input: &'a SyncInput<'a>,
    pub(super) installed: InstalledReader<'a>,
}

impl EditMerger<'_> {
    /// Merges and carries the edits of installed skills, and adapts the plan.
    pub(super) fn resolve_edits(
        &self,
        plan: &mut Plan,
        before: &mut InstalledSnapshot<'_>,
        fetcher: PackageFetcher<'_, '_>,
        upstream: &mut UpstreamTrees,
        resolution: &mut LockResolution,
    ) -> Result<EditOutcome> {
        let mut outcome = EditOutcome::default();

        // The package as it is comes first: its saved edits change what is converted.
        let mut unsaved = std::mem::take(&mut resolution.unsaved_edits);
        let mut groups = edited_groups(plan, before);
        groups.extend(unsaved.keys().cloned().map(CopyGroup::of_package));
        for group in groups {
            let unsaved = match group.converted_to {
                None => unsaved.remove(&group.name),
                Some(_) => None,
            };
            let found = match unsaved {
                Some(unsaved) => Some(self.find_unsaved(&group, unsaved, plan, before)?),
                None => self.find_edit(&group, plan, before, fetcher, &mut outcome)?,
            };
            let Some(FoundEdit { place, ours, base }) = found else {
                continue;
            };
            let modes = ours.local.modes.clone();

            let theirs = upstream.get(&place).cloned();
            let tree = if let Some(base) = base {
                let theirs = theirs.as_ref().expect("the plan fetches what it merges");
                // The base may not have been in the store when the copy was read, as in a clone.
                let ours = ours.with_line_ends_of(&base).tree;
                let merge = UpstreamMerge {
                    group: &group,
                    merged: self.input.merge_trees(&base, &ours, theirs)?,
                    theirs,
                };
                match self.accept_merge(&place, merge, fetcher, resolution, &mut outcome)? {
                    Some(tree) => tree,
                    None => continue,
                }
            } else {
                ours.tree
            };

            let edit = CarriedEdit {
                group: &group,
                tree: &tree,
                theirs: theirs.as_ref(),
            };
            let lockfile = &resolution.lockfile;
            self.plan_edit(&edit, plan, before, upstream, lockfile, &mut outcome)?;
            // Where a person has restricted a file, no copy of it is readable for more.
            if !modes.is_empty() {
                outcome.modes.insert(group.name.clone(), modes);
            }
        }

        // All or nothing: with one conflict no skill changes.
        self.input.refuse_conflicts(&outcome.conflicts)?;
        Ok(outcome)
    }

    /// The edit that all copies of a skill get; `None` if there is no such edit, and the plan is complete.
    fn find_edit(
        &self,
        group: &CopyGroup,
        plan: &mut Plan,
        before: &InstalledSnapshot<'_>,
        fetcher: PackageFetcher<'_, '_>,
        outcome: &mut EditOutcome,
    ) -> Result<Option<FoundEdit>> {
        match compare_copies(edited_copies(group, plan, before), plan, before) {
            EditedCopies::Alike(edited) => {
                // The copies are identical, so that any of them has the edit.
                let place = edited[0].clone();
                let base = needs_merge(&edited, plan, before)
                    .then(|| self.base_tree(&place, before, fetcher))
                    .transpose()?;
                let ours = self.read_copy(&place, before)?;
                Ok(Some(FoundEdit { place, ours, base }))
            }
            // The edit was reverted in one copy: the user's last change counts for all of them.
            EditedCopies::Reverted { at, from } => {
                self.revert_copies(&at, &from, plan, before, outcome)?;
                Ok(None)
            }
            // Which of the edits to carry is unknown, so that all of them stay.
            EditedCopies::Divergent(edited) => {
                let error = divergent_error(&edited);
                // Each edit would have to be merged with the new version, with different results.
                if needs_merge(&edited, plan, before) {
                    return Err(error);
                }
                self.input.reporter().report(ProgressEvent::Warning {
                    message: error.message().to_owned(),
                    help: error.helps().first().cloned(),
                });
                leave_former_copies(plan, before, group);
                Ok(None)
            }
        }
    }

    /// The edits of a skill whose patch file is removed, with later ones on disk.
    ///
    /// # Errors
    /// If no copy can have them, or copies were edited differently.
    fn find_unsaved(
        &self,
        group: &CopyGroup,
        unsaved: UnsavedEdits,
        plan: &Plan,
        before: &InstalledSnapshot<'_>,
    ) -> Result<FoundEdit> {
        let UnsavedEdits { base, edited } = unsaved;
        let mut places = plan
            .iter()
            .filter(|(place, action)| before.group_of(place) == *group && action.writes_package());
        let Some((place, _)) = places.next() else {
            let name = &group.name;
            return Err(Error::new(
                FailureKind::Conflict,
                format!("conflicting changes in `{name}`: no installed copy can have them"),
            )
            .help("pass `--ours` or `--theirs` to use one side"));
        };

        let copies = edited_copies(group, plan, before);
        let (place, ours) = if copies.is_empty() {
            let ours = InstalledFiles {
                tree: edited,
                ..InstalledFiles::default()
            };
            (place.clone(), ours)
        } else {
            let place = match compare_copies(copies, plan, before) {
                EditedCopies::Alike(edited) => edited[0].clone(),
                EditedCopies::Reverted { at, .. } => at,
                EditedCopies::Divergent(edited) => return Err(divergent_error(&edited)),
            };
            let ours = self.read_copy(&place, before)?;
            (place, ours)
        };
        Ok(FoundEdit {
            place,
            ours,
            base: Some(base),
        })
    }

    /// The merged tree; `None` if it has conflicts, which are refused after all skills are merged.
    fn accept_merge(
        &self,
        place: &InstallTarget,
        merge: UpstreamMerge<'_>,
        fetcher: PackageFetcher<'_, '_>,
        resolution: &mut LockResolution,
        outcome: &mut EditOutcome,
    ) -> Result<Option<Tree>> {
        // Collected, so that one run reports every skill with conflicts.
        if has_conflicts(&merge.merged) && self.input.options.edits == EditPolicy::Stop {
            outcome
                .conflicts
                .push((merge.group.name.clone(), merge.merged));
            return Ok(None);
        }
        self.record_merge(place, merge, fetcher, resolution, outcome)
            .map(Some)
    }

    /// Records a merge, and saves its result as a patch file if the lockfile changes; returns the
    /// merged tree.
    fn record_merge(
        &self,
        place: &InstallTarget,
        merge: UpstreamMerge<'_>,
        fetcher: PackageFetcher<'_, '_>,
        resolution: &mut LockResolution,
        outcome: &mut EditOutcome,
    ) -> Result<Tree> {
        let UpstreamMerge {
            group,
            merged,
            theirs,
        } = merge;
        let name = &place.name;
        let is_clean = !has_conflicts(&merged);
        outcome.merges.push(SkillMerge {
            name: name.clone(),
            place: place.path(Path::new("")),
            files: merged.files,
        });

        // Only the command that changes the lockfile may save the result in it. `install`
        // after a colleague's update merges on disk only. A patch file is of the package's files,
        // which a converted copy does not have.
        let is_package = group.converted_to.is_none();
        if is_package
            && is_clean
            && merged.tree != *theirs
            && self.changes_upstream(name, &resolution.lockfile)
        {
            PatchUpdater { input: self.input }.keep_merged_edits(
                name,
                &merged.tree,
                fetcher,
                resolution,
            )?;
            outcome.locked_with_edits.insert(name.clone());
        }
        Ok(merged.tree)
    }

    /// Plans an edit for every copy of a skill.
    fn plan_edit(
        &self,
        edit: &CarriedEdit<'_>,
        plan: &mut Plan,
        before: &mut InstalledSnapshot<'_>,
        upstream: &mut UpstreamTrees,
        lockfile: &Lockfile,
        outcome: &mut EditOutcome,
    ) -> Result<()> {
        carry_edit(plan, before, edit, outcome);

        // Locked with its edits, the skill has none any longer: this is the content to install.
        let group = edit.group;
        if outcome.locked_with_edits.contains(&group.name) && group.converted_to.is_none() {
            set_wanted(plan, before, group, Checksum::from_tree(edit.tree));
            self.convert_edit(edit, plan, before, upstream, lockfile)?;
        }
        Ok(())
    }

    /// Converts a package once more, after its edits were saved: they are part of what is locked.
    fn convert_edit(
        &self,
        edit: &CarriedEdit<'_>,
        plan: &mut Plan,
        before: &mut InstalledSnapshot<'_>,
        upstream: &mut UpstreamTrees,
        lockfile: &Lockfile,
    ) -> Result<()> {
        let Some(package) = lockfile.installed_as(&edit.group.name) else {
            return Ok(());
        };

        for (place, content) in &mut before.wanted {
            let Some(to) = content
                .converted_to()
                .filter(|_| place.name == edit.group.name)
            else {
                continue;
            };
            // With its descriptor edited, it may have that format itself.
            let Some(tree) = convert_to(package, edit.tree, to)? else {
                continue;
            };

            *content = converted_content(package, to, Some(&tree));
            upstream.converted.insert(place.clone(), tree);
            let wanted = [(place.clone(), content.clone())].into();
            let present = [(place.clone(), before.present[place].clone())].into();
            plan.extend(compute_plan(&wanted, &present, |name| {
                self.input.force_at(name)
            })?);
        }
        Ok(())
    }

    /// Whether this command changes the upstream content of a skill.
    fn changes_upstream(&self, name: &SkillName, lockfile: &Lockfile) -> bool {
        let upstream = |lockfile: &Lockfile| {
            lockfile
                .installed_as(name)
                .map(LockedPackage::upstream_checksum)
        };
        upstream(&self.input.old) != upstream(lockfile)
    }

    /// Reverts the other copies as well, after the edit was reverted in one.
    fn revert_copies(
        &self,
        at: &InstallTarget,
        from: &[InstallTarget],
        plan: &mut Plan,
        before: &InstalledSnapshot<'_>,
        outcome: &mut EditOutcome,
    ) -> Result<()> {
        let tree = self.read_copy(at, before)?.tree;
        for place in from {
            let action = match plan[place] {
                // A former target, and the edit was reverted: nothing is lost.
                PlanAction::CarryAndRemove if !before.wanted.contains_key(place) => {
                    PlanAction::Remove
                }
                // Not updated: the reverted copy has the locked content.
                PlanAction::KeepEdited => {
                    outcome.trees.insert(place.clone(), tree.clone());
                    PlanAction::Replace
                }
                _ => PlanAction::Replace,
            };

            plan.insert(place.clone(), action);
        }
        Ok(())
    }

    /// The files of a copy, with the user's edits.
    fn read_copy(
        &self,
        place: &InstallTarget,
        before: &InstalledSnapshot<'_>,
    ) -> Result<InstalledFiles> {
        let path = place.path(&self.input.workspace.root);
        let base = before.present[place].base;
        self.installed.read(&path, base.as_ref())
    }

    /// The tree that the user's edits are based on.
    fn base_tree(
        &self,
        place: &InstallTarget,
        before: &InstalledSnapshot<'_>,
        fetcher: PackageFetcher<'_, '_>,
    ) -> Result<Tree> {
        let known = before.present[place].base;

        // If the base is still locked, its source has it, too. The tree of an older lockfile is
        // only in the store.
        let package = self
            .input
            .old
            .installed_as(&place.name)
            .filter(|package| Some(package.checksum) == known);

        let tree = match (package, known) {
            (Some(package), _) => {
                fetch::fetch(&[package], &mut BTreeMap::new(), fetcher)?.remove(&place.name)
            }
            (None, Some(checksum)) => match fetcher.store.get(&checksum, self.input.reporter())? {
                Some(tree) => Some(tree),
                None => self.converted_base(place, before, fetcher)?,
            },
            (None, None) => None,
        };

        tree.ok_or_else(|| {
            Error::negative(format!(
                "base of the edits of `{}` not found in the store",
                place.name
            ))
            .help("to replace the skill, pass `--force`, which moves it to `.skillpm/backup`")
        })
    }

    /// The base of an edited copy that was converted, if its package is still locked: it is
    /// converted once more.
    fn converted_base(
        &self,
        place: &InstallTarget,
        before: &InstalledSnapshot<'_>,
        fetcher: PackageFetcher<'_, '_>,
    ) -> Result<Option<Tree>> {
        let present = &before.present[place];
        let old = self.input.old.installed_as(&place.name);
        let (Some(conversion), Some(package)) = (present.conversion, old) else {
            return Ok(None);
        };
        if package.checksum != conversion.package {
            return Ok(None);
        }

        let trees = fetch::fetch(&[package], &mut BTreeMap::new(), fetcher)?;
        let tree = convert_to(package, &trees[&place.name], conversion.to)?;
        Ok(tree.filter(|tree| present.base == Some(Checksum::from_tree(tree))))
    }
}

/// The edit of a skill.
struct FoundEdit {
    /// A copy that has it, or gets it.
    place: InstallTarget,
    /// The files with it.
    ours: InstalledFiles,
    /// The files that it was made to, if it has to be merged with the new version.
    base: Option<Tree>,
}

/// The user's edits, merged with the new version.
struct UpstreamMerge<'a> {
    group: &'a CopyGroup,
    merged: MergedTree,
    theirs: &'a Tree,
}

/// The user's edits of the copies of a skill.
enum EditedCopies {
    /// These have the same edit, which the others get.
    Alike(Vec<InstallTarget>),
    /// The edit that all of `from` have was reverted in the copy `at`.
    Reverted {
        at: InstallTarget,
        from: Vec<InstallTarget>,
    },
    /// These have different edits.
    Divergent(Vec<InstallTarget>),
}

/// The groups of copies with edits: by name, and the package as it is before its conversions.
fn edited_groups(plan: &Plan, before: &InstalledSnapshot<'_>) -> BTreeSet<CopyGroup> {
    plan.iter()
        .filter(|(_, action)| has_edit(action))
        .map(|(place, _)| before.group_of(place))
        .collect()
}

/// The copies of a skill with edits.
fn edited_copies(
    group: &CopyGroup,
    plan: &Plan,
    before: &InstalledSnapshot<'_>,
) -> Vec<InstallTarget> {
    plan.iter()
        .filter(|(place, action)| before.group_of(place) == *group && has_edit(action))
        .map(|(place, _)| place.clone())
        .collect()
}

/// The error about copies with different edits.
fn divergent_error(edited: &[InstallTarget]) -> Error {
    let places: Vec<String> = edited
        .iter()
        .map(|place| format!("`{}`", place.path(Path::new("")).display()))
        .collect();
    let name = &edited[0].name;
    Error::new(
        FailureKind::Conflict,
        format!("conflicting edits in {}", places.join(" and ")),
    )
    .help(format!(
        "make the copies identical, or discard the edits of all with `skillpm restore {name}`"
    ))
}

fn has_edit(action: &PlanAction) -> bool {
    matches!(
        action,
        PlanAction::Merge | PlanAction::KeepEdited | PlanAction::CarryAndRemove
    )
}

fn has_conflicts(merged: &MergedTree) -> bool {
    merged.conflicts().next().is_some()
}

/// Leaves the copies of a skill in former targets where they are.
fn leave_former_copies(plan: &mut Plan, before: &InstalledSnapshot<'_>, group: &CopyGroup) {
    for (place, action) in plan {
        if before.group_of(place) == *group && *action == PlanAction::CarryAndRemove {
            *action = PlanAction::Leave;
        }
    }
}

/// Compares the edited copies of a skill. Changes since the last command count, if the other copies
/// are as that command left them.
fn compare_copies(
    edited: Vec<InstallTarget>,
    plan: &Plan,
    before: &InstalledSnapshot<'_>,
) -> EditedCopies {
    let present = |place: &InstallTarget| &before.present[place];
    let are_alike = |places: &[InstallTarget]| {
        places
            .iter()
            .all(|place| present(place).on_disk == present(&places[0]).on_disk)
    };

    let changed = changed_copies(&before.group_of(&edited[0]), plan, before);
    let unchanged: Vec<InstallTarget> = edited
        .iter()
        .filter(|place| !changed.contains(place))
        .cloned()
        .collect();

    let was_carried = |place: &InstallTarget| {
        changed
            .iter()
            .all(|other| present(other).last == present(place).tree())
    };
    // No change since the last command, or no copy as it left it: nothing can be inferred.
    if changed.is_empty() || unchanged.is_empty() || !unchanged.iter().all(was_carried) {
        return if are_alike(&edited) {
            EditedCopies::Alike(edited)
        } else {
            EditedCopies::Divergent(edited)
        };
    }
    // Different changes since: there is no single latest edit.
    if !are_alike(&changed) {
        return EditedCopies::Divergent(edited);
    }

    let at = &changed[0];
    if edited.contains(at) {
        EditedCopies::Alike(changed)
    } else {
        EditedCopies::Reverted {
            at: at.clone(),
            from: unchanged,
        }
    }
}

/// The copies of a skill that the user changed since the last command.
fn changed_copies(
    group: &CopyGroup,
    plan: &Plan,
    before: &InstalledSnapshot<'_>,
) -> Vec<InstallTarget> {
    plan.keys()
        .filter(|place| before.group_of(place) == *group && before.present[*place].is_edited())
        .cloned()
        .collect()
}

/// Whether edits have to be merged with a new version.
fn needs_merge(edited: &[InstallTarget], plan: &Plan, before: &InstalledSnapshot<'_>) -> bool {
    edited.iter().any(|place| match plan[place] {
        // A copy in a former target is merged only if there is a new version.
        PlanAction::CarryAndRemove => {
            before.present[place].base != wanted_checksum(before, &before.group_of(place))
        }
        ref action => *action == PlanAction::Merge,
    })
}

/// The new checksum of a skill's copies.
fn wanted_checksum(before: &InstalledSnapshot<'_>, group: &CopyGroup) -> Option<Checksum> {
    before
        .wanted
        .iter()
        .filter(|(place, _)| before.group_of(place) == *group)
        .find_map(|(_, content)| content.tree())
}

/// The edited or merged content of a skill.
struct CarriedEdit<'a> {
    group: &'a CopyGroup,
    tree: &'a Tree,
    /// The content of upstream, if it was fetched.
    theirs: Option<&'a Tree>,
}

/// Plans the same content for every copy of a skill, which may be that of upstream.
fn carry_edit(
    plan: &mut Plan,
    before: &InstalledSnapshot<'_>,
    edit: &CarriedEdit<'_>,
    outcome: &mut EditOutcome,
) {
    let CarriedEdit {
        group,
        tree,
        theirs,
    } = *edit;
    let checksum = Checksum::from_tree(tree);
    let is_theirs = theirs == Some(tree);

    for (place, action) in plan
        .iter_mut()
        .filter(|(place, _)| before.group_of(place) == *group)
    {
        // Links have no files of their own.
        let wanted = before.wanted.get(place);
        if wanted.and_then(TargetContent::tree).is_none() {
            continue;
        }

        let has_it = before.present[place].on_disk == OnDisk::Tree(checksum);
        match action {
            // The result is the same as upstream.
            PlanAction::Merge if is_theirs => *action = PlanAction::Replace,
            // The result is already on disk.
            PlanAction::Merge if has_it => *action = PlanAction::KeepEdited,
            PlanAction::Keep
            | PlanAction::KeepEdited
            | PlanAction::Replace
            | PlanAction::Create
                if !is_theirs && !has_it =>
            {
                *action = PlanAction::CarryEdits;
            }
            _ => {}
        }
        // A copy that is moved to the backup is replaced by the edit of another copy.
        let is_replaced = *action == PlanAction::ReplaceWithBackup && !is_theirs;
        if is_replaced || matches!(action, PlanAction::Merge | PlanAction::CarryEdits) {
            outcome.trees.insert(place.clone(), tree.clone());
        }
    }
}

/// Makes a skill's content with its edits the planned content of its targets.
fn set_wanted(
    plan: &mut Plan,
    before: &mut InstalledSnapshot<'_>,
    group: &CopyGroup,
    checksum: Checksum,
) {
    for (place, action) in plan
        .iter_mut()
        .filter(|(place, _)| place.name == group.name)
    {
        if let Some(content @ TargetContent::Tree(_)) = before.wanted.get_mut(place) {
            *content = TargetContent::Tree(checksum);
            match action {
                PlanAction::Merge | PlanAction::CarryEdits => *action = PlanAction::Replace,
                PlanAction::KeepEdited => *action = PlanAction::Keep,
                _ => {}
            }
        }
    }
}
