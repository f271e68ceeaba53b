//! A block of code that never ends.

use crate::lint::markdown::CodeBlock;
use crate::lint::{Check, Docs, Fixes, Found, Page, Rule, Subject};
use crate::report::{Applicability, Fix, Level, Span};

pub(super) static RULE: Rule = Rule {
    code: "SK406",
    name: "unclosed-code-fence",
    level: Some(Level::Warning),
    fix: Fixes::Unsafely,
    summary: "a code fence is opened and never closed",
    docs: Docs {
        finds: "A fence of backticks or tildes that is still open where the file ends. It is closed by as many of the same \
                sort, or more, alone on their line (CommonMark), so that a fence of three within one of four closes \
                nothing.",
        hurts: "All that follows is code: headings and steps after it are no longer instructions but an example. Mostly it \
                is a fence within a block that is fenced alike, and then every block after it is turned inside out.",
        ignore: "Nothing follows the last fence, and all blocks before it are as they were meant.",
        bad: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\n```sh\nls\n\n## Then\n\nPrint it.\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\n```markdown\n# Report\n\n```sh\nls\n```\n\nEnd of the report.\n```\n\n## Then\n\nPrint it.\n"
            ),
        ],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\n````markdown\n# Report\n\n```sh\nls\n```\n````\n\n~~~\nls\n~~~~\n"
        )],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let body = page.body();
    if all_are_closed(body) {
        return;
    }
    let blocks = &page.markdown().blocks;
    let Some(last) = blocks.last().filter(|block| is_open(page, block)) else { return };
    let fence = fence(page.source, last);
    let after = page.source[fence.end..].lines().skip(1).filter(|line| !line.trim().is_empty()).count();
    let mut finding = match after {
        0 => RULE.finding("this code fence closes nothing, and opens a block at the end of the file"),
        1 => RULE.finding("this code fence is never closed: the line after it is code"),
        _ => RULE.finding(format!("this code fence is never closed: the {after} lines after it are code")),
    };
    finding = finding.at(fence.clone(), page.source);
    if let Some(outer) = blocks.iter().find(|block| holds_an_opening(page.source, block)) {
        let outer = self::fence(page.source, outer);
        let marks = &page.source[fence.clone()];
        let marks = &marks[..marks.len() - marks.trim_start_matches(['`', '~']).len()];
        finding = finding
            .label(outer, "a fence within this block has as many marks, and what closes it closes the block")
            .help(format!("give the outer block a longer fence: `{marks}{}`", &marks[..1]));
    } else if after > 0 && last.info.as_deref().is_some_and(|info| !info.is_empty()) {
        finding = finding.help("close it where the code ends");
        finding.fix = Some(closing(page, &fence));
    } else {
        finding = finding.help("take it away, or find the fence that it was to close");
    }
    found.add(page.path, finding);
}

/// Whether each fence is closed for all to see: by one indented alike, and nothing in between is indented less. Where
/// quotations, lists and HTML make it less plain, only Markdown can tell.
fn all_are_closed(body: &str) -> bool {
    let mut at = 0;
    while let Some(mark) = next_marks(body, at) {
        let start = body[..mark].rfind('\n').map_or(0, |end| end + 1);
        if !is_plain(&body[at..start]) {
            return false;
        }
        let (line, after) = line(body, start);
        let text = line.trim_start_matches(' ');
        let marks = marks(text);
        at = after;
        if marks.len() < 3 {
            let may_hold = |c: char| matches!(c, '<' | '\t' | '>' | '-' | '*' | '+' | '0'..='9');
            if text.starts_with(may_hold) {
                return false;
            }
        } else if marks.starts_with('`') && text[marks.len()..].contains('`') {
            return false;
        } else if let Some(after) = closed(body, after, line.len() - text.len(), marks) {
            at = after;
        } else {
            return false;
        }
    }
    is_plain(&body[at.min(body.len())..])
}

/// Where the line after that begins which closes a fence so far indented; `None` unless there is one for all to see.
fn closed(body: &str, mut at: usize, outer: usize, opened: &str) -> Option<usize> {
    while at < body.len() {
        if outer == 0 {
            // Nothing is indented less.
            let mark = next_marks(body, at)?;
            at = body[..mark].rfind('\n').map_or(0, |end| end + 1);
        }
        let (line, after) = line(body, at);
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        let marks = marks(text);
        let closes = marks.starts_with(opened) && text[marks.len()..].trim_end().is_empty();
        if closes && indent == outer {
            return Some(after);
        }
        if closes || (indent < outer && !text.trim_end().is_empty()) {
            return None;
        }
        at = after;
    }
    None
}

