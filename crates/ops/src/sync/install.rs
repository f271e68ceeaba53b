//! The second half of the spine: plan → fetch → one transaction → the state.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::decide::Decided;
use super::edits::Merge;
use super::{Change, Job, Synced, inputs};
use crate::bundled;
use crate::error::{Error, Kind, Result};
use crate::install::plan::{Action, Content, Found, Place, Plan, Present, plan};
use crate::install::state::{Record, State};
use crate::install::transaction::{SavedFile, Transaction};
use crate::install::undo::{self, Entry, Step, Text, Thing};
use crate::io::disk::{self, Stamp};
use crate::lockfile::{Locked, Lockfile};
use crate::manifest::{self, Link, edit};
use crate::ops::fetch::{self, Stock};
use crate::ops::gate::Gate;
use crate::ops::interrupted::seen_from_project;
use crate::ops::patch_files::{PatchFile, PatchFiles};
use crate::ops::targets;
use crate::package::{Checksum, Sha256, SkillName, SourceId, Tree};
use crate::report::Event;
use crate::skill::formats;
use crate::store::Store;
use crate::workspace::Sort;

/// The lockfile with what the gate let through.
fn with_passed(lockfile: &Lockfile, passed: &BTreeMap<SkillName, BTreeSet<&str>>) -> Lockfile {
    let more = |locked: &Locked| {
        let new = passed.get(locked.install_name()).into_iter().flatten().map(|code| (*code).to_owned());
        let all: BTreeSet<String> = locked.allowed_findings.iter().cloned().chain(new).collect();
        Locked { allowed_findings: all.into_iter().collect(), ..locked.clone() }
    };
    Lockfile::new(lockfile.packages().iter().map(more).collect())
}

/// What is written.
struct Trees {
    /// As the lockfile has it, by name.
    locked: BTreeMap<SkillName, Tree>,
    /// What places get instead.
    own: BTreeMap<Place, Tree>,
}

impl Trees {
    fn of(&self, place: &Place) -> &Tree {
        self.own.get(place).unwrap_or_else(|| &self.locked[&place.name])
    }
}

/// How things were when they were looked at.
pub(super) struct Before<'s> {
    state: &'s State,
    pub(super) present: BTreeMap<Place, Present>,
    pub(super) wanted: BTreeMap<Place, Content>,
    stamps: BTreeMap<Place, Stamp>,
}

impl Before<'_> {
    /// Whether a skill is to be in more than one place as a copy of its own.
    fn has_copies(&self, name: &SkillName) -> bool {
        let is_copy =
            |(place, content): &(&Place, &Content)| place.name == *name && matches!(content, Content::Tree(_));
        self.wanted.iter().filter(is_copy).count() > 1
    }

    /// The content with a person's edits that the last command left at a place.
    fn edited(&self, place: &Place) -> Option<Checksum> {
        self.state.record(&place.target, &place.name)?.edited
    }
}

