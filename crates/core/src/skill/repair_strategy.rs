//! The ways to repair one field of a frontmatter that is invalid YAML, and the messages about it.

mod field_value;

use crate::report::{
    Diagnostic, DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange, Span,
};

use super::yaml::{self, YamlBudget, YamlError, YamlErrorKind};
use field_value::{FieldValue, first_line};

/// Most faults in one frontmatter that is still repaired.
// A skill with more is broken as a whole, and each repair parses its field again.
pub(super) const ERRORS_MAX: usize = 200;

/// An edit that makes a part of the frontmatter valid YAML. Whether the result is what the author meant depends on the
/// rule: for quotes around a plain value it is, for quotes around half a mapping it is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepairEdit {
    /// The rule whose finding it answers.
    pub rule: &'static str,
    /// The bytes of the file to replace.
    pub span: Span,
    /// What takes their place.
    pub replacement: String,
}

/// One top-level field, with all lines that belong to it. Positions are bytes of the file.
#[derive(Debug, Clone)]
pub(super) struct TopLevelField {
    /// Its key, without quotes.
    pub(super) key: Span,
    /// The byte after the colon.
    pub(super) colon: usize,
    /// The whole of it, from the start of its first line to the start of the next field.
    pub(super) span: Span,
}

/// Findings, and the edits that answer them.
#[derive(Default)]
pub(super) struct RepairStrategy {
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) repairs: Vec<RepairEdit>,
}

impl RepairStrategy {
    /// One finding, all of whose edits belong together.
    pub(super) fn from_finding(
        found: Diagnostic,
        applicability: FixApplicability,
        message: &str,
        repairs: Vec<RepairEdit>,
    ) -> Self {
        let changes = repairs.iter().map(RepairEdit::to_change).collect();
        let fix = DiagnosticFix {
            applicability,
            message: message.to_owned(),
            changes,
        };

        RepairStrategy {
            diagnostics: vec![found.fix(fix)],
            repairs,
        }
    }
}

impl RepairEdit {
    /// The step of a fix that makes this edit.
    #[must_use]
    pub fn to_change(&self) -> FixChange {
        FixChange::Edit {
            span: self.span.clone(),
            content: self.replacement.clone(),
        }
    }
}

/// Splits the text into its top-level fields. Text before the first of them is in none.
pub(super) fn split_fields(source: &str, range: Span) -> Vec<TopLevelField> {
    let indent_of = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let text = &source[range.clone()];
    // The whole frontmatter may be indented, which is valid YAML.
    let margin = text
        .lines()
        .find(|line| !is_comment_only(line))
        .map_or(0, indent_of);

    let mut fields: Vec<TopLevelField> = Vec::new();
    let mut start = range.start;
    for line in text.split_inclusive('\n') {
        let indent = indent_of(line);
        // A line that is deeper than the first field belongs to a value.
        if let Some((key, colon)) = parse_key(&line[indent..]).filter(|_| indent <= margin) {
            if let Some(last) = fields.last_mut() {
                last.span.end = start;
            }
            let at = start + indent;
            fields.push(TopLevelField {
                key: at + key.start..at + key.end,
                colon: at + colon,
                span: start..range.end,
            });
        }
        start += line.len();
    }

    fields
}

/// The fields of the specification, which are recognized without a space after their colon.
const SPEC_FIELDS: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];

/// The key at the start of a line, and the byte after its colon; `None` if the line does not begin with a key.
pub(super) fn parse_key(line: &str) -> Option<(Span, usize)> {
    let key = match line.chars().next()? {
        // A quoted key is a key whatever is in it.
        quote @ ('"' | '\'') => 1..1 + line[1..].find(quote)?,
        first if first.is_alphanumeric() || first == '_' || first == '$' => {
            0..line
                .find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | '$' | '/'))?
        }
        _ => return None,
    };

    let end = if key.start == 1 { key.end + 1 } else { key.end };
    // YAML allows spaces between the key and its colon.
    let rest = line[end..].trim_start_matches([' ', '\t']);
    let after = rest.strip_prefix(':')?;
    let colon = line.len() - after.len();
    // Elsewhere `https://…` would be a key; the fields of the specification are known by name.
    let has_space = after.is_empty() || after.starts_with([' ', '\t', '\r', '\n']);
    (has_space || SPEC_FIELDS.contains(&&line[key.clone()])).then_some((key, colon))
}

