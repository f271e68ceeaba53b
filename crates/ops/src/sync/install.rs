//! The second half of a sync: plan → fetch → one transaction → the state.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::edits::EditMerger;
use super::resolution::LockResolution;
use super::security::SecurityChecker;
use super::snapshot::InstalledSnapshot;
use super::state_writer::{StateWriter, includes_lockfile};
use super::{SkillChange, SkillMerge, SyncInput, SyncReport, written_names};
use crate::fetch::{self, PackageFetcher};
use crate::gate::InstallGate;
use crate::interrupted::display_path;
use crate::targets;
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest::LinkMode;
use skillpm_core::package::{Checksum, SkillName, Tree};
use skillpm_core::report::ProgressEvent;
use skillpm_core::skill::formats;
use skillpm_io::disk::{self, TreeStamp};
use skillpm_registry::bundled;
use skillpm_registry::install::plan::{
    InstallTarget, InstalledState, OnDisk, Plan, PlanAction, TargetContent, compute_plan,
};
use skillpm_registry::install::state::{InstalledSkill, ProjectState};
use skillpm_registry::install::transaction::{SavedFile, Transaction};
use skillpm_registry::install::undo::{self, UndoContent, UndoStep, UndoText};
use skillpm_registry::store::Store;
use skillpm_registry::workspace::WorkspaceKind;

/// The lockfile with the findings that the gate allowed.
fn with_allowed_findings(
    lockfile: &Lockfile,
    passed: &BTreeMap<SkillName, BTreeSet<&str>>,
) -> Lockfile {
    let more = |locked: &LockedPackage| {
        let new = passed
            .get(locked.install_name())
            .into_iter()
            .flatten()
            .map(|code| (*code).to_owned());
        let all: BTreeSet<String> = locked.allowed_findings.iter().cloned().chain(new).collect();
        LockedPackage {
            allowed_findings: all.into_iter().collect(),
            ..locked.clone()
        }
    };

    Lockfile::new(lockfile.packages().iter().map(more).collect())
}

/// The trees to install.
struct InstallTrees {
    /// The locked trees, by name.
    locked: BTreeMap<SkillName, Tree>,
    /// The trees of targets with edits.
    own: BTreeMap<InstallTarget, Tree>,
}

impl InstallTrees {
    fn get(&self, place: &InstallTarget) -> &Tree {
        self.own
            .get(place)
            .unwrap_or_else(|| &self.locked[&place.name])
    }
}

/// The project as a transaction leaves it.
struct AppliedProject<'a> {
    lockfile: &'a Lockfile,
    texts: &'a [UndoText],
    /// The target directories.
    directories: &'a [PathBuf],
}

/// Plans the changes of installed skills, and makes them in one transaction.
pub(super) struct SkillInstaller<'a> {
    pub(super) input: &'a SyncInput<'a>,
}

