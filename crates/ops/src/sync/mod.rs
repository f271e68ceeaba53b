//! The core of `add`, `install`, `remove` and `update`: manifest → resolve → fetch → plan →
//! transaction.
//!
//! | file | type | task |
//! |---|---|---|
//! | `resolve.rs` | `LockResolver` | decides the lockfile: keeps it as it is, or gathers and resolves again |
//! | `patch_updates.rs` | `PatchUpdater` | applies saved edits (patch files) to the resolved packages |
//! | `signatures.rs` | `SignatureVerifier` | verifies signatures |
//! | `unused_patches.rs` | | warns of `[patch]` entries without effect |
//! | `install.rs` | `SkillInstaller` | plans the changes of installed skills, and makes them in one transaction |
//! | `security.rs` | `SecurityChecker` | checks for revoked packages, advisories and similar names |
//! | `edits.rs`, `merge.rs` | `EditMerger` | merges skills that the user edited |
//! | `state_writer.rs` | `StateWriter` | writes manifest, lockfile, undo entry and installation state |
//! | `vendored.rs` | | warns of packages that the vendor directory lacks |
//!
//! All of them read the same `SyncInput`; `resolution.rs` and `snapshot.rs` are what they pass on.

mod edits;
mod install;
mod merge;
mod patch_updates;
mod resolution;
mod resolve;
mod security;
mod signatures;
mod snapshot;
mod state_writer;
mod unused_patches;
mod vendored;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::CommandContext;
use super::fetch::{self, PackageFetcher};
pub use super::gate::SeverityAction;
use super::interrupted::{self, display_path};
use super::patch_files::{PatchFile, PatchFiles, default_path};
use super::policy::{self, EffectivePolicy};
use super::projects;
use super::release_age::release_age;
use super::targets;
use install::SkillInstaller;
pub(super) use install::inspect_path;
pub(super) use patch_updates::patch_file_text as patch_text;
use resolution::LockResolution;
use resolve::{LockResolver, lockfile_changed};
use security::SecurityChecker;
use signatures::SignatureVerifier;
use skillpm_core::error::Result;
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest::{self, Manifest};
use skillpm_core::package::{
    Checksum, PackageId, PatchEntry, RelPath, Sha256Digest, SkillName, SourceId, Tree,
};
use skillpm_core::report::{EventReporter, ProgressEvent};
use skillpm_core::resolver::RootDependency;
use skillpm_io::disk::{self, FileLock};
use skillpm_registry::install::plan::{ForceMode, Plan};
use skillpm_registry::install::state::{self, ProjectState};
use skillpm_registry::install::state_dir::{OwnFile, StateDir};
use skillpm_registry::install::transaction;
use skillpm_registry::install::undo::{UndoStep, UndoText};
use skillpm_registry::sources::PackageSources;
use skillpm_registry::sources::release_age::ReleaseAge;
use skillpm_registry::store::Store;
use skillpm_registry::workspace::{Workspace, WorkspaceKind, WorkspaceManifests, WorkspaceMember};
use state_writer::StateWriter;

/// How to sync, and what is allowed.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct SyncOptions {
    /// The lockfile may not change, and installed skills must match it.
    pub locked: bool,
    /// Reports the changes without making them.
    pub dry_run: bool,
    /// Whether skills that the user edited may be moved to the backup.
    pub force: ForceMode,
    /// How conflicts of the user's edits with upstream's changes are resolved.
    pub edits: EditPolicy,
    /// What to do about findings of high severity in new packages.
    pub high: SeverityAction,
    /// Resolves and writes the lockfile without installing.
    pub lock_only: bool,
    /// Packages from directories that do not exist stay locked.
    pub keep_absent: bool,
}

impl Default for SyncOptions {
    fn default() -> Self {
        SyncOptions {
            locked: false,
            dry_run: false,
            force: ForceMode::No,
            edits: EditPolicy::Stop,
            high: SeverityAction::Warn,
            lock_only: false,
            keep_absent: false,
        }
    }
}

