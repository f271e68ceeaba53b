//! Writes the results of a sync: manifest, lockfile and patch files with their undo entry, and the
//! installation state.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::resolution::LockResolution;
use super::snapshot::InstalledSnapshot;
use super::{SyncInput, SyncReport, inputs_digest};
use crate::patch_files::{PatchFile, PatchFiles};
use crate::{line_endings, targets};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::Lockfile;
use skillpm_core::manifest::{self, edit};
use skillpm_core::package::{Sha256Digest, SourceId, with_line_ends_of};
use skillpm_core::report::ProgressEvent;
use skillpm_io::disk::{self, TreeStamp};
use skillpm_io::git::ATTRIBUTES_FILE;
use skillpm_registry::install::plan::{InstallTarget, Plan, PlanAction};
use skillpm_registry::install::state::{InstalledSkill, ProjectState};
use skillpm_registry::install::transaction::Transaction;
use skillpm_registry::install::undo::{self, UndoEntry, UndoStep, UndoText};

/// Writes manifest, lockfile, undo entry and installation state.
pub(super) struct StateWriter<'a> {
    pub(super) input: &'a SyncInput<'a>,
}

impl StateWriter<'_> {
    pub(super) fn write_lock_only(&self, resolution: LockResolution) -> Result<SyncReport> {
        let texts = self.changed_texts(&resolution)?;
        let packages = resolution.lockfile.packages().len();
        let lock_changed = includes_lockfile(&texts);

        if !self.input.options.dry_run && !texts.is_empty() {
            // The lockfile and its undo entry in one transaction: neither is valid without the
            // other.
            let mut changes = Transaction::begin(&self.input.state_dir())?;
            self.write_texts(&mut changes, &texts)?;
            self.write_undo(&mut changes, Vec::new(), &texts)?;
            changes.commit()?;

            self.remove_empty_dirs(&texts);
            undo::prune_entries(&self.input.state_dir())?;
        }

        Ok(SyncReport {
            packages,
            lock_changed,
            up_to_date: !lock_changed,
            dry_run: self.input.options.dry_run,
            merges: resolution.patch_updates.merges,
            patched: resolution.patch_updates.patched,
            ..SyncReport::default()
        })
    }

    /// The texts that change: manifests, patch files, the lockfile.
    ///
    /// # Errors
    /// If one of them would be too large for the next command to read.
    pub(super) fn changed_texts(&self, resolution: &LockResolution) -> Result<Vec<UndoText>> {
        let mut changed = Vec::new();
        for (path, after) in self.next_texts(resolution)? {
            let before = disk::read_text(&self.input.workspace.root.join(&path))?;
            if before != after {
                check_size(&path, after.as_deref())?;
                changed.push(UndoText {
                    path,
                    before,
                    after,
                });
            }
        }
        Ok(changed)
    }

    /// The text of `.gitattributes` with lines for the skills of a new project, or for new directories of one that has lines for
    /// the others; `None` if nothing is missing.
    fn next_attributes(&self) -> Result<Option<String>> {
        let SyncInput {
            context, workspace, ..
        } = self.input;
        let directories = targets::directories(context, workspace, &self.input.manifest)?;
        // A repository that cannot be read is no reason to install nothing; `doctor` names it.
        let missing = |directories: &[PathBuf]| {
            line_endings::protecting_text(&workspace.root, directories).unwrap_or_default()
        };
        if workspace.exists {
            let registries = |name: Option<&str>| context.config.registry(name);
            let before = workspace.manifest(&registries)?;
            let before = targets::directories(context, workspace, &before)?;
            if before == directories || missing(&before).is_some() {
                return Ok(None);
            }
        }
        Ok(missing(&directories))
    }

    /// The texts as they are after the command, whether they change or not; `None` removes a file.
    fn next_texts(&self, resolution: &LockResolution) -> Result<BTreeMap<PathBuf, Option<String>>> {
        let SyncInput {
            workspace, request, ..
        } = self.input;
        let mut after: BTreeMap<PathBuf, Option<String>> = BTreeMap::new();

        let manifest = self.next_manifest(resolution)?;
        // In a member's directory a command edits the member's manifest, too.
        if let (Some(member), Some(text)) = (&workspace.member, &request.manifest_text) {
            after.insert(member.to_path().join(manifest::FILE), Some(text.clone()));
        }
        // A new project gets a manifest even if its text is empty.
        if manifest != workspace.manifest_text
            || !workspace.exists && request.manifest_text.is_some()
        {
            after.insert(manifest::FILE.into(), Some(manifest));
        }
        // Its skills are for everyone who clones it, byte for byte.
        if request.manifest_text.is_some()
            && let Some(text) = self.next_attributes()?
        {
            after.insert(ATTRIBUTES_FILE.into(), Some(text));
        }

        let patch_files = resolution.patch_updates.files.iter();
        after.extend(patch_files.map(|(path, text)| (path.to_path(), text.clone())));
        after.insert(
            skillpm_core::lockfile::FILE.into(),
            Some(self.lock_text(&resolution.lockfile)),
        );

        // Last: a file that `import` removes is removed, whatever else it is.
        let gone = request.adopted.gone.iter();
        after.extend(gone.map(|path| (path.clone(), None)));
        Ok(after)
    }

    /// The project's manifest with the new lines of `[edits]`.
    fn next_manifest(&self, resolution: &LockResolution) -> Result<String> {
        let (text, lines) = (
            &self.input.next.manifest_text,
            &resolution.patch_updates.lines,
        );
        // Without a change the text is not parsed, and stays as the user formatted it.
        if lines.is_empty() {
            return Ok(text.clone());
        }
        edit::set_edits(text, lines)
    }

    /// The new text of the lockfile.
    pub(super) fn lock_text(&self, lockfile: &Lockfile) -> String {
        // With `--locked` not even line endings change.
        match &self.input.workspace.lock_text {
            Some(text) if self.input.options.locked => text.clone(),
            Some(text) => with_line_ends_of(text, lockfile.to_text()),
            None => lockfile.to_text(),
        }
    }

    pub(super) fn write_texts(&self, changes: &mut Transaction, texts: &[UndoText]) -> Result<()> {
        for text in texts {
            let path = self.input.workspace.root.join(&text.path);
            changes.change_text(&path, text.before.as_deref(), text.after.as_deref())?;
            if text.path == Path::new(ATTRIBUTES_FILE) {
                self.input.reporter().report(ProgressEvent::Done {
                    verb: "Changed",
                    what: format!("{ATTRIBUTES_FILE}: git keeps the line endings of skills"),
                });
            }
        }
        Ok(())
    }

    pub(super) fn write_undo(
        &self,
        changes: &mut Transaction,
        steps: Vec<UndoStep>,
        texts: &[UndoText],
    ) -> Result<()> {
        let mut entry = UndoEntry::new(
            self.input.context.command,
            self.input.context.now,
            steps,
            texts.to_vec(),
        );

        entry.saved = changes.saved().to_vec();
        let (path, bytes) = entry.to_file(&self.input.state_dir())?;
        changes.put_file(&path, &bytes)
    }

    /// Removes directories that are empty after a patch file was removed.
    pub(super) fn remove_empty_dirs(&self, texts: &[UndoText]) {
        for gone in texts.iter().filter(|text| text.after.is_none()) {
            if let Some(parent) = gone
                .path
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty())
            {
                disk::remove_if_empty(&self.input.workspace.root.join(parent));
            }
        }
    }

    /// The inputs digest after these texts are changed.
    pub(super) fn next_inputs_digest(&self, texts: &[UndoText]) -> Result<Sha256Digest> {
        // The digest must be that of the next run, which reads the changed texts.
        let changed = |file: &str| {
            texts
                .iter()
                .find(|text| text.path == Path::new(file))
                .and_then(|text| text.after.as_ref())
        };

        let mut next = self.input.next.clone().into_owned();
        if let Some(text) = changed(manifest::FILE) {
            next.manifest_text.clone_from(text);
        }

        let lock =
            changed(skillpm_core::lockfile::FILE).or(self.input.workspace.lock_text.as_ref());
        let mut files = PatchFiles::default();

        for (name, path) in manifest::parse_edits(&next.manifest_text, manifest::FILE)? {
            let file = match (changed(path.as_str()), self.input.patch_files.get(&name)) {
                // A file that this command writes is not on disk yet.
                (Some(text), _) => PatchFile::new(path, text.clone())?,
                (None, Some(file)) => file.clone(),
                (None, None) => continue,
            };
            files.insert(name, file);
        }

        inputs_digest(
            self.input.context,
            &next,
            lock.map_or("", String::as_str),
            &files,
        )
    }

    /// Records all installed skills in the new state, with the stamps of those that were just
    /// written.
    pub(super) fn record_all(
        &self,
        plan: &Plan,
        records: BTreeMap<&InstallTarget, InstalledSkill>,
        before: &InstalledSnapshot<'_>,
        mut written: BTreeMap<&InstallTarget, TreeStamp>,
        next: &mut ProjectState,
    ) -> Result<()> {
        for (place, mut record) in records {
            let known = before.state.installed_skill(&place.target, &place.name);
            let stamp = match plan[place] {
                PlanAction::KeepEdited | PlanAction::Leave => {
                    known.and_then(|known| known.stamp.clone())
                }
                // From before reading: a later stamp would hide changes since then.
                PlanAction::Keep => before.stamps.get(place).cloned(),
                _ => match written.remove(place) {
                    Some(stamp) => Some(stamp),
                    None => disk::stamp_tree(&place.path(&self.input.workspace.root))?,
                },
            };

            // A stamp means unchanged since installation: without one the next command reads the
            // skill.
            record.stamp = stamp.filter(|_| record.edited.is_none());
            next.targets
                .entry(place.target.clone())
                .or_default()
                .insert(place.name.clone(), record);
        }
        Ok(())
    }

    /// Writes the state; a failure is only reported, because all changes are made already.
    pub(super) fn try_save_state(&self, state: &ProjectState) {
        if let Err(error) = self.save_state(state) {
            let message = format!(
                "{}; the next command reads all skills once more",
                error.in_one_line()
            );
            self.input
                .context
                .reporter
                .report(ProgressEvent::Detail { message });
        }
    }

    fn save_state(&self, state: &ProjectState) -> Result<()> {
        let dir = self.input.state_dir();

        ProjectState::write_gitignore(&dir)?;
        state.save(&dir)
    }

    pub(super) fn path_stamps(&self, lockfile: &Lockfile) -> Result<BTreeMap<String, TreeStamp>> {
        let mut stamps = BTreeMap::new();

        for locked in lockfile.packages() {
            if let SourceId::Path(path) = &locked.source
                && let Some(stamp) =
                    disk::stamp_tree(&disk::real_path(&self.input.workspace.root.join(path)))?
            {
                stamps.insert(path.clone(), stamp);
            }
        }
        Ok(stamps)
    }
}

/// Whether the lockfile is among the changed texts.
pub(super) fn includes_lockfile(texts: &[UndoText]) -> bool {
    texts
        .iter()
        .any(|text| text.path == Path::new(skillpm_core::lockfile::FILE))
}

/// Refuses a text that no command could read.
fn check_size(path: &Path, text: Option<&str>) -> Result<()> {
    let limit = disk::size_limit(path);
    match text {
        Some(text) if text.len() as u64 > limit => Err(Error::negative(format!(
            "refusing to write `{}`: it would have {} bytes; the limit is {limit}",
            path.display(),
            text.len()
        ))
        .help("add fewer skills to this project: `skillpm add … --skill NAME`")),
        _ => Ok(()),
    }
}
