//! Following dependencies breadth-first until the solver has all it needs.
//!
//! What the lockfile has is not asked about again as long as it fits: first the solver gets it alone for whatever it
//! answers, and only if that fails are the sources asked what else there is. And where a patch stands in for a package,
//! the package itself is asked about only once the patch turns out not to do.

mod kept;

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;

use super::release_age::ReleaseAge;
use super::{Fetched, Lack, Offer, Sources};
use crate::error::{Error, Result};
use crate::lockfile::{Locked, Lockfile};
use crate::package::{Dependency, PackageId, PackageName, Patch, RelPath, SkillName, SourceId, Summary};
use crate::report::{Event, Reporter};
use crate::resolver::{self, Candidates, Conflict, Pins, Resolve, Root, Surroundings};
use kept::Kept;

/// What is to be solved.
pub struct Question<'a> {
    /// What the project and its members need.
    pub roots: &'a [Root],
    /// What stands in for other packages.
    pub patches: &'a [Patch],
    /// What was decided before, as far as it may stay.
    pub kept: &'a [&'a Locked],
    /// Versions that were asked for precisely.
    pub precise: &'a [(PackageId, Option<RelPath>)],
    /// How old a registry's version must be.
    pub age: &'a ReleaseAge,
    /// What was decided before as a whole: none of it is too new.
    pub old: &'a Lockfile,
}

/// The answer, and the packages that were brought on the way to it.
pub struct Gathered {
    /// What was chosen.
    pub resolve: Resolve,
    fetched: BTreeMap<(PackageId, Option<RelPath>), Fetched>,
    too_new: TooNew,
    in_place: Vec<Vec<Summary>>,
    candidates: Candidates,
    /// The packages of which one version was asked for precisely.
    precise: BTreeSet<PackageName>,
}

/// Versions that are too new, and why, by source and name.
type TooNew = BTreeMap<(SourceId, PackageName), BTreeMap<Version, String>>;

impl Gathered {
    /// A chosen package, if it was brought already.
    pub fn take(&mut self, summary: &Summary) -> Option<Fetched> {
        self.fetched.remove(&(summary.id(), summary.subdir.clone()))
    }

    /// The newest version that the patch at this position of the question offers; `None` if it states none.
    #[must_use]
    pub fn newest_in_place(&self, patch: usize) -> Option<&Version> {
        self.in_place[patch].iter().filter_map(|summary| summary.version.as_ref()).max()
    }

    /// The newest version that the package at this position was not chosen in, though the project would take it, and why:
    /// it is too new, or does not fit another package. The reason finishes the sentence "it …".
    #[must_use]
    pub fn held_back(&self, at: usize) -> Option<(&Version, String)> {
        let too_new = self.too_new(at).map(|(version, reason)| (version, reason.to_owned()));
        too_new.or_else(|| self.unfitting(at))
    }

    /// The newest version that the project itself would take, and what does not fit it.
    fn unfitting(&self, at: usize) -> Option<(&Version, String)> {
        let chosen = &self.resolve.packages()[at].summary;
        let lines = self.resolve.roots().iter().filter(|link| link.to == at);
        let lines: Vec<&Dependency> = lines.map(|link| &link.dependency).collect();
        if lines.is_empty() || self.precise.contains(&chosen.name) {
            return None;
        }

        let is_newer = |other: &&Summary| {
            other.version > chosen.version && lines.iter().all(|line| resolver::answers(line, other))
        };
        let newer = self.candidates.free(&chosen.name).filter(is_newer).max_by(|a, b| a.version.cmp(&b.version))?;
        let version = newer.version.as_ref()?;

        let packages = self.resolve.packages().iter();
        let mut asked =
            packages.flat_map(|package| package.links.iter().map(move |link| (package, &link.dependency, link.to)));
        let opposed = asked.find(|(_, dependency, to)| *to == at && !resolver::answers(dependency, newer));
        let reason = match opposed {
            Some((package, dependency, _)) => {
                format!("does not fit `{}`, which needs `{} {}`", package.id, dependency.package, dependency.req)
            }
            None => {
                format!("does not fit the rest; `skillpm update {} --precise {version}` says why", lines.first()?.alias)
            }
        };
        Some((version, reason))
    }

