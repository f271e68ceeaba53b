//! Following dependencies breadth-first until the solver has all it needs.
//!
//! Locked packages are not queried again as long as they fit: first the solver gets only the locked version of each, and
//! only if that fails are the sources queried for others. Where a patch replaces a package, the package itself is queried
//! only if the patch does not fit.

mod locked_candidates;

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;

use super::release_age::ReleaseAge;
use super::{AvailableVersion, FetchError, FetchedPackage, PackageSources};
use locked_candidates::LockedCandidates;
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::{
    PackageDependency, PackageId, PackageName, PackageSummary, PatchEntry, RelPath, SkillName,
    SourceId,
};
use skillpm_core::report::{EventReporter, ProgressEvent};
use skillpm_core::resolver::{
    self, Candidates, Conflict, ExplainContext, ResolveGraph, RootDependency, VersionPins,
};

/// The input of [`gather_packages`].
pub struct GatherRequest<'a> {
    /// The dependencies of the project and its members.
    pub roots: &'a [RootDependency],
    /// The patches, which replace other packages.
    pub patches: &'a [PatchEntry],
    /// The locked packages that may be kept.
    pub kept_packages: &'a [&'a LockedPackage],
    /// Versions that were requested with `--precise`.
    pub precise: &'a [(PackageId, Option<RelPath>)],
    /// The minimum age of a registry's versions.
    pub age: &'a ReleaseAge,
    /// The whole previous lockfile: none of its versions is too new.
    pub previous_lock: &'a Lockfile,
}

/// The resolved graph, and the packages that were fetched for it.
pub struct GatheredPackages {
    /// The chosen packages.
    pub resolve: ResolveGraph,
    fetched: BTreeMap<(PackageId, Option<RelPath>), FetchedPackage>,
    too_new: TooNew,
    patch_versions: Vec<Vec<PackageSummary>>,
    candidates: Candidates,
    /// The packages with a version from `--precise`.
    precise: BTreeSet<PackageName>,
}

/// Versions that are too new, and why, by source and name.
type TooNew = BTreeMap<(SourceId, PackageName), BTreeMap<Version, String>>;

impl GatheredPackages {
    /// Takes a chosen package, if it was fetched already.
    pub fn take_fetched(&mut self, summary: &PackageSummary) -> Option<FetchedPackage> {
        self.fetched.remove(&(summary.id(), summary.subdir.clone()))
    }

    /// The newest version of the patch at this position of the request; `None` if it has no version.
    #[must_use]
    pub fn newest_patch_version(&self, patch: usize) -> Option<&Version> {
        self.patch_versions[patch]
            .iter()
            .filter_map(|summary| summary.version.as_ref())
            .max()
    }

    /// The newest version of the package at this position that the project accepts and that was not chosen, with the
    /// reason: it is too new, or conflicts with another package. The reason finishes the sentence "it …".
    #[must_use]
    pub fn blocked_update(&self, at: usize) -> Option<(&Version, String)> {
        let too_new = self
            .blocked_by_age(at)
            .map(|(version, reason)| (version, reason.to_owned()));
        too_new.or_else(|| self.blocked_by_conflict(at))
    }

    /// The newest version that the project itself accepts, and the conflict.
    fn blocked_by_conflict(&self, at: usize) -> Option<(&Version, String)> {
        let chosen = &self.resolve.packages()[at].summary;
        let lines = self.resolve.roots().iter().filter(|link| link.to == at);
        let lines: Vec<&PackageDependency> = lines.map(|link| &link.dependency).collect();
        // Only others need it, or the user requested exactly this version: nothing to report.
        if lines.is_empty() || self.precise.contains(&chosen.name) {
            return None;
        }

        let is_newer = |other: &&PackageSummary| {
            other.version > chosen.version
                && lines
                    .iter()
                    .all(|line| resolver::is_satisfied_by(line, other))
        };
        let newer = self
            .candidates
            .selectable(&chosen.name)
            .filter(is_newer)
            .max_by(|a, b| a.version.cmp(&b.version))?;
        let version = newer.version.as_ref()?;

        let reason = self.find_opponent(at, newer).unwrap_or_else(|| {
            format!(
                "does not fit the other packages; run `skillpm update {} --precise {version}` to see why",
                lines[0].alias
            )
        });
        Some((version, reason))
    }

