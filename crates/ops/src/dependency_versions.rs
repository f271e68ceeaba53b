//! The versions of the dependencies of a manifest as an editor has it, and the edit that takes a newer one.

use std::path::Path;

use semver::Version;

use super::CommandContext;
use super::info::{VersionInfo, version_info};
use super::outdated::{OutdatedSkill, check_dependency, drop_too_new, newest, query_sources};
use super::release_age::release_age;
use skillpm_core::error::Result;
use skillpm_core::manifest::{self, Manifest, edit};
use skillpm_core::package::{PackageDependency, PackageName, SkillName};
use skillpm_registry::sources::{PackageSources, RemoteState};
use skillpm_registry::workspace::Workspace;

/// What is known of one dependency.
#[derive(Debug, Clone, PartialEq)]
pub struct DependencyVersions {
    /// The name it is installed under.
    pub name: SkillName,
    /// The package's name.
    pub package: PackageName,
    /// Its source, as messages show it.
    pub source: String,
    /// The locked version or commit; `None` if it is not locked.
    pub locked: Option<String>,
    /// The newest version of its source; `None` if the source has no versions, or none are known.
    pub newest: Option<Version>,
    /// A version or commit that is newer than the locked one, or than the requirement allows if nothing is locked.
    pub newer: Option<String>,
}

impl DependencyVersions {
    /// The newest version, if it is newer than what is used.
    #[must_use]
    pub fn newer_version(&self) -> Option<&Version> {
        let newer = self.newer.as_ref()?;
        self.newest
            .as_ref()
            .filter(|newest| newest.to_string() == *newer)
    }
}

/// Where versions are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionLookup {
    /// In the caches of this machine and in local files; no server is asked.
    Cached,
    /// At the sources.
    Sources,
}

/// Finds the versions of the dependencies in the text of a manifest, which is in `dir`. A dependency whose source cannot be
/// read has no versions.
///
/// # Errors
/// If the text is not a valid manifest, or the lockfile or a setting is invalid.
pub fn dependency_versions(
    context: &CommandContext<'_>,
    dir: &Path,
    text: &str,
    lookup: VersionLookup,
) -> Result<Vec<DependencyVersions>> {
    let context = match lookup {
        VersionLookup::Cached => context.silent_offline()?,
        VersionLookup::Sources => context.silent(),
    };
    let registries = |name: Option<&str>| context.config.registry(name);
    let shared = Workspace::inherited_by(dir, &registries).unwrap_or_default();
    let parse =
        |text: &str| Manifest::parse_member(text, manifest::FILE, &registries, shared.as_ref());
    // While another table is being typed, the dependencies are still known.
    let manifest = parse(text).or_else(|_| parse(&edit::keep_dependencies(text)?))?;

    let workspace = match context.project_around(dir)? {
        Some(workspace) => workspace,
        None => Workspace::new_in(dir)?,
    };
    let lockfile = workspace.lockfile()?.unwrap_or_default();
    let age = release_age(&context, &manifest.policy)?;

    let dependencies: Vec<&PackageDependency> = manifest.dependencies.iter().collect();
    let tools = context.tools()?;
    let sources = PackageSources::new(&tools, &workspace.root, &registries, context.reporter);
    let states = query_sources(&context, &sources, &lockfile, &dependencies);
    let facts = dependencies
        .into_iter()
        .zip(states)
        .map(|(dependency, state)| {
            let state = state.unwrap_or_default();
            let outdated = check_dependency(&context, dependency, &lockfile, state.clone(), &age);
            let locked = lockfile
                .installed_as(&dependency.alias)
                .map(skillpm_core::lockfile::LockedPackage::revision);
            describe_versions(dependency, locked, &drop_too_new(state, &age).0, outdated)
        });
    Ok(facts.collect())
}

/// The versions of a package of a registry, the newest first, as the caches of this machine have them: no server is asked.
/// Without `registry`, those of the first registry that has the package.
///
/// # Errors
/// If a setting is invalid.
pub fn cached_versions(
    context: &CommandContext<'_>,
    package: &PackageName,
    registry: Option<&str>,
) -> Result<Vec<VersionInfo>> {
    let context = context.silent_offline()?;
    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = PackageSources::new(&tools, &context.dirs.cwd, &registries, context.reporter);
    let names = match registry {
        Some(name) => vec![name.to_owned()],
        None => context.config.registry_names(),
    };

    for name in names {
        let index = sources.open_index(&registries(Some(&name))?);
        // A registry that is not in the caches has no versions to offer.
        let Ok(found) = index.and_then(|index| index.lookup(package)) else {
            continue;
        };
        let mut entries = found.entries;
        if !entries.is_empty() {
            entries.sort_by(|a, b| b.vers.cmp(&a.vers));
            return Ok(entries.iter().map(version_info).collect());
        }
    }
    Ok(Vec::new())
}

fn describe_versions(
    dependency: &PackageDependency,
    locked: Option<String>,
    state: &RemoteState,
    outdated: Option<OutdatedSkill>,
) -> DependencyVersions {
    let newest = newest(&state.versions).cloned();
    let is_excluded = |newest: &&Version| !dependency.req.matches(newest);
    let newer = match (&locked, outdated) {
        (_, Some(outdated)) => Some(outdated.latest),
        // Without a lockfile, what the requirement excludes is what an install would not use.
        (None, None) => newest.as_ref().filter(is_excluded).map(Version::to_string),
        (Some(_), None) => None,
    };

    DependencyVersions {
        name: dependency.alias.clone(),
        package: dependency.package.clone(),
        source: dependency.source.describe().replace('`', ""),
        locked,
        newest,
        newer,
    }
}

/// The text of a manifest with the requirement of one dependency raised to a version, as `update` with `--latest` writes it.
///
/// # Errors
/// If the text is not TOML, or has no such dependency with a version.
pub fn raise_requirement(text: &str, name: &str, package: &str, to: &Version) -> Result<String> {
    edit::set_requirement(text, &[name, package], &super::add::caret_requirement(to))
}