    /// The newest version that was passed over for being too new, though all who ask for the package at this position
    /// would take it, and why it is too new.
    fn too_new(&self, at: usize) -> Option<(&Version, &str)> {
        let summary = &self.resolve.packages()[at].summary;
        let too_new = self.too_new.get(&(summary.source.clone(), summary.name.clone()))?;
        let links = self.resolve.packages().iter().flat_map(|package| &package.links).chain(self.resolve.roots());
        let asked: Vec<&Dependency> = links.filter(|link| link.to == at).map(|link| &link.dependency).collect();
        let is_wanted = |version: &Version| {
            Some(version) > summary.version.as_ref() && asked.iter().all(|dependency| dependency.req.matches(version))
        };
        let (version, reason) = too_new.iter().rfind(|(version, _)| is_wanted(version))?;
        Some((version, reason))
    }
}

/// Asks the sources until everything that is chosen has been read.
///
/// # Errors
/// If a source fails, or there is no choice that fits; the message tells who asked for what.
pub fn gather(sources: &Sources<'_>, question: &Question<'_>) -> Result<Gathered> {
    let first = Search::new(sources, question, Trust::Exact).run()?;
    let outcome = match first {
        Err(_) if !question.kept.is_empty() => Search::new(sources, question, Trust::Open).run()?,
        outcome => outcome,
    };
    outcome.map_err(|conflict| explain(sources, &conflict))
}

/// Whether a lockfile has the patches that there are, as far as it can tell: all of them stand in for something, nothing
/// else does, and nothing is locked as itself that there is a patch for.
#[must_use]
pub fn has_patches(lockfile: &Lockfile, patches: &[Patch]) -> bool {
    let locked = || lockfile.packages().iter();
    let is_used =
        |patch: &Patch| locked().flat_map(|locked| &locked.replaces).any(|replaced| patch.accounts_for(replaced));
    patches.iter().all(is_used)
        && locked().all(|locked| kept::is_accounted_for(locked, patches) && !kept::is_patched(locked, patches))
}

/// How much of the lockfile is taken as given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// What it has answers for itself and needs exactly what it has; no source is asked about it.
    Exact,
    /// It is preferred; the sources are asked for alternatives, and what a kept package needs is read anew.
    Open,
}

/// What a source can be asked: a package at a place, whatever it is called and whichever version.
type Asked = (SourceId, PackageName, Option<RelPath>);

struct Search<'s, 'a> {
    sources: &'s Sources<'a>,
    question: &'s Question<'s>,
    candidates: Candidates,
    pins: Pins,
    kept: Kept<'s>,
    asked: BTreeSet<Asked>,
    /// What each patch offers.
    in_place: Vec<Vec<Summary>>,
    /// What was not asked about, because a patch may stand in for it.
    deferred: Vec<Dependency>,
    locked: BTreeSet<(&'s SourceId, &'s PackageName, Option<&'s Version>)>,
    too_new: TooNew,
    fetched: BTreeMap<(PackageId, Option<RelPath>), Fetched>,
}

impl<'s, 'a> Search<'s, 'a> {
    fn new(sources: &'s Sources<'a>, question: &'s Question<'s>, trust: Trust) -> Self {
        let (mut candidates, mut pins) = (Candidates::new(), Pins::new());
        let kept = Kept::new(question, trust);
        for summary in kept.summaries() {
            pins.keep(summary.id(), summary.subdir.clone());
            candidates.add(summary.clone());
        }
        for (id, subdir) in question.precise {
            pins.require(id.clone(), subdir.clone());
        }
        question.patches.iter().for_each(|patch| candidates.patch(patch.clone()));
        let locked = question.old.packages().iter();
        Search {
            sources,
            question,
            candidates,
            pins,
            kept,
            asked: BTreeSet::new(),
            in_place: vec![Vec::new(); question.patches.len()],
            deferred: Vec::new(),
            locked: locked.map(|locked| (&locked.source, &locked.name, locked.version.as_ref())).collect(),
            too_new: TooNew::new(),
            fetched: BTreeMap::new(),
        }
    }