/// The ways to repair `field`, best first.
pub(super) fn repair_strategies(
    source: &str,
    field: &TopLevelField,
    fault: &YamlError,
    budget: &mut YamlBudget,
) -> Vec<RepairStrategy> {
    // The caller parses after each, and takes the first that gives valid YAML.
    let value = FieldValue::from_field(source, field);
    let mut strategies = Vec::new();

    if fault.kind == YamlErrorKind::Surrogate {
        strategies.extend(replace_lone_surrogates(source, field));
    }
    // Tabs are replaced even if the parser stopped at another fault.
    if fault.kind == YamlErrorKind::Tab || has_tab_indent(&source[field.span.clone()]) {
        strategies.extend(replace_tabs(source, field));
    }
    // A name is never longer than its line.
    if &source[field.key.clone()] == "name" {
        strategies.extend(comment_out_strays(source, field));
    }
    if value.nested {
        strategies.extend(quote_nested_values(source, field, budget));
    }

    // Before quotes: `name:pdf` is a field without its space, and not a text with a colon.
    strategies.extend(add_space_after_colon(source, field));
    strategies.extend(indent_lines(source, field, &value));
    // Quotes around everything come last: they lose whatever structure the value had.
    strategies.push(value.quote(fault));
    strategies
}

/// Inserts the missing space after the colon of a known field.
fn add_space_after_colon(source: &str, field: &TopLevelField) -> Option<RepairStrategy> {
    // Only fields of the specification get here without a space; see `parse_key`.
    let lacks = source[field.colon..field.span.end].starts_with(|c: char| !c.is_whitespace());
    if !lacks {
        return None;
    }

    let (colon, end) = (field.colon - 1, field.colon);
    let found = Diagnostic::new(
        "yaml-syntax",
        DiagnosticLevel::Error,
        "missing space after the colon",
    )
    .at(colon..end, source)
    .help("write a space after the colon");

    let repairs = vec![RepairEdit {
        rule: "yaml-syntax",
        span: end..end,
        replacement: " ".into(),
    }];

    Some(RepairStrategy::from_finding(
        found,
        FixApplicability::Safe,
        "write a space after the colon",
        repairs,
    ))
}

/// Indents the lines of a value that begin in the column of the key.
fn indent_lines(source: &str, field: &TopLevelField, value: &FieldValue) -> Option<RepairStrategy> {
    let text = &source[value.span.clone()];
    if value.nested && parse_key(text.trim_start()).is_some()
        || text.starts_with(['"', '\'', '{', '['])
    {
        return None;
    }

    let margin = field.key.start - field.span.start;
    let needed = if text.starts_with(['|', '>']) {
        block_indent(text, margin)
    } else {
        margin + 1
    };

    let repairs = indent_edits(text, value.span.start, margin, needed);
    let first = repairs.first()?.span.start;
    let end = first + first_line(&source[first..]).trim_end().len();
    let found = Diagnostic::new(
        "yaml-unindented-continuation",
        DiagnosticLevel::Error,
        "a line that continues a value must be indented",
    )
    .at(first..end, source)
    .label(field.key.clone(), "the value of this field")
    .help("indent it by two spaces");

    // Below any other field the lines may as well be stray text.
    let applicability = if &source[field.key.clone()] == "description" {
        FixApplicability::Safe
    } else {
        FixApplicability::Unsafe
    };

    Some(RepairStrategy::from_finding(
        found,
        applicability,
        "indent the lines of the value",
        repairs,
    ))
}

