//! The second half of a sync: plan → fetch → one transaction → the state.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::apply::{AppliedProject, PlanApplier};
use super::contents::{ContentPlanner, convert_fetched};
use super::edits::EditMerger;
use super::planned::{InstallTrees, changes_disk};
use super::resolution::LockResolution;
use super::security::SecurityChecker;
use super::snapshot::{InstalledSnapshot, SnapshotReader};
use super::state_writer::{StateWriter, includes_lockfile};
use super::{
    AgentReload, ClearedCopy, ConvertedCopy, EditedCopy, LeftCopy, SkillChange, SkillMerge,
    SyncInput, SyncReport, written_names,
};
use crate::fetch::{self, PackageFetcher};
use crate::gate::{GatedTree, InstallGate};
use crate::hidden_skills;
use crate::targets::{self, TargetDirectory};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::{Checksum, SkillName, Tree};
use skillpm_core::report::ProgressEvent;
use skillpm_core::skill::{SkillFormat, formats};
use skillpm_io::disk;
use skillpm_io::local_files::InstalledReader;
use skillpm_registry::bundled;
use skillpm_registry::install::plan::{
    ForceMode, InstallTarget, InstalledState, OnDisk, Plan, PlanAction, TargetContent, compute_plan,
};
use skillpm_registry::install::state::ProjectState;
use skillpm_registry::install::undo::UndoText;
use skillpm_registry::store::Store;
use skillpm_registry::workspace::WorkspaceKind;

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
        let input = self.input;
        let directories =
            targets::directories_with_readers(input.context, input.workspace, &input.manifest)?;
        // Refusals first: they save fetching.
        targets::refuse_blocked(&input.workspace.root, &directories)?;
        self.refuse_shadowing(&resolution.lockfile)?;
        let installed = resolution.lockfile.packages();
        hidden_skills::warn_of_shared(
            input.context,
            input.workspace,
            &input.manifest,
            &directories,
            &mut installed.iter().map(LockedPackage::install_name),
        )?;

        // Asked only where an installed skill differs: line ends that git converted in a clone are known from its package.
        // One that cannot be fetched stays unknown, so that later readings agree with the first.
        let absent: Mutex<BTreeSet<Checksum>> = Mutex::default();
        let stored = |checksum: &Checksum| {
            let absent = || absent.lock().unwrap_or_else(PoisonError::into_inner);
            if absent().contains(checksum) {
                return None;
            }
            let found = fetcher.store.get(checksum, input.reporter()).ok().flatten();
            let found = found.or_else(|| fetch_locked(&input.old, checksum, fetcher));
            if found.is_none() {
                absent().insert(*checksum);
            }
            found
        };
        let mut installed = InstalledReader::new(&input.workspace.root, &stored);
        // `install --force` restores the bytes of the lockfile.
        if input.options.force == ForceMode::Restore {
            installed = installed.comparing_line_ends();
        }
        let planner = ContentPlanner {
            input,
            state,
            directories: &directories,
            installed,
        };
        let mut before = read_snapshot(&planner, fetcher, &mut resolution)?;
        let mut plan = self.plan_changes(&before, installed)?;
        self.report_shared(&plan, &before);

        let locked = self.fetch_trees(fetcher, &before, &plan, &mut resolution)?;
        let mut upstream = convert_fetched(&plan, &mut before, locked, &resolution.lockfile)?;
        // After fetching, when the indexes are current; before any write.
        SecurityChecker { input }.check_security(fetcher.sources, &resolution.lockfile, &plan)?;

        let edit_outcome = EditMerger { input, installed }.resolve_edits(
            &mut plan,
            &mut before,
            fetcher,
            &mut upstream,
            &mut resolution,
        )?;
        let texts = StateWriter { input }.changed_texts(&resolution)?;
        let mut report = self.report_changes(
            &plan,
            &before,
            &mut resolution,
            &texts,
            edit_outcome.merges,
            &directories,
        );

        report.converted = converted_copies(&plan, &before);
        report.reloads = needed_reloads(&plan, &directories);

        if !input.options.dry_run {
            let trees = InstallTrees {
                upstream,
                own: edit_outcome.trees,
                modes: edit_outcome.modes,
            };
            let project = AppliedProject {
                lockfile: &resolution.lockfile,
                texts: &texts,
                directories: &directories,
                installed,
            };
            self.apply_plan(fetcher.store, &plan, &before, &trees, project)?;
        }

        Ok(report)
    }

    fn apply_plan(
        &self,
        store: &Store,
        plan: &Plan,
        before: &InstalledSnapshot<'_>,
        trees: &InstallTrees,
        project: AppliedProject<'_>,
    ) -> Result<()> {
        let applier = PlanApplier {
            input: self.input,
            plan,
            before,
            trees,
            project,
            line_ends: RefCell::default(),
        };

        // In the store before the transaction begins: `undo` restores replaced skills from there.
        applier.store_replaced(store)?;
        applier.apply()
    }

    /// With `policy.deny-shadowing`, a skill of the project may not shadow one of the user's own or
    /// a bundled one.
    fn refuse_shadowing(&self, lockfile: &Lockfile) -> Result<()> {
        let input = self.input;
        let by = crate::catalog::deny_shadowing(input.context, Some(&input.manifest));
        // In the managed directory itself a skill is not shadowed, but installed.
        let Some(by) = by.filter(|_| input.workspace.kind != WorkspaceKind::Managed) else {
            return Ok(());
        };

        let managed = input.context.config.string("managed.dir");
        let managed = input.context.expand_path(&managed.unwrap_or_default());

        for name in lockfile.packages().iter().map(LockedPackage::install_name) {
            let Some(shadowed) = find_shadowed(&managed, name)? else {
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

    fn plan_changes(
        &self,
        before: &InstalledSnapshot<'_>,
        installed: InstalledReader<'_>,
    ) -> Result<Plan> {
        let plan = compute_plan(&before.wanted, &before.present, |name| {
            self.input.force_at(name)
        })
        .map_err(|error| self.note_edited_files(error, &before.present, installed))?;
        self.refuse_edits_if_locked(&plan)?;
        Ok(plan)
    }

    /// Reports the skills that are removed here, and stay for the other scope.
    fn report_shared(&self, plan: &Plan, before: &InstalledSnapshot<'_>) {
        let forgotten = before.present.iter().filter(|(place, present)| {
            present.base.is_some() && plan.get(*place) == Some(&PlanAction::Forget)
        });
        for (place, present) in forgotten {
            if let Some(owner) = present.shared_with() {
                let path = place.path(Path::new(""));
                self.input.reporter().report(ProgressEvent::Done {
                    verb: "Kept",
                    what: format!("`{}`, which belongs to {owner}, too", path.display()),
                });
            }
        }
    }

    /// Adds the edited files to an error about edited skills, if the store still has the installed
    /// trees.
    fn note_edited_files(
        &self,
        error: Error,
        present: &BTreeMap<InstallTarget, InstalledState>,
        installed: InstalledReader<'_>,
    ) -> Error {
        // The store only adds detail to an error that is reported in any case.
        let Ok(store) = self.input.store() else {
            return error;
        };

        let notes: Vec<String> = present
            .iter()
            .filter(|(place, _)| error.message().contains(place.name.as_str()))
            .filter_map(|(place, present)| self.describe_edits(place, present, &store, installed))
            .collect();
        notes.into_iter().fold(error, Error::note)
    }

    /// The name of an edited skill with its edited files; `None` if it was not edited, or they are
    /// not known.
    fn describe_edits(
        &self,
        place: &InstallTarget,
        present: &InstalledState,
        store: &Store,
        reader: InstalledReader<'_>,
    ) -> Option<String> {
        let locked = self.input.old.installed_as(&place.name)?;
        if present.base != Some(locked.checksum) || present.on_disk == OnDisk::Tree(locked.checksum)
        {
            return None;
        }

        let installed = self
            .input
            .patch_files
            .installed_from_store(locked, store, self.input.reporter())
            .ok()??;
        let path = place.path(&self.input.workspace.root);
        let found = reader.read(&path, present.base.as_ref()).ok()?;
        let drift = installed.diff(&found.tree);

        let paths: Vec<String> = drift
            .changed
            .iter()
            .chain(&drift.added)
            .chain(&drift.missing)
            .map(ToString::to_string)
            .collect();
        Some(format!("`{}`: {}", place.name, paths.join(", ")))
    }

    fn refuse_edits_if_locked(&self, plan: &Plan) -> Result<()> {
        // With `--locked` these would stay as they are, other than the lockfile says.
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
        .help("to see the differences, run `skillpm verify`"))
    }

    /// Fetches the trees that the plan needs, and checks new packages with the gate.
    fn fetch_trees(
        &self,
        fetcher: PackageFetcher<'_, '_>,
        before: &InstalledSnapshot<'_>,
        plan: &Plan,
        resolution: &mut LockResolution,
    ) -> Result<BTreeMap<SkillName, Tree>> {
        let options = self.input.options;
        let gate = InstallGate::from_policies(
            self.input.context,
            &self.input.manifest.policy,
            options.high,
        )?;

        let new_packages = self.new_packages(&resolution.lockfile, before.state, plan);
        let present = self.present_trees(&resolution.lockfile, before, plan)?;
        let needed = self.needed_names(plan, &new_packages);
        if needed.is_empty() && present.is_empty() && options.dry_run {
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
        let new_trees = new_packages.iter().filter_map(|package| {
            let tree = trees.get(package.install_name())?;
            Some(GatedTree { package, tree })
        });
        // What is there is often the package itself.
        let others = present.iter().filter(|(package, tree)| {
            !(new_packages.contains(package) && trees.get(package.install_name()) == Some(tree))
        });
        let others = others.map(|(package, tree)| GatedTree { package, tree });
        let gated: Vec<GatedTree<'_>> = new_trees.chain(others).collect();
        let passed = gate.check_packages(&gated, fetcher.store, self.input.reporter())?;
        drop(present);
        if !options.locked && !passed.is_empty() {
            resolution.lockfile = with_allowed_findings(&resolution.lockfile, &passed);
        }

        self.input.reporter().report(ProgressEvent::Fetched);
        Ok(trees)
    }

    /// The install names of the packages whose trees a command needs.
    fn needed_names<'n>(
        &self,
        plan: &'n Plan,
        new_packages: &[&'n LockedPackage],
    ) -> BTreeSet<&'n SkillName> {
        // A dry run needs the trees that are merged or have to pass the gate, too.
        let is_needed = |action: &PlanAction| match action {
            PlanAction::Merge | PlanAction::CarryAndRemove => true,
            action => action.writes_package() && !self.input.options.dry_run,
        };

        plan.iter()
            .filter(|(_, action)| is_needed(action))
            .map(|(place, _)| &place.name)
            .chain(new_packages.iter().map(|locked| locked.install_name()))
            .collect()
    }

    /// The packages to install or adopt that are new on this machine, except the project's own
    /// members: they have to pass the gate.
    fn new_packages<'l>(
        &self,
        lockfile: &'l Lockfile,
        state: &ProjectState,
        plan: &Plan,
    ) -> Vec<&'l LockedPackage> {
        let adopted = self.input.request.adopted.places.keys();
        let written: BTreeSet<&SkillName> = written_names(plan)
            .into_iter()
            .chain(adopted.map(|(_, name)| name))
            .collect();
        // Packages that are installed already have passed the gate before.
        let has = |locked: &LockedPackage| {
            let mut records = state
                .targets
                .values()
                .filter_map(|names| names.get(locked.install_name()));
            records.any(|record| record.package_checksum() == locked.checksum)
        };
        let is_new = |locked: &&LockedPackage| {
            written.contains(locked.install_name()) && !self.input.is_member(locked) && !has(locked)
        };

        lockfile.packages().iter().filter(is_new).collect()
    }

    /// The skills that stay as they are without a record that this user installed them: those that
    /// came with a clone, and those that `import` adopts. Each content once.
    fn present_trees<'l>(
        &self,
        lockfile: &'l Lockfile,
        before: &InstalledSnapshot<'_>,
        plan: &Plan,
    ) -> Result<Vec<(&'l LockedPackage, Tree)>> {
        let mut found = Vec::new();
        if !self.input.options.checks_present {
            return Ok(found);
        }

        let mut seen = BTreeSet::new();
        for (place, action) in plan {
            let stays = matches!(action, PlanAction::Keep | PlanAction::KeepEdited);
            let is_recorded = before
                .state
                .installed_skill(&place.target, &place.name)
                .is_some();
            let checksum = before.present.get(place).and_then(InstalledState::tree);
            let (true, false, Some(checksum)) = (stays, is_recorded, checksum) else {
                continue;
            };

            let locked = lockfile.installed_as(&place.name);
            let Some(locked) = locked.filter(|locked| !self.input.is_member(locked)) else {
                continue;
            };
            if seen.insert((&place.name, checksum)) {
                let tree = disk::read_tree(&place.path(&self.input.workspace.root))?;
                found.push((locked, tree));
            }
        }
        Ok(found)
    }

    /// Reports the changes of a plan; takes those of patch files out of the resolution.
    fn report_changes(
        &self,
        plan: &Plan,
        before: &InstalledSnapshot<'_>,
        resolution: &mut LockResolution,
        texts: &[UndoText],
        merges: Vec<SkillMerge>,
        directories: &[TargetDirectory],
    ) -> SyncReport {
        // Taken after the texts are known, which are made from them.
        let updates = std::mem::take(&mut resolution.patch_updates);
        let lockfile = &resolution.lockfile;

        let mut report = SyncReport {
            changes: skill_changes(plan, &self.input.old, lockfile),
            packages: lockfile.packages().len(),
            lock_changed: includes_lockfile(texts),
            up_to_date: false,
            dry_run: self.input.options.dry_run,
            kept: kept_skills(plan),
            edited: edited_copies(plan, before),
            left: left_copies(plan, before),
            cleared: cleared_copies(plan, &before.wanted, lockfile, directories),
            merges: combine_merges(updates.merges, merges),
            carried: places_with(plan, &PlanAction::CarryEdits).collect(),
            patched: updates.patched,
            // A sync takes the targets as they are.
            ..SyncReport::default()
        };

        report.up_to_date = report.changes.is_empty()
            && report.carried.is_empty()
            && report.cleared.is_empty()
            && texts.is_empty();
        report
    }
}

