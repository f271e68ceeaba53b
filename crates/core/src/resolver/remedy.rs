//! Tries changes to the project's own dependencies, to suggest one that resolves a conflict.

use semver::{Version, VersionReq};

use super::candidates::{Candidates, VersionPins};
use super::conflict::{Conflict, ConflictCause, ConflictRemedy};
use super::dependency_graph::DependencyGraph;
use super::matching::is_offered;
use super::root::RootDependency;
use super::solve::{SearchBudget, SolveOutcome, solve};
use crate::package::{PackageDependency, PackageId, SkillName, SourceId};

/// Most dependencies of the project for which a change is tried.
// Each trial is a search of its own, and a project may have hundreds of dependencies.
const LINES_TRIED: usize = 10;

/// Tries changes to the dependencies that take part, within `budget`; returns the best that helps.
pub(super) fn find_remedy(
    conflict: &Conflict,
    roots: &[RootDependency],
    pins: &VersionPins,
    candidates: &Candidates,
    budget: &SearchBudget,
) -> Option<ConflictRemedy> {
    let trial = RemedyTrial {
        roots,
        pins,
        candidates,
        budget,
    };

    // `--precise` is an option of this one command, so leaving it out is the smallest change.
    if let ConflictCause::NothingFits { hints, .. } = &*conflict.cause
        && let Some(precise) = &hints.precise
    {
        return trial.try_without_precise(precise);
    }

    let lines = trial.locate_lines(conflict);
    if let ConflictCause::NameClash { .. } = *conflict.cause {
        let renamed = lines.iter().find_map(|line| trial.try_rename(line));
        if renamed.is_some() {
            return renamed;
        }
    }

    trial
        .try_changes(&lines)
        .or_else(|| trial.try_removals(&lines))
}

/// The candidate selected for a dependency; `version` is `None` where it has none.
struct ChosenVersion {
    version: Option<Version>,
}

/// The input, to be resolved again with one of the roots changed.
struct RemedyTrial<'t> {
    roots: &'t [RootDependency],
    pins: &'t VersionPins,
    candidates: &'t Candidates,
    /// The remaining budget of all trials together.
    budget: &'t SearchBudget,
}

/// A dependency of the project that takes part in the conflict, and its position among the roots.
struct ConflictLine<'c> {
    line: &'c RootDependency,
    at: usize,
}