impl Job<'_> {
    pub(super) fn write_lock_only(&self, decided: Decided) -> Result<Synced> {
        let texts = self.texts(&decided)?;
        let packages = decided.lockfile.packages().len();
        let lock_changed = is_lock_among(&texts);
        if !self.rules.dry_run && !texts.is_empty() {
            let mut changes = Transaction::begin(&self.state_dir())?;
            self.write_texts(&mut changes, &texts)?;
            self.write_undo(&mut changes, Vec::new(), &texts)?;
            changes.commit()?;
            self.sweep(&texts);
            undo::prune(&self.state_dir())?;
        }
        Ok(Synced {
            packages,
            lock_changed,
            up_to_date: !lock_changed,
            dry_run: self.rules.dry_run,
            merges: decided.kept.merges,
            patched: decided.kept.patched,
            ..Synced::default()
        })
    }

    pub(super) fn install(&self, stock: Stock<'_, '_>, state: &State, mut decided: Decided) -> Result<Synced> {
        let directories = targets::directories(self.context, self.workspace, &self.manifest)?;
        self.refuse_shadowing(&decided.lockfile)?;
        let wanted = self.wanted(&directories, &decided.lockfile);
        let (present, stamps) = self.present(&wanted, state, &directories)?;
        let mut plan = plan(&wanted, &present, self.rules.force).map_err(|error| self.with_edits(error, &present))?;
        self.refuse_edits_if_locked(&plan)?;
        let trees = self.bring(stock, (state, &plan), &mut decided)?;
        self.heed(stock.sources, &decided.lockfile, &plan)?;
        let mut before = Before { state, present, wanted, stamps };
        let settled = self.settle_edits(&mut plan, &mut before, stock, (&trees, &mut decided))?;
        let texts = self.texts(&decided)?;
        let mut synced = Synced {
            changes: changes(&plan, &self.old, &decided.lockfile),
            packages: decided.lockfile.packages().len(),
            lock_changed: is_lock_among(&texts),
            up_to_date: false,
            dry_run: self.rules.dry_run,
            kept: kept(&plan),
            edited: places(&plan, &Action::KeepEdited).collect(),
            left: places(&plan, &Action::Leave).collect(),
            cleared: cleared(&plan, &before.wanted, &decided.lockfile),
            merges: merges(std::mem::take(&mut decided.kept.merges), settled.merges),
            carried: places(&plan, &Action::Carry).collect(),
            patched: std::mem::take(&mut decided.kept.patched),
        };
        synced.up_to_date =
            synced.changes.is_empty() && synced.carried.is_empty() && synced.cleared.is_empty() && texts.is_empty();
        if !self.rules.dry_run {
            self.keep_what_goes(stock.store, &plan, &before.present)?;
            let trees = Trees { locked: trees, own: settled.trees };
            self.apply(&plan, &before, &trees, (&decided.lockfile, &texts, &directories))?;
        }
        Ok(synced)
    }

    /// Every place that is to hold something: a copy, or in further targets a link if the manifest says so.
    fn wanted(&self, directories: &[PathBuf], lockfile: &Lockfile) -> BTreeMap<Place, Content> {
        let main = &directories[0];
        let content = |(place, checksum): (Place, Checksum)| {
            let is_link = self.manifest.install.link == Link::Symlink && place.target != *main;
            let content = if is_link {
                Content::Link(targets::link(main, &place.target, &place.name))
            } else {
                Content::Tree(checksum)
            };
            (place, content)
        };
        locked_places(directories, lockfile).into_iter().map(content).collect()
    }

    /// With `policy.deny-shadowing`, a skill of the project may not cover one of the person's own or a bundled one.
    fn refuse_shadowing(&self, lockfile: &Lockfile) -> Result<()> {
        let by = crate::ops::catalog::deny_shadowing(self.context, Some(&self.manifest));
        let Some(by) = by.filter(|_| self.workspace.sort != Sort::Managed) else { return Ok(()) };
        let managed = self.context.expand(&self.context.config.string("managed.dir").unwrap_or_default());
        for name in lockfile.packages().iter().map(Locked::install_name) {
            let own = managed.join(name.as_str());
            let files = disk::names(&own)?;
            let covered = if formats::detect(&|file| files.iter().any(|name| name == file)).is_some() {
                format!("`{}`", own.display())
            } else if bundled::SKILLS.iter().any(|skill| skill.name == name.as_str()) {
                "a bundled skill".to_owned()
            } else {
                continue;
            };
            return Err(Error::negative(format!("`{name}` would cover {covered}"))
                .note(format!("{by} forbids that"))
                .help("install it under another name with `--as NAME`"));
        }
        Ok(())
    }

    /// What stands at every place that matters, and how it looked before it was read. Equal stamps spare reading.
    fn present(
        &self,
        wanted: &BTreeMap<Place, Content>,
        state: &State,
        directories: &[PathBuf],
    ) -> Result<(BTreeMap<Place, Present>, BTreeMap<Place, Stamp>)> {
        let mut places: BTreeSet<Place> = wanted.keys().cloned().collect();
        for (target, skills) in state.targets.iter().filter(|(target, _)| self.may_have(target, directories)) {
            places.extend(skills.keys().map(|name| Place { target: target.clone(), name: name.clone() }));
        }
        let before = locked_places(directories, &self.old);
        places.extend(before.keys().cloned());
        // Where the state knows of other targets, nothing says that what stands in a new one was ever skillpm's.
        let is_guessed = |target: &Path| state.targets.is_empty() || state.targets.contains_key(target);
        let guessed_link = |place: &Place| match wanted.get(place) {
            Some(Content::Link(link)) => Some(link.clone()),
            None if self.manifest.install.link == Link::Symlink && place.target != directories[0] => {
                Some(targets::link(&directories[0], &place.target, &place.name))
            }
            _ => None,
        };
        let places: Vec<Place> = places.into_iter().collect();
        let looked = crate::io::parallel(2, &places, |place| {
            let record = state.record(&place.target, &place.name);
            let (found, stamp) = look(&place.path(&self.workspace.root), record)?;
            let adopted = self.wish.adopted.places.get(&(place.target.clone(), place.name.clone()));
            let (base, link) = match record {
                _ if adopted.is_some() => {
                    let link = if let Found::Link(link) = &found { Some(link.clone()) } else { None };
                    (adopted.copied(), link)
                }
                Some(record) => (Some(record.checksum), record.link.clone()),
                None if is_guessed(&place.target) => {
                    let link = if matches!(found, Found::Link(_)) { guessed_link(place) } else { None };
                    (before.get(place).copied(), link)
                }
                None => (None, None),
            };
            let last = record.filter(|_| adopted.is_none()).and_then(|record| record.edited).or(base);
            let is_dangling = matches!(found, Found::Link(_)) && disk::is_dangling(&place.path(&self.workspace.root));
            Ok((Present { base, last, link, found, is_dangling }, stamp))
        });
        let (mut present, mut stamps) = (BTreeMap::new(), BTreeMap::new());
        for (place, looked) in places.into_iter().zip(looked) {
            let (there, stamp): (Present, Option<Stamp>) = looked?;
            stamps.extend(stamp.map(|stamp| (place.clone(), stamp)));
            present.insert(place, there);
        }
        Ok((present, stamps))
    }

    /// Whether a target that the state names can be one of this project: one of its manifest's, or one below its root.
    fn may_have(&self, target: &Path, directories: &[PathBuf]) -> bool {
        let is_below = target.components().all(|part| matches!(part, Component::Normal(_)));
        is_below || directories.iter().any(|directory| directory == target) || self.workspace.sort == Sort::Managed
    }

    /// A refusal to touch edited skills, with the files that were edited where the store still has what was installed.
    fn with_edits(&self, error: Error, present: &BTreeMap<Place, Present>) -> Error {
        let Ok(store) = Store::open(&self.context.places.skillpm, self.context.patience(), self.reporter()) else {
            return error;
        };
        let edited = present.iter().filter_map(|(place, present)| {
            let locked = self.old.installed_as(&place.name)?;
            let is_edited = present.base == Some(locked.checksum) && present.found != Found::Tree(locked.checksum);
            if !is_edited || !error.message().contains(place.name.as_str()) {
                return None;
            }
            let installed = self.patch_files.stored(locked, &store, self.reporter()).ok()??;
            let drift = installed.drift(&disk::read_tree(&place.path(&self.workspace.root)).ok()?);
            let paths = drift.changed.into_iter().chain(drift.added).chain(drift.missing);
            Some(format!("`{}`: {}", place.name, paths.map(|path| path.to_string()).collect::<Vec<_>>().join(", ")))
        });
        edited.collect::<Vec<_>>().into_iter().fold(error, Error::note)
    }

    fn refuse_edits_if_locked(&self, plan: &Plan) -> Result<()> {
        let edited = [Action::KeepEdited, Action::Merge, Action::GiveWay, Action::Leave];
        let edited = edited.iter().flat_map(|action| places(plan, action));
        let edited: Vec<String> = edited.map(|place| format!("`{}`", place.display())).collect();
        if !self.rules.locked || edited.is_empty() {
            return Ok(());
        }
        Err(Error::negative(format!("{} is not what the lockfile says", edited.join(", ")))
            .note("with `--locked`, what is installed must be what is locked")
            .help("`skillpm verify` shows the difference"))
    }

    /// Brings the trees that the plan puts somewhere, and lets what is new pass the gate.
    fn bring(
        &self,
        stock: Stock<'_, '_>,
        (state, plan): (&State, &Plan),
        decided: &mut Decided,
    ) -> Result<BTreeMap<SkillName, Tree>> {
        let gate = Gate::of(self.context, &self.manifest.policy, self.rules.high)?;
        let strangers = self.strangers(&decided.lockfile, state, plan);
        // What is merged, or has to pass the gate, is looked at even if it is only to be told.
        let is_needed = |action: &Action| match action {
            Action::Merge | Action::GiveWay => true,
            action => action.writes() && !self.rules.dry_run,
        };
        let needed = plan.iter().filter(|(_, action)| is_needed(action)).map(|(place, _)| &place.name);
        let needed: BTreeSet<&SkillName> = needed.chain(strangers.iter().map(|locked| locked.install_name())).collect();
        if needed.is_empty() && self.rules.dry_run {
            return Ok(BTreeMap::new());
        }
        let packages: Vec<&Locked> =
            decided.lockfile.packages().iter().filter(|locked| needed.contains(locked.install_name())).collect();
        let trees = fetch::fetch(&packages, &mut decided.at_hand, stock)?;
        let passed = gate.hold(&strangers, &trees, self.reporter())?;
        if !self.rules.locked && !passed.is_empty() {
            decided.lockfile = with_passed(&decided.lockfile, &passed);
        }
        self.reporter().report(Event::Fetched);
        Ok(trees)
    }

    /// The transaction: skills, then manifest and lockfile, then the state. Only now are they true.
    fn apply(
        &self,
        plan: &Plan,
        before: &Before<'_>,
        trees: &Trees,
        (lockfile, texts, directories): (&Lockfile, &[Text], &[PathBuf]),
    ) -> Result<()> {
        let root = &self.workspace.root;
        let mut next = State {
            // With `--locked`, what was installed of an edited member is not what the lockfile says: look again next time.
            inputs: if *lockfile == self.old || !self.rules.locked { Some(self.inputs(texts)?) } else { None },
            ..State::default()
        };
        next.sources = self.path_stamps(lockfile)?;
        next.made.clone_from(&before.state.made);
        let records = records(plan, lockfile, before, trees);
        let rebased = rebased(plan, before, &records);
        // An edit that was decided to be one of the new version can be undone, though no file changes.
        let is_decided = |(place, action): (&Place, &Action)| {
            let next = records.get(place).map(|record| record.checksum);
            *action == Action::KeepEdited && next != before.present[place].base
        };
        let is_idle = !plan.values().any(changes_it) && !plan.iter().any(is_decided);
        if is_idle && texts.is_empty() {
            self.note_all(plan, records, (before, BTreeMap::new()), &mut next)?;
            next.sweep(root, directories);
            if next != *before.state {
                self.remember(&next);
            }
            return Ok(());
        }
        let mut changes = Transaction::begin(&self.state_dir())?;
        let mut written = BTreeMap::new();
        for (place, action) in plan {
            let path = place.path(root);
            let unchanged = before.stamps.get(place).cloned();
            let mut put = |changes: &mut Transaction, path: &Path, unchanged| match &before.wanted[place] {
                Content::Tree(_) => {
                    written.insert(place, changes.put(path, trees.of(place), unchanged)?);
                    Ok(())
                }
                Content::Link(target) => changes.link(path, target, unchanged),
            };
            match action {
                Action::Create => put(&mut changes, &path, None),
                Action::Replace | Action::Merge | Action::Carry => put(&mut changes, &path, unchanged),
                Action::ReplaceSaving => {
                    changes.save_aside(&path, &self.backup_name(place)).and_then(|()| put(&mut changes, &path, None))
                }
                Action::GiveWay if before.wanted.contains_key(place) => put(&mut changes, &path, unchanged),
                Action::Remove | Action::GiveWay => changes.remove(&path, unchanged),
                Action::RemoveSaving => changes.save_aside(&path, &self.backup_name(place)),
                Action::Keep | Action::KeepEdited | Action::Leave | Action::Forget => Ok(()),
            }
            .map_err(|error| error.wrap(format!("could not install `{}`", place.name)))?;
        }
        next.made.extend(self.made(&changes, directories));
        let mut steps = steps(plan, before, trees);
        steps.extend(self.adopted(plan, before));
        steps.extend(rebased);
        if let Some(made) = &self.wish.adopted.made {
            steps.extend_from_slice(&made.steps);
            next.made.extend(made.directories.iter().cloned());
            changes.remove(&made.file, None)?;
        }
        self.write_texts(&mut changes, texts)?;
        self.write_undo(&mut changes, steps, texts)?;
        let saved = changes.saved().to_vec();
        changes.commit()?;
        self.report_saved(&saved);
        self.sweep(texts);
        undo::prune(&self.state_dir())?;
        // The state is a memory, not a truth: it is written when all is done, and a kill in between costs one reading.
        self.note_all(plan, records, (before, written), &mut next)?;
        next.sweep(root, directories);
        self.remember(&next);
        Ok(())
    }

    /// What stays as it is and is skillpm's from now on, so that undoing that leaves it alone.
    fn adopted(&self, plan: &Plan, before: &Before<'_>) -> Vec<Step> {
        let is_new = |place: &Place| {
            let was_guessed = before.present[place].base.is_some() && before.state.targets.is_empty();
            let is_adopted = self.wish.adopted.places.contains_key(&(place.target.clone(), place.name.clone()));
            before.state.record(&place.target, &place.name).is_none() && (is_adopted || !was_guessed)
        };
        let stays = plan.iter().filter(|(_, action)| matches!(action, Action::Keep | Action::KeepEdited));
        let step = |(place, _): (&Place, &Action)| {
            let thing = Thing::from(&before.present[place].found);
            Step::unmoved(&place.target, &place.name, &thing)
        };
        stays.filter(|(place, _)| is_new(place)).map(step).collect()
    }

    /// Says where a person's own files are that were in a skill which is gone.
    fn report_saved(&self, saved: &[SavedFile]) {
        let state_dir = self.state_dir();
        for file in saved {
            let place = seen_from_project(&state_dir, &file.place);
            let message = format!("`{place}` was no part of the skill that was there");
            let help = format!("it is saved in `{}`", seen_from_project(&state_dir, &file.backup));
            self.reporter().report(Event::Warning { message, help: Some(help) });
        }
    }

    /// The directories above skills that a transaction makes, as the state writes them.
    fn made(&self, changes: &Transaction, directories: &[PathBuf]) -> Vec<PathBuf> {
        let root = &self.workspace.root;
        let is_above_skills = |made: &Path| directories.iter().any(|target| root.join(target).starts_with(made));
        let made = changes.made().iter().filter(|made| is_above_skills(made));
        made.map(|made| made.strip_prefix(root).unwrap_or(made).to_owned()).collect()
    }

    /// Puts into the store what is about to be replaced or removed, so that it can be had back.
    fn keep_what_goes(&self, store: &Store, plan: &Plan, present: &BTreeMap<Place, Present>) -> Result<()> {
        for (place, _) in plan.iter().filter(|(_, action)| changes_it(action)) {
            if let Found::Tree(checksum) = &present[place].found
                && !store.contains(checksum)?
            {
                store.put_own(&disk::read_tree(&place.path(&self.workspace.root))?)?;
            }
        }
        Ok(())
    }

    fn write_undo(&self, changes: &mut Transaction, steps: Vec<Step>, texts: &[Text]) -> Result<()> {
        let mut entry = Entry::new(self.context.command, self.context.now, steps, texts.to_vec());
        entry.saved = changes.saved().to_vec();
        let (path, bytes) = entry.to_file(&self.state_dir())?;
        changes.write(&path, &bytes)
    }

    /// The texts that change: manifests, patch files, the lockfile.
    pub(super) fn texts(&self, decided: &Decided) -> Result<Vec<Text>> {
        let mut after: BTreeMap<PathBuf, Option<String>> = BTreeMap::new();
        let manifest = if decided.kept.lines.is_empty() {
            self.next.manifest_text.clone()
        } else {
            edit::set_edits(&self.next.manifest_text, &decided.kept.lines)?
        };
        if let (Some(member), Some(text)) = (&self.workspace.member, &self.wish.manifest_text) {
            after.insert(member.to_path().join(manifest::FILE), Some(text.clone()));
        }
        if manifest != self.workspace.manifest_text || !self.workspace.exists && self.wish.manifest_text.is_some() {
            after.insert(manifest::FILE.into(), Some(manifest));
        }
        after.extend(decided.kept.files.iter().map(|(path, text)| (path.to_path(), text.clone())));
        after.insert(crate::lockfile::FILE.into(), Some(self.lock_text(&decided.lockfile)));
        after.extend(self.wish.adopted.gone.iter().map(|path| (path.clone(), None)));
        let text = |(path, after): (PathBuf, Option<String>)| {
            let before = disk::read_text(&self.workspace.root.join(&path))?;
            Ok((before != after).then_some(Text { path, before, after }))
        };
        after.into_iter().filter_map(|entry| text(entry).transpose()).collect()
    }

    /// A digest of all that decides what is installed where, with these texts changed.
    fn inputs(&self, texts: &[Text]) -> Result<Sha256> {
        let changed =
            |file: &str| texts.iter().find(|text| text.path == Path::new(file)).and_then(|text| text.after.as_ref());
        let mut next = self.next.clone().into_owned();
        if let Some(text) = changed(manifest::FILE) {
            next.manifest_text.clone_from(text);
        }
        let lock = changed(crate::lockfile::FILE).or(self.workspace.lock_text.as_ref());
        let mut files = PatchFiles::default();
        for (name, path) in manifest::edits(&next.manifest_text, manifest::FILE)? {
            let file = match (changed(path.as_str()), self.patch_files.get(&name)) {
                (Some(text), _) => PatchFile::new(path, text.clone()),
                (None, Some(file)) => file.clone(),
                (None, None) => continue,
            };
            files.insert(name, file);
        }
        inputs(self.context, &next, lock.map_or("", String::as_str), &files)
    }

    fn backup_name(&self, place: &Place) -> PathBuf {
        // By its target too: a skill may have been edited in several.
        let target = place.target.strip_prefix("/").unwrap_or(&place.target);
        let name = |stamp: &str| Path::new(stamp).join(target).join(place.name.as_str());
        let now = self.context.now.to_string();
        let is_taken = |name: &Path| {
            let kept = self.workspace.state_dir.join("backup").join(name);
            disk::lstat(&kept).is_ok_and(|found| found.is_some())
        };
        // Two commands may run in one second.
        let later = (2..).map(|count| name(&format!("{now}-{count}")));
        std::iter::once(name(&now)).chain(later).find(|name| !is_taken(name)).expect("there is always another number")
    }

    fn write_texts(&self, changes: &mut Transaction, texts: &[Text]) -> Result<()> {
        for text in texts {
            let path = self.workspace.root.join(&text.path);
            changes.change_text(&path, text.before.as_deref(), text.after.as_deref())?;
        }
        Ok(())
    }

    /// Takes away directories that have become empty because a patch file went.
    fn sweep(&self, texts: &[Text]) {
        for gone in texts.iter().filter(|text| text.after.is_none()) {
            if let Some(parent) = gone.path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                disk::remove_if_empty(&self.workspace.root.join(parent));
            }
        }
    }

    /// Writes the state, if the disk takes it: whatever was to be done is done without it.
    fn remember(&self, state: &State) {
        if let Err(error) = self.save_state(state) {
            let message = format!("{}; the next command reads all skills once more", error.in_one_line());
            self.context.reporter.report(Event::Detail { message });
        }
    }

    fn save_state(&self, state: &State) -> Result<()> {
        let dir = self.state_dir();
        State::keep_out_of_git(dir.path())?;
        let (path, bytes) = state.to_file(&dir)?;
        disk::write_atomic(&path, &bytes)
    }

    /// Notes how everything looks now: what was just put there, by the stamps that it was written with.
    fn note_all(
        &self,
        plan: &Plan,
        records: BTreeMap<&Place, Record>,
        (before, mut written): (&Before<'_>, BTreeMap<&Place, Stamp>),
        next: &mut State,
    ) -> Result<()> {
        for (place, mut record) in records {
            let known = before.state.record(&place.target, &place.name);
            let stamp = match plan[place] {
                Action::KeepEdited | Action::Leave => known.and_then(|known| known.stamp.clone()),
                // As it looked before it was read: what changed since then would not show in a later stamp.
                Action::Keep => before.stamps.get(place).cloned(),
                _ => match written.remove(place) {
                    Some(stamp) => Some(stamp),
                    None => disk::stamp(&place.path(&self.workspace.root))?,
                },
            };
            // A stamp says that it is as installed: without one the next command looks again.
            record.stamp = stamp.filter(|_| record.edited.is_none());
            next.targets.entry(place.target.clone()).or_default().insert(place.name.clone(), record);
        }
        Ok(())
    }

    fn path_stamps(&self, lockfile: &Lockfile) -> Result<BTreeMap<String, Stamp>> {
        let mut stamps = BTreeMap::new();
        for locked in lockfile.packages() {
            if let SourceId::Path(path) = &locked.source
                && let Some(stamp) = disk::stamp(&disk::real_path(&self.workspace.root.join(path)))?
            {
                stamps.insert(path.clone(), stamp);
            }
        }
        Ok(stamps)
    }
}

