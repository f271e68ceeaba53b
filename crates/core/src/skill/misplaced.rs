//! Diagnoses why no agent finds a frontmatter, and offers the edits after which they do.
//!
//! An edit is offered only if the edited file, read again, has a frontmatter with a description.

use crate::report::{
    Diagnostic, DiagnosticFix, DiagnosticLabel, DiagnosticLevel, FixApplicability, FixChange, Span,
};

use super::fences::{
    ByteLine, ByteLines, FRONTMATTER_MAX, FenceFault, FrontmatterFences, byte_order_mark_len,
    fence_indent, find_closing_fence, line_ending, locate_fences,
};
use super::repair::parse_lenient;
use super::repair_strategy::parse_key;
use super::yaml;

/// Lines that are searched for a frontmatter that is not at the top. Below them it is taken for an example in the text.
const MISPLACED_LINES: usize = 20;

/// Longest description, in characters, that is generated from a paragraph.
const PARAGRAPH_MAX: usize = 200;

const TEMPLATE_HELP: &str =
    "begin the file with `---`, a `name`, a `description` and `---`, each on its own line";

/// The finding for a file in which no frontmatter is read.
pub(super) fn diagnose_fault(source: &str, fault: FenceFault<'_>) -> Diagnostic {
    match fault {
        FenceFault::NoOpening => diagnose_no_opening(source),
        FenceFault::Unclosed { open, yaml_start } => diagnose_unclosed(source, &open, yaml_start),
        FenceFault::TooLarge(fences) => diagnose_too_large(source, fences),
    }
}

fn diagnose_too_large(source: &str, fences: FrontmatterFences) -> Diagnostic {
    let message = format!(
        "the frontmatter has {} bytes; the limit is {FRONTMATTER_MAX}",
        fences.yaml.len()
    );
    Diagnostic::new("frontmatter-too-large", DiagnosticLevel::Error, message)
        .at(fences.open, source)
}

/// The finding for a file whose first line does not open a frontmatter.
fn diagnose_no_opening(source: &str) -> Diagnostic {
    let mark_len = byte_order_mark_len(source);
    if source[mark_len..].trim().is_empty() {
        return Diagnostic::new("empty-file", DiagnosticLevel::Error, "the file is empty")
            .help(TEMPLATE_HELP);
    }

    let lines: Vec<_> = ByteLines {
        source: source.as_bytes(),
        offset: mark_len,
    }
    .take(MISPLACED_LINES + 1)
    .collect();
    // It takes two lines: a `---` alone may be a horizontal rule.
    let opens = |at: usize| {
        fence_indent(lines[at].text).is_some()
            && lines.get(at + 1).is_some_and(|l| is_required_field(l.text))
    };

    if let Some(at) = (0..lines.len())
        .find(|&at| opens(at) && find_closing_fence(source, lines[at].end).is_some())
    {
        return diagnose_not_first(source, &lines[..at], &lines[at]);
    }

    // No fences at all, but a field as the first text of the file.
    let first = lines
        .iter()
        .find(|line| !is_blank(line) && !is_code_fence(line.text));
    if let Some(line) = first.filter(|line| is_required_field(line.text)) {
        return diagnose_without_fences(source, line);
    }

    Diagnostic::new(
        "frontmatter-missing",
        DiagnosticLevel::Error,
        "the file does not begin with `---`",
    )
    .at(mark_len..mark_len, source)
    .help(TEMPLATE_HELP)
}

/// The finding for a frontmatter that opens at `open`, after the lines `before`.
fn diagnose_not_first(source: &str, before: &[ByteLine], open: &ByteLine) -> Diagnostic {
    let (what, fix) = if before.iter().all(is_blank) {
        (
            "a blank line",
            Some(DiagnosticFix::edit(
                FixApplicability::Safe,
                "remove the lines before it",
                0..open.start,
                "",
            )),
        )
    } else if before.last().is_some_and(|line| is_code_fence(line.text)) {
        ("a code fence", take_out_of_code_fence(source, before, open))
    } else if before.iter().any(|line| is_code_fence(line.text)) {
        ("a code fence", None)
    } else {
        ("other text", move_to_top(source, before, open))
    };

    let found = Diagnostic::new(
        "frontmatter-not-first",
        DiagnosticLevel::Error,
        format!("the frontmatter comes after {what}"),
    )
    .at(open.span(), source)
    .help("move it to the first line of the file");
    with_checked_fix(source, found, fix)
}

