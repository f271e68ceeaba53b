//! Reads frontmatter that is invalid YAML, as lenient agents do.
//!
//! ```yaml
//! name: harden                                  # parses alone: left as it is
//! description: Production-ready: error handling # does not: read as if its value were quoted
//! license: MIT
//! ```
//!
//! The text is split into its top-level fields, each is parsed alone, and only those that fail are repaired: a tab
//! becomes spaces, half a surrogate pair a replacement character, a value that requires quotes gets them, and the
//! lines that belong to it are folded into it. Each [`RepairEdit`] is also the edit that would fix the file, and each
//! comes with a diagnostic of level error that names the rule and the column.

use crate::report::{
    Diagnostic, DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange, Span,
};

use super::repair_strategy::{
    ERRORS_MAX, RepairEdit, RepairStrategy, TopLevelField, default_rule, is_comment_only,
    leading_whitespace, lower_first, repair_strategies, split_fields, utf16_escape,
};
use super::yaml::{
    self, DuplicateEntry, YamlBudget, YamlDocument, YamlError, YamlErrorKind, YamlLayout, YamlNode,
    YamlNodeKind, YamlStyle,
};

/// The result of parsing a frontmatter.
#[derive(Debug, Default)]
pub(super) struct ParsedFrontmatter<'a> {
    /// Its value, repaired where necessary; `None` if it is empty or exceeds a limit.
    pub(super) root: Option<YamlNode<'a>>,
    pub(super) duplicates: Vec<DuplicateEntry>,
    pub(super) repairs: Vec<RepairEdit>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Parses the frontmatter in `range` of `source`, and repairs invalid YAML.
pub(super) fn parse_lenient(source: &str, range: Span) -> ParsedFrontmatter<'_> {
    let mut budget = YamlBudget::default();
    let mut parsed = match yaml::parse(source, range.clone(), &mut budget) {
        Ok(document) => ParsedFrontmatter {
            root: document.root,
            duplicates: document.duplicates,
            ..ParsedFrontmatter::default()
        },
        // Nothing is repaired beyond a limit: each attempt would parse as much again.
        Err(fault) if fault.kind == YamlErrorKind::Limit => limit_refusal(source, &fault),
        Err(fault) => FrontmatterRepairer {
            source,
            budget,
            parsed: ParsedFrontmatter::default(),
        }
        .repair(range.clone(), &fault),
    };

    // This parser joins the two escapes; others reject each half.
    if let Some(root) = parsed
        .root
        .as_ref()
        .filter(|_| source[range].contains("\\u") && parsed.repairs.is_empty())
    {
        parsed
            .diagnostics
            .extend(surrogate_pairs_diagnostic(source, root));
    }

    parsed
        .duplicates
        .sort_by_key(|duplicate| duplicate.second.start);
    // Bounded: a file of nothing but duplicates must not flood the report.
    for duplicate in parsed.duplicates.iter().take(ERRORS_MAX) {
        parsed
            .diagnostics
            .push(duplicate_key_diagnostic(source, duplicate));
    }

    parsed
}

/// Reports surrogate pairs that are written as two escapes, as JSON does.
fn surrogate_pairs_diagnostic(source: &str, root: &YamlNode) -> Option<Diagnostic> {
    let mut pairs = Vec::new();
    find_surrogate_pairs(source, root, &mut pairs);
    let (first, _) = pairs.first()?;

    let found = Diagnostic::new(
        "yaml-surrogate-escape",
        DiagnosticLevel::Warning,
        "surrogate pair written as two escapes",
    )
    .at(first.clone(), source)
    .note("parsers that reject surrogate escapes, such as the one of Codex, drop this skill")
    .help("write the character itself");

    let changes = pairs
        .into_iter()
        .map(|(span, c)| FixChange::Edit {
            span,
            content: c.into(),
        })
        .collect();
    let message = "write the characters themselves".into();
    Some(found.fix(DiagnosticFix {
        applicability: FixApplicability::Safe,
        message,
        changes,
    }))
}

fn find_surrogate_pairs(source: &str, node: &YamlNode, pairs: &mut Vec<(Span, char)>) {
    match &node.kind {
        YamlNodeKind::Scalar(_, YamlStyle::DoubleQuoted) => {
            push_surrogate_pairs(source, node.span.clone(), pairs);
        }
        YamlNodeKind::Scalar(..) => {}
        YamlNodeKind::Sequence(items, _) => items
            .iter()
            .for_each(|item| find_surrogate_pairs(source, item, pairs)),
        YamlNodeKind::Mapping(entries, _) => entries.iter().for_each(|(key, value)| {
            find_surrogate_pairs(source, key, pairs);
            find_surrogate_pairs(source, value, pairs);
        }),
    }
}

