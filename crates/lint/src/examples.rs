//! The examples in the docs of rules, linted: for the test of the table, for `lint --explain`, and for what `--fix` is
//! held against.

use std::collections::{BTreeMap, BTreeSet};

use super::subject::is_page;
use super::{Content, Example, File, Flags, Piece, Settings, SkillDir};
use crate::manifest;
use crate::report::Finding;

/// All findings of an example: of each of its skills, and across them.
#[must_use]
pub fn check(example: &Example) -> Vec<Finding> {
    let (skills, settings) = skills(example);
    let (mut findings, mut summaries) = (Vec::new(), Vec::new());
    for skill in &skills {
        let checked = super::check(skill, &settings);
        findings.extend(checked.findings);
        summaries.extend(checked.summary);
    }
    findings.extend(super::check_across(&summaries, &settings));
    findings
}

/// The skills of an example, and how they are to be judged.
///
/// # Panics
/// If the example's `[lint]` is none, or asks for a rule that is not there; a test holds every example against this.
#[must_use]
pub fn skills(example: &Example) -> (Vec<SkillDir>, Settings) {
    let roots: BTreeSet<&str> = example.files.iter().map(|(path, _)| root(path)).collect();
    let mut skills: BTreeMap<&str, SkillDir> = BTreeMap::new();
    for root in &roots {
        let directory = root.rsplit('/').next().unwrap_or_default().to_owned();
        skills.insert(root, SkillDir { path: (*root).to_owned(), directory, ..SkillDir::default() });
    }
    for (path, piece) in example.files {
        // The innermost skill has the file; the others know of it if it makes one.
        let above = roots.iter().filter_map(|root| Some((*root, path.strip_prefix(root)?.strip_prefix('/')?)));
        let mut above: Vec<(&str, &str)> = above.collect();
        above.sort_by_key(|(root, _)| std::cmp::Reverse(root.len()));
        for (at, (root, rest)) in above.into_iter().enumerate() {
            let Some(skill) = skills.get_mut(root) else { continue };
            if at == 0 {
                let (content, executable) = content(piece);
                skill.files.push(File { path: rest.to_owned(), content, executable });
            } else if is_page(path) {
                skill.nested.push(rest.to_owned());
            }
        }
    }
    let mut skills: Vec<SkillDir> = skills.into_values().collect();
    skills.iter_mut().for_each(|skill| skill.files.sort_by(|a, b| a.path.cmp(&b.path)));
    (skills, settings(example))
}

/// The text that an example has at a path, if it is one.
#[must_use]
pub fn text(example: &Example, path: &str) -> Option<String> {
    let (_, piece) = example.files.iter().find(|(other, _)| *other == path)?;
    match content(piece).0 {
        Content::Text(text) => Some(text),
        _ => None,
    }
}

/// The skill's directory that a file of an example says it belongs to.
fn root(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((dir, _)) if is_page(path) => dir,
        _ => path.split('/').next().unwrap_or_default(),
    }
}

fn content(piece: &Piece) -> (Content, bool) {
    match piece {
        Piece::Text(text) => (Content::Text((*text).to_owned()), false),
        Piece::Program(text) => (Content::Text((*text).to_owned()), true),
        Piece::Bytes(bytes) => (Content::of(bytes.to_vec()), false),
        Piece::Large(size, head) => (Content::Large(*size, head.as_bytes().to_vec()), false),
        Piece::Link(to) => (Content::Link((*to).to_owned()), false),
    }
}

/// What the example's `[lint]` says, with every rule on; a rule that it asks for must be there.
fn settings(example: &Example) -> Settings {
    let text = format!("[lint]\n{}", example.settings);
    let table = manifest::lint::table(&text, "example").expect("an example's `[lint]` is one");
    let off = super::rules::all().filter(|rule| rule.level.is_none()).map(|rule| rule.name.to_owned());
    let flags = Flags { extend_select: off.collect(), ..Flags::default() };
    let (settings, remarks) = Settings::new(table.as_ref(), &flags).expect("an example's settings are ones");
    assert!(remarks.is_empty(), "{remarks:?}");
    settings
}