/// Whether no line of a text begins like HTML, or with a tab.
fn is_plain(text: &str) -> bool {
    let is_first = |at: usize| matches!(text[..at].trim_end_matches(' ').bytes().next_back(), None | Some(b'\n'));
    !memchr::memchr2_iter(b'<', b'\t', text.as_bytes()).any(is_first)
}

/// The line that begins at a place, without its end, and where the next one begins.
fn line(text: &str, start: usize) -> (&str, usize) {
    let end = memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |length| start + length);
    (&text[start..end], end + 1)
}

/// Where the next three marks of a fence in a row stand.
fn next_marks(text: &str, from: usize) -> Option<usize> {
    let rest = text.as_bytes().get(from..)?;
    let of = |marks: &[u8]| memchr::memmem::find(rest, marks);
    let first = match of(b"```") {
        Some(at) => Some(memchr::memmem::find(&rest[..at], b"~~~").unwrap_or(at)),
        None => of(b"~~~"),
    };
    first.map(|at| from + at)
}

/// Whether a block of code goes to the end of the file for want of a closing fence.
fn is_open(page: &Page<'_>, block: &CodeBlock<'_>) -> bool {
    if block.info.is_none() || !page.source[block.span.end..].trim().is_empty() {
        return false;
    }
    let text = &page.source[block.span.clone()];
    let marks = marks(text);
    // In a quotation or a list, each line has the marks of that before it.
    let closes = |line: &str| {
        let line = line.trim_start_matches([' ', '\t', '>']).trim_end();
        line.len() >= marks.len() && line.bytes().all(|b| b == marks.as_bytes()[0])
    };
    !text.trim_end().lines().skip(1).last().is_some_and(closes)
}

/// The marks that a block begins with.
fn marks(text: &str) -> &str {
    let mark = if text.starts_with('~') { '~' } else { '`' };
    &text[..text.len() - text.trim_start_matches(mark).len()]
}

/// Where the opening fence of a block stands, with what follows it on its line.
fn fence(source: &str, block: &CodeBlock<'_>) -> Span {
    let line = source[block.span.clone()].lines().next().unwrap_or_default();
    block.span.start..block.span.start + line.trim_end().len()
}

/// Whether a block holds a line that opens one with as many marks: three backticks and a language.
fn holds_an_opening(source: &str, block: &CodeBlock<'_>) -> bool {
    if block.info.is_none() {
        return false;
    }
    let text = &source[block.span.clone()];
    let marks = marks(text);
    let opens = |line: &str| {
        let Some(info) = line.trim_start().strip_prefix(marks) else { return false };
        info.starts_with(|c: char| c.is_ascii_alphabetic()) && !info.contains('`')
    };
    !marks.is_empty() && text.lines().skip(1).any(opens)
}

/// A closing fence at the end of the file.
fn closing(page: &Page<'_>, fence: &Span) -> Fix {
    let end = page.source.trim_end().len();
    let line_end = if page.source[fence.end..].starts_with('\r') { "\r\n" } else { "\n" };
    let line = page.source[..fence.start].rfind('\n').map_or(0, |at| at + 1);
    let before = &page.source[line..fence.start];
    let before = if before.bytes().all(|b| matches!(b, b' ' | b'>')) { before } else { "" };
    let content = format!("{line_end}{before}{}", marks(&page.source[fence.clone()]));
    Fix::edit(Applicability::Unsafe, "close it at the end of the file", end..end, content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page(body: &str) -> String {
        format!("---\nname: pdf\ndescription: d\n---\n{body}")
    }

    fn is_left_open(text: &str) -> bool {
        let page = Page::read("SKILL.md", text, "pdf");
        page.markdown().blocks.last().is_some_and(|block| is_open(&page, block))
    }

    #[test]
    fn what_is_plain_is_seen_without_taking_it_apart() {
        for body in ["# A\n", "```sh\nls\n```\n", "- a\n  ~~~\n  ls\n\n   x\n  ~~~~ \n", "````\n```\n````", "a ``` b\n"]
        {
            assert!(all_are_closed(body), "{body:?}");
        }
        for body in ["```\n", "- a\n  ```\nb\n  ```\n", "> ```\n```\n", "<div>\n```\n```\n", "```\n ```\n"] {
            assert!(!all_are_closed(body), "{body:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn what_seems_closed_is_closed(
            lines in prop::collection::vec("( {0,5})(|a|- |- a|1. b|> |>|<b>|<!--|-->|#|\t|[a]: b|[`~]{1,5}|[`~]{3}(sh|`|~| x| ))", 1..10)
        ) {
            let text = page(&(lines.join("\n") + "\n"));
            let body = &text[page("").len()..];
            prop_assert!(!all_are_closed(body) || !is_left_open(&text), "{body:?}");
        }
    }
}
