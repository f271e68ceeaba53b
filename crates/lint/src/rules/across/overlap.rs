//! Descriptions that are nearly the same.

use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt};

use super::name::composed;
use super::{groups, placed};
use crate::lint::across::Summary;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Settings};
use crate::report::Level;
use crate::skill::name::shown;

pub(super) static RULE: Rule = Rule {
    code: "SK904",
    name: "overlapping-description",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "two skills of one directory have nearly the same description",
    docs: Docs {
        finds: "Descriptions of different skills below one root (see `duplicate-name`) that have four fifths of all their \
                runs of three words in common, and ten words at least. Each skill is told the one that is most like it.",
        hurts: "An agent that is to choose by them chooses at random.",
        ignore: "Skills of a family whose descriptions differ in the one word that tells them apart, and where that word \
                 is what a user says.",
        bad: &[Example::files(&[
            (
                "skills/pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill in the forms of the tax office from a table of values, check each of the fields and print them for the signature. Use when a form is to be filled in for a client of ours.\n---\n# PDF\n",
                ),
            ),
            (
                "skills/form/SKILL.md",
                Piece::Text(
                    "---\nname: form\ndescription: Fill in the forms of the tax office from a table of values, check each of the fields and print them for the signature. Use when a form is to be filled in for a customer.\n---\n# Forms\n",
                ),
            ),
        ])],
        good: &[Example::files(&[
            (
                "skills/pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill in the forms of the tax office from a table of values, check each of the fields and print them for the signature. Use when a form is to be filled in for a client of ours.\n---\n# PDF\n",
                ),
            ),
            (
                "skills/form/SKILL.md",
                Piece::Text(
                    "---\nname: form\ndescription: Design the forms of the tax office from a list of fields, check the layout of each page and print them for a test. Use when a form is to be drawn for a client of ours.\n---\n# Forms\n",
                ),
            ),
        ])],
    },
    check: Check::Skills(check),
};

/// Words in a shingle.
const SHINGLE: usize = 3;
/// Words that a description needs.
const WORDS: usize = 10;
/// How alike is too much: shingles in common, of all shingles, in hundredths.
const ALIKE: usize = 80;
/// How many skills with one rare shingle are compared. A family of thousands is told all the same, each of its members
/// one of the others, in time that grows as their number does.
const COMPARED: usize = 32;

fn check(skills: &[Summary], _: &Settings, found: &mut Found) {
    for group in groups(skills.iter().filter(|skill| skill.listed), |skill| Some(skill.root())) {
        for (skill, other, alike) in pairs(&group) {
            let message = format!("the description is {alike} % that of `{}`", shown(&other.name));
            let finding = placed(RULE.finding(message), skill.description_at.as_ref());
            let finding = finding.note(format!("the other: {}", other.path));
            found.add(&skill.path, finding.help("say first in what they differ"));
        }
    }
}

/// Each skill with the one before it that is most like it, if one is alike enough, and how much.
///
/// Two sets that are so alike share one of their rarest shingles: of `n` sorted by rarity, one of the first
/// `n - 0.8 n + 1`. Only skills that share one of those are compared.
fn pairs<'s>(skills: &[&'s Summary]) -> Vec<(&'s Summary, &'s Summary, usize)> {
    let sets = by_rarity(skills.iter().map(|skill| shingles(&skill.description)).collect());
    let mut having: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut pairs = Vec::new();
    for (at, set) in sets.iter().enumerate() {
        let rare = &set[..set.len() - (set.len() * ALIKE).div_ceil(100) + usize::from(!set.is_empty())];
        let mut candidates: Vec<usize> = Vec::new();
        for (_, shingle) in rare.iter().filter(|(frequency, _)| *frequency > 1) {
            let others = having.entry(*shingle).or_default();
            candidates.extend(others.iter().rev().take(COMPARED));
            others.push(at);
        }
        candidates.sort_unstable();
        candidates.dedup();
        let differ = |other: &usize| {
            let (one, other) = (skills[at], skills[*other]);
            one.description != other.description && composed(&one.name) != composed(&other.name)
        };
        let alike = |other: usize| (alike(set, &sets[other]), std::cmp::Reverse(other));
        let best = candidates.into_iter().filter(differ).map(alike).max();
        if let Some((alike, std::cmp::Reverse(other))) = best.filter(|(alike, _)| *alike >= ALIKE) {
            pairs.push((skills[at], skills[other], alike));
        }
    }
    pairs
}

/// In how many sets a shingle is, and its hash.
type Shingle = (u32, u64);

/// Sets of shingles, each sorted by rarity.
fn by_rarity(sets: Vec<Vec<u64>>) -> Vec<Vec<Shingle>> {
    let mut all: Vec<u64> = sets.concat();
    all.sort_unstable();
    // Most are in one set only, so those that are in several are few.
    let several = all.chunk_by(|a, b| a == b).filter(|same| same.len() > 1);
    let several: Vec<(u64, u32)> =
        several.map(|same| (same[0], u32::try_from(same.len()).unwrap_or(u32::MAX))).collect();
    let frequency =
        |wanted: u64| several.binary_search_by_key(&wanted, |(shingle, _)| *shingle).map_or(1, |at| several[at].1);
    let rare_first = |set: Vec<u64>| {
        let mut set: Vec<Shingle> = set.into_iter().map(|shingle| (frequency(shingle), shingle)).collect();
        set.sort_unstable();
        set
    };
    sets.into_iter().map(rare_first).collect()
}

/// The share that two sets, sorted by rarity, have in common, in hundredths.
fn alike(one: &[Shingle], other: &[Shingle]) -> usize {
    if one.len() * ALIKE > other.len() * 100 || other.len() * ALIKE > one.len() * 100 {
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

/// The different runs of three words of a text, hashed; none for a short text.
fn shingles(text: &str) -> Vec<u64> {
    let mut words: Vec<u64> = Vec::new();
    each_word(text, |word| words.push(hash(word)));
    if words.len() < WORDS {
        return Vec::new();
    }
    let mut shingles: Vec<u64> = words.windows(SHINGLE).map(hash).collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

/// Calls `found` with each word, in lower case; a character of Chinese or Japanese is one.
fn each_word(text: &str, mut found: impl FnMut(&str)) {
    let dense = |c: char| matches!(c, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{20000}'..='\u{3FFFF}');
    let mut lower = String::new();
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
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

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    FixedState::default().hash_one(value)
}
