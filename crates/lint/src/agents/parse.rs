//! Shared parts of the loaders: extracting the frontmatter, and YAML as JavaScript programs see it.

use std::fmt::Write as _;

use skillpm_core::skill::yaml::{
    self, TypedScalar, YamlBudget, YamlDocument, YamlError, YamlErrorKind, YamlNode, YamlNodeKind,
};

/// The text between `---` and the next line that begins with `---`, as the regular expression `^---\r?\n(…)\r?\n---` matches.
pub(super) fn frontmatter_by_pattern(source: &str) -> Option<&str> {
    let start = fence_line(source)?;
    let rest = &source[start..];
    // `---` closes at the start of a line, whatever follows it there: `----` closes too.
    let end = memchr::memmem::find_iter(rest.as_bytes(), b"\n---").next()?;
    Some(rest[..end].strip_suffix('\r').unwrap_or(&rest[..end]))
}

/// Where the second line begins, if the first is only `---`.
pub(super) fn fence_line(source: &str) -> Option<usize> {
    // Exactly three dashes and a line end: with a space after them there is no frontmatter.
    let rest = source.strip_prefix("---")?;
    let rest = rest.strip_prefix('\r').unwrap_or(rest).strip_prefix('\n')?;
    Some(source.len() - rest.len())
}

/// A YAML parser with the deviations of one of the libraries that agents use.
#[derive(Clone, Copy)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an independent deviation"
)]
pub(super) struct YamlDialect {
    /// Whether a key that occurs twice is an error.
    pub duplicate_keys: DuplicateKeys,
    /// Whether control characters may occur.
    pub allows_controls: bool,
    /// How escapes of surrogate pairs are read.
    pub surrogates: SurrogatePolicy,
    /// Whether lines may be indented by tabs.
    pub allows_tabs: bool,
    /// Whether tags other than YAML's own may occur, and YAML's own on values of another type.
    pub allows_any_tag: bool,
    /// Whether a mapping may have an empty key.
    pub allows_null_keys: bool,
    /// Whether lines of a quoted string or of a flow collection may be unindented.
    pub margin: MarginPolicy,
}

/// Whether a key that occurs twice is an error.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DuplicateKeys {
    /// It is allowed.
    Allowed,
    /// It is an error, and `1` and `"1"` are the same key.
    RefusedByText,
    /// It is an error, and `1` and `"1"` are different keys.
    RefusedByType,
}

/// How escapes of surrogate pairs are read: `"\uD83D\uDE80"`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SurrogatePolicy {
    /// They are an error.
    Refused,
    /// A pair is a character, and half of one is an error.
    Pairs,
    /// Half of a pair is accepted too.
    Any,
}

/// Which continuation lines of a field may be unindented.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MarginPolicy {
    /// None.
    Nothing,
    /// Those between brackets.
    Brackets,
    /// Those between brackets, and those between quotes.
    Both,
}