/// Merges of edits that are kept and of edits on the disk; where both are of one skill, the latter comes last.
fn merges(kept: Vec<Merge>, mut settled: Vec<Merge>) -> Vec<Merge> {
    let is_told = |merge: &Merge| settled.iter().any(|other| other.name == merge.name);
    let kept: Vec<Merge> = kept.into_iter().filter(|merge| !is_told(merge)).collect();
    settled.splice(0..0, kept);
    settled
}

fn is_lock_among(texts: &[Text]) -> bool {
    texts.iter().any(|text| text.path == Path::new(crate::lockfile::FILE))
}

/// What the plan changes, for whoever wants to undo it.
fn steps(plan: &Plan, before: &Before<'_>, trees: &Trees) -> Vec<Step> {
    let step = |(place, action): (&Place, &Action)| {
        let present = &before.present[place];
        let after = match (action, before.wanted.get(place)) {
            (Action::Remove | Action::RemoveSaving, _) | (_, None) => Thing::Nothing,
            (_, Some(Content::Link(target))) => Thing::Link(target.clone()),
            (_, Some(Content::Tree(_))) => Thing::Tree(Checksum::of(trees.of(place))),
        };
        let step = Step::unmoved(&place.target, &place.name, &Thing::from(&present.found));
        Step { after, base: present.base, edited: before.edited(place), ..step }
    };
    plan.iter().filter(|(_, action)| changes_it(action)).map(step).collect()
}

