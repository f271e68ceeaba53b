//! The resolver compared with every possible selection, on projects small enough to try them all.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use semver::VersionReq;

use super::conflict::ConflictRemedy;
use super::dependency_graph::DependencyGraph;
use super::facts::minimize_facts;
use super::solve::{SearchBudget, SolveOutcome, solve};
use super::table::{INDEX, answer, dependency, patch, roots, summary};
use super::{
    Candidates, ExplainContext, MemberRef, ResolveGraph, RootDependency, VersionPins, resolve,
};
use crate::package::{PackageDependency, PackageId, PackageName, PackageSummary, SourceId};

/// Packages of two registries; one name is in both.
const NAMES: [&str; 5] = ["a", "b", "c", "d", "other/b"];
const VERSIONS: [&str; 5] = ["1.0.0", "1.1.0", "2.0.0", "2.1.0-rc.1", "3.0.0"];
const REQS: [&str; 10] = [
    "*",
    "*",
    "^1",
    "^2",
    "=1.0.0",
    "~1.1",
    ">=1.1",
    ">=1",
    "<3",
    "^2.1.0-rc.1",
];

/// Every package's candidates, its `[patch]` replacements last; the dependencies of the project and its members, the pins,
/// and the versions that are too new.
#[derive(Clone)]
struct Small {
    packages: BTreeMap<&'static str, Vec<PackageSummary>>,
    roots: Vec<RootDependency>,
    pinned: BTreeMap<&'static str, PackageSummary>,
    too_new: BTreeSet<PackageId>,
}

/// The key in [`NAMES`] of a package of a source; the replacement of a package is at a path of that name.
fn key(source: &SourceId, name: &PackageName) -> String {
    let is_other = matches!(source, SourceId::Registry(index) if index != INDEX);
    if is_other {
        format!("other/{name}")
    } else {
        name.to_string()
    }
}

fn is_patch(summary: &PackageSummary) -> bool {
    matches!(summary.source, SourceId::Path(_))
}

/// Prints a project as the table that builds it, so that a failure can be read.
impl fmt::Debug for Small {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        for RootDependency { dependency, member } in &self.roots {
            writeln!(f, "{member:?} -> {}", render_dependency(dependency))?;
        }
        for (name, summary) in self
            .packages
            .iter()
            .flat_map(|(name, all)| all.iter().map(move |one| (name, one)))
        {
            let yanked = if summary.yanked { " yanked" } else { "" };
            let too_new = if self.too_new.contains(&summary.id()) {
                " too-new"
            } else {
                ""
            };
            let patch = if is_patch(summary) { " patch" } else { "" };
            let needs: Vec<String> = needs(summary).map(render_dependency).collect();
            let needs = needs.join(", ");
            writeln!(
                f,
                "{name}: {}{yanked}{too_new}{patch} -> {needs}",
                summary.id()
            )?;
        }
        self.pinned
            .values()
            .try_for_each(|pin| writeln!(f, "pinned {}", pin.id()))
    }
}

fn render_dependency(dependency: &PackageDependency) -> String {
    let PackageDependency {
        package,
        req,
        alias,
        ..
    } = dependency;
    let optional = if dependency.optional { " opt" } else { "" };
    format!("{package} {req} as:{alias}{optional}")
}

/// The candidate of each package.
type Choice<'s> = BTreeMap<&'s str, &'s PackageSummary>;

impl Small {
    fn candidates(&self) -> Candidates {
        let mut candidates: Candidates = self.packages.values().flatten().cloned().collect();
        for (name, all) in &self.packages {
            for by in all.iter().filter(|summary| is_patch(summary)) {
                candidates.patch(patch(&format!("{name} by path/{} *", by.name)));
            }
        }
        self.too_new
            .iter()
            .for_each(|id| candidates.mark_too_new(id, "is too new"));
        candidates
    }

    fn pins(&self) -> VersionPins {
        let mut pins = VersionPins::new();
        self.pinned
            .values()
            .for_each(|summary| pins.prefer(summary.id(), None));
        pins
    }

    fn resolve(&self) -> Result<ResolveGraph, super::Conflict> {
        resolve(&self.roots, &self.pins(), &self.candidates())
    }