    /// The reason that names the package whose requirement excludes a newer version; `None` if no single one does.
    fn find_opponent(&self, at: usize, newer: &PackageSummary) -> Option<String> {
        for package in self.resolve.packages() {
            let excluding = package
                .links
                .iter()
                .find(|link| link.to == at && !resolver::is_satisfied_by(&link.dependency, newer));
            if let Some(link) = excluding {
                return Some(format!(
                    "does not fit `{}`, which needs `{} {}`",
                    package.id, link.dependency.package, link.dependency.req
                ));
            }
        }
        None
    }

    /// The newest version that was excluded as too new, though all requirements on the package at this position accept it,
    /// and why it is too new.
    fn blocked_by_age(&self, at: usize) -> Option<(&Version, &str)> {
        let summary = &self.resolve.packages()[at].summary;
        let too_new = self
            .too_new
            .get(&(summary.source.clone(), summary.name.clone()))?;

        let links = self
            .resolve
            .packages()
            .iter()
            .flat_map(|package| &package.links)
            .chain(self.resolve.roots());

        let requirements: Vec<&PackageDependency> = links
            .filter(|link| link.to == at)
            .map(|link| &link.dependency)
            .collect();

        let is_wanted = |version: &Version| {
            Some(version) > summary.version.as_ref()
                && requirements
                    .iter()
                    .all(|dependency| dependency.req.matches(version))
        };

        let (version, reason) = too_new.iter().rfind(|(version, _)| is_wanted(version))?;
        Some((version, reason))
    }
}

/// Queries the sources until every chosen package has been read.
///
/// # Errors
/// If a source fails, or no solution exists; the message explains the conflict.
pub fn gather_packages(
    sources: &PackageSources<'_>,
    request: &GatherRequest<'_>,
) -> Result<GatheredPackages> {
    let first = DependencySearch::new(sources, request, LockTrust::Exact).run()?;
    // The lockfile alone has no solution: now the sources are queried for alternatives.
    let outcome = match first {
        Err(_) if !request.kept_packages.is_empty() => {
            DependencySearch::new(sources, request, LockTrust::Open).run()?
        }
        outcome => outcome,
    };

    outcome.map_err(|conflict| explain_conflict(sources, &conflict))
}

/// Whether a lockfile matches the patches, as far as it records them: each of them replaces a package, nothing else
/// does, and no package that has a patch is locked as itself.
#[must_use]
pub fn matches_patches(lockfile: &Lockfile, patches: &[PatchEntry]) -> bool {
    let locked = || lockfile.packages().iter();
    let is_used = |patch: &PatchEntry| {
        locked()
            .flat_map(|locked| &locked.replaces)
            .any(|replaced| patch.is_recorded_as(replaced))
    };

    patches.iter().all(is_used)
        && locked().all(|locked| {
            locked_candidates::is_patch_current(locked, patches)
                && !locked_candidates::is_patched(locked, patches)
        })
}

/// How far the lockfile is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LockTrust {
    /// Locked packages depend on exactly the locked versions; no source is queried for them.
    Exact,
    /// Locked versions are preferred; the sources are queried for others, and dependencies are read again.
    Open,
}

/// The key of a query: a package at a source, without name in the project and version.
type SourceQuery = (SourceId, PackageName, Option<RelPath>);

