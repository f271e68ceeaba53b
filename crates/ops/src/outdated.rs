//! `outdated`: queries the sources for newer versions; changes nothing.

use semver::Version;

use super::CommandContext;
use super::release_age::release_age;
use super::upstream::{find_moves, gone_reason};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::manifest;
use skillpm_core::package::{
    GitReference, IndexUrl, PackageDependency, Sha256Digest, SkillName, SourceId,
};
use skillpm_core::report::{ProgressEvent, SilentReporter};
use skillpm_core::resolver::RootDependency;
use skillpm_registry::sources::gather::{GatherRequest, GatheredPackages, gather_packages};
use skillpm_registry::sources::release_age::ReleaseAge;
use skillpm_registry::sources::{self, ContentDigest, PackageSources, RemoteState, SkillMove};
use skillpm_registry::workspace::{Workspace, WorkspaceKind, WorkspaceManifests};

/// A dependency with a newer version or commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutdatedSkill {
    /// Its install name.
    pub name: SkillName,
    /// The locked version or commit.
    pub current: String,
    /// The newest that the manifest allows; `None` if that is the locked one.
    pub compatible: Option<String>,
    /// The newest of all.
    pub latest: String,
    /// Its source, as messages show it.
    pub source: String,
    /// The full commit of the compatible version, else of the newest; `None` for another source than a repository.
    pub commit: Option<String>,
    /// The directory that has it at that commit, if that is another than before; empty for the root.
    pub moved_to: Option<String>,
    /// Whether the tag it was locked from was moved.
    pub moved: bool,
    /// Why `update` does not choose the compatible version, though the manifest allows it: another
    /// package excludes it. Or, without a compatible version, why there is none: the skill is no longer in its repository.
    /// Completes the sentence "it …".
    pub held_back: Option<String>,
}

/// The result of [`outdated`].
#[derive(Debug, Clone, Default)]
pub struct OutdatedReport {
    /// The outdated dependencies, by name.
    pub outdated: Vec<OutdatedSkill>,
    /// The number of queried dependencies.
    pub queried: usize,
    /// The sources that could not be queried.
    pub failed: Vec<Error>,
}

/// Queries the source of each dependency of a project for newer versions.
///
/// A source that cannot be queried does not hide what the others have; its error is in the report.
///
/// # Errors
/// If there is no lockfile.
pub fn outdated(context: &CommandContext<'_>, sort: WorkspaceKind) -> Result<OutdatedReport> {
    let workspace = context.workspace(sort)?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let manifests = workspace.read_manifests(&registries)?;
    let lockfile = workspace.required_lockfile()?;
    let age = release_age(context, &manifests.manifest.policy)?;

    let dependencies = distinct_dependencies(&manifests.roots);
    let mut report = OutdatedReport {
        outdated: Vec::new(),
        queried: dependencies.len(),
        failed: Vec::new(),
    };

    let tools = context.tools()?;
    let sources = PackageSources::new(&tools, &workspace.root, &registries, context.reporter);
    let states = query_sources(context, &sources, &lockfile, &dependencies);
    for (dependency, state) in dependencies.iter().zip(states) {
        match state {
            Ok(state) => {
                let outdated = check_dependency(context, dependency, &lockfile, state, &age);
                report.outdated.extend(outdated);
            }
            // Once for all skills of the source.
            Err(error) => error.add_to(&mut report.failed),
        }
    }
    add_moves(&sources, &manifests, &lockfile, &mut report.outdated);

    let update = UpdateInput {
        manifests: &manifests,
        lockfile: &lockfile,
        age: &age,
    };
    explain_held_back(context, &workspace, update, &mut report);
    Ok(report)
}

/// Adds to outdated skills where they are at their new commits.
fn add_moves(
    sources: &PackageSources<'_>,
    manifests: &WorkspaceManifests,
    lockfile: &Lockfile,
    outdated: &mut [OutdatedSkill],
) {
    let moves = find_moves(sources, lockfile, outdated);
    for found in outdated {
        let mut roots = manifests.roots.iter();
        let root = roots.find(|root| root.dependency.alias == found.name);
        match (
            moves.get(&found.name),
            root,
            lockfile.installed_as(&found.name),
        ) {
            (Some(SkillMove::To(dir)), ..) => {
                found.moved_to = Some(dir.as_ref().map_or(String::new(), ToString::to_string));
            }
            (Some(SkillMove::Gone(dirs)), Some(root), Some(locked)) => {
                found.held_back = Some(gone_reason(root, locked, found.revision(), dirs));
                found.compatible = None;
            }
            _ => {}
        }
    }
}

