//! How a frontmatter is written, and how a part of it is written anew so that it reads the same.

use crate::lint::Page;
use crate::report::{Fix, Span};
use crate::skill::Frontmatter;
use crate::skill::yaml::{self, Kind, Node, Style, Typed};

/// What a nested mapping is indented by where the file shows no habit of its own.
const STEP: usize = 2;

/// The frontmatter, if it is YAML: where it had to be mended, that comes first.
pub(super) fn sound<'p, 'a>(page: &'p Page<'a>) -> Option<&'p Frontmatter<'a>> {
    page.frontmatter.as_ref().filter(|frontmatter| frontmatter.mends.is_empty())
}

/// The fix, if after it the frontmatter is YAML of the same values.
pub(super) fn same_values(page: &Page, fix: Fix) -> Option<Fix> {
    let before = sound(page)?.root.to_json();
    let fixed = fix.apply(page.source);
    let after = Frontmatter::open(&fixed, &mut Vec::new())?;
    (after.mends.is_empty() && after.root.to_json() == before).then_some(fix)
}

/// How many bytes stand before `at` on its line.
pub(super) fn column(source: &str, at: usize) -> usize {
    at - source[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// What this file indents nested mappings by.
pub(super) fn step(source: &str, root: &Node) -> usize {
    let nested = root.entries().unwrap_or_default().iter().find_map(|(key, value)| {
        let (first, _) = value.entries()?.first()?;
        let is_block = matches!(value.kind, Kind::Mapping(_, yaml::Layout::Block));
        column(source, first.span.start).checked_sub(column(source, key.span.start)).filter(|_| is_block)
    });
    nested.filter(|step| (1..=8).contains(step)).unwrap_or(STEP)
}

/// Where the colon of an entry ends, and whether nothing but blanks stands between it and the value.
pub(super) fn after_colon(source: &str, key: &Node, value: &Node) -> Option<(usize, bool)> {
    let between = source.get(key.span.end..value.span.start.max(key.span.end))?;
    let colon = between.trim_start_matches([' ', '\t']);
    let colon = colon.starts_with(':').then(|| key.span.end + (between.len() - colon.len()) + 1)?;
    Some((colon, source[colon..value.span.start.max(colon)].trim().is_empty()))
}

/// The lines of an entry, if it stands in a block and nothing else is on them.
pub(super) fn lines_of(source: &str, key: &Node, value: &Node) -> Option<Span> {
    let start = key.span.start - column(source, key.span.start);
    let last = value.span.end.max(after_colon(source, key, value)?.0);
    let end = source[last..].find('\n').map_or(source.len(), |at| last + at + 1);
    let alone = source[start..key.span.start].bytes().all(|b| b == b' ') && source[last..end].trim().is_empty();
    alone.then_some(start..end)
}

/// `text` as a scalar on one line of a block: without quotes if every reader sees a text then.
pub(super) fn scalar(text: &str) -> String {
    let document = yaml::parse_text(text).ok().and_then(|document| document.root);
    let reads_back = document.is_some_and(|root| root.typed() == Some(Typed::Text(text)));
    if reads_back && !text.contains(": ") && ambiguous(text).is_none() { text.to_owned() } else { yaml::quote(text) }
}

/// What some reader makes of a plain scalar that others read as a text; `None` if all agree that it is text.
pub(super) fn ambiguous(text: &str) -> Option<&'static str> {
    let first = *text.as_bytes().first()?;
    match yaml::core_type(text) {
        Typed::Null => return Some("nothing"),
        Typed::Bool(_) => return Some("a truth value"),
        Typed::Int(_) | Typed::Float(_) => return Some("a number"),
        Typed::Text(_) => {}
    }
    if text.len() <= 3 {
        const WORDS: [&str; 7] = ["y", "n", "yes", "no", "on", "off", "non"];
        let cased = [text.to_ascii_lowercase(), text.to_ascii_uppercase()].contains(&text.to_owned())
            || (text[..1].to_ascii_uppercase() + &text[1..].to_ascii_lowercase()) == text;
        if cased && WORDS[..6].contains(&text.to_ascii_lowercase().as_str()) {
            return Some("a truth value");
        }
    }
    if !(first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.')) {
        return None;
    }
    if is_date(text) {
        return Some("a date");
    }
    let digits = |c: char| c.is_ascii_digit() || c == '_';
    let unsigned = text.trim_start_matches(['-', '+']);
    let sexagesimal = unsigned.contains(':')
        && unsigned
            .split(':')
            .all(|part| !part.is_empty() && part.len() <= 2 && part.chars().all(|c| c.is_ascii_digit()));
    let grouped = unsigned.contains('_')
        && unsigned.starts_with(|c: char| c.is_ascii_digit())
        && unsigned.chars().all(|c| digits(c) || c == '.');
    let binary = unsigned
        .strip_prefix("0b")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b == b'0' || b == b'1'));
    (sexagesimal || grouped || binary).then_some("a number")
}

