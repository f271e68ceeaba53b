//! Looks for a change to the project's own dependencies that helps, by trying.

use semver::{Version, VersionReq};

use super::candidates::{Candidates, Pins};
use super::conflict::{Cause, Conflict, Remedy};
use super::root::Root;
use super::solve::{SearchBudget, Verdict, solve};
use super::world::{World, is_offered};
use crate::package::{Dependency, PackageId, SkillName, SourceId};

/// Only this many of the project's dependencies are tried out for a change.
const LINES_TRIED: usize = 10;

/// Tries changes to the lines that take part within `budget`, and gives the best that helps.
pub(super) fn remedy(
    conflict: &Conflict,
    roots: &[Root],
    (pins, candidates): (&Pins, &Candidates),
    budget: &SearchBudget,
) -> Option<Remedy> {
    let trial = Trial { roots, pins, candidates, budget };
    let tried = || conflict.lines.iter().take(LINES_TRIED);
    let lines = || tried().filter_map(|line| Some((line, roots.iter().position(|root| root == line)?)));
    if let Cause::NothingFits { hints, .. } = &*conflict.cause
        && let Some(precise) = &hints.precise
    {
        return trial.less_precise(precise);
    }
    if let Cause::NameClash { .. } = *conflict.cause {
        let renamed = lines().find_map(|(line, at)| trial.rename(line, at));
        if renamed.is_some() {
            return renamed;
        }
    }
    let changes: Vec<(bool, Remedy)> = lines().filter_map(|(line, at)| trial.change(line, at)).collect();
    let upgrade = changes.iter().position(|(is_upgrade, _)| *is_upgrade).unwrap_or(0);
    let change = changes.into_iter().nth(upgrade).map(|(_, remedy)| remedy);
    // Of a project with one line, nothing is left without it.
    change.or_else(|| {
        if roots.len() < 2 {
            return None;
        }
        let lines: Vec<_> = lines().filter(|(_, at)| trial.solves_without(*at)).map(|(line, _)| line.clone()).collect();
        (!lines.is_empty()).then_some(Remedy::Without { lines })
    })
}

/// What is chosen for a line: its version, where one is stated.
struct Chosen {
    version: Option<Version>,
}

/// The input, to be tried with one of the roots changed.
struct Trial<'t> {
    roots: &'t [Root],
    pins: &'t Pins,
    candidates: &'t Candidates,
    /// What is left of the effort for all trials.
    budget: &'t SearchBudget,
}

impl Trial<'_> {
    /// Other versions of a line's package, and whether they are newer than all that fitted before.
    fn change(&self, line: &Root, at: usize) -> Option<(bool, Remedy)> {
        let known: Vec<&Version> = self
            .candidates
            .iter()
            .filter(|summary| is_offered(&line.dependency, summary))
            .filter_map(|s| s.version.as_ref())
            .collect();
        let (req, version) = self.any_version(line, at).or_else(|| self.pre_release(line, at, &known))?;
        let is_upgrade = known
            .into_iter()
            .filter(|known| line.dependency.req.matches(known))
            .all(|known| Some(known) < version.as_ref());
        (req != line.dependency.req).then(|| (is_upgrade, Remedy::Change { line: line.clone(), req, version }))
    }

    fn any_version(&self, line: &Root, at: usize) -> Option<(VersionReq, Option<Version>)> {
        let Chosen { version } = self.choice(at, line.with(VersionReq::STAR))?;
        Some((version.as_ref().map_or(VersionReq::STAR, caret), version))
    }

    fn pre_release(&self, line: &Root, at: usize, known: &[&Version]) -> Option<(VersionReq, Option<Version>)> {
        let newest = known.iter().filter(|version| !version.pre.is_empty()).max()?;
        let Chosen { version } = self.choice(at, line.with(caret(newest)))?;
        Some((caret(newest), version))
    }

    fn rename(&self, line: &Root, at: usize) -> Option<Remedy> {
        let aliases = other_names(&line.dependency);
        let alias = aliases.into_iter().find(|alias| {
            let is_free = self.roots.iter().all(|root| root.dependency.alias != *alias);
            let mut renamed = line.clone();
            renamed.dependency.alias = alias.clone();
            is_free && self.solves(&self.with(at, Some(renamed)))
        })?;
        Some(Remedy::Rename { line: line.clone(), alias })
    }

    fn less_precise(&self, precise: &PackageId) -> Option<Remedy> {
        let pins = self.pins.less_precise();
        let world = World::new(self.roots, &pins, self.candidates);
        let Verdict::Chosen(chosen) = solve(&world, None, self.budget) else { return None };
        let ids = chosen
            .iter()
            .filter_map(|(node, choice)| Some(world.package(*node)?.candidates[*choice as usize].summary.id()));
        let mut same = ids.filter(|id| id.name == precise.name && id.source.same_place(&precise.source));
        same.next().map(Remedy::LessPrecise)
    }

    fn solves_without(&self, at: usize) -> bool {
        self.solves(&self.with(at, None))
    }

    fn with(&self, at: usize, line: Option<Root>) -> Vec<Root> {
        let mut roots = self.roots.to_vec();
        roots.splice(at..=at, line);
        roots
    }

    fn solves(&self, roots: &[Root]) -> bool {
        let world = World::new(roots, self.pins, self.candidates);
        matches!(solve(&world, None, self.budget), Verdict::Chosen(_))
    }

    /// What is chosen for a line if the root at that position is `line`; `None` if nothing is.
    fn choice(&self, at: usize, line: Root) -> Option<Chosen> {
        let roots = self.with(at, Some(line));
        let world = World::new(&roots, self.pins, self.candidates);
        let Verdict::Chosen(chosen) = solve(&world, None, self.budget) else { return None };
        let edge = world.root.edges.iter().find(|edge| *edge.dependency == roots[at].dependency)?;
        let package = world.package(edge.to)?;
        Some(Chosen { version: package.candidates[chosen[&edge.to] as usize].summary.version.clone() })
    }
}

/// The customary requirement for a version and what is compatible with it.
fn caret(version: &Version) -> VersionReq {
    let text = match version {
        _ if !version.pre.is_empty() => format!("^{version}"),
        Version { major: 0, minor: 0, patch, .. } => format!("^0.0.{patch}"),
        Version { major: 0, minor, .. } => format!("^0.{minor}"),
        Version { major, .. } => format!("^{major}"),
    };
    VersionReq::parse(&text).expect("a caret and numbers are a requirement")
}

/// Names that a package could have besides its own: with its scope, with its owner's or its repository's name in front.
fn other_names(line: &Dependency) -> Vec<SkillName> {
    let skill = line.package.skill();
    let scope = line.package.scope().map(ToString::to_string);
    let places = match &line.source {
        SourceId::Git { url, .. } => {
            let mut parts: Vec<&str> = url.as_str().rsplit('/').take(2).collect();
            parts[0] = url.repository();
            parts.into_iter().map(str::to_ascii_lowercase).collect()
        }
        _ => Vec::new(),
    };
    let prefixes = scope.into_iter().chain(places).chain(["other".to_owned()]);
    prefixes.filter_map(|prefix| format!("{prefix}-{skill}").parse().ok()).collect()
}
