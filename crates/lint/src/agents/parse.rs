//! What the loaders have in common: cutting out the frontmatter, and YAML as JavaScript programs see it.

use std::fmt::Write as _;

use crate::skill::yaml::{self, Budget, Document, Fault, FaultKind, Kind, Node, Typed};

/// The text between `---` and the next line that begins with `---`, as the pattern `^---\r?\n(…)\r?\n---` finds it.
pub(super) fn by_pattern(source: &str) -> Option<&str> {
    let start = fence_line(source)?;
    let rest = &source[start..];
    let end = memchr::memmem::find_iter(rest.as_bytes(), b"\n---").next()?;
    Some(rest[..end].strip_suffix('\r').unwrap_or(&rest[..end]))
}

/// Where the line after a first line that is nothing but `---` begins.
pub(super) fn fence_line(source: &str) -> Option<usize> {
    let rest = source.strip_prefix("---")?;
    let rest = rest.strip_prefix('\r').unwrap_or(rest).strip_prefix('\n')?;
    Some(source.len() - rest.len())
}

/// A YAML parser with the habits of one of the libraries that agents use.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is a habit of its own")]
pub(super) struct Dialect {
    /// Whether a key that occurs twice is an error.
    pub unique_keys: Keys,
    /// Whether control characters may occur.
    pub controls: bool,
    /// What becomes of the escapes of surrogate pairs.
    pub surrogates: Surrogates,
    /// Whether lines may be indented by tabs.
    pub tabs: bool,
    /// Whether tags other than those of YAML itself may occur, and those of YAML on values that do not fit them.
    pub any_tag: bool,
    /// Whether a mapping may have a key that is left out.
    pub null_keys: bool,
    /// Whether lines of a quoted text or of a collection in brackets may stand at the margin.
    pub margin: Margin,
}

/// Whether a key that occurs twice is an error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    /// It is none.
    AnyTimes,
    /// It is one, and `1` and `"1"` are the same.
    OnceByText,
    /// It is one, and `1` and `"1"` differ.
    OnceByType,
}

/// What becomes of the escapes of surrogate pairs: `"\uD83D\uDE80"`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Surrogates {
    /// They are an error.
    Refused,
    /// Two are a character, and one alone is an error.
    Pairs,
    /// One alone is taken, too.
    Any,
}

/// Which lines may stand at the margin though they belong to the field above.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Margin {
    /// None.
    Nothing,
    /// Those between brackets.
    Brackets,
    /// Those between brackets, and those between quotes.
    Both,
}

impl Dialect {
    /// Parses the text; gives `each` its document.
    pub(super) fn parse<T>(self, text: &str, each: impl FnOnce(&Document<'_>, &str) -> T) -> Result<T, Fault> {
        let fault = |kind, message: &str| Fault { kind, message: message.to_owned(), at: 0 };
        if self.surrogates != Surrogates::Any && has_surrogate(text, self.surrogates) {
            return Err(fault(FaultKind::Surrogate, "half of a surrogate pair"));
        }
        let mut adapted = if self.margin == Margin::Both { quotes_indented(text) } else { text.to_owned() };
        if self.controls {
            adapted = adapted.chars().map(|c| if is_refused(c) { stand_in(c) } else { c }).collect();
        }
        if self.surrogates == Surrogates::Any {
            adapted = without_surrogates(&adapted);
        }
        if self.tabs {
            adapted = tabs_as_blanks(&adapted);
        }
        let document = yaml::parse(&adapted, 0..adapted.len(), &mut Budget::default())?;
        let is_twice = |double: &&yaml::Duplicate| {
            if self.unique_keys == Keys::OnceByText {
                return true;
            }
            let [first, second] = [&double.first, &double.second].map(|span| yaml::core_type(&adapted[span.clone()]));
            matches!(first, Typed::Text(_)) == matches!(second, Typed::Text(_))
        };
        if let Some(duplicate) =
            document.duplicates.iter().find(is_twice).filter(|_| self.unique_keys != Keys::AnyTimes)
        {
            return Err(fault(FaultKind::Syntax, &format!("the key `{}` occurs twice", duplicate.key.escape_debug())));
        }
        if let Some(root) = &document.root {
            if !self.any_tag && has_odd_tag(root) {
                return Err(fault(FaultKind::Syntax, "a tag is unknown, or does not fit its value"));
            }
            if !self.null_keys && has_null_key(root) {
                return Err(fault(FaultKind::Syntax, "a key is left out"));
            }
            if self.margin == Margin::Nothing && has_bracket_at_margin(root, &adapted) {
                return Err(fault(FaultKind::Flow, "a line between brackets is not indented"));
            }
        }
        Ok(each(&document, &adapted))
    }
}

/// Whether our parser refuses the character.
fn is_refused(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}')
}