impl SkillInstaller<'_> {
    pub(super) fn install(
        &self,
        fetcher: PackageFetcher<'_, '_>,
        state: &ProjectState,
        mut resolution: LockResolution,
    ) -> Result<SyncReport> {
        let directories = targets::directories(
            self.input.context,
            self.input.workspace,
            &self.input.manifest,
        )?;
        // Refusals first: they save fetching.
        self.refuse_shadowing(&resolution.lockfile)?;
        let wanted = self.wanted_content(&directories, &resolution.lockfile);

        let (present, stamps) = self.read_present(&wanted, state, &directories)?;
        let mut plan = compute_plan(&wanted, &present, self.input.options.force)
            .map_err(|error| self.note_edited_files(error, &present))?;
        self.refuse_edits_if_locked(&plan)?;

        let trees = self.fetch_trees(fetcher, state, &plan, &mut resolution)?;
        // After fetching, when the indexes are current; before any write.
        SecurityChecker { input: self.input }.check_security(
            fetcher.sources,
            &resolution.lockfile,
            &plan,
        )?;

        let mut before = InstalledSnapshot {
            state,
            present,
            wanted,
            stamps,
        };
        let edit_outcome = EditMerger { input: self.input }.resolve_edits(
            &mut plan,
            &mut before,
            fetcher,
            &trees,
            &mut resolution,
        )?;
        let texts = StateWriter { input: self.input }.changed_texts(&resolution)?;

        let mut report = SyncReport {
            changes: skill_changes(&plan, &self.input.old, &resolution.lockfile),
            packages: resolution.lockfile.packages().len(),
            lock_changed: includes_lockfile(&texts),
            up_to_date: false,
            dry_run: self.input.options.dry_run,
            kept: kept_skills(&plan),
            edited: places_with(&plan, &PlanAction::KeepEdited).collect(),
            left: places_with(&plan, &PlanAction::Leave).collect(),
            cleared: cleared_places(&plan, &before.wanted, &resolution.lockfile),
            merges: combine_merges(
                std::mem::take(&mut resolution.patch_updates.merges),
                edit_outcome.merges,
            ),
            carried: places_with(&plan, &PlanAction::CarryEdits).collect(),
            patched: std::mem::take(&mut resolution.patch_updates.patched),
        };

        report.up_to_date = report.changes.is_empty()
            && report.carried.is_empty()
            && report.cleared.is_empty()
            && texts.is_empty();

        if !self.input.options.dry_run {
            // In the store before the transaction begins: `undo` restores replaced skills from
            // there.
            self.store_replaced(fetcher.store, &plan, &before.present)?;
            let trees = InstallTrees {
                locked: trees,
                own: edit_outcome.trees,
            };

            self.apply(
                &plan,
                &before,
                &trees,
                &AppliedProject {
                    lockfile: &resolution.lockfile,
                    texts: &texts,
                    directories: &directories,
                },
            )?;
        }

        Ok(report)
    }

    /// The content of every target: a copy, or a link in further targets with `link = "symlink"`.
    fn wanted_content(
        &self,
        directories: &[PathBuf],
        lockfile: &Lockfile,
    ) -> BTreeMap<InstallTarget, TargetContent> {
        let main = &directories[0];

        let content = |(place, checksum): (InstallTarget, Checksum)| {
            let is_link =
                self.input.manifest.install.link == LinkMode::Symlink && place.target != *main;
            let content = if is_link {
                TargetContent::Link(targets::link_target(main, &place.target, &place.name))
            } else {
                TargetContent::Tree(checksum)
            };
            (place, content)
        };

        locked_places(directories, lockfile)
            .into_iter()
            .map(content)
            .collect()
    }

    /// With `policy.deny-shadowing`, a skill of the project may not shadow one of the user's own or
    /// a bundled one.
    fn refuse_shadowing(&self, lockfile: &Lockfile) -> Result<()> {
        let by = crate::catalog::deny_shadowing(self.input.context, Some(&self.input.manifest));
        let Some(by) = by.filter(|_| self.input.workspace.kind != WorkspaceKind::Managed) else {
            return Ok(());
        };

        let managed = self.input.context.expand_path(
            &self
                .input
                .context
                .config
                .string("managed.dir")
                .unwrap_or_default(),
        );

        for name in lockfile.packages().iter().map(LockedPackage::install_name) {
            let own = managed.join(name.as_str());
            // An empty directory of that name is not a skill.
            let files = disk::list_names(&own)?;
            let shadowed = if formats::detect_format(&|file| files.iter().any(|name| name == file))
                .is_some()
            {
                format!("`{}`", own.display())
            } else if bundled::SKILLS
                .iter()
                .any(|skill| skill.name == name.as_str())
            {
                "a bundled skill".to_owned()
            } else {
                continue;
            };

            return Err(Error::negative(format!(
                "refusing to install `{name}`: it would shadow {shadowed}"
            ))
            .note(format!("set by {by}"))
            .help("install it under another name with `--as NAME`"));
        }
        Ok(())
    }

    /// Reads every relevant target, with its stamp from before reading. Targets with equal stamps
    /// are not read.
    fn read_present(
        &self,
        wanted: &BTreeMap<InstallTarget, TargetContent>,
        state: &ProjectState,
        directories: &[PathBuf],
    ) -> Result<(
        BTreeMap<InstallTarget, InstalledState>,
        BTreeMap<InstallTarget, TreeStamp>,
    )> {
        // Relevant are targets to install, those in the state, and those of the old lockfile: a
        // state can be lost, and a lockfile can be older than the disk.
        let mut places: BTreeSet<InstallTarget> = wanted.keys().cloned().collect();
        for (target, skills) in state
            .targets
            .iter()
            .filter(|(target, _)| self.may_own_target(target, directories))
        {
            places.extend(skills.keys().map(|name| InstallTarget {
                target: target.clone(),
                name: name.clone(),
            }));
        }
        let before = locked_places(directories, &self.input.old);
        places.extend(before.keys().cloned());

        // If the state has other targets, skills in a new one are not known to be skillpm's.
        let is_guessed =
            |target: &Path| state.targets.is_empty() || state.targets.contains_key(target);

        let guessed_link = |place: &InstallTarget| match wanted.get(place) {
            Some(TargetContent::Link(link)) => Some(link.clone()),
            None if self.input.manifest.install.link == LinkMode::Symlink
                && place.target != directories[0] =>
            {
                Some(targets::link_target(
                    &directories[0],
                    &place.target,
                    &place.name,
                ))
            }
            _ => None,
        };

        let places: Vec<InstallTarget> = places.into_iter().collect();
        let inspected = skillpm_io::run_parallel(2, &places, |place| {
            let record = state.installed_skill(&place.target, &place.name);
            let (found, stamp) = inspect_place(&place.path(&self.input.workspace.root), record)?;
            let adopted = self
                .input
                .request
                .adopted
                .places
                .get(&(place.target.clone(), place.name.clone()));
            let (base, link) = match record {
                // `import` knows what another tool installed; neither state nor lockfile does.
                _ if adopted.is_some() => {
                    let link = if let OnDisk::Link(link) = &found {
                        Some(link.clone())
                    } else {
                        None
                    };
                    (adopted.copied(), link)
                }
                // The state takes precedence: the command that installed the skill wrote it.
                Some(record) => (Some(record.checksum), record.link.clone()),
                // A fresh clone, or a lost state: the locked content counts as installed.
                None if is_guessed(&place.target) => {
                    let link = if matches!(found, OnDisk::Link(_)) {
                        guessed_link(place)
                    } else {
                        None
                    };
                    (before.get(place).copied(), link)
                }
                // A new target: existing skills are the user's.
                None => (None, None),
            };

            let last = record
                .filter(|_| adopted.is_none())
                .and_then(|record| record.edited)
                .or(base);

            let is_dangling = matches!(found, OnDisk::Link(_))
                && disk::is_dangling(&place.path(&self.input.workspace.root));

            Ok((
                InstalledState {
                    base,
                    last,
                    link,
                    on_disk: found,
                    is_dangling,
                },
                stamp,
            ))
        });

        let (mut present, mut stamps) = (BTreeMap::new(), BTreeMap::new());
        for (place, inspected) in places.into_iter().zip(inspected) {
            let (installed, stamp): (InstalledState, Option<TreeStamp>) = inspected?;
            stamps.extend(stamp.map(|stamp| (place.clone(), stamp)));
            present.insert(place, installed);
        }

        Ok((present, stamps))
    }

    /// Whether a target in the state can belong to this project: it is in the manifest, or below
    /// the root.
    fn may_own_target(&self, target: &Path, directories: &[PathBuf]) -> bool {
        // A state could have any path: only targets of the project, or below it, are changed.
        let is_below = target
            .components()
            .all(|part| matches!(part, Component::Normal(_)));

        is_below
            || directories.iter().any(|directory| directory == target)
            || self.input.workspace.kind == WorkspaceKind::Managed
    }

    /// Adds the edited files to an error about edited skills, if the store still has the installed
    /// trees.
    fn note_edited_files(
        &self,
        error: Error,
        present: &BTreeMap<InstallTarget, InstalledState>,
    ) -> Error {
        // The store only adds detail to an error that is reported in any case.
        let Ok(store) = Store::open(
            &self.input.context.dirs.skillpm_home,
            self.input.context.lock_timeout(),
            self.input.reporter(),
        ) else {
            return error;
        };

        let edited = present.iter().filter_map(|(place, present)| {
            let locked = self.input.old.installed_as(&place.name)?;
            let is_edited = present.base == Some(locked.checksum)
                && present.on_disk != OnDisk::Tree(locked.checksum);
            if !is_edited || !error.message().contains(place.name.as_str()) {
                return None;
            }

            let installed = self
                .input
                .patch_files
                .installed_from_store(locked, &store, self.input.reporter())
                .ok()??;
            let drift =
                installed.diff(&disk::read_tree(&place.path(&self.input.workspace.root)).ok()?);

            let paths = drift
                .changed
                .into_iter()
                .chain(drift.added)
                .chain(drift.missing);
            Some(format!(
                "`{}`: {}",
                place.name,
                paths
                    .map(|path| path.to_string())
                    .collect::<Vec<_>>()
                    .join(", ")
            ))
        });

        edited
            .collect::<Vec<_>>()
            .into_iter()
            .fold(error, Error::note)
    }

    fn refuse_edits_if_locked(&self, plan: &Plan) -> Result<()> {
        let edited = [
            PlanAction::KeepEdited,
            PlanAction::Merge,
            PlanAction::CarryAndRemove,
            PlanAction::Leave,
        ];

        let edited = edited.iter().flat_map(|action| places_with(plan, action));
        let edited: Vec<String> = edited
            .map(|place| format!("`{}`", place.display()))
            .collect();

        if !self.input.options.locked || edited.is_empty() {
            return Ok(());
        }

        Err(Error::negative(format!(
            "installed skills differ from the lockfile but --locked was passed: {}",
            edited.join(", ")
        ))
        .note("with `--locked`, installed skills must match the lockfile")
        .help("to see the differences, run `skillpm verify`"))
    }

    /// Fetches the trees that the plan needs, and checks new packages with the gate.
    fn fetch_trees(
        &self,
        fetcher: PackageFetcher<'_, '_>,
        state: &ProjectState,
        plan: &Plan,
        resolution: &mut LockResolution,
    ) -> Result<BTreeMap<SkillName, Tree>> {
        let gate = InstallGate::from_policies(
            self.input.context,
            &self.input.manifest.policy,
            self.input.options.high,
        )?;

        let new_packages = self.new_packages(&resolution.lockfile, state, plan);
        // A dry run needs the trees that are merged or have to pass the gate, too.
        let is_needed = |action: &PlanAction| match action {
            PlanAction::Merge | PlanAction::CarryAndRemove => true,
            action => action.writes_package() && !self.input.options.dry_run,
        };

        let needed = plan
            .iter()
            .filter(|(_, action)| is_needed(action))
            .map(|(place, _)| &place.name);
        let needed: BTreeSet<&SkillName> = needed
            .chain(new_packages.iter().map(|locked| locked.install_name()))
            .collect();

        if needed.is_empty() && self.input.options.dry_run {
            return Ok(BTreeMap::new());
        }

        let packages: Vec<&LockedPackage> = resolution
            .lockfile
            .packages()
            .iter()
            .filter(|locked| needed.contains(locked.install_name()))
            .collect();

        let trees = fetch::fetch(&packages, &mut resolution.fetched_trees, fetcher)?;
        // After the fetch, before any write: the gate needs the files.
        let passed = gate.check_packages(&new_packages, &trees, self.input.reporter())?;
        if !self.input.options.locked && !passed.is_empty() {
            resolution.lockfile = with_allowed_findings(&resolution.lockfile, &passed);
        }

        self.input.reporter().report(ProgressEvent::Fetched);
        Ok(trees)
    }

    /// The packages to install that are new on this machine, except the project's own members: they
    /// have to pass the gate.
    fn new_packages<'l>(
        &self,
        lockfile: &'l Lockfile,
        state: &ProjectState,
        plan: &Plan,
    ) -> Vec<&'l LockedPackage> {
        let written = written_names(plan);
        // Packages that are installed already have passed the gate before.
        let has = |locked: &LockedPackage| {
            let mut records = state
                .targets
                .values()
                .filter_map(|names| names.get(locked.install_name()));
            records.any(|record| record.checksum == locked.checksum)
        };
        let is_new = |locked: &&LockedPackage| {
            written.contains(locked.install_name()) && !self.input.is_member(locked) && !has(locked)
        };

        lockfile.packages().iter().filter(is_new).collect()
    }

    /// Makes the changes in one transaction: skills, then manifest and lockfile; then writes the
    /// state.
    fn apply(
        &self,
        plan: &Plan,
        before: &InstalledSnapshot<'_>,
        trees: &InstallTrees,
        target: &AppliedProject<'_>,
    ) -> Result<()> {
        let writer = StateWriter { input: self.input };
        let AppliedProject {
            lockfile,
            texts,
            directories,
        } = *target;
        let root = &self.input.workspace.root;
        let mut next = ProjectState {
            // With `--locked` an edited member is installed with other content than the lockfile
            // has: the next command must not take the fast path.
            inputs: if *lockfile == self.input.old || !self.input.options.locked {
                Some(writer.next_inputs_digest(texts)?)
            } else {
                None
            },
            ..ProjectState::default()
        };
        // The next command compares a package in a directory by its stamp, instead of reading it.
        next.sources = writer.path_stamps(lockfile)?;
        next.made.clone_from(&before.state.made);

        let records = next_records(plan, lockfile, before, trees);
        let rebased = rebased_steps(plan, before, &records);

        // An edit that becomes one of the new version can be undone, although no file changes.
        let is_decided = |(place, action): (&InstallTarget, &PlanAction)| {
            let next = records.get(place).map(|record| record.checksum);
            *action == PlanAction::KeepEdited && next != before.present[place].base
        };

        let is_unchanged = !plan.values().any(changes_disk) && !plan.iter().any(is_decided);
        // Only the state changes: without a transaction there is nothing to undo.
        if is_unchanged && texts.is_empty() {
            writer.record_all(plan, records, before, BTreeMap::new(), &mut next)?;
            next.remove_empty_dirs(root, directories);
            if next != *before.state {
                writer.try_save_state(&next);
            }
            return Ok(());
        }

        let mut changes = Transaction::begin(&self.input.state_dir())?;
        let mut written = BTreeMap::new();
        for (place, action) in plan {
            let path = place.path(root);

            // The stamp makes the transaction fail if the user edits the skill meanwhile.
            let unchanged = before.stamps.get(place).cloned();
            let mut put =
                |changes: &mut Transaction, path: &Path, unchanged| match &before.wanted[place] {
                    TargetContent::Tree(_) => {
                        written.insert(place, changes.put_tree(path, trees.get(place), unchanged)?);
                        Ok(())
                    }
                    TargetContent::Link(target) => changes.put_link(path, target, unchanged),
                };

            match action {
                PlanAction::Create => put(&mut changes, &path, None),
                PlanAction::Replace | PlanAction::Merge | PlanAction::CarryEdits => {
                    put(&mut changes, &path, unchanged)
                }
                // Moved to the backup first, so that the path is free.
                PlanAction::ReplaceWithBackup => changes
                    .back_up(&path, &self.backup_name(place))
                    .and_then(|()| put(&mut changes, &path, None)),
                PlanAction::CarryAndRemove if before.wanted.contains_key(place) => {
                    put(&mut changes, &path, unchanged)
                }
                PlanAction::Remove | PlanAction::CarryAndRemove => changes.remove(&path, unchanged),
                PlanAction::RemoveWithBackup => changes.back_up(&path, &self.backup_name(place)),
                PlanAction::Keep
                | PlanAction::KeepEdited
                | PlanAction::Leave
                | PlanAction::Forget => Ok(()),
            }
            .map_err(|error| error.wrap(format!("failed to install `{}`", place.name)))?;
        }

        next.made
            .extend(self.made_directories(&changes, directories));
        let mut steps = undo_steps(plan, before, trees);

        steps.extend(self.adopted_steps(plan, before));
        steps.extend(rebased);
        // `import` has its own undo entry; both are combined, so that one `undo` reverts both.
        if let Some(made) = &self.input.request.adopted.made {
            steps.extend_from_slice(&made.steps);
            next.made.extend(made.directories.iter().cloned());
            changes.remove(&made.file, None)?;
        }

        // Skills, texts and undo entry are one transaction.
        writer.write_texts(&mut changes, texts)?;
        writer.write_undo(&mut changes, steps, texts)?;
        let saved = changes.saved().to_vec();

        changes.commit()?;
        self.report_saved(&saved);

        writer.remove_empty_dirs(texts);
        undo::prune_entries(&self.input.state_dir())?;
        // The state is a cache, written last: if the process is killed before, the next command
        // reads all skills again.
        writer.record_all(plan, records, before, written, &mut next)?;
        next.remove_empty_dirs(root, directories);
        writer.try_save_state(&next);
        Ok(())
    }

    /// Undo steps of skills that are adopted unchanged, so that undoing leaves their files alone.
    fn adopted_steps(&self, plan: &Plan, before: &InstalledSnapshot<'_>) -> Vec<UndoStep> {
        let is_new = |place: &InstallTarget| {
            let was_guessed =
                before.present[place].base.is_some() && before.state.targets.is_empty();
            let is_adopted = self
                .input
                .request
                .adopted
                .places
                .contains_key(&(place.target.clone(), place.name.clone()));
            before
                .state
                .installed_skill(&place.target, &place.name)
                .is_none()
                && (is_adopted || !was_guessed)
        };

        let stays = plan
            .iter()
            .filter(|(_, action)| matches!(action, PlanAction::Keep | PlanAction::KeepEdited));

        let step = |(place, _): (&InstallTarget, &PlanAction)| {
            let content = UndoContent::from(&before.present[place].on_disk);
            UndoStep::unchanged(&place.target, &place.name, &content)
        };

        stays.filter(|(place, _)| is_new(place)).map(step).collect()
    }

    /// Reports where files are saved that the user had added to a removed skill.
    fn report_saved(&self, saved: &[SavedFile]) {
        let state_dir = self.input.state_dir();
        for file in saved {
            let place = display_path(&state_dir, &file.place);
            let message = format!("`{place}` was not part of the removed skill");
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

    /// The directories above skills that a transaction created, as the state records them.
    fn made_directories(&self, changes: &Transaction, directories: &[PathBuf]) -> Vec<PathBuf> {
        let root = &self.input.workspace.root;
        let is_above_skills = |made: &Path| {
            directories
                .iter()
                .any(|target| root.join(target).starts_with(made))
        };

        let made = changes
            .created_dirs()
            .iter()
            .filter(|made| is_above_skills(made));
        made.map(|made| made.strip_prefix(root).unwrap_or(made).to_owned())
            .collect()
    }

    /// Stores the skills that are replaced or removed, so that `undo` can restore them.
    fn store_replaced(
        &self,
        store: &Store,
        plan: &Plan,
        present: &BTreeMap<InstallTarget, InstalledState>,
    ) -> Result<()> {
        for (place, _) in plan.iter().filter(|(_, action)| changes_disk(action)) {
            // A tree that the store has is not written again.
            if let OnDisk::Tree(checksum) = &present[place].on_disk
                && !store.contains(checksum)?
            {
                store.put_own(&disk::read_tree(&place.path(&self.input.workspace.root))?)?;
            }
        }
        Ok(())
    }

    fn backup_name(&self, place: &InstallTarget) -> PathBuf {
        // With its target: a skill may be edited in several.
        let target = place.target.strip_prefix("/").unwrap_or(&place.target);
        let name = |stamp: &str| Path::new(stamp).join(target).join(place.name.as_str());
        let now = self.input.context.now.to_string();

        let is_taken = |name: &Path| {
            let kept = self.input.workspace.state_dir.join("backup").join(name);
            disk::lstat(&kept).is_ok_and(|found| found.is_some())
        };

        // Two commands may run in the same second.
        let later = (2..).map(|count| name(&format!("{now}-{count}")));
        std::iter::once(name(&now))
            .chain(later)
            .find(|name| !is_taken(name))
            .expect("there is always another number")
    }
}

/// Combines merges of saved edits and of edits on disk; for a skill with both, only the latter are
/// kept.
fn combine_merges(saved: Vec<SkillMerge>, mut on_disk: Vec<SkillMerge>) -> Vec<SkillMerge> {
    let is_repeated = |merge: &SkillMerge| on_disk.iter().any(|other| other.name == merge.name);
    let saved: Vec<SkillMerge> = saved
        .into_iter()
        .filter(|merge| !is_repeated(merge))
        .collect();
    on_disk.splice(0..0, saved);
    on_disk
}

/// The undo steps of a plan.
fn undo_steps(plan: &Plan, before: &InstalledSnapshot<'_>, trees: &InstallTrees) -> Vec<UndoStep> {
    let step = |(place, action): (&InstallTarget, &PlanAction)| {
        let present = &before.present[place];
        let after = match (action, before.wanted.get(place)) {
            (PlanAction::Remove | PlanAction::RemoveWithBackup, _) | (_, None) => {
                UndoContent::Nothing
            }
            (_, Some(TargetContent::Link(target))) => UndoContent::Link(target.clone()),
            (_, Some(TargetContent::Tree(_))) => {
                UndoContent::Tree(Checksum::from_tree(trees.get(place)))
            }
        };

        let step = UndoStep::unchanged(
            &place.target,
            &place.name,
            &UndoContent::from(&present.on_disk),
        );
        UndoStep {
            after,
            base: present.base,
            edited: before.edited_checksum(place),
            ..step
        }
    };

    plan.iter()
        .filter(|(_, action)| changes_disk(action))
        .map(step)
        .collect()
}

/// Undo steps of skills that stay unchanged, but whose base in the state changes, as when edits
/// become part of the lockfile. Undoing must restore the old base, or the edits would count as
/// installed content.
fn rebased_steps(
    plan: &Plan,
    before: &InstalledSnapshot<'_>,
    records: &BTreeMap<&InstallTarget, InstalledSkill>,
) -> Vec<UndoStep> {
    let is_rebased = |(place, action): &(&InstallTarget, &PlanAction)| {
        let known = (before.present[place].base, before.edited_checksum(place));
        let next = records
            .get(place)
            .map(|record| (Some(record.checksum), record.edited));
        // A skill without a base was never skillpm's: there is nothing to restore.
        !changes_disk(action) && known.0.is_some() && next.is_some_and(|next| next != known)
    };

    let step = |(place, _): (&InstallTarget, &PlanAction)| {
        let present = &before.present[place];
        let step = UndoStep::unchanged(
            &place.target,
            &place.name,
            &UndoContent::from(&present.on_disk),
        );
        UndoStep {
            base: present.base,
            edited: before.edited_checksum(place),
            ..step
        }
    };

    plan.iter().filter(is_rebased).map(step).collect()
}

/// The new state of each target, without stamps.
fn next_records<'p>(
    plan: &'p Plan,
    lockfile: &Lockfile,
    before: &InstalledSnapshot<'_>,
    trees: &InstallTrees,
) -> BTreeMap<&'p InstallTarget, InstalledSkill> {
    let record = |(place, action): (&'p InstallTarget, &PlanAction)| {
        let locked = InstalledSkill::without_stamp(lockfile.installed_as(&place.name)?.checksum);
        let link = match before.wanted.get(place)? {
            TargetContent::Link(link) => Some(link.clone()),
            TargetContent::Tree(_) => None,
        };

        let own = trees
            .own
            .get(place)
            .map(Checksum::from_tree)
            .filter(|own| *own != locked.checksum);

        let record = match action {
            PlanAction::Remove | PlanAction::RemoveWithBackup | PlanAction::Forget => return None,
            // The base is what is locked now. The edited checksum shows later which copy the user
            // edited last.
            PlanAction::KeepEdited if before.has_copies(&place.name) => InstalledSkill {
                edited: before.present[place].tree(),
                ..locked
            },
            // The user replaced the link, which stays recorded as a link.
            PlanAction::Leave => InstalledSkill {
                link: before.present[place].link.clone(),
                ..locked
            },
            PlanAction::KeepEdited => locked,
            _ => InstalledSkill {
                link,
                edited: own,
                ..locked
            },
        };
        Some((place, record))
    };

    plan.iter().filter_map(record).collect()
}