/// How conflicts of the user's edits with upstream's changes are resolved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EditPolicy {
    /// Not at all: the command fails, and no skill changes.
    #[default]
    Stop,
    /// Both versions are written, with conflict markers.
    Mark,
    /// With the user's lines.
    Ours,
    /// With upstream's lines.
    Theirs,
}

/// Which locked versions are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinPolicy {
    /// All that still match their requirements.
    All,
    /// All except the packages with these install names.
    AllBut(BTreeSet<SkillName>),
    /// None: everything is resolved again.
    Nothing,
}

/// The changes that a command requests beyond manifest and lockfile.
#[derive(Debug, Clone)]
pub struct SyncRequest {
    /// The new text of the manifest that the command edits ([`Workspace::edited_text`]); `None` for
    /// no change.
    pub manifest_text: Option<String>,
    /// Which locked versions are kept.
    pub keep: PinPolicy,
    /// Exact versions.
    pub precise: Vec<(PackageId, Option<RelPath>)>,
    /// Exact commits, by install name.
    pub commits: BTreeMap<SkillName, String>,
    /// Edits to save, as patches by install name; `None` drops saved edits.
    pub edits: BTreeMap<SkillName, Option<String>>,
    /// Skills that another tool installed, and skillpm manages from now on.
    pub adopted: AdoptedSkills,
}

/// Skills that another tool installed, and skillpm manages from now on.
#[derive(Debug, Clone, Default)]
pub struct AdoptedSkills {
    /// Packages whose versions are known; only their dependencies are resolved.
    pub packages: Vec<LockedPackage>,
    /// The checksums as installed, by target directory and name: differences are the user's edits.
    pub places: BTreeMap<(PathBuf, SkillName), Checksum>,
    /// Files of the other tool to remove; relative to the project, or absolute.
    pub gone: Vec<PathBuf>,
    /// Changes that were made just before, whose undo entry is combined with this one.
    pub made: Option<PriorChanges>,
}

/// Changes that a command made before syncing.
#[derive(Debug, Clone)]
pub struct PriorChanges {
    /// Its undo entry.
    pub file: PathBuf,
    /// The changed skills.
    pub steps: Vec<UndoStep>,
    /// The created directories, relative to the project.
    pub directories: Vec<PathBuf>,
}

impl Default for SyncRequest {
    fn default() -> Self {
        SyncRequest {
            manifest_text: None,
            keep: PinPolicy::All,
            precise: Vec::new(),
            commits: BTreeMap::new(),
            edits: BTreeMap::new(),
            adopted: AdoptedSkills::default(),
        }
    }
}

/// The change of one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillChange {
    /// It is new.
    Installed(Box<LockedPackage>),
    /// It had another version or content; before and after.
    Updated(Box<LockedPackage>, Box<LockedPackage>),
    /// It differed from the lockfile.
    Restored(Box<LockedPackage>),
    /// It is no longer needed.
    Removed(SkillName),
}

/// The change of a skill's saved edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchChange {
    /// The skill.
    pub name: SkillName,
    /// Its patch file, in the project.
    pub path: RelPath,
    /// The change.
    pub outcome: PatchOutcome,
}

/// The change of a patch file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchOutcome {
    /// It was written with the current edits.
    Written,
    /// It was removed, because upstream has all of the edits.
    Upstreamed,
    /// It was removed, and the edits dropped.
    Dropped,
    /// No skill of that name is installed any longer: the file stays, and its line in `[edits]` is
    /// removed.
    Unused,
}

/// A skill in which the user's edits and upstream's changes were merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillMerge {
    /// The skill.
    pub name: SkillName,
    /// Its path, relative to the project.
    pub place: PathBuf,
    /// The merged files.
    pub files: Vec<skillpm_merge::MergedFile>,
}

