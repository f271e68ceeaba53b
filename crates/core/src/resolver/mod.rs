//! The dependency resolver: selects one version of every package, so that all requirements are met.
//!
//! Pure: no I/O, no clock, no callbacks. The caller gathers every [`PackageSummary`] into [`Candidates`] first and passes
//! the versions of the lockfile as [`VersionPins`]. The result is either a [`ResolveGraph`] or a [`Conflict`], the reasons
//! as data, which [`Conflict::explain`] renders as an error.
//!
//! Guarantees:
//!
//! - **One version per package.** Two dependencies mean the same package if they name the same location (registry,
//!   repository, path, archive; the git reference does not count) and the same skill in it: by directory where one is
//!   given, otherwise by name, and by either where one candidate matches both.
//! - **One package per name.** Two packages that would be installed under one name conflict, just as two versions of one
//!   package do.
//! - **Complete.** If there is a solution it is found, except for a [`Conflict`] of [`ConflictCause::TooComplex`], which
//!   only input built to be hard reaches: the steps that a search may take grow with the number of versions.
//! - **The lockfile is a preference, and a patch has priority over it.** The preferred candidate of a package is its
//!   newest `[patch]` replacement, where there is one, otherwise the pinned version. Let K be the packages that are
//!   reached from the project through preferred candidates only. If some solution keeps the preferred candidates of all
//!   of K, the solution returned keeps them. So a lockfile that still fits is kept as a whole, and updating one package
//!   leaves its siblings. Outside K a pin is taken where it fits when its package is decided.
//! - **A patch is one more candidate** of the package it replaces: where it does not meet all requirements, the package
//!   itself is selected.
//! - **Newest first** otherwise: never a yanked version that is not pinned, nor an excluded one; pre-releases by the
//!   rules of [`VersionReq::matches`](semver::VersionReq::matches).
//! - **Deterministic**: the same input gives the same result, whatever its order.
//!
//! | file | what |
//! |---|---|
//! | `root.rs` | the input: the dependencies of the project and of the members of its workspace |
//! | `candidates.rs` | the input: the candidates, and the versions selected before |
//! | `dependency_graph.rs` | the input as numbers: packages, the indexes of their candidates, and which of them match each dependency |
//! | `selector_index.rs` | which dependencies are on the same package |
//! | `matching.rs` | whether a candidate matches a dependency |
//! | `solve.rs` | the search, by pubgrub, and its budget |
//! | `choices.rs` | sets of candidates for the search |
//! | `resolve.rs` | the solution as a graph, and its queries |
//! | `facts.rs` | minimizes the facts that a failure rests on |
//! | `conflict.rs` | a failure as data |
//! | `diagnose.rs` | finds the cause of a failure in those facts |
//! | `remedy.rs` | tries changes to the project's own dependencies |
//! | `explain.rs` | renders a conflict as an error message |
//!
//! [`PackageSummary`]: crate::package::PackageSummary

#[cfg(test)]
mod brute_force;
mod candidates;
mod choices;
mod conflict;
mod dependency_graph;
mod diagnose;
mod equivalent;
mod explain;
mod facts;
#[cfg(test)]
mod many_versions;
mod matching;
#[cfg(test)]
mod ranges;
mod remedy;
mod resolve;
mod root;
mod selector_index;
mod solve;
#[cfg(test)]
mod table;

use crate::package::{PackageDependency, PackageSummary, PatchEntry};
use dependency_graph::DependencyGraph;
use solve::{SearchBudget, SolveOutcome};

pub use candidates::{Candidates, ExclusionReason, VersionPins};
pub use conflict::{
    CandidateHints, Conflict, ConflictCause, ConflictRemedy, ConflictRequester,
    ConflictRequirement, ConflictSubject, VersionFailure,
};
pub use explain::{ExplainContext, command_in, shell_quoted};
pub use resolve::{MissingOptional, ResolveGraph, ResolvedDependency, ResolvedPackage};
pub use root::{MemberRef, RootDependency};