/// Whether an action changes files.
fn changes_disk(action: &PlanAction) -> bool {
    !matches!(
        action,
        PlanAction::Keep | PlanAction::KeepEdited | PlanAction::Leave | PlanAction::Forget
    )
}

fn is_stamp_current(record: &InstalledSkill, path: &Path) -> bool {
    record
        .stamp
        .as_ref()
        .is_some_and(|stamp| stamp.is_current(path))
}

fn inspect_place(
    path: &Path,
    record: Option<&InstalledSkill>,
) -> Result<(OnDisk, Option<TreeStamp>)> {
    let is_link = disk::lstat(path)?.is_some_and(|meta| meta.is_symlink());
    // With an equal stamp the skill need not be read.
    if let Some(record) = record.filter(|record| !is_link && is_stamp_current(record, path)) {
        return Ok((OnDisk::Tree(record.checksum), record.stamp.clone()));
    }

    // Taken before reading: changes during the read must show later.
    let stamp = disk::stamp_tree(path)?;
    Ok((inspect_path(path)?, stamp))
}

/// The content of a path.
pub(crate) fn inspect_path(path: &Path) -> Result<OnDisk> {
    Ok(match disk::lstat(path)? {
        None => OnDisk::Nothing,
        Some(meta) if meta.is_symlink() => OnDisk::Link(disk::read_link(path)?),
        Some(meta) if !meta.is_dir() => OnDisk::Other("a file".into()),
        Some(_) => match disk::read_tree(path) {
            Ok(tree) => OnDisk::Tree(Checksum::from_tree(&tree)),
            // A read error: whether the skill was edited is unknown.
            Err(error) if error.kind() == FailureKind::Disk => return Err(error),
            Err(error) => OnDisk::Other(error.message().to_owned()),
        },
    })
}