impl RemedyTrial<'_> {
    /// The dependencies for which a change is tried.
    fn locate_lines<'c>(&self, conflict: &'c Conflict) -> Vec<ConflictLine<'c>> {
        conflict
            .lines
            .iter()
            .take(LINES_TRIED)
            .filter_map(|line| {
                let at = self.roots.iter().position(|root| root == line)?;
                Some(ConflictLine { line, at })
            })
            .collect()
    }

    /// The best change of one requirement.
    fn try_changes(&self, lines: &[ConflictLine<'_>]) -> Option<ConflictRemedy> {
        let changes: Vec<(bool, ConflictRemedy)> = lines
            .iter()
            .filter_map(|line| self.try_change(line))
            .collect();

        // A newer version is a better offer than an older one.
        let upgrade = changes
            .iter()
            .position(|(is_upgrade, _)| *is_upgrade)
            .unwrap_or(0);
        changes.into_iter().nth(upgrade).map(|(_, remedy)| remedy)
    }

    /// The dependencies of which any one can be removed.
    fn try_removals(&self, lines: &[ConflictLine<'_>]) -> Option<ConflictRemedy> {
        // In a project with one dependency nothing would be left.
        if self.roots.len() < 2 {
            return None;
        }

        let lines: Vec<RootDependency> = lines
            .iter()
            .filter(|line| self.solves_without(line.at))
            .map(|line| line.line.clone())
            .collect();
        (!lines.is_empty()).then_some(ConflictRemedy::RemoveOneOf { lines })
    }

    /// Another requirement for a dependency, and whether its version is newer than all that matched before.
    fn try_change(
        &self,
        &ConflictLine { line, at }: &ConflictLine<'_>,
    ) -> Option<(bool, ConflictRemedy)> {
        // All versions, also yanked ones: newer than all of them is what makes it an upgrade.
        let known: Vec<&Version> = self
            .candidates
            .iter()
            .filter(|summary| is_offered(&line.dependency, summary))
            .filter_map(|s| s.version.as_ref())
            .collect();

        // A pre-release only where no release helps.
        let (req, version) = self
            .try_any_version(line, at)
            .or_else(|| self.try_pre_release(line, at, &known))?;
        let is_upgrade = known
            .into_iter()
            .filter(|known| line.dependency.req.matches(known))
            .all(|known| Some(known) < version.as_ref());

        // The current requirement would be no change.
        if req == line.dependency.req {
            return None;
        }
        let remedy = ConflictRemedy::Change {
            line: line.clone(),
            req,
            version,
        };
        Some((is_upgrade, remedy))
    }

    fn try_any_version(
        &self,
        line: &RootDependency,
        at: usize,
    ) -> Option<(VersionReq, Option<Version>)> {
        let ChosenVersion { version } =
            self.choose_for_line(at, line.with_requirement(VersionReq::STAR))?;
        Some((
            version.as_ref().map_or(VersionReq::STAR, caret_requirement),
            version,
        ))
    }

    fn try_pre_release(
        &self,
        line: &RootDependency,
        at: usize,
        known: &[&Version],
    ) -> Option<(VersionReq, Option<Version>)> {
        let newest = known
            .iter()
            .filter(|version| !version.pre.is_empty())
            .max()?;

        let ChosenVersion { version } =
            self.choose_for_line(at, line.with_requirement(caret_requirement(newest)))?;
        Some((caret_requirement(newest), version))
    }

    fn try_rename(&self, &ConflictLine { line, at }: &ConflictLine<'_>) -> Option<ConflictRemedy> {
        // A name in use would be the next clash.
        let is_used = |alias: &SkillName| {
            self.roots
                .iter()
                .any(|root| root.dependency.alias == *alias)
        };
        let alias = alternative_names(&line.dependency)
            .into_iter()
            .filter(|alias| !is_used(alias))
            .find(|alias| {
                let mut renamed = line.clone();
                renamed.dependency.alias = alias.clone();
                self.solves(&self.with_line(at, Some(renamed)))
            })?;

        Some(ConflictRemedy::Rename {
            line: line.clone(),
            alias,
        })
    }

    fn try_without_precise(&self, precise: &PackageId) -> Option<ConflictRemedy> {
        let pins = self.pins.without_precise();
        let graph = DependencyGraph::new(self.roots, &pins, self.candidates);
        let SolveOutcome::Chosen(chosen) = solve(&graph, None, self.budget) else {
            return None;
        };

        let ids = chosen.iter().filter_map(|(node, choice)| {
            Some(
                graph.package(*node)?.candidates[*choice as usize]
                    .summary
                    .id(),
            )
        });

        // The package may have another version now, or come from another tag of its repository.
        let mut same =
            ids.filter(|id| id.name == precise.name && id.source.is_same_location(&precise.source));
        same.next().map(ConflictRemedy::WithoutPrecise)
    }

    fn solves_without(&self, at: usize) -> bool {
        self.solves(&self.with_line(at, None))
    }

    fn with_line(&self, at: usize, line: Option<RootDependency>) -> Vec<RootDependency> {
        let mut roots = self.roots.to_vec();
        roots.splice(at..=at, line);
        roots
    }

    fn solves(&self, roots: &[RootDependency]) -> bool {
        let graph = DependencyGraph::new(roots, self.pins, self.candidates);
        matches!(solve(&graph, None, self.budget), SolveOutcome::Chosen(_))
    }

    /// The candidate selected for a dependency if the root at that position is `line`; `None` if resolution fails.
    fn choose_for_line(&self, at: usize, line: RootDependency) -> Option<ChosenVersion> {
        let roots = self.with_line(at, Some(line));
        let graph = DependencyGraph::new(&roots, self.pins, self.candidates);
        let SolveOutcome::Chosen(chosen) = solve(&graph, None, self.budget) else {
            return None;
        };

        let edge = graph
            .root
            .edges
            .iter()
            .find(|edge| *edge.dependency == roots[at].dependency)?;
        let package = graph.package(edge.to)?;

        Some(ChosenVersion {
            version: package.candidates[chosen[&edge.to] as usize]
                .summary
                .version
                .clone(),
        })
    }
}

/// The caret requirement of a version, without the parts that do not matter: `^1`, `^0.3`.
fn caret_requirement(version: &Version) -> VersionReq {
    let text = match version {
        // Shortened, a requirement no longer matches a pre-release.
        _ if !version.pre.is_empty() => format!("^{version}"),
        Version {
            major: 0,
            minor: 0,
            patch,
            ..
        } => format!("^0.0.{patch}"),
        Version {
            major: 0, minor, ..
        } => format!("^0.{minor}"),
        Version { major, .. } => format!("^{major}"),
    };
    VersionReq::parse(&text).expect("a caret and numbers are a requirement")
}

/// Other install names for a package: prefixed with its scope, or with the owner or name of its repository.
fn alternative_names(line: &PackageDependency) -> Vec<SkillName> {
    let skill = line.package.skill();
    let scope = line.package.scope().map(ToString::to_string);

    let places = match &line.source {
        SourceId::Git { url, .. } => {
            let mut parts: Vec<&str> = url.as_str().rsplit('/').take(2).collect();
            // The last part of the URL may end in `.git`.
            parts[0] = url.repository();
            parts.into_iter().map(str::to_ascii_lowercase).collect()
        }
        _ => Vec::new(),
    };

    // Prefixes that say where the package is from, and one that is always possible.
    let prefixes = scope.into_iter().chain(places).chain(["other".to_owned()]);
    prefixes
        .filter_map(|prefix| format!("{prefix}-{skill}").parse().ok())
        .collect()
}
