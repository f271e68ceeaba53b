//! `vendor`: copies every locked package into the project's repository, and configures source
//! replacement to use them.

mod placement;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::CommandContext;
use super::sync::{self, ProjectLock, ResolvedProject, SyncOptions, inspect_path, lock_project};
use placement::{refuse_foreign_files, settings_path, vendor_directory};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::LockedPackage;
use skillpm_core::package::{Checksum, SourceId, Tree};
use skillpm_io::disk;
use skillpm_io::ignore::walk::{IgnoredFiles, discover_files};
use skillpm_io::local_files::{InstalledReader, LocalFiles};
use skillpm_registry::config;
use skillpm_registry::install::plan::OnDisk;
use skillpm_registry::install::state::ProjectState;
use skillpm_registry::install::transaction::Transaction;
use skillpm_registry::install::undo::{self, UndoContent, UndoText};
use skillpm_registry::sources::PackageSources;
use skillpm_registry::store::Store;
use skillpm_registry::vendor::{GENERATED_FILES, VendorDirectory, VendorRecord, VendoredPackage};
use skillpm_registry::workspace::WorkspaceKind;

/// Where and how to vendor.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub struct VendorOptions {
    /// The directory, relative to the current one; `None` for the configured directory, else
    /// `vendor`.
    pub dir: Option<PathBuf>,
    /// Whether the names of package directories have versions.
    pub versioned: bool,
    /// Whether packages that are no longer locked are kept.
    pub no_delete: bool,
    /// Whether the lockfile may not change.
    pub locked: bool,
    /// Whether to report changes without making them.
    pub dry_run: bool,
}

/// The change of one package's directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VendorAction {
    /// It was up to date.
    Kept,
    /// It is new.
    Added,
    /// It had other contents.
    Replaced,
    /// Its package is no longer locked.
    Removed,
    /// Its package is no longer locked, and `--no-delete` kept it.
    Stale,
}

/// One package's directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorChange {
    /// Its path, relative to the project.
    pub path: PathBuf,
    /// Its package.
    pub record: VendorRecord,
    /// The change.
    pub kind: VendorAction,
    /// The backup of local edits.
    pub saved: Option<PathBuf>,
}

/// The result of [`vendor`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VendorReport {
    /// The directory, relative to the project.
    pub directory: String,
    /// The changes of package directories, by name.
    pub changes: Vec<VendorChange>,
    /// The sources that it replaces, by key.
    pub sources: BTreeSet<String>,
    /// Whether the settings changed.
    pub settings_changed: bool,
    /// Whether the lockfile changed.
    pub lock_changed: bool,
    /// Files that git ignores, relative to the project.
    pub ignored: Vec<String>,
}

impl VendorReport {
    /// The number of vendored packages.
    #[must_use]
    pub fn packages(&self) -> usize {
        self.changes
            .iter()
            .filter(|change| !matches!(change.kind, VendorAction::Removed | VendorAction::Stale))
            .count()
    }

    /// Whether there was nothing to do.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        let is_unchanged =
            |change: &VendorChange| matches!(change.kind, VendorAction::Kept | VendorAction::Stale);
        self.changes.iter().all(is_unchanged) && !self.settings_changed && !self.lock_changed
    }
}

/// Copies every locked package from outside of the project into a directory of the project.
///
/// Packages are fetched from their sources, ignoring source replacement, except for those in the
/// directory already.
///
/// # Errors
/// If there is no project, the directory has other files, or a package cannot be fetched; nothing
/// is changed then.
pub fn vendor(context: &CommandContext<'_>, options: &VendorOptions) -> Result<VendorReport> {
    let project = lock_project(context, WorkspaceKind::Project, None)?;
    // Without source replacement: the vendored directory has only the packages that were locked
    // when it was written.
    let unvendored = context.without_vendoring()?;
    let root = &project.workspace.root;

    let directory = vendor_directory(context, &project.workspace, options.dir.as_deref())?;
    let entries = directory.entries()?;

    let tools = unvendored.tools()?;
    let registries = |name: Option<&str>| unvendored.config.registry(name);
    let sources = PackageSources::new(&tools, root, &registries, unvendored.reporter);
    let store = context.store()?;

    let request = sync::ResolveRequest {
        sources: &sources,
        store: &store,
        known_trees: intact_trees(&directory, &entries)?,
        options: SyncOptions {
            locked: options.locked,
            // A directory beside the checkout may be missing here, and is vendored already.
            keep_absent: true,
            ..SyncOptions::default()
        },
        is_wanted: &|locked| is_outside(root, &locked.source),
    };
    let resolved = sync::resolve_project(&unvendored, &project.workspace, request)?;

    let job = VendorJob {
        context,
        project: &project,
        options,
        directory: &directory,
        store: &store,
        resolved: &resolved,
    };
    job.run(&entries)
}