/// The result of [`sync`].
#[derive(Debug, Clone, Default)]
pub struct SyncReport {
    /// The changes on disk, by name.
    pub changes: Vec<SkillChange>,
    /// The number of packages of the project.
    pub packages: usize,
    /// Whether the lockfile changed.
    pub lock_changed: bool,
    /// Whether there was nothing to do.
    pub up_to_date: bool,
    /// Whether the changes were only reported, not made.
    pub dry_run: bool,
    /// Skills that were up to date; empty if the fast path did not check them.
    pub kept: Vec<SkillName>,
    /// Paths with the user's edits, which were kept.
    pub edited: Vec<PathBuf>,
    /// Skills in which the user's edits and upstream's changes were merged.
    pub merges: Vec<SkillMerge>,
    /// Paths that got the user's edits of another copy.
    pub carried: Vec<PathBuf>,
    /// Changes of patch files.
    pub patched: Vec<PatchChange>,
    /// Paths where the user replaced a link, which were left alone.
    pub left: Vec<PathBuf>,
    /// Paths of former targets from which skills were removed that stay in other targets.
    pub cleared: Vec<PathBuf>,
}

/// A locked project: no other process changes it, and an interrupted command was rolled back.
pub struct ProjectLock {
    /// The project, read under the lock.
    pub workspace: Workspace,
    _lock: FileLock,
}

/// Takes a project's lock, then reads it.
///
/// With `make`, a project that does not exist yet is created in that root, in memory only.
///
/// # Errors
/// If there is no such project, another process has the lock for too long, or it cannot be read.
pub fn lock_project(
    context: &CommandContext<'_>,
    sort: WorkspaceKind,
    make: Option<&Path>,
) -> Result<ProjectLock> {
    let found = match (sort, make) {
        (WorkspaceKind::Project, Some(root)) => match context.project()? {
            Some(found) => found,
            None => Workspace::new_in(root)?,
        },
        _ => context.find_workspace(sort)?,
    };

    lock_workspace(context, found, AfterKill::Recovers)
}

/// Takes a project's lock as [`lock_project`] does, for a command that changes nothing: an
/// interrupted command is reported, and not rolled back.
///
/// # Errors
/// As for [`lock_project`].
pub(crate) fn lock_project_read_only(
    context: &CommandContext<'_>,
    sort: WorkspaceKind,
) -> Result<ProjectLock> {
    lock_workspace(context, context.find_workspace(sort)?, AfterKill::Reports)
}

/// What to do about the journal of a killed command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AfterKill {
    Recovers,
    Reports,
}

fn lock_workspace(
    context: &CommandContext<'_>,
    found: Workspace,
    after_kill: AfterKill,
) -> Result<ProjectLock> {
    let sort = found.kind;
    if sort == WorkspaceKind::Managed {
        // The user's own directory may not exist before the first command that needs it.
        disk::create_dir(&found.root)?;
    }
    let lock = FileLock::acquire_dir(&found.root, context.lock_timeout(), context.reporter)?;

    // Recorded under the lock, so that `cache prune` knows the project before it installs anything.
    if sort == WorkspaceKind::Project {
        projects::record_project(&context.dirs.skillpm_home, &found.root);
    }

    let state_dir = context.state_dir(&found);
    // A killed command is rolled back before anything reads its changes.
    match after_kill {
        AfterKill::Recovers => recover(&state_dir, context.reporter)?,
        AfterKill::Reports => interrupted::warn(&state_dir, context.reporter)?,
    }

    // Read again: the process that had the lock may have changed it.
    let workspace = match sort {
        WorkspaceKind::Managed => Workspace::managed(&found.root)?,
        WorkspaceKind::Project => {
            match Workspace::find(&found.root)?.filter(|again| again.root == found.root) {
                Some(again) => Workspace {
                    member: found.member,
                    ..again
                },
                None => Workspace::new_in(&found.root)?,
            }
        }
    };

    Ok(ProjectLock {
        workspace,
        _lock: lock,
    })
}

