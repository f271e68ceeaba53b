//! `update`: releases the locked versions of all or some packages, and syncs.

use std::collections::BTreeMap;

use semver::{Version, VersionReq};

use super::CommandContext;
use super::diff::{SkillDiff, diff_request};
use super::release_age::release_age;
use super::sync::{
    HeldSkill, PinPolicy, ProjectLock, SyncOptions, SyncReport, SyncRequest, lock_project,
    sync_with,
};
use super::upstream::{UpstreamChanges, follow_moves};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest::edit;
use skillpm_core::package::{
    GitReference, PackageDependency, PackageId, RelPath, SkillName, SourceId,
};
use skillpm_registry::sources::PackageSources;
use skillpm_registry::workspace::WorkspaceKind;

/// The highest number of suggested versions for an incomplete one.
const LISTED: usize = 5;

/// What to update, and how.
#[derive(Debug, Clone)]
pub struct UpdateOptions {
    /// Install names; empty for all.
    pub names: Vec<SkillName>,
    /// The exact version, or for git the commit, to update to.
    pub precise: Option<String>,
    /// Raises the requirement in the manifest to the newest version.
    pub latest: bool,
    /// Which project.
    pub sort: WorkspaceKind,
    /// How to sync.
    pub sync: SyncOptions,
}

/// Called with the changes of each skill before an update is made.
pub type PreviewCallback<'t> = &'t dyn Fn(&[SkillDiff]);

/// Updates packages to the newest versions that match. `preview` is called first with the changes
/// of the installed skills.
///
/// # Errors
/// If a package is not in the lockfile, no version matches, or a skill that would change has
/// conflicting edits.
pub fn update(
    context: &CommandContext<'_>,
    options: &UpdateOptions,
    preview: Option<PreviewCallback<'_>>,
) -> Result<SyncReport> {
    let project = lock_project(context, options.sort, None)?;

    let lockfile = project.workspace.lockfile()?.unwrap_or_default();
    // All names are checked before anything is fetched, so that a typo costs no time.
    for name in &options.names {
        find_locked(&lockfile, name)?;
    }

    let mut request = SyncRequest {
        keep: pin_policy(&options.names),
        skips_failing: true,
        ..SyncRequest::default()
    };

    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = PackageSources::new(
        &tools,
        &project.workspace.root,
        &registries,
        context.reporter,
    );

    if let Some(precise) = &options.precise {
        pin_precise(&mut request, &lockfile, &sources, &options.names, precise)?;
    }

    let raised = options.latest.then_some(options.names.as_slice());
    let (request, changes) =
        find_changes(context, &project, &lockfile, &sources, raised, &request)?;

    // Shown before the lockfile or any skill is written.
    if let Some(preview) = preview {
        let store = context.store()?;
        let diffs = diff_request(context, &project, &sources, &store, &request)?;
        preview(&diffs);
    }

    let report = sync_with(context, &project, &sources, &request, options.sync)?;
    Ok(SyncReport {
        moved: changes.moved,
        held: changes.held,
        ..report
    })
}

/// Lets the manifest allow the exact version of a request, if it does not.
pub(super) fn allow_precise(
    context: &CommandContext<'_>,
    project: &ProjectLock,
    request: &mut SyncRequest,
    name: &SkillName,
) -> Result<()> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = project.workspace.edited_manifest(&registries)?;
    let mut lines = manifest.dependencies.iter();
    let line = lines.find(|line| line.alias == *name);
    let version = request
        .precise
        .first()
        .and_then(|(id, _)| id.version.as_ref());
    if let (Some(line), Some(version)) = (line, version)
        && !line.req.matches(version)
    {
        request.manifest_text = Some(edit::set_requirement(
            &project.workspace.edited_text()?,
            &[line.alias.as_str(), &line.package.to_string()],
            &format!("={version}"),
        )?);
    }
    Ok(())
}

