//! Rewrites parts of a frontmatter without changing its values.

use crate::MarkdownPage;
use skillpm_core::report::{DiagnosticFix, Span};
use skillpm_core::skill::SkillFrontmatter;
use skillpm_core::skill::yaml::{self, TypedScalar, YamlNode, YamlNodeKind, YamlStyle};

/// The indentation of a nested mapping if the file has no other example.
const DEFAULT_INDENT: usize = 2;

/// The frontmatter, if it is valid YAML: repairs must be applied first.
pub(super) fn well_formed<'p, 'a>(page: &'p MarkdownPage<'a>) -> Option<&'p SkillFrontmatter<'a>> {
    page.frontmatter
        .as_ref()
        .filter(|frontmatter| frontmatter.repairs.is_empty())
}

/// Returns the fix if it keeps the frontmatter valid and its values unchanged.
pub(super) fn verify_same_values(page: &MarkdownPage, fix: DiagnosticFix) -> Option<DiagnosticFix> {
    // As JSON, which ignores notation: exactly what a fix of notation may change.
    let before = well_formed(page)?.root.to_json();
    let fixed = fix.apply(page.source);
    let after = SkillFrontmatter::open(&fixed, &mut Vec::new())?;
    (after.repairs.is_empty() && after.root.to_json() == before).then_some(fix)
}

/// The number of bytes before `at` on its line.
pub(super) fn column(source: &str, at: usize) -> usize {
    at - source[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// The indentation of nested mappings in this file.
pub(super) fn indent_step(source: &str, root: &YamlNode) -> usize {
    let nested = root
        .entries()
        .unwrap_or_default()
        .iter()
        .find_map(|(key, value)| entry_indent(source, key, value));

    nested
        // More than that is an accident of one line, not the style of the file.
        .filter(|step| (1..=8).contains(step))
        .unwrap_or(DEFAULT_INDENT)
}

/// How much deeper than its key a mapping in block style is.
fn entry_indent(source: &str, key: &YamlNode, value: &YamlNode) -> Option<usize> {
    let YamlNodeKind::Mapping(entries, yaml::YamlLayout::Block) = &value.kind else {
        return None;
    };
    let (first, _) = entries.first()?;
    column(source, first.span.start).checked_sub(column(source, key.span.start))
}

/// The end of an entry's colon, and whether there is only whitespace between it and the value.
pub(super) fn after_colon(source: &str, key: &YamlNode, value: &YamlNode) -> Option<(usize, bool)> {
    let between = source.get(key.span.end..value.span.start.max(key.span.end))?;
    let colon = between.trim_start_matches([' ', '\t']);
    let colon = colon
        .starts_with(':')
        .then(|| key.span.end + (between.len() - colon.len()) + 1)?;
    Some((
        colon,
        source[colon..value.span.start.max(colon)].trim().is_empty(),
    ))
}

/// The lines of an entry in block style, if nothing else is on them.
pub(super) fn entry_lines(source: &str, key: &YamlNode, value: &YamlNode) -> Option<Span> {
    let start = key.span.start - column(source, key.span.start);
    let last = value.span.end.max(after_colon(source, key, value)?.0);
    let end = source[last..]
        .find('\n')
        .map_or(source.len(), |at| last + at + 1);

    let alone = source[start..key.span.start].bytes().all(|b| b == b' ')
        && source[last..end].trim().is_empty();
    alone.then_some(start..end)
}

/// Writes `text` as a one-line scalar: unquoted if every parser then reads a string.
pub(super) fn to_scalar(text: &str) -> String {
    let document = yaml::parse_text(text)
        .ok()
        .and_then(|document| document.root);
    // Parsed alone, so that a text which only looks like a scalar is quoted.
    let reads_back = document.is_some_and(|root| root.typed() == Some(TypedScalar::Text(text)));

    // Lenient parsers read a `: ` within the text as the end of a key.
    if reads_back && !text.contains(": ") && ambiguous_type(text).is_none() {
        text.to_owned()
    } else {
        yaml::quote(text)
    }
}

/// The type that some parsers give to a plain scalar that others read as a string; `None` if all read a string.
pub(super) fn ambiguous_type(text: &str) -> Option<&'static str> {
    let first = *text.as_bytes().first()?;
    match yaml::core_type(text) {
        TypedScalar::Null => return Some("null"),
        TypedScalar::Bool(_) => return Some("a boolean"),
        TypedScalar::Int(_) | TypedScalar::Float(_) => return Some("a number"),
        TypedScalar::Text(_) => {}
    }

    if is_yaml11_boolean(text) {
        return Some("a boolean");
    }

    // All types that are left begin like a number, which most values do not.
    if !(first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.')) {
        return None;
    }
    let is_date =
        yaml::split_date(text).is_some_and(|date| date.time.is_empty() || date.time.contains(':'));
    if is_date {
        return Some("a date");
    }
    is_yaml11_number(text).then_some("a number")
}

/// Whether YAML 1.1 reads a word as a boolean: in lower case, in upper case, or with a capital.
fn is_yaml11_boolean(text: &str) -> bool {
    const WORDS: [&str; 6] = ["y", "n", "yes", "no", "on", "off"];
    let Some(word) = WORDS.iter().find(|word| text.eq_ignore_ascii_case(word)) else {
        return false;
    };

    // `yEs` is a string in every version.
    let rest = &text[1..];
    *word == text
        || text.bytes().all(|b| b.is_ascii_uppercase())
        || rest.bytes().all(|b| b.is_ascii_lowercase())
}

/// Whether a text is a number in YAML 1.1 only: `12:30` is sexagesimal, `1_000` and `0b1` are integers.
fn is_yaml11_number(text: &str) -> bool {
    let unsigned = text.trim_start_matches(['-', '+']);
    let is_sexagesimal = unsigned.contains(':')
        && unsigned.split(':').all(|part| {
            !part.is_empty() && part.len() <= 2 && part.bytes().all(|b| b.is_ascii_digit())
        });
    let is_grouped = unsigned.contains('_')
        && unsigned.starts_with(|c: char| c.is_ascii_digit())
        && unsigned
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'_' | b'.'));
    let is_binary = unsigned
        .strip_prefix("0b")
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b == b'0' || b == b'1'));

    is_sexagesimal || is_grouped || is_binary
}