/// The dependencies with a newer version as far as the cache knows, and the number of those of which it knows nothing. No
/// server is asked, and nothing is reported.
///
/// # Errors
/// If a setting or the policy is invalid.
pub(super) fn known_outdated(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    manifests: &WorkspaceManifests,
    lockfile: &Lockfile,
) -> Result<(Vec<OutdatedSkill>, usize)> {
    let offline = context.silent_offline()?;
    let age = release_age(&offline, &manifests.manifest.policy)?;
    let dependencies = distinct_dependencies(&manifests.roots);
    let tools = offline.tools()?;
    let registries = |name: Option<&str>| offline.config.registry(name);
    let sources = PackageSources::new(&tools, &workspace.root, &registries, offline.reporter);
    let states = query_sources(&offline, &sources, lockfile, &dependencies);

    let (mut outdated, mut unknown) = (Vec::new(), 0);
    for (dependency, state) in dependencies.iter().zip(states) {
        match state {
            Ok(state) => outdated.extend(check_dependency(
                &offline, dependency, lockfile, state, &age,
            )),
            Err(_) => unknown += 1,
        }
    }
    Ok((outdated, unknown))
}

/// Compares a dependency with the current state of its source; warns if the locked version was
/// yanked, and reports a version that is held back.
pub(super) fn check_dependency(
    context: &CommandContext<'_>,
    dependency: &PackageDependency,
    lockfile: &Lockfile,
    state: RemoteState,
    age: &ReleaseAge,
) -> Option<OutdatedSkill> {
    warn_if_yanked(context, dependency, lockfile, &state);
    // A version below the minimum release age is not offered, but reported as held back.
    let (state, held_back) = drop_too_new(state, age);
    let outdated = compare_dependency(dependency, lockfile, &state);

    let shown = outdated
        .as_ref()
        .map_or(String::new(), |outdated| outdated.latest.clone());
    if let Some((version, reason)) =
        held_back.filter(|(version, _)| is_newer(version, dependency, lockfile, &shown))
    {
        context.reporter.report(ProgressEvent::Done {
            verb: "Held back",
            what: format!("{} {version}: it {reason}", dependency.package),
        });
    }
    outdated
}

/// Adds why an update would not choose a version that the manifest allows, for dependencies that
/// another package has as well.
///
/// That package's requirements are known only after resolving again, as an update does.
fn explain_held_back(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    update: UpdateInput<'_>,
    report: &mut OutdatedReport,
) {
    // Resolving again is the expensive part, and most reports do not need it.
    let is_needed = |outdated: &OutdatedSkill| {
        outdated.compatible.is_some() && has_dependent(update.lockfile, &outdated.name)
    };
    if !report.outdated.iter().any(is_needed) {
        return;
    }

    let gathered = resolve_update(context, workspace, update);
    // An error here also fails an update, which reports it.
    let Ok(gathered) = gathered else { return };
    for outdated in &mut report.outdated {
        let link = gathered
            .resolve
            .roots()
            .iter()
            .find(|link| link.dependency.alias == outdated.name);
        let held_back = link.and_then(|link| gathered.blocked_update(link.to));
        let held_back =
            held_back.filter(|(version, _)| outdated.compatible == Some(version.to_string()));
        outdated.held_back = held_back.map(|(_, reason)| reason);
    }
}

fn has_dependent(lockfile: &Lockfile, name: &SkillName) -> bool {
    lockfile.installed_as(name).is_some_and(|locked| {
        let reference = locked.reference();
        let mut all = lockfile.packages().iter();
        all.any(|other| other.dependencies.contains(&reference))
    })
}

/// What an update is resolved from.
#[derive(Clone, Copy)]
struct UpdateInput<'a> {
    manifests: &'a WorkspaceManifests,
    lockfile: &'a Lockfile,
    age: &'a ReleaseAge,
}

/// Resolves what an update of everything would choose.
fn resolve_update(
    context: &CommandContext<'_>,
    workspace: &Workspace,
    update: UpdateInput<'_>,
) -> Result<GatheredPackages> {
    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    // Silent: the sources were fetched and reported before.
    let sources = PackageSources::new(&tools, &workspace.root, &registries, &SilentReporter);
    let patches = manifest::parse_patches(&workspace.manifest_text, manifest::FILE, &registries)?;

    let request = GatherRequest {
        roots: &update.manifests.roots,
        patches: &patches,
        kept_packages: &[],
        precise: &[],
        age: update.age,
        previous_lock: update.lockfile,
    };

    gather_packages(&sources, &request)
}

