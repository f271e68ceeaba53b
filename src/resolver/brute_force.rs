//! The solver held against every possible answer, in worlds small enough to try them all.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::conflict::Remedy;
use super::facts::minimal;
use super::solve::{Verdict, solve};
use super::table::{INDEX, answer, dependencies, dependency, summary};
use super::world::World;
use super::{Candidates, Pins, Resolve, Surroundings, resolve};
use crate::package::{Dependency, Summary};

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
const VERSIONS: [&str; 5] = ["1.0.0", "1.1.0", "2.0.0", "2.1.0-rc.1", "3.0.0"];
const REQS: [&str; 10] = ["*", "*", "^1", "^2", "=1.0.0", "~1.1", ">=1.1", ">=1", "<3", "^2.1.0-rc.1"];

/// Every package's candidates, what the project needs, and what is pinned.
#[derive(Clone)]
struct Small {
    packages: BTreeMap<&'static str, Vec<Summary>>,
    roots: Vec<Dependency>,
    pinned: BTreeMap<&'static str, Summary>,
}

/// A world as the table that makes it, so that a failure can be read.
impl fmt::Debug for Small {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |dependencies: &[Dependency]| {
            let words = dependencies.iter().map(|Dependency { package, req, alias, optional, .. }| {
                format!("{package} {req} as:{alias}{}", if *optional { " opt" } else { "" })
            });
            words.collect::<Vec<_>>().join(", ")
        };
        writeln!(f, "\nproject -> {}", text(&self.roots))?;
        for summary in self.packages.values().flatten() {
            let flag = if summary.yanked { " yanked" } else { "" };
            writeln!(f, "{}{flag} -> {}", summary.id(), text(summary.dependencies.as_deref().unwrap_or_default()))?;
        }
        self.pinned.values().try_for_each(|pin| writeln!(f, "pinned {}", pin.id()))
    }
}

/// Which candidate of which package.
type Choice<'s> = BTreeMap<&'s str, &'s Summary>;

impl Small {
    fn candidates(&self) -> Candidates {
        self.packages.values().flatten().cloned().collect()
    }

    fn pins(&self) -> Pins {
        let mut pins = Pins::new();
        self.pinned.values().for_each(|summary| pins.keep(summary.id(), None));
        pins
    }

    fn resolve(&self) -> Result<Resolve, super::Conflict> {
        resolve(&self.roots, &self.pins(), &self.candidates())
    }

    /// Every choice that is an answer, perhaps with more than is needed.
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
        let is_allowed = |(name, summary): (&&str, &&Summary)| {
            !summary.yanked || self.pinned.get(name).is_some_and(|pin| pin.id() == summary.id())
        };
        let asked: Vec<&Dependency> =
            self.roots.iter().chain(choice.values().flat_map(|summary| needs(summary))).collect();
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        choice.iter().all(is_allowed)
            && asked.into_iter().filter(|dependency| !self.is_missing(dependency)).all(|dependency| {
                let package = dependency.package.to_string();
                let fits = choice.get(package.as_str()).is_some_and(|summary| {
                    dependency.req.matches(summary.version.as_ref().expect("all have versions"))
                });
                fits && *names.entry(dependency.alias.to_string()).or_insert_with(|| package.clone()) == package
            })
    }

    fn is_missing(&self, dependency: &Dependency) -> bool {
        dependency.optional && !self.packages.contains_key(dependency.package.to_string().as_str())
    }

    /// The packages that are reached through pinned versions only.
    fn pinned_from_the_roots(&self) -> BTreeSet<&'static str> {
        let mut reached = BTreeSet::new();
        let mut queue: Vec<&Dependency> = self.roots.iter().collect();
        while let Some(dependency) = queue.pop() {
            let package = dependency.package.to_string();
            if let Some((name, pin)) = self.pinned.get_key_value(package.as_str())
                && reached.insert(*name)
            {
                queue.extend(needs(pin));
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
        other.packages.values_mut().for_each(|summaries| summaries.reverse());
        other
    }
}

fn needs(summary: &Summary) -> impl Iterator<Item = &Dependency> {
    summary.dependencies.iter().flatten()
}

fn a_dependency() -> impl Strategy<Value = Dependency> {
    (select(NAMES.as_slice()), select(REQS.as_slice()), 0..12).prop_map(|(name, req, flavour)| {
        let flags = match flavour {
            0 => " as:shared",
            1 => " as:a",
            2 | 3 => " opt",
            _ => "",
        };
        dependency(&format!("{name} {req}{flags}"))
    })
}

fn a_package() -> impl Strategy<Value = Vec<(bool, Vec<Dependency>)>> {
    let versions = prop_oneof![1 => 0..=0_usize, 12 => 2..=4_usize];
    versions.prop_flat_map(|versions| vec((prop::bool::weighted(0.1), vec(a_dependency(), 0..=2)), versions))
}

