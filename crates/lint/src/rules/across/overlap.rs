//! Descriptions that are nearly the same.

use std::cmp::Reverse;
use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt};

use super::name::normalize_name;
use super::{group_skills, place_finding};
use crate::across::SkillSummary;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSettings, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;
use skillpm_core::skill::name::shorten_for_display;

pub(super) static RULE: Rule = Rule {
    code: "SK904",
    name: "overlapping-description",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "two skills of one directory have nearly the same description",
    docs: RuleDocs {
        finds: "Descriptions of different skills under one root (see `duplicate-name`) that share at least 80 % of \
            their three-word sequences, and have at least ten words. Each skill is reported with the most similar one \
            before it.",
        hurts: "An agent that chooses skills by their descriptions chooses at random.",
        ignore: "The descriptions of a family of skills differ in the one word that distinguishes them, and users say \
            that word.",
        bad: &[RuleExample::files(&[
            (
                "skills/pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill in the forms of the tax office from a table of values, check each of the fields and print them for the signature. Use when a form is to be filled in for a client of ours.\n---\n# PDF\n",
                ),
            ),
            (
                "skills/form/SKILL.md",
                ExampleFile::Text(
                    "---\nname: form\ndescription: Fill in the forms of the tax office from a table of values, check each of the fields and print them for the signature. Use when a form is to be filled in for a customer.\n---\n# Forms\n",
                ),
            ),
        ])],
        good: &[RuleExample::files(&[
            (
                "skills/pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill in the forms of the tax office from a table of values, check each of the fields and print them for the signature. Use when a form is to be filled in for a client of ours.\n---\n# PDF\n",
                ),
            ),
            (
                "skills/form/SKILL.md",
                ExampleFile::Text(
                    "---\nname: form\ndescription: Design the forms of the tax office from a list of fields, check the layout of each page and print them for a test. Use when a form is to be drawn for a client of ours.\n---\n# Forms\n",
                ),
            ),
        ])],
    },
    check: RuleCheck::Skills(check),
};

/// Words in a shingle.
const SHINGLE_WORDS: usize = 3;
/// The minimum of words in a description.
const WORDS_MIN: usize = 10;
/// The threshold of similarity: common shingles per all shingles, in hundredths.
const SIMILARITY_MIN: usize = 80;
/// The limit of compared skills per rare shingle. It keeps the time linear in a family of thousands, in which each member
/// is still reported with one of the others.
const COMPARED_MAX: usize = 32;

fn check(skills: &[SkillSummary], _: &LintSettings, found: &mut FindingList) {
    for group in group_skills(skills.iter().filter(|skill| skill.is_listed), |skill| {
        Some(skill.skills_root())
    }) {
        for SimilarPair {
            skill,
            other,
            percent,
        } in similar_pairs(&group)
        {
            let message = format!(
                "the description overlaps by {percent} % with that of `{}`",
                shorten_for_display(&other.name)
            );
            let finding = place_finding(RULE.finding(message), skill.description_location.as_ref());
            let finding = finding.note(format!("the other skill: {}", other.path));
            found.add(
                &skill.path,
                finding.help("begin the description with how they differ"),
            );
        }
    }
}

/// Pairs each skill with the most similar one before it, if the similarity reaches the threshold.
///
/// Two sets above the threshold share one of their rarest shingles: of `n` sorted by rarity, one of the first
/// `n - 0.8 n + 1`. Only skills that share one of those are compared.
fn similar_pairs<'s>(skills: &[&'s SkillSummary]) -> Vec<SimilarPair<'s>> {
    let sets = sort_by_rarity(
        skills
            .iter()
            .map(|skill| hash_shingles(&skill.description))
            .collect(),
    );

    let mut by_shingle: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut pairs = Vec::new();
    for (at, set) in sets.iter().enumerate() {
        let best = take_candidates(&mut by_shingle, set, at)
            .into_iter()
            .filter(|other| are_different(skills[at], skills[*other]))
            // Of two equally similar ones the first, so that a family refers to one member.
            .map(|other| (similarity(set, &sets[other]), Reverse(other)))
            .max();

        if let Some((percent, Reverse(other))) =
            best.filter(|(percent, _)| *percent >= SIMILARITY_MIN)
        {
            pairs.push(SimilarPair {
                skill: skills[at],
                other: skills[other],
                percent,
            });
        }
    }
    pairs
}