fn push_surrogate_pairs(source: &str, span: Span, pairs: &mut Vec<(Span, char)>) {
    let Some(text) = source.get(span.clone()) else {
        return;
    };

    // A pair has twelve bytes: two escapes of six.
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        at += found;
        let (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) =
            (utf16_escape(text, at), utf16_escape(text, at + 6))
        else {
            // The escape and the character after it.
            at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8);
            continue;
        };

        let start = span.start + at;
        let pair = char::decode_utf16([high, low]).next().and_then(Result::ok);
        pairs.extend(pair.map(|c| (start..start + 12, c)));
        at += 12;
    }
}

fn limit_refusal<'a>(source: &str, fault: &YamlError) -> ParsedFrontmatter<'a> {
    let message = format!("refusing to read the frontmatter: {}", fault.message);
    let diagnostic = Diagnostic::new("yaml-limit", DiagnosticLevel::Error, message)
        .at(fault.at..fault.at, source);
    ParsedFrontmatter {
        diagnostics: vec![diagnostic],
        ..ParsedFrontmatter::default()
    }
}

fn duplicate_key_diagnostic(source: &str, duplicate: &DuplicateEntry) -> Diagnostic {
    let message = format!("duplicate key `{}`", duplicate.key.escape_debug());
    let found = Diagnostic::new("yaml-duplicate-key", DiagnosticLevel::Error, message)
        .at(duplicate.second.clone(), source)
        .label(duplicate.first.clone(), "first defined here")
        .note("some agents take the first value, some the last, and most drop the skill")
        .help("remove one of the two");

    let applicability = if duplicate.same_value {
        FixApplicability::Safe
    } else {
        FixApplicability::Unsafe
    };

    match entry_to_remove(source, duplicate) {
        Some(lines) => found.fix(DiagnosticFix::edit(
            applicability,
            "remove the second",
            lines,
            "",
        )),
        None => found,
    }
}

/// The lines of the second entry, if nothing else is on them; within brackets the entry and the comma before it.
fn entry_to_remove(source: &str, duplicate: &DuplicateEntry) -> Option<Span> {
    let start = source[..duplicate.second.start]
        .rfind('\n')
        .map_or(0, |at| at + 1);
    let before = &source[start..duplicate.second.start];
    let last = duplicate.value.end.max(duplicate.second.end);
    let end = source[last..]
        .find('\n')
        .map_or(source.len(), |at| last + at + 1);
    let after = source[last..end].trim_start_matches(':').trim();
    let unspaced = source[..duplicate.second.start].trim_end();

    // Within brackets the comma before the entry goes with it.
    if unspaced.ends_with(',') {
        return Some(unspaced.len() - 1..last);
    }

    let alone = before.chars().all(|c| c == ' ') && (after.is_empty() || after.starts_with('#'));
    alone.then_some(start..end)
}

struct FrontmatterRepairer<'a> {
    source: &'a str,
    budget: YamlBudget,
    parsed: ParsedFrontmatter<'a>,
}

impl<'a> FrontmatterRepairer<'a> {
    /// Builds the tree from the fields, each parsed alone.
    fn repair(mut self, range: Span, fault: &YamlError) -> ParsedFrontmatter<'a> {
        let fields = split_fields(self.source, range.clone());
        let preface = range.start..fields.first().map_or(range.end, |field| field.span.start);
        let mut entries = match self.read_entries(preface, &fields) {
            Ok(entries) => entries,
            Err(fault) => return limit_refusal(self.source, &fault),
        };

        // Each field was parsed alone, so a key in two of them was not noticed yet.
        yaml::drop_duplicates(&mut entries, &mut self.parsed.duplicates);
        self.check_margins(&fields);
        // Fields can be valid one by one and the whole not; then only the first fault is reported.
        if self.parsed.diagnostics.is_empty() {
            let (rule, message) = (default_rule(fault.kind), lower_first(&fault.message));
            self.report(rule, &message, fault.at..fault.at);
        }

        if let (Some(first), Some(last)) = (entries.first(), entries.last()) {
            let span = first.0.span.start..last.1.span.end.max(last.0.span.end);
            self.parsed.root = Some(YamlNode {
                kind: YamlNodeKind::Mapping(entries, YamlLayout::Block),
                span,
                tag: None,
            });
        }