/// Rolls back a killed command, and reports files that the user has changed since.
fn recover(state_dir: &StateDir, reporter: &dyn EventReporter) -> Result<()> {
    let Some(recovered) = transaction::recover(state_dir)? else {
        return Ok(());
    };
    reporter.report(ProgressEvent::Done {
        verb: "Recovered",
        what: "from an interrupted command".into(),
    });

    for saved in &recovered.saved {
        let message = format!(
            "`{}` was changed after the command was interrupted",
            display_path(state_dir, &saved.place)
        );
        let help = format!(
            "your version is saved in `{}`",
            display_path(state_dir, &saved.backup)
        );
        reporter.report(ProgressEvent::Warning {
            message,
            help: Some(help),
        });
    }
    Ok(())
}

/// Reads the installation state, and reports a file that another user wrote.
fn load_state(context: &CommandContext<'_>, workspace: &Workspace) -> Result<ProjectState> {
    let state_dir = context.state_dir(workspace);

    let state = ProjectState::load(&state_dir)?;
    // An empty state is ambiguous: there is no file, or one that is not trusted.
    if state == ProjectState::default() && state_dir.read(state::STATE_FILE)? == OwnFile::Untrusted
    {
        let path = display_path(&state_dir, &state_dir.path().join(state::STATE_FILE));
        context.reporter.report(ProgressEvent::Warning {
            message: format!("ignoring `{path}`: it was not written by this user on this machine for this project"),
            help: Some("skills are compared with the lockfile instead, and the file is written again".into()),
        });
    }
    Ok(state)
}

/// Whether the lockfile satisfies the manifests, without fetching anything.
///
/// # Errors
/// If one of them is invalid.
pub(super) fn is_lockfile_satisfied(
    context: &CommandContext<'_>,
    workspace: &Workspace,
) -> Result<bool> {
    let request = SyncRequest::default();
    let input = SyncInput::read(context, workspace, &request, SyncOptions::default())?;

    Ok(LockResolver { input: &input }.is_satisfied())
}

/// Resolves the manifest, and updates the lockfile and installed skills.
///
/// # Errors
/// If the manifest cannot be resolved, a check refuses a package, or a read or write fails; nothing
/// is changed then.
pub fn sync(
    context: &CommandContext<'_>,
    project: &ProjectLock,
    request: &SyncRequest,
    options: SyncOptions,
) -> Result<SyncReport> {
    let workspace = &project.workspace;
    let state = load_state(context, workspace)?;

    // The fast path: digests and stamps are equal, so that no file has to be read. Only revocations
    // can make a difference without a change on this machine.
    if is_request_empty(request, options) && is_current(context, workspace, &state) {
        security::warn_of_revoked(context, workspace)?;
        return Ok(SyncReport {
            up_to_date: true,
            packages: count_installed(&state),
            ..SyncReport::default()
        });
    }

    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = PackageSources::new(&tools, &workspace.root, &registries, context.reporter);
    sync_with(context, project, &sources, request, options)
}