/// Warns if the locked version was yanked.
fn warn_if_yanked(
    context: &CommandContext<'_>,
    dependency: &PackageDependency,
    lockfile: &Lockfile,
    state: &RemoteState,
) {
    let locked = lockfile
        .installed_as(&dependency.alias)
        .filter(|locked| locked.source == dependency.source);
    let Some(locked) = locked else { return };

    if locked
        .version
        .as_ref()
        .is_some_and(|version| state.yanked.contains(version))
    {
        context.reporter.report(sources::yanked_warning(locked));
    }
}

/// The newest version of each dependency; `None` where a source has no versions.
pub(super) fn newest_versions(
    sources: &PackageSources<'_>,
    dependencies: &[&PackageDependency],
    age: &ReleaseAge,
) -> Result<Vec<Option<Version>>> {
    let dependencies: Vec<PackageDependency> = dependencies
        .iter()
        .map(|dependency| (*dependency).clone())
        .collect();
    sources
        .remote_states(&dependencies)
        .into_iter()
        .map(|state| Ok(newest(&drop_too_new(state?, age).0.versions).cloned()))
        .collect()
}

/// The dependencies of the project and its members, each once.
fn distinct_dependencies(roots: &[RootDependency]) -> Vec<&PackageDependency> {
    let mut dependencies: Vec<&PackageDependency> = Vec::new();
    for RootDependency { dependency, .. } in roots {
        if !dependencies.contains(&dependency) {
            dependencies.push(dependency);
        }
    }
    dependencies
}

/// Removes the versions below the minimum release age; also returns the newest of them with the
/// reason.
pub(super) fn drop_too_new(
    mut state: RemoteState,
    age: &ReleaseAge,
) -> (RemoteState, Option<(Version, String)>) {
    // Only registries have publication times.
    let Some(published) = &state.published else {
        return (state, None);
    };

    let mut held_back = None;
    state.versions.retain(
        |version| match age.exclusion_reason(published.get(version).copied()) {
            Some(reason) => {
                held_back = Some((version.clone(), reason));
                false
            }
            None => true,
        },
    );

    (state, held_back)
}

/// Whether a held back version is worth reporting: it is newer than the locked version, and not
/// shown already.
fn is_newer(
    version: &Version,
    dependency: &PackageDependency,
    lockfile: &Lockfile,
    shown: &str,
) -> bool {
    let locked = lockfile
        .installed_as(&dependency.alias)
        .and_then(|locked| locked.version.as_ref());
    Some(version) > locked && version.to_string() != shown
}

/// The present state of each dependency's source; an error for one that changed the locked version.
pub(super) fn query_sources(
    context: &CommandContext<'_>,
    sources: &PackageSources<'_>,
    lockfile: &Lockfile,
    dependencies: &[&PackageDependency],
) -> Vec<Result<RemoteState>> {
    let dependencies: Vec<PackageDependency> = dependencies
        .iter()
        .map(|dependency| (*dependency).clone())
        .collect();

    let mut states = sources.remote_states(&dependencies);
    for (dependency, state) in dependencies.iter().zip(&mut states) {
        // What `update` would refuse is not reported as up to date.
        let locked = lockfile
            .installed_as(&dependency.alias)
            .filter(|locked| locked.source == dependency.source);
        let changed = locked.map(|locked| sources.check_known_unchanged(locked, lockfile));
        if let Some(Err(error)) = changed {
            *state = Err(error);
        }
    }

    context.reporter.report(ProgressEvent::Fetched);
    // Cached answers may be old; the report must not pass them off as current.
    if sources.is_offline()
        && dependencies
            .iter()
            .any(|dependency| is_remote(&dependency.source))
    {
        let message = "offline mode: versions are as of the last time each source was fetched";
        context
            .reporter
            .report(ProgressEvent::warning(message.to_owned()));
    }

    states
}

/// Whether the current versions of a source are known only on the network.
fn is_remote(source: &SourceId) -> bool {
    match source {
        SourceId::Registry(index) => index
            .parse::<IndexUrl>()
            .is_ok_and(|index| !index.is_local()),
        SourceId::Git { url, .. } => url.scheme() != "file",
        SourceId::Path(_) | SourceId::Archive(_) => false,
        SourceId::WellKnown(_) | SourceId::ClawHub(_) => true,
    }
}

/// The newest version; a pre-release only if there is no other.
pub(super) fn newest(versions: &[Version]) -> Option<&Version> {
    versions
        .iter()
        .rev()
        .find(|version| version.pre.is_empty())
        .or(versions.last())
}

