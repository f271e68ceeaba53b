//! Lints the examples in the docs of rules: for the tests of the table, for `lint --explain`, and for the tests of
//! `--fix`.

use std::collections::{BTreeMap, BTreeSet};

use super::subject::is_skill_file;
use super::{ExampleFile, FileContent, LintFlags, LintSettings, RuleExample, SkillDir, SkillFile};
use skillpm_core::manifest;
use skillpm_core::report::FileFinding;

/// All findings of an example: of each of its skills, and across them.
#[must_use]
pub fn check(example: &RuleExample) -> Vec<FileFinding> {
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

/// The skills of an example, and the settings to lint them with.
///
/// # Panics
/// If the example's `[lint]` is invalid, or selects an unknown rule; a test checks every example for this.
#[must_use]
pub fn skills(example: &RuleExample) -> (Vec<SkillDir>, LintSettings) {
    let roots: BTreeSet<&str> = example
        .files
        .iter()
        .map(|(path, _)| skill_root(path))
        .collect();
    let mut skills: BTreeMap<&str, SkillDir> = roots
        .iter()
        .map(|root| (*root, empty_skill(root)))
        .collect();
    for (path, piece) in example.files {
        add_file(&mut skills, path, piece);
    }

    let mut skills: Vec<SkillDir> = skills.into_values().collect();
    // `SkillDir::file` searches by halves; examples are written in the order that reads best.
    for skill in &mut skills {
        skill.files.sort_by(|a, b| a.path.cmp(&b.path));
    }
    (skills, example_settings(example))
}

fn empty_skill(root: &str) -> SkillDir {
    SkillDir {
        path: root.to_owned(),
        directory: root.rsplit('/').next().unwrap_or_default().to_owned(),
        ..SkillDir::default()
    }
}

/// Adds a file to the innermost skill around it; the outer ones list it as nested if it is a `SKILL.md`.
fn add_file(skills: &mut BTreeMap<&str, SkillDir>, path: &str, piece: &ExampleFile) {
    let mut above: Vec<(&mut SkillDir, &str)> = skills
        .iter_mut()
        .filter_map(|(root, skill)| Some((skill, path.strip_prefix(root)?.strip_prefix('/')?)))
        .collect();
    // The shorter the rest of the path, the deeper the skill.
    above.sort_by_key(|(_, rest)| rest.len());

    for (at, (skill, rest)) in above.into_iter().enumerate() {
        if at == 0 {
            let (content, executable) = file_content(piece);
            skill.files.push(SkillFile {
                path: rest.to_owned(),
                content,
                executable,
            });
        } else if is_skill_file(path) {
            skill.nested.push(rest.to_owned());
        }
    }
}

/// The text of an example's file, if it is a text file.
#[must_use]
pub fn text(example: &RuleExample, path: &str) -> Option<String> {
    let (_, piece) = example.files.iter().find(|(other, _)| *other == path)?;
    match file_content(piece).0 {
        FileContent::Text(text) => Some(text),
        _ => None,
    }
}

/// The directory of the skill that a file of an example belongs to.
fn skill_root(path: &str) -> &str {
    match path.rsplit_once('/') {
        // A file next to no `SKILL.md`, as in the examples of other formats, is in the skill of its
        // first directory.
        Some((dir, _)) if is_skill_file(path) => dir,
        _ => path.split('/').next().unwrap_or_default(),
    }
}

fn file_content(piece: &ExampleFile) -> (FileContent, bool) {
    match piece {
        ExampleFile::Text(text) => (FileContent::Text((*text).to_owned()), false),
        ExampleFile::Program(text) => (FileContent::Text((*text).to_owned()), true),
        ExampleFile::Bytes(bytes) => (FileContent::from_bytes(bytes.to_vec()), false),
        ExampleFile::Large(size, head) => {
            (FileContent::Large(*size, head.as_bytes().to_vec()), false)
        }
        ExampleFile::Link(to) => (FileContent::Link((*to).to_owned()), false),
    }
}

/// The example's `[lint]` settings, with every rule on.
fn example_settings(example: &RuleExample) -> LintSettings {
    let text = format!("[lint]\n{}", example.settings);
    let table =
        manifest::lint::parse_lint_table(&text, "example").expect("an example's `[lint]` is valid");

    // A rule that is off by default has examples, too: it must be on to find something there.
    let off = super::rules::all()
        .filter(|rule| rule.level.is_none())
        .map(|rule| rule.name.to_owned());

    let flags = LintFlags {
        extend_select: off.collect(),
        ..LintFlags::default()
    };

    let (settings, remarks) =
        LintSettings::new(table.as_ref(), &flags).expect("an example's settings are valid");
    assert!(remarks.is_empty(), "{remarks:?}");

    settings
}