prop_compose! {
    /// Of these, about half have an answer.
    fn a_world()(
        packages in vec(a_package(), NAMES.len()),
        roots in vec(a_dependency(), 1..=3),
        pinned in vec((prop::bool::weighted(0.6), 0..4_usize), NAMES.len()),
        skip in 0..2_usize,
    ) -> Small {
        let mut small = Small { packages: BTreeMap::new(), roots, pinned: BTreeMap::new() };
        for (name, versions) in NAMES.into_iter().zip(packages) {
            for ((yanked, needs), version) in versions.into_iter().zip(VERSIONS.into_iter().skip(skip)) {
                let yanked_flag = if yanked { "yanked" } else { "" };
                let mut summary = summary(&format!("{name} {version} {yanked_flag}"));
                summary.dependencies = Some(needs);
                small.packages.entry(name).or_default().push(summary);
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
    fn an_answer_is_found_if_and_only_if_there_is_one(small in a_world()) {
        let answers = small.answers();
        match small.resolve() {
            Err(_) => prop_assert!(answers.is_empty(), "missed {:?}", answers.first().map(|choice| choice.keys().collect::<Vec<_>>())),
            Ok(resolve) => {
                let names: Vec<String> = resolve.packages().iter().map(|package| package.id.name.to_string()).collect();
                let choice: Choice<'_> =
                    names.iter().map(String::as_str).zip(resolve.packages().iter().map(|package| &package.summary)).collect();
                prop_assert!(small.is_answer(&choice), "wrong: {}", answer(&resolve));
                for (at, name) in names.iter().enumerate() {
                    prop_assert!(!resolve.paths_to(at).is_empty(), "{} is not needed", name);
                    prop_assert!(!resolve.packages()[at].aliases.is_empty());
                }
            }
        }
    }

    #[test]
    fn pins_that_are_reached_through_pins_are_kept_if_they_can_be(
        mut small in a_world(),
        which in any::<Index>(),
        is_kept in vec(prop::bool::weighted(0.8), NAMES.len()),
    ) {
        // Pins that come from an answer, all or most of them, as those of a lockfile do.
        let answers = small.answers();
        prop_assume!(!answers.is_empty());
        let locked = NAMES.into_iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
        let answer = which.get(&answers);
        small.pinned = locked.filter_map(|(name, _)| Some((name, (*answer.get(name)?).clone()))).collect();

        let kept = small.pinned_from_the_roots();
        let keeps = |choice: &Choice<'_>| {
            kept.iter().all(|name| choice.get(name).is_some_and(|summary| summary.id() == small.pinned[name].id()))
        };
        if small.answers().iter().any(keeps) {
            let resolve = small.resolve().unwrap();
            for name in kept {
                let pin = small.pinned[name].id();
                prop_assert!(resolve.packages().iter().any(|package| package.id == pin), "{pin} was let go");
            }
        }
    }

    #[test]
    fn the_order_of_the_input_does_not_matter(small in a_world()) {
        match (small.resolve(), small.shuffled().resolve()) {
            (Ok(one), Ok(other)) => prop_assert_eq!(answer(&one), answer(&other)),
            (Err(one), Err(other)) => prop_assert_eq!(told(&one), told(&other)),
            (one, other) => prop_assert!(false, "{} {}", one.is_ok(), other.is_ok()),
        }
    }

    #[test]
    fn no_fact_of_a_conflict_is_superfluous(small in a_world()) {
        let (pins, candidates) = (small.pins(), small.candidates());
        let world = World::new(&small.roots, &pins, &candidates);
        let Verdict::Impossible(facts) = solve(&world, None, &Cell::new(1_000)) else { return Ok(()) };
        let facts = minimal(&world, facts);
        prop_assert!(matches!(solve(&world, Some(&facts), &Cell::new(1_000)), Verdict::Impossible(_)));
        for fact in &facts {
            let mut fewer = facts.clone();
            fewer.remove(fact);
            prop_assert!(matches!(solve(&world, Some(&fewer), &Cell::new(1_000)), Verdict::Chosen(_)), "{fact:?} of {facts:?}");
        }
    }

    #[test]
    fn a_conflict_is_real_and_its_remedy_helps(small in a_world()) {
        let Err(conflict) = small.resolve() else { return Ok(()) };
        let only_those = Small { roots: conflict.lines.clone(), ..small.clone() };
        prop_assert!(only_those.answers().is_empty(), "the lines told do not conflict: {}", told(&conflict));
        let changed = |line: &Dependency, to: Option<Dependency>| {
            let mut small = small.clone();
            let at = small.roots.iter().position(|root| root == line).unwrap();
            small.roots.splice(at..=at, to);
            small
        };
        let worlds: Vec<Small> = match conflict.remedy.as_deref() {
            None => Vec::new(),
            Some(Remedy::Change { line, req, .. }) => {
                vec![changed(line, Some(Dependency { req: req.clone(), ..line.clone() }))]
            }
            Some(Remedy::Rename { line, alias }) => {
                vec![changed(line, Some(Dependency { alias: alias.clone(), ..line.clone() }))]
            }
            Some(Remedy::Without { lines }) => lines.iter().map(|line| changed(line, None)).collect(),
            Some(Remedy::LessPrecise(_)) => unreachable!("nothing is precise here"),
        };
        for world in worlds {
            prop_assert!(!world.answers().is_empty(), "no help: {}", told(&conflict));
        }
    }
}

fn told(conflict: &super::Conflict) -> String {
    let surroundings = Surroundings { default_registry: Some(INDEX), ..Surroundings::default() };
    super::table::explained(&conflict.explain(&surroundings))
}

#[test]
fn a_world_that_is_too_hard_is_given_up() {
    // Nine skills that each want one of eight seats for themselves.
    let mut lines = Vec::new();
    for skill in 0..9 {
        for seat in 0..8 {
            lines.push(format!("skill{skill} {seat}.0.0 -> seat{seat} ={skill}.0.0"));
            lines.push(format!("seat{seat} {skill}.0.0"));
        }
    }
    let candidates: Candidates = lines.iter().map(|line| summary(line)).collect();
    let roots = dependencies(&(0..9).map(|skill| format!("skill{skill} *")).collect::<Vec<_>>().join(","));
    let pins = Pins::new();
    let world = World::new(&roots, &pins, &candidates);
    assert!(matches!(solve(&world, None, &Cell::new(200)), Verdict::Undecided));
}
