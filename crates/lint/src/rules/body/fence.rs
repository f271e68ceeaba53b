//! Unclosed code fences.

use crate::markdown::CodeBlock;
use crate::{FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::{Diagnostic, DiagnosticFix, DiagnosticLevel, FixApplicability, Span};

pub(super) static RULE: Rule = Rule {
    code: "SK406",
    name: "unclosed-code-fence",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Unsafely,
    summary: "a code fence is never closed",
    docs: RuleDocs {
        finds: "A fence of backticks or tildes that is still open at the end of the file. A fence is closed by at \
            least as many of the same characters alone on a line (CommonMark), so a fence of three inside one of four \
            closes nothing.",
        hurts: "Everything after it is code: headings and steps are no longer instructions but an example. The usual \
            cause is a fence inside a block with a fence of the same length; then every later block is inverted.",
        ignore: "Nothing follows the last fence, and all blocks before it are as intended.",
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
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    // Most pages are well formed, which a scan for fences finds without parsing Markdown.
    if all_are_closed(page.body()) {
        return;
    }

    // Only the last block can be open: an open one extends to the end of the file.
    let blocks = &page.markdown().code_blocks;
    let Some(last) = blocks.last().filter(|block| is_unclosed(page, block)) else {
        return;
    };

    let fence = opening_fence(page.source, last);
    let after = page.source[fence.end..]
        .lines()
        .skip(1)
        .filter(|line| !line.trim().is_empty())
        .count();
    let finding = unclosed_finding(after).at_bytes(fence.clone());

    // An outer block that ends at an inner fence is the more likely cause, so it is named.
    let outer = blocks
        .iter()
        .find(|block| contains_opening(page.source, block));
    let finding = if let Some(outer) = outer {
        blame_outer_block(finding, page.source, outer, fence)
    } else if after > 0 && last.info.as_deref().is_some_and(|info| !info.is_empty()) {
        // A fence with a language is intended as an opening; without one it may be stray.
        finding
            .help("close the fence where the code ends")
            .fix(closing_fence_fix(page, &fence))
    } else {
        finding.help("remove it, or find the fence that it should close")
    };

    found.add(page.path, finding);
}

/// Reports an open fence with this number of lines after it.
fn unclosed_finding(after: usize) -> Diagnostic {
    match after {
        0 => RULE.finding("this code fence closes no block, and opens one at the end of the file"),
        1 => RULE.finding("this code fence is never closed: the line after it is code"),
        _ => RULE.finding(format!(
            "this code fence is never closed: the {after} lines after it are code"
        )),
    }
}

/// Points to a block that contains a fence of its own length.
fn blame_outer_block(
    finding: Diagnostic,
    source: &str,
    outer: &CodeBlock<'_>,
    fence: Span,
) -> Diagnostic {
    let marks = fence_marks(&source[fence]);
    finding
        .label(
            opening_fence(source, outer),
            "a fence inside this block has the same length, so its end closes the block",
        )
        // One mark more than the inner fence is enough.
        .help(format!(
            "use a longer fence for the outer block: `{marks}{}`",
            &marks[..1]
        ))
}

/// Whether each fence is obviously closed: by one with the same indentation, with nothing in between indented less. With
/// quotations, lists and HTML only the Markdown parser can decide.
fn all_are_closed(body: &str) -> bool {
    let mut at = 0;
    let mut finder = FenceFinder::new(body);
    while let Some(mark) = finder.next_fence(at) {
        let start = body[..mark].rfind('\n').map_or(0, |end| end + 1);
        if !has_only_plain_lines(&body[at..start]) {
            return false;
        }

        let (line, after) = line_at(body, start);
        let text = line.trim_start_matches(' ');
        let marks = fence_marks(text);
        at = after;
        if marks.len() < 3 {
            // HTML, a quotation or a list may contain a fence that this scan does not see.
            let may_contain_fence =
                |c: char| matches!(c, '<' | '\t' | '>' | '-' | '*' | '+' | '0'..='9');
            if text.starts_with(may_contain_fence) {
                return false;
            }
        } else if marks.starts_with('`') && text[marks.len()..].contains('`') {
            return false;
        } else if let Some(after) = find_closing_line(
            body,
            &mut finder,
            after,
            &OpenFence {
                indent: line.len() - text.len(),
                marks,
            },
        ) {
            at = after;
        } else {
            return false;
        }
    }

    has_only_plain_lines(&body[at.min(body.len())..])
}

/// A fence that is not closed yet.
struct OpenFence<'t> {
    /// Its indentation, in spaces.
    indent: usize,
    marks: &'t str,
}

/// The start of the line after the one that closes a fence; `None` if it is not obviously closed.
fn find_closing_line(
    body: &str,
    finder: &mut FenceFinder<'_>,
    mut at: usize,
    open: &OpenFence<'_>,
) -> Option<usize> {
    while at < body.len() {
        if open.indent == 0 {
            // Nothing is indented less.
            let mark = finder.next_fence(at)?;
            at = body[..mark].rfind('\n').map_or(0, |end| end + 1);
        }

        let (line, after) = line_at(body, at);
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        let marks = fence_marks(text);
        let closes = marks.starts_with(open.marks) && text[marks.len()..].trim_end().is_empty();
        if closes && indent == open.indent {
            return Some(after);
        }
        // A closing fence with another indentation may belong to another block: the Markdown parser decides.
        if closes || (indent < open.indent && !text.trim_end().is_empty()) {
            return None;
        }
        at = after;
    }
    None
}

/// Whether no line of a text begins with `<` or a tab.
fn has_only_plain_lines(text: &str) -> bool {
    let is_first = |at: usize| {
        matches!(
            text[..at].trim_end_matches(' ').bytes().next_back(),
            None | Some(b'\n')
        )
    };
    !memchr::memchr2_iter(b'<', b'\t', text.as_bytes()).any(is_first)
}

/// The line that begins at `start`, without its line end, and the start of the next one.
fn line_at(text: &str, start: usize) -> (&str, usize) {
    let end = memchr::memchr(b'\n', &text.as_bytes()[start..])
        .map_or(text.len(), |length| start + length);
    (&text[start..end], end + 1)
}

/// Finds runs of three backticks or tildes. Once none of a kind is left, the text is not searched for it again.
struct FenceFinder<'t> {
    text: &'t str,
    /// For each kind: where the last search began, and its result.
    known: [Option<(usize, Option<usize>)>; 2],
}

