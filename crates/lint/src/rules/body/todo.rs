//! What was to be written and is not.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK407",
    name: "todo-placeholder",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "a `TODO`, `[Insert …]` or `lorem ipsum` is left in the body",
    docs: Docs {
        finds: "Outside of code: a line that begins with `TODO:` (marks of lists, headings, quotations and comments aside), \
                `[TODO: …]`, `[Insert …]`, `lorem ipsum`. `TODO` within a sentence, in quotation marks or in backticks is \
                a word like others.",
        hurts: "The agent takes it for an instruction and does what the author meant to do, or invents what is missing.",
        ignore: "A template for the agent's answers that is not in a code block; a fence around it tells it from the \
                 instructions.",
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
    check: Check::Skill(check),
};

/// What a placeholder begins with.
#[derive(Clone, Copy)]
enum Sign {
    Todo,
    TodoInBrackets,
    Insert,
    LoremIpsum,
}

/// The ways in which signs are spelled.
const SIGNS: [(&str, Sign); 13] = [
    ("todo:", Sign::Todo),
    ("Todo:", Sign::Todo),
    ("ToDo:", Sign::Todo),
    ("TODO:", Sign::Todo),
    ("[TODO", Sign::TodoInBrackets),
    ("[ToDo", Sign::TodoInBrackets),
    ("[insert ", Sign::Insert),
    ("[Insert ", Sign::Insert),
    ("[INSERT ", Sign::Insert),
    ("lorem ipsum", Sign::LoremIpsum),
    ("Lorem ipsum", Sign::LoremIpsum),
    ("Lorem Ipsum", Sign::LoremIpsum),
    ("LOREM IPSUM", Sign::LoremIpsum),
];

fn check(subject: &Subject<'_>, found: &mut Found) {
    static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(SIGNS.map(|(text, _)| text))
            .expect("a few short words")
    });
    let Some(page) = &subject.page else { return };
    let start = page.body_start();
    let mut told_line = 0;
    for hit in SEARCH.find_iter(page.body()) {
        let at = start + hit.start()..start + hit.end();
        let (_, sign) = SIGNS[hit.pattern().as_usize()];
        let Some(part) = placeholder(page.source, sign, at) else { continue };
        if part.start < told_line || page.markdown().is_code(part.start) {
            continue;
        }
        told_line = page.source[part.end..].find('\n').map_or(page.source.len(), |end| part.end + end);
        let said = page.source[part.clone()].escape_debug().to_string();
        let finding = RULE.finding(format!("`{said}` is left to be written")).at(part, page.source);
        found.add(page.path, finding.help("write it, or take it out; in backticks it is an example"));
    }
}

/// The whole of a placeholder whose sign stands there, if it is one.
fn placeholder(source: &str, sign: Sign, at: Range<usize>) -> Option<Range<usize>> {
    let line_end = source[at.end..].find(['\n', '\r']).map_or(source.len(), |end| at.end + end);
    let rest = &source[at.end..line_end];
    match sign {
        Sign::Todo => {
            let line = source[..at.start].rfind('\n').map_or(0, |end| end + 1);
            let before = source[line..at.start].trim_end();
            let comment = before.ends_with("<!--");
            let loud = source[at.clone()].starts_with("TODO");
            let alone = before.chars().all(|c| matches!(c, '-' | '*' | '+' | '#' | '>' | ' ' | '\t' | '_'));
            (comment || (loud && alone)).then_some(at)
        }
        Sign::TodoInBrackets => {
            let close = rest.find(']')?;
            let link = rest[close + 1..].starts_with(['(', '[']);
            let loud = source[at.start + 1..at.end].chars().all(char::is_uppercase);
            let says = rest[..close].starts_with([':', ' ', '-']);
            (loud && says && !link).then_some(at.start..at.end + close + 1)
        }
        Sign::Insert => {
            let close = rest.find(']')?;
            (!rest[close + 1..].starts_with(['(', '['])).then_some(at.start..at.end + close + 1)
        }
        Sign::LoremIpsum => {
            let quoted = source[..at.start].ends_with(['"', '\'', '“', '`', '(']);
            (!quoted).then_some(at)
        }
    }
}
