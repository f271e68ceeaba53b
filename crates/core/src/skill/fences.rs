//! Where the frontmatter stands: the two `---` lines, found line by line.
//!
//! ```text
//! ---              the opening fence: the first line, but for a byte order mark
//! name: pdf        the YAML between
//! ---              the closing fence: the next such line
//! # Instructions   the body
//! ```
//!
//! Only what some agent finds is found. A fence may have blanks after it, and the opening one before it (Codex trims
//! the line); a frontmatter after anything else is none to every agent, so it is reported and not read.

use crate::report::{Applicability, Change, Diagnostic, Fix, Level, Span};

use super::misplaced;

/// Longest frontmatter that is read, in bytes between the fences. The longest seen in 2,958 skills has 1.9 kB.
pub const FRONTMATTER_MAX: usize = 64 * 1024;

pub(super) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The places of a frontmatter, in bytes of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fences {
    /// The opening fence, without its line end.
    pub open: Span,
    /// What stands between the fences, with the last line end.
    pub yaml: Span,
    /// The closing fence, without its line end.
    pub close: Span,
    /// Where the instructions begin: after the closing fence and its line end.
    pub body_start: usize,
}

/// What the first bytes of a file say about its frontmatter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    /// The frontmatter is within: reading this many bytes gives all but the body.
    Whole(usize),
    /// More bytes are needed.
    Cut,
    /// No agent would list this file, whatever follows; the whole of it is needed to say why.
    Absent,
}

/// Finds out whether `prefix`, the first bytes of a longer file, holds its whole frontmatter.
#[must_use]
pub fn head(prefix: &[u8]) -> Head {
    let mark = BYTE_ORDER_MARK.as_bytes();
    if prefix.len() < mark.len() {
        return Head::Cut;
    }
    let mut lines = Lines { source: prefix, at: if prefix.starts_with(mark) { mark.len() } else { 0 } };
    match lines.next() {
        Some(line) if !line.ended => return if prefix.len() < FRONTMATTER_MAX { Head::Cut } else { Head::Absent },
        Some(line) if fence(line.text).is_some() => {}
        Some(_) => return Head::Absent,
        None => return Head::Cut,
    }
    let yaml_start = lines.at;
    match lines.find(|line| fence(line.text) == Some(0)) {
        Some(line) if line.start - yaml_start > FRONTMATTER_MAX => Head::Absent,
        Some(line) if line.ended => Head::Whole(line.end),
        None if prefix.len() - yaml_start > FRONTMATTER_MAX => {
            // An indented fence counts where the whole file has no other.
            let indented = Lines { source: prefix, at: yaml_start }.any(|line| fence(line.text).is_some());
            if indented { Head::Cut } else { Head::Absent }
        }
        _ => Head::Cut,
    }
}

/// Finds the fences of `source`, and tells what is odd about them.
///
/// `None`, and the reason as a diagnostic of level error, if no agent would find a frontmatter or it is too large.
pub(super) fn find(source: &str, diagnostics: &mut Vec<Diagnostic>) -> Option<Fences> {
    let mark = if source.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let mut lines = Lines { source: source.as_bytes(), at: mark };
    let Some(open) = lines.next().filter(|line| fence(line.text).is_some()) else {
        diagnostics.push(misplaced::no_opening(source));
        return None;
    };
    let yaml_start = lines.at;
    let Some(close) = closing(source, yaml_start) else {
        diagnostics.push(misplaced::unclosed(source, &open, yaml_start));
        return None;
    };
    let fences =
        Fences { open: open.span(), yaml: yaml_start..close.start, close: close.span(), body_start: close.end };
    if fences.yaml.len() > FRONTMATTER_MAX {
        let message = format!("the frontmatter has {} bytes; the limit is {FRONTMATTER_MAX}", fences.yaml.len());
        let reason = Diagnostic::new("frontmatter-too-large", Level::Error, message).at(fences.open, source);
        diagnostics.push(reason);
        return None;
    }
    diagnostics.extend(odd(source, mark, &fences));
    Some(fences)
}

/// What some agents stumble over though others do not.
fn odd(source: &str, mark: usize, fences: &Fences) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if mark > 0 {
        found.push(byte_order_mark(source, mark));
    }
    for line in [&fences.open, &fences.close] {
        if line.len() > DASHES.len() {
            found.push(blanks(source, line));
        }
    }
    if memchr::memmem::find(source[fences.yaml.clone()].as_bytes(), DASHES.as_bytes()).is_some() {
        found.push(dashes(source, fences.yaml.clone()));
    }
    found
}

