//! Anchors, aliases, tags and merge keys.

use super::written::{Blocks, column, is_filled, same_values, sound, step, walk};
use crate::lint::{Check, Docs, Example, Fixes, Found, Page, Piece, Rule, Subject};
use crate::report::{Applicability, Change, Fix, Level, Span};
use crate::skill::yaml::{self, Kind, Node, Style};
use crate::skill::{Frontmatter, line_end};

pub(super) static RULE: Rule = Rule {
    code: "SK120",
    name: "yaml-anchor-alias-tag",
    level: Some(Level::Warning),
    fix: Fixes::Unsafely,
    summary: "an anchor, an alias, a tag or a merge key",
    docs: Docs {
        finds: "`&name`, `*name`, `!tag` and the key `<<` in a frontmatter.",
        hurts: "The reference validator refuses them, and agents differ: some merge `<<` and some do not, some take an \
                unknown tag for an error. A value that begins with `!` or `&` and was meant as text loses its first word.",
        ignore: "Never; write the value out where it is used.",
        bad: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  author: &a Ann\n  owner: *a\n---\n\n# PDF\n",
                ),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: !important Fill PDF forms.\n---\n\n# PDF\n"),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  size: !!str 3\n---\n\n# PDF\n"),
            )]),
        ],
        good: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\nname: pdf\ndescription: Fill PDF forms & more! *All* of them.\nallowed-tools: Bash(git *)\n---\n\n\
                 # PDF\n",
            ),
        )])],
    },
    check: Check::Skill(check),
};

/// A thing that this rule is about.
struct Mark {
    span: Span,
    what: &'static str,
}

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = sound(page) else { return };
    let yaml = page.source[frontmatter.fences.yaml.clone()].as_bytes();
    if memchr::memchr3(b'&', b'*', b'!', yaml).is_none() {
        return;
    }
    let marks = marks(page.source, frontmatter);
    let Some(first) = marks.first() else { return };
    let shown = page.source[first.span.clone()].escape_debug();
    let finding = RULE
        .finding(format!("`{shown}` is {}", first.what))
        .at(first.span.clone(), page.source)
        .note("the reference validator refuses it, and agents differ in what they make of it")
        .help("write the value itself; if the text begins so, put it in quotes");
    let more = marks.iter().skip(1).take(8);
    let mut finding = more.fold(finding, |finding, mark| finding.label(mark.span.clone(), mark.what));
    finding.fix = fix(page, frontmatter, &marks);
    found.add(page.path, finding);
}

/// All marks, in the order of the file: they stand between the scalars, or are what an alias's place shows.
fn marks(source: &str, frontmatter: &Frontmatter) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut at = frontmatter.fences.yaml.start;
    walk(source, &frontmatter.root, &mut |node| {
        let alias = source.get(node.span.clone()).is_some_and(|text| text.starts_with('*'));
        if !alias && !matches!(node.kind, Kind::Scalar(..)) {
            return;
        }
        properties(source, at..node.span.start.max(at), &mut marks);
        if alias {
            marks.push(Mark { span: node.span.clone(), what: "an alias" });
        } else if matches!(&node.kind, Kind::Scalar(text, Style::Plain) if text == "<<") {
            marks.push(Mark { span: node.span.clone(), what: "a merge key" });
        }
        at = at.max(node.span.end);
    });
    marks
}

/// Anchors and tags in a text that has nothing else but punctuation and comments.
fn properties(source: &str, gap: Span, marks: &mut Vec<Mark>) {
    let mut at = gap.start;
    while at < gap.end {
        let rest = &source[at..gap.end];
        let length = match rest.as_bytes()[0] {
            b'#' => rest.find('\n').unwrap_or(rest.len()),
            first @ (b'&' | b'!') => {
                let end = rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '{' | '}'));
                let end = end.unwrap_or(rest.len());
                let what = if first == b'&' { "an anchor" } else { "a tag" };
                marks.push(Mark { span: at..at + end, what });
                end
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        at += length;
    }
}

