//! The ways to repair one field of a frontmatter that is invalid YAML, and the messages about it.

use crate::report::{
    Diagnostic, DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange, Span,
};

use super::yaml::{self, YamlBudget, YamlError, YamlErrorKind};

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
    let (colon, end) = (field.colon - 1, field.colon);

    let found = lacks.then(|| {
        Diagnostic::new(
            "yaml-syntax",
            DiagnosticLevel::Error,
            "missing space after the colon",
        )
        .at(colon..end, source)
        .help("write a space after the colon")
    })?;

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

fn quoting_help(rule: &str, replacement: &str) -> String {
    // The replacement is shown if it fits on a line and hides nothing.
    match replacement.chars().count() {
        _ if rule == "yaml-tab" => "indent with spaces".to_owned(),
        0..=HELP_MAX if is_visible(replacement) => {
            format!("quote the value: {}", replacement.trim())
        }
        _ => "quote the value".to_owned(),
    }
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

/// Longest replacement, in characters, that is shown within a line of help.
const HELP_MAX: usize = 100;

/// The value of a field as its author meant it.
struct FieldValue<'s> {
    source: &'s str,
    /// Its span in the file.
    span: Span,
    /// All its lines as one text.
    text: String,
    /// Whether the line of the key has no value, so that the lines below are fields or items.
    nested: bool,
}

impl<'s> FieldValue<'s> {
    fn from_field(source: &'s str, field: &TopLevelField) -> Self {
        let rest = &source[field.colon..field.span.end];
        let start = field.colon + rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let head_end = source[start..field.span.end]
            .find('\n')
            .map_or(field.span.end, |at| start + at);
        let head = source[start..head_end].trim_end();

        let (mut end, mut last) = (start + head.len(), head_end);
        for line in source[head_end..field.span.end].split_inclusive('\n') {
            // Comments below the value are not part of it.
            if !is_comment_only(line) {
                end = last + line.trim_end().len();
            }
            last += line.len();
        }

        // A block scalar loses its header: `|` keeps the lines apart, `>` joins them.
        let literal = head.starts_with('|') && is_block_header(head);
        let text = if literal || (head.starts_with('>') && is_block_header(head)) {
            fold_lines(
                &source[start + head.len()..end.max(start + head.len())],
                if literal { '\n' } else { ' ' },
            )
        } else {
            fold_lines(&source[start..end], ' ')
        };

        FieldValue {
            source,
            span: start..end,
            text,
            nested: head.is_empty() && end > head_end,
        }
    }

    /// The field with its value in quotes.
    fn quote(&self, fault: &YamlError) -> RepairStrategy {
        let ValueProblem { rule, at, message } = self.find_problem(fault);
        let text = strip_quotes(&self.text);
        let text = if rule == "control-character" {
            strip_control_characters(&text)
        } else {
            text
        };

        // `key:value` lacks its space, which goes before the quotes.
        let space = if self.source[..self.span.start].ends_with(':') {
            " "
        } else {
            ""
        };
        let replacement = format!("{space}{}", yaml::quote(&text));

        let width = self.source[at..]
            .chars()
            .next()
            .filter(|c| !matches!(c, '\n' | '\r'))
            .map_or(0, char::len_utf8);

        let mut found = Diagnostic::new(rule, DiagnosticLevel::Error, message)
            .at(at..at + width, self.source)
            .help(quoting_help(rule, &replacement));
        if rule == "yaml-unquoted-colon" {
            found = found.label(self.span.start..at, "this value has no quotes");
        }

        let applicability = self.quote_applicability(rule, at);
        let repairs = vec![RepairEdit {
            rule,
            span: self.span.clone(),
            replacement,
        }];

        RepairStrategy::from_finding(found, applicability, "quote the value", repairs)
    }