/// The spaces that the lines of a value lack, from its second line on; `start` is where the value begins.
fn indent_edits(text: &str, start: usize, margin: usize, needed: usize) -> Vec<RepairEdit> {
    let mut repairs = Vec::new();
    let mut at = start;

    for line in text.split_inclusive('\n') {
        if at > start && !line.trim().is_empty() && leading_whitespace(line) < needed {
            let replacement = " ".repeat(needed.max(margin + 2) - leading_whitespace(line));
            repairs.push(RepairEdit {
                rule: "yaml-unindented-continuation",
                span: at..at,
                replacement,
            });
        }
        at += line.len();
    }

    repairs
}

/// The indentation that lines below `|` or `>` need: that of the first line, or deeper than the key.
fn block_indent(text: &str, margin: usize) -> usize {
    let first = text
        .lines()
        .skip(1)
        .find(|line| !line.trim().is_empty())
        .map_or(0, leading_whitespace);
    if first > margin { first } else { margin + 2 }
}

/// Replaces every lone half of a surrogate pair by a replacement character.
fn replace_lone_surrogates(source: &str, field: &TopLevelField) -> Option<RepairStrategy> {
    let text = &source[field.span.clone()];
    let (mut repairs, mut at) = (Vec::new(), 0);

    while let Some(found) = text[at..].find("\\u") {
        at += found;
        match (utf16_escape(text, at), utf16_escape(text, at + 6)) {
            // A whole pair is one character and stays.
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 12,
            (Some(0xD800..=0xDFFF), _) => {
                let start = field.span.start + at;
                repairs.push(RepairEdit {
                    rule: "yaml-surrogate-escape",
                    span: start..start + 6,
                    replacement: "\\uFFFD".into(),
                });
                at += 6;
            }
            _ => at += 2,
        }
    }

    let span = repairs.first()?.span.clone();
    let found = Diagnostic::new(
        "yaml-surrogate-escape",
        DiagnosticLevel::Error,
        "lone surrogate escape is not a character",
    )
    .at(span, source)
    .help("write the character itself");

    Some(RepairStrategy::from_finding(
        found,
        FixApplicability::Unsafe,
        "write a replacement character",
        repairs,
    ))
}

fn has_tab_indent(text: &str) -> bool {
    text.lines()
        .any(|line| line[..leading_whitespace(line)].contains('\t'))
}

/// Replaces every tab in indentation by two spaces.
fn replace_tabs(source: &str, field: &TopLevelField) -> Option<RepairStrategy> {
    let (mut repairs, mut at) = (Vec::new(), field.span.start);
    for line in source[field.span.clone()].split_inclusive('\n') {
        // Both, since editors mix them within one indentation.
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        if indent.contains('\t') {
            // Two spaces: the usual indentation of YAML. How wide the author's tab was is not
            // known.
            let replacement = indent.replace('\t', "  ");
            repairs.push(RepairEdit {
                rule: "yaml-tab",
                span: at..at + indent.len(),
                replacement,
            });
        }
        at += line.len();
    }

    let first = repairs.first()?.span.clone();
    let tab = first.start + source[first.clone()].find('\t')?;
    let found = Diagnostic::new(
        "yaml-tab",
        DiagnosticLevel::Error,
        "YAML does not allow tabs in indentation",
    )
    .at(tab..tab + 1, source)
    .help("indent with spaces");

    Some(RepairStrategy::from_finding(
        found,
        FixApplicability::Safe,
        "indent with spaces",
        repairs,
    ))
}

/// Turns the lines below a name into comments: a name is never longer than its line.
fn comment_out_strays(source: &str, field: &TopLevelField) -> Option<RepairStrategy> {
    // The first line has the name itself.
    let mut lines = source[field.span.clone()].split_inclusive('\n');
    let mut at = field.span.start + lines.next()?.len();

    let mut repairs = Vec::new();
    for line in lines {
        if !is_comment_only(line) {
            repairs.push(RepairEdit {
                rule: "yaml-syntax",
                span: at..at,
                replacement: "# ".into(),
            });
        }
        at += line.len();
    }

    let first = repairs.first()?.span.start;
    let line = first_line(&source[first..]);
    let tab = line[..leading_whitespace(line)]
        .find('\t')
        .map(|tab| first + tab);
    let (rule, message, at) = match tab {
        Some(tab) => ("yaml-tab", "YAML does not allow tabs in indentation", tab),
        None if leading_whitespace(line) == 0 => (
            "yaml-unindented-continuation",
            "this line is neither a field nor part of the one above",
            first,
        ),
        None => (
            "yaml-syntax",
            "this line is neither a field nor part of the one above",
            first,
        ),
    };

    // All edits answer the one finding, which is about the first line.
    for repair in &mut repairs {
        repair.rule = rule;
    }

    let found = Diagnostic::new(rule, DiagnosticLevel::Error, message)
        .at(at..first + line.trim_end().len(), source)
        .help("begin it with a key and a colon in the first column");
    Some(RepairStrategy::from_finding(
        found,
        FixApplicability::Unsafe,
        "turn it into a comment",
        repairs,
    ))
}