impl YamlDialect {
    /// Parses the text and passes the document to `each`.
    pub(super) fn parse<T>(
        self,
        text: &str,
        each: impl FnOnce(&YamlDocument<'_>, &str) -> T,
    ) -> Result<T, YamlError> {
        // Where a library accepts more than our parser, the text is rewritten before it is parsed.
        // Where it accepts less, the difference is checked by hand, before or after.
        if self.surrogates != SurrogatePolicy::Any && has_surrogate(text, self.surrogates) {
            return Err(dialect_fault(
                YamlErrorKind::Surrogate,
                "half of a surrogate pair",
            ));
        }

        let adapted = self.adapt(text);
        let document = yaml::parse(&adapted, 0..adapted.len(), &mut YamlBudget::default())?;
        self.check_duplicates(&document, &adapted)?;
        if let Some(root) = &document.root {
            self.check_nodes(root, &adapted)?;
        }

        Ok(each(&document, &adapted))
    }

    /// Rewrites what this dialect accepts and our parser does not.
    fn adapt(self, text: &str) -> String {
        let mut adapted = if self.margin == MarginPolicy::Both {
            indent_quoted_lines(text)
        } else {
            text.to_owned()
        };

        if self.allows_controls {
            adapted = adapted
                .chars()
                .map(|c| if is_refused(c) { placeholder_for(c) } else { c })
                .collect();
        }
        if self.surrogates == SurrogatePolicy::Any {
            adapted = without_surrogates(&adapted);
        }
        if self.allows_tabs {
            adapted = replace_tabs(&adapted);
        }

        adapted
    }

    /// # Errors
    /// If a key occurs twice, and this dialect treats the two as one.
    fn check_duplicates(self, document: &YamlDocument<'_>, adapted: &str) -> Result<(), YamlError> {
        let mut duplicates = document.duplicates.iter();
        match duplicates.find(|double| self.refuses_duplicate(double, adapted)) {
            Some(duplicate) => Err(dialect_fault(
                YamlErrorKind::Syntax,
                &format!("the key `{}` occurs twice", duplicate.key.escape_debug()),
            )),
            None => Ok(()),
        }
    }

    fn refuses_duplicate(self, double: &yaml::DuplicateEntry, adapted: &str) -> bool {
        match self.duplicate_keys {
            DuplicateKeys::Allowed => false,
            DuplicateKeys::RefusedByText => true,
            // `1` and `"1"` are the number and the string: two keys of a JavaScript map.
            DuplicateKeys::RefusedByType => {
                let [first, second] = [&double.first, &double.second]
                    .map(|span| yaml::core_type(&adapted[span.clone()]));
                matches!(first, TypedScalar::Text(_)) == matches!(second, TypedScalar::Text(_))
            }
        }
    }

    /// # Errors
    /// If a node is valid to our parser and not in this dialect.
    fn check_nodes(self, root: &YamlNode<'_>, adapted: &str) -> Result<(), YamlError> {
        if !self.allows_any_tag && has_unknown_tag(root) {
            return Err(dialect_fault(
                YamlErrorKind::Syntax,
                "a tag is unknown, or does not fit its value",
            ));
        }

        if !self.allows_null_keys && has_null_key(root) {
            return Err(dialect_fault(YamlErrorKind::Syntax, "a key is empty"));
        }

        // Our parser accepts `}` in column 0, as the examples of OpenClaw's documentation have it.
        if self.margin == MarginPolicy::Nothing && has_bracket_at_margin(root, adapted) {
            return Err(dialect_fault(
                YamlErrorKind::Flow,
                "a line between brackets is not indented",
            ));
        }

        Ok(())
    }
}

/// The error of a library where our parser finds none. The models report no place, so it has none.
fn dialect_fault(kind: YamlErrorKind, message: &str) -> YamlError {
    YamlError {
        kind,
        message: message.to_owned(),
        at: 0,
    }
}

/// Whether our parser rejects the character.
fn is_refused(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}')
}

/// The placeholder for a rejected character while our parser runs: one of a private-use plane.
fn placeholder_for(c: char) -> char {
    // No skill has characters of this plane, and replacing them one by one keeps the meaning of all
    // others.
    char::from_u32(0xF_0000 + u32::from(c)).unwrap_or(c)
}

/// Replaces the placeholders with the original characters.
fn restore_placeholders(text: &str) -> String {
    let original = |c: char| {
        char::from_u32(u32::from(c).wrapping_sub(0xF_0000))
            .filter(|&c| is_refused(c))
            .unwrap_or(c)
    };

    text.chars().map(original).collect()
}

/// Whether there is an escaped surrogate; with `SurrogatePolicy::Pairs`, only one without its other half.
fn has_surrogate(text: &str, allowed: SurrogatePolicy) -> bool {
    let unit =
        |at: usize| u16::from_str_radix(text.get(at..)?.strip_prefix("\\u")?.get(..4)?, 16).ok();

    let mut at = 0;
    while let Some(found) = text[at..].find("\\u") {
        at += found;
        at += match (unit(at), unit(at + 6)) {
            // Both halves are skipped together, or the second would be taken for a single one.
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) if allowed == SurrogatePolicy::Pairs => {
                12
            }
            (Some(0xD800..=0xDFFF), _) => return true,
            _ => 2,
        };
    }

    false
}