/// Fetches the locked package with a checksum; `None` if there is none, or if it cannot be fetched.
fn fetch_locked(
    lockfile: &Lockfile,
    checksum: &Checksum,
    fetcher: PackageFetcher<'_, '_>,
) -> Option<Tree> {
    let mut packages = lockfile.packages().iter();
    let package = packages.find(|package| package.checksum == *checksum)?;
    let mut trees = fetch::fetch(&[package], &mut BTreeMap::new(), fetcher).ok()?;
    trees.remove(package.install_name())
}

/// Decides the content of every target, and reads what is there.
fn read_snapshot<'s>(
    planner: &ContentPlanner<'s>,
    fetcher: PackageFetcher<'_, '_>,
    resolution: &mut LockResolution,
) -> Result<InstalledSnapshot<'s>> {
    let contents = planner.plan_contents(fetcher, resolution)?;
    let bases = planner.guess_bases(&contents, &resolution.lockfile, fetcher.store);

    let reader = SnapshotReader {
        input: planner.input,
        state: planner.state,
        directories: planner.directories,
        installed: planner.installed,
    };
    reader.read_installed(contents, &bases)
}

/// The skill that a skill of this name would shadow, described: a managed or a bundled one.
fn find_shadowed(managed: &Path, name: &SkillName) -> Result<Option<String>> {
    let own = managed.join(name.as_str());
    // An empty directory of that name is not a skill.
    let files = disk::list_names(&own)?;
    if formats::detect_format(&|file| files.iter().any(|name| name == file)).is_some() {
        return Ok(Some(format!("`{}`", own.display())));
    }

    let mut bundled = bundled::SKILLS.iter();
    Ok(bundled
        .any(|skill| skill.name == name.as_str())
        .then(|| "a bundled skill".to_owned()))
}