/// Every target of a lockfile's packages.
fn locked_places(
    directories: &[PathBuf],
    lockfile: &Lockfile,
) -> BTreeMap<InstallTarget, Checksum> {
    let places = directories.iter().flat_map(|target| {
        let place = |locked: &LockedPackage| InstallTarget {
            target: target.clone(),
            name: locked.install_name().clone(),
        };
        lockfile
            .packages()
            .iter()
            .map(move |locked| (place(locked), locked.checksum))
    });
    places.collect()
}

/// The paths with an action, relative to the project.
fn places_with<'p>(plan: &'p Plan, done: &'p PlanAction) -> impl Iterator<Item = PathBuf> + 'p {
    plan.iter()
        .filter(move |(_, action)| *action == done)
        .map(|(place, _)| place.path(Path::new("")))
}

/// The paths from which skills are removed that stay in other targets.
fn cleared_places(
    plan: &Plan,
    wanted: &BTreeMap<InstallTarget, TargetContent>,
    lockfile: &Lockfile,
) -> Vec<PathBuf> {
    let is_removed = |action: &PlanAction| {
        matches!(
            action,
            PlanAction::Remove | PlanAction::RemoveWithBackup | PlanAction::CarryAndRemove
        )
    };

    let is_cleared = |place: &InstallTarget| {
        !wanted.contains_key(place) && lockfile.installed_as(&place.name).is_some()
    };
    let cleared = plan
        .iter()
        .filter(|(place, action)| is_removed(action) && is_cleared(place));
    cleared
        .map(|(place, _)| place.path(Path::new("")))
        .collect()
}