/// Selects a version of every package that `roots` need, directly or transitively.
///
/// A candidate whose dependencies were not read yet is taken to have none: read those that [`ResolveGraph::unread`]
/// returns and resolve again, until it returns none.
///
/// # Errors
/// A [`Conflict`] if no selection meets all requirements, or the search budget is exceeded.
pub fn resolve(
    roots: &[RootDependency],
    pins: &VersionPins,
    candidates: &Candidates,
) -> Result<ResolveGraph, Conflict> {
    let graph = DependencyGraph::new(roots, pins, candidates);
    let budget = SearchBudget::for_search(&graph);

    // All facts first: only a failure is explained with subsets of them.
    match solve::solve(&graph, None, &budget) {
        SolveOutcome::Chosen(chosen) => Ok(ResolveGraph::new(&graph, &chosen)),
        SolveOutcome::Impossible(facts) => {
            // Each gets its own budget, so that a failure after a long search is explained as well.
            let trials = || SearchBudget::for_trials(&graph, budget.steps_taken());
            // The remedy depends on the cause, so it comes after it.
            let mut conflict =
                diagnose::explain_facts(&graph, &facts::minimize_facts(&graph, facts, &trials()));
            conflict.remedy =
                remedy::find_remedy(&conflict, roots, pins, candidates, &trials()).map(Box::new);
            Err(conflict)
        }
        SolveOutcome::Undecided => Err(Conflict::new(ConflictCause::TooComplex {
            steps: budget.steps_taken(),
            candidates: graph.size(),
            widest: graph.widest_line(),
        })),
    }
}

/// Whether a summary matches a dependency: its location, skill, git reference and version.
#[must_use]
pub fn is_satisfied_by(dependency: &PackageDependency, summary: &PackageSummary) -> bool {
    matching::takes(dependency, summary)
}

/// Whether a summary may replace what a dependency means: the patch names it, and its version fits.
#[must_use]
pub fn can_replace(
    patch: &PatchEntry,
    summary: &PackageSummary,
    dependency: &PackageDependency,
) -> bool {
    patch.is_for(dependency)
        && matching::takes(&patch.replacement, summary)
        && matching::fits_in_place(dependency, summary)
}

/// Whether a summary is the replacement that a patch names.
#[must_use]
pub fn is_named_by(patch: &PatchEntry, summary: &PackageSummary) -> bool {
    matching::takes(&patch.replacement, summary)
}

#[cfg(test)]
mod tests {
    use super::table::{candidates, pins, roots, solved, with_pins};
    use super::*;

    fn fails(lines: &str, table: &str) -> bool {
        resolve(&roots(lines), &VersionPins::new(), &candidates(table)).is_err()
    }

    const PEER: &str = "
        c 1.0.0
        c 1.0.1
        c 1.1.0
        c 1.1.1
        c 1.2.0
        a 1.0.0 -> c ^1.0.0
        exact 1.0.0 -> c =1.1.0
        tilde 1.0.0 -> c ~1.1.0
        tilde-old 1.0.0 -> c ~1.0.0
        exact-old 1.0.0 -> c =1.0.0
    ";

    #[test]
    fn four_graphs_that_another_tool_resolves_wrong_are_resolved() {
        assert_eq!(
            solved("a *, exact *", PEER),
            "a 1.0.0, c 1.1.0, exact 1.0.0"
        );
        assert_eq!(
            solved("a *, tilde *", PEER),
            "a 1.0.0, c 1.1.1, tilde 1.0.0"
        );
        assert!(fails("tilde *, tilde-old *", PEER));
        assert!(fails("exact *, exact-old *", PEER));
    }

    #[test]
    fn the_newest_that_fits_is_chosen() {
        assert_eq!(solved("c ^1.1", PEER), "c 1.2.0");
        assert_eq!(solved("c >=1.0.1&<1.2", PEER), "c 1.1.1");
    }

    #[test]
    fn older_version_is_chosen_where_only_that_fits_the_rest() {
        let table = "
            a 1.0.0 -> b ^1
            a 2.0.0 -> b ^2
            b 1.0.0
            b 2.0.0
            c 1.0.0 -> b ^1
        ";
        assert_eq!(solved("a *, c *", table), "a 1.0.0, b 1.0.0, c 1.0.0");
    }

    #[test]
    fn a_yanked_version_is_chosen_only_if_locked() {
        let table = "
            a 1.0.0
            a 1.1.0 yanked
        ";
        assert_eq!(solved("a ^1", table), "a 1.0.0");
        assert_eq!(with_pins("a ^1", "a 1.1.0", table), "a 1.1.0");
        assert!(fails("a ^1.1", table));
        let conflict = resolve(&roots("a ^1"), &pins("precise a 1.1.0"), &candidates(table));
        assert!(conflict.is_err(), "`--precise` does not undo a yank");
    }

