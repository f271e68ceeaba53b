//! The rules, and the machine-readable output of their findings.

use serde_json::Value;

use super::skill::assert_spans_in_text;
use crate::cli::findings_for_programs;
use crate::lint::{self, FileContent, LintSettings, SkillDir, SkillFile};
use crate::report::FileFinding;

/// Every finding has a location in the text, and each machine-readable format is JSON.
pub(super) fn findings(input: &[u8]) {
    let at = memchr::memchr(0, input).unwrap_or(input.len());
    let (page, script) = (&input[..at], input.get(at + 1..).unwrap_or_default());

    let skill = build_skill(&[("SKILL.md", page), ("scripts/run.sh", script)]);
    let settings = LintSettings::default();

    let checked = lint::check(&skill, &settings);
    assert_spans_within(&skill, &checked.findings);

    for (form, text) in findings_for_programs(&checked.findings, &|path| file_text(&skill, path)) {
        let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
        values.for_each(|value| {
            drop(value.unwrap_or_else(|cause| panic!("{form} is no JSON: {cause}\n{text}")));
        });
    }
}

/// A text is reported for hidden content if and only if it can hide something.
pub(super) fn hidden_text(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };

    let skill = build_skill(&[
        (
            "SKILL.md",
            b"---\nname: demo\ndescription: Says hello.\n---\nHello.\n",
        ),
        ("notes.md", input),
    ]);

    let findings = lint::audit(&skill, &LintSettings::default());
    assert_spans_within(&skill, &findings);

    let is_reported = findings
        .iter()
        .any(|finding| HIDDEN.contains(&finding.diagnostic.rule.as_str()));

    assert!(
        !(is_reported && text.is_ascii()),
        "ASCII hides nothing: {findings:?}"
    );

    let turns = text.chars().any(|c| matches!(c, '\u{202d}' | '\u{202e}'));
    assert!(
        is_reported || !turns,
        "a text that is displayed in another order is reported"
    );
}

/// The rules about invisible characters.
const HIDDEN: [&str; 3] = ["hidden-unicode-tag", "bidi-control", "zero-width"];

fn build_skill(files: &[(&str, &[u8])]) -> SkillDir {
    let file = |(path, bytes): &(&str, &[u8])| SkillFile {
        path: (*path).to_owned(),
        content: FileContent::from_bytes(bytes.to_vec()),
        executable: path.starts_with("scripts/"),
    };

    SkillDir {
        directory: "demo".into(),
        files: files.iter().map(file).collect(),
        ..SkillDir::default()
    }
}

fn file_text(skill: &SkillDir, path: &str) -> Option<String> {
    skill
        .file(path)
        .and_then(SkillFile::text)
        .map(str::to_owned)
}

fn assert_spans_within(skill: &SkillDir, findings: &[FileFinding]) {
    for finding in findings {
        if let Some(text) = file_text(skill, &finding.path) {
            assert_spans_in_text(&finding.diagnostic, &text);
        }
    }
}