/// Indents continuation lines of quoted strings that are unindented or begin with a tab.
fn indent_quoted_lines(text: &str) -> String {
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
            // Only at the start of a value: an apostrophe in a sentence opens nothing.
            (matches!(first, '"' | '\'') && !key.contains([' ', '"', '\''])).then_some(first)
        });

        if let Some(quote) = quote {
            // A doubled `''` counts twice, so only `\"` has to be subtracted.
            let escaped = if quote == '"' {
                line.matches("\\\"").count()
            } else {
                0
            };

            // An odd number of quotes on a line opens or closes a string that goes on in the next.
            let is_odd = (line.matches(quote).count() - escaped) % 2 == 1;
            open = if is_odd == open.is_none() {
                Some(quote)
            } else {
                None
            };
        }
    }

    adapted
}

/// Whether a line of a flow collection, after its first, is unindented.
fn has_bracket_at_margin(root: &YamlNode<'_>, text: &str) -> bool {
    let values = root
        .entries()
        .unwrap_or_default()
        .iter()
        // Only the values of top-level fields can have a line at the margin.
        .map(|(_, value)| value);
    values
        .filter(|value| text[value.span.clone()].starts_with(['{', '[']))
        .any(|value| {
            let mut lines = text[value.span.clone()].lines().skip(1);
            lines.any(|line| line.starts_with(|c: char| !c.is_whitespace()))
        })
}

/// Rewrites every escaped surrogate as an escape that every parser accepts.
fn without_surrogates(text: &str) -> String {
    if !text.contains("\\u") {
        return text.to_owned();
    }

    let mut adapted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\\u") {
        let unit = |at: usize| {
            u16::from_str_radix(rest.get(at..)?.strip_prefix("\\u")?.get(..4)?, 16).ok()
        };

        adapted.push_str(&rest[..at]);
        let taken = match (unit(at), unit(at + 6)) {
            (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) => {
                // The character of a surrogate pair, by the definition of UTF-16.
                let code = 0x10000 + ((u32::from(high) - 0xD800) << 10) + (u32::from(low) - 0xDC00);
                let _ = write!(adapted, "\\U{code:08X}");
                12
            }
            (Some(0xD800..=0xDFFF), _) => {
                // JavaScript keeps half of a pair; when it is printed, this character appears
                // instead.
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

fn replace_tabs(text: &str) -> String {
    let mut adapted = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        // Only in the indentation: a tab inside of a value is content.
        adapted.push_str(&line[..indent].replace('\t', "  "));
        adapted.push_str(&line[indent..]);
    }
    adapted
}

fn any_node<'n>(node: &'n YamlNode<'n>, found: &mut impl FnMut(&'n YamlNode<'n>) -> bool) -> bool {
    if found(node) {
        return true;
    }

    match &node.kind {
        YamlNodeKind::Scalar(..) => false,
        YamlNodeKind::Sequence(items, _) => items.iter().any(|item| any_node(item, found)),
        YamlNodeKind::Mapping(entries, _) => entries
            .iter()
            .any(|(key, value)| any_node(key, found) || any_node(value, found)),
    }
}

fn has_unknown_tag(root: &YamlNode<'_>) -> bool {
    const KNOWN: [&str; 10] = [
        "!!str",
        "!!int",
        "!!float",
        "!!bool",
        "!!null",
        "!!map",
        "!!seq",
        "!!set",
        "!!binary",
        "!!timestamp",
    ];

    any_node(root, &mut |node| match node.tag.as_deref() {
        None | Some("!") => false,
        // js-yaml applies the tag, and fails if the text is not of its type.
        Some("!!int") => !matches!(node.typed(), Some(TypedScalar::Int(_))),
        Some("!!float") => !matches!(
            node.typed(),
            Some(TypedScalar::Int(_) | TypedScalar::Float(_))
        ),
        Some(tag) => !KNOWN.contains(&tag),
    })
}

fn has_null_key(root: &YamlNode<'_>) -> bool {
    any_node(root, &mut |node| {
        let mut entries = node.entries().unwrap_or_default().iter();
        // An empty key in quotes has a span, and is allowed.
        entries.any(|(key, _)| key.text() == Some("") && key.span.is_empty())
    })
}

/// A value as JavaScript sees it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum LoadedValue {
    /// `undefined`: there is no such field.
    Missing,
    Null,
    Text(String),
    /// A number, a boolean or a date, as it would be printed.
    Other(String),
    List(String),
    Map(String),
}