/// Places that stay as they are, and of which something else is known from now on: as where edits become part of the
/// lockfile. Undoing that has to go back to what was known, or the edits would be taken for what was installed.
fn rebased(plan: &Plan, before: &Before<'_>, records: &BTreeMap<&Place, Record>) -> Vec<Step> {
    let is_rebased = |(place, action): &(&Place, &Action)| {
        let known = (before.present[place].base, before.edited(place));
        let next = records.get(place).map(|record| (Some(record.checksum), record.edited));
        !changes_it(action) && known.0.is_some() && next.is_some_and(|next| next != known)
    };
    let step = |(place, _): (&Place, &Action)| {
        let present = &before.present[place];
        let step = Step::unmoved(&place.target, &place.name, &Thing::from(&present.found));
        Step { base: present.base, edited: before.edited(place), ..step }
    };
    plan.iter().filter(is_rebased).map(step).collect()
}

/// What is to be known of each place when all is done, but for the stamps.
fn records<'p>(plan: &'p Plan, lockfile: &Lockfile, before: &Before<'_>, trees: &Trees) -> BTreeMap<&'p Place, Record> {
    let record = |(place, action): (&'p Place, &Action)| {
        let locked = Record::unseen(lockfile.installed_as(&place.name)?.checksum);
        let link = match before.wanted.get(place)? {
            Content::Link(link) => Some(link.clone()),
            Content::Tree(_) => None,
        };
        let own = trees.own.get(place).map(Checksum::of).filter(|own| *own != locked.checksum);
        let record = match action {
            Action::Remove | Action::RemoveSaving | Action::Forget => return None,
            // What it was merged with, or is an edit of, is what is locked now. What is edited since matters to other copies.
            Action::KeepEdited if before.has_copies(&place.name) => {
                Record { edited: before.present[place].tree(), ..locked }
            }
            Action::Leave => Record { link: before.present[place].link.clone(), ..locked },
            Action::KeepEdited => locked,
            _ => Record { link, edited: own, ..locked },
        };
        Some((place, record))
    };
    plan.iter().filter_map(record).collect()
}