/// Whether a source is outside of the project.
pub(super) fn is_outside(root: &Path, source: &SourceId) -> bool {
    match source {
        SourceId::Path(path) | SourceId::Archive(path) if !path.contains("://") => {
            // With links resolved: a path below the project may lead out of it.
            !disk::normalize_path(&disk::real_path(&root.join(path))).starts_with(root)
        }
        _ => true,
    }
}

/// The unchanged packages in the directory, by checksum.
fn intact_trees(
    directory: &VendorDirectory,
    entries: &[VendoredPackage],
) -> Result<BTreeMap<Checksum, Tree>> {
    let mut trees = BTreeMap::new();
    for entry in entries {
        if let Some(tree) = read_intact(directory, entry)? {
            trees.insert(Checksum::from_tree(&tree), tree);
        }
    }
    Ok(trees)
}

/// The package of an entry, if it is unchanged.
fn read_intact(directory: &VendorDirectory, entry: &VendoredPackage) -> Result<Option<Tree>> {
    // A file of that name is not from `vendor`, and is not read as a package.
    if disk::lstat(&directory.package_path(&entry.name))?.is_some_and(|meta| !meta.is_dir()) {
        return Ok(None);
    }

    let tree = directory.read_package(entry).ok().and_then(Result::ok);
    Ok(tree.filter(|tree| Checksum::from_tree(tree) == entry.record.checksum))
}

/// The name of a package's directory.
fn package_dir_name(locked: &LockedPackage, options: &VendorOptions) -> String {
    if !options.versioned {
        return locked.install_name().to_string();
    }
    // The commit, if the source has no versions.
    format!("{}-{}", locked.install_name(), locked.revision())
}

struct VendorJob<'a> {
    context: &'a CommandContext<'a>,
    project: &'a ProjectLock,
    options: &'a VendorOptions,
    directory: &'a VendorDirectory,
    store: &'a Store,
    resolved: &'a ResolvedProject,
}

/// The planned change of a package's directory and the record beside it; without a tree both are
/// removed.
struct VendorStep<'a> {
    change: VendorChange,
    name: String,
    tree: Option<&'a Tree>,
    text_before: Option<String>,
}