/// The fix that takes the frontmatter out of the code fence that is the last line `before` it.
fn take_out_of_code_fence(
    source: &str,
    before: &[ByteLine],
    open: &ByteLine,
) -> Option<DiagnosticFix> {
    let (code, above) = before.split_last()?;
    let close = find_closing_fence(source, open.end)?;

    let mut lines = ByteLines {
        source: source.as_bytes(),
        offset: close.end,
    };
    let next = lines.next().filter(|line| is_code_fence(line.text));

    // Nothing above it: a whole `SKILL.md` that was pasted with its code fence.
    if above.iter().all(is_blank) {
        // The code fence ends after the frontmatter, or at the end of the file around the body.
        let end = next.or_else(|| {
            lines
                .filter(|line| !is_blank(line))
                .last()
                .filter(|line| is_code_fence(line.text))
        })?;
        let changes = vec![edit(0..open.start, ""), edit(end.start..end.end, "")];
        return Some(DiagnosticFix {
            applicability: FixApplicability::Safe,
            message: "take it out of the code fence".into(),
            changes,
        });
    }

    // Below other text it may well be an example.
    let changes = vec![
        edit(0..0, &lines_with_ending(source, open.start..close.end)),
        edit(code.start..next?.end, ""),
    ];

    Some(DiagnosticFix {
        applicability: FixApplicability::Unsafe,
        message: "move it to the top of the file".into(),
        changes,
    })
}

/// The fix that moves the frontmatter to the top of the file.
fn move_to_top(source: &str, before: &[ByteLine], open: &ByteLine) -> Option<DiagnosticFix> {
    let close = find_closing_fence(source, open.end)?;

    // Below headings and comments it is the frontmatter; below prose it may be an example.
    let is_heading = |line: &ByteLine| {
        is_blank(line) || line.text.starts_with(b"#") || line.text.starts_with(b"<!--")
    };
    let applicability = if before.iter().all(is_heading) {
        FixApplicability::Safe
    } else {
        FixApplicability::Unsafe
    };

    let block = open.start..close.end;
    let changes = vec![
        edit(
            0..byte_order_mark_len(source),
            &lines_with_ending(source, block.clone()),
        ),
        edit(block, ""),
    ];

    Some(DiagnosticFix {
        applicability,
        message: "move it to the top of the file".into(),
        changes,
    })
}

/// The finding for fields without fences that begin with the line `first`.
fn diagnose_without_fences(source: &str, first: &ByteLine) -> Diagnostic {
    let end = fields_end(source, first.start);
    let eol = line_ending(source);
    let next = ByteLines {
        source: source.as_bytes(),
        offset: end,
    }
    .next();
    // The next line may be a closing `---`, or the end of a code fence, which it replaces.
    let closed = next
        .as_ref()
        .is_some_and(|line| fence_indent(line.text).is_some());
    let code = next
        .filter(|line| is_code_fence(line.text))
        .map_or(end..end, |line| line.start..line.end);

    let mut changes = vec![edit(0..first.start, &format!("---{eol}"))];
    if !closed {
        let start = if source[..end].ends_with('\n') {
            ""
        } else {
            eol
        };
        changes.push(edit(code, &format!("{start}---{eol}")));
    }

    let found = Diagnostic::new(
        "frontmatter-not-first",
        DiagnosticLevel::Error,
        "the frontmatter has no `---` before it",
    )
    .at(first.span(), source)
    .help("put a line `---` before its first field and after its last");
    let message = "put `---` around its fields".into();

    with_checked_fix(
        source,
        found,
        Some(DiagnosticFix {
            applicability: FixApplicability::Safe,
            message,
            changes,
        }),
    )
}