    #[test]
    fn pre_releases_are_chosen_only_if_asked_for() {
        let table = "
            a 1.0.0
            a 2.0.0-rc.1
            a 2.0.0-rc.2
        ";
        assert_eq!(solved("a *", table), "a 1.0.0");
        assert_eq!(solved("a ^2.0.0-rc.1", table), "a 2.0.0-rc.2");
        assert!(fails("a ^2", table));
    }

    #[test]
    fn a_lock_that_fits_is_kept_as_a_whole() {
        let table = "
            a 1.0.0 -> b ^1
            a 1.1.0 -> b ^1
            b 1.0.0
            b 1.1.0
        ";
        assert_eq!(
            with_pins("a *", "a 1.0.0\nb 1.0.0", table),
            "a 1.0.0, b 1.0.0"
        );
    }

    #[test]
    fn updating_one_leaves_its_siblings() {
        let table = "
            a 1.0.0 -> b ^1
            a 1.1.0 -> b ^1
            b 1.0.0
            b 1.1.0
            c 1.0.0
            c 1.1.0
        ";
        assert_eq!(
            with_pins("a *, c *", "b 1.0.0\nc 1.0.0", table),
            "a 1.1.0, b 1.0.0, c 1.0.0"
        );
    }

    #[test]
    fn pinned_packages_are_decided_first() {
        let table = "
            a 1.0.0 -> b ^1
            a 2.0.0 -> b ^2
            b 1.0.0
            b 1.1.0
            b 2.0.0
        ";
        assert_eq!(with_pins("a *, b *", "b 1.0.0", table), "a 1.0.0, b 1.0.0");
        assert_eq!(
            with_pins("a *", "b 1.0.0", table),
            "a 2.0.0, b 2.0.0",
            "but only if it is needed"
        );
    }

    #[test]
    fn a_pin_yields_where_nothing_else_helps() {
        let table = "
            a 1.0.0 -> b ^2
            b 1.0.0
            b 2.0.0
            b 2.1.0
        ";
        assert_eq!(with_pins("a *, b *", "b 1.0.0", table), "a 1.0.0, b 2.1.0");
    }

    #[test]
    fn precise_version_is_the_only_choice() {
        assert_eq!(with_pins("c *", "precise c 1.0.1", PEER), "c 1.0.1");
        assert_eq!(
            with_pins("c *", "c 1.1.0\nprecise c 1.0.1", PEER),
            "c 1.0.1"
        );
        let outside = resolve(
            &roots("c ^1.1"),
            &pins("precise c 1.0.1"),
            &candidates(PEER),
        );
        assert!(outside.is_err());
    }

    #[test]
    fn an_optional_dependency_binds_only_if_something_is_offered() {
        let table = "
            a 1.0.0 -> ghost * opt, b ^1 opt
            b 1.0.0
            b 2.0.0
        ";
        let resolve = resolve(
            &roots("a *, spirit * opt"),
            &VersionPins::new(),
            &candidates(table),
        )
        .unwrap();
        assert_eq!(table::answer(&resolve), "a 1.0.0, b 1.0.0");
        let missing: Vec<String> = resolve
            .missing_optional()
            .iter()
            .map(|missing| {
                let requester = missing
                    .requester
                    .as_ref()
                    .map_or("project".to_owned(), ToString::to_string);
                format!("{requester}: {}", missing.dependency.package)
            })
            .collect();
        assert_eq!(missing, ["project: spirit", "a 1.0.0: ghost"]);
        assert!(
            fails("a *, b ^2", table),
            "an optional dependency that is offered binds"
        );
        assert!(
            fails("ghost *", table),
            "a dependency that is not optional must exist"
        );
    }

    #[test]
    fn optional_dependency_without_available_candidates_is_missing() {
        let mut candidates = candidates("git/a 1.0.0 tag:v1.0.0 unread");
        let id = candidates.iter().next().unwrap().id();
        candidates.mark_unavailable(&id, None, "no skill `a` at tag `v1.0.0`");
        let resolve = |lines: &str| resolve(&roots(lines), &VersionPins::new(), &candidates);
        assert_eq!(resolve("git/a * opt").unwrap().missing_optional().len(), 1);
        assert!(resolve("git/a *").is_err());
    }

    #[test]
    fn dependencies_for_development_bind_the_project_only() {
        let table = "
            a 1.0.0 -> ghost * dev
            b 1.0.0
        ";
        assert_eq!(solved("a *, b * dev", table), "a 1.0.0, b 1.0.0");
    }