/// Writes out what aliases stand for, and drops the rest.
fn fix(page: &Page, frontmatter: &Frontmatter, marks: &[Mark]) -> Option<Fix> {
    if marks.iter().any(|mark| mark.what == "a merge key") {
        return None;
    }
    let mut changes = Vec::new();
    for mark in marks {
        changes.push(match mark.what {
            "an alias" => written_out(page.source, frontmatter, mark)?,
            "a tag" => untagged(page.source, frontmatter, mark),
            _ => dropped(page.source, mark),
        });
    }
    let message = "write out the values".into();
    let fix = Fix { applicability: Applicability::Unsafe, message, changes };
    // A tag of one's own on a text: what was meant is likely the text with it.
    let own = marks.iter().any(|mark| mark.what == "a tag" && !page.source[mark.span.clone()].starts_with("!!"));
    if own { reads(page, fix) } else { same_values(page, fix) }
}

/// The fix, if after it there is a frontmatter without faults.
fn reads(page: &Page, fix: Fix) -> Option<Fix> {
    let fixed = fix.apply(page.source);
    let after = Frontmatter::open(&fixed, &mut Vec::new())?;
    (after.mends.is_empty() && marks(&fixed, &after).is_empty()).then_some(fix)
}

fn dropped(source: &str, mark: &Mark) -> Change {
    let rest = &source[mark.span.end..];
    let after = rest.len() - rest.trim_start_matches(' ').len();
    if rest[after..].starts_with(['\r', '\n']) || rest[after..].is_empty() {
        let start = mark.span.start - blanks_before(source, mark.span.start);
        return Change::Edit { span: start..mark.span.end, content: String::new() };
    }
    Change::Edit { span: mark.span.start..mark.span.end + after, content: String::new() }
}

fn blanks_before(source: &str, at: usize) -> usize {
    at - source[..at].trim_end_matches(' ').len()
}

/// A text with its tag in quotes, or with quotes instead of its tag; anything else without its tag.
fn untagged(source: &str, frontmatter: &Frontmatter, mark: &Mark) -> Change {
    let mut change = dropped(source, mark);
    let tag = &source[mark.span.clone()];
    let gap = source[mark.span.end..].len() - source[mark.span.end..].trim_start_matches(' ').len();
    walk(source, &frontmatter.root, &mut |node| {
        if let Kind::Scalar(text, Style::Plain) = &node.kind
            && node.span.start == mark.span.end + gap
            && (tag == "!!str" || !tag.starts_with("!!"))
        {
            let text = if tag == "!!str" { text.to_string() } else { format!("{tag} {text}") };
            change = Change::Edit { span: mark.span.start..node.span.end, content: yaml::quote(&text) };
        }
    });
    change
}

/// What an alias stands for, in its place.
fn written_out(source: &str, frontmatter: &Frontmatter, mark: &Mark) -> Option<Change> {
    let mut content = None;
    walk(source, &frontmatter.root, &mut |node| {
        if let Kind::Mapping(entries, _) = &node.kind {
            let entry = entries.iter().find(|(_, value)| value.span == mark.span);
            content = content.take().or_else(|| entry.and_then(|(key, value)| copy(source, frontmatter, key, value)));
        } else if node.span == mark.span && content.is_none() {
            content = flat(node);
        }
    });
    let content = content?;
    let blanks = if content.starts_with(['\r', '\n']) { blanks_before(source, mark.span.start) } else { 0 };
    Some(Change::Edit { span: mark.span.start - blanks..mark.span.end, content })
}

fn copy(source: &str, frontmatter: &Frontmatter, key: &Node, value: &Node) -> Option<String> {
    if !is_filled(value) {
        return flat(value);
    }
    let step = step(source, &frontmatter.root);
    let indent = column(source, key.span.start) + step;
    let blocks = Blocks { source, line_end: line_end(source), step };
    Some(format!("{}{}{}", blocks.line_end, " ".repeat(indent), blocks.lines(value, indent)?))
}

fn flat(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::Scalar(text, Style::Plain) if !text.contains('\n') => Some(text.to_string()),
        Kind::Scalar(text, _) => Some(yaml::quote(text)),
        _ => None,
    }
}