/// The finding for a frontmatter that opens at `open` and has no closing fence.
fn diagnose_unclosed(source: &str, open: &ByteLine, start: usize) -> Diagnostic {
    let found = Diagnostic::new(
        "frontmatter-unclosed",
        DiagnosticLevel::Error,
        "the frontmatter has no closing `---`",
    )
    .at(open.span(), source)
    .help("add a line `---` after its last field");

    // `...` ends a document of YAML, but no frontmatter.
    let dots = ByteLines {
        source: source.as_bytes(),
        offset: start,
    }
    .find(|line| line.text.trim_ascii_end() == b"...");

    if let Some(dots) = dots {
        let fix = DiagnosticFix::edit(
            FixApplicability::Unsafe,
            "write `---` instead of `...`",
            dots.span(),
            "---",
        );
        let mut found = with_checked_fix(source, found, Some(fix));
        found.labels.push(DiagnosticLabel {
            span: dots.span(),
            text: "`...` does not close it".into(),
        });
        return found;
    }

    let (end, eol) = (fields_end(source, start), line_ending(source));
    let before = if source[..end].ends_with('\n') {
        ""
    } else {
        eol
    };
    let content = format!("{before}---{eol}");

    with_checked_fix(
        source,
        found,
        Some(DiagnosticFix::edit(
            FixApplicability::Unsafe,
            "close it after its last field",
            end..end,
            content,
        )),
    )
}

/// The fix that adds a frontmatter to a file without one: the directory's name and the first paragraph.
pub(super) fn generate_frontmatter(source: &str, directory: &str) -> Option<DiagnosticFix> {
    let name = name_from_directory(directory)?;
    let description = first_paragraph(&source[byte_order_mark_len(source)..])?;
    let eol = line_ending(source);

    let text = format!(
        "---{eol}name: {name}{eol}description: {}{eol}---{eol}{eol}",
        yaml::quote(&description)
    );

    let message = "begin with the directory's name and the first paragraph";
    Some(DiagnosticFix::edit(
        FixApplicability::Unsafe,
        message,
        0..byte_order_mark_len(source),
        text,
    ))
}

/// A directory's name as a skill name; `None` if it cannot be one.
fn name_from_directory(directory: &str) -> Option<String> {
    let words = directory
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    slug.parse::<crate::package::SkillName>()
        .is_ok()
        .then_some(slug)
}

/// The first paragraph of prose, on one line; the first heading if there is none.
fn first_paragraph(text: &str) -> Option<String> {
    // Blank lines of either kind of line ending separate paragraphs.
    let mut paragraphs = text.split("\n\n").flat_map(|part| part.split("\r\n\r\n"));
    let heading = || text.lines().find_map(|line| line.strip_prefix("# "));

    let words = paragraphs
        .find_map(read_prose)
        .or_else(|| heading().map(|line| line.trim().to_owned()))?;

    // Markup for emphasis and code would be shown literally.
    let words: String = words
        .chars()
        .filter(|c| !c.is_control() && *c != '`' && *c != '*')
        .collect();

    let cut = cut_at_word(&words, PARAGRAPH_MAX).trim().to_owned();
    (!cut.is_empty()).then_some(cut)
}

/// A paragraph on one line, without headings above it; `None` if it is a list, a table or code.
fn read_prose(part: &str) -> Option<String> {
    let lines = part
        .trim()
        .lines()
        .skip_while(|line| line.starts_with('#') || line.trim().is_empty());
    let prose = lines.map(str::trim).collect::<Vec<_>>().join(" ");

    let begins_like_prose = |c: char| c.is_alphanumeric() || matches!(c, '*' | '_' | '`' | '"');
    prose.starts_with(begins_like_prose).then_some(prose)
}

/// The text, or its whole words within `max` characters.
fn cut_at_word(text: &str, max: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(max) else {
        return text;
    };
    // A single word that is longer is cut itself.
    text[..end]
        .rsplit_once(' ')
        .map_or(&text[..end], |(whole, _)| whole)
}