    fn run(mut self) -> Result<Result<Gathered, Conflict>> {
        let mut frontier: Vec<Dependency> = self.question.roots.iter().map(|root| root.dependency.clone()).collect();
        frontier.extend(self.kept.needs().cloned());
        loop {
            while !frontier.is_empty() {
                frontier = self.ask(frontier)?;
            }
            let resolve = match resolver::resolve(self.question.roots, &self.pins, &self.candidates) {
                Ok(resolve) => resolve,
                // Perhaps what the patches replace goes together better than they do.
                Err(_) if !self.deferred.is_empty() => {
                    let originals = std::mem::take(&mut self.deferred);
                    frontier = self.query(originals)?;
                    continue;
                }
                Err(conflict) => return Ok(Err(conflict)),
            };
            let unread: Vec<Summary> = resolve.unread().map(|package| package.summary.clone()).collect();
            if unread.is_empty() {
                let Search { fetched, too_new, in_place, candidates, .. } = self;
                let precise = self.question.precise.iter().map(|(id, _)| id.name.clone()).collect();
                return Ok(Ok(Gathered { resolve, fetched, too_new, in_place, candidates, precise }));
            }
            frontier = self.read(&unread)?;
        }
    }

    /// Asks about what the lockfile does not answer; gives what the answers need in their turn.
    fn ask(&mut self, frontier: Vec<Dependency>) -> Result<Vec<Dependency>> {
        let (mut new, mut patched) = (Vec::new(), Vec::new());
        for dependency in frontier.into_iter().filter(|dependency| !self.kept.answers(dependency)) {
            match self.question.patches.iter().position(|patch| patch.is_for(&dependency)) {
                Some(at) => patched.push((at, dependency)),
                None => new.push(dependency),
            }
        }
        let by: BTreeSet<usize> = patched.iter().map(|(at, _)| *at).collect();
        new.extend(by.into_iter().map(|at| self.question.patches[at].by.clone()));
        let mut next = self.query(new)?;
        let (does, does_not): (Vec<_>, Vec<_>) =
            patched.into_iter().partition(|(at, dependency)| self.stands_in(*at, dependency));
        self.deferred.extend(does.into_iter().map(|(_, dependency)| dependency));
        next.extend(self.query(does_not.into_iter().map(|(_, dependency)| dependency).collect())?);
        Ok(next)
    }

    /// Whether a patch has something that fits what a dependency asks for.
    fn stands_in(&self, at: usize, dependency: &Dependency) -> bool {
        let patch = &self.question.patches[at];
        self.in_place[at].iter().any(|summary| !summary.yanked && resolver::stands_in(patch, summary, dependency))
    }

    /// Asks the sources about what they were not asked about yet; gives what the answers need in their turn.
    fn query(&mut self, dependencies: Vec<Dependency>) -> Result<Vec<Dependency>> {
        let mut new = dependencies;
        new.retain(|Dependency { source, package, subdir, .. }| {
            self.asked.insert((source.clone(), package.clone(), subdir.clone()))
        });
        let mut next = Vec::new();
        for (dependency, offers) in new.iter().zip(self.sources.query(&new)) {
            match offers {
                Ok(offers) => offers.into_iter().for_each(|offer| next.extend(self.take(offer))),
                Err(error) if dependency.optional => self.sources.reporter.report(Event::Warning {
                    message: format!(
                        "`{}`, which a skill wishes for, cannot be looked up: {error}",
                        dependency.package
                    ),
                    help: None,
                }),
                Err(error) => return Err(self.with_patch(error, dependency)),
            }
        }
        Ok(next)
    }

    /// Says of a failure that it is a patch that failed.
    fn with_patch(&self, error: Error, dependency: &Dependency) -> Error {
        match self.question.patches.iter().find(|patch| patch.by == *dependency) {
            Some(patch) => error.note(format!("`{}` is patched in skillpm.toml, to come from there", patch.package)),
            None => error,
        }
    }

