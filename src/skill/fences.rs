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

use crate::report::{Diagnostic, Label, Level, Span};

/// Longest frontmatter that is read, in bytes between the fences. The longest seen in 2,958 skills has 1.9 kB.
pub const FRONTMATTER_MAX: usize = 64 * 1024;

/// How many lines are looked at for a frontmatter that stands too late. What follows is taken for an example in the
/// text.
const MISPLACED_LINES: usize = 20;

const BYTE_ORDER_MARK: &str = "\u{feff}";

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
        diagnostics.push(no_opening(source));
        return None;
    };
    let yaml_start = lines.at;
    let Some(close) = closing(source, yaml_start) else {
        diagnostics.push(unclosed(source, &open, yaml_start));
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

const TEMPLATE_HELP: &str = "begin the file with `---`, a `name`, a `description` and `---`, each on its own line";

/// What some agents stumble over though others do not.
fn odd(source: &str, mark: usize, fences: &Fences) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if mark > 0 {
        let message = "a byte order mark before `---` hides the frontmatter from Codex, Gemini CLI and `npx skills`";
        found.push(
            Diagnostic::new("byte-order-mark", Level::Error, message)
                .at(0..mark, source)
                .help("remove the first three bytes of the file"),
        );
    }
    for line in [&fences.open, &fences.close] {
        let text = &source[line.clone()];
        if text.len() > 3 {
            let message = "blanks beside `---` hide the frontmatter from Gemini CLI and `npx skills`";
            let start = line.start + if text.starts_with('-') { 3 } else { 0 };
            let end =
                if text.starts_with('-') { line.end } else { line.start + (text.len() - text.trim_start().len()) };
            found.push(
                Diagnostic::new("delimiter-whitespace", Level::Warning, message)
                    .at(start..end, source)
                    .help("leave nothing but `---` on the line"),
            );
        }
    }
    if let Some(at) = source[fences.yaml.clone()].find("---") {
        let at = fences.yaml.start + at;
        let message = "`---` within the frontmatter ends it for the reference validator, which then reads half of it";
        found.push(
            Diagnostic::new("dashes-inside-frontmatter", Level::Warning, message)
                .at(at..at + 3, source)
                .help("write a dash of another length there"),
        );
    }
    found
}

/// The first line that is `---` at its very beginning; failing that, an indented one.
fn closing(source: &str, start: usize) -> Option<Line<'_>> {
    let lines = || Lines { source: source.as_bytes(), at: start };
    lines().find(|line| fence(line.text) == Some(0)).or_else(|| lines().find(|line| fence(line.text).is_some()))
}

fn unclosed(source: &str, open: &Line, start: usize) -> Diagnostic {
    let mut diagnostic = Diagnostic::new("frontmatter-unclosed", Level::Error, "the frontmatter has no closing `---`")
        .at(open.span(), source)
        .help("add a line `---` after its last field");
    let dots = Lines { source: source.as_bytes(), at: start }.find(|line| line.text.trim_ascii_end() == b"...");
    if let Some(dots) = dots {
        diagnostic.labels.push(Label { span: dots.span(), text: "`...` does not close it".into() });
    }
    diagnostic
}

/// Why the first line opens no frontmatter.
fn no_opening(source: &str) -> Diagnostic {
    if source.trim_start_matches(BYTE_ORDER_MARK).trim().is_empty() {
        return Diagnostic::new("empty-file", Level::Error, "the file is empty").help(TEMPLATE_HELP);
    }
    let lines: Vec<_> = Lines { source: source.as_bytes(), at: 0 }.take(MISPLACED_LINES + 1).collect();
    let opens = |at: usize| fence(lines[at].text).is_some() && lines.get(at + 1).is_some_and(|l| is_field(l.text));
    if let Some(at) = (0..lines.len()).find(|&at| opens(at) && closing(source, lines[at].end).is_some()) {
        let before = &lines[..at];
        let what = if before.iter().all(|line| line.text.trim_ascii().is_empty()) {
            "a blank line"
        } else if before.iter().any(|line| line.text.starts_with(b"```")) {
            "a code fence"
        } else {
            "other text"
        };
        return Diagnostic::new("frontmatter-not-first", Level::Error, format!("the frontmatter stands after {what}"))
            .at(lines[at].span(), source)
            .help("move it to the first line of the file");
    }
    let first = lines.iter().find(|line| !line.text.trim_ascii().is_empty() && !line.text.starts_with(b"```"));
    if let Some(line) = first.filter(|line| is_field(line.text)) {
        return Diagnostic::new("frontmatter-not-first", Level::Error, "the frontmatter has no `---` before it")
            .at(line.span(), source)
            .help("put a line `---` before its first field and after its last");
    }
    let start = if source.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    Diagnostic::new("frontmatter-missing", Level::Error, "the file does not begin with `---`")
        .at(start..start, source)
        .help(TEMPLATE_HELP)
}

/// Whether a line looks like one of the two fields that every skill has.
fn is_field(line: &[u8]) -> bool {
    [b"name:".as_slice(), b"description:"].iter().any(|field| line.starts_with(field))
}

/// How many blanks stand before the dashes, if the line is a fence.
fn fence(line: &[u8]) -> Option<usize> {
    let blanks = line.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let rest = line[blanks..].strip_prefix(b"---")?;
    rest.iter().all(|b| matches!(b, b' ' | b'\t')).then_some(blanks)
}

/// A line of a file.
struct Line<'a> {
    /// Its bytes without the line end.
    text: &'a [u8],
    start: usize,
    /// After the line end.
    end: usize,
    /// Whether it has a line end.
    ended: bool,
}

impl Line<'_> {
    fn span(&self) -> Span {
        self.start..self.start + self.text.len()
    }
}

/// Lines that end in `\n` or `\r\n`, from `at` on.
struct Lines<'a> {
    source: &'a [u8],
    at: usize,
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