/// The end of the fields that begin at `start`: before the first line that is neither a field nor part of one.
fn fields_end(source: &str, start: usize) -> usize {
    let (mut end, mut blank) = (start, false);
    for line in (ByteLines {
        source: source.as_bytes(),
        offset: start,
    }) {
        let text = &source[line.span()];
        // After a blank line only a key in lower case goes on: `Note: …` is prose.
        let field = parse_key(text).is_some_and(|(key, _)| !blank || is_lowercase_key(&text[key]));
        let within = text.starts_with([' ', '\t']) || text.starts_with("- ");

        match () {
            () if is_blank(&line) => blank = true,
            () if field || (within && !blank) => (end, blank) = (line.end, false),
            () => break,
        }
    }

    end
}

fn is_lowercase_key(key: &str) -> bool {
    key.bytes()
        .all(|b| b.is_ascii_lowercase() || b == b'-' || b == b'_')
}

/// The finding with the fix, if the fixed file has a frontmatter with a description.
fn with_checked_fix(source: &str, found: Diagnostic, fix: Option<DiagnosticFix>) -> Diagnostic {
    // An edit that does not help is worse than none, so its result is read.
    match fix.filter(|fix| has_description(&fix.apply(source))) {
        Some(fix) => found.fix(fix),
        None => found,
    }
}

fn has_description(source: &str) -> bool {
    let Ok(fences) = locate_fences(source) else {
        return false;
    };
    let root = parse_lenient(source, fences.yaml).root;
    root.is_some_and(|root| root.get("description").is_some())
}

fn edit(span: Span, content: &str) -> FixChange {
    FixChange::Edit {
        span,
        content: content.to_owned(),
    }
}

/// Lines of the file, with a line end added to the last if it has none.
fn lines_with_ending(source: &str, span: Span) -> String {
    let text = &source[span];
    if text.ends_with('\n') {
        text.to_owned()
    } else {
        format!("{text}{}", line_ending(source))
    }
}

fn is_blank(line: &ByteLine) -> bool {
    line.text.trim_ascii().is_empty()
}

fn is_code_fence(line: &[u8]) -> bool {
    line.starts_with(b"```") || line.starts_with(b"~~~")
}

/// Whether a line looks like one of the two fields that every skill has.
fn is_required_field(line: &[u8]) -> bool {
    [b"name:".as_slice(), b"description:"]
        .iter()
        .any(|field| line.starts_with(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule and the position of the finding.
    fn refused(source: &str) -> (String, Option<(usize, usize)>) {
        let reason = diagnose_fault(source, locate_fences(source).unwrap_err());
        assert_eq!(reason.level, DiagnosticLevel::Error);
        (reason.rule, reason.position)
    }

    #[test]
    fn a_frontmatter_that_no_agent_finds_is_refused_with_its_reason() {
        for (source, rule, position) in [
            ("", "empty-file", None),
            (" \r\n\n", "empty-file", None),
            ("# Title\n\ntext\n", "frontmatter-missing", Some((1, 1))),
            ("----\nname: x\n----\n", "frontmatter-missing", Some((1, 1))),
            ("--- name: x\n---\n", "frontmatter-missing", Some((1, 1))),
            (
                "\n---\nname: x\n---\n",
                "frontmatter-not-first",
                Some((2, 1)),
            ),
            (
                "# Title\n---\ndescription: x\n---\n",
                "frontmatter-not-first",
                Some((2, 1)),
            ),
            (
                "```yaml\n---\nname: x\n---\n```\n",
                "frontmatter-not-first",
                Some((2, 1)),
            ),
            (
                "name: x\ndescription: y\n\n# Title\n",
                "frontmatter-not-first",
                Some((1, 1)),
            ),
            (
                "---\nname: x\ndescription: y\n",
                "frontmatter-unclosed",
                Some((1, 1)),
            ),
            (
                "---\nname: x\n...\nbody\n",
                "frontmatter-unclosed",
                Some((1, 1)),
            ),
        ] {
            assert_eq!(refused(source), (rule.into(), position), "{source:?}");
        }
        let large = format!("---\nname: {}\n---\n", "x".repeat(FRONTMATTER_MAX));
        assert_eq!(
            refused(&large),
            ("frontmatter-too-large".into(), Some((1, 1)))
        );
    }
}