    fn take(&mut self, offer: Offer) -> Vec<Dependency> {
        let summary = match offer {
            Offer::Summary(summary) => *summary,
            Offer::Fetched(fetched) => {
                let summary = fetched.summary.clone();
                self.fetched.insert((summary.id(), summary.subdir.clone()), *fetched);
                summary
            }
        };
        for (patch, in_place) in self.question.patches.iter().zip(&mut self.in_place) {
            if resolver::is_named_by(patch, &summary) {
                in_place.push(summary.clone());
            }
        }
        // What was decided stays itself: the same tag may have been moved since, and the lockfile's commit counts.
        let summary = match &summary.source {
            _ if self.kept.same(&summary).is_none() => summary,
            // A registry's version never changes, so its index may say what it needs without bringing it.
            SourceId::Registry(_) => {
                if let Some(locked) = self.kept.same(&summary).filter(|_| summary.yanked) {
                    self.sources.reporter.report(super::yanked(locked));
                }
                Summary { yanked: false, ..summary }
            }
            _ => return Vec::new(),
        };
        let needs = summary.dependencies.clone().unwrap_or_default();
        let too_new = self.too_new(&summary);
        let id = summary.id();
        self.candidates.add(summary);
        if let Some(reason) = too_new {
            self.candidates.mark_too_new(&id, reason.clone());
            let versions = self.too_new.entry((id.source, id.name)).or_default();
            versions.extend(id.version.map(|version| (version, reason)));
        }
        needs
    }

    fn too_new(&self, summary: &Summary) -> Option<String> {
        let is_locked = self.locked.contains(&(&summary.source, &summary.name, summary.version.as_ref()));
        let is_judged = matches!(summary.source, SourceId::Registry(_)) && !is_locked;
        is_judged.then(|| self.question.age.bars(summary.published)).flatten()
    }

    /// Reads what was chosen; gives what it needs.
    fn read(&mut self, unread: &[Summary]) -> Result<Vec<Dependency>> {
        let commits: Vec<Option<&str>> =
            unread.iter().map(|summary| self.kept.same(summary)?.commit.as_deref()).collect();
        let mut next = Vec::new();
        for (summary, read) in unread.iter().zip(self.sources.read(unread, &commits)) {
            match read {
                Ok(fetched) => {
                    next.extend(fetched.summary.dependencies.clone().unwrap_or_default());
                    self.candidates.add(fetched.summary.clone());
                    self.fetched.insert((fetched.summary.id(), fetched.summary.subdir.clone()), fetched);
                }
                Err(Lack::Unavailable(reason)) => {
                    self.candidates.mark_unavailable(&summary.id(), summary.subdir.as_ref(), reason);
                }
                Err(Lack::Failed(error)) => return Err(error),
            }
        }
        Ok(next)
    }
}

fn explain(sources: &Sources<'_>, conflict: &Conflict) -> Error {
    let default = (sources.registries)(None).ok();
    let names = |source: &SourceId| match source {
        replaced if sources.vendored(replaced).is_some() => Vec::new(),
        SourceId::Registry(url) => sources.index(url).map(|index| index.names()).unwrap_or_default(),
        _ => Vec::new(),
    };
    conflict.explain(&Surroundings { default_registry: default.as_deref(), names: &names })
}

/// Says of each skill that another wishes for and nobody offers that it is missing.
pub fn report_missing(resolve: &Resolve, reporter: &dyn Reporter) {
    for missing in resolve.missing_optional() {
        let asker = missing.asker.as_ref().map_or("this project".to_owned(), |id| format!("`{}`", id.name));
        let wanted: &SkillName = missing.dependency.package.skill();
        reporter.report(Event::Warning {
            message: format!("{asker} says it requires `{wanted}`, which neither its source nor the registry has"),
            help: Some(format!("if you know where it is, add it: `skillpm add SOURCE --skill {wanted}`")),
        });
    }
}
