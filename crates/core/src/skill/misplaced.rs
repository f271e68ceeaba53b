//! Why no agent finds a frontmatter, and the edits after which they would.
//!
//! An edit is offered only if the file that it makes was read, and has a frontmatter with a description.

use crate::report::{Applicability, Change, Diagnostic, Fix, Label, Level, Span};

use super::Frontmatter;
use super::fences::{BYTE_ORDER_MARK, Line, Lines, closing, fence, line_end};
use super::remedy::key_line;
use super::yaml;

/// How many lines are looked at for a frontmatter that stands too late. What follows is taken for an example in the
/// text.
const MISPLACED_LINES: usize = 20;

/// Longest description, in characters, that is made of a paragraph.
const PARAGRAPH_MAX: usize = 200;

const TEMPLATE_HELP: &str = "begin the file with `---`, a `name`, a `description` and `---`, each on its own line";

/// Why the first line opens no frontmatter.
pub(super) fn no_opening(source: &str) -> Diagnostic {
    let mark = mark(source);
    if source[mark..].trim().is_empty() {
        return Diagnostic::new("empty-file", Level::Error, "the file is empty").help(TEMPLATE_HELP);
    }
    let lines: Vec<_> = Lines { source: source.as_bytes(), at: mark }.take(MISPLACED_LINES + 1).collect();
    let opens = |at: usize| fence(lines[at].text).is_some() && lines.get(at + 1).is_some_and(|l| is_field(l.text));
    if let Some(at) = (0..lines.len()).find(|&at| opens(at) && closing(source, lines[at].end).is_some()) {
        return too_late(source, &lines[..at], &lines[at]);
    }
    let first = lines.iter().find(|line| !is_blank(line) && !is_code_fence(line.text));
    if let Some(line) = first.filter(|line| is_field(line.text)) {
        return without_fences(source, line);
    }
    Diagnostic::new("frontmatter-missing", Level::Error, "the file does not begin with `---`")
        .at(mark..mark, source)
        .help(TEMPLATE_HELP)
}

/// The frontmatter whose fence is `open` stands after the lines `before`.
fn too_late(source: &str, before: &[Line], open: &Line) -> Diagnostic {
    let (what, fix) = if before.iter().all(is_blank) {
        ("a blank line", Some(Fix::edit(Applicability::Safe, "remove what stands before it", 0..open.start, "")))
    } else if before.last().is_some_and(|line| is_code_fence(line.text)) {
        ("a code fence", unwrap(source, before, open))
    } else if before.iter().any(|line| is_code_fence(line.text)) {
        ("a code fence", None)
    } else {
        ("other text", to_the_top(source, before, open))
    };
    let found = Diagnostic::new("frontmatter-not-first", Level::Error, format!("the frontmatter stands after {what}"))
        .at(open.span(), source)
        .help("move it to the first line of the file");
    offered(source, found, fix)
}

/// Takes the frontmatter out of the code fence that is the last line `before` it.
fn unwrap(source: &str, before: &[Line], open: &Line) -> Option<Fix> {
    let (code, above) = before.split_last()?;
    let close = closing(source, open.end)?;
    let mut lines = Lines { source: source.as_bytes(), at: close.end };
    let next = lines.next().filter(|line| is_code_fence(line.text));
    if above.iter().all(is_blank) {
        let end =
            next.or_else(|| lines.filter(|line| !is_blank(line)).last().filter(|line| is_code_fence(line.text)))?;
        let changes = vec![change(0..open.start, ""), change(end.start..end.end, "")];
        return Some(Fix {
            applicability: Applicability::Safe,
            message: "take it out of the code fence".into(),
            changes,
        });
    }
    // Below other text it may well be an example.
    let changes = vec![change(0..0, &whole_lines(source, open.start..close.end)), change(code.start..next?.end, "")];
    Some(Fix { applicability: Applicability::Unsafe, message: "move it to the top of the file".into(), changes })
}

fn to_the_top(source: &str, before: &[Line], open: &Line) -> Option<Fix> {
    let close = closing(source, open.end)?;
    let heads = |line: &Line| is_blank(line) || line.text.starts_with(b"#") || line.text.starts_with(b"<!--");
    let applicability = if before.iter().all(heads) { Applicability::Safe } else { Applicability::Unsafe };
    let block = open.start..close.end;
    let changes = vec![change(0..mark(source), &whole_lines(source, block.clone())), change(block, "")];
    Some(Fix { applicability, message: "move it to the top of the file".into(), changes })
}

/// The fields that begin with the line `first` have no fence.
fn without_fences(source: &str, first: &Line) -> Diagnostic {
    let end = end_of_fields(source, first.start);
    let eol = line_end(source);
    let next = Lines { source: source.as_bytes(), at: end }.next();
    let closed = next.as_ref().is_some_and(|line| fence(line.text).is_some());
    let code = next.filter(|line| is_code_fence(line.text)).map_or(end..end, |line| line.start..line.end);
    let mut changes = vec![change(0..first.start, &format!("---{eol}"))];
    if !closed {
        let start = if source[..end].ends_with('\n') { "" } else { eol };
        changes.push(change(code, &format!("{start}---{eol}")));
    }
    let found = Diagnostic::new("frontmatter-not-first", Level::Error, "the frontmatter has no `---` before it")
        .at(first.span(), source)
        .help("put a line `---` before its first field and after its last");
    let message = "put `---` around its fields".into();
    offered(source, found, Some(Fix { applicability: Applicability::Safe, message, changes }))
}

