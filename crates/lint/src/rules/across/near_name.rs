//! Names that are one letter apart.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::{group_skills, place_finding};
use crate::across::SkillSummary;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSettings, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;
use skillpm_core::skill::name::shorten_for_display;

pub(super) static RULE: Rule = Rule {
    code: "SK905",
    name: "near-name",
    // A note: a registry of thousands of skills has thirteen such pairs, and some may be meant.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the names of two skills of one directory are one letter apart",
    docs: RuleDocs {
        finds: "Two names under one root (see `duplicate-name`) that differ by one added, missing or changed letter. \
            Numbers (`v1`, `v2`), names shorter than five letters and different words of up to three letters (`-ts`, \
            `-js`) are ignored.",
        hurts: "A user or an agent can confuse the two. Attackers also use similar names to impersonate a skill.",
        ignore: "The difference is obvious.",
        bad: &[RuleExample::files(&[
            (
                "skills/skill-creator/SKILL.md",
                ExampleFile::Text(
                    "---\nname: skill-creator\ndescription: Write a skill. Use when one is asked for.\n---\n# PDF\n",
                ),
            ),
            (
                "skills/skills-creator/SKILL.md",
                ExampleFile::Text(
                    "---\nname: skills-creator\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# Word\n",
                ),
            ),
        ])],
        // Versions and languages of one skill are siblings.
        good: &[
            RuleExample::files(&[
                (
                    "skills/forms-v1/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: forms-v1\ndescription: Write a skill. Use when one is asked for.\n---\n# PDF\n",
                    ),
                ),
                (
                    "skills/forms-v2/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: forms-v2\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# Word\n",
                    ),
                ),
            ]),
            RuleExample::files(&[
                (
                    "skills/azure-blob-ts/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: azure-blob-ts\ndescription: Write a skill. Use when one is asked for.\n---\n# PDF\n",
                    ),
                ),
                (
                    "skills/azure-blob-js/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: azure-blob-js\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# Word\n",
                    ),
                ),
            ]),
        ],
    },
    check: RuleCheck::Skills(check),
};

/// Shorter names are similar by chance.
const NAME_MIN: usize = 5;
/// Words up to this length are abbreviations: another letter is another meaning.
const ABBREVIATION_MAX: usize = 3;

fn check(skills: &[SkillSummary], _: &LintSettings, found: &mut FindingList) {
    for group in group_skills(skills, |skill| Some(skill.skills_root())) {
        for (skill, other) in near_pairs(&group) {
            let message = format!(
                "the name `{}` is one letter apart from `{}`",
                shorten_for_display(&skill.name),
                shorten_for_display(&other.name)
            );
            let finding = place_finding(RULE.finding(message), skill.name_location.as_ref());
            found.add(
                &skill.path,
                finding.note(format!("the other skill: {}", other.path)),
            );
        }
    }
}

/// Pairs each skill with the first one whose name is one letter apart.
///
/// Two such names become equal if a letter is removed from one or from both; only those are compared.
fn near_pairs<'s>(skills: &[&'s SkillSummary]) -> Vec<(&'s SkillSummary, &'s SkillSummary)> {
    let mut first: Vec<Option<usize>> = vec![None; skills.len()];
    // Names in one bucket have a deletion in common; whether one edit is enough is
    // checked below.
    let shortened = hash_deletions(skills);
    for bucket in shortened
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|bucket| bucket.len() > 1)
    {
        pair_bucket(skills, bucket, &mut first);
    }

    let near = |(at, first): (usize, Option<usize>)| Some((skills[at], skills[first?]));
    first.into_iter().enumerate().filter_map(near).collect()
}

/// The hashes of all names and of each of them without one letter, sorted, with the index of the skill.
fn hash_deletions(skills: &[&SkillSummary]) -> Vec<(u64, usize)> {
    let mut shortened: Vec<(u64, usize)> = Vec::new();
    for (at, skill) in skills
        .iter()
        .enumerate()
        .filter(|(_, skill)| skill.name.chars().count() >= NAME_MIN)
    {
        for_each_deletion(&skill.name, |hash| shortened.push((hash, at)));
    }

    shortened.sort_unstable();
    shortened.dedup();
    shortened
}

/// Finds for each skill of a bucket the first one before it whose name is one edit away.
fn pair_bucket(skills: &[&SkillSummary], bucket: &[(u64, usize)], first: &mut [Option<usize>]) {
    let mut others: Vec<usize> = Vec::new();
    for (_, at) in bucket {
        let name = &skills[*at].name;
        let near = others
            .iter()
            .copied()
            .find(|other| is_one_edit_apart(&skills[*other].name, name));
        // Another bucket may have found one that comes earlier.
        first[*at] = first[*at].into_iter().chain(near).min();

        // Among skills with the same name, the first represents all.
        if others.iter().all(|other| skills[*other].name != *name) {
            others.push(*at);
        }
    }
}

/// Calls `found` with the hashes of a name, and of the name without each of its letters.
fn for_each_deletion(name: &str, mut found: impl FnMut(u64)) {
    let hash = |text: &str| FixedState::default().hash_one(text);
    found(hash(name));

    let mut text = String::with_capacity(name.len());
    for (at, c) in name.char_indices() {
        text.clear();
        text.push_str(&name[..at]);
        text.push_str(&name[at + c.len_utf8()..]);
        found(hash(&text));
    }
}

/// Whether two names differ by one added, missing or changed letter.
fn is_one_edit_apart(one: &str, other: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    // With one edit, everything before it and everything after it is equal.
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (long, short) = if a.len() < b.len() {
        (&b, &a)
    } else {
        (&a, &b)
    };

    let changed = match long.len() - short.len() {
        0 => same < a.len() && a[same + 1..] == b[same + 1..],
        1 => long[same + 1..] == short[same..],
        _ => false,
    };

    // `step-1` and `step-2`, `to-pdf` and `to-png` are siblings, not typing errors.
    let number = |letters: &[char]| letters.get(same).is_some_and(char::is_ascii_digit);
    let abbreviated = [word_length_at(long, same), word_length_at(short, same)]
        .iter()
        .all(|length| *length <= ABBREVIATION_MAX);

    changed && !number(&a) && !number(&b) && !abbreviated
}

/// The length of the word around a letter.
fn word_length_at(name: &[char], at: usize) -> usize {
    let at = at.min(name.len());
    let before = name[..at].iter().rev().take_while(|c| **c != '-').count();
    before + name[at..].iter().take_while(|c| **c != '-').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_by_one_letter_are_recognized() {
        for (one, other) in [
            ("pdftools", "pdf-tools"),
            ("skill-maker", "skills-maker"),
            ("colour", "color"),
            ("gray-box", "grey-box"),
        ] {
            assert!(
                is_one_edit_apart(one, other) && is_one_edit_apart(other, one),
                "{one} {other}"
            );
        }
        for (one, other) in [
            ("forms", "forms"),
            ("forms", "from"),
            ("form-v1", "form-v2"),
            ("blob-ts", "blob-js"),
            ("abcd", "acbd"),
            ("forms", "forms2"),
            ("x", ""),
        ] {
            assert!(
                !is_one_edit_apart(one, other) && !is_one_edit_apart(other, one),
                "{one} {other}"
            );
        }
    }
}
