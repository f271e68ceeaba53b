//! Wraps the YAML parser: text in, a tree of [`YamlNode`]s out, each with its span in the file.
//!
//! ```yaml
//! name: pdf            # Scalar, spans of key and value
//! tags: [a, b]         # Sequence, flow
//! metadata:            # Mapping, block
//!   version: 1.0       # Scalar whose text stays `1.0`; its type in YAML is resolved on demand
//! ```
//!
//! Scalars stay text, because readers differ in the types of `yes`, `1.0` or a date. An alias becomes a copy of its
//! anchor's node. The total size is bounded by a [`YamlBudget`], so that no text of 64 kB can take more than
//! milliseconds or a few megabytes. Of two entries with one key the first is kept and the other reported.

mod builder;
mod scalar;
mod text_span;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::{Map, Number, Value};

use crate::report::Span;

pub use builder::{YamlBudget, parse};
pub use scalar::{DateScalar, TypedScalar, core_type, quote, split_date};

/// The cost of one node in a [`YamlBudget`], besides its text.
const NODE_COST: usize = 32;

/// A value with its span.
#[derive(Debug, Clone, PartialEq)]
pub struct YamlNode<'a> {
    /// Its kind and content.
    pub kind: YamlNodeKind<'a>,
    /// Its span, in bytes of the file, without tag and anchor. A missing value has an empty span.
    pub span: Span,
    /// Its tag: `!!str`, `!mine`.
    // Boxed, since few values have one.
    pub tag: Option<Box<str>>,
}

/// The three kinds of value.
#[derive(Debug, Clone, PartialEq)]
pub enum YamlNodeKind<'a> {
    /// Text.
    // Borrowed where it is written as it reads, which most values are.
    Scalar(Cow<'a, str>, YamlStyle),
    /// A list.
    Sequence(Vec<YamlNode<'a>>, YamlLayout),
    /// Keys and values in the order of the file, each key once.
    Mapping(Vec<(YamlNode<'a>, YamlNode<'a>)>, YamlLayout),
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlStyle {
    /// Without quotes.
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// A block after `|`.
    Literal,
    /// A block after `>`.
    Folded,
}

/// How a collection is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlLayout {
    /// By indentation.
    Block,
    /// In brackets, as JSON.
    Flow,
}

/// A parsed document.
#[derive(Debug, Clone, PartialEq)]
pub struct YamlDocument<'a> {
    /// Its value; `None` if there is nothing but whitespace and comments.
    pub root: Option<YamlNode<'a>>,
    /// Entries that were left out because their key was there before, in the order of the file.
    pub duplicates: Vec<DuplicateEntry>,
    /// The spans of aliases (`*name`), in the order of the file.
    pub aliases: Vec<Span>,
}

/// An entry that was left out because its key was there before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateEntry {
    /// The key.
    pub key: String,
    /// The entry that was kept: the span of its key.
    pub first: Span,
    /// The entry that was left out: the span of its key.
    pub second: Span,
    /// The value that was left out.
    pub value: Span,
    /// Whether both entries have the same value.
    pub same_value: bool,
}

/// Why a text is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlError {
    /// The kind of fault.
    pub kind: YamlErrorKind,
    /// One sentence, lower case, without a full stop.
    pub message: String,
    /// The byte of the file at which it was noticed.
    pub at: usize,
}

/// The kinds of fault that callers distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlErrorKind {
    /// Too deep or too large; nothing is repaired.
    Limit,
    /// A tab where only spaces are allowed.
    Tab,
    /// A quoted text that does not end where it should, or an unknown escape.
    Quotes,
    /// Half a surrogate pair.
    Surrogate,
    /// Brackets that do not match.
    Flow,
    /// Any other.
    Syntax,
}

impl YamlError {
    fn limit(message: &str, at: usize) -> Self {
        YamlError {
            kind: YamlErrorKind::Limit,
            message: message.to_owned(),
            at,
        }
    }

    fn syntax(message: &str, at: usize) -> Self {
        YamlError {
            kind: YamlErrorKind::Syntax,
            message: message.to_owned(),
            at,
        }
    }
}

/// Parses a whole text, such as the YAML or JSON inside a scalar.
///
/// # Errors
/// As for [`parse`].
pub fn parse_text(text: &str) -> Result<YamlDocument<'_>, YamlError> {
    parse(text, 0..text.len(), &mut YamlBudget::default())
}