/// The request with what became of skills in their repositories, and with the requirements of the skills `raised`
/// (of all if empty) raised to the newest versions.
///
/// The requirement of a skill that the newest version no longer has is not raised.
pub(super) fn find_changes(
    context: &CommandContext<'_>,
    project: &ProjectLock,
    lockfile: &Lockfile,
    sources: &PackageSources<'_>,
    raised: Option<&[SkillName]>,
    request: &SyncRequest,
) -> Result<(SyncRequest, UpstreamChanges)> {
    let workspace = &project.workspace;
    let mut gone: Vec<HeldSkill> = Vec::new();
    loop {
        let mut request = request.clone();
        if let Some(names) = raised {
            let is_gone = |alias: &SkillName| gone.iter().any(|held| held.name == *alias);
            let text = raise_requirements(context, project, sources, names, &is_gone)?;
            // An unchanged manifest is not written, so that its line endings and times stay.
            request.manifest_text = (text != workspace.edited_text()?).then_some(text);
        }
        let mut changes = follow_moves(context, workspace, sources, lockfile, &mut request)?;
        changes.held.retain(|held| !gone.contains(held));
        if raised.is_none() || changes.held.is_empty() {
            changes.held.extend(gone);
            return Ok((request, changes));
        }
        gone.append(&mut changes.held);
    }
}

/// The pin policy for updating these packages, or all if `names` is empty.
pub(super) fn pin_policy(names: &[SkillName]) -> PinPolicy {
    if names.is_empty() {
        PinPolicy::Nothing
    } else {
        PinPolicy::AllBut(names.iter().cloned().collect())
    }
}

pub(super) fn find_locked<'l>(
    lockfile: &'l Lockfile,
    name: &SkillName,
) -> Result<&'l LockedPackage> {
    lockfile
        .installed_as(name)
        .ok_or_else(|| unknown_package(lockfile, name))
}

fn unknown_package(lockfile: &Lockfile, name: &SkillName) -> Error {
    let names: Vec<&str> = lockfile
        .packages()
        .iter()
        .map(|locked| locked.install_name().as_str())
        .collect();

    let error = Error::negative(format!("package `{name}` not found in the lockfile"));
    error.help_nearest(
        name.as_str(),
        names,
        "to see locked packages, run `skillpm list`",
    )
}

/// Adds the exact version or commit of one package to a request.
pub(super) fn pin_precise(
    request: &mut SyncRequest,
    lockfile: &Lockfile,
    sources: &PackageSources<'_>,
    names: &[SkillName],
    precise: &str,
) -> Result<()> {
    let [name] = names else {
        return Err(
            Error::usage(format!("version `{precise}` can be of one skill only"))
                .help("name the skill that is meant; `skillpm list` shows the names"),
        );
    };
    let locked = find_locked(lockfile, name)?;

    let version = Version::parse(precise.strip_prefix('v').unwrap_or(precise)).ok();
    // 40 or 64 hexadecimal digits are a commit even if a branch has such a name.
    match (&locked.source, version) {
        (SourceId::Git { .. }, _) if is_commit(precise) => {
            request.commits = BTreeMap::from([(name.clone(), precise.to_ascii_lowercase())]);
            Ok(())
        }
        // A git source has versions in its tags.
        (SourceId::Registry(_) | SourceId::ClawHub(_) | SourceId::Git { .. }, Some(version)) => {
            request.precise.push(precise_id(locked, version));
            Ok(())
        }
        _ => Err(unusable_version_error(locked, sources, precise)),
    }
}

/// The error for a precise version that is neither a full version nor a commit of the source.
fn unusable_version_error(
    locked: &LockedPackage,
    sources: &PackageSources<'_>,
    precise: &str,
) -> Error {
    match &locked.source {
        SourceId::Registry(_) | SourceId::ClawHub(_) => {
            let error = Error::usage(format!("invalid version `{precise}`: not a full version"));
            with_full_versions(error, locked, sources, precise)
        }
        SourceId::Git { .. } => {
            let error = Error::usage(format!(
                "invalid version `{precise}`: neither a full version nor a full commit id"
            ));
            with_full_versions(error, locked, sources, precise)
                .help("to choose a tag or branch, set it in the manifest: `skillpm add … --tag T`")
        }
        other => Error::usage(format!(
            "unsupported option `--precise`: {} has no versions",
            other.describe()
        )),
    }
}