    /// Every choice that is a solution, possibly with more than is needed.
    fn answers(&self) -> Vec<Choice<'_>> {
        let mut choices: Vec<Choice<'_>> = vec![Choice::new()];
        for (name, summaries) in &self.packages {
            let more: Vec<Choice<'_>> = choices
                .iter()
                .flat_map(|choice| {
                    summaries.iter().map(|summary| {
                        let mut choice = choice.clone();
                        choice.insert(name, summary);
                        choice
                    })
                })
                .collect();
            choices.extend(more);
        }
        choices.retain(|choice| self.is_answer(choice));
        choices
    }

    fn is_answer(&self, choice: &Choice<'_>) -> bool {
        let is_allowed = |(name, summary): (&&str, &&PackageSummary)| {
            let is_pinned = self
                .pinned
                .get(name)
                .is_some_and(|pin| pin.id() == summary.id());
            !self.too_new.contains(&summary.id()) && (!summary.yanked || is_pinned)
        };
        if !choice.iter().all(is_allowed) {
            return false;
        }

        let lines = self.roots.iter().map(|root| &root.dependency);
        let asked = lines.chain(choice.values().flat_map(|summary| needs(summary)));
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        for dependency in asked.filter(|dependency| !self.is_missing(dependency)) {
            let package = key(&dependency.source, &dependency.package);
            let chosen = choice.get(package.as_str());
            if !chosen.is_some_and(|summary| is_match(dependency, summary)) {
                return false;
            }
            let owner = names
                .entry(dependency.alias.to_string())
                .or_insert_with(|| package.clone());
            if *owner != package {
                return false;
            }
        }
        true
    }

    fn is_missing(&self, dependency: &PackageDependency) -> bool {
        let package = key(&dependency.source, &dependency.package);
        let are_excluded = |all: &Vec<PackageSummary>| {
            all.iter()
                .all(|summary| self.too_new.contains(&summary.id()))
        };
        dependency.optional && self.packages.get(package.as_str()).is_none_or(are_excluded)
    }

    /// The preferred candidate of a package: its replacement, otherwise the pinned version.
    fn preferred(&self, name: &str) -> Option<&PackageSummary> {
        let patch = self
            .packages
            .get(name)?
            .iter()
            .rfind(|summary| is_patch(summary));
        patch.or_else(|| self.pinned.get(name))
    }

    /// The packages reached through preferred candidates only.
    fn preferred_from_the_roots(&self) -> BTreeMap<&'static str, &PackageSummary> {
        let mut reached = BTreeMap::new();
        let mut queue: Vec<&PackageDependency> =
            self.roots.iter().map(|root| &root.dependency).collect();
        while let Some(dependency) = queue.pop() {
            let package = key(&dependency.source, &dependency.package);
            let name = NAMES.into_iter().find(|name| *name == package);
            if let Some((name, preferred)) =
                name.and_then(|name| Some((name, self.preferred(name)?)))
                && reached.insert(name, preferred).is_none()
            {
                queue.extend(needs(preferred));
            }
        }
        reached
    }

    fn shuffled(&self) -> Small {
        let mut other = self.clone();
        other.roots.reverse();
        for summary in other.packages.values_mut().flatten() {
            if let Some(dependencies) = &mut summary.dependencies {
                dependencies.reverse();
            }
        }
        other
            .packages
            .values_mut()
            .for_each(|summaries| summaries.reverse());
        other
    }
}

fn needs(summary: &PackageSummary) -> impl Iterator<Item = &PackageDependency> {
    summary.dependencies.iter().flatten()
}

fn is_match(dependency: &PackageDependency, summary: &PackageSummary) -> bool {
    summary.version.as_ref().is_none_or(|version| {
        // A replacement is chosen explicitly, so it may be a pre-release.
        dependency.req.matches(version) || is_patch(summary) && dependency.req == VersionReq::STAR
    })
}

fn a_dependency() -> impl Strategy<Value = PackageDependency> {
    let flags = (0..12).prop_map(|seed| match seed {
        0 => " as:shared",
        1 => " as:a",
        2 | 3 => " opt",
        _ => "",
    });
    (select(NAMES.as_slice()), select(REQS.as_slice()), flags)
        .prop_map(|(name, req, flags)| dependency(&format!("{name} {req}{flags}")))
}

/// Whether a version was yanked, whether it is too new, and its dependencies.
type Version = (bool, bool, Vec<PackageDependency>);

fn a_package() -> impl Strategy<Value = Vec<Version>> {
    let versions = prop_oneof![1 => 0..=0_usize, 12 => 2..=4_usize];
    let version = || {
        (
            prop::bool::weighted(0.1),
            prop::bool::weighted(0.1),
            vec(a_dependency(), 0..=2),
        )
    };
    versions.prop_flat_map(move |versions| vec(version(), versions))
}

