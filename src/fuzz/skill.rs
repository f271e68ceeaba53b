//! The files of a skill.

use crate::package::{SkillName, Tree};
use crate::report::{Diagnostic, DiagnosticLevel, FixChange};
use crate::skill::{self, FrontmatterHead, SkillReading, formats};

/// A `SKILL.md` is parsed or refused with a reason; every way of parsing gives the same; all locations are within it; and
/// a rename changes the name and nothing else.
pub(super) fn frontmatter(input: &[u8]) {
    let reading = skill::read(input, "demo");
    assert_error_is_reported(&reading);

    let mut brief = skill::read_without_json(input, "demo");
    // The brief reading leaves the frontmatter out; all else must be the same.
    if let (Some(brief), Some(skill)) = (&mut brief.skill, &reading.skill) {
        brief.frontmatter = skill.frontmatter.clone();
    }

    assert_eq!(brief, reading);
    assert_prefix_suffices(input, &reading);

    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };

    reading
        .diagnostics
        .iter()
        .for_each(|found| assert_spans_in_text(found, text));

    if let Some(skill) = &reading.skill {
        assert!(!skill.description.is_empty() && skill.description.trim() == skill.description);
        assert!(text.is_char_boundary(skill.body_start));
        serde_json::to_string(&skill.frontmatter).expect("a frontmatter is JSON");
    }

    assert_rename_is_minimal(input, &reading);
}

fn assert_error_is_reported(reading: &SkillReading) {
    let is_reported = reading
        .diagnostics
        .iter()
        .any(|found| found.level == DiagnosticLevel::Error);

    assert!(
        reading.skill.is_some() || is_reported,
        "a skill that is not read is read without a word"
    );
}

/// A head that is reported as complete gives the same as the whole file.
fn assert_prefix_suffices(input: &[u8], whole: &SkillReading) {
    // For half the input and for all: a complete head gives the same as the file.
    for most in [input.len() / 2, input.len()] {
        if let FrontmatterHead::Complete(bytes) = skill::scan_head(&input[..most])
            && std::str::from_utf8(input).is_ok()
        {
            assert!(bytes <= most);
            assert_eq!(
                skill::read(&input[..bytes], "demo").skill,
                whole.skill,
                "the first {bytes} bytes say less"
            );
        }
    }
}

/// All locations of a finding are within the text, and its fix can be applied.
pub(super) fn assert_spans_in_text(found: &Diagnostic, text: &str) {
    let places = found
        .span
        .iter()
        .chain(found.labels.iter().map(|label| &label.span));

    let edits = found
        .fix
        .iter()
        .flat_map(|fix| &fix.changes)
        .filter_map(|change| match change {
            FixChange::Edit { span, .. } => Some(span),
            _ => None,
        });

    for place in places.chain(edits) {
        assert!(
            text.get(place.clone()).is_some(),
            "{}: {place:?} is no place of {} bytes",
            found.rule,
            text.len()
        );
    }

    if let Some(fix) = &found.fix {
        let _ = fix.apply(text);
    }
}

fn assert_rename_is_minimal(input: &[u8], reading: &SkillReading) {
    let name: SkillName = "another-name".parse().expect("it is a name");
    let Ok(renamed) = skill::rename_skill(input, &name) else {
        return;
    };

    assert_eq!(
        skill::rename_skill(&renamed, &name).ok().as_ref(),
        Some(&renamed),
        "a name is changed once"
    );

    let after = skill::read(&renamed, "another-name");
    let (Some(before), Some(after)) = (&reading.skill, &after.skill) else {
        return;
    };

    assert_eq!(after.name, "another-name");
    assert_eq!(
        (&after.description, &after.version, &after.requires),
        (&before.description, &before.version, &before.requires)
    );

    let body = |bytes: &[u8], start: usize| bytes[start..].to_vec();
    // Not a byte of the instructions may change with the name.
    assert_eq!(
        body(&renamed, after.body_start),
        body(input, before.body_start)
    );
}

/// Files by name, each after a line `== name`; their format is parsed, or refused with a reason.
pub(super) fn formats(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };

    let mut tree = Tree::builder();
    for part in text.split("\n== ") {
        let (name, content) = part.split_once('\n').unwrap_or((part, ""));
        let _ = tree.add(name, content.as_bytes().to_vec(), false);
    }

    let tree = tree.finish();
    let Some(read) = formats::read_tree(&tree, "demo") else {
        return;
    };

    if let Some(skill) = &read.skill {
        assert!(!skill.description.is_empty());
        serde_json::to_string(skill).expect("a skill is JSON");
    }

    let is_reported = read
        .findings
        .iter()
        .any(|finding| finding.diagnostic.level == DiagnosticLevel::Error);

    assert!(
        read.skill.is_some() || is_reported,
        "a skill that is not read is read without a word"
    );

    for finding in &read.findings {
        if let Some(Ok(text)) = tree.get(&finding.path).map(std::str::from_utf8) {
            assert_spans_in_text(&finding.diagnostic, text);
        }
    }
}
