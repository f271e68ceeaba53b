//! Which other skills a skill's instructions name, in words that leave no doubt.
//!
//! ```text
//! use the `pdf-forms` skill          a name in backticks or asterisks beside the word
//! load skill `acme:pdf-forms`
//! REQUIRED SUB-SKILL: Use superpowers:writing-plans
//! ```

use std::ops::Range;

use super::{Named, Place};
use crate::lint::Page;
use crate::package::SkillName;

/// How far behind `SUB-SKILL:` a name may stand, in bytes.
const REACH: usize = 80;

/// The skills that the instructions of a page name, each once.
pub(super) fn of(page: &Page<'_>) -> Vec<Named> {
    let (body, start) = (page.body(), page.body_start());
    let mut named: Vec<Named> = Vec::new();
    for word in words(body) {
        let Some(part) = beside(body, word) else { continue };
        let written = &body[part.clone()];
        let name = written.rsplit_once(':').map_or(written, |(_, name)| name);
        let plain = name.parse::<SkillName>().is_ok() && written.bytes().all(|b| b != b'/');
        if plain && named.iter().all(|known| known.name != name) {
            let span = start + part.start..start + part.end;
            named.push(Named { name: name.to_owned(), at: Place::of(page.source, span) });
        }
    }
    named
}

/// Where a text says `skill`, in any case.
fn words(body: &str) -> impl Iterator<Item = Range<usize>> {
    // Of its letters, that is the rarest.
    memchr::memchr2_iter(b'k', b'K', body.as_bytes()).filter_map(|at| {
        let word = at.checked_sub(1)?..at + 4;
        body.as_bytes().get(word.clone())?.eq_ignore_ascii_case(b"skill").then_some(word)
    })
}

/// The name beside a word.
fn beside(body: &str, word: Range<usize>) -> Option<Range<usize>> {
    let (before, after) = (&body[..word.start], &body[word.end..]);
    let whole = !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/'))
        && !after.strip_prefix('.').is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
        && !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '/'));
    if !whole {
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
    if let Some(rest) = after.strip_prefix(" `").or_else(|| after.strip_prefix(": `")) {
        let start = body.len() - rest.len();
        return Some(start..start + rest.find('`')?);
    }
    let rest = after.strip_prefix(':').filter(|_| body[..end].ends_with("-SKILL"))?;
    let line = &rest[..rest.find('\n').unwrap_or(rest.len()).min(rest.floor_char_boundary(REACH))];
    let word = line.split([' ', '`', '*', ',', '(', ')']).map(|word| word.trim_end_matches('.'));
    let word = word.into_iter().find(|word| word.contains(':') && !word.ends_with(':'))?;
    let start = word.as_ptr() as usize - body.as_ptr() as usize;
    Some(start..start + word.len())
}

#[cfg(test)]
mod tests {
    use crate::lint::Page;

    fn named(body: &str) -> Vec<String> {
        let source = format!("---\nname: x\ndescription: d\n---\n{body}");
        let page = Page::read("SKILL.md", &source, "x");
        let named = super::of(&page);
        let told = |found: super::Named| format!("{}@{}", found.name, &source[found.at.span]);
        named.into_iter().map(told).collect()
    }

    #[test]
    fn only_what_is_said_to_be_a_skill_is_one() {
        assert_eq!(
            named("Use the `pdf-forms` skill, then skill `acme:print`."),
            ["pdf-forms@pdf-forms", "print@acme:print"]
        );
        assert_eq!(named("See the **pdf** skill and the `pdf` skill again"), ["pdf@pdf"]);
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