impl<'t> FenceFinder<'t> {
    fn new(text: &'t str) -> Self {
        FenceFinder {
            text,
            known: [None; 2],
        }
    }

    /// The next run at or after a byte.
    fn next_fence(&mut self, from: usize) -> Option<usize> {
        let sorts = ["```", "~~~"].into_iter().enumerate();
        sorts
            .filter_map(|(sort, marks)| self.next_fence_of(sort, marks.as_bytes(), from))
            .min()
    }

    fn next_fence_of(&mut self, sort: usize, marks: &[u8], from: usize) -> Option<usize> {
        let is_known =
            |(since, at): (usize, Option<usize>)| since <= from && at.is_none_or(|at| at >= from);
        if let Some((_, at)) = self.known[sort].filter(|known| is_known(*known)) {
            return at;
        }

        let rest = self.text.as_bytes().get(from..)?;
        let at = memchr::memmem::find(rest, marks).map(|at| from + at);
        self.known[sort] = Some((from, at));
        at
    }
}

/// Whether a code block extends to the end of the file because it has no closing fence.
fn is_unclosed(page: &MarkdownPage<'_>, block: &CodeBlock<'_>) -> bool {
    if block.info.is_none() || !page.source[block.span.end..].trim().is_empty() {
        return false;
    }

    let text = &page.source[block.span.clone()];
    let marks = fence_marks(text);
    // In a quotation or a list, each line begins with its markers.
    let closes = |line: &str| {
        let line = line.trim_start_matches([' ', '\t', '>']).trim_end();
        line.len() >= marks.len() && line.bytes().all(|b| b == marks.as_bytes()[0])
    };

    !text.trim_end().lines().skip(1).last().is_some_and(closes)
}

