//! Finds the frontmatter: the two `---` lines, searched line by line.
//!
//! ```text
//! ---              the opening fence: the first line, after a byte order mark if there is one
//! name: pdf        the YAML between
//! ---              the closing fence: the next such line
//! # Instructions   the body
//! ```
//!
//! A frontmatter is found if some agent finds it. A fence may have spaces after it, and the opening one before it
//! (Codex trims the line); no agent reads a frontmatter that comes after anything else, so it is reported and not read.

use crate::report::{
    Diagnostic, DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange, Span,
};

/// Longest frontmatter that is read, in bytes between the fences. The longest seen in 2,958 skills has 1.9 kB.
pub const FRONTMATTER_MAX: usize = 64 * 1024;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The spans of a frontmatter, in bytes of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontmatterFences {
    /// The opening fence, without its line end.
    pub open: Span,
    /// The text between the fences, with the last line end.
    pub yaml: Span,
    /// The closing fence, without its line end.
    pub close: Span,
    /// Where the instructions begin: after the closing fence and its line end.
    pub body_start: usize,
}

/// Whether the first bytes of a file have its whole frontmatter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrontmatterHead {
    /// The frontmatter is within: reading this many bytes gives all but the body.
    Complete(usize),
    /// More bytes are needed.
    Incomplete,
    /// No agent lists this file, whatever follows; the whole of it is needed to say why.
    Absent,
}

/// Checks whether `prefix`, the first bytes of a longer file, has its whole frontmatter.
#[must_use]
pub fn scan_head(prefix: &[u8]) -> FrontmatterHead {
    let mark = BYTE_ORDER_MARK.as_bytes();
    // Too short to know whether the file begins with a byte order mark.
    if prefix.len() < mark.len() {
        return FrontmatterHead::Incomplete;
    }

    let mut lines = ByteLines {
        source: prefix,
        offset: if prefix.starts_with(mark) {
            mark.len()
        } else {
            0
        },
    };

    match lines.next() {
        // The first line does not end within the prefix.
        Some(line) if !line.has_line_end => {
            return if prefix.len() < FRONTMATTER_MAX {
                FrontmatterHead::Incomplete
            } else {
                FrontmatterHead::Absent
            };
        }
        Some(line) if fence_indent(line.text).is_some() => {}
        Some(_) => return FrontmatterHead::Absent,
        None => return FrontmatterHead::Incomplete,
    }

    // An unindented fence ends the search. An indented one counts only if there is no other,
    // which `find_closing_fence` decides from the whole file.
    let yaml_start = lines.offset;
    match lines.find(|line| fence_indent(line.text) == Some(0)) {
        Some(line) if line.start - yaml_start > FRONTMATTER_MAX => FrontmatterHead::Absent,
        Some(line) if line.has_line_end => FrontmatterHead::Complete(line.end),
        None if prefix.len() - yaml_start > FRONTMATTER_MAX => {
            // An indented fence counts where the whole file has no other.
            let indented = ByteLines {
                source: prefix,
                offset: yaml_start,
            }
            .any(|line| fence_indent(line.text).is_some());
            if indented {
                FrontmatterHead::Incomplete
            } else {
                FrontmatterHead::Absent
            }
        }
        _ => FrontmatterHead::Incomplete,
    }
}

/// Why no frontmatter is read.
#[derive(Debug)]
pub(super) enum FenceFault<'a> {
    /// The first line is no fence.
    NoOpening,
    /// No line after the opening fence, which ends at `yaml_start`, is one.
    Unclosed {
        open: ByteLine<'a>,
        yaml_start: usize,
    },
    /// The text between them is larger than [`FRONTMATTER_MAX`].
    TooLarge(FrontmatterFences),
}

/// Finds the fences of `source`.
///
/// # Errors
/// If no agent finds a frontmatter or it is too large.
pub(super) fn locate_fences(source: &str) -> Result<FrontmatterFences, FenceFault<'_>> {
    let mut lines = ByteLines {
        source: source.as_bytes(),
        offset: byte_order_mark_len(source),
    };

    let open = lines
        .next()
        .filter(|line| fence_indent(line.text).is_some())
        .ok_or(FenceFault::NoOpening)?;

    let yaml_start = lines.offset;
    let Some(close) = find_closing_fence(source, yaml_start) else {
        return Err(FenceFault::Unclosed { open, yaml_start });
    };

    let fences = FrontmatterFences {
        open: open.span(),
        yaml: yaml_start..close.start,
        close: close.span(),
        body_start: close.end,
    };

    // The limit comes before the parser: YAML above it is never parsed.
    if fences.yaml.len() > FRONTMATTER_MAX {
        return Err(FenceFault::TooLarge(fences));
    }
    Ok(fences)
}

pub(super) fn byte_order_mark_len(source: &str) -> usize {
    if source.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    }
}