/// The frontmatter that `open` begins has no closing fence.
pub(super) fn unclosed(source: &str, open: &Line, start: usize) -> Diagnostic {
    let found = Diagnostic::new("frontmatter-unclosed", Level::Error, "the frontmatter has no closing `---`")
        .at(open.span(), source)
        .help("add a line `---` after its last field");
    let dots = Lines { source: source.as_bytes(), at: start }.find(|line| line.text.trim_ascii_end() == b"...");
    if let Some(dots) = dots {
        let fix = Fix::edit(Applicability::Unsafe, "write `---` instead of `...`", dots.span(), "---");
        let mut found = offered(source, found, Some(fix));
        found.labels.push(Label { span: dots.span(), text: "`...` does not close it".into() });
        return found;
    }
    let (end, eol) = (end_of_fields(source, start), line_end(source));
    let before = if source[..end].ends_with('\n') { "" } else { eol };
    let content = format!("{before}---{eol}");
    offered(source, found, Some(Fix::edit(Applicability::Unsafe, "close it after its last field", end..end, content)))
}

/// The frontmatter that a file without any could begin with: the name of its directory and its first paragraph.
pub(super) fn made_up(source: &str, directory: &str) -> Option<Fix> {
    let name = slug(directory)?;
    let description = first_words(&source[mark(source)..])?;
    let eol = line_end(source);
    let text = format!("---{eol}name: {name}{eol}description: {}{eol}---{eol}{eol}", yaml::quote(&description));
    let message = "begin with the directory's name and the first paragraph";
    Some(Fix::edit(Applicability::Unsafe, message, 0..mark(source), text))
}

/// A directory's name as that of a skill.
fn slug(directory: &str) -> Option<String> {
    let words = directory.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    slug.parse::<crate::package::SkillName>().is_ok().then_some(slug)
}

/// The first paragraph that is no heading, on one line; the first heading if there is none.
fn first_words(text: &str) -> Option<String> {
    let mut paragraphs = text.split("\n\n").flat_map(|part| part.split("\r\n\r\n")).map(str::trim);
    let is_prose = |part: &&str| part.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '*' | '_' | '`' | '"'));
    let heading = || text.lines().find_map(|line| line.strip_prefix("# "));
    let prose = paragraphs.find_map(|part| {
        let lines = part.lines().skip_while(|line| line.starts_with('#') || line.trim().is_empty());
        let prose = lines.map(str::trim).collect::<Vec<_>>().join(" ");
        Some(prose).filter(|prose| is_prose(&prose.as_str()))
    });
    let words = prose.or_else(|| heading().map(|line| line.trim().to_owned()))?;
    let words: String = words.chars().filter(|c| !c.is_control() && *c != '`' && *c != '*').collect();
    let cut = match words.char_indices().nth(PARAGRAPH_MAX) {
        Some((end, _)) => words[..end].rsplit_once(' ').map_or(&words[..end], |(whole, _)| whole),
        None => &words,
    };
    Some(cut.trim().to_owned()).filter(|words| !words.is_empty())
}

/// Where the fields that begin at `start` end: before the first line that is neither a field nor part of one.
fn end_of_fields(source: &str, start: usize) -> usize {
    let (mut end, mut blank) = (start, false);
    for line in (Lines { source: source.as_bytes(), at: start }) {
        let text = &source[line.span()];
        let field = key_line(text).is_some_and(|(key, _)| !blank || is_lower(&text[key]));
        let within = text.starts_with([' ', '\t']) || text.starts_with("- ");
        match () {
            () if is_blank(&line) => blank = true,
            () if field || (within && !blank) => (end, blank) = (line.end, false),
            () => break,
        }
    }
    end
}

fn is_lower(key: &str) -> bool {
    key.bytes().all(|b| b.is_ascii_lowercase() || b == b'-' || b == b'_')
}

/// The finding with the fix, if the file that it makes has a frontmatter with a description.
fn offered(source: &str, found: Diagnostic, fix: Option<Fix>) -> Diagnostic {
    let holds = |fix: &Fix| {
        let fixed = fix.apply(source);
        let frontmatter = Frontmatter::open(&fixed, &mut Vec::new());
        frontmatter.is_some_and(|frontmatter| frontmatter.root.get("description").is_some())
    };
    match fix.filter(holds) {
        Some(fix) => found.fix(fix),
        None => found,
    }
}

fn change(span: Span, content: &str) -> Change {
    Change::Edit { span, content: content.to_owned() }
}

/// Lines of the file, the last of them with a line end.
fn whole_lines(source: &str, span: Span) -> String {
    let text = &source[span];
    if text.ends_with('\n') { text.to_owned() } else { format!("{text}{}", line_end(source)) }
}

fn mark(source: &str) -> usize {
    if source.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 }
}

fn is_blank(line: &Line) -> bool {
    line.text.trim_ascii().is_empty()
}

fn is_code_fence(line: &[u8]) -> bool {
    line.starts_with(b"```") || line.starts_with(b"~~~")
}

/// Whether a line looks like one of the two fields that every skill has.
fn is_field(line: &[u8]) -> bool {
    [b"name:".as_slice(), b"description:"].iter().any(|field| line.starts_with(field))
}