    #[test]
    fn skills_may_need_each_other_and_themselves() {
        let table = "
            a 1.0.0 -> b *
            b 1.0.0 -> a ^1, b ^1
            c 2.0.0 -> c ^1
            c 1.0.0 -> c ^1
        ";
        assert_eq!(solved("a *", table), "a 1.0.0, b 1.0.0");
        assert_eq!(
            solved("c *", table),
            "c 1.0.0",
            "a version that needs another of itself cannot be"
        );
    }

    #[test]
    fn diamond_dependency_resolves_to_one_version() {
        let table = "
            a 1.0.0 -> d >=1.1
            b 1.0.0 -> d <1.3
            d 1.0.0
            d 1.1.0
            d 1.2.0
            d 1.3.0
        ";
        assert_eq!(solved("a *, b *", table), "a 1.0.0, b 1.0.0, d 1.2.0");
    }

    #[test]
    fn one_name_at_two_locations_is_two_packages() {
        let table = "
            pdf 1.0.0
            other/pdf 2.0.0
            git/pdf 3.0.0 tag:v3.0.0
        ";
        assert_eq!(
            solved(
                "pdf *, other/pdf * as:pdf-two, git/pdf ^3 as:pdf-three",
                table
            ),
            "pdf 1.0.0, pdf 2.0.0, pdf 3.0.0 v3.0.0"
        );
        assert!(fails("pdf *, other/pdf *", table), "but not under one name");
    }

    #[test]
    fn version_whose_dependencies_would_conflict_in_name_is_skipped() {
        let table = "
            a 2.0.0 -> other/pdf *
            a 1.0.0
            pdf 1.0.0
            other/pdf 1.0.0
        ";
        assert_eq!(solved("a *, pdf *", table), "a 1.0.0, pdf 1.0.0");
    }

    #[test]
    fn one_package_may_have_two_names() {
        let resolve = resolve(
            &roots("a *, b * as:old-b"),
            &VersionPins::new(),
            &candidates("a 1.0.0 -> b ^1\nb 1.0.0"),
        )
        .unwrap();
        let b = resolve.by_alias(&"b".parse().unwrap()).unwrap();
        assert_eq!(resolve.by_alias(&"old-b".parse().unwrap()), Some(b));
        assert_eq!(resolve.packages().len(), 2);
    }

    const TAGS: &str = "
        git/pdf 1.0.0 tag:v1.0.0 unread
        git/pdf 1.1.0 tag:v1.1.0 unread
        git/pdf 1.1.0 tag:pdf-v1.1.0 unread
        git/pdf 9.0.0 tag:nightly dir:skills/pdf
        git/pdf - branch:main dir:skills/pdf
        git/pdf 2.0.0-rc.1 tag:v2.0.0-rc.1 dir:skills/pdf
        from-registry 1.0.0 -> git/pdf ^1
        to-main 1.0.0 -> git/pdf * branch:main
        to-tag 1.0.0 -> git/pdf * tag:v1.0.0
    ";

    #[test]
    fn version_tags_are_chosen_by_version_and_the_skills_own_first() {
        assert_eq!(solved("git/pdf ^1", TAGS), "pdf 1.1.0 pdf-v1.1.0");
        assert_eq!(
            solved("git/pdf *", TAGS),
            "pdf 1.1.0 pdf-v1.1.0",
            "`nightly` is no version tag"
        );
    }

    #[test]
    fn a_reference_is_matched_by_that_reference_only() {
        assert_eq!(solved("git/pdf * tag:nightly", TAGS), "pdf 9.0.0 nightly");
        assert_eq!(solved("git/pdf * branch:main", TAGS), "pdf main");
        assert_eq!(
            solved("git/pdf * tag:v2.0.0-rc.1", TAGS),
            "pdf 2.0.0-rc.1 v2.0.0-rc.1",
            "`*` requires no version"
        );
        assert_eq!(solved("git/pdf ^9 tag:nightly", TAGS), "pdf 9.0.0 nightly");
        assert!(
            fails("git/pdf ^8 tag:nightly", TAGS),
            "a version that is stated must fit"
        );
        assert_eq!(
            solved("git/pdf ^8 branch:main", TAGS),
            "pdf main",
            "one that is not stated cannot be checked"
        );
    }

