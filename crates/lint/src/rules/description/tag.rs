//! XML and HTML tags in descriptions.

use std::ops::Range;

use super::DescriptionText;
use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK307",
    name: "description-xml-tag",
    // A warning: agents that only read directories list the skill, some of them with the tag
    // unescaped.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "the `description` contains an XML or HTML tag, such as `<name>`",
    docs: RuleDocs {
        finds: "An XML or HTML tag: `<` and a letter, up to the next `>` on the line, opening or closing. \
            Placeholders in angle brackets are reported too. Comparisons (`a < b`, `->`) are not.",
        hurts: "claude.ai, Anthropic's API and the validator of Codex reject the skill. In agents that insert \
            descriptions into a prompt with tags without escaping them (Codex, OpenCode, Gemini CLI) it can close or \
            open a tag of the prompt.",
        ignore: "The skill is never uploaded, and its subject is the tag itself; consider backticks or the word \
            without brackets.",
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
    check: RuleCheck::Skill(check),
};

/// The longest tag that is recognized, in bytes.
const TAG_MAX: usize = 200;

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(description) = DescriptionText::from_page(page) else {
        return;
    };
    let text = description.text;
    let mut tags = memchr::memchr_iter(b'<', text.as_bytes()).filter_map(|at| tag_at(text, at));
    // One finding for all tags of the text, since they come and go together.
    let Some(first) = tags.next() else { return };

    let finding = RULE.finding(format!(
        "the description contains a tag: `{}`",
        text[first.clone()].escape_debug()
    ));
    let finding = finding
        .note("claude.ai, Anthropic's API and the validator of Codex reject tags in descriptions");
    let mut finding = finding.at_bytes(description.span_of(first));
    for other in tags {
        finding = finding.label(description.span_of(other), "also here");
    }

    found.add(
        page.path,
        finding.help("write the word without angle brackets"),
    );
}

/// The tag that begins at a `<`.
fn tag_at(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = &text.as_bytes()[at + 1..];
    let bytes = bytes.strip_prefix(b"/").unwrap_or(bytes);
    // `< 50` and `<-` are comparisons and arrows.
    bytes.first().filter(|first| first.is_ascii_alphabetic())?;

    let end = bytes
        .iter()
        .take(TAG_MAX)
        .position(|b| matches!(b, b'>' | b'<' | b'\n'))?;
    (bytes[end] == b'>').then(|| at..text.len() - bytes.len() + end + 1)
}
