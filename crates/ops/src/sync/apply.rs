//! Makes the planned changes of installed skills: one transaction, then the state.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::SyncInput;
use super::planned::{InstallTrees, NextRecords, changes_disk};
use super::snapshot::InstalledSnapshot;
use super::state_writer::StateWriter;
use super::undo_steps::UndoStepBuilder;
use crate::catalog_sections::{find_sections, update_sections};
use crate::interrupted::display_path;
use crate::targets::TargetDirectory;
use skillpm_core::error::Result;
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::{Checksum, LineEnd};
use skillpm_core::report::ProgressEvent;
use skillpm_io::disk::{self, FileModes, TreeStamp};
use skillpm_io::local_files::{InstalledFiles, InstalledReader, LocalFiles};
use skillpm_registry::install::plan::{InstallTarget, OnDisk, Plan, PlanAction, TargetContent};
use skillpm_registry::install::state::{InstalledSkill, ProjectState};
use skillpm_registry::install::transaction::{SavedFile, Transaction};
use skillpm_registry::install::undo::{self, UndoStep, UndoText};
use skillpm_registry::store::Store;

/// The project as a transaction leaves it.
pub(super) struct AppliedProject<'a> {
    pub(super) lockfile: &'a Lockfile,
    pub(super) texts: &'a [UndoText],
    /// The target directories.
    pub(super) directories: &'a [TargetDirectory],
    pub(super) installed: InstalledReader<'a>,
}

/// Makes the changes of a plan.
pub(super) struct PlanApplier<'a> {
    pub(super) input: &'a SyncInput<'a>,
    pub(super) plan: &'a Plan,
    pub(super) before: &'a InstalledSnapshot<'a>,
    pub(super) trees: &'a InstallTrees,
    pub(super) project: AppliedProject<'a>,
    /// The line ends that files of changed skills have, where those of the package are others. Filled as they are changed.
    pub(super) line_ends: RefCell<BTreeMap<PathBuf, BTreeMap<String, LineEnd>>>,
}