/// The unchanged skills, each once.
fn kept_skills(plan: &Plan) -> Vec<SkillName> {
    let kept = plan
        .iter()
        .filter(|(_, action)| **action == PlanAction::Keep)
        .map(|(place, _)| place.name.clone());
    kept.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The changes of a plan, by skill.
fn skill_changes(plan: &Plan, old: &Lockfile, new: &Lockfile) -> Vec<SkillChange> {
    // A skill with several copies is reported once.
    let mut reported = BTreeSet::new();
    let mut changes = Vec::new();
    for (place, action) in plan {
        let (before, after) = (old.installed_as(&place.name), new.installed_as(&place.name));
        let change = match (action, before, after) {
            (
                PlanAction::Create
                | PlanAction::Replace
                | PlanAction::ReplaceWithBackup
                | PlanAction::Merge,
                before,
                Some(after),
            ) => match before {
                Some(before) if before.checksum != after.checksum => {
                    SkillChange::Updated(before.clone().into(), after.clone().into())
                }
                // A merge is reported separately, file by file.
                Some(_) if *action == PlanAction::Merge => continue,
                // The lockfile entry did not change: the copy was damaged, edited or missing.
                Some(_) if *action != PlanAction::Create => {
                    SkillChange::Restored(after.clone().into())
                }
                _ => SkillChange::Installed(after.clone().into()),
            },
            // A skill that stays in other targets is reported by `cleared_places`.
            (PlanAction::Remove | PlanAction::RemoveWithBackup, _, None) => {
                SkillChange::Removed(place.name.clone())
            }
            _ => continue,
        };

        if reported.insert(&place.name) {
            changes.push(change);
        }
    }

    changes
}
