//! Thinks: which version of which package, so that everything that is needed fits together.
//!
//! Pure: no I/O, no clock, nobody is called back. Whoever calls has gathered every [`Summary`] into [`Candidates`]
//! before, knows from the lockfile what was chosen last time ([`Pins`]), and gets either a [`Resolve`] (the answer, as a
//! graph) or a [`Conflict`] (why there is none, as data that [`Conflict::explain`] turns into sentences).
//!
//! What is promised:
//!
//! - **One version of a package.** Two dependencies mean the same package if they name the same place (registry,
//!   repository, path, archive; whatever the reference) and the same skill in it: by directory where one is given, else
//!   by name, and by a directory and a name where a candidate answers to both.
//! - **One package of a name.** Two packages that want to be installed under one name do not go together, exactly
//!   as two versions do not.
//! - **Complete.** If there is an answer it is found, but for [`Conflict`]s of [`Cause::TooHard`], which take a
//!   world made for the purpose: the steps that a search may take grow with the versions there are.
//! - **The lock is a preference, and a patch goes before it.** What is preferred of a package is the newest that stands in
//!   for it by a patch, where there is one, else what is pinned. Let K be the packages that are reached from the project
//!   through preferred versions only. If some answer keeps what is preferred of all of K, the answer given keeps it. So a
//!   lock that still fits is kept as a whole, and updating one package leaves its siblings. Outside K a pin is taken where
//!   it fits when its turn comes.
//! - **A patch is one more candidate** of the package it replaces: where it does not fit all who ask, that package is.
//! - **Newest first** otherwise: never a yanked version that is not pinned, nor one that is barred, pre-releases as
//!   [`VersionReq::matches`](semver::VersionReq::matches) has it.
//! - **Same input, same answer**, in whatever order the input was given.
//!
//! | file | what |
//! |---|---|
//! | `root.rs` | the input: what everything begins with, the lines of the project and of a workspace's members |
//! | `candidates.rs` | the input: what may be chosen, and what was chosen before |
//! | `world.rs` | the input as numbers: packages, the indexes of their versions, and which of them each dependency takes |
//! | `solve.rs` | the search, by pubgrub, and how far it may go |
//! | `choices.rs` | sets of versions for it |
//! | `resolve.rs` | the answer and the questions it can be asked |
//! | `facts.rs` | of a failure, the few facts that suffice for it |
//! | `conflict.rs` | a failure as data |
//! | `story.rs` | makes one of those facts |
//! | `remedy.rs` | tries which change to the project's own dependencies helps |
//! | `explain.rs` | the story in words |
//!
//! [`Summary`]: crate::package::Summary

#[cfg(test)]
mod brute_force;
mod candidates;
mod choices;
mod conflict;
mod explain;
mod facts;
#[cfg(test)]
mod many_versions;
#[cfg(test)]
mod ranges;
mod remedy;
mod resolve;
mod root;
mod solve;
mod story;
#[cfg(test)]
mod table;
mod world;

use crate::package::{Dependency, Patch, Summary};
use solve::{SearchBudget, Verdict};
use world::World;

pub use candidates::{Barred, Candidates, Pins};
pub use conflict::{Ask, Asker, Case, Cause, Conflict, Hints, Remedy, Subject};
pub use explain::Surroundings;
pub use resolve::{Link, MissingOptional, Resolve, Resolved};
pub use root::{Member, Root};

/// Chooses a version of every package that `roots` need, directly or not.
///
/// A candidate whose dependencies were not read yet is taken to have none: read those that [`Resolve::unread`] names
/// and resolve again, until it names none.
///
/// # Errors
/// A [`Conflict`] if there is no choice that fits everything.
pub fn resolve(roots: &[Root], pins: &Pins, candidates: &Candidates) -> Result<Resolve, Conflict> {
    let world = World::new(roots, pins, candidates);
    let budget = SearchBudget::of(&world);
    match solve::solve(&world, None, &budget) {
        Verdict::Chosen(chosen) => Ok(Resolve::new(&world, &chosen)),
        Verdict::Impossible(facts) => {
            let trials = || SearchBudget::for_trials(&world, budget.steps_taken());
            let mut conflict = story::tell(&world, &facts::minimal(&world, facts, &trials()));
            conflict.remedy = remedy::remedy(&conflict, roots, (pins, candidates), &trials()).map(Box::new);
            Err(conflict)
        }
        Verdict::Undecided => Err(Conflict::new(Cause::TooHard {
            steps: budget.steps_taken(),
            candidates: world.size(),
            widest: world.widest_line(),
        })),
    }
}

/// Whether a summary is one that a dependency asks for: its place, its skill, its reference and its version.
#[must_use]
pub fn answers(dependency: &Dependency, summary: &Summary) -> bool {
    world::takes(dependency, summary)
}

