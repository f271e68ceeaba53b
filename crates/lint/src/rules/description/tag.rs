//! Tags in descriptions.

use std::ops::Range;

use super::Description;
use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK307",
    name: "description-xml-tag",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "the `description` has a tag in it, such as `<name>`",
    docs: Docs {
        finds: "A tag of XML or HTML: `<` and a letter, up to the next `>` on the line, opening or closing. Placeholders in \
                angle brackets look just so. Comparisons (`a < b`, `->`) do not.",
        hurts: "claude.ai and Anthropic's API refuse the skill, and so does the validator that comes with Codex. Agents \
                that put descriptions into a prompt of tags without escaping them (Codex, OpenCode, Gemini CLI) let it \
                close or open one there.",
        ignore: "A skill that is never uploaded, and whose subject is the tag itself; backticks or the bare word do as \
                 well.",
        bad: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms from <form> elements. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.</skill>\n---\n# PDF\n"
            ),
        ],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms with < 50 fields (HTML -> PDF). Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: Check::Skill(check),
};

/// Longest tag that is looked for, in bytes.
const TAG_MAX: usize = 200;

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(description) = Description::of(page) else { return };
    let text = description.text;
    let mut tags = memchr::memchr_iter(b'<', text.as_bytes()).filter_map(|at| tag(text, at));
    let Some(first) = tags.next() else { return };
    let finding = RULE.finding(format!("the description has a tag in it: `{}`", text[first.clone()].escape_debug()));
    let finding = finding.note("claude.ai, Anthropic's API and the validator that comes with Codex refuse tags there");
    let mut finding = finding.at(description.place(first), page.source);
    for other in tags {
        finding = finding.label(description.place(other), "and here");
    }
    found.add(page.path, finding.help("write the word without angle brackets"));
}

/// The tag that begins at a `<`.
fn tag(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = &text.as_bytes()[at + 1..];
    let bytes = bytes.strip_prefix(b"/").unwrap_or(bytes);
    bytes.first().filter(|first| first.is_ascii_alphabetic())?;
    let end = bytes.iter().take(TAG_MAX).position(|b| matches!(b, b'>' | b'<' | b'\n'))?;
    (bytes[end] == b'>').then(|| at..text.len() - bytes.len() + end + 1)
}