/// Writes collections in block style, with unchanged scalars.
pub(super) struct YamlBlockWriter<'a> {
    /// The text that the nodes' spans refer to.
    pub(super) source: &'a str,
    pub(super) line_end: &'static str,
    /// The indentation of nested collections.
    pub(super) step: usize,
}

impl YamlBlockWriter<'_> {
    /// The lines of a non-empty collection, all except the first indented by `indent`. `None` if it has tags, aliases or
    /// multi-line keys.
    pub(super) fn write_lines(&self, node: &YamlNode, indent: usize) -> Option<String> {
        if node.tag.is_some() {
            return None;
        }

        let line = match &node.kind {
            YamlNodeKind::Scalar(..) => return None,
            YamlNodeKind::Sequence(items, _) => items
                .iter()
                .map(|item| self.write_item(item, indent))
                .collect::<Option<Vec<_>>>()?,
            YamlNodeKind::Mapping(entries, _) => entries
                .iter()
                .map(|(key, value)| self.write_entry(key, value, indent))
                .collect::<Option<Vec<_>>>()?,
        };

        Some(line.join(&format!("{}{}", self.line_end, " ".repeat(indent))))
    }

    fn write_item(&self, item: &YamlNode, indent: usize) -> Option<String> {
        let text = if is_non_empty(item) {
            // `- ` is two columns wide, whatever the step.
            self.write_lines(item, indent + 2)?
        } else {
            self.write_scalar(item)?
        };
        Some(format!("- {text}"))
    }

    fn write_entry(&self, key: &YamlNode, value: &YamlNode, indent: usize) -> Option<String> {
        // An empty key has no notation in block style.
        let key = Some(self.write_scalar(key)?).filter(|key| !key.is_empty())?;

        if is_non_empty(value) {
            let (break_, below) = (self.line_end, indent + self.step);
            return Some(format!(
                "{key}:{break_}{}{}",
                " ".repeat(below),
                self.write_lines(value, below)?
            ));
        }

        let text = self.write_scalar(value)?;
        Some(if text.is_empty() {
            format!("{key}:")
        } else {
            format!("{key}: {text}")
        })
    }

    /// A scalar on one line, as it is written if possible, or an empty collection.
    fn write_scalar(&self, node: &YamlNode) -> Option<String> {
        let written = self.source.get(node.span.clone())?;
        match &node.kind {
            _ if node.tag.is_some() || written.starts_with('*') => None,
            YamlNodeKind::Sequence(..) => Some("[]".into()),
            YamlNodeKind::Mapping(..) => Some("{}".into()),
            YamlNodeKind::Scalar(
                _,
                YamlStyle::Plain | YamlStyle::SingleQuoted | YamlStyle::DoubleQuoted,
            ) if !written.contains('\n') => Some(written.to_owned()),
            YamlNodeKind::Scalar(text, _) => Some(yaml::quote(text)),
        }
    }
}

/// Whether a node is a non-empty collection.
pub(super) fn is_non_empty(node: &YamlNode) -> bool {
    node.items().is_some_and(|items| !items.is_empty())
        || node.entries().is_some_and(|entries| !entries.is_empty())
}

/// Visits all nodes of a tree in the order of the file, a key before its value. The value of an alias is not visited.
pub(super) fn walk_nodes<'n, 'a>(
    source: &str,
    node: &'n YamlNode<'a>,
    visit: &mut impl FnMut(&'n YamlNode<'a>),
) {
    visit(node);
    // An alias repeats the node of its anchor, which was visited there.
    if source
        .get(node.span.clone())
        .is_some_and(|text| text.starts_with('*'))
    {
        return;
    }

    match &node.kind {
        YamlNodeKind::Scalar(..) => {}
        YamlNodeKind::Sequence(items, _) => items
            .iter()
            .for_each(|item| walk_nodes(source, item, visit)),
        YamlNodeKind::Mapping(entries, _) => entries.iter().for_each(|(key, value)| {
            walk_nodes(source, key, visit);
            walk_nodes(source, value, visit);
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_scalars_are_recognized() {
        for (text, sort) in [
            ("yes", "a boolean"),
            ("No", "a boolean"),
            ("OFF", "a boolean"),
            ("y", "a boolean"),
            ("true", "a boolean"),
            ("~", "null"),
            ("null", "null"),
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
            assert_eq!(ambiguous_type(text), Some(sort), "{text}");
        }
        for text in [
            "1.0.0",
            "yeS",
            "nope",
            "MIT",
            "2026-01",
            "2026-01-25 was a day",
            "-",
            "v1",
            "12:30 sharp",
            "",
            "é",
        ] {
            assert_eq!(ambiguous_type(text), None, "{text}");
        }
    }

    #[test]
    fn scalar_is_quoted_only_if_necessary() {
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
            assert_eq!(to_scalar(text), written);
        }
    }
}