/// Findings about fences that some agents accept and others do not.
pub(super) fn check_fences(source: &str, fences: &FrontmatterFences) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mark = byte_order_mark_len(source);
    if mark > 0 {
        found.push(byte_order_mark_diagnostic(source, mark));
    }

    for line in [&fences.open, &fences.close] {
        if line.len() > FENCE_DASHES.len() {
            found.push(fence_whitespace_diagnostic(source, line));
        }
    }

    // The reference validator splits the file at `---`, wherever that is.
    if memchr::memmem::find(
        source[fences.yaml.clone()].as_bytes(),
        FENCE_DASHES.as_bytes(),
    )
    .is_some()
    {
        found.push(inner_dashes_diagnostic(source, fences.yaml.clone()));
    }

    found
}

fn byte_order_mark_diagnostic(source: &str, mark: usize) -> Diagnostic {
    let message = "a byte order mark before `---` hides the frontmatter from Codex, Gemini CLI and `npx skills`";
    Diagnostic::new("byte-order-mark", DiagnosticLevel::Error, message)
        .at(0..mark, source)
        .help("remove the first three bytes of the file")
        .fix(DiagnosticFix::edit(
            FixApplicability::Safe,
            "remove the byte order mark",
            0..mark,
            "",
        ))
}

/// The text of a fence.
const FENCE_DASHES: &str = "---";

/// The finding about whitespace beside the dashes of a fence.
fn fence_whitespace_diagnostic(source: &str, line: &Span) -> Diagnostic {
    let text = &source[line.clone()];
    let before = text.len() - text.trim_start().len();

    let span = if before == 0 {
        line.start + FENCE_DASHES.len()..line.end
    } else {
        line.start..line.start + before
    };

    Diagnostic::new(
        "delimiter-whitespace",
        DiagnosticLevel::Warning,
        "leading or trailing whitespace on the `---` line",
    )
    .at(span, source)
    .note("Gemini CLI and `npx skills` do not see the frontmatter then; the others do")
    .help("leave nothing but `---` on the line")
    .fix(DiagnosticFix::edit(
        FixApplicability::Safe,
        "remove the whitespace",
        line.clone(),
        FENCE_DASHES,
    ))
}

/// The finding about `---` within the frontmatter.
///
/// # Panics
/// If `yaml` has no `---`.
fn inner_dashes_diagnostic(source: &str, yaml: Span) -> Diagnostic {
    let runs = runs_of_dashes(source, yaml);
    let first = runs[0].start..runs[0].start + FENCE_DASHES.len();

    let edit = |span: Span| FixChange::Edit {
        span,
        content: "\u{2014}".into(),
    };

    Diagnostic::new(
        "dashes-inside-frontmatter",
        DiagnosticLevel::Warning,
        "`---` inside the frontmatter",
    )
    .at(first, source)
    .note("the reference validator ends the frontmatter there and reads half of it; agents read on")
    .help("write another number of dashes, or another kind of dash")
    .fix(DiagnosticFix {
        applicability: FixApplicability::Unsafe,
        message: "write an em dash".into(),
        changes: runs.into_iter().map(edit).collect(),
    })
}

/// All runs of three or more dashes in `range`.
fn runs_of_dashes(source: &str, range: Span) -> Vec<Span> {
    let (mut runs, mut at) = (Vec::new(), range.start);
    while let Some(found) = source[at..range.end].find(FENCE_DASHES) {
        let start = at + found;
        let rest = &source[start..range.end];
        at = start + rest.len() - rest.trim_start_matches('-').len();
        runs.push(start..at);
    }
    runs
}

/// The first unindented `---` line; if there is none, the first indented one.
pub(super) fn find_closing_fence(source: &str, start: usize) -> Option<ByteLine<'_>> {
    let lines = || ByteLines {
        source: source.as_bytes(),
        offset: start,
    };
    // An indented fence closes the frontmatter for some agents only: it is the second choice.
    lines()
        .find(|line| fence_indent(line.text) == Some(0))
        .or_else(|| lines().find(|line| fence_indent(line.text).is_some()))
}

/// The number of spaces and tabs before the dashes; `None` if the line is not a fence.
pub(super) fn fence_indent(line: &[u8]) -> Option<usize> {
    let indent = line
        .iter()
        .take_while(|b| matches!(b, b' ' | b'\t'))
        .count();
    let rest = line[indent..].strip_prefix(b"---")?;
    rest.iter()
        .all(|b| matches!(b, b' ' | b'\t'))
        .then_some(indent)
}

/// A line of a file.
#[derive(Debug)]
pub(super) struct ByteLine<'a> {
    /// Its bytes without the line end.
    pub(super) text: &'a [u8],
    pub(super) start: usize,
    /// After the line end.
    pub(super) end: usize,
    /// Whether it has a line end.
    pub(super) has_line_end: bool,
}

impl ByteLine<'_> {
    pub(super) fn span(&self) -> Span {
        self.start..self.start + self.text.len()
    }
}