struct DependencySearch<'s, 'a> {
    sources: &'s PackageSources<'a>,
    request: &'s GatherRequest<'s>,
    candidates: Candidates,
    pins: VersionPins,
    kept: LockedCandidates<'s>,
    queried: BTreeSet<SourceQuery>,
    /// The versions of each patch.
    patch_versions: Vec<Vec<PackageSummary>>,
    /// Dependencies that were not queried, because a patch may replace them.
    deferred: Vec<PackageDependency>,
    locked: BTreeSet<(&'s SourceId, &'s PackageName, Option<&'s Version>)>,
    too_new: TooNew,
    fetched: BTreeMap<(PackageId, Option<RelPath>), FetchedPackage>,
}

impl<'s, 'a> DependencySearch<'s, 'a> {
    fn new(
        sources: &'s PackageSources<'a>,
        request: &'s GatherRequest<'s>,
        trust: LockTrust,
    ) -> Self {
        let (mut candidates, mut pins) = (Candidates::new(), VersionPins::new());
        let kept = LockedCandidates::new(request, trust);

        // The solver prefers locked versions.
        for summary in kept.summaries() {
            pins.prefer(summary.id(), summary.subdir.clone());
            candidates.add(summary.clone());
        }

        // `--precise` leaves the solver no choice.
        for (id, subdir) in request.precise {
            pins.require(id.clone(), subdir.clone());
        }

        request
            .patches
            .iter()
            .for_each(|patch| candidates.patch(patch.clone()));

        let locked = request.previous_lock.packages().iter();
        DependencySearch {
            sources,
            request,
            candidates,
            pins,
            kept,
            queried: BTreeSet::new(),
            patch_versions: vec![Vec::new(); request.patches.len()],
            deferred: Vec::new(),
            locked: locked
                .map(|locked| (&locked.source, &locked.name, locked.version.as_ref()))
                .collect(),
            too_new: TooNew::new(),
            fetched: BTreeMap::new(),
        }
    }

    fn run(mut self) -> Result<Result<GatheredPackages, Conflict>> {
        let mut frontier: Vec<PackageDependency> = self
            .request
            .roots
            .iter()
            .map(|root| root.dependency.clone())
            .collect();
        frontier.extend(self.kept.needs().cloned());

        // Breadth-first: each round is one wave of requests.
        loop {
            while !frontier.is_empty() {
                frontier = self.query_unlocked(frontier)?;
            }

            let resolve = match resolver::resolve(self.request.roots, &self.pins, &self.candidates)
            {
                Ok(resolve) => resolve,
                // Perhaps the original packages fit together, where their patches do not.
                Err(_) if !self.deferred.is_empty() => {
                    let originals = std::mem::take(&mut self.deferred);
                    frontier = self.query(originals)?;
                    continue;
                }
                Err(conflict) => return Ok(Err(conflict)),
            };

            let unread: Vec<PackageSummary> = resolve
                .unread()
                .map(|package| package.summary.clone())
                .collect();

            if unread.is_empty() {
                let DependencySearch {
                    fetched,
                    too_new,
                    patch_versions,
                    candidates,
                    ..
                } = self;
                let precise = self
                    .request
                    .precise
                    .iter()
                    .map(|(id, _)| id.name.clone())
                    .collect();

                return Ok(Ok(GatheredPackages {
                    resolve,
                    fetched,
                    too_new,
                    patch_versions,
                    candidates,
                    precise,
                }));
            }

            // Chosen packages have to be read, and their dependencies may change the choice.
            frontier = self.read_chosen(&unread)?;
        }
    }

