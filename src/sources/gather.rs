//! Following dependencies breadth-first until the solver has all it needs.
//!
//! What the lockfile has is not asked about again as long as it fits: first the solver gets it alone for whatever it
//! answers, and only if that fails are the sources asked what else there is.

use std::collections::BTreeMap;

use semver::{Comparator, Op, VersionReq};

use super::{Fetched, Lack, Offer, Sources};
use crate::error::{Error, Result};
use crate::lockfile::Locked;
use crate::package::{Dependency, PackageId, RelPath, SkillName, SourceId, Summary};
use crate::report::{Event, Reporter};
use crate::resolver::{self, Candidates, Conflict, Pins, Resolve, Surroundings};

/// What is to be solved.
pub struct Question<'a> {
    /// What the project needs.
    pub roots: &'a [Dependency],
    /// What was decided before, as far as it may stay.
    pub kept: &'a [&'a Locked],
    /// Versions that were asked for precisely.
    pub precise: &'a [(PackageId, Option<RelPath>)],
}

/// The answer, and the packages that were brought on the way to it.
pub struct Gathered {
    /// What was chosen.
    pub resolve: Resolve,
    fetched: BTreeMap<(PackageId, Option<RelPath>), Fetched>,
}

impl Gathered {
    /// A chosen package, if it was brought already.
    pub fn take(&mut self, summary: &Summary) -> Option<Fetched> {
        self.fetched.remove(&(summary.id(), summary.subdir.clone()))
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

/// How much of the lockfile is taken as given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// What it has answers for itself and needs exactly what it has; no source is asked about it.
    Exact,
    /// It is preferred; the sources are asked for alternatives, and what a kept package needs is read anew.
    Open,
}

struct Search<'s, 'a> {
    sources: &'s Sources<'a>,
    question: &'s Question<'s>,
    trust: Trust,
    candidates: Candidates,
    pins: Pins,
    kept: Vec<(Summary, &'s Locked)>,
    asked: Vec<Dependency>,
    fetched: BTreeMap<(PackageId, Option<RelPath>), Fetched>,
}

impl<'s, 'a> Search<'s, 'a> {
    fn new(sources: &'s Sources<'a>, question: &'s Question<'s>, trust: Trust) -> Self {
        let (mut candidates, mut pins) = (Candidates::new(), Pins::new());
        let mut kept = Vec::new();
        for locked in question.kept {
            let summary = kept_summary(locked, question, trust);
            pins.keep(summary.id(), summary.subdir.clone());
            candidates.add(summary.clone());
            kept.push((summary, *locked));
        }
        for (id, subdir) in question.precise {
            pins.require(id.clone(), subdir.clone());
        }
        Search { sources, question, trust, candidates, pins, kept, asked: Vec::new(), fetched: BTreeMap::new() }
    }

    fn run(mut self) -> Result<Result<Gathered, Conflict>> {
        let mut frontier: Vec<Dependency> = self.question.roots.to_vec();
        if self.trust == Trust::Exact {
            let needs = self.kept.iter().flat_map(|(summary, _)| summary.dependencies.iter().flatten());
            frontier.extend(needs.cloned());
        }
        loop {
            while !frontier.is_empty() {
                frontier = self.ask(frontier)?;
            }
            let resolve = match resolver::resolve(self.question.roots, &self.pins, &self.candidates) {
                Ok(resolve) => resolve,
                Err(conflict) => return Ok(Err(conflict)),
            };
            let unread: Vec<Summary> = resolve.unread().map(|package| package.summary.clone()).collect();
            if unread.is_empty() {
                return Ok(Ok(Gathered { resolve, fetched: self.fetched }));
            }
            frontier = self.read(&unread)?;
        }
    }

    /// Asks about what was not asked about yet; gives what the answers need in their turn.
    fn ask(&mut self, frontier: Vec<Dependency>) -> Result<Vec<Dependency>> {
        let mut new: Vec<Dependency> = Vec::new();
        for dependency in frontier {
            let is_known = |known: &Dependency| same_question(known, &dependency);
            if !self.asked.iter().any(is_known) && !new.iter().any(is_known) && !self.is_answered(&dependency) {
                new.push(dependency);
            }
        }
        self.asked.extend(new.iter().cloned());
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
                Err(error) => return Err(error),
            }
        }
        Ok(next)
    }

    /// Whether the lockfile answers, so that no source needs to be asked.
    fn is_answered(&self, dependency: &Dependency) -> bool {
        self.trust == Trust::Exact && self.kept.iter().any(|(summary, _)| resolver::answers(dependency, summary))
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
        // What was decided stays itself: the same tag may have been moved since, and the lockfile's commit counts.
        let is_kept = self.kept.iter().any(|(kept, _)| kept.id() == summary.id() && kept.subdir == summary.subdir);
        let summary = match &summary.source {
            _ if !is_kept => summary,
            // A registry's version never changes, so its index may say what it needs without bringing it.
            SourceId::Registry(_) => Summary { yanked: false, ..summary },
            _ => return Vec::new(),
        };
        let needs = summary.dependencies.clone().unwrap_or_default();
        self.candidates.add(summary);
        needs
    }

    /// Reads what was chosen; gives what it needs.
    fn read(&mut self, unread: &[Summary]) -> Result<Vec<Dependency>> {
        let commits: Vec<Option<&str>> = unread.iter().map(|summary| self.locked_commit(summary)).collect();
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

    fn locked_commit(&self, summary: &Summary) -> Option<&'s str> {
        let (_, locked) =
            self.kept.iter().find(|(kept, _)| kept.id() == summary.id() && kept.subdir == summary.subdir)?;
        locked.commit.as_deref()
    }
}

/// Whether two dependencies ask a source for the same thing, whatever they are called.
fn same_question(a: &Dependency, b: &Dependency) -> bool {
    a.package == b.package && a.source == b.source && a.subdir == b.subdir
}

/// A locked package as a candidate.
///
/// With exact trust it needs exactly what the lockfile says, if all of that stays; else what it needs is read anew.
fn kept_summary(locked: &Locked, question: &Question<'_>, trust: Trust) -> Summary {
    let exact = || {
        let needs = locked.dependencies.iter().map(|reference| {
            let needed = question.kept.iter().find(|kept| kept.reference() == *reference)?;
            Some(exactly(needed))
        });
        needs.collect::<Option<Vec<Dependency>>>()
    };
    Summary {
        name: locked.name.clone(),
        version: locked.version.clone(),
        source: locked.source.clone(),
        subdir: locked.path.clone(),
        dependencies: if trust == Trust::Exact { exact() } else { None },
        yanked: false,
        published: None,
    }
}

/// A dependency on just this package.
fn exactly(locked: &Locked) -> Dependency {
    let exact = locked.version.as_ref().map(|version| Comparator {
        op: Op::Exact,
        major: version.major,
        minor: Some(version.minor),
        patch: Some(version.patch),
        pre: version.pre.clone(),
    });
    Dependency {
        alias: locked.install_name().clone(),
        package: locked.name.clone(),
        source: locked.source.clone(),
        subdir: locked.path.clone(),
        req: VersionReq { comparators: exact.into_iter().collect() },
        dev: false,
        optional: false,
    }
}

fn explain(sources: &Sources<'_>, conflict: &Conflict) -> Error {
    let default = (sources.registries)(None).ok();
    let names = |source: &SourceId| match source {
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
