//! Placeholders for unwritten text.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

pub(super) static RULE: Rule = Rule {
    code: "SK407",
    name: "todo-placeholder",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "a `TODO`, `[Insert …]` or `lorem ipsum` is left in the body",
    docs: RuleDocs {
        finds: "Outside of code: a line that begins with `TODO:` (after markers of lists, headings, quotations and \
            comments), `[TODO: …]`, `[Insert …]`, `lorem ipsum`. `TODO` within a sentence, in quotation marks or in \
            backticks is ignored.",
        hurts: "The agent reads it as an instruction and does what the author intended to do, or invents the missing \
            text.",
        ignore: "The text is a template for the agent's answers outside a code block; a fence around it separates it \
            from the instructions.",
        bad: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\n- TODO: say which library\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nUse [insert library here] first.\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\n<!-- ToDo: fields -->\n"
            ),
        ],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nFind lines \
             that say `TODO: x` or \"TODO:\", and mark them with TODO: later. Task: Add_TODO: see [TODO](todo.md).\n\n\
             ```py\n# TODO: yours\n```\n"
        )],
    },
    check: RuleCheck::Skill(check),
};

/// How a placeholder begins.
#[derive(Clone, Copy)]
enum TodoMarker {
    Todo,
    TodoInBrackets,
    Insert,
    LoremIpsum,
}

/// The spellings of the markers.
const MARKERS: [(&str, TodoMarker); 13] = [
    ("todo:", TodoMarker::Todo),
    ("Todo:", TodoMarker::Todo),
    ("ToDo:", TodoMarker::Todo),
    ("TODO:", TodoMarker::Todo),
    ("[TODO", TodoMarker::TodoInBrackets),
    ("[ToDo", TodoMarker::TodoInBrackets),
    ("[insert ", TodoMarker::Insert),
    ("[Insert ", TodoMarker::Insert),
    ("[INSERT ", TodoMarker::Insert),
    ("lorem ipsum", TodoMarker::LoremIpsum),
    ("Lorem ipsum", TodoMarker::LoremIpsum),
    ("Lorem Ipsum", TodoMarker::LoremIpsum),
    ("LOREM IPSUM", TodoMarker::LoremIpsum),
];

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(MARKERS.map(|(text, _)| text))
            .expect("a few short words")
    });

    let Some(page) = &subject.page else { return };
    let start = page.body_start();
    let mut reported_to = 0;
    // The line of the last marker, so that its ends are searched for only once.
    let mut line = 0..0;

    for hit in SEARCH.find_iter(page.body()) {
        let at = start + hit.start()..start + hit.end();
        let (_, marker) = MARKERS[hit.pattern().as_usize()];
        // Only the first placeholder of a line is reported.
        if at.start < reported_to {
            continue;
        }

        if !line.contains(&at.start) {
            line = line_around(page.source, &at);
        }
        // Markdown is parsed last, and only if something looks like a placeholder.
        let placeholder = placeholder_at(page.source, marker, at, &line)
            .filter(|part| part.start >= reported_to && !page.markdown().is_code(part.start));
        if let Some(part) = placeholder {
            reported_to = page.source[part.end..]
                .find('\n')
                .map_or(page.source.len(), |end| part.end + end);
            found.add(page.path, placeholder_finding(page.source, part));
        }
    }
}

/// The line of a match, without its end.
fn line_around(source: &str, at: &Range<usize>) -> Range<usize> {
    let begin = source[..at.start].rfind('\n').map_or(0, |end| end + 1);
    let end = source[at.end..]
        .find(['\n', '\r'])
        .map_or(source.len(), |end| at.end + end);
    begin..end
}

fn placeholder_finding(source: &str, part: Range<usize>) -> Diagnostic {
    let placeholder = source[part.clone()].escape_debug().to_string();
    RULE.finding(format!("placeholder `{placeholder}` is left in the text"))
        .at_bytes(part)
        .help("write the text, or remove the placeholder; put examples in backticks")
}

/// Longest placeholder, in bytes.
const PLACEHOLDER_MAX: usize = 1024;

/// The span of the placeholder that begins with a marker; `None` if it is not a placeholder.
fn placeholder_at(
    source: &str,
    marker: TodoMarker,
    at: Range<usize>,
    around: &Range<usize>,
) -> Option<Range<usize>> {
    match marker {
        TodoMarker::Todo => {
            begins_line(&source[around.start..at.start], &source[at.clone()]).then_some(at)
        }
        TodoMarker::TodoInBrackets | TodoMarker::Insert => {
            let rest = &source[at.end..around.end.max(at.end)];
            // Bounded: without a closing bracket each marker would search its whole line.
            let rest = &rest[..rest.floor_char_boundary(PLACEHOLDER_MAX)];
            let close = rest.find(']')?;
            // `[TODO](list.md)` is a link.
            let is_link = rest[close + 1..].starts_with(['(', '[']);
            let is_gap = match marker {
                TodoMarker::Insert => true,
                _ => is_todo_in_brackets(&source[at.start + 1..at.end], &rest[..close]),
            };
            (is_gap && !is_link).then_some(at.start..at.end + close + 1)
        }
        TodoMarker::LoremIpsum => {
            // A text about placeholders quotes them.
            let is_quoted = source[..at.start].ends_with(['"', '\'', '“', '`', '(']);
            (!is_quoted).then_some(at)
        }
    }
}

/// Whether `TODO:` begins its line, after the marks of lists, headings and quotations, or a comment.
fn begins_line(before: &str, marker: &str) -> bool {
    let before = before.trim_end();
    let is_comment = before.ends_with("<!--");
    // In running text `TODO:` is a topic of the skill, at the start of a line it is a gap.
    let is_alone = before
        .chars()
        .all(|c| matches!(c, '-' | '*' | '+' | '#' | '>' | ' ' | '\t' | '_'));

    // Outside of comments only capitals count: `Todo:` may be a heading.
    is_comment || (marker.starts_with("TODO") && is_alone)
}

/// Whether `[TODO` is followed by what is to be done, not by another letter of a longer word.
fn is_todo_in_brackets(word: &str, rest: &str) -> bool {
    word.chars().all(char::is_uppercase) && rest.starts_with([':', ' ', '-'])
}