/// Whether a summary is one that may stand in for what a dependency asks for: it is what the patch names, and fits.
#[must_use]
pub fn stands_in(patch: &Patch, summary: &Summary, dependency: &Dependency) -> bool {
    patch.is_for(dependency) && world::takes(&patch.by, summary) && world::fits_in_place(dependency, summary)
}

/// Whether a summary is one that a patch names.
#[must_use]
pub fn is_named_by(patch: &Patch, summary: &Summary) -> bool {
    world::takes(&patch.by, summary)
}

#[cfg(test)]
mod tests {
    use super::table::{candidates, pins, roots, solved, with_pins};
    use super::*;

    fn fails(lines: &str, table: &str) -> bool {
        resolve(&roots(lines), &Pins::new(), &candidates(table)).is_err()
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
    fn the_four_graphs_that_a_peer_gets_wrong() {
        assert_eq!(solved("a *, exact *", PEER), "a 1.0.0, c 1.1.0, exact 1.0.0");
        assert_eq!(solved("a *, tilde *", PEER), "a 1.0.0, c 1.1.1, tilde 1.0.0");
        assert!(fails("tilde *, tilde-old *", PEER));
        assert!(fails("exact *, exact-old *", PEER));
    }

    #[test]
    fn the_newest_that_fits_is_chosen() {
        assert_eq!(solved("c ^1.1", PEER), "c 1.2.0");
        assert_eq!(solved("c >=1.0.1&<1.2", PEER), "c 1.1.1");
    }

    #[test]
    fn an_older_version_is_chosen_where_only_that_goes_with_the_rest() {
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
        assert_eq!(with_pins("a *", "a 1.0.0\nb 1.0.0", table), "a 1.0.0, b 1.0.0");
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
        assert_eq!(with_pins("a *, c *", "b 1.0.0\nc 1.0.0", table), "a 1.1.0, b 1.0.0, c 1.0.0");
    }

    #[test]
    fn what_is_pinned_is_settled_before_what_is_not() {
        let table = "
            a 1.0.0 -> b ^1
            a 2.0.0 -> b ^2
            b 1.0.0
            b 1.1.0
            b 2.0.0
        ";
        assert_eq!(with_pins("a *, b *", "b 1.0.0", table), "a 1.0.0, b 1.0.0");
        assert_eq!(with_pins("a *", "b 1.0.0", table), "a 2.0.0, b 2.0.0", "but only what is asked for");
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
    fn precise_leaves_no_other_choice() {
        assert_eq!(with_pins("c *", "precise c 1.0.1", PEER), "c 1.0.1");
        assert_eq!(with_pins("c *", "c 1.1.0\nprecise c 1.0.1", PEER), "c 1.0.1");
        let outside = resolve(&roots("c ^1.1"), &pins("precise c 1.0.1"), &candidates(PEER));
        assert!(outside.is_err());
    }

    #[test]
    fn an_optional_dependency_binds_only_if_something_is_offered() {
        let table = "
            a 1.0.0 -> ghost * opt, b ^1 opt
            b 1.0.0
            b 2.0.0
        ";
        let resolve = resolve(&roots("a *, spirit * opt"), &Pins::new(), &candidates(table)).unwrap();
        assert_eq!(table::answer(&resolve), "a 1.0.0, b 1.0.0");
        let missing: Vec<String> = resolve
            .missing_optional()
            .iter()
            .map(|missing| {
                let asker = missing.asker.as_ref().map_or("project".to_owned(), ToString::to_string);
                format!("{asker}: {}", missing.dependency.package)
            })
            .collect();
        assert_eq!(missing, ["project: spirit", "a 1.0.0: ghost"]);
        assert!(fails("a *, b ^2", table), "what is offered binds");
        assert!(fails("ghost *", table), "what is not optional must be there");
    }

    #[test]
    fn what_is_unavailable_everywhere_is_missing_if_optional() {
        let mut candidates = candidates("git/a 1.0.0 tag:v1.0.0 unread");
        let id = candidates.iter().next().unwrap().id();
        candidates.mark_unavailable(&id, None, "no skill `a` at tag `v1.0.0`");
        let resolve = |lines: &str| resolve(&roots(lines), &Pins::new(), &candidates);
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
        assert_eq!(solved("c *", table), "c 1.0.0", "a version that needs another of itself cannot be");
    }

    #[test]
    fn a_diamond_meets_in_one_version() {
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
    fn one_name_at_two_places_is_two_packages() {
        let table = "
            pdf 1.0.0
            other/pdf 2.0.0
            git/pdf 3.0.0 tag:v3.0.0
        ";
        assert_eq!(
            solved("pdf *, other/pdf * as:pdf-two, git/pdf ^3 as:pdf-three", table),
            "pdf 1.0.0, pdf 2.0.0, pdf 3.0.0 v3.0.0"
        );
        assert!(fails("pdf *, other/pdf *", table), "but not under one name");
    }

    #[test]
    fn a_version_whose_needs_would_clash_in_name_is_passed_over() {
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
        let resolve =
            resolve(&roots("a *, b * as:old-b"), &Pins::new(), &candidates("a 1.0.0 -> b ^1\nb 1.0.0")).unwrap();
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
        assert_eq!(solved("git/pdf *", TAGS), "pdf 1.1.0 pdf-v1.1.0", "`nightly` is no version tag");
    }

    #[test]
    fn a_reference_is_matched_by_that_reference_only() {
        assert_eq!(solved("git/pdf * tag:nightly", TAGS), "pdf 9.0.0 nightly");
        assert_eq!(solved("git/pdf * branch:main", TAGS), "pdf main");
        assert_eq!(solved("git/pdf * tag:v2.0.0-rc.1", TAGS), "pdf 2.0.0-rc.1 v2.0.0-rc.1", "`*` asks for no version");
        assert_eq!(solved("git/pdf ^9 tag:nightly", TAGS), "pdf 9.0.0 nightly");
        assert!(fails("git/pdf ^8 tag:nightly", TAGS), "a version that is stated must fit");
        assert_eq!(solved("git/pdf ^8 branch:main", TAGS), "pdf main", "one that is not stated cannot be checked");
    }

    #[test]
    fn a_reference_and_a_requirement_meet_in_one_candidate() {
        assert_eq!(solved("from-registry *, git/pdf * tag:v1.0.0", TAGS), "from-registry 1.0.0, pdf 1.0.0 v1.0.0");
        assert_eq!(solved("from-registry *, to-tag *", TAGS), "from-registry 1.0.0, pdf 1.0.0 v1.0.0, to-tag 1.0.0");
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
            solved("git/review ^1 dir:a/review, git/review ^1 dir:b/review as:second", table),
            "review 1.0.0 v1.0.0, review 1.0.0 v1.0.0"
        );
        assert_eq!(solved("git/release-notes * branch:main dir:skills/notes", table), "rn main");
    }

    #[test]
    fn who_asks_by_name_means_the_package_that_others_ask_for_by_directory() {
        let table = "
            git/review 1.0.0 tag:v1.0.0 dir:a/review
            git/review 1.1.0 tag:v1.1.0 dir:a/review
            user 1.0.0 -> git/review ^1
        ";
        assert_eq!(solved("git/review * tag:v1.0.0 dir:a/review, user *", table), "review 1.0.0 v1.0.0, user 1.0.0");
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
        assert_eq!(solved("a *, b *", table), "a 1.0.0, b 1.0.0, pdf 1.0.0 v1.0.0");
    }

    #[test]
    fn what_is_unread_may_be_in_the_directory_that_is_asked_for() {
        let table = "
            git/pdf - tag:v1.0.0 dir:skills/pdf
            git/pdf 1.0.0 tag:v1.0.0 unread
            user 1.0.0 -> git/pdf ^1
        ";
        assert_eq!(solved("git/pdf * tag:v1.0.0 dir:skills/pdf, user *", table), "pdf 1.0.0 v1.0.0, user 1.0.0");
    }

    #[test]
    fn a_path_is_one_candidate() {
        let table = "
            path/style -
            path/guide 1.2.0
        ";
        assert_eq!(solved("path/style *, path/guide ^1", table), "guide 1.2.0, style");
        assert!(fails("path/style ^1", table), "what states no version fits `*` only");
        assert!(fails("path/guide ^2", table));
    }

    #[test]
    fn what_was_not_read_yet_is_named() {
        let mut candidates = candidates("git/a 1.0.0 tag:v1.0.0 unread\nb 1.0.0");
        let roots = roots("git/a ^1");
        let first = resolve(&roots, &Pins::new(), &candidates).unwrap();
        let unread: Vec<_> = first.unread().map(|package| package.id.to_string()).collect();
        assert_eq!(unread, ["a 1.0.0"]);

        candidates.add(table::summary("git/a 1.0.0 tag:v1.0.0 dir:skills/a -> b *"));
        let second = resolve(&roots, &Pins::new(), &candidates).unwrap();
        assert_eq!((second.unread().count(), table::answer(&second).as_str()), (0, "a 1.0.0 v1.0.0, b 1.0.0"));
    }

    #[test]
    fn what_is_unavailable_is_passed_over() {
        let mut candidates = candidates("git/a 1.0.0 tag:v1.0.0 unread\ngit/a 1.1.0 tag:v1.1.0 unread");
        let newest = candidates.iter().last().unwrap().id();
        candidates.mark_unavailable(&newest, None, "no skill `a` at tag `v1.1.0`");
        let resolve = resolve(&roots("git/a ^1"), &Pins::new(), &candidates).unwrap();
        assert_eq!(table::answer(&resolve), "a 1.0.0 v1.0.0");
    }

    #[test]
    fn nothing_needed_is_an_answer() {
        assert_eq!(solved("", PEER), "");
    }
}