/// [`sync`] with open sources, so that nothing is fetched twice.
///
/// # Errors
/// As [`sync`].
pub fn sync_with(
    context: &CommandContext<'_>,
    project: &ProjectLock,
    sources: &PackageSources<'_>,
    request: &SyncRequest,
    options: SyncOptions,
) -> Result<SyncReport> {
    let workspace = &project.workspace;

    let state = ProjectState::load(&context.state_dir(workspace))?;
    let input = SyncInput::read(context, workspace, request, options)?;
    let resolver = LockResolver { input: &input };
    // Another message than below: there is no lockfile to compare with.
    if options.locked && workspace.lock_text.is_none() {
        return Err(lockfile_changed(&input.old, &input.old, false));
    }

    let store = input.store()?;
    let mut resolution = resolver.resolve(sources, &store)?;

    if options.locked && !resolver.is_unchanged(&resolution.lockfile) {
        return Err(lockfile_changed(
            &input.old,
            &resolution.lockfile,
            workspace.lock_text.is_some(),
        ));
    }

    // The policy is checked before anything is written, also for packages that were locked before.
    resolver.check_policy(input.fetcher(sources, &store), &mut resolution)?;

    if options.lock_only {
        SecurityChecker { input: &input }.check_security(
            sources,
            &resolution.lockfile,
            &Plan::default(),
        )?;

        return StateWriter { input: &input }.write_lock_only(resolution);
    }

    let lockfile = resolution.lockfile.clone();
    let report = SkillInstaller { input: &input }.install(
        input.fetcher(sources, &store),
        &state,
        resolution,
    )?;

    // A new package is not in the vendor directory yet, where a clone looks for it.
    if report.lock_changed {
        vendored::warn_not_vendored(sources, &workspace.root, &lockfile, context.reporter);
    }

    Ok(report)
}

/// Resolves a request without writing: every package that it changes, with its tree as it would be
/// installed.
///
/// # Errors
/// As [`sync`].
pub(super) fn preview(
    context: &CommandContext<'_>,
    project: &ProjectLock,
    sources: &PackageSources<'_>,
    store: &Store,
    request: &SyncRequest,
) -> Result<BTreeMap<SkillName, (LockedPackage, Tree)>> {
    let input = SyncInput::read(
        context,
        &project.workspace,
        request,
        SyncOptions {
            dry_run: true,
            ..SyncOptions::default()
        },
    )?;
    let mut resolution = LockResolver { input: &input }.resolve(sources, store)?;

    let is_new = |locked: &&LockedPackage| {
        input
            .old
            .installed_as(locked.install_name())
            .is_none_or(|old| old.checksum != locked.checksum)
    };

    let packages: Vec<&LockedPackage> = resolution
        .lockfile
        .packages()
        .iter()
        .filter(is_new)
        .collect();
    let mut trees = fetch::fetch(
        &packages,
        &mut resolution.fetched_trees,
        input.fetcher(sources, store),
    )?;

    let with_tree = |package: &&LockedPackage| {
        let name = package.install_name().clone();
        trees
            .remove(&name)
            .map(|tree| (name, ((*package).clone(), tree)))
    };

    Ok(packages.iter().filter_map(with_tree).collect())
}

/// A resolved project, with packages as their sources have them, without edits.
pub(super) struct ResolvedProject {
    /// The new lockfile.
    pub lockfile: Lockfile,
    /// The new text of the lockfile.
    pub lock_text: String,
    /// Every text that would change: the lockfile, the manifest, patch files.
    pub texts: Vec<UndoText>,
    /// Trees by their checksums.
    pub trees: BTreeMap<Checksum, Tree>,
}

/// What [`resolve_project`] works with.
pub(super) struct ResolveRequest<'a, 's> {
    pub sources: &'a PackageSources<'s>,
    pub store: &'a Store,
    /// Trees that need not be fetched, by checksum.
    pub known_trees: BTreeMap<Checksum, Tree>,
    pub options: SyncOptions,
    /// Selects the packages to fetch.
    pub is_wanted: &'a dyn Fn(&LockedPackage) -> bool,
}