/// Whether it changes what stands at its place.
fn changes_it(action: &Action) -> bool {
    !matches!(action, Action::Keep | Action::KeepEdited | Action::Leave | Action::Forget)
}

fn holds(record: &Record, path: &Path) -> bool {
    record.stamp.as_ref().is_some_and(|stamp| stamp.still_holds(path))
}

fn look(path: &Path, record: Option<&Record>) -> Result<(Found, Option<Stamp>)> {
    let is_link = disk::lstat(path)?.is_some_and(|meta| meta.is_symlink());
    if let Some(record) = record.filter(|record| !is_link && holds(record, path)) {
        return Ok((Found::Tree(record.checksum), record.stamp.clone()));
    }
    // As it looked before it is read.
    let stamp = disk::stamp(path)?;
    Ok((found(path)?, stamp))
}

/// What stands at a path.
pub(in crate::ops) fn found(path: &Path) -> Result<Found> {
    Ok(match disk::lstat(path)? {
        None => Found::Nothing,
        Some(meta) if meta.is_symlink() => Found::Link(disk::read_link(path)?),
        Some(meta) if !meta.is_dir() => Found::Other("a file".into()),
        Some(_) => match disk::read_tree(path) {
            Ok(tree) => Found::Tree(Checksum::of(&tree)),
            // Nobody knows then whether somebody edited it.
            Err(error) if error.kind() == Kind::Disk => return Err(error),
            Err(error) => Found::Other(error.message().to_owned()),
        },
    })
}