/// Iterates over the lines of `source` from `offset` on, which end in `\n` or `\r\n`.
pub(super) struct ByteLines<'a> {
    pub(super) source: &'a [u8],
    pub(super) offset: usize,
}

impl<'a> Iterator for ByteLines<'a> {
    type Item = ByteLine<'a>;

    fn next(&mut self) -> Option<ByteLine<'a>> {
        let rest = &self.source[self.offset..];
        if rest.is_empty() {
            return None;
        }

        let found = memchr::memchr(b'\n', rest);
        let text = &rest[..found.unwrap_or(rest.len())];
        let start = self.offset;
        self.offset += found.map_or(rest.len(), |at| at + 1);
        let text = text.strip_suffix(b"\r").unwrap_or(text);

        Some(ByteLine {
            text,
            start,
            end: self.offset,
            has_line_end: found.is_some(),
        })
    }
}

/// The line ending of a file: that of its first line.
#[must_use]
pub fn line_ending(source: &str) -> &'static str {
    let first = memchr::memchr(b'\n', source.as_bytes());
    if first.is_some_and(|at| source[..at].ends_with('\r')) {
        "\r\n"
    } else {
        "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule and the position of its finding.
    type PositionedRule = (String, Option<(usize, usize)>);

    fn found(source: &str) -> (FrontmatterFences, Vec<PositionedRule>) {
        let fences = locate_fences(source).unwrap();
        let diagnostics = check_fences(source, &fences);
        (
            fences,
            diagnostics
                .into_iter()
                .map(|d| (d.rule, d.position))
                .collect(),
        )
    }

    #[test]
    fn the_spans_are_exact_with_and_without_carriage_returns() {
        for (source, yaml, body) in [
            ("---\na: b\n---\nbody", "a: b\n", "body"),
            ("---\r\na: b\r\n---\r\nbody", "a: b\r\n", "body"),
            ("---\na: b\n---", "a: b\n", ""),
            ("---\n---\n", "", ""),
            ("\u{feff}---\na: b\n---\n---\n", "a: b\n", "---\n"),
        ] {
            let (fences, _) = found(source);
            assert_eq!(
                (&source[fences.yaml], &source[fences.body_start..]),
                (yaml, body),
                "{source:?}"
            );
            assert_eq!(
                (&source[fences.open], &source[fences.close]),
                ("---", "---")
            );
        }
    }

    #[test]
    fn a_frontmatter_that_only_some_agents_find_is_found_and_reported() {
        assert_eq!(
            found("\u{feff}---\na: b\n---\n").1,
            [("byte-order-mark".into(), Some((1, 1)))]
        );
        assert_eq!(
            found("--- \na: b\n---\t\n").1,
            [
                ("delimiter-whitespace".into(), Some((1, 4))),
                ("delimiter-whitespace".into(), Some((3, 4)))
            ]
        );
        assert_eq!(
            found("  ---\na: b\n ---\n").1,
            [
                ("delimiter-whitespace".into(), Some((1, 1))),
                ("delimiter-whitespace".into(), Some((3, 1))),
                // An indented fence counts only where there is no other, and is then not inside.
            ]
        );
        assert_eq!(
            found("---\na: b --- c\n---\n").1,
            [("dashes-inside-frontmatter".into(), Some((2, 6)))]
        );
    }

    #[test]
    fn a_closing_fence_at_the_margin_goes_before_an_indented_one() {
        let source = "---\na: |\n  ---\n  b\n---\n";
        assert_eq!(&source[found(source).0.yaml], "a: |\n  ---\n  b\n");
    }

    #[test]
    fn head_is_complete_after_its_closing_line() {
        let file = "\u{feff}--- \r\nname: x\r\n---\r\nbody";
        let whole = file.find("body").unwrap();
        for cut in 0..file.len() {
            let expected = if cut < whole {
                FrontmatterHead::Incomplete
            } else {
                FrontmatterHead::Complete(whole)
            };
            assert_eq!(scan_head(&file.as_bytes()[..cut]), expected, "{cut}");
        }
    }

    #[test]
    fn missing_and_endless_frontmatter_is_detected_at_the_head() {
        assert_eq!(scan_head(b"# Title\n"), FrontmatterHead::Absent);
        assert_eq!(scan_head(b"\n---\nname"), FrontmatterHead::Absent);
        assert_eq!(scan_head(b"# Title"), FrontmatterHead::Incomplete);
        assert_eq!(
            scan_head(&vec![b'x'; FRONTMATTER_MAX]),
            FrontmatterHead::Absent
        );
        let endless = [b"---\n".as_slice(), &vec![b'\n'; FRONTMATTER_MAX + 1]].concat();
        assert_eq!(scan_head(&endless), FrontmatterHead::Absent);
        assert_eq!(
            scan_head(&endless[..FRONTMATTER_MAX]),
            FrontmatterHead::Incomplete
        );
    }
}