    #[test]
    fn a_reference_and_a_requirement_meet_in_one_candidate() {
        assert_eq!(
            solved("from-registry *, git/pdf * tag:v1.0.0", TAGS),
            "from-registry 1.0.0, pdf 1.0.0 v1.0.0"
        );
        assert_eq!(
            solved("from-registry *, to-tag *", TAGS),
            "from-registry 1.0.0, pdf 1.0.0 v1.0.0, to-tag 1.0.0"
        );
        assert!(fails("from-registry *, to-main *", TAGS));
    }

    #[test]
    fn a_directory_decides_whatever_the_name() {
        let table = "
            git/review 1.0.0 tag:v1.0.0 dir:a/review
            git/review 1.0.0 tag:v1.0.0 dir:b/review
            git/rn - branch:main dir:skills/notes
        ";
        assert_eq!(
            solved(
                "git/review ^1 dir:a/review, git/review ^1 dir:b/review as:second",
                table
            ),
            "review 1.0.0 v1.0.0, review 1.0.0 v1.0.0"
        );
        assert_eq!(
            solved("git/release-notes * branch:main dir:skills/notes", table),
            "rn main"
        );
    }

    #[test]
    fn dependency_by_name_means_the_package_that_others_name_by_directory() {
        let table = "
            git/review 1.0.0 tag:v1.0.0 dir:a/review
            git/review 1.1.0 tag:v1.1.0 dir:a/review
            user 1.0.0 -> git/review ^1
        ";
        assert_eq!(
            solved("git/review * tag:v1.0.0 dir:a/review, user *", table),
            "review 1.0.0 v1.0.0, user 1.0.0"
        );
    }

    #[test]
    fn a_skill_that_moved_between_versions_is_one_package() {
        let table = "
            git/pdf 1.0.0 tag:v1.0.0 dir:pdf
            git/pdf 1.1.0 tag:v1.1.0 dir:skills/pdf
            a 1.0.0 -> git/pdf ^1
            b 1.0.0 -> git/pdf =1.0.0
        ";
        assert_eq!(solved("a *", table), "a 1.0.0, pdf 1.1.0 v1.1.0");
        assert_eq!(
            solved("a *, b *", table),
            "a 1.0.0, b 1.0.0, pdf 1.0.0 v1.0.0"
        );
    }

    #[test]
    fn unread_candidate_may_be_in_the_required_directory() {
        let table = "
            git/pdf - tag:v1.0.0 dir:skills/pdf
            git/pdf 1.0.0 tag:v1.0.0 unread
            user 1.0.0 -> git/pdf ^1
        ";
        assert_eq!(
            solved("git/pdf * tag:v1.0.0 dir:skills/pdf, user *", table),
            "pdf 1.0.0 v1.0.0, user 1.0.0"
        );
    }

    #[test]
    fn a_path_is_one_candidate() {
        let table = "
            path/style -
            path/guide 1.2.0
        ";
        assert_eq!(
            solved("path/style *, path/guide ^1", table),
            "guide 1.2.0, style"
        );
        assert!(
            fails("path/style ^1", table),
            "a skill without a version matches `*` only"
        );
        assert!(fails("path/guide ^2", table));
    }

    #[test]
    fn unread_candidates_are_returned() {
        let mut candidates = candidates("git/a 1.0.0 tag:v1.0.0 unread\nb 1.0.0");
        let roots = roots("git/a ^1");
        let first = resolve(&roots, &VersionPins::new(), &candidates).unwrap();
        let unread: Vec<_> = first
            .unread()
            .map(|package| package.id.to_string())
            .collect();
        assert_eq!(unread, ["a 1.0.0"]);

        candidates.add(table::summary("git/a 1.0.0 tag:v1.0.0 dir:skills/a -> b *"));
        let second = resolve(&roots, &VersionPins::new(), &candidates).unwrap();
        assert_eq!(
            (second.unread().count(), table::answer(&second).as_str()),
            (0, "a 1.0.0 v1.0.0, b 1.0.0")
        );
    }

    #[test]
    fn unavailable_candidate_is_skipped() {
        let mut candidates =
            candidates("git/a 1.0.0 tag:v1.0.0 unread\ngit/a 1.1.0 tag:v1.1.0 unread");
        let newest = candidates.iter().last().unwrap().id();
        candidates.mark_unavailable(&newest, None, "no skill `a` at tag `v1.1.0`");
        let resolve = resolve(&roots("git/a ^1"), &VersionPins::new(), &candidates).unwrap();
        assert_eq!(table::answer(&resolve), "a 1.0.0 v1.0.0");
    }

    #[test]
    fn no_dependencies_resolve_to_nothing() {
        assert_eq!(solved("", PEER), "");
    }
}
