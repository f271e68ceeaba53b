//! `remove`: removes entries from the manifest in memory, and syncs.

use std::collections::BTreeSet;

use super::CommandContext;
use super::inspect::leads_to;
use super::sync::{SyncOptions, SyncReport, SyncRequest, lock_project, sync};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::Lockfile;
use skillpm_core::manifest::{Manifest, edit};
use skillpm_core::package::{PackageDependency, PackageName, PackageSpec, SkillName, SourceId};
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// What to remove.
#[derive(Debug, Clone)]
pub struct RemoveOptions {
    /// Skills, by install name or by package name; or sources, with `source`.
    pub names: Vec<String>,
    /// Whether the names are sources, all of whose skills are removed.
    pub source: bool,
    /// Which project.
    pub sort: WorkspaceKind,
    /// How to sync.
    pub sync: SyncOptions,
}

/// Removes skills from a project, and their dependencies that nothing else needs.
///
/// # Errors
/// If one of them is not in the manifest, or has been edited; nothing is changed then.
pub fn remove(context: &CommandContext<'_>, options: &RemoveOptions) -> Result<SyncReport> {
    let project = lock_project(context, options.sort, None)?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = project.workspace.edited_manifest(&registries)?;

    let mut keys = BTreeSet::new();
    for name in &options.names {
        let found = if options.source {
            keys_by_source(&manifest, name)?
        } else {
            keys_by_name(&project.workspace, &manifest, name)?
        };
        // All names are found before any is removed, and each key is removed once.
        keys.extend(found);
    }

    let keys: Vec<String> = keys.into_iter().collect();
    let (text, _) = edit::remove_dependencies(&project.workspace.edited_text()?, &keys)?;

    let request = SyncRequest {
        manifest_text: Some(text),
        ..SyncRequest::default()
    };
    // One skill that the gate refuses must not keep another from being removed.
    let rules = SyncOptions {
        checks_present: false,
        ..options.sync
    };
    sync(context, &project, &request, rules)
}

/// The install names that [`remove`] accepts: those of the manifest, without those that only another skill requires.
///
/// # Errors
/// If the manifest is invalid.
pub fn removable_names(
    context: &CommandContext<'_>,
    kind: WorkspaceKind,
) -> Result<BTreeSet<SkillName>> {
    let workspace = match kind {
        WorkspaceKind::Project => context.project()?,
        WorkspaceKind::Managed => Some(context.find_workspace(kind)?),
    };
    let Some(workspace) = workspace else {
        return Ok(BTreeSet::new());
    };

    let registries = |name: Option<&str>| context.config.registry(name);
    let manifest = workspace.edited_manifest(&registries)?;
    let names = manifest.dependencies.into_iter();
    Ok(names.map(|dependency| dependency.alias).collect())
}

/// The keys that a dependency can be written under.
fn dependency_keys(
    manifest: &Manifest,
    matches: impl Fn(&PackageDependency) -> bool,
) -> Vec<String> {
    let found = manifest
        .dependencies
        .iter()
        .filter(|dependency| matches(dependency));
    found
        // A manifest may write either name as the key; the other one matches nothing.
        .flat_map(|dependency| [dependency.alias.to_string(), dependency.package.to_string()])
        .collect()
}

fn keys_by_name(workspace: &Workspace, manifest: &Manifest, name: &str) -> Result<Vec<String>> {
    let package = PackageName::parse_key(name)?;
    // With a scope it is a package's name; without one, the name it is installed under.
    let matches = |dependency: &PackageDependency| match package.scope() {
        Some(_) => dependency.package == package,
        None => dependency.alias == *package.skill(),
    };

    let found = dependency_keys(manifest, matches);
    if !found.is_empty() {
        return Ok(found);
    }

    // A skill that only others require has no entry that could be removed.
    let lockfile = workspace.lockfile()?.unwrap_or_default();
    let requirers = find_requirers(manifest, &lockfile, &package);
    if !requirers.is_empty() {
        let named: Vec<String> = requirers.iter().map(|name| format!("`{name}`")).collect();
        let verb = if requirers.len() == 1 {
            "requires"
        } else {
            "require"
        };
        return Err(Error::negative(format!(
            "refusing to remove `{name}`: {} {verb} it",
            named.join(", ")
        ))
        .help(format!(
            "to remove it with what requires it, run `skillpm remove {}`",
            requirers.join(" ")
        )));
    }

    let error = Error::negative(format!("dependency `{name}` not found in the manifest"));
    // In the form that was typed: a scope alone would make every name without one a distant one.
    let known = |dependency: &PackageDependency| match package.scope() {
        Some(_) => dependency.package.to_string(),
        None => dependency.alias.to_string(),
    };
    let names: Vec<String> = manifest.dependencies.iter().map(known).collect();
    Err(error.help_nearest(
        name,
        names.iter().map(String::as_str),
        format!("to see whether another skill requires it, run `skillpm why {name}`"),
    ))
}

/// The dependencies of the manifest that require a locked package, directly or not.
fn find_requirers(manifest: &Manifest, lockfile: &Lockfile, wanted: &PackageName) -> Vec<String> {
    let Some(wanted) = lockfile.installed_as(wanted.skill()) else {
        return Vec::new();
    };
    manifest
        .dependencies
        .iter()
        .filter(|root| {
            let locked = lockfile.installed_as(&root.alias);
            locked.is_some_and(|locked| leads_to(lockfile, locked, wanted))
        })
        .map(|root| root.alias.to_string())
        .collect()
}

/// Whether a dependency is from a source, as it is written on the command line.
fn is_from(dependency: &PackageDependency, source: &str) -> bool {
    match (&dependency.source, source.parse::<PackageSpec>()) {
        (SourceId::Git { url, .. }, Ok(PackageSpec::Git { url: package, .. })) => *url == package,
        (SourceId::WellKnown(site), Ok(PackageSpec::WellKnown(package))) => *site == package,
        (SourceId::ClawHub(_), Ok(PackageSpec::ClawHub { name, .. })) => {
            // The owner was added by `add`, and may be left out here.
            dependency.package == name
                || name.scope().is_none() && dependency.package.skill() == name.skill()
        }
        (SourceId::Path(path) | SourceId::Archive(path), _) => {
            // As it was typed: the directory may be gone, so that its path cannot be resolved.
            path.trim_end_matches('/') == source.trim_end_matches('/')
        }
        _ => false,
    }
}

fn keys_by_source(manifest: &Manifest, source: &str) -> Result<Vec<String>> {
    let found = dependency_keys(manifest, |dependency| is_from(dependency, source));
    if found.is_empty() {
        return Err(
            Error::negative(format!("no dependency from source `{source}` found"))
                .help("to see the source of each skill, run `skillpm list`"),
        );
    }
    Ok(found)
}