impl VendorJob<'_> {
    fn run(&self, entries: &[VendoredPackage]) -> Result<VendorReport> {
        let packages = self.packages_outside();
        let names = packages
            .iter()
            .map(|locked| package_dir_name(locked, self.options));
        // Checked before anything is written, with the directory names that packages would get.
        refuse_foreign_files(self.directory, entries, &names.collect())?;

        let sources: BTreeSet<String> = packages
            .iter()
            .map(|locked| locked.source.location_key())
            .collect();
        let steps = self.plan_steps(entries, &packages)?;

        let texts = self.texts(&steps, &sources)?;
        let is_changed = |path: &Path| texts.iter().any(|text| text.path == path);

        let vendored = VendorReport {
            directory: self.directory.display_path.clone(),
            settings_changed: is_changed(&settings_path(Path::new(""))),
            lock_changed: is_changed(Path::new(skillpm_core::lockfile::FILE)),
            changes: steps.iter().map(|step| step.change.clone()).collect(),
            ignored: Vec::new(),
            sources,
        };

        if self.options.dry_run {
            return Ok(vendored);
        }

        // With nothing to do there is no transaction, and so no undo entry.
        if !texts.is_empty() || !vendored.is_unchanged() {
            self.apply(&steps, texts)?;
        }

        Ok(VendorReport {
            ignored: self.ignored_files()?,
            ..vendored
        })
    }

    fn packages_outside(&self) -> Vec<&LockedPackage> {
        let root = &self.project.workspace.root;
        let packages = self.resolved.lockfile.packages().iter();
        packages
            .filter(|locked| is_outside(root, &locked.source))
            .collect()
    }

    /// Plans the change of every package's directory, by name.
    fn plan_steps(
        &self,
        entries: &[VendoredPackage],
        packages: &[&LockedPackage],
    ) -> Result<Vec<VendorStep<'_>>> {
        let mut steps = Vec::new();
        for locked in packages {
            steps.push(self.plan_package(entries, locked)?);
        }

        // Directories of packages that are no longer locked.
        let stale: Vec<&VendoredPackage> = entries
            .iter()
            .filter(|entry| steps.iter().all(|step| step.name != entry.name))
            .collect();
        for entry in stale {
            steps.push(self.plan_removal(entry)?);
        }

        steps.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(steps)
    }

    /// Plans the change of a locked package's directory.
    fn plan_package(
        &self,
        entries: &[VendoredPackage],
        locked: &LockedPackage,
    ) -> Result<VendorStep<'_>> {
        let name = package_dir_name(locked, self.options);

        let tree = self.resolved.trees.get(&locked.upstream_checksum());
        let tree = tree.ok_or_else(|| Error::internal("a fetched package is missing"))?;
        let record = VendorRecord::new(locked, tree);

        let entry = entries.iter().find(|entry| entry.name == name);
        let (kind, saved) = self.plan_write(&name, entry, &record, tree)?;

        let path = Path::new(&self.directory.display_path).join(&name);
        let text_before = disk::read_text(&self.directory.record_path(&name))?;

        Ok(VendorStep {
            change: VendorChange {
                path,
                record,
                kind,
                saved,
            },
            name,
            tree: Some(tree),
            text_before,
        })
    }

    /// What is done with a package's directory, and where what is there now is saved.
    fn plan_write(
        &self,
        name: &str,
        entry: Option<&VendoredPackage>,
        record: &VendorRecord,
        tree: &Tree,
    ) -> Result<(VendorAction, Option<PathBuf>)> {
        let Some(entry) = entry else {
            // The files are right and only the record is missing, as after a merge conflict in it.
            let saved = if self.is_in_place(name, &record.listed_files(tree))? {
                None
            } else {
                // Other files are there: they are saved, not overwritten.
                self.backup_path(name)?
            };
            return Ok((VendorAction::Added, saved));
        };

        Ok(match read_intact(self.directory, entry)? {
            Some(found) if found == *tree && entry.text == record.to_text() => {
                (VendorAction::Kept, None)
            }
            // An unchanged package of another version can be fetched again, and needs no backup.
            Some(_) => (VendorAction::Replaced, None),
            // Edited by hand.
            None => (VendorAction::Replaced, self.backup_path(name)?),
        })
    }

    /// Plans the removal of a package that is no longer locked.
    fn plan_removal(&self, entry: &VendoredPackage) -> Result<VendorStep<'_>> {
        let (kind, saved) = match (self.options.no_delete, read_intact(self.directory, entry)?) {
            // `--no-delete`
            (true, _) => (VendorAction::Stale, None),
            (false, Some(_)) => (VendorAction::Removed, None),
            (false, None) => (VendorAction::Removed, self.backup_path(&entry.name)?),
        };
        let path = Path::new(&self.directory.display_path).join(&entry.name);

        let change = VendorChange {
            path,
            record: entry.record.clone(),
            kind,
            saved,
        };

        Ok(VendorStep {
            change,
            name: entry.name.clone(),
            tree: None,
            text_before: Some(entry.text.clone()),
        })
    }

    /// Whether a package's directory has exactly its files.
    fn is_in_place(&self, name: &str, listed: &Tree) -> Result<bool> {
        Ok(inspect_path(&self.directory.package_path(name))?
            == OnDisk::Tree(Checksum::from_tree(listed)))
    }

    /// The backup path for local edits, relative to the project; `None` if there is no directory.
    fn backup_path(&self, name: &str) -> Result<Option<PathBuf>> {
        let is_there = disk::lstat(&self.directory.package_path(name))?.is_some();
        Ok(is_there.then(|| Path::new(".skillpm/backup").join(self.backup_name(name))))
    }

    /// The same, relative to the directory of backups.
    fn backup_name(&self, name: &str) -> PathBuf {
        Path::new(&self.context.now.to_string())
            .join(&self.directory.display_path)
            .join(name)
    }

    /// The project's settings, with these sources replaced by the directory.
    fn settings_text(&self, sources: &BTreeSet<String>) -> Result<UndoText> {
        let file = settings_path(&self.project.workspace.root);
        let before = disk::read_text(&file)?;
        let after = config::with_vendored_sources(
            &file,
            before.as_deref().unwrap_or_default(),
            &self.directory.display_path,
            sources,
        )?;

        Ok(UndoText {
            path: settings_path(Path::new("")),
            // No settings file is made only to be empty.
            after: (before.is_some() || !after.is_empty()).then_some(after),
            before,
        })
    }

    /// Every text that changes: the lockfile, the settings, the records, and the directory's own
    /// files.
    fn texts(&self, steps: &[VendorStep<'_>], sources: &BTreeSet<String>) -> Result<Vec<UndoText>> {
        let (workspace, directory) = (
            &self.project.workspace,
            Path::new(&self.directory.display_path),
        );
        let mut texts = self.resolved.texts.clone();
        let changed = steps
            .iter()
            .filter(|step| !matches!(step.change.kind, VendorAction::Kept | VendorAction::Stale));
        texts.extend(changed.map(|step| UndoText {
            path: directory.join(format!("{}.json", step.name)),
            before: step.text_before.clone(),
            after: step.tree.map(|_| step.change.record.to_text()),
        }));

        // The directory's own files are removed with its last package.
        let has_packages = steps
            .iter()
            .any(|step| step.change.kind != VendorAction::Removed);
        for (name, text) in GENERATED_FILES {
            let path = directory.join(name);
            let before = disk::read_text(&workspace.root.join(&path))?;
            texts.push(UndoText {
                path,
                before,
                after: has_packages.then(|| text.to_owned()),
            });
        }

        // Last, so that the settings never refer to a directory that does not exist yet.
        texts.push(self.settings_text(sources)?);
        texts.retain(|text| text.before != text.after);
        Ok(texts)
    }

    /// Makes all changes in one transaction.
    fn apply(&self, steps: &[VendorStep<'_>], texts: Vec<UndoText>) -> Result<()> {
        let (root, state_dir) = (
            &self.project.workspace.root,
            &self.context.state_dir(&self.project.workspace),
        );

        let mut changes = Transaction::begin(state_dir)?;
        let mut directories = Vec::new();

        for step in steps
            .iter()
            .filter(|step| !matches!(step.change.kind, VendorAction::Kept | VendorAction::Stale))
        {
            directories.push(self.apply_step(&mut changes, step)?);
        }

        for text in &texts {
            changes.change_text(
                &root.join(&text.path),
                text.before.as_deref(),
                text.after.as_deref(),
            )?;
        }

        let mut entry =
            undo::UndoEntry::new(self.context.command, self.context.now, Vec::new(), texts);
        entry.directories = directories;
        entry.saved = changes.saved().to_vec();
        let (path, bytes) = entry.to_file(state_dir)?;
        changes.put_file(&path, &bytes)?;
        ProjectState::write_gitignore(state_dir)?;
        changes.commit()?;
        // Empty after the last package was removed.
        disk::remove_if_empty(&self.directory.dir);
        undo::prune_entries(state_dir)
    }

    fn apply_step(
        &self,
        changes: &mut Transaction,
        step: &VendorStep<'_>,
    ) -> Result<undo::UndoDirectory> {
        let place = self.directory.package_path(&step.name);
        let existing = inspect_path(&place)?;
        // `undo` restores the old tree from the store.
        if let OnDisk::Tree(checksum) = &existing
            && !self.store.contains(checksum)?
        {
            self.store.put(&disk::read_tree(&place)?)?;
        }

        let mut local = LocalFiles::default();
        if let OnDisk::Tree(checksum) = &existing {
            let stored =
                |checksum: &Checksum| self.store.get(checksum, self.context.reporter).ok()?;
            let reader = InstalledReader::new(&self.directory.dir, &stored);
            local = reader.read(&place, Some(checksum))?.local;
        }

        if step.change.saved.is_some() {
            changes.back_up(&place, &self.backup_name(&step.name))?;
        }

        let listed = step.tree.map(|tree| step.change.record.listed_files(tree));
        match &listed {
            Some(tree) => drop(changes.put_tree(&place, tree, None, &local)?),
            None if step.change.saved.is_none() => {
                changes.remove(&place, None, &local)?;
            }
            None => {}
        }

        let after = listed.map_or(UndoContent::Nothing, |tree| {
            UndoContent::Tree(Checksum::from_tree(&tree))
        });
        Ok(undo::UndoDirectory {
            path: step.change.path.clone(),
            before: UndoContent::from(&existing),
            after,
        })
    }

    /// The files that git ignores, which a clone would lack.
    fn ignored_files(&self) -> Result<Vec<String>> {
        let root = &self.project.workspace.root;

        if disk::find_repository_root(root).is_none() {
            return Ok(Vec::new());
        }

        let seen: BTreeSet<String> = discover_files(root, IgnoredFiles::Skipped, 0)?
            .into_iter()
            .map(|walked| walked.path)
            .collect();

        let record = disk::list_names(&self.directory.dir)?
            .into_iter()
            .find(|name| Path::new(name).extension().is_some_and(|end| end == "json"));
        let record = record.map(|name| format!("{}/{name}", self.directory.display_path));
        let files = [Some(".skillpm/config.toml".to_owned()), record];

        let is_ignored = |file: &String| {
            !seen.contains(file) && disk::lstat(&root.join(file)).is_ok_and(|at| at.is_some())
        };

        Ok(files.into_iter().flatten().filter(is_ignored).collect())
    }
}