/// Whether a text begins as `2026-01-25` does and has nothing after that but a time.
fn is_date(text: &str) -> bool {
    let (date, time) = text.split_at_checked(10).unwrap_or((text, ""));
    let mut parts = date.trim_end_matches([' ', 'T', 't']).split('-');
    let mut part = |length: std::ops::RangeInclusive<usize>| {
        parts.next().is_some_and(|part| length.contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()))
    };
    let day = part(4..=4) && part(1..=2) && part(1..=2) && parts.next().is_none();
    day && (time.is_empty() || (time.starts_with(['T', 't', ' ']) && time.contains(':')))
}

/// Writes collections in block style, each scalar as it is written.
pub(super) struct Blocks<'a> {
    /// What the nodes' places are places of.
    pub(super) source: &'a str,
    pub(super) line_end: &'static str,
    /// What is nested is indented by so much.
    pub(super) step: usize,
}

impl Blocks<'_> {
    /// The lines of a collection that is not empty, all but the first indented by `indent`. `None` for what has tags,
    /// aliases or keys of many lines.
    pub(super) fn lines(&self, node: &Node, indent: usize) -> Option<String> {
        if node.tag.is_some() {
            return None;
        }
        let line = match &node.kind {
            Kind::Scalar(..) => return None,
            Kind::Sequence(items, _) => items.iter().map(|item| self.item(item, indent)).collect::<Option<Vec<_>>>()?,
            Kind::Mapping(entries, _) => {
                entries.iter().map(|(key, value)| self.entry(key, value, indent)).collect::<Option<Vec<_>>>()?
            }
        };
        Some(line.join(&format!("{}{}", self.line_end, " ".repeat(indent))))
    }

    fn item(&self, item: &Node, indent: usize) -> Option<String> {
        let text = if is_filled(item) { self.lines(item, indent + 2)? } else { self.scalar(item)? };
        Some(format!("- {text}"))
    }

    fn entry(&self, key: &Node, value: &Node, indent: usize) -> Option<String> {
        let key = Some(self.scalar(key)?).filter(|key| !key.is_empty())?;
        if is_filled(value) {
            let (break_, below) = (self.line_end, indent + self.step);
            return Some(format!("{key}:{break_}{}{}", " ".repeat(below), self.lines(value, below)?));
        }
        let text = self.scalar(value)?;
        Some(if text.is_empty() { format!("{key}:") } else { format!("{key}: {text}") })
    }

    /// A scalar as it is written, on one line, or an empty collection.
    fn scalar(&self, node: &Node) -> Option<String> {
        let written = self.source.get(node.span.clone())?;
        match &node.kind {
            _ if node.tag.is_some() || written.starts_with('*') => None,
            Kind::Sequence(..) => Some("[]".into()),
            Kind::Mapping(..) => Some("{}".into()),
            Kind::Scalar(_, Style::Plain | Style::SingleQuoted | Style::DoubleQuoted) if !written.contains('\n') => {
                Some(written.to_owned())
            }
            Kind::Scalar(text, _) => Some(yaml::quote(text)),
        }
    }
}

/// Whether it is a collection with something in it.
pub(super) fn is_filled(node: &Node) -> bool {
    node.items().is_some_and(|items| !items.is_empty()) || node.entries().is_some_and(|entries| !entries.is_empty())
}

/// All that stands in a tree, a key before its value, in the order of the file. What an alias stands for is passed over.
pub(super) fn walk<'n, 'a>(source: &str, node: &'n Node<'a>, look: &mut impl FnMut(&'n Node<'a>)) {
    look(node);
    if source.get(node.span.clone()).is_some_and(|text| text.starts_with('*')) {
        return;
    }
    match &node.kind {
        Kind::Scalar(..) => {}
        Kind::Sequence(items, _) => items.iter().for_each(|item| walk(source, item, look)),
        Kind::Mapping(entries, _) => entries.iter().for_each(|(key, value)| {
            walk(source, key, look);
            walk(source, value, look);
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readers_disagree_on_is_known() {
        for (text, sort) in [
            ("yes", "a truth value"),
            ("No", "a truth value"),
            ("OFF", "a truth value"),
            ("y", "a truth value"),
            ("true", "a truth value"),
            ("~", "nothing"),
            ("null", "nothing"),
            ("1.0", "a number"),
            ("1e3", "a number"),
            ("0x1f", "a number"),
            ("1_000", "a number"),
            ("0b11", "a number"),
            ("12:30", "a number"),
            ("2026-01-25", "a date"),
            ("2026-1-5", "a date"),
            ("2026-01-25T10:00:00Z", "a date"),
            ("2026-01-25 10:00:00", "a date"),
        ] {
            assert_eq!(ambiguous(text), Some(sort), "{text}");
        }
        for text in
            ["1.0.0", "yeS", "nope", "MIT", "2026-01", "2026-01-25 was a day", "-", "v1", "12:30 sharp", "", "é"]
        {
            assert_eq!(ambiguous(text), None, "{text}");
        }
    }

    #[test]
    fn a_scalar_is_quoted_only_where_it_must_be() {
        for (text, written) in [
            ("plain text", "plain text"),
            ("Bash(git:*)", "Bash(git:*)"),
            ("a: b", "\"a: b\""),
            ("yes", "\"yes\""),
            ("1.0", "\"1.0\""),
            ("a # b", "\"a # b\""),
            ("[a]", "\"[a]\""),
            ("", "\"\""),
            (" a", "\" a\""),
        ] {
            assert_eq!(scalar(text), written);
        }
    }
}