/// A skill, a similar one before it, and how similar they are, in per cent.
struct SimilarPair<'s> {
    skill: &'s SkillSummary,
    other: &'s SkillSummary,
    percent: usize,
}

/// The skills before `at` that share a rare shingle with its set, which is then added to the index.
fn take_candidates(
    by_shingle: &mut HashMap<u64, Vec<usize>>,
    set: &[RankedShingle],
    at: usize,
) -> Vec<usize> {
    // Two sets above the limit share one of these, so the common ones need no entry.
    let common = (set.len() * SIMILARITY_MIN).div_ceil(100);
    let rare = &set[..set.len() - common + usize::from(!set.is_empty())];

    let mut candidates: Vec<usize> = Vec::new();
    for (_, shingle) in rare.iter().filter(|(frequency, _)| *frequency > 1) {
        // Only the nearest ones: with thousands of variants of one text, all pairs would be
        // quadratic.
        let others = by_shingle.entry(*shingle).or_default();
        candidates.extend(others.iter().rev().take(COMPARED_MAX));
        others.push(at);
    }

    candidates.sort_unstable();
    candidates.dedup();
    candidates
}

/// Whether this rule is about two skills: equal names and equal descriptions have rules of their own.
fn are_different(one: &SkillSummary, other: &SkillSummary) -> bool {
    one.description != other.description && normalize_name(&one.name) != normalize_name(&other.name)
}

/// The number of sets with a shingle, and its hash.
type RankedShingle = (u32, u64);

/// Sorts each set of shingles by rarity.
fn sort_by_rarity(sets: Vec<Vec<u64>>) -> Vec<Vec<RankedShingle>> {
    let mut all: Vec<u64> = sets.concat();
    all.sort_unstable();
    // Most are in one set only, so few are in several.
    let several = all.chunk_by(|a, b| a == b).filter(|same| same.len() > 1);
    let several: Vec<(u64, u32)> = several
        .map(|same| (same[0], u32::try_from(same.len()).unwrap_or(u32::MAX)))
        .collect();

    let frequency = |wanted: u64| {
        several
            .binary_search_by_key(&wanted, |(shingle, _)| *shingle)
            .map_or(1, |at| several[at].1)
    };

    let rank = |shingle: u64| (frequency(shingle), shingle);
    let rare_first = |set: Vec<u64>| {
        let mut ranked: Vec<RankedShingle> = set.into_iter().map(rank).collect();
        ranked.sort_unstable();
        ranked
    };

    sets.into_iter().map(rare_first).collect()
}

/// The similarity of two sets, sorted by rarity, in hundredths.
fn similarity(one: &[RankedShingle], other: &[RankedShingle]) -> usize {
    // Sets of such different sizes cannot reach the limit.
    if one.len() * SIMILARITY_MIN > other.len() * 100
        || other.len() * SIMILARITY_MIN > one.len() * 100
    {
        return 0;
    }

    let (mut a, mut b, mut common) = (0, 0, 0);
    while a < one.len() && b < other.len() {
        match one[a].cmp(&other[b]) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => (a, b, common) = (a + 1, b + 1, common + 1),
        }
    }
    common * 100 / (one.len() + other.len() - common).max(1)
}

/// The distinct three-word sequences of a text, hashed; empty for a short text.
fn hash_shingles(text: &str) -> Vec<u64> {
    let mut words: Vec<u64> = Vec::new();
    for_each_word(text, |word| words.push(hash_value(word)));
    // Two short descriptions of one subject have most of their words in common.
    if words.len() < WORDS_MIN {
        return Vec::new();
    }

    let mut shingles: Vec<u64> = words.windows(SHINGLE_WORDS).map(hash_value).collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

/// Calls `found` with each word, in lower case; a Chinese or Japanese character is a word.
fn for_each_word(text: &str, mut found: impl FnMut(&str)) {
    // These scripts have no spaces between words.
    let dense = |c: char| matches!(c, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{20000}'..='\u{3FFFF}');
    // One buffer for all words, since descriptions of thousands of skills are read.
    let mut lower = String::new();
    for word in text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        if word.is_ascii() {
            lower.clear();
            lower.push_str(word);
            lower.make_ascii_lowercase();
            found(&lower);
        } else if word.contains(dense) {
            word.chars().for_each(|c| found(c.encode_utf8(&mut [0; 4])));
        } else {
            found(&word.to_lowercase());
        }
    }
}

fn hash_value<T: Hash + ?Sized>(value: &T) -> u64 {
    FixedState::default().hash_one(value)
}