impl LoadedValue {
    /// Reads the field `key` of a document, typed by `schema`.
    pub(super) fn from_document(
        document: &YamlDocument<'_>,
        key: &str,
        schema: YamlSchema,
    ) -> Self {
        let node = document.root.as_ref().and_then(|root| root.get(key));
        node.map_or(LoadedValue::Missing, |node| match &node.kind {
            YamlNodeKind::Sequence(..) => LoadedValue::List(node.to_json().to_string()),
            YamlNodeKind::Mapping(..) => LoadedValue::Map(node.to_json().to_string()),
            YamlNodeKind::Scalar(text, _) => LoadedValue::from_scalar(node, text, schema),
        })
    }

    fn from_scalar(node: &YamlNode<'_>, text: &str, schema: YamlSchema) -> Self {
        match node.typed() {
            Some(TypedScalar::Null) => LoadedValue::Null,
            Some(TypedScalar::Bool(b)) => LoadedValue::Other(b.to_string()),
            // YAML 1.1 writes octal numbers as `017`: there `0o17` is a string.
            Some(TypedScalar::Int(_)) if schema == YamlSchema::Yaml11 && text.starts_with("0o") => {
                LoadedValue::Text(text.to_owned())
            }
            Some(TypedScalar::Int(n)) => LoadedValue::Other(n.to_string()),
            // JavaScript prints this word where Rust prints `inf`.
            Some(TypedScalar::Float(n)) if n.is_infinite() => LoadedValue::Other("Infinity".into()),
            Some(TypedScalar::Float(n)) => LoadedValue::Other(n.to_string()),
            // `name:` and nothing after it: the parser has an empty scalar, JavaScript has `null`.
            _ if node.span.is_empty() && text.is_empty() => LoadedValue::Null,
            _ if is_plain(node) && schema.is_other_type(text) => {
                LoadedValue::Other(text.to_owned())
            }
            _ => LoadedValue::Text(restore_placeholders(text)),
        }
    }
}

/// Which plain scalars are not strings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum YamlSchema {
    /// The core schema of YAML 1.2.
    Core,
    /// The schema of YAML 1.1: also dates, numbers with underscores and in base 60.
    Yaml11,
}

impl YamlSchema {
    /// Whether an unquoted text that is a string in YAML 1.2 has another type here.
    fn is_other_type(self, text: &str) -> bool {
        match self {
            YamlSchema::Core => false,
            // `2026-1-5` stays a string.
            YamlSchema::Yaml11 => {
                yaml::split_date(text).is_some_and(|date| date.is_padded) || is_yaml11_number(text)
            }
        }
    }
}

fn is_plain(node: &YamlNode<'_>) -> bool {
    matches!(node.kind, YamlNodeKind::Scalar(_, yaml::YamlStyle::Plain)) && node.tag.is_none()
}

/// `1_000`, `12:30:45`.
fn is_yaml11_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let first = unsigned.as_bytes().first().is_some_and(u8::is_ascii_digit);
    let rest = |more: u8| {
        unsigned
            .bytes()
            .all(|b| b.is_ascii_digit() || b == b'_' || b == more)
    };

    first
        && (rest(b'_')
            || (rest(b':')
                // Base 60: each part after the first has at most two digits.
                && unsigned
                    .split(':')
                    .skip(1)
                    .all(|part| matches!(part.len(), 1 | 2))))
}

/// Removes terminal escape sequences and control characters from a text.
pub(super) fn printable(text: &str) -> String {
    without_escapes(text)
        .chars()
        // A skill's text is printed to a terminal there, where control characters would be run.
        .filter(|c| !c.is_control() || matches!(c, '\t' | '\n'))
        .collect()
}

/// Removes terminal escape sequences from a text.
pub(super) fn without_escapes(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' && chars.next_if_eq(&'[').is_some() {
            // A control sequence (CSI) ends with the first character from `@` to `~`.
            while chars.next_if(|c| !('@'..='~').contains(c)).is_some() {}
            chars.next();
        } else {
            left.push(c);
        }
    }

    left
}