impl<'a> YamlNode<'a> {
    /// The text of a scalar, without quotes and folds; `None` for a collection.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            YamlNodeKind::Scalar(text, _) => Some(text),
            _ => None,
        }
    }

    /// The type of a scalar in YAML 1.2; `None` for a collection.
    #[must_use]
    pub fn typed(&self) -> Option<TypedScalar<'_>> {
        let YamlNodeKind::Scalar(text, style) = &self.kind else {
            return None;
        };

        Some(match (self.tag.as_deref(), style) {
            // Only a plain scalar has a type of its own; in quotes it is text.
            (None, YamlStyle::Plain) | (Some("!!null" | "!!bool" | "!!int" | "!!float"), _) => {
                core_type(text)
            }
            _ => TypedScalar::Text(text),
        })
    }

    /// Whether this is `null`, `~` or missing.
    #[must_use]
    pub fn is_null(&self) -> bool {
        self.typed() == Some(TypedScalar::Null)
    }

    /// The items of a sequence.
    #[must_use]
    pub fn items(&self) -> Option<&[YamlNode<'a>]> {
        match &self.kind {
            YamlNodeKind::Sequence(items, _) => Some(items),
            _ => None,
        }
    }

    /// The entries of a mapping.
    #[must_use]
    pub fn entries(&self) -> Option<&[(YamlNode<'a>, YamlNode<'a>)]> {
        match &self.kind {
            YamlNodeKind::Mapping(entries, _) => Some(entries),
            _ => None,
        }
    }

    /// The key and value of an entry of a mapping.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&(YamlNode<'a>, YamlNode<'a>)> {
        self.entries()?.iter().find(|(k, _)| k.text() == Some(key))
    }

    /// The value of an entry of a mapping.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&YamlNode<'a>> {
        self.entry(key).map(|(_, value)| value)
    }

    /// The tree as JSON, in the order of the file. A date stays a text, as does a number that JSON cannot write; a key
    /// that is not a scalar becomes JSON text.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.kind {
            YamlNodeKind::Scalar(text, _) => match self.typed() {
                Some(TypedScalar::Null) => Value::Null,
                Some(TypedScalar::Bool(b)) => Value::Bool(b),
                Some(TypedScalar::Int(n)) => {
                    // JSON has no number that large, so its digits are kept as text.
                    Number::from_i128(n).map_or_else(|| text.as_ref().into(), Value::Number)
                }
                Some(TypedScalar::Float(n)) => {
                    Number::from_f64(n).map_or_else(|| text.as_ref().into(), Value::Number)
                }
                Some(TypedScalar::Text(_)) | None => text.as_ref().into(),
            },
            YamlNodeKind::Sequence(items, _) => items.iter().map(YamlNode::to_json).collect(),
            YamlNodeKind::Mapping(entries, _) => {
                let mut map = Map::with_capacity(entries.len());
                for (key, value) in entries {
                    // JSON has texts for keys only.
                    map.insert(
                        key.text()
                            .map_or_else(|| key.to_json().to_string(), str::to_owned),
                        value.to_json(),
                    );
                }
                Value::Object(map)
            }
        }
    }

    /// The same tree with its own copy of all text and every position mapped by `map`.
    pub(super) fn with_mapped_spans(self, map: &impl Fn(usize) -> usize) -> YamlNode<'static> {
        let kind = match self.kind {
            YamlNodeKind::Scalar(text, style) => {
                YamlNodeKind::Scalar(text.into_owned().into(), style)
            }
            YamlNodeKind::Sequence(items, layout) => YamlNodeKind::Sequence(
                items
                    .into_iter()
                    .map(|item| item.with_mapped_spans(map))
                    .collect(),
                layout,
            ),
            YamlNodeKind::Mapping(entries, layout) => YamlNodeKind::Mapping(
                entries
                    .into_iter()
                    .map(|(key, value)| (key.with_mapped_spans(map), value.with_mapped_spans(map)))
                    .collect(),
                layout,
            ),
        };

        YamlNode {
            kind,
            span: map(self.span.start)..map(self.span.end),
            tag: self.tag,
        }
    }

    /// Its cost in a budget, and its number of levels.
    fn cost_and_depth(&self) -> (usize, usize) {
        let mut cost = NODE_COST;
        let mut depth = 0;
        // Recursive without a limit here: deeper trees are refused while they are built.
        let mut add = |node: &YamlNode| {
            let (inner, levels) = node.cost_and_depth();
            cost += inner;
            depth = depth.max(levels + 1);
        };

        match &self.kind {
            YamlNodeKind::Scalar(text, _) => return (NODE_COST + text.len(), 0),
            YamlNodeKind::Sequence(items, _) => items.iter().for_each(&mut add),
            YamlNodeKind::Mapping(entries, _) => entries.iter().for_each(|(key, value)| {
                add(key);
                add(value);
            }),
        }

        // An empty collection is a level as well.
        (cost, depth.max(1))
    }

    /// Whether both have the same content in the same order, whatever their spans and styles.
    fn has_same_content(&self, other: &YamlNode) -> bool {
        match (&self.kind, &other.kind) {
            // As text, whatever the quotes: `1` and `"1"` count as the same.
            (YamlNodeKind::Scalar(a, _), YamlNodeKind::Scalar(b, _)) => a == b,
            (YamlNodeKind::Sequence(a, _), YamlNodeKind::Sequence(b, _)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.has_same_content(b))
            }
            (YamlNodeKind::Mapping(a, _), YamlNodeKind::Mapping(b, _)) => {
                // In order: a mapping in another order counts as another value, which errs on the
                // safe side.
                a.len() == b.len()
                    && a.iter()
                        .zip(b)
                        .all(|(a, b)| a.0.has_same_content(&b.0) && a.1.has_same_content(&b.1))
            }
            _ => false,
        }
    }
}