    /// Whether quotes around the whole value are surely what was meant.
    fn quote_applicability(&self, rule: &str, at: usize) -> FixApplicability {
        let written = &self.source[self.span.clone()];
        let (first, below) = written.split_once('\n').unwrap_or((written, ""));
        // Lines that look like fields or items may have been meant as such.
        let fields = below.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with("- ") || parse_key(line).is_some()
        });

        // The text after ` # ` may have been meant as a comment, or as part of the value.
        let comment = first.contains(" # ");

        match rule {
            "yaml-unquoted-colon" | "yaml-reserved-start" if !fields && !comment => {
                FixApplicability::Safe
            }
            "yaml-unindented-continuation" if !fields && !comment => FixApplicability::Safe,
            "control-character" if at < self.span.start + first.len() => FixApplicability::Safe,
            _ => FixApplicability::Unsafe,
        }
    }

    /// The most precise problem that explains why the value is invalid.
    fn find_problem(&self, fault: &YamlError) -> ValueProblem {
        let text = &self.source[self.span.clone()];
        // In this order: what is invisible, then what is at the start, then the layout.
        self.find_control_character(text)
            .or_else(|| self.find_bad_start(text, fault))
            .or_else(|| self.find_bad_layout(text, fault))
            .unwrap_or_else(|| {
                ValueProblem::new(
                    default_rule(fault.kind),
                    self.clamp_to_value(fault.at),
                    lower_first(&fault.message),
                )
            })
    }

    fn find_control_character(&self, text: &str) -> Option<ValueProblem> {
        let (at, c) = text.char_indices().find(|&(_, c)| is_control(c))?;
        let message = format!(
            "the value contains the control character U+{:04X}",
            u32::from(c)
        );
        Some(ValueProblem::new(
            "control-character",
            self.span.start + at,
            message,
        ))
    }

    /// A problem at the start of a value.
    fn find_bad_start(&self, text: &str, fault: &YamlError) -> Option<ValueProblem> {
        let start = self.span.start;
        let cause = match text.chars().next()? {
            // The parser reports where it gave up, which is often lines below the quote that is
            // wrong.
            '"' | '\'' => match find_bad_quotes(text) {
                Some((at, message)) => ValueProblem::new("yaml-bad-quotes", start + at, message),
                None => ValueProblem::new(
                    "yaml-bad-quotes",
                    self.clamp_to_value(fault.at),
                    lower_first(&fault.message),
                ),
            },
            // As Jinja and Mustache write it: a template that was never filled in.
            '{' if text.starts_with("{{") => {
                let message = "`{{` begins two mappings; is this an unfilled template?";
                ValueProblem::new("yaml-broken-flow", self.clamp_to_value(fault.at), message)
            }
            '{' | '[' if !closes_early(text) => {
                let message = "mismatched brackets, or invalid YAML between them";
                ValueProblem::new("yaml-broken-flow", self.clamp_to_value(fault.at), message)
            }
            '|' | '>' if is_block_header(first_line(text)) => return None,
            '`' => ValueProblem::new(
                "yaml-reserved-start",
                start,
                "an unquoted value cannot begin with a backtick",
            ),
            c if RESERVED.contains(c) => ValueProblem::new(
                "yaml-reserved-start",
                start,
                format!("an unquoted value cannot begin with `{c}`"),
            ),
            _ => return None,
        };

        Some(cause)
    }

    /// A problem further on in a plain value, or with its lines.
    fn find_bad_layout(&self, text: &str, fault: &YamlError) -> Option<ValueProblem> {
        // The tab first: colons after it may be fields that it hides.
        if fault.kind == YamlErrorKind::Tab {
            return Some(ValueProblem::new(
                "yaml-tab",
                self.first_tab(self.clamp_to_value(fault.at)),
                "YAML does not allow a tab here",
            ));
        }

        if let Some(at) = find_unquoted_colon(text).filter(|_| !self.nested) {
            let message = "unquoted `: ` makes the frontmatter invalid YAML";
            return Some(ValueProblem::new(
                "yaml-unquoted-colon",
                self.span.start + at,
                message,
            ));
        }

        let at = self.span.start + find_unindented_line(text)?;
        Some(ValueProblem::new(
            "yaml-unindented-continuation",
            at,
            "a line that continues a value must be indented",
        ))
    }

    /// The byte `at`, or the nearest one within the value.
    fn clamp_to_value(&self, at: usize) -> usize {
        self.source
            // A fault of the parser may be in the next field, or in the middle of a character.
            .floor_char_boundary(at.clamp(self.span.start, self.span.end))
    }

    /// The first tab that a line of the value begins with; else `at`.
    fn first_tab(&self, at: usize) -> usize {
        let text = &self.source[self.span.clone()];
        let found = text.match_indices('\n').find_map(|(end, _)| {
            let line = &text[end + 1..];
            line[..leading_whitespace(line)]
                .find('\t')
                .map(|tab| end + 1 + tab)
        });

        found.map_or(at, |tab| self.span.start + tab)
    }
}

/// Why a value is invalid YAML.
struct ValueProblem {
    rule: &'static str,
    at: usize,
    message: String,
}

impl ValueProblem {
    fn new(rule: &'static str, at: usize, message: impl Into<String>) -> Self {
        ValueProblem {
            rule,
            at,
            message: message.into(),
        }
    }
}

/// Characters that a plain value cannot begin with. A dash or question mark counts only before a space, but where such a
/// value is invalid YAML, that is why.
const RESERVED: &str = "@`*&!%{[>|,?-]}";

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Whether a value is `|`, `>-` or the like, so that its text is on the lines below.
fn is_block_header(head: &str) -> bool {
    let rest = head[1..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '+' || c == '-');
    let rest = rest.trim_start();
    rest.is_empty() || rest.starts_with('#')
}