/// The replacement of a package: its version, if it states one, and its dependencies.
fn a_patch() -> impl Strategy<Value = Option<(Option<&'static str>, Vec<PackageDependency>)>> {
    let stated = prop_oneof![1 => Just(None), 2 => select(VERSIONS.as_slice()).prop_map(Some)];
    prop::option::weighted(0.15, (stated, vec(a_dependency(), 0..=2)))
}

/// A line of the project, or of one of two members.
fn a_root() -> impl Strategy<Value = RootDependency> {
    let member = prop_oneof![2 => Just(None), 1 => select(["x", "y"].as_slice()).prop_map(Some)];
    (a_dependency(), member).prop_map(|(dependency, member)| {
        let member = member.map(|name| MemberRef {
            name: name.to_owned(),
            dir: format!("skills/{name}"),
        });
        RootDependency { dependency, member }
    })
}

prop_compose! {
    /// Of these, about half have an answer.
    fn a_project()(
        packages in vec(a_package(), NAMES.len()),
        patches in vec(a_patch(), NAMES.len()),
        roots in vec(a_root(), 1..=3),
        pinned in vec((prop::bool::weighted(0.6), 0..4_usize), NAMES.len()),
        skip in 0..2_usize,
    ) -> Small {
        let mut small =
            Small { packages: BTreeMap::new(), roots, pinned: BTreeMap::new(), too_new: BTreeSet::new() };
        for (name, versions) in NAMES.into_iter().zip(packages) {
            for ((yanked, too_new, needs), version) in versions.into_iter().zip(VERSIONS.into_iter().skip(skip)) {
                let yanked_flag = if yanked { "yanked" } else { "" };
                let mut summary = summary(&format!("{name} {version} {yanked_flag}"));
                summary.dependencies = Some(needs);
                small.too_new.extend(too_new.then(|| summary.id()));
                small.packages.entry(name).or_default().push(summary);
            }
        }
        for (name, patch) in NAMES.into_iter().zip(patches) {
            if let Some((version, needs)) = patch {
                let mut by = summary(&format!("path/{} {}", name.replace('/', "-"), version.unwrap_or("-")));
                by.dependencies = Some(needs);
                small.packages.entry(name).or_default().push(by);
            }
        }
        for (name, (is_pinned, version)) in NAMES.into_iter().zip(pinned) {
            let found = small.packages.get(name).and_then(|summaries| summaries.get(version % summaries.len()));
            if let Some(summary) = found.filter(|_| is_pinned).cloned() {
                small.pinned.insert(name, summary);
            }
        }
        small
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_answer_is_found_if_and_only_if_there_is_one(small in a_project()) {
        let answers = small.answers();
        match small.resolve() {
            Err(_) => prop_assert!(answers.is_empty(), "missed {:?}", answers.first().map(|choice| choice.keys().collect::<Vec<_>>())),
            Ok(resolve) => {
                let name_of = |id: &PackageId| if id.name.to_string() == "other-b" { "other/b".into() } else { key(&id.source, &id.name) };
                let names: Vec<String> = resolve.packages().iter().map(|package| name_of(&package.id)).collect();
                let choice: Choice<'_> =
                    names.iter().map(String::as_str).zip(resolve.packages().iter().map(|package| &package.summary)).collect();
                prop_assert_eq!(choice.len(), names.len(), "one package is there twice: {}", answer(&resolve));
                prop_assert!(small.is_answer(&choice), "not a solution: {}", answer(&resolve));
                for (at, name) in names.iter().enumerate() {
                    prop_assert!(!resolve.paths_to(at).is_empty(), "{} is not needed", name);
                    prop_assert!(!resolve.packages()[at].aliases.is_empty());
                    prop_assert_eq!(resolve.packages()[at].replaces.is_empty(), !is_patch(choice[name.as_str()]));
                }
            }
        }
    }

    #[test]
    fn pins_reached_through_patched_packages_are_kept_if_possible(
        mut small in a_project(),
        which in any::<Index>(),
        is_kept in vec(prop::bool::weighted(0.8), NAMES.len()),
    ) {
        // Pins that come from an answer, all or most of them, as those of a lockfile do.
        let answers = small.answers();
        prop_assume!(!answers.is_empty());
        let locked = NAMES.into_iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
        let answer = which.get(&answers);
        small.pinned = locked.filter_map(|(name, _)| Some((name, (*answer.get(name)?).clone()))).collect();

        let kept = small.preferred_from_the_roots();
        let keeps = |choice: &Choice<'_>| {
            kept.iter().all(|(name, wanted)| choice.get(name).is_some_and(|summary| summary.id() == wanted.id()))
        };
        if small.answers().iter().any(keeps) {
            let resolve = small.resolve().unwrap();
            for wanted in kept.into_values().map(PackageSummary::id) {
                prop_assert!(resolve.packages().iter().any(|package| package.id == wanted), "{wanted} was not kept");
            }
        }
    }

    #[test]
    fn the_order_of_the_input_does_not_matter(small in a_project()) {
        match (small.resolve(), small.shuffled().resolve()) {
            (Ok(one), Ok(other)) => prop_assert_eq!(answer(&one), answer(&other)),
            (Err(one), Err(other)) => prop_assert_eq!(explanation_of(&one), explanation_of(&other)),
            (one, other) => prop_assert!(false, "{} {}", one.is_ok(), other.is_ok()),
        }
    }

    #[test]
    fn no_fact_of_a_conflict_is_superfluous(small in a_project()) {
        let (pins, candidates) = (small.pins(), small.candidates());
        let graph = DependencyGraph::new(&small.roots, &pins, &candidates);
        let SolveOutcome::Impossible(facts) = solve(&graph, None, &SearchBudget::new(1_000, u64::MAX)) else { return Ok(()) };
        let facts = minimize_facts(&graph, facts, &SearchBudget::new(10_000, u64::MAX));
        prop_assert!(matches!(solve(&graph, Some(&facts), &SearchBudget::new(1_000, u64::MAX)), SolveOutcome::Impossible(_)));
        for fact in &facts {
            let mut fewer = facts.clone();
            fewer.remove(fact);
            prop_assert!(matches!(solve(&graph, Some(&fewer), &SearchBudget::new(1_000, u64::MAX)), SolveOutcome::Chosen(_)), "{fact:?} of {facts:?}");
        }
    }

    #[test]
    fn a_conflict_is_real_and_its_remedy_helps(small in a_project()) {
        let Err(conflict) = small.resolve() else { return Ok(()) };
        let only_those = Small { roots: conflict.lines.clone(), ..small.clone() };
        prop_assert!(only_those.answers().is_empty(), "the reported dependencies do not conflict: {}", explanation_of(&conflict));
        let changed = |line: &RootDependency, to: Option<RootDependency>| {
            let mut small = small.clone();
            let at = small.roots.iter().position(|root| root == line).unwrap();
            small.roots.splice(at..=at, to);
            small
        };
        let projects: Vec<Small> = match conflict.remedy.as_deref() {
            None => Vec::new(),
            Some(ConflictRemedy::Change { line, req, .. }) => {
                vec![changed(line, Some(line.with_requirement(req.clone())))]
            }
            Some(ConflictRemedy::Rename { line, alias }) => {
                let dependency = PackageDependency { alias: alias.clone(), ..line.dependency.clone() };
                vec![changed(line, Some(RootDependency { dependency, ..line.clone() }))]
            }
            Some(ConflictRemedy::RemoveOneOf { lines }) => lines.iter().map(|line| changed(line, None)).collect(),
            Some(ConflictRemedy::WithoutPrecise(_)) => unreachable!("nothing is precise here"),
        };
        for project in projects {
            prop_assert!(!project.answers().is_empty(), "no help: {}", explanation_of(&conflict));
        }
    }
}

fn explanation_of(conflict: &super::Conflict) -> String {
    let context = ExplainContext {
        default_registry: Some(INDEX),
        ..ExplainContext::default()
    };
    super::table::explained(&conflict.explain(&context))
}

#[test]
fn search_over_its_budget_is_given_up() {
    // Nine skills that each need one of eight seats for themselves.
    let mut lines = Vec::new();
    for skill in 0..9 {
        for seat in 0..8 {
            lines.push(format!(
                "skill{skill} {seat}.0.0 -> seat{seat} ={skill}.0.0"
            ));
            lines.push(format!("seat{seat} {skill}.0.0"));
        }
    }
    let candidates: Candidates = lines.iter().map(|line| summary(line)).collect();
    let roots = roots(
        &(0..9)
            .map(|skill| format!("skill{skill} *"))
            .collect::<Vec<_>>()
            .join(","),
    );
    let pins = VersionPins::new();
    let graph = DependencyGraph::new(&roots, &pins, &candidates);
    assert!(matches!(
        solve(&graph, None, &SearchBudget::new(200, u64::MAX)),
        SolveOutcome::Undecided
    ));
}
