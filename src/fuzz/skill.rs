//! What a skill's own files say.

use crate::package::{SkillName, Tree};
use crate::report::{Change, Diagnostic, Level};
use crate::skill::{self, Head, Reading, formats};

/// A `SKILL.md` is read or the reason why not is told; whichever way it is read, it says the same; all places lie in it; and
/// a new name changes the name and nothing else.
pub(super) fn frontmatter(input: &[u8]) {
    let reading = skill::read(input, "demo");
    says_why_not(&reading);
    let mut brief = skill::read_briefly(input, "demo");
    if let (Some(brief), Some(skill)) = (&mut brief.skill, &reading.skill) {
        brief.frontmatter = skill.frontmatter.clone();
    }
    assert_eq!(brief, reading);
    suffices(input, &reading);
    let Ok(text) = std::str::from_utf8(input) else { return };
    reading.diagnostics.iter().for_each(|found| lies_within(found, text));
    if let Some(skill) = &reading.skill {
        assert!(!skill.description.is_empty() && skill.description.trim() == skill.description);
        assert!(text.is_char_boundary(skill.body_start));
        serde_json::to_string(&skill.frontmatter).expect("a frontmatter is JSON");
    }
    renamed(input, &reading);
}

fn says_why_not(reading: &Reading) {
    let told = reading.diagnostics.iter().any(|found| found.level == Level::Error);
    assert!(reading.skill.is_some() || told, "a skill that is not read is read without a word");
}

/// The first bytes tell as much as all of them, if they are called whole.
fn suffices(input: &[u8], whole: &Reading) {
    for most in [input.len() / 2, input.len()] {
        if let Head::Whole(bytes) = skill::head(&input[..most])
            && std::str::from_utf8(input).is_ok()
        {
            assert!(bytes <= most);
            assert_eq!(skill::read(&input[..bytes], "demo").skill, whole.skill, "the first {bytes} bytes say less");
        }
    }
}

/// All places of a finding are places of the text, and its fix can be made.
pub(super) fn lies_within(found: &Diagnostic, text: &str) {
    let places = found.span.iter().chain(found.labels.iter().map(|label| &label.span));
    let edits = found.fix.iter().flat_map(|fix| &fix.changes).filter_map(|change| match change {
        Change::Edit { span, .. } => Some(span),
        _ => None,
    });
    for place in places.chain(edits) {
        assert!(text.get(place.clone()).is_some(), "{}: {place:?} is no place of {} bytes", found.rule, text.len());
    }
    if let Some(fix) = &found.fix {
        let _ = fix.apply(text);
    }
}

fn renamed(input: &[u8], reading: &Reading) {
    let name: SkillName = "another-name".parse().expect("it is a name");
    let Ok(renamed) = skill::rename(input, &name) else { return };
    assert_eq!(skill::rename(&renamed, &name).ok().as_ref(), Some(&renamed), "a name is changed once");
    let after = skill::read(&renamed, "another-name");
    let (Some(before), Some(after)) = (&reading.skill, &after.skill) else { return };
    assert_eq!(after.name, "another-name");
    assert_eq!(
        (&after.description, &after.version, &after.requires),
        (&before.description, &before.version, &before.requires)
    );
    let body = |bytes: &[u8], start: usize| bytes[start..].to_vec();
    assert_eq!(body(&renamed, after.body_start), body(input, before.body_start));
}

/// Files by name, each after a line `== name`; whatever format they are of is read, or why not is told.
pub(super) fn formats(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let mut tree = Tree::builder();
    for part in text.split("\n== ") {
        let (name, content) = part.split_once('\n').unwrap_or((part, ""));
        let _ = tree.add(name, content.as_bytes().to_vec(), false);
    }
    let tree = tree.finish();
    let Some(read) = formats::of_tree(&tree, "demo") else { return };
    if let Some(skill) = &read.skill {
        assert!(!skill.description.is_empty());
        serde_json::to_string(skill).expect("a skill is JSON");
    }
    let told = read.findings.iter().any(|finding| finding.diagnostic.level == Level::Error);
    assert!(read.skill.is_some() || told, "a skill that is not read is read without a word");
    for finding in &read.findings {
        if let Some(Ok(text)) = tree.get(&finding.path).map(std::str::from_utf8) {
            lies_within(&finding.diagnostic, text);
        }
    }
}