/// Adds the versions that begin like an incomplete one, if the source can list them.
fn with_full_versions(
    error: Error,
    locked: &LockedPackage,
    sources: &PackageSources<'_>,
    given: &str,
) -> Error {
    let name = locked.install_name();
    let number = given.strip_prefix('v').unwrap_or(given);
    let is_start = number.split('.').all(|part| part.parse::<u64>().is_ok());
    let newest = format!("for the newest matching version, run `skillpm update {name}`");
    // Only the beginning of a version is completed; a range belongs in the manifest.
    let Some(req) = VersionReq::parse(&format!("={number}"))
        .ok()
        .filter(|_| is_start)
    else {
        return error.help(newest);
    };

    let versions = list_versions(locked, sources);
    let fitting: Vec<&Version> = versions
        .iter()
        .rev()
        .filter(|version| req.matches(version))
        .take(LISTED)
        .collect();

    let Some(first) = fitting.first() else {
        return error.help(newest);
    };

    let listed: Vec<String> = fitting
        .iter()
        .map(|version| format!("`{version}`"))
        .collect();

    error.help(format!(
        "matching versions: {}; to choose one, run `skillpm update {name} --precise {first}`",
        listed.join(", ")
    ))
}

/// The versions of a locked package at its source; empty if they cannot be listed, because they
/// only complete the help of an error.
fn list_versions(locked: &LockedPackage, sources: &PackageSources<'_>) -> Vec<Version> {
    // Any version: only the identity of the package is needed.
    let (id, path) = precise_id(locked, Version::new(0, 0, 0));
    let dependency = PackageDependency {
        alias: locked.install_name().clone(),
        package: id.name,
        source: id.source,
        subdir: path,
        req: VersionReq::STAR,
        dev: false,
        optional: false,
    };

    sources
        .remote_states(&[dependency])
        .remove(0)
        .map(|state| state.versions)
        .unwrap_or_default()
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn precise_id(locked: &LockedPackage, version: Version) -> (PackageId, Option<RelPath>) {
    let source = match &locked.source {
        // Locked at a branch, too, the version is searched among the tags.
        SourceId::Git { url, .. } => SourceId::Git {
            url: url.clone(),
            reference: GitReference::Versions,
        },
        other => other.clone(),
    };

    (
        PackageId {
            name: locked.name.clone(),
            version: Some(version),
            source,
        },
        locked.path.clone(),
    )
}

/// The manifest with the requirements of `names` (of all if empty) raised to the newest versions, but for those that are gone.
fn raise_requirements(
    context: &CommandContext<'_>,
    project: &ProjectLock,
    sources: &PackageSources<'_>,
    names: &[SkillName],
    is_gone: &dyn Fn(&SkillName) -> bool,
) -> Result<String> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = project.workspace.edited_manifest(&registries)?;
    // The age limit is the root manifest's, also for a member.
    let age = release_age(context, &project.workspace.manifest(&registries)?.policy)?;
    let is_wanted =
        |alias: &SkillName| (names.is_empty() || names.contains(alias)) && !is_gone(alias);

    let dependencies: Vec<_> = manifest
        .dependencies
        .iter()
        .filter(|dependency| is_wanted(&dependency.alias))
        .collect();
    let newest = super::outdated::newest_versions(sources, &dependencies, &age)?;

    let mut text = project.workspace.edited_text()?;
    for (dependency, newest) in dependencies.iter().zip(newest) {
        // A requirement that matches the newest version stays as it is written.
        let Some(newest) = newest.filter(|newest| !dependency.req.matches(newest)) else {
            continue;
        };
        text = edit::set_requirement(
            &text,
            &[dependency.alias.as_str(), &dependency.package.to_string()],
            &super::add::caret_requirement(&newest),
        )?;
    }

    Ok(text)
}