/// Quotes those values of nested lines that are invalid YAML by themselves.
fn quote_nested_values(
    source: &str,
    field: &TopLevelField,
    budget: &mut YamlBudget,
) -> Option<RepairStrategy> {
    let mut strategy = RepairStrategy::default();
    let mut at = field.span.start;
    let mut block = None;
    for line in source[field.span.clone()].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let indent = leading_whitespace(line);
        // The first line has the key itself, and all lines below a block header are text.
        if start == field.span.start
            || line.trim().is_empty()
            || block.is_some_and(|outer| indent > outer)
        {
            continue;
        }

        let text = line.trim_end();
        // The value of `- key: value`, without the dash and the key.
        let value = start + value_offset(text)..start + text.len();
        block = source[value.clone()]
            .starts_with(['|', '>'])
            .then_some(indent);
        if block.is_some() || value.is_empty() {
            continue;
        }

        // A value that is valid by itself keeps its type: quotes would make `true` a text.
        let Err(fault) = yaml::parse(source, start + indent..value.end, budget) else {
            continue;
        };
        // Each value is parsed alone, so their number is bounded.
        if strategy.repairs.len() >= ERRORS_MAX {
            return None;
        }

        let text = source[value.clone()].to_owned();
        let more = FieldValue {
            source,
            span: value,
            text,
            nested: false,
        }
        .quote(&fault);
        strategy.diagnostics.extend(more.diagnostics);
        strategy.repairs.extend(more.repairs);
    }

    (!strategy.repairs.is_empty()).then_some(strategy)
}

/// Where the value of an indented line begins: after dashes and a key.
fn value_offset(line: &str) -> usize {
    let mut at = leading_whitespace(line);
    while let Some(rest) = line[at..].strip_prefix("- ") {
        at = line.len() - rest.trim_start().len();
    }

    match parse_key(&line[at..]) {
        Some((_, colon)) => at + colon + leading_whitespace(&line[at + colon..]),
        None => at,
    }
}

pub(super) fn is_comment_only(text: &str) -> bool {
    text.lines()
        .all(|line| matches!(line.trim_start().chars().next(), None | Some('#')))
}

/// How many bytes of white space a text begins with.
pub(super) fn leading_whitespace(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The number after a `\u` at byte `at`; `None` if there is no such escape.
pub(super) fn utf16_escape(text: &str, at: usize) -> Option<u16> {
    u16::from_str_radix(text.get(at..)?.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

/// The rule that a fault breaks when nothing more precise is known.
pub(super) fn default_rule(kind: YamlErrorKind) -> &'static str {
    match kind {
        YamlErrorKind::Limit => "yaml-limit",
        YamlErrorKind::Tab => "yaml-tab",
        YamlErrorKind::Quotes => "yaml-bad-quotes",
        YamlErrorKind::Surrogate => "yaml-surrogate-escape",
        YamlErrorKind::Flow => "yaml-broken-flow",
        YamlErrorKind::Syntax => "yaml-syntax",
    }
}

/// A parser's message in the style of ours: lower case first, no full stop.
pub(super) fn lower_first(message: &str) -> String {
    let mut chars = message.chars();
    let first = chars.next().map(|c| c.to_ascii_lowercase());
    first
        .into_iter()
        .chain(chars)
        .collect::<String>()
        .trim_end_matches('.')
        .to_owned()
}