/// Every place that a lockfile's packages have.
fn locked_places(directories: &[PathBuf], lockfile: &Lockfile) -> BTreeMap<Place, Checksum> {
    let places = directories.iter().flat_map(|target| {
        let place = |locked: &Locked| Place { target: target.clone(), name: locked.install_name().clone() };
        lockfile.packages().iter().map(move |locked| (place(locked), locked.checksum))
    });
    places.collect()
}

/// The places at which this is done, as seen from the project.
fn places<'p>(plan: &'p Plan, done: &'p Action) -> impl Iterator<Item = PathBuf> + 'p {
    plan.iter().filter(move |(_, action)| *action == done).map(|(place, _)| place.path(Path::new("")))
}

/// The places that skills give up that stay elsewhere.
fn cleared(plan: &Plan, wanted: &BTreeMap<Place, Content>, lockfile: &Lockfile) -> Vec<PathBuf> {
    let goes = |action: &Action| matches!(action, Action::Remove | Action::RemoveSaving | Action::GiveWay);
    let is_given_up = |place: &Place| !wanted.contains_key(place) && lockfile.installed_as(&place.name).is_some();
    let given_up = plan.iter().filter(|(place, action)| goes(action) && is_given_up(place));
    given_up.map(|(place, _)| place.path(Path::new(""))).collect()
}