    /// Queries dependencies that are not locked; returns the dependencies of the results.
    fn query_unlocked(
        &mut self,
        frontier: Vec<PackageDependency>,
    ) -> Result<Vec<PackageDependency>> {
        let (mut new, mut patched) = (Vec::new(), Vec::new());
        for dependency in frontier
            .into_iter()
            .filter(|dependency| !self.kept.has_answer(dependency))
        {
            match self
                .request
                .patches
                .iter()
                .position(|patch| patch.is_for(&dependency))
            {
                Some(at) => patched.push((at, dependency)),
                None => new.push(dependency),
            }
        }

        // The patch itself is queried, once, and the package that it replaces is not.
        let used: BTreeSet<usize> = patched.iter().map(|(at, _)| *at).collect();
        new.extend(
            used.into_iter()
                .map(|at| self.request.patches[at].replacement.clone()),
        );

        let mut next = self.query(new)?;
        // Where the patch does not fit, the original is needed after all.
        let (fitting, unfitting): (Vec<_>, Vec<_>) = patched
            .into_iter()
            .partition(|(at, dependency)| self.patch_fits(*at, dependency));

        self.deferred
            .extend(fitting.into_iter().map(|(_, dependency)| dependency));
        next.extend(
            self.query(
                unfitting
                    .into_iter()
                    .map(|(_, dependency)| dependency)
                    .collect(),
            )?,
        );

        Ok(next)
    }

    /// Whether a version of a patch matches a dependency.
    fn patch_fits(&self, at: usize, dependency: &PackageDependency) -> bool {
        let patch = &self.request.patches[at];
        self.patch_versions[at]
            .iter()
            .any(|summary| !summary.yanked && resolver::can_replace(patch, summary, dependency))
    }

    /// Queries dependencies that were not queried yet; returns the dependencies of the results.
    fn query(&mut self, dependencies: Vec<PackageDependency>) -> Result<Vec<PackageDependency>> {
        // Without the version: a source lists all versions of a package at once.
        let mut new = dependencies;

        // Many packages may need the same one.
        new.retain(
            |PackageDependency {
                 source,
                 package,
                 subdir,
                 ..
             }| {
                self.queried
                    .insert((source.clone(), package.clone(), subdir.clone()))
            },
        );

        let mut next = Vec::new();
        for (dependency, offers) in new.iter().zip(self.sources.query(&new)) {
            match offers {
                Ok(offers) => offers
                    .into_iter()
                    .for_each(|offer| next.extend(self.add_version(offer))),
                // A missing optional dependency must not make the command fail.
                Err(error) if dependency.optional => {
                    self.sources.reporter.report(ProgressEvent::Warning {
                        message: format!(
                            "failed to look up `{}`, an optional dependency of a skill: {error}",
                            dependency.package
                        ),
                        help: None,
                    });
                }
                Err(error) => {
                    let error = self.note_patch(error, dependency);
                    return Err(error.about([dependency.alias.to_string()]));
                }
            }
        }

        Ok(next)
    }

    /// Notes on an error that it is about a patch.
    fn note_patch(&self, error: Error, dependency: &PackageDependency) -> Error {
        match self
            .request
            .patches
            .iter()
            .find(|patch| patch.replacement == *dependency)
        {
            Some(patch) => error.note(format!(
                "`{}` is patched in skillpm.toml with this source",
                patch.package
            )),
            None => error,
        }
    }

    fn add_version(&mut self, offer: AvailableVersion) -> Vec<PackageDependency> {
        let summary = match offer {
            AvailableVersion::Summary(summary) => *summary,
            AvailableVersion::Fetched(fetched) => {
                let summary = fetched.summary.clone();
                self.fetched
                    .insert((summary.id(), summary.subdir.clone()), *fetched);
                summary
            }
        };

        for (patch, versions) in self.request.patches.iter().zip(&mut self.patch_versions) {
            if resolver::is_named_by(patch, &summary) {
                versions.push(summary.clone());
            }
        }
        let Some(summary) = self.prefer_locked(summary) else {
            return Vec::new();
        };

        let needs = summary.dependencies.clone().unwrap_or_default();
        let too_new = self.too_new_reason(&summary);
        let id = summary.id();
        self.candidates.add(summary);

        if let Some(reason) = too_new {
            self.candidates.mark_too_new(&id, reason.clone());
            let versions = self.too_new.entry((id.source, id.name)).or_default();
            versions.extend(id.version.map(|version| (version, reason)));
        }

        needs
    }

