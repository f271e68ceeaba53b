//! The core of `add`, `install`, `remove` and `update`: manifest → resolve → fetch → plan →
//! transaction.
//!
//! | file | type | task |
//! |---|---|---|
//! | `project_lock.rs` | `ProjectLock` | locks the project, and rolls back a killed command |
//! | `resolve.rs` | `LockResolver` | decides the lockfile: keeps it as it is, or gathers and resolves again |
//! | `lock_builder.rs` | `LockBuilder` | makes the lockfile entries of resolved packages |
//! | `patch_updates.rs` | `PatchUpdater` | applies saved edits (patch files) to the resolved packages |
//! | `signatures.rs` | `SignatureVerifier` | verifies signatures |
//! | `unchanged.rs` | | finds the packages that `update` need not read |
//! | `unused_patches.rs` | | warns of `[patch]` entries without effect |
//! | `install.rs` | `SkillInstaller` | plans the changes of installed skills, and reports them |
//! | `contents.rs` | `ContentPlanner` | decides the content of each target, and converts packages for their agents |
//! | `snapshot.rs` | `SnapshotReader` | reads the installed skills |
//! | `apply.rs` | `PlanApplier` | makes the changes in one transaction |
//! | `undo_steps.rs` | `UndoStepBuilder` | describes the changes for the undo entry |
//! | `security.rs` | `SecurityChecker` | checks for revoked packages, advisories and similar names |
//! | `edits.rs`, `merge.rs` | `EditMerger` | merges skills that the user edited |
//! | `state_writer.rs` | `StateWriter` | writes manifest, lockfile, undo entry and installation state |
//! | `vendored.rs` | | warns of packages that the vendor directory lacks |
//!
//! All of them read the same `SyncInput` (`input.rs`), made from a `SyncRequest` (`request.rs`);
//! `resolution.rs` and `planned.rs` are what they pass on, `report.rs` what they return.

mod apply;
mod contents;
mod edits;
mod input;
mod install;
mod lock_builder;
mod merge;
mod patch_updates;
mod planned;
mod project_lock;
mod report;
mod request;
mod resolution;
mod resolve;
mod security;
mod signatures;
mod snapshot;
mod state_writer;
mod unchanged;
mod undo_steps;
mod unused_patches;
mod vendored;

use std::collections::{BTreeMap, BTreeSet};

use super::CommandContext;
use super::agents::{SkillReach, SkillVisibility};
use super::fetch::{self, PackageFetcher};
pub use super::gate::SeverityAction;
use super::interrupted::display_path;
use super::patch_files::PatchFiles;
use super::policy::{self, EffectivePolicy};
use super::targets;
pub(super) use contents::{convert_for_target, recorded_content};
use input::SyncInput;
use install::SkillInstaller;
pub(super) use patch_updates::patch_file_text as patch_text;
pub(crate) use project_lock::lock_project_read_only;
pub use project_lock::{ProjectLock, lock_project};
pub use report::{
    AgentReload, ClearedCopy, ConvertedCopy, EditedCopy, HeldSkill, LeftCopy, MovedSkill,
    PatchChange, PatchOutcome, SkillChange, SkillMerge, SyncReport,
};
pub use request::{AdoptedSkills, EditPolicy, PinPolicy, PriorChanges, SyncOptions, SyncRequest};
use resolution::LockResolution;
use resolve::LockResolver;
use security::SecurityChecker;
use signatures::SignatureVerifier;
use skillpm_core::error::Result;
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest;
use skillpm_core::package::{Checksum, Sha256Digest, SkillName, Tree};
use skillpm_core::report::ProgressEvent;
use skillpm_registry::install::plan::{ForceMode, Plan};
use skillpm_registry::install::state::{self, ProjectState};
use skillpm_registry::install::state_dir::OwnFile;
use skillpm_registry::install::undo::UndoText;
use skillpm_registry::sources::PackageSources;
use skillpm_registry::store::Store;
use skillpm_registry::workspace::Workspace;
pub(super) use snapshot::{inspect_installed, inspect_path};
use state_writer::StateWriter;

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

    // Opened only now: the fast path above needs no tools and no network.
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
    resolver.refuse_missing_lockfile()?;

    let store = input.store()?;
    let mut resolution = resolver.resolve_if_allowed(sources, &store)?;
    let failed = std::mem::take(&mut resolution.failed);
    // The policy is checked before anything is written, also for packages that were locked before.
    resolver.check_policy(input.fetcher(sources, &store), &mut resolution)?;

    if options.lock_only {
        SecurityChecker { input: &input }.check_security(
            sources,
            &resolution.lockfile,
            &Plan::default(),
        )?;

        let report = StateWriter { input: &input }.write_lock_only(resolution)?;
        return Ok(SyncReport { failed, ..report });
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

    let reach = find_reach(&input, &report);
    Ok(SyncReport {
        failed,
        reach,
        ..report
    })
}