/// The backticks or tildes that a block begins with.
fn fence_marks(text: &str) -> &str {
    let mark = if text.starts_with('~') { '~' } else { '`' };
    &text[..text.len() - text.trim_start_matches(mark).len()]
}

/// The span of the opening fence of a block, with its info string.
fn opening_fence(source: &str, block: &CodeBlock<'_>) -> Span {
    let line = source[block.span.clone()]
        .lines()
        .next()
        .unwrap_or_default();
    block.span.start..block.span.start + line.trim_end().len()
}

/// Whether a block contains a line that looks like an opening fence of the same length: with a language.
fn contains_opening(source: &str, block: &CodeBlock<'_>) -> bool {
    if block.info.is_none() {
        return false;
    }

    let text = &source[block.span.clone()];
    let marks = fence_marks(text);
    // With a language it cannot be the closing fence of the block.
    let opens = |line: &str| {
        let Some(info) = line.trim_start().strip_prefix(marks) else {
            return false;
        };
        info.starts_with(|c: char| c.is_ascii_alphabetic()) && !info.contains('`')
    };

    !marks.is_empty() && text.lines().skip(1).any(opens)
}

/// Adds a closing fence at the end of the file.
fn closing_fence_fix(page: &MarkdownPage<'_>, fence: &Span) -> DiagnosticFix {
    let end = page.source.trim_end().len();
    let line_end = if page.source[fence.end..].starts_with('\r') {
        "\r\n"
    } else {
        "\n"
    };

    let line = page.source[..fence.start]
        .rfind('\n')
        .map_or(0, |at| at + 1);
    // In a quotation the new line needs the same `>`.
    let before = &page.source[line..fence.start];
    let before = if before.bytes().all(|b| matches!(b, b' ' | b'>')) {
        before
    } else {
        ""
    };

    let content = format!(
        "{line_end}{before}{}",
        fence_marks(&page.source[fence.clone()])
    );
    DiagnosticFix::edit(
        FixApplicability::Unsafe,
        "close it at the end of the file",
        end..end,
        content,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn page(body: &str) -> String {
        format!("---\nname: pdf\ndescription: d\n---\n{body}")
    }

    fn is_left_open(text: &str) -> bool {
        let page = MarkdownPage::read("SKILL.md", text, "pdf");
        page.markdown()
            .code_blocks
            .last()
            .is_some_and(|block| is_unclosed(&page, block))
    }

    #[test]
    fn obviously_closed_fences_are_recognized_without_parsing() {
        for body in [
            "# A\n",
            "```sh\nls\n```\n",
            "- a\n  ~~~\n  ls\n\n   x\n  ~~~~ \n",
            "````\n```\n````",
            "a ``` b\n",
        ] {
            assert!(all_are_closed(body), "{body:?}");
        }
        for body in [
            "```\n",
            "- a\n  ```\nb\n  ```\n",
            "> ```\n```\n",
            "<div>\n```\n```\n",
            "```\n ```\n",
        ] {
            assert!(!all_are_closed(body), "{body:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn obviously_closed_fences_are_closed(
            lines in prop::collection::vec("( {0,5})(|a|- |- a|1. b|> |>|<b>|<!--|-->|#|\t|[a]: b|[`~]{1,5}|[`~]{3}(sh|`|~| x| ))", 1..10)
        ) {
            let text = page(&(lines.join("\n") + "\n"));
            let body = &text[page("").len()..];
            prop_assert!(!all_are_closed(body) || !is_left_open(&text), "{body:?}");
        }
    }
}