fn byte_order_mark(source: &str, mark: usize) -> Diagnostic {
    let message = "a byte order mark before `---` hides the frontmatter from Codex, Gemini CLI and `npx skills`";
    Diagnostic::new("byte-order-mark", Level::Error, message)
        .at(0..mark, source)
        .help("remove the first three bytes of the file")
        .fix(Fix::edit(Applicability::Safe, "remove the byte order mark", 0..mark, ""))
}

/// What a fence is made of.
const DASHES: &str = "---";

/// Blanks beside the dashes of a fence.
fn blanks(source: &str, line: &Span) -> Diagnostic {
    let text = &source[line.clone()];
    let before = text.len() - text.trim_start().len();
    let span = if before == 0 { line.start + DASHES.len()..line.end } else { line.start..line.start + before };
    Diagnostic::new("delimiter-whitespace", Level::Warning, "the line has blanks beside its `---`")
        .at(span, source)
        .note("Gemini CLI and `npx skills` do not see the frontmatter then; the others do")
        .help("leave nothing but `---` on the line")
        .fix(Fix::edit(Applicability::Safe, "remove the blanks", line.clone(), DASHES))
}

/// Dashes within the frontmatter; `yaml` has some.
fn dashes(source: &str, yaml: Span) -> Diagnostic {
    let runs = runs_of_dashes(source, yaml);
    let first = runs[0].start..runs[0].start + DASHES.len();
    let edit = |span: Span| Change::Edit { span, content: "\u{2014}".into() };
    Diagnostic::new("dashes-inside-frontmatter", Level::Warning, "`---` stands within the frontmatter")
        .at(first, source)
        .note("the reference validator ends the frontmatter there and reads half of it; agents read on")
        .help("write a dash of another length there")
        .fix(Fix {
            applicability: Applicability::Unsafe,
            message: "write an em dash".into(),
            changes: runs.into_iter().map(edit).collect(),
        })
}

/// All places in `range` where three dashes or more stand together.
fn runs_of_dashes(source: &str, range: Span) -> Vec<Span> {
    let (mut runs, mut at) = (Vec::new(), range.start);
    while let Some(found) = source[at..range.end].find(DASHES) {
        let start = at + found;
        let rest = &source[start..range.end];
        at = start + rest.len() - rest.trim_start_matches('-').len();
        runs.push(start..at);
    }
    runs
}

/// The first line that is `---` at its very beginning; failing that, an indented one.
pub(super) fn closing(source: &str, start: usize) -> Option<Line<'_>> {
    let lines = || Lines { source: source.as_bytes(), at: start };
    lines().find(|line| fence(line.text) == Some(0)).or_else(|| lines().find(|line| fence(line.text).is_some()))
}

/// How many blanks stand before the dashes, if the line is a fence.
pub(super) fn fence(line: &[u8]) -> Option<usize> {
    let blanks = line.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let rest = line[blanks..].strip_prefix(b"---")?;
    rest.iter().all(|b| matches!(b, b' ' | b'\t')).then_some(blanks)
}

/// A line of a file.
pub(super) struct Line<'a> {
    /// Its bytes without the line end.
    pub(super) text: &'a [u8],
    pub(super) start: usize,
    /// After the line end.
    pub(super) end: usize,
    /// Whether it has a line end.
    pub(super) ended: bool,
}

impl Line<'_> {
    pub(super) fn span(&self) -> Span {
        self.start..self.start + self.text.len()
    }
}

/// Lines that end in `\n` or `\r\n`, from `at` on.
pub(super) struct Lines<'a> {
    pub(super) source: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = &self.source[self.at..];
        if rest.is_empty() {
            return None;
        }
        let found = memchr::memchr(b'\n', rest);
        let text = &rest[..found.unwrap_or(rest.len())];
        let start = self.at;
        self.at += found.map_or(rest.len(), |at| at + 1);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        Some(Line { text, start, end: self.at, ended: found.is_some() })
    }
}