impl PlanApplier<'_> {
    /// Makes the changes in one transaction: skills, then manifest and lockfile; then writes the
    /// state.
    pub(super) fn apply(&self) -> Result<()> {
        let writer = StateWriter { input: self.input };
        let texts = self.project.texts;
        let mut next = self.next_state(&writer)?;
        let records = self.next_records();

        // Only the state changes: without a transaction there is nothing to undo.
        if texts.is_empty() && !self.has_changes(&records) {
            self.record_skills(&writer, records, BTreeMap::new(), &mut next)?;
            // Most commands find everything as it was, and leave the file alone.
            if next != *self.before.state {
                writer.try_save_state(&next);
            }
            return Ok(());
        }

        let SyncInput {
            context, workspace, ..
        } = self.input;
        let sections = if self.plan.values().any(changes_disk) {
            find_sections(context, workspace)?
        } else {
            Vec::new()
        };

        let mut changes = Transaction::begin(&self.input.state_dir())?;
        let written = self.write_skills(&mut changes)?;

        next.made.extend(self.made_directories(&changes));
        let mut steps = self.describe_changes(&records);
        self.take_prior_changes(&mut changes, &mut steps, &mut next)?;

        // Skills, texts and undo entry are one transaction.
        writer.write_texts(&mut changes, texts)?;
        writer.write_undo(&mut changes, steps, texts)?;
        let saved = changes.saved().to_vec();

        let sections = update_sections(context, &workspace.root, &sections, &mut changes)?;
        changes.commit()?;
        sections.report(context.reporter);
        self.report_saved(&saved);
        self.report_left()?;

        writer.remove_empty_dirs(texts);
        undo::prune_entries(&self.input.state_dir())?;
        // The state is a cache, written last: if the process is killed before, the next command
        // reads all skills again.
        self.record_skills(&writer, records, written, &mut next)?;
        writer.try_save_state(&next);
        Ok(())
    }

    fn describe_changes(&self, records: &NextRecords<'_>) -> Vec<UndoStep> {
        let builder = UndoStepBuilder {
            input: self.input,
            plan: self.plan,
            before: self.before,
            trees: self.trees,
            backup_name: &|place| self.backup_name(place),
        };
        let mut steps = builder.gather_steps(records);
        let mut line_ends = self.line_ends.take();
        for step in &mut steps {
            step.line_ends = line_ends.remove(&step.path()).unwrap_or_default();
        }
        steps
    }

    /// Takes over the undo entry of changes that were made just before. `import` has its own; both
    /// are combined, so that one `undo` reverts both.
    fn take_prior_changes(
        &self,
        changes: &mut Transaction,
        steps: &mut Vec<UndoStep>,
        next: &mut ProjectState,
    ) -> Result<()> {
        let Some(made) = &self.input.request.adopted.made else {
            return Ok(());
        };

        steps.extend_from_slice(&made.steps);
        next.made.extend(made.directories.iter().cloned());
        // In the transaction: a kill leaves either the old entry or the combined one.
        changes.remove(&made.file, None, &LocalFiles::default())
    }

    /// The new state, without records of skills.
    fn next_state(&self, writer: &StateWriter<'_>) -> Result<ProjectState> {
        let lockfile = self.project.lockfile;
        let mut next = ProjectState {
            // With `--locked` an edited member is installed with other content than the lockfile
            // has: the next command must not take the fast path.
            inputs: if *lockfile == self.input.old || !self.input.options.locked {
                Some(writer.next_inputs_digest(self.project.texts)?)
            } else {
                None
            },
            ..ProjectState::default()
        };

        // The next command compares a package in a directory by its stamp, instead of reading it.
        next.sources = writer.path_stamps(lockfile)?;
        next.made.clone_from(&self.before.state.made);
        Ok(next)
    }

    fn next_records(&self) -> NextRecords<'_> {
        self.plan
            .iter()
            .filter_map(|(place, action)| Some((place, self.next_record(place, action)?)))
            .collect()
    }

    /// The new record of a skill; `None` if skillpm no longer manages it.
    fn next_record(&self, place: &InstallTarget, action: &PlanAction) -> Option<InstalledSkill> {
        let package = self.project.lockfile.installed_as(&place.name)?;
        let content = self.before.wanted.get(place)?;
        let locked = self.locked_record(place, content, package);
        let link = match content {
            TargetContent::Link(link) => Some(link.clone()),
            TargetContent::Tree(_) | TargetContent::Converted(..) => None,
        };
        let present = &self.before.present[place];

        Some(match action {
            PlanAction::Remove | PlanAction::RemoveWithBackup | PlanAction::Forget => return None,
            // The base is what is locked now. The edited checksum shows later which copy the user
            // edited last.
            PlanAction::KeepEdited if self.before.has_copies(place) => InstalledSkill {
                edited: present.tree(),
                ..locked
            },
            // The user replaced the link, which stays recorded as a link.
            PlanAction::Leave => InstalledSkill {
                link: present.link.clone(),
                ..locked
            },
            PlanAction::KeepEdited => locked,
            _ => InstalledSkill {
                link,
                edited: self
                    .trees
                    .own
                    .get(place)
                    .map(Checksum::from_tree)
                    .filter(|own| *own != locked.checksum),
                ..locked
            },
        })
    }

    /// The record of a target with the locked package, converted or as it is.
    fn locked_record(
        &self,
        place: &InstallTarget,
        content: &TargetContent,
        package: &LockedPackage,
    ) -> InstalledSkill {
        let checksum = match content {
            TargetContent::Converted(checksum, _) => *checksum,
            TargetContent::Tree(_) | TargetContent::Link(_) => package.checksum,
        };
        InstalledSkill {
            format: self.before.formats.get(place).copied(),
            package: content.converted_to().map(|_| package.checksum),
            ..InstalledSkill::without_stamp(checksum)
        }
    }

    /// Whether there is anything that `undo` has to revert.
    fn has_changes(&self, records: &NextRecords<'_>) -> bool {
        // An edit that becomes one of the new version can be undone, although no file changes.
        let is_decided = |(place, action): (&InstallTarget, &PlanAction)| {
            let next = records.get(place).map(|record| record.checksum);
            *action == PlanAction::KeepEdited && next != self.before.present[place].base
        };

        self.plan.values().any(changes_disk) || self.plan.iter().any(is_decided)
    }

    fn record_skills(
        &self,
        writer: &StateWriter<'_>,
        records: NextRecords<'_>,
        written: BTreeMap<&InstallTarget, TreeStamp>,
        next: &mut ProjectState,
    ) -> Result<()> {
        writer.record_all(self.plan, records, self.before, written, next)?;
        let directories = self.project.directories.iter();
        let live: Vec<PathBuf> = directories.map(|target| target.path.clone()).collect();
        next.remove_empty_dirs(&self.input.workspace.root, &live);
        Ok(())
    }

    /// Makes the changes of all skills; returns the stamps of the written trees.
    fn write_skills(
        &self,
        changes: &mut Transaction,
    ) -> Result<BTreeMap<&InstallTarget, TreeStamp>> {
        let mut written = BTreeMap::new();
        for (place, action) in self.plan {
            let stamp = self
                .change_skill(changes, place, action)
                .map_err(|error| error.wrap(format!("failed to install `{}`", place.name)))?;
            written.extend(stamp.map(|stamp| (place, stamp)));
        }
        Ok(written)
    }

    /// Makes the change of one target; returns the stamp of a written tree.
    fn change_skill(
        &self,
        changes: &mut Transaction,
        place: &InstallTarget,
        action: &PlanAction,
    ) -> Result<Option<TreeStamp>> {
        let path = place.path(&self.input.workspace.root);
        // The stamp makes the transaction fail if the user edits the skill meanwhile.
        let unchanged = self.before.stamps.get(place).cloned();

        match action {
            PlanAction::Create
            | PlanAction::Replace
            | PlanAction::Merge
            | PlanAction::CarryEdits => self.put_content(changes, place, unchanged),
            // Moved to the backup first, so that the path is free.
            PlanAction::ReplaceWithBackup => {
                changes.back_up(&path, &self.backup_name(place))?;
                self.put_content(changes, place, None)
            }
            PlanAction::CarryAndRemove if self.before.wanted.contains_key(place) => {
                self.put_content(changes, place, unchanged)
            }
            PlanAction::Remove | PlanAction::CarryAndRemove => {
                changes.remove(&path, unchanged, &self.local_files(place)?)?;
                Ok(None)
            }
            PlanAction::RemoveWithBackup => {
                let local = self.local_files(place)?;
                changes.back_up(&path, &self.backup_name(place))?;
                if !local.entries.is_empty() {
                    changes.remove(&path, None, &local)?;
                }
                Ok(None)
            }
            PlanAction::Keep | PlanAction::KeepEdited | PlanAction::Leave | PlanAction::Forget => {
                Ok(None)
            }
        }
    }

    /// Writes the tree or link of a target; fails if what was there has another stamp.
    fn put_content(
        &self,
        changes: &mut Transaction,
        place: &InstallTarget,
        unchanged: Option<TreeStamp>,
    ) -> Result<Option<TreeStamp>> {
        let path = place.path(&self.input.workspace.root);
        let mut local = self.local_files(place)?;
        if let Some(modes) = self.trees.modes.get(&place.name) {
            local.modes.extend(modes.clone());
        }
        match &self.before.wanted[place] {
            TargetContent::Tree(_) | TargetContent::Converted(..) => changes
                .put_tree(&path, self.trees.get(place), unchanged, &local)
                .map(Some),
            TargetContent::Link(target) => {
                changes.put_link(&path, target, unchanged, &local)?;
                Ok(None)
            }
        }
    }

    fn read_installed(&self, place: &InstallTarget) -> Result<InstalledFiles> {
        let path = place.path(&self.input.workspace.root);
        let base = self.before.present[place].base.as_ref();
        self.project.installed.read(&path, base)
    }

    /// What is at a target besides the files of a package.
    fn local_files(&self, place: &InstallTarget) -> Result<LocalFiles> {
        let path = place.path(&self.input.workspace.root);
        let is_directory = disk::lstat(&path)?.is_some_and(|meta| meta.is_dir());
        match &self.before.present[place].on_disk {
            OnDisk::Tree(_) | OnDisk::Nothing if is_directory => {
                let local = self.read_installed(place)?.local;
                if !local.line_ends.is_empty() {
                    self.line_ends
                        .borrow_mut()
                        .insert(place.path(Path::new("")), local.line_ends.clone());
                }
                Ok(local)
            }
            OnDisk::Other(_) if is_directory => {
                let base = self.before.present[place].base.as_ref();
                self.project.installed.read_local(&path, base)
            }
            _ => Ok(LocalFiles::default()),
        }
    }

    fn backup_name(&self, place: &InstallTarget) -> PathBuf {
        // With its target: a skill may be edited in several.
        let kept = place.target.join(place.name.as_str());
        let state_dir = self.input.state_dir();
        state_dir.free_backup_name(self.input.context.now, &kept)
    }

    /// The directories above skills that a transaction created, as the state records them.
    fn made_directories(&self, changes: &Transaction) -> Vec<PathBuf> {
        let root = &self.input.workspace.root;
        let is_above_skills = |made: &Path| {
            let mut directories = self.project.directories.iter();
            directories.any(|target| root.join(&target.path).starts_with(made))
        };

        let made = changes
            .created_dirs()
            .iter()
            .filter(|made| is_above_skills(made));
        made.map(|made| made.strip_prefix(root).unwrap_or(made).to_owned())
            .collect()
    }

    /// Reports what stays in the directories of removed skills.
    fn report_left(&self) -> Result<()> {
        let is_removed = |action: &PlanAction| {
            matches!(
                action,
                PlanAction::Remove | PlanAction::RemoveWithBackup | PlanAction::CarryAndRemove
            )
        };
        for (place, _) in self.plan.iter().filter(|(_, action)| is_removed(action)) {
            let left = disk::list_names(&place.path(&self.input.workspace.root))?;
            if !left.is_empty() && !self.before.wanted.contains_key(place) {
                let shown = place.path(Path::new(""));
                self.input.reporter().report(ProgressEvent::Done {
                    verb: "Left",
                    what: format!(
                        "{} in {}: not part of the skill",
                        left.join(", "),
                        shown.display()
                    ),
                });
            }
        }
        Ok(())
    }

    /// Reports where the user's files are saved that could not stay.
    fn report_saved(&self, saved: &[SavedFile]) {
        let state_dir = self.input.state_dir();
        for file in saved {
            let place = display_path(&state_dir, &file.place);
            let message = format!("`{place}` was in the way, and is no part of the skill");
            let help = format!(
                "it is saved in `{}`",
                display_path(&state_dir, &file.backup)
            );
            self.input.reporter().report(ProgressEvent::Warning {
                message,
                help: Some(help),
            });
        }
    }

    /// Stores the skills that are replaced or removed, so that `undo` can restore them, and the
    /// converted packages: no source has them, and edits of them are merged later.
    pub(super) fn store_replaced(&self, store: &Store) -> Result<()> {
        for (place, tree) in &self.trees.upstream.converted {
            if self.plan.get(place).is_some_and(PlanAction::writes_package) {
                store.put_own(tree, &FileModes::new())?;
            }
        }

        let changed = self.plan.iter().filter(|(_, action)| changes_disk(action));
        for (place, _) in changed {
            // A tree that the store has is not written again.
            if let OnDisk::Tree(checksum) = &self.before.present[place].on_disk
                && !store.contains(checksum)?
            {
                let found = self.read_installed(place)?;
                store.put_own(&found.tree, &found.local.modes)?;
            }
        }
        Ok(())
    }
}