/// Compares a dependency with the current state of its source, and nothing else.
pub(super) fn compare_dependency(
    dependency: &PackageDependency,
    lockfile: &Lockfile,
    state: &RemoteState,
) -> Option<OutdatedSkill> {
    let locked = lockfile.installed_as(&dependency.alias)?;

    // A branch or tag: there are no versions to compare, only the commit it points to.
    if let Some(commit) = &state.commit {
        // Another commit, which may also be an older one: history is not read.
        let is_newer = locked.commit.as_ref() != Some(commit);
        let moved = matches!(
            dependency.source,
            SourceId::Git {
                reference: GitReference::Tag(_),
                ..
            }
        );

        let short: String = commit.chars().take(8).collect();
        return is_newer.then(|| OutdatedSkill {
            moved,
            // A moved tag is shown but not compatible: following it requires `--precise`.
            compatible: (!moved).then(|| short.clone()),
            commit: (!moved).then(|| commit.clone()),
            ..OutdatedSkill::new(dependency, locked, short)
        });
    }

    if let Some(content) = state.content {
        let (was, now) = changed_content(locked, content)?;
        return Some(OutdatedSkill {
            // A digest is no newer than a version.
            current: locked.version.as_ref().map_or(locked.revision(), |_| was),
            compatible: Some(now.clone()),
            ..OutdatedSkill::new(dependency, locked, now)
        });
    }

    let tagged = locked
        .version
        .as_ref()
        .and_then(|version| state.tagged.get(version));
    let moved_to = tagged.filter(|commit| locked.commit.as_ref() != Some(commit));
    let newer = compare_versions(dependency, locked, state);
    let commit = newer.as_ref().and_then(|(compatible, latest)| {
        let version = compatible.as_ref().unwrap_or(latest);
        state.tagged.get(version).cloned()
    });
    let (compatible, latest) = match (newer, moved_to) {
        (Some((compatible, latest)), _) => (compatible, latest.to_string()),
        (None, Some(commit)) => (None, commit.chars().take(8).collect()),
        (None, None) => return None,
    };
    Some(OutdatedSkill {
        moved: moved_to.is_some(),
        compatible: compatible.map(|version| version.to_string()),
        commit,
        ..OutdatedSkill::new(dependency, locked, latest)
    })
}

impl OutdatedSkill {
    /// What an update would go to: the compatible version, else the newest.
    pub(super) fn revision(&self) -> &str {
        self.compatible.as_deref().unwrap_or(&self.latest)
    }

    /// Describes a dependency for which there is something newer, which the manifest may not allow.
    pub(super) fn new(
        dependency: &PackageDependency,
        locked: &LockedPackage,
        latest: String,
    ) -> Self {
        OutdatedSkill {
            name: dependency.alias.clone(),
            current: locked.revision(),
            compatible: None,
            latest,
            source: dependency.source.describe().replace('`', ""),
            commit: None,
            moved_to: None,
            moved: false,
            held_back: None,
        }
    }
}

/// The abbreviated digests of a source without versions, as locked and now; `None` if they are equal.
pub(super) fn changed_content(
    locked: &LockedPackage,
    content: ContentDigest,
) -> Option<(String, String)> {
    let short = |digest: Sha256Digest| digest.to_string().chars().take(8).collect();
    match content {
        ContentDigest::Archive(now) if locked.archive != Some(now) => {
            let was = locked.archive.map_or_else(|| locked.revision(), short);
            Some((was, short(now)))
        }
        ContentDigest::Tree(now) if locked.upstream_checksum() != now => {
            Some((locked.upstream_checksum().short(), now.short()))
        }
        _ => None,
    }
}

fn compare_versions(
    dependency: &PackageDependency,
    locked: &LockedPackage,
    state: &RemoteState,
) -> Option<(Option<Version>, Version)> {
    let current = locked.version.as_ref()?;
    let latest = newest(&state.versions)?;
    let compatible = state
        .versions
        .iter()
        .rev()
        .find(|version| dependency.req.matches(version));
    let newer = compatible.filter(|version| *version > current);

    // The newest may be a pre-release that only the requirement admits.
    (latest > current || newer.is_some())
        .then(|| (newer.cloned(), latest.max(newer.unwrap_or(latest)).clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pre_release_is_the_newest_only_without_a_release() {
        let versions = |texts: &[&str]| {
            texts
                .iter()
                .map(|text| text.parse().unwrap())
                .collect::<Vec<Version>>()
        };
        assert_eq!(
            newest(&versions(&["1.0.0", "2.0.0-rc.1"]))
                .unwrap()
                .to_string(),
            "1.0.0"
        );
        assert_eq!(
            newest(&versions(&["2.0.0-rc.1"])).unwrap().to_string(),
            "2.0.0-rc.1"
        );
        assert_eq!(newest(&[]), None);
    }
}