/// How lines end in this file: as the first of them does.
#[must_use]
pub fn line_end(source: &str) -> &'static str {
    let first = memchr::memchr(b'\n', source.as_bytes());
    if first.is_some_and(|at| source[..at].ends_with('\r')) { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule and where it is broken.
    type Told = (String, Option<(usize, usize)>);

    fn found(source: &str) -> (Fences, Vec<Told>) {
        let mut diagnostics = Vec::new();
        let fences = find(source, &mut diagnostics).unwrap();
        (fences, diagnostics.into_iter().map(|d| (d.rule, d.position)).collect())
    }

    fn refused(source: &str) -> Told {
        let mut diagnostics = Vec::new();
        assert_eq!(find(source, &mut diagnostics), None);
        let [reason] = &diagnostics[..] else { panic!("{diagnostics:?}") };
        assert_eq!(reason.level, Level::Error);
        (reason.rule.clone(), reason.position)
    }

    #[test]
    fn the_places_are_exact_with_and_without_carriage_returns() {
        for (source, yaml, body) in [
            ("---\na: b\n---\nbody", "a: b\n", "body"),
            ("---\r\na: b\r\n---\r\nbody", "a: b\r\n", "body"),
            ("---\na: b\n---", "a: b\n", ""),
            ("---\n---\n", "", ""),
            ("\u{feff}---\na: b\n---\n---\n", "a: b\n", "---\n"),
        ] {
            let (fences, _) = found(source);
            assert_eq!((&source[fences.yaml], &source[fences.body_start..]), (yaml, body), "{source:?}");
            assert_eq!((&source[fences.open], &source[fences.close]), ("---", "---"));
        }
    }

    #[test]
    fn what_only_some_agents_find_is_found_and_told() {
        assert_eq!(found("\u{feff}---\na: b\n---\n").1, [("byte-order-mark".into(), Some((1, 1)))]);
        assert_eq!(
            found("--- \na: b\n---\t\n").1,
            [("delimiter-whitespace".into(), Some((1, 4))), ("delimiter-whitespace".into(), Some((3, 4)))]
        );
        assert_eq!(
            found("  ---\na: b\n ---\n").1,
            [
                ("delimiter-whitespace".into(), Some((1, 1))),
                ("delimiter-whitespace".into(), Some((3, 1))),
                // An indented fence counts only where there is no other, and is then not within.
            ]
        );
        assert_eq!(found("---\na: b --- c\n---\n").1, [("dashes-inside-frontmatter".into(), Some((2, 6)))]);
    }

    #[test]
    fn a_closing_fence_at_the_margin_goes_before_an_indented_one() {
        let source = "---\na: |\n  ---\n  b\n---\n";
        assert_eq!(&source[found(source).0.yaml], "a: |\n  ---\n  b\n");
    }

    #[test]
    fn what_no_agent_finds_is_refused_with_its_reason() {
        for (source, rule, position) in [
            ("", "empty-file", None),
            (" \r\n\n", "empty-file", None),
            ("# Title\n\ntext\n", "frontmatter-missing", Some((1, 1))),
            ("----\nname: x\n----\n", "frontmatter-missing", Some((1, 1))),
            ("--- name: x\n---\n", "frontmatter-missing", Some((1, 1))),
            ("\n---\nname: x\n---\n", "frontmatter-not-first", Some((2, 1))),
            ("# Title\n---\ndescription: x\n---\n", "frontmatter-not-first", Some((2, 1))),
            ("```yaml\n---\nname: x\n---\n```\n", "frontmatter-not-first", Some((2, 1))),
            ("name: x\ndescription: y\n\n# Title\n", "frontmatter-not-first", Some((1, 1))),
            ("---\nname: x\ndescription: y\n", "frontmatter-unclosed", Some((1, 1))),
            ("---\nname: x\n...\nbody\n", "frontmatter-unclosed", Some((1, 1))),
        ] {
            assert_eq!(refused(source), (rule.into(), position), "{source:?}");
        }
        let large = format!("---\nname: {}\n---\n", "x".repeat(FRONTMATTER_MAX));
        assert_eq!(refused(&large), ("frontmatter-too-large".into(), Some((1, 1))));
    }

    #[test]
    fn a_head_is_whole_once_the_closing_line_has_ended() {
        let file = "\u{feff}--- \r\nname: x\r\n---\r\nbody";
        let whole = file.find("body").unwrap();
        for cut in 0..file.len() {
            let expected = if cut < whole { Head::Cut } else { Head::Whole(whole) };
            assert_eq!(head(&file.as_bytes()[..cut]), expected, "{cut}");
        }
    }

    #[test]
    fn a_head_says_no_as_soon_as_it_can() {
        assert_eq!(head(b"# Title\n"), Head::Absent);
        assert_eq!(head(b"\n---\nname"), Head::Absent);
        assert_eq!(head(b"# Title"), Head::Cut);
        assert_eq!(head(&vec![b'x'; FRONTMATTER_MAX]), Head::Absent);
        let endless = [b"---\n".as_slice(), &vec![b'\n'; FRONTMATTER_MAX + 1]].concat();
        assert_eq!(head(&endless), Head::Absent);
        assert_eq!(head(&endless[..FRONTMATTER_MAX]), Head::Cut);
    }
}