/// The lines of `text` without their indentation, one blank line a line break, others joined by `joint`.
fn fold_lines(text: &str, joint: char) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut breaks = false;
    for line in text.trim().lines() {
        let line = line.trim();
        if line.is_empty() {
            breaks = true;
            continue;
        }
        if !folded.is_empty() {
            folded.push(if breaks { '\n' } else { joint });
        }
        folded.push_str(line);
        breaks = false;
    }

    folded
}

/// The text of a value that was meant to be quoted; any other value unchanged.
///
/// Where the second quote is followed by a space, it closes a part of the text (`"A" or "B"`), and the last one does
/// not belong to the first.
fn strip_quotes(text: &str) -> String {
    // A comma after the value, as between fields of JSON.
    let text = text
        .strip_suffix(',')
        .filter(|rest| is_quoted(rest))
        .unwrap_or(text);
    for quote in ['"', '\''] {
        let Some(inner) = text
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
        else {
            continue;
        };

        // Neither an escaped quote nor a doubled one ends the text.
        let closes = |&(at, _): &(usize, &str)| {
            !inner[..at].ends_with('\\') && !inner[at + 1..].starts_with(quote)
        };
        let second = inner.match_indices(quote).find(closes);
        if second.is_some_and(|(at, _)| inner[at + 1..].starts_with(char::is_whitespace)) {
            break;
        }

        return if quote == '"' {
            inner.replace("\\\"", "\"")
        } else {
            inner.replace("''", "'")
        };
    }

    text_after_open_quote(text).unwrap_or(text).to_owned()
}

fn is_quoted(text: &str) -> bool {
    text.len() > 1
        && ['"', '\'']
            .iter()
            .any(|&quote| text.starts_with(quote) && text.ends_with(quote))
}

/// The text after an unclosed quote; `None` if the quote is closed. An apostrophe within a word does not close one.
fn text_after_open_quote(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = &text[1..];
    let in_word = |at: usize| {
        let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        quote == '\''
            && letter(inner[..at].chars().next_back())
            && letter(inner[at + 1..].chars().next())
    };

    inner
        .match_indices(quote)
        .all(|(at, _)| in_word(at))
        .then_some(inner)
}

/// Characters that may follow a backslash in double quotes.
const ESCAPES: &str = "0abt\tnvfre \"/\\N_LPxuU\r\n";

/// The position and message of the first quoting error in a text that begins with a quote; `None` if there is none.
fn find_bad_quotes(text: &str) -> Option<(usize, &'static str)> {
    let double = text.starts_with('"');
    let mut chars = text.char_indices().skip(1).peekable();

    while let Some((at, c)) = chars.next() {
        match c {
            // `"C:\Users"`: in YAML an unknown escape is an error.
            '\\' if double => match chars.next() {
                Some((_, escaped)) if !ESCAPES.contains(escaped) => {
                    return Some((at, "unknown escape sequence in double quotes"));
                }
                _ => {}
            },
            // Two single quotes are one of the text.
            '\'' if !double && chars.peek().is_some_and(|&(_, next)| next == '\'') => {
                chars.next();
            }
            '"' | '\'' if double == (c == '"') => {
                let rest = &text[at + 1..];
                return (!rest.trim().is_empty()).then(|| {
                    (
                        at + 1 + leading_whitespace(rest),
                        "unexpected text after the closing quote",
                    )
                });
            }
            _ => {}
        }
    }

    Some((0, "unclosed quote"))
}

/// Whether the bracket that `text` begins with closes before its end, so that it was meant as text.
fn closes_early(text: &str) -> bool {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let rest = text[at + 1..]
                        .trim_matches(|c: char| c.is_whitespace() || matches!(c, '}' | ']'));
                    // `{{` begins a template that was not filled in.
                    return !text.starts_with("{{") && !rest.is_empty();
                }
            }
            _ => {}
        }
    }
    false
}

/// The first colon in `text` that YAML takes for the end of a key.
fn find_unquoted_colon(text: &str) -> Option<usize> {
    text.match_indices(':').map(|(at, _)| at).find(|at| {
        let rest = &text[at + 1..];
        rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n'])
    })
}

/// The first line, after line one, that is not indented.
fn find_unindented_line(text: &str) -> Option<usize> {
    text.match_indices('\n').map(|(at, _)| at + 1).find(|&at| {
        text[at..]
            .chars()
            .next()
            .is_some_and(|c| !c.is_whitespace() && c != '#')
    })
}

/// Whether all characters of a text are visible, so that it may be shown unescaped.
fn is_visible(text: &str) -> bool {
    text.chars()
        .all(|c| matches!(c, '"' | '\'' | '\\') || c.escape_debug().len() == 1)
}

/// The text without ASCII control characters. Those of the second block (C1) are letters read in a wrong encoding, and
/// stay.
fn strip_control_characters(text: &str) -> String {
    text.chars()
        .filter(|&c| !(c.is_ascii_control() && is_control(c)))
        .collect()
}

/// Whether YAML forbids the character, even in quotes.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}')
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
