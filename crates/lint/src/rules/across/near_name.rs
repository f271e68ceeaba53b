//! Names that are one letter apart.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

use super::{groups, placed};
use crate::lint::across::Summary;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Settings};
use crate::report::Level;
use crate::skill::name::shown;

pub(super) static RULE: Rule = Rule {
    code: "SK905",
    name: "near-name",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "the names of two skills of one directory are one letter apart",
    docs: Docs {
        finds: "Two names below one root (see `duplicate-name`) of which one becomes the other by a letter more, less or \
                other. Numbers (`v1`, `v2`), names of less than five letters and words of up to three letters that stand \
                in each other's place (`-ts`, `-js`) are no such pair.",
        hurts: "Whoever types or reads the one gets the other. It is also how a skill is passed off as another.",
        ignore: "A pair whose difference everybody sees.",
        bad: &[Example::files(&[
            (
                "skills/skill-creator/SKILL.md",
                Piece::Text(
                    "---\nname: skill-creator\ndescription: Write a skill. Use when one is asked for.\n---\n# PDF\n",
                ),
            ),
            (
                "skills/skills-creator/SKILL.md",
                Piece::Text(
                    "---\nname: skills-creator\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# Word\n",
                ),
            ),
        ])],
        good: &[
            Example::files(&[
                (
                    "skills/forms-v1/SKILL.md",
                    Piece::Text(
                        "---\nname: forms-v1\ndescription: Write a skill. Use when one is asked for.\n---\n# PDF\n",
                    ),
                ),
                (
                    "skills/forms-v2/SKILL.md",
                    Piece::Text(
                        "---\nname: forms-v2\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# Word\n",
                    ),
                ),
            ]),
            Example::files(&[
                (
                    "skills/azure-blob-ts/SKILL.md",
                    Piece::Text(
                        "---\nname: azure-blob-ts\ndescription: Write a skill. Use when one is asked for.\n---\n# PDF\n",
                    ),
                ),
                (
                    "skills/azure-blob-js/SKILL.md",
                    Piece::Text(
                        "---\nname: azure-blob-js\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# Word\n",
                    ),
                ),
            ]),
        ],
    },
    check: Check::Skills(check),
};

/// Shorter names are near each other by chance.
const SHORTEST: usize = 5;
/// Words as short as this are abbreviations: other letters, other meaning.
const ABBREVIATION: usize = 3;

fn check(skills: &[Summary], _: &Settings, found: &mut Found) {
    for group in groups(skills, |skill| Some(skill.root())) {
        for (skill, other) in pairs(&group) {
            let message =
                format!("the name `{}` is one letter apart from `{}`", shown(&skill.name), shown(&other.name));
            let finding = placed(RULE.finding(message), skill.name_at.as_ref());
            found.add(&skill.path, finding.note(format!("the other: {}", other.path)));
        }
    }
}

/// Pairs of names that are one letter apart, each told of its first.
///
/// Two such names become equal if a letter is left out of one or of both; only those are compared.
fn pairs<'s>(skills: &[&'s Summary]) -> Vec<(&'s Summary, &'s Summary)> {
    let mut shortened: Vec<(u64, usize)> = Vec::new();
    for (at, skill) in skills.iter().enumerate().filter(|(_, skill)| skill.name.chars().count() >= SHORTEST) {
        each_shortened(&skill.name, |hash| shortened.push((hash, at)));
    }
    shortened.sort_unstable();
    shortened.dedup();
    let mut first: Vec<Option<usize>> = vec![None; skills.len()];
    let mut others: Vec<usize> = Vec::new();
    for alike in shortened.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
        others.clear();
        for (_, at) in alike {
            let name = &skills[*at].name;
            let near = others.iter().copied().find(|other| one_apart(&skills[*other].name, name));
            first[*at] = first[*at].into_iter().chain(near).min();
            // Of those with one name the first stands for all.
            if others.iter().all(|other| skills[*other].name != *name) {
                others.push(*at);
            }
        }
    }
    let near = |(at, first): (usize, Option<usize>)| Some((skills[at], skills[first?]));
    first.into_iter().enumerate().filter_map(near).collect()
}

/// Calls `found` with hashes of a name, and of it without each of its letters.
fn each_shortened(name: &str, mut found: impl FnMut(u64)) {
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

/// Whether a letter more, less or other makes one name of the other.
fn one_apart(one: &str, other: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (long, short) = if a.len() < b.len() { (&b, &a) } else { (&a, &b) };
    let changed = match long.len() - short.len() {
        0 => same < a.len() && a[same + 1..] == b[same + 1..],
        1 => long[same + 1..] == short[same..],
        _ => false,
    };
    let number = |letters: &[char]| letters.get(same).is_some_and(char::is_ascii_digit);
    let abbreviated = [word(long, same), word(short, same)].iter().all(|length| *length <= ABBREVIATION);
    changed && !number(&a) && !number(&b) && !abbreviated
}

/// How long the word around a letter is.
fn word(name: &[char], at: usize) -> usize {
    let at = at.min(name.len());
    let before = name[..at].iter().rev().take_while(|c| **c != '-').count();
    before + name[at..].iter().take_while(|c| **c != '-').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_is_one_letter() {
        for (one, other) in
            [("pdftools", "pdf-tools"), ("skill-maker", "skills-maker"), ("colour", "color"), ("gray-box", "grey-box")]
        {
            assert!(one_apart(one, other) && one_apart(other, one), "{one} {other}");
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
            assert!(!one_apart(one, other) && !one_apart(other, one), "{one} {other}");
        }
    }
}