/// Resolves a project, and fetches the selected packages. Only the store is written.
///
/// # Errors
/// As [`sync`].
pub(super) fn resolve_project(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    resolve: ResolveRequest<'_, '_>,
) -> Result<ResolvedProject> {
    let ResolveRequest {
        sources,
        store,
        known_trees,
        options,
        is_wanted,
    } = resolve;
    let request = SyncRequest::default();
    let input = SyncInput::read(context, workspace, &request, options)?;
    let resolver = LockResolver { input: &input };

    if options.locked && workspace.lock_text.is_none() {
        return Err(lockfile_changed(&input.old, &input.old, false));
    }

    let mut resolution = resolver.resolve(sources, store)?;
    if options.locked && !resolver.is_unchanged(&resolution.lockfile) {
        return Err(lockfile_changed(&input.old, &resolution.lockfile, true));
    }

    let policy = EffectivePolicy::load(context, &input.manifest.policy)?;
    SignatureVerifier { input: &input }.verify_signatures(
        sources,
        &policy,
        &mut resolution.lockfile,
    )?;
    let writer = StateWriter { input: &input };
    let (texts, lock_text) = (
        writer.changed_texts(&resolution)?,
        writer.lock_text(&resolution.lockfile),
    );

    let LockResolution {
        lockfile,
        fetched_trees: mut trees,
        ..
    } = resolution;
    trees.extend(known_trees);
    // As the sources have them: each clone applies edits and other names itself.
    let packages: Vec<LockedPackage> = lockfile
        .packages()
        .iter()
        .filter(|locked| is_wanted(locked))
        .map(fetch::without_edits)
        .collect();

    fetch::fetch(
        &packages.iter().collect::<Vec<_>>(),
        &mut trees,
        input.fetcher(sources, store),
    )?;
    context.reporter.report(ProgressEvent::Fetched);

    Ok(ResolvedProject {
        lockfile,
        lock_text,
        texts,
        trees,
    })
}

fn is_request_empty(request: &SyncRequest, options: SyncOptions) -> bool {
    let changes_nothing = request.manifest_text.is_none() && request.keep == PinPolicy::All;
    let asks_nothing =
        request.precise.is_empty() && request.commits.is_empty() && request.edits.is_empty();
    let adopts_nothing = request.adopted.places.is_empty() && request.adopted.gone.is_empty();
    changes_nothing && asks_nothing && adopts_nothing && !options.lock_only
}

fn is_current(context: &CommandContext<'_>, workspace: &Workspace, state: &ProjectState) -> bool {
    let Some(lock) = &workspace.lock_text else {
        return false;
    };

    let inputs = || {
        let edits = manifest::parse_edits(&workspace.manifest_text, manifest::FILE)?;
        inputs_digest(
            context,
            workspace,
            lock,
            &PatchFiles::read(&workspace.root, &edits)?,
        )
    };

    inputs().is_ok_and(|inputs| state.is_current(&inputs, &workspace.root))
}

fn count_installed(state: &ProjectState) -> usize {
    state.targets.values().map(BTreeMap::len).max().unwrap_or(0)
}

/// A digest of everything that decides which skills are installed where.
fn inputs_digest(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    lock: &str,
    patch_files: &PatchFiles,
) -> Result<Sha256Digest> {
    // A setting that is missing here would go unnoticed: `install` after its change would report
    // that there is nothing to do.
    let managed = context.config.string("managed.dir").unwrap_or_default();
    let policy = policy::user_settings(context);
    let (root, members) = (
        workspace.root.display().to_string(),
        workspace.member_texts()?,
    );
    let agents = targets::settings(context, workspace.kind);

    let mut parts = vec![
        // The version as well: another skillpm may install the same lockfile differently.
        env!("CARGO_PKG_VERSION"),
        &workspace.manifest_text,
        lock,
        &managed,
        &root,
        &agents,
        &policy,
    ];

    parts.extend(
        members
            .iter()
            .flat_map(|(dir, text)| [dir.as_str(), text.as_str()]),
    );
    parts.extend(
        patch_files
            .iter()
            .flat_map(|(name, file)| [name.as_str(), &file.text]),
    );

    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len() + 8).sum());
    // Each part with its length, so that moving text from one part to the next changes the digest.
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }

    Ok(Sha256Digest::hash_bytes(&bytes))
}