    /// The candidate for an offered version; `None` if the lockfile has it, with content that the source may have no longer.
    fn prefer_locked(&self, summary: PackageSummary) -> Option<PackageSummary> {
        let Some(locked) = self.kept.find_locked(&summary) else {
            return Some(summary);
        };

        // A locked package is kept: the same tag may have been moved since, and the lockfile's commit applies.
        match &summary.source {
            // A registry's version never changes, so the dependencies in its index are used without fetching it.
            SourceId::Registry(_) => {
                if summary.yanked {
                    self.sources.reporter.report(super::yanked_warning(locked));
                }
                // Yanked versions are not chosen, but a locked one stays.
                Some(PackageSummary {
                    yanked: false,
                    ..summary
                })
            }
            // A commit, a directory, an archive: only the lockfile has the chosen content.
            _ => None,
        }
    }

    fn too_new_reason(&self, summary: &PackageSummary) -> Option<String> {
        let is_locked =
            self.locked
                .contains(&(&summary.source, &summary.name, summary.version.as_ref()));

        // Only registries and ClawHub have publication times, and locked versions stay, however new.
        let has_times = matches!(summary.source, SourceId::Registry(_) | SourceId::ClawHub(_));
        let has_limit = has_times && !is_locked;
        has_limit
            .then(|| self.request.age.exclusion_reason(summary.published))
            .flatten()
    }

    /// Reads chosen packages; returns their dependencies.
    fn read_chosen(&mut self, unread: &[PackageSummary]) -> Result<Vec<PackageDependency>> {
        // The locked commit, since the reference may point to another one by now.
        let commits: Vec<Option<&str>> = unread
            .iter()
            .map(|summary| self.kept.find_locked(summary)?.commit.as_deref())
            .collect();

        let mut next = Vec::new();
        for (summary, read) in unread.iter().zip(self.sources.read(unread, &commits)) {
            match read {
                Ok(fetched) => {
                    next.extend(fetched.summary.dependencies.clone().unwrap_or_default());
                    self.candidates.add(fetched.summary.clone());
                    self.fetched.insert(
                        (fetched.summary.id(), fetched.summary.subdir.clone()),
                        fetched,
                    );
                }
                // The solver chooses again, without this version.
                Err(FetchError::Unavailable(reason)) => {
                    self.candidates.mark_unavailable(
                        &summary.id(),
                        summary.subdir.as_ref(),
                        reason,
                    );
                }
                Err(FetchError::Failed(error)) => {
                    return Err(error.about([summary.name.skill().to_string()]));
                }
            }
        }

        Ok(next)
    }
}

fn explain_conflict(sources: &PackageSources<'_>, conflict: &Conflict) -> Error {
    let default = (sources.registries)(None).ok();
    let names = |source: &SourceId| match source {
        // A vendored directory has no list of names.
        replaced if sources.vendor_directory(replaced).is_some() => Vec::new(),
        SourceId::Registry(url) => sources
            .open_index(url)
            .map(|index| index.package_names())
            .unwrap_or_default(),
        _ => Vec::new(),
    };

    conflict.explain(&ExplainContext {
        default_registry: default.as_deref(),
        names: &names,
    })
}

/// Warns about each optional dependency of a skill that was not found.
pub fn report_missing_optional(resolve: &ResolveGraph, reporter: &dyn EventReporter) {
    for missing in resolve.missing_optional() {
        let requester = missing
            .requester
            .as_ref()
            .map_or("this project".to_owned(), |id| format!("`{}`", id.name));
        let wanted: &SkillName = missing.dependency.package.skill();

        reporter.report(ProgressEvent::Warning {
            message: format!(
                "{requester} requires `{wanted}`, which was not found in its source or the registry"
            ),
            help: Some(format!(
                "if you know where it is, add it: `skillpm add SOURCE --skill {wanted}`"
            )),
        });
    }
}