/// The lockfile with the findings that the gate allowed.
fn with_allowed_findings(
    lockfile: &Lockfile,
    passed: &BTreeMap<SkillName, BTreeSet<&str>>,
) -> Lockfile {
    let packages = lockfile.packages().iter();
    let changed = packages.map(|locked| {
        let new = passed.get(locked.install_name());
        add_allowed_findings(locked, new.into_iter().flatten())
    });
    Lockfile::new(changed.collect())
}

fn add_allowed_findings<'c>(
    locked: &LockedPackage,
    new: impl Iterator<Item = &'c &'c str>,
) -> LockedPackage {
    let new = new.map(|code| (*code).to_owned());
    let all: BTreeSet<String> = locked.allowed_findings.iter().cloned().chain(new).collect();

    LockedPackage {
        allowed_findings: all.into_iter().collect(),
        ..locked.clone()
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

/// The paths with an action, relative to the project.
fn places_with<'p>(plan: &'p Plan, done: &'p PlanAction) -> impl Iterator<Item = PathBuf> + 'p {
    plan.iter()
        .filter(move |(_, action)| *action == done)
        .map(|(place, _)| place.path(Path::new("")))
}

/// What is left alone at the paths of skills.
fn left_copies(plan: &Plan, before: &InstalledSnapshot<'_>) -> Vec<LeftCopy> {
    let left = plan
        .iter()
        .filter(|(_, action)| **action == PlanAction::Leave);
    let why = |place: &InstallTarget| match &before.present[place] {
        InstalledState {
            on_disk: OnDisk::Other(why),
            link: None,
            ..
        } => Some(why.clone()),
        _ => None,
    };
    left.map(|(place, _)| LeftCopy {
        place: place.path(Path::new("")),
        why: why(place),
    })
    .collect()
}

/// The copies that stay as the user edited them.
fn edited_copies(plan: &Plan, before: &InstalledSnapshot<'_>) -> Vec<EditedCopy> {
    let copy = |place: &InstallTarget| EditedCopy {
        place: place.path(Path::new("")),
        is_converted: before
            .wanted
            .get(place)
            .is_some_and(|content| content.converted_to().is_some()),
    };
    plan.iter()
        .filter(|(_, action)| **action == PlanAction::KeepEdited)
        .map(|(place, _)| copy(place))
        .collect()
}

/// The copies that are removed of skills that stay in other targets.
fn cleared_copies(
    plan: &Plan,
    wanted: &BTreeMap<InstallTarget, TargetContent>,
    lockfile: &Lockfile,
    directories: &[TargetDirectory],
) -> Vec<ClearedCopy> {
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
    let is_hidden = |place: &InstallTarget| {
        directories
            .iter()
            .any(|directory| directory.path == place.target && directory.hides(&place.name))
    };
    cleared
        .map(|(place, _)| ClearedCopy {
            place: place.path(Path::new("")),
            is_hidden: is_hidden(place),
        })
        .collect()
}

/// The copies that a plan writes in another format than their package's.
fn converted_copies(plan: &Plan, before: &InstalledSnapshot<'_>) -> Vec<ConvertedCopy> {
    let copy = |place: &InstallTarget| {
        Some(ConvertedCopy {
            place: place.path(Path::new("")),
            to: before.wanted.get(place)?.converted_to()?,
        })
    };
    plan.iter()
        .filter(|(_, action)| action.writes_package())
        .filter_map(|(place, _)| copy(place))
        .collect()
}

/// The agents that do not notice by themselves what a plan changes.
fn needed_reloads(plan: &Plan, directories: &[TargetDirectory]) -> Vec<AgentReload> {
    let is_changed = |directory: &TargetDirectory| {
        plan.iter()
            .any(|(place, action)| place.target == directory.path && changes_disk(action))
    };
    directories
        .iter()
        .filter(|directory| is_changed(directory))
        .flat_map(|directory| &directory.readers)
        .filter(|reader| reader.format == SkillFormat::Devai)
        .map(|reader| AgentReload {
            agent: reader.display_name.clone(),
            // Devai loads its skills when it starts, and when this tool is called.
            tool: "skill_reload",
        })
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
        if let Some(change) = skill_change(&place.name, action, before, after)
            && reported.insert(&place.name)
        {
            changes.push(change);
        }
    }

    // What is on disk may be what is locked by now: an edit that was kept is part of it.
    let updated = new.packages().iter().filter_map(|after| {
        let name = after.install_name();
        let before = old.installed_as(name)?;
        let is_moved = before.path != after.path && before.revision() != after.revision();
        let is_other = is_moved
            || before.version != after.version
            || before.upstream_checksum() != after.upstream_checksum();
        // Last, as it goes through the whole plan.
        let is_planned = || plan.keys().any(|place| place.name == *name);
        (is_other && !reported.contains(name) && is_planned())
            .then(|| SkillChange::Updated(before.clone().into(), after.clone().into()))
    });
    changes.extend(updated);
    changes
}

/// The change of a skill that an action makes, with its lockfile entries before and after.
fn skill_change(
    name: &SkillName,
    action: &PlanAction,
    before: Option<&LockedPackage>,
    after: Option<&LockedPackage>,
) -> Option<SkillChange> {
    match (action, before, after) {
        (
            PlanAction::Create
            | PlanAction::Replace
            | PlanAction::ReplaceWithBackup
            | PlanAction::Merge,
            before,
            Some(after),
        ) => match before {
            Some(before) if before.checksum != after.checksum => Some(SkillChange::Updated(
                before.clone().into(),
                after.clone().into(),
            )),
            // A merge is reported separately, file by file.
            Some(_) if *action == PlanAction::Merge => None,
            // The lockfile entry did not change: the copy was damaged, edited or missing.
            Some(_) if *action != PlanAction::Create => {
                Some(SkillChange::Restored(after.clone().into()))
            }
            _ => Some(SkillChange::Installed(after.clone().into())),
        },
        // A skill that stays in other targets is reported by `cleared_copies`.
        (PlanAction::Remove | PlanAction::RemoveWithBackup, _, None) => {
            Some(SkillChange::Removed(name.clone()))
        }
        _ => None,
    }
}