/// What stands in for a refused character while our parser looks: one of a plane that nobody uses.
fn stand_in(c: char) -> char {
    char::from_u32(0xF_0000 + u32::from(c)).unwrap_or(c)
}

/// The text with what was stood in for.
fn restored(text: &str) -> String {
    let original =
        |c: char| char::from_u32(u32::from(c).wrapping_sub(0xF_0000)).filter(|&c| is_refused(c)).unwrap_or(c);
    text.chars().map(original).collect()
}

/// Whether there is an escaped surrogate, or only one without its other half.
fn has_surrogate(text: &str, allowed: Surrogates) -> bool {
    let unit = |at: usize| u16::from_str_radix(text.get(at..)?.strip_prefix("\\u")?.get(..4)?, 16).ok();
    let mut at = 0;
    while let Some(found) = text[at..].find("\\u") {
        at += found;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) if allowed == Surrogates::Pairs => 12,
            (Some(0xD800..=0xDFFF), _) => return true,
            _ => 2,
        };
    }
    false
}

/// Lines that stand between quotes and begin at the margin, or with a tab, indented.
fn quotes_indented(text: &str) -> String {
    let mut adapted = String::with_capacity(text.len());
    let mut open: Option<char> = None;
    for line in text.split_inclusive('\n') {
        if open.is_some() && !line.starts_with([' ', '\r', '\n']) {
            adapted.push_str("  ");
        }
        adapted.push_str(line);
        let quote = open.or_else(|| {
            let (key, value) = line.split_once(':')?;
            let first = value.trim_start_matches([' ', '\t']).chars().next()?;
            (matches!(first, '"' | '\'') && !key.contains([' ', '"', '\''])).then_some(first)
        });
        if let Some(quote) = quote {
            let escaped = if quote == '"' { line.matches("\\\"").count() } else { 0 };
            let is_odd = (line.matches(quote).count() - escaped) % 2 == 1;
            open = if is_odd == open.is_none() { Some(quote) } else { None };
        }
    }
    adapted
}

/// Whether a line of a collection in brackets, after its first, stands at the margin.
fn has_bracket_at_margin(root: &Node<'_>, text: &str) -> bool {
    let values = root.entries().unwrap_or_default().iter().map(|(_, value)| value);
    values.filter(|value| text[value.span.clone()].starts_with(['{', '['])).any(|value| {
        let mut lines = text[value.span.clone()].lines().skip(1);
        lines.any(|line| line.starts_with(|c: char| !c.is_whitespace()))
    })
}

/// Every escaped half of a surrogate pair as an escape that every parser takes.
fn without_surrogates(text: &str) -> String {
    if !text.contains("\\u") {
        return text.to_owned();
    }
    let mut adapted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\\u") {
        let unit = |at: usize| u16::from_str_radix(rest.get(at..)?.strip_prefix("\\u")?.get(..4)?, 16).ok();
        adapted.push_str(&rest[..at]);
        let taken = match (unit(at), unit(at + 6)) {
            (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) => {
                let code = 0x10000 + ((u32::from(high) - 0xD800) << 10) + (u32::from(low) - 0xDC00);
                let _ = write!(adapted, "\\U{code:08X}");
                12
            }
            (Some(0xD800..=0xDFFF), _) => {
                adapted.push_str("\\uFFFD");
                6
            }
            _ => {
                adapted.push_str("\\u");
                2
            }
        };
        rest = &rest[at + taken..];
    }
    adapted + rest
}

fn tabs_as_blanks(text: &str) -> String {
    let mut adapted = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        adapted.push_str(&line[..indent].replace('\t', "  "));
        adapted.push_str(&line[indent..]);
    }
    adapted
}

fn nodes<'n>(node: &'n Node<'n>, found: &mut impl FnMut(&'n Node<'n>) -> bool) -> bool {
    if found(node) {
        return true;
    }
    match &node.kind {
        Kind::Scalar(..) => false,
        Kind::Sequence(items, _) => items.iter().any(|item| nodes(item, found)),
        Kind::Mapping(entries, _) => entries.iter().any(|(key, value)| nodes(key, found) || nodes(value, found)),
    }
}

