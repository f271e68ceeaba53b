//! The rules, and what is told of their findings to programs.

use serde_json::Value;

use super::skill::lies_within;
use crate::cli::findings_for_programs;
use crate::lint::{self, Content, File, Settings, SkillDir};
use crate::report::Finding;

/// Every finding has its place in the text, and each form that programs read is JSON.
pub(super) fn findings(input: &[u8]) {
    let at = memchr::memchr(0, input).unwrap_or(input.len());
    let (page, script) = (&input[..at], input.get(at + 1..).unwrap_or_default());
    let skill = skill(&[("SKILL.md", page), ("scripts/run.sh", script)]);
    let settings = Settings::default();
    let checked = lint::check(&skill, &settings);
    lie_within(&skill, &checked.findings);
    for (form, text) in findings_for_programs(&checked.findings, &|path| text(&skill, path)) {
        let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        values.for_each(|value| drop(value.unwrap_or_else(|cause| panic!("{form} is no JSON: {cause}\n{text}"))));
    }
}

/// A text is called suspicious for what it hides if and only if it can hide something.
pub(super) fn hidden_text(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let skill =
        skill(&[("SKILL.md", b"---\nname: demo\ndescription: Says hello.\n---\nHello.\n"), ("notes.md", input)]);
    let findings = lint::audit(&skill, &Settings::default());
    lie_within(&skill, &findings);
    let told = findings.iter().any(|finding| HIDDEN.contains(&finding.diagnostic.rule.as_str()));
    assert!(!(told && text.is_ascii()), "ASCII hides nothing: {findings:?}");
    let turns = text.chars().any(|c| matches!(c, '\u{202d}' | '\u{202e}'));
    assert!(told || !turns, "a text that is shown in another order is told");
}

/// The rules about characters that are not seen.
const HIDDEN: [&str; 3] = ["hidden-unicode-tag", "bidi-control", "zero-width"];

fn skill(files: &[(&str, &[u8])]) -> SkillDir {
    let file = |(path, bytes): &(&str, &[u8])| File {
        path: (*path).to_owned(),
        content: Content::of(bytes.to_vec()),
        executable: path.starts_with("scripts/"),
    };
    SkillDir { directory: "demo".into(), files: files.iter().map(file).collect(), ..SkillDir::default() }
}

fn text(skill: &SkillDir, path: &str) -> Option<String> {
    skill.file(path).and_then(File::text).map(str::to_owned)
}

fn lie_within(skill: &SkillDir, findings: &[Finding]) {
    for finding in findings {
        if let Some(text) = text(skill, &finding.path) {
            lies_within(&finding.diagnostic, &text);
        }
    }
}