/// Moves entries with a repeated key from `entries` to `duplicates`.
pub(super) fn drop_duplicates(
    entries: &mut Vec<(YamlNode, YamlNode)>,
    duplicates: &mut Vec<DuplicateEntry>,
) {
    let mut seen = HashSet::with_capacity(entries.len());
    // The usual case, in which nothing has to be moved.
    if entries
        .iter()
        .all(|(key, _)| key.text().is_none_or(|text| seen.insert(text)))
    {
        return;
    }

    let mut kept: Vec<(YamlNode, YamlNode)> = Vec::with_capacity(entries.len());
    // By key, since thousands of duplicates must not take quadratic time.
    let mut positions: HashMap<String, usize> = HashMap::new();
    for (key, value) in entries.drain(..) {
        // A key that is a collection is never compared.
        let Some(text) = key.text() else {
            kept.push((key, value));
            continue;
        };
        // The first stays, as documented, whichever an agent takes; `same_value` says whether that
        // matters.
        if let Some(&first) = positions.get(text) {
            duplicates.push(DuplicateEntry {
                key: text.to_owned(),
                first: kept[first].0.span.clone(),
                second: key.span.clone(),
                value: value.span.clone(),
                same_value: kept[first].1.has_same_content(&value),
            });
        } else {
            positions.insert(text.to_owned(), kept.len());
            kept.push((key, value));
        }
    }

    *entries = kept;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn root(source: &str) -> YamlNode<'_> {
        parse_text(source).unwrap().root.unwrap()
    }

    #[track_caller]
    fn spans(source: &str, expected: &[(&str, &str)]) {
        let root = root(source);
        for (key, written) in expected {
            let (k, v) = root.entry(key).unwrap();
            assert_eq!(
                (&source[k.span.clone()], &source[v.span.clone()]),
                (*key, *written)
            );
        }
    }

    #[test]
    fn spans_cover_what_is_written_of_each_style() {
        spans(
            "plain: b  # c\r\nlong: x\r\n  y\r\n\r\n  z \r\nsingle: 'it''s'\r\ndouble: \"q\\n\"\r\nwide: é日\u{301} 🚀\r\n\
             lit: |- # why\r\n\r\n  foo\r\n   bar\r\n\r\nfold: >2\r\n  z\r\nnone:\r\nflow: {a: [1,\r\n 2]\r\n}\r\n\
             tagged: !!str &x 12\r\ntab:\tx\r\n",
            &[
                ("plain", "b"),
                ("long", "x\r\n  y\r\n\r\n  z"),
                ("single", "'it''s'"),
                ("double", "\"q\\n\""),
                ("wide", "é日\u{301} 🚀"),
                ("lit", "|- # why\r\n\r\n  foo\r\n   bar"),
                ("fold", ">2\r\n  z"),
                ("none", ""),
                ("flow", "{a: [1,\r\n 2]\r\n}"),
                ("tagged", "12"),
                ("tab", "x"),
            ],
        );
    }

    #[test]
    fn collections_by_indentation_span_from_first_to_last() {
        spans(
            "a:\n- b\n- c\nd:\n  - - e\n    - f\n  - g\nh:\n  i:\n    j: k\nl: m\n",
            &[
                ("a", "- b\n- c"),
                ("d", "- - e\n    - f\n  - g"),
                ("h", "i:\n    j: k"),
                ("l", "m"),
            ],
        );
    }

    #[test]
    fn spans_count_from_the_start_of_the_file() {
        let source = "\u{feff}---\nname: é\n---\n";
        let start = source.find("name").unwrap();
        let document = parse(
            source,
            start..source.rfind("---").unwrap(),
            &mut YamlBudget::default(),
        )
        .unwrap();
        let root = document.root.unwrap();
        assert_eq!(&source[root.get("name").unwrap().span.clone()], "é");
    }

    #[test]
    fn json_follows_the_core_schema_and_keeps_the_order() {
        let json = root(
            "z: 1\na: [true, yes, ~, null, Null, '', \"1\", 1.0, 1e3, .5, 0x1F, 0o17, 017, +3, -4, 2026-01-25, 1_000]\n\
             big: 18446744073709551615\nhuge: 18446744073709551616\ninf: .inf\nnot: -.nan\n!!str str: !!str 5\n\
             int: !!int \"5\"\nmine: !x 5\n? [k, 1]\n: v\n'2': two\n",
        )
        .to_json();
        assert_eq!(
            json.to_string(),
            json!({
                "z": 1,
                "a": [true, "yes", null, null, null, "", "1", 1.0, 1000.0, 0.5, 31, 15, 17, 3, -4, "2026-01-25", "1_000"],
                "big": u64::MAX, "huge": 18_446_744_073_709_551_616.0, "inf": ".inf", "not": "-.nan", "str": "5",
                "int": 5, "mine": "5", "[\"k\",1]": "v", "2": "two"
            })
            .to_string()
        );
    }

    #[test]
    fn of_two_entries_with_one_key_the_first_is_kept_and_both_are_shown() {
        let source = "a: 1\nb: {c: 1, 'c': 2, c: 1}\na: 1\n";
        let document = parse_text(source).unwrap();
        assert_eq!(
            document.root.unwrap().to_json(),
            json!({"a": 1, "b": {"c": 1}})
        );
        let found: Vec<_> = document
            .duplicates
            .iter()
            .map(|d| {
                (
                    d.key.as_str(),
                    d.first.start,
                    &source[d.second.clone()],
                    d.same_value,
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("c", 9, "'c'", false),
                ("c", 9, "c", true),
                ("a", 0, "a", true)
            ]
        );
    }

    #[test]
    fn an_alias_is_a_copy_with_the_span_of_the_alias() {
        let source = "a: &x {b: c}\nd: *x\n";
        let document = parse_text(source).unwrap();
        assert_eq!(document.aliases, vec![16..18]);
        let root = document.root.unwrap();
        assert_eq!(root.get("d").unwrap().to_json(), json!({"b": "c"}));
        assert_eq!(root.get("d").unwrap().span, 16..18);
    }

    #[test]
    fn an_alias_of_itself_and_an_unknown_one_are_faults() {
        assert_eq!(
            parse_text("a: &x [*x]\n").unwrap_err().kind,
            YamlErrorKind::Syntax
        );
        assert_eq!(parse_text("a: *x\n").unwrap_err().at, 3);
    }

    /// Callers accept at most 64 kB. With ten times that, an algorithm that is not linear would never end.
    #[test]
    fn alias_bombs_are_refused() {
        let mut laughs = String::from("a: &a [x,x,x,x,x,x,x,x,x]\n");
        for pair in ('a'..='z').collect::<Vec<_>>().windows(2) {
            let items = [format!("*{}", pair[0]).as_str(); 9].join(",");
            laughs += &format!("{}: &{} [{items}]\n", pair[1], pair[1]);
        }
        let text = format!(
            "a: &a {}\nb: [{}x]\n",
            "y".repeat(60_000),
            "*a,".repeat(1000)
        );
        let chain: String = (1..70).fold("a0: &a0 [x]\n".into(), |all, n| {
            all + &format!("a{n}: &a{n} [*a{}]\n", n - 1)
        });
        let bombs = [
            laughs,
            text,
            chain,
            "[".repeat(655_360),
            "- ".repeat(327_680),
            "{a: ".repeat(163_840),
            "? ".repeat(327_680),
        ];
        for bomb in bombs {
            assert_eq!(
                parse_text(&bomb).unwrap_err().kind,
                YamlErrorKind::Limit,
                "{bomb:.30}"
            );
        }
    }

    #[test]
    fn sixty_four_levels_are_read_and_one_more_is_not() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(parse_text(&nested(64)).is_ok());
        assert_eq!(
            parse_text(&nested(65)).unwrap_err().kind,
            YamlErrorKind::Limit
        );
    }

    #[test]
    fn a_second_document_is_a_fault() {
        assert_eq!(
            parse_text("a: b\n--- c\n").unwrap_err().message,
            "unexpected second document"
        );
    }

    #[test]
    fn quoted_text_reads_back() {
        for text in [
            "",
            "a: b # c",
            "\"\\\r\n\t\0\u{7f}\u{85}\u{9f}\u{2028}\u{feff}\u{ffff}é🚀",
            "C:\\temp",
        ] {
            assert_eq!(root(&quote(text)).text(), Some(text));
        }
    }
}