fn has_odd_tag(root: &Node<'_>) -> bool {
    const KNOWN: [&str; 10] =
        ["!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq", "!!set", "!!binary", "!!timestamp"];
    nodes(root, &mut |node| match node.tag.as_deref() {
        None | Some("!") => false,
        Some("!!int") => !matches!(node.typed(), Some(Typed::Int(_))),
        Some("!!float") => !matches!(node.typed(), Some(Typed::Int(_) | Typed::Float(_))),
        Some(tag) => !KNOWN.contains(&tag),
    })
}

fn has_null_key(root: &Node<'_>) -> bool {
    nodes(root, &mut |node| {
        node.entries()
            .is_some_and(|entries| entries.iter().any(|(key, _)| key.text() == Some("") && key.span.is_empty()))
    })
}

/// A value as JavaScript has it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// `undefined`: there is no such field.
    Missing,
    Null,
    Text(String),
    /// A number, a truth value or a date, as it would be printed.
    Other(String),
    List(String),
    Map(String),
}

impl Value {
    /// The field `key` of a document, by the types of `typed`.
    pub(super) fn of(document: &Document<'_>, key: &str, schema: Schema) -> Self {
        let node = document.root.as_ref().and_then(|root| root.get(key));
        node.map_or(Value::Missing, |node| match &node.kind {
            Kind::Sequence(..) => Value::List(node.to_json().to_string()),
            Kind::Mapping(..) => Value::Map(node.to_json().to_string()),
            Kind::Scalar(text, _) => match node.typed() {
                Some(Typed::Null) => Value::Null,
                Some(Typed::Bool(b)) => Value::Other(b.to_string()),
                Some(Typed::Int(n)) if schema == Schema::Old && text.starts_with("0o") => {
                    let _ = n;
                    Value::Text(text.to_string())
                }
                Some(Typed::Int(n)) => Value::Other(n.to_string()),
                Some(Typed::Float(n)) if n.is_infinite() => Value::Other("Infinity".into()),
                Some(Typed::Float(n)) => Value::Other(n.to_string()),
                _ if node.span.is_empty() && text.is_empty() => Value::Null,
                _ if is_plain(node) && schema != Schema::Core && is_date(text) => Value::Other(text.to_string()),
                _ if is_plain(node) && schema == Schema::Old && is_old_number(text) => Value::Other(text.to_string()),
                _ => Value::Text(restored(text)),
            },
        })
    }
}

/// Which plain scalars are something other than a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Schema {
    /// The core schema of YAML 1.2.
    Core,
    /// That of YAML 1.1: dates, numbers with underscores and in base 60 as well.
    Old,
}

fn is_plain(node: &Node<'_>) -> bool {
    matches!(node.kind, Kind::Scalar(_, yaml::Style::Plain)) && node.tag.is_none()
}

/// `2026-01-25`, or with a time behind.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits =
        |range: std::ops::Range<usize>| bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit));
    digits(0..4)
        && bytes.get(4) == Some(&b'-')
        && digits(5..7)
        && bytes.get(7) == Some(&b'-')
        && digits(8..10)
        && bytes.get(10).is_none_or(|b| matches!(b, b'T' | b't' | b' '))
}

/// `1_000`, `12:30:45`.
fn is_old_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let first = unsigned.as_bytes().first().is_some_and(u8::is_ascii_digit);
    let rest = |more: u8| unsigned.bytes().all(|b| b.is_ascii_digit() || b == b'_' || b == more);
    first && (rest(b'_') || (rest(b':') && unsigned.split(':').skip(1).all(|part| matches!(part.len(), 1 | 2))))
}

/// The text without the sequences that a terminal would obey, and without control characters.
pub(super) fn printable(text: &str) -> String {
    without_escapes(text).chars().filter(|c| !c.is_control() || matches!(c, '\t' | '\n')).collect()
}

/// The text without the sequences that begin with an escape character.
pub(super) fn without_escapes(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' && chars.next_if_eq(&'[').is_some() {
            while chars.next_if(|c| !('@'..='~').contains(c)).is_some() {}
            chars.next();
        } else {
            left.push(c);
        }
    }
    left
}