        self.parsed
    }

    /// The entries of the text before the fields, and those of each field.
    ///
    /// # Errors
    /// Only a fault of kind [`YamlErrorKind::Limit`].
    fn read_entries(
        &mut self,
        preface: Span,
        fields: &[TopLevelField],
    ) -> Result<Vec<(YamlNode<'a>, YamlNode<'a>)>, YamlError> {
        let mut entries = self.read_preface(preface)?;
        for field in fields {
            if let Some(YamlNode {
                kind: YamlNodeKind::Mapping(more, _),
                ..
            }) = self.read_field(field)?
            {
                entries.extend(more);
            }
        }

        Ok(entries)
    }

    /// The entries before the first recognized field.
    ///
    /// # Errors
    /// Only a fault of kind [`YamlErrorKind::Limit`].
    fn read_preface(&mut self, span: Span) -> Result<Vec<(YamlNode<'a>, YamlNode<'a>)>, YamlError> {
        match yaml::parse(self.source, span.clone(), &mut self.budget) {
            Ok(YamlDocument { root: None, .. }) => return Ok(Vec::new()),
            Ok(YamlDocument {
                root:
                    Some(YamlNode {
                        kind: YamlNodeKind::Mapping(entries, _),
                        ..
                    }),
                duplicates,
                ..
            }) => {
                self.parsed.duplicates.extend(duplicates);
                return Ok(entries);
            }
            Err(fault) if fault.kind == YamlErrorKind::Limit => return Err(fault),
            _ => {}
        }

        let start = span.start + leading_whitespace(&self.source[span.clone()]);
        // A mapping in brackets has no lines that could be repaired one by one.
        if self.source[start..].starts_with(['{', '[']) {
            self.report(
                "yaml-broken-flow",
                "mismatched brackets around the frontmatter",
                start..start + 1,
            );
        } else {
            self.comment_out(span);
        }

        Ok(Vec::new())
    }

    /// Turns the lines of a span, which are text and no fields, into comments.
    fn comment_out(&mut self, span: Span) {
        let mut repairs = Vec::new();
        let mut at = span.start;
        for line in self.source[span].split_inclusive('\n') {
            if !is_comment_only(line) {
                repairs.push(RepairEdit {
                    rule: "yaml-syntax",
                    span: at..at,
                    replacement: "# ".into(),
                });
            }
            at += line.len();
        }

        let Some(first) = repairs.first() else {
            return;
        };
        let line = &self.source[first.span.start..];
        let start = first.span.start + leading_whitespace(line);
        let end = first.span.start + line.lines().next().unwrap_or_default().trim_end().len();

        let message = "the frontmatter does not begin with a field";
        let found = Diagnostic::new("yaml-syntax", DiagnosticLevel::Error, message)
            .at(start..end, self.source)
            .help("begin it with `name: `");

        self.record(RepairStrategy::from_finding(
            found,
            FixApplicability::Unsafe,
            "turn it into a comment",
            repairs,
        ));
    }

    /// Reports top-level fields that are not indented alike.
    fn check_margins(&mut self, fields: &[TopLevelField]) {
        let indent = |field: &TopLevelField| leading_whitespace(&self.source[field.span.clone()]);
        let Some(margin) = fields.iter().map(indent).min() else {
            return;
        };

        // Alone each field is valid at any indentation; together they must share one.
        let deeper = fields.iter().filter(|field| indent(field) > margin);
        let unindent = |field: &TopLevelField| RepairEdit {
            rule: "yaml-syntax",
            span: field.span.start + margin..field.span.start + indent(field),
            replacement: String::new(),
        };
        let repairs: Vec<RepairEdit> = deeper.map(unindent).collect();
        let Some(first) = repairs.first() else { return };

        let message = "this field is indented deeper than the other top-level fields";
        let found = Diagnostic::new("yaml-syntax", DiagnosticLevel::Error, message)
            .at(first.span.clone(), self.source);
        let found = found.help("begin all fields in the same column");

        self.record(RepairStrategy::from_finding(
            found,
            FixApplicability::Safe,
            "remove the spaces before the field",
            repairs,
        ));
    }

    fn record(&mut self, strategy: RepairStrategy) {
        self.parsed.diagnostics.extend(strategy.diagnostics);
        self.parsed.repairs.extend(strategy.repairs);
        self.parsed.repairs.sort_by_key(|repair| repair.span.start);
    }

    fn report(&mut self, rule: &str, message: &str, span: Span) {
        self.parsed
            .diagnostics
            .push(Diagnostic::new(rule, DiagnosticLevel::Error, message).at(span, self.source));
    }

    /// The mapping of one entry that `field` is; `None` where it cannot be repaired, which has then been reported.
    ///
    /// # Errors
    /// Only a fault of kind [`YamlErrorKind::Limit`].
    fn read_field(&mut self, field: &TopLevelField) -> Result<Option<YamlNode<'a>>, YamlError> {
        let fault = match yaml::parse(self.source, field.span.clone(), &mut self.budget) {
            Ok(document) if is_mapping(&document) => {
                self.parsed.duplicates.extend(document.duplicates);
                return Ok(document.root);
            }
            Ok(_) => YamlError {
                kind: YamlErrorKind::Syntax,
                message: "expected `key: ` at the start of a field".into(),
                at: field.key.start,
            },
            Err(fault) if fault.kind == YamlErrorKind::Limit => return Err(fault),
            Err(fault) => fault,
        };

        // Each strategy below parses the field again, so the number of broken fields is bounded.
        if self.parsed.diagnostics.len() >= ERRORS_MAX {
            let message = format!("it has more than {ERRORS_MAX} errors");
            return Err(YamlError {
                kind: YamlErrorKind::Limit,
                message,
                at: fault.at,
            });
        }

        // The first strategy after which the field parses wins.
        for strategy in repair_strategies(self.source, field, &fault, &mut self.budget) {
            if let Some(node) = self.parse_repaired(field, &strategy.repairs)? {
                self.parsed.diagnostics.extend(strategy.diagnostics);
                self.parsed.repairs.extend(strategy.repairs);
                return Ok(Some(node));
            }
        }

        let message = lower_first(&fault.message);
        self.report(default_rule(fault.kind), &message, fault.at..fault.at);
        Ok(None)
    }

    /// Parses `field` with `repairs` applied; spans are those of the original file.
    fn parse_repaired(
        &mut self,
        field: &TopLevelField,
        repairs: &[RepairEdit],
    ) -> Result<Option<YamlNode<'a>>, YamlError> {
        // Text is rebuilt for each attempt, so many edits are as bad as many faults.
        if repairs.len() > ERRORS_MAX {
            return Ok(None);
        }

        let text = repaired_text(self.source, field.span.clone(), repairs);
        // The tree has positions of the repaired text, and findings need those of the file.
        let place = |at| original_offset(field.span.start, repairs, at);

        match yaml::parse(&text, 0..text.len(), &mut self.budget) {
            Ok(document) if is_mapping(&document) => {
                let moved = |span: &Span| place(span.start)..place(span.end);
                self.parsed
                    .duplicates
                    .extend(document.duplicates.into_iter().map(|d| DuplicateEntry {
                        first: moved(&d.first),
                        second: moved(&d.second),
                        value: moved(&d.value),
                        ..d
                    }));
                Ok(document.root.map(|root| root.with_mapped_spans(&place)))
            }
            Err(fault) if fault.kind == YamlErrorKind::Limit => Err(YamlError {
                at: place(fault.at),
                ..fault
            }),
            _ => Ok(None),
        }
    }
}

/// The text of a span with `repairs`, which are sorted, applied.
fn repaired_text(source: &str, span: Span, repairs: &[RepairEdit]) -> String {
    let mut text = String::with_capacity(span.len() + 16);
    let mut at = span.start;

    for repair in repairs {
        text.push_str(&source[at..repair.span.start]);
        text.push_str(&repair.replacement);
        at = repair.span.end;
    }

    text.push_str(&source[at..span.end]);
    text
}

fn is_mapping(document: &YamlDocument) -> bool {
    document
        .root
        .as_ref()
        .is_some_and(|root| root.entries().is_some())
}

/// The byte of the file for byte `at` of the repaired text; inside of a replacement, its start.
fn original_offset(start: usize, repairs: &[RepairEdit], at: usize) -> usize {
    let (mut from, mut to) = (start, 0);

    for repair in repairs {
        let replaced = to + (repair.span.start - from);
        if at < replaced + repair.replacement.len() {
            return if at <= replaced {
                from + (at - to)
            } else {
                repair.span.start
            };
        }
        to = replaced + repair.replacement.len();
        from = repair.span.end;
    }

    from + (at - to)
}