/// The input of all steps.
struct SyncInput<'a> {
    context: &'a CommandContext<'a>,
    workspace: &'a Workspace,
    /// The project with the requested changes.
    next: Cow<'a, Workspace>,
    request: &'a SyncRequest,
    options: SyncOptions,
    manifest: Manifest,
    members: Vec<WorkspaceMember>,
    /// The dependencies of the project and its members.
    roots: Vec<RootDependency>,
    patches: Vec<PatchEntry>,
    age: ReleaseAge,
    old: Lockfile,
    /// The saved edits, with the requested changes.
    patch_files: PatchFiles,
}

impl<'a> SyncInput<'a> {
    fn read(
        context: &'a CommandContext<'a>,
        workspace: &'a Workspace,
        request: &'a SyncRequest,
        options: SyncOptions,
    ) -> Result<Self> {
        let next = match &request.manifest_text {
            Some(text) => Cow::Owned(workspace.with_edited_text(text)),
            None => Cow::Borrowed(workspace),
        };

        let registries = |name: Option<&str>| context.config.registry(name);
        let WorkspaceManifests {
            manifest,
            members,
            roots,
        } = next.read_manifests(&registries)?;

        let patches = manifest::parse_patches(&next.manifest_text, manifest::FILE, &registries)?;
        let age = release_age(context, &manifest.policy)?;
        // The lockfile on disk: a request changes the manifest only.
        let old = workspace.lockfile()?.unwrap_or_default();
        let patch_files = requested_patch_files(&workspace.root, &manifest, request)?;

        Ok(SyncInput {
            context,
            workspace,
            next,
            request,
            options,
            manifest,
            members,
            roots,
            patches,
            age,
            old,
            patch_files,
        })
    }

    fn state_dir(&self) -> StateDir {
        self.context.state_dir(self.workspace)
    }

    fn store(&self) -> Result<Store> {
        Store::open(
            &self.context.dirs.skillpm_home,
            self.context.lock_timeout(),
            self.reporter(),
        )
    }

    fn fetcher<'s, 'r>(
        &'s self,
        sources: &'s PackageSources<'r>,
        store: &'s Store,
    ) -> PackageFetcher<'s, 'r> {
        PackageFetcher {
            store,
            sources,
            patch_files: &self.patch_files,
            reporter: self.reporter(),
        }
    }

    fn reporter(&self) -> &dyn EventReporter {
        self.context.reporter
    }

    /// The member in the directory of a source.
    fn member_at(&self, source: &SourceId) -> Option<&WorkspaceMember> {
        let SourceId::Path(path) = source else {
            return None;
        };
        self.members
            .iter()
            .find(|member| member.dir.as_ref().is_some_and(|dir| dir.as_str() == path))
    }

    /// Whether a locked package is a member of the workspace.
    pub(super) fn is_member(&self, locked: &LockedPackage) -> bool {
        self.member_at(&locked.source).is_some()
    }
}

/// The saved edits, with those of a request.
fn requested_patch_files(
    root: &Path,
    manifest: &Manifest,
    request: &SyncRequest,
) -> Result<PatchFiles> {
    let named = manifest
        .edits
        .iter()
        .filter(|(name, _)| !request.edits.contains_key(*name));
    let mut files = PatchFiles::read(
        root,
        &named
            .map(|(name, path)| (name.clone(), path.clone()))
            .collect(),
    )?;
    // An edit of this request replaces the file, which is not read.
    for (name, text) in &request.edits {
        if let Some(text) = text {
            let path = manifest
                .edits
                .get(name)
                .cloned()
                .unwrap_or_else(|| default_path(name));
            files.insert(name.clone(), PatchFile::new(path, text.clone())?);
        }
    }

    Ok(files)
}

/// The install names of the skills that a plan writes.
fn written_names(plan: &Plan) -> BTreeSet<&SkillName> {
    plan.iter()
        .filter(|(_, action)| action.writes_package())
        .map(|(place, _)| &place.name)
        .collect()
}