/// The skills that stay as they are, each once.
fn kept(plan: &Plan) -> Vec<SkillName> {
    let kept = plan.iter().filter(|(_, action)| **action == Action::Keep).map(|(place, _)| place.name.clone());
    kept.collect::<BTreeSet<_>>().into_iter().collect()
}

/// What the plan means, by skill.
fn changes(plan: &Plan, old: &Lockfile, new: &Lockfile) -> Vec<Change> {
    let mut told = BTreeSet::new();
    let mut changes = Vec::new();
    for (place, action) in plan {
        let (before, after) = (old.installed_as(&place.name), new.installed_as(&place.name));
        let change = match (action, before, after) {
            (Action::Create | Action::Replace | Action::ReplaceSaving | Action::Merge, before, Some(after)) => {
                match before {
                    Some(before) if before.checksum != after.checksum => {
                        Change::Updated(before.clone().into(), after.clone().into())
                    }
                    Some(_) if *action == Action::Merge => continue,
                    Some(_) if *action != Action::Create => Change::Restored(after.clone().into()),
                    _ => Change::Installed(after.clone().into()),
                }
            }
            // What only gives up a place is told of by that.
            (Action::Remove | Action::RemoveSaving, _, None) => Change::Removed(place.name.clone()),
            _ => continue,
        };
        if told.insert(&place.name) {
            changes.push(change);
        }
    }
    changes
}
