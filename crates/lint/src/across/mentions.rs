//! Finds the other skills that a skill's instructions name unambiguously.
//!
//! ```text
//! use the `pdf-forms` skill          a name in backticks or asterisks next to the word
//! load skill `acme:pdf-forms`
//! REQUIRED SUB-SKILL: Use superpowers:writing-plans
//! ```

use std::ops::Range;

use super::{SkillMention, SummaryLocation};
use crate::MarkdownPage;
use skillpm_core::package::SkillName;

/// How far after `SUB-SKILL:` a name may be, in bytes.
const REACH_BYTES: usize = 80;

/// The skills that the instructions of a page name, each once.
pub(super) fn find_mentions(page: &MarkdownPage<'_>) -> Vec<SkillMention> {
    let (body, start) = (page.body(), page.body_start());
    let mut named: Vec<SkillMention> = Vec::new();
    for word in find_word_skill(body) {
        let Some(part) = word_beside(body, word) else {
            continue;
        };

        let written = &body[part.clone()];
        let name = written.rsplit_once(':').map_or(written, |(_, name)| name);
        // Only a valid name counts, and what is in front of the colon must not be a path.
        let plain = name.parse::<SkillName>().is_ok() && written.bytes().all(|b| b != b'/');
        if plain && named.iter().all(|known| known.name != name) {
            let span = start + part.start..start + part.end;
            named.push(SkillMention {
                name: name.to_owned(),
                at: SummaryLocation::from_span(page.source, span),
            });
        }
    }

    named
}

/// Finds the word `skill` in a text, ignoring case.
fn find_word_skill(body: &str) -> impl Iterator<Item = Range<usize>> {
    // Of its letters, that is the rarest.
    memchr::memchr2_iter(b'k', b'K', body.as_bytes()).filter_map(|at| {
        let word = at.checked_sub(1)?..at + 4;
        body.as_bytes()
            .get(word.clone())?
            .eq_ignore_ascii_case(b"skill")
            .then_some(word)
    })
}

/// The name next to a word.
fn word_beside(body: &str, word: Range<usize>) -> Option<Range<usize>> {
    let (before, after) = (&body[..word.start], &body[word.end..]);
    // Not part of a longer word (`skills`), a file name (`SKILL.md`) or a path (`skill/x`).
    let is_whole_word = !after
        .starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/'))
        && !after
            .strip_prefix('.')
            .is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
        && !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/'));

    if !is_whole_word {
        return None;
    }

    marked_before(before).or_else(|| marked_after(body, word.end))
}

/// `` `name` skill``
fn marked_before(before: &str) -> Option<Range<usize>> {
    let marked = before.strip_suffix(' ')?;
    let (inner, mark) = match marked.strip_suffix("**") {
        Some(inner) => (inner, "**"),
        None => (marked.strip_suffix('`')?, "`"),
    };

    let start = inner.rfind(mark)? + mark.len();
    (start < inner.len()).then_some(start..inner.len())
}

/// `` skill `name` ``, or `SKILL: Use plugin:name`.
fn marked_after(body: &str, end: usize) -> Option<Range<usize>> {
    let after = &body[end..];
    if let Some(rest) = after
        .strip_prefix(" `")
        .or_else(|| after.strip_prefix(": `"))
    {
        let start = body.len() - rest.len();
        return Some(start..start + rest.find('`')?);
    }

    // `REQUIRED SUB-SKILL:` is followed by prose, so the first `plugin:name` is looked for.
    let rest = after
        .strip_prefix(':')
        .filter(|_| body[..end].ends_with("-SKILL"))?;

    let line = &rest[..rest
        .find('\n')
        .unwrap_or(rest.len())
        .min(rest.floor_char_boundary(REACH_BYTES))];

    let word = line
        .split([' ', '`', '*', ',', '(', ')'])
        .map(|word| word.trim_end_matches('.'));
    let word = word
        .into_iter()
        .find(|word| word.contains(':') && !word.ends_with(':'))?;

    let start = word.as_ptr() as usize - body.as_ptr() as usize;
    Some(start..start + word.len())
}

#[cfg(test)]
mod tests {
    use crate::MarkdownPage;

    fn named(body: &str) -> Vec<String> {
        let source = format!("---\nname: x\ndescription: d\n---\n{body}");
        let page = MarkdownPage::read("SKILL.md", &source, "x");
        let named = super::find_mentions(&page);
        let render =
            |found: super::SkillMention| format!("{}@{}", found.name, &source[found.at.span]);
        named.into_iter().map(render).collect()
    }

    #[test]
    fn only_names_marked_as_skills_are_mentions() {
        assert_eq!(
            named("Use the `pdf-forms` skill, then skill `acme:print`."),
            ["pdf-forms@pdf-forms", "print@acme:print"]
        );
        assert_eq!(
            named("See the **pdf** skill and the `pdf` skill again"),
            ["pdf@pdf"]
        );
        assert_eq!(
            named("**REQUIRED SUB-SKILL:** Use superpowers:writing-plans."),
            ["writing-plans@superpowers:writing-plans"]
        );
        for body in [
            "Each `SKILL.md` skill",
            "a skill about `pdf`",
            "the pdf skill",
            "skills `a`",
            "`a/b` skill",
            "`name`  skill",
            "kill",
            "SUB-SKILL:",
            "the SKILL: é",
            "`skill",
            "** skill",
            "`My Skill` skill",
        ] {
            assert_eq!(named(body), [""; 0], "{body}");
        }
    }
}