/// Which agents see what was installed; `None` if nothing was.
fn find_reach(input: &SyncInput<'_>, report: &SyncReport) -> Option<SkillReach> {
    let names: Vec<SkillName> = report
        .changes
        .iter()
        .filter_map(|change| match change {
            SkillChange::Installed(locked)
            | SkillChange::Restored(locked)
            | SkillChange::Updated(_, locked) => Some(locked.install_name().clone()),
            SkillChange::Removed(_) => None,
        })
        .collect();
    if names.is_empty() {
        return None;
    }
    SkillVisibility::find_reach(input.context, &input.next, &input.manifest, &names)
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

    // Moved out, not cloned: trees may be large.
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

    resolver.refuse_missing_lockfile()?;
    let mut resolution = resolver.resolve_if_allowed(sources, store)?;

    let policy = EffectivePolicy::load(context, &input.manifest.policy)?;
    SignatureVerifier {
        input: &input,
        held: &resolution.held,
    }
    .verify_signatures(sources, &policy, &mut resolution.lockfile)?;
    // After the signatures, which the lockfile records.
    let writer = StateWriter { input: &input };
    let (texts, lock_text) = (
        writer.changed_texts(&resolution)?,
        writer.lock_text(&resolution.lockfile),
    );

    resolution.fetched_trees.extend(known_trees);
    fetch_selected(input.fetcher(sources, store), &mut resolution, is_wanted)?;
    context.reporter.report(ProgressEvent::Fetched);

    Ok(ResolvedProject {
        lockfile: resolution.lockfile,
        lock_text,
        texts,
        trees: resolution.fetched_trees,
    })
}

/// Fetches the selected packages of a resolution, as their sources have them: each clone applies
/// edits and other names itself.
fn fetch_selected(
    fetcher: PackageFetcher<'_, '_>,
    resolution: &mut LockResolution,
    is_wanted: &dyn Fn(&LockedPackage) -> bool,
) -> Result<()> {
    let packages: Vec<LockedPackage> = resolution
        .lockfile
        .packages()
        .iter()
        .filter(|locked| is_wanted(locked))
        .map(fetch::without_edits)
        .collect();

    let packages: Vec<&LockedPackage> = packages.iter().collect();
    fetch::fetch(&packages, &mut resolution.fetched_trees, fetcher)?;
    Ok(())
}

fn is_request_empty(request: &SyncRequest, options: SyncOptions) -> bool {
    let changes_nothing = request.manifest_text.is_none() && request.keep == PinPolicy::All;
    let asks_nothing =
        request.precise.is_empty() && request.commits.is_empty() && request.edits.is_empty();
    let adopts_nothing = request.adopted.places.is_empty() && request.adopted.gone.is_empty();
    // Which line ends a skill has on disk, no state says.
    let restores_nothing = options.force != ForceMode::Restore && request.restored.is_empty();
    changes_nothing && asks_nothing && adopts_nothing && restores_nothing && !options.lock_only
}

fn is_current(context: &CommandContext<'_>, workspace: &Workspace, state: &ProjectState) -> bool {
    let Some(lock) = &workspace.lock_text else {
        return false;
    };

    read_inputs(context, workspace, lock)
        .is_ok_and(|inputs| state.is_current(&inputs, &workspace.root))
}

fn read_inputs(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    lock: &str,
) -> Result<Sha256Digest> {
    // Only `[edits]` is parsed: the fast path does not need the rest of the manifest.
    let edits = manifest::parse_edits(&workspace.manifest_text, manifest::FILE)?;
    let patch_files = PatchFiles::read(&workspace.root, &edits)?;
    inputs_digest(context, workspace, lock, &patch_files)
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

/// The install names of the skills that a plan writes.
fn written_names(plan: &Plan) -> BTreeSet<&SkillName> {
    plan.iter()
        .filter(|(_, action)| action.writes_package())
        .map(|(place, _)| &place.name)
        .collect()
}
