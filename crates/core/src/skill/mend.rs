//! Frontmatter that is no YAML, read as lenient agents read it.
//!
//! ```yaml
//! name: harden                                  # parses alone: left as it is
//! description: Production-ready: error handling # does not: read as if its value stood in quotes
//! license: MIT
//! ```
//!
//! The text is cut into the fields of its top level, each is parsed alone, and only one that fails is mended: a tab
//! becomes blanks, half a surrogate pair a replacement character, a value that cannot stand without quotes gets them,
//! and the lines that belong to it are folded into it. Each [`Mend`] is also the edit that would mend the file, and
//! each comes with a diagnostic of level error that names the rule and the column.

use crate::report::{Applicability, Change, Diagnostic, Fix, Level, Span};

use super::remedy::{
    FAULTS_MAX, Field, Mend, Remedy, fields, leading, lower_first, only_comments, remedies, rule_of, unit,
};
use super::yaml::{self, Budget, Document, Duplicate, Fault, FaultKind, Kind, Layout, Node, Style};

/// What came of parsing a frontmatter.
#[derive(Debug, Default)]
pub(super) struct Parsed<'a> {
    /// Its value, mended where need be; `None` if it is empty or beyond all limits.
    pub(super) root: Option<Node<'a>>,
    pub(super) duplicates: Vec<Duplicate>,
    pub(super) mends: Vec<Mend>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Parses the frontmatter in `range` of `source`, mending what is no YAML.
pub(super) fn parse(source: &str, range: Span) -> Parsed<'_> {
    let mut budget = Budget::default();
    let mut parsed = match yaml::parse(source, range.clone(), &mut budget) {
        Ok(document) => Parsed { root: document.root, duplicates: document.duplicates, ..Parsed::default() },
        Err(fault) if fault.kind == FaultKind::Limit => refused(source, &fault),
        Err(fault) => Mending { source, budget, parsed: Parsed::default() }.mend(range.clone(), &fault),
    };
    if let Some(root) = parsed.root.as_ref().filter(|_| source[range].contains("\\u") && parsed.mends.is_empty()) {
        parsed.diagnostics.extend(surrogate_pairs(source, root));
    }
    parsed.duplicates.sort_by_key(|duplicate| duplicate.second.start);
    for duplicate in parsed.duplicates.iter().take(FAULTS_MAX) {
        parsed.diagnostics.push(duplicate_key(source, duplicate));
    }
    parsed
}

/// Surrogate pairs that are written as two escapes, as JSON does.
fn surrogate_pairs(source: &str, root: &Node) -> Option<Diagnostic> {
    let mut pairs = Vec::new();
    find_pairs(source, root, &mut pairs);
    let (first, _) = pairs.first()?;
    let found = Diagnostic::new("yaml-surrogate-escape", Level::Warning, "two escapes stand for one character")
        .at(first.clone(), source)
        .note("readers that take such halves for errors, Codex's among them, drop this skill")
        .help("write the character itself");
    let changes = pairs.into_iter().map(|(span, c)| Change::Edit { span, content: c.into() }).collect();
    let message = "write the characters themselves".into();
    Some(found.fix(Fix { applicability: Applicability::Safe, message, changes }))
}

fn find_pairs(source: &str, node: &Node, pairs: &mut Vec<(Span, char)>) {
    match &node.kind {
        Kind::Scalar(_, Style::DoubleQuoted) => pairs_in(source, node.span.clone(), pairs),
        Kind::Scalar(..) => {}
        Kind::Sequence(items, _) => items.iter().for_each(|item| find_pairs(source, item, pairs)),
        Kind::Mapping(entries, _) => entries.iter().for_each(|(key, value)| {
            find_pairs(source, key, pairs);
            find_pairs(source, value, pairs);
        }),
    }
}

fn pairs_in(source: &str, span: Span, pairs: &mut Vec<(Span, char)>) {
    let Some(text) = source.get(span.clone()) else { return };
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        at += found;
        let (Some(high @ 0xD800..=0xDBFF), Some(low @ 0xDC00..=0xDFFF)) = (unit(text, at), unit(text, at + 6)) else {
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

fn refused<'a>(source: &str, fault: &Fault) -> Parsed<'a> {
    let message = format!("the frontmatter is not read: {}", fault.message);
    let diagnostic = Diagnostic::new("yaml-limit", Level::Error, message).at(fault.at..fault.at, source);
    Parsed { diagnostics: vec![diagnostic], ..Parsed::default() }
}

fn duplicate_key(source: &str, duplicate: &Duplicate) -> Diagnostic {
    let message = format!("the key `{}` is there twice", duplicate.key.escape_debug());
    let found = Diagnostic::new("yaml-duplicate-key", Level::Error, message)
        .at(duplicate.second.clone(), source)
        .label(duplicate.first.clone(), "first here")
        .note("some agents take the first value, some the last, and most drop the skill")
        .help("remove one of the two");
    let applicability = if duplicate.same_value { Applicability::Safe } else { Applicability::Unsafe };
    match entry_of(source, duplicate) {
        Some(lines) => found.fix(Fix::edit(applicability, "remove the second", lines, "")),
        None => found,
    }
}

/// The lines of the second entry, if nothing else stands on them; within brackets the entry and the comma before it.
fn entry_of(source: &str, duplicate: &Duplicate) -> Option<Span> {
    let start = source[..duplicate.second.start].rfind('\n').map_or(0, |at| at + 1);
    let before = &source[start..duplicate.second.start];
    let last = duplicate.value.end.max(duplicate.second.end);
    let end = source[last..].find('\n').map_or(source.len(), |at| last + at + 1);
    let after = source[last..end].trim_start_matches(':').trim();
    let unspaced = source[..duplicate.second.start].trim_end();
    if unspaced.ends_with(',') {
        return Some(unspaced.len() - 1..last);
    }
    let alone = before.chars().all(|c| c == ' ') && (after.is_empty() || after.starts_with('#'));
    alone.then_some(start..end)
}

struct Mending<'a> {
    source: &'a str,
    budget: Budget,
    parsed: Parsed<'a>,
}

impl<'a> Mending<'a> {
    /// Puts the tree together from the fields.
    fn mend(mut self, range: Span, fault: &Fault) -> Parsed<'a> {
        let fields = fields(self.source, range.clone());
        let preface = range.start..fields.first().map_or(range.end, |field| field.span.start);
        let mut entries = match self.preface(preface) {
            Ok(entries) => entries,
            Err(fault) => return refused(self.source, &fault),
        };
        for field in &fields {
            match self.field(field) {
                Ok(root) => {
                    if let Some(Node { kind: Kind::Mapping(more, _), .. }) = root {
                        entries.extend(more);
                    }
                }
                Err(fault) => return refused(self.source, &fault),
            }
        }
        yaml::drop_duplicates(&mut entries, &mut self.parsed.duplicates);
        self.margins(&fields);
        if self.parsed.diagnostics.is_empty() {
            let (rule, message) = (rule_of(fault.kind), lower_first(&fault.message));
            self.tell(rule, &message, fault.at..fault.at);
        }
        if let (Some(first), Some(last)) = (entries.first(), entries.last()) {
            let span = first.0.span.start..last.1.span.end.max(last.0.span.end);
            self.parsed.root = Some(Node { kind: Kind::Mapping(entries, Layout::Block), span, tag: None });
        }
        self.parsed
    }

    /// The entries before the first field that is known as one.
    ///
    /// # Errors
    /// Only a fault of kind [`FaultKind::Limit`].
    fn preface(&mut self, span: Span) -> Result<Vec<(Node<'a>, Node<'a>)>, Fault> {
        match yaml::parse(self.source, span.clone(), &mut self.budget) {
            Ok(Document { root: None, .. }) => return Ok(Vec::new()),
            Ok(Document { root: Some(Node { kind: Kind::Mapping(entries, _), .. }), duplicates, .. }) => {
                self.parsed.duplicates.extend(duplicates);
                return Ok(entries);
            }
            Err(fault) if fault.kind == FaultKind::Limit => return Err(fault),
            _ => {}
        }
        let mut mends = Vec::new();
        let mut at = span.start;
        let start = span.start + leading(&self.source[span.clone()]);
        if self.source[start..].starts_with(['{', '[']) {
            self.tell("yaml-broken-flow", "the brackets around the frontmatter do not match", start..start + 1);
            return Ok(Vec::new());
        }
        for line in self.source[span].split_inclusive('\n') {
            if !only_comments(line) {
                mends.push(Mend { rule: "yaml-syntax", span: at..at, replacement: "# ".into() });
            }
            at += line.len();
        }
        let Some(first) = mends.first() else { return Ok(Vec::new()) };
        let line = &self.source[first.span.start..];
        let start = first.span.start + leading(line);
        let end = first.span.start + line.lines().next().unwrap_or_default().trim_end().len();
        let message = "the frontmatter does not begin with a field";
        let found = Diagnostic::new("yaml-syntax", Level::Error, message).at(start..end, self.source);
        let found = found.help("begin it with `name: `");
        self.take(Remedy::one(found, Applicability::Unsafe, "make a comment of it", mends));
        Ok(Vec::new())
    }

    /// Tells of fields of the top level that do not stand at one margin.
    fn margins(&mut self, fields: &[Field]) {
        let indent = |field: &Field| leading(&self.source[field.span.clone()]);
        let Some(margin) = fields.iter().map(indent).min() else { return };
        let deeper = fields.iter().filter(|field| indent(field) > margin);
        let mend = |field: &Field| Mend {
            rule: "yaml-syntax",
            span: field.span.start + margin..field.span.start + indent(field),
            replacement: String::new(),
        };
        let mends: Vec<Mend> = deeper.map(mend).collect();
        let Some(first) = mends.first() else { return };
        let message = "this field is indented deeper than others of the top level";
        let found = Diagnostic::new("yaml-syntax", Level::Error, message).at(first.span.clone(), self.source);
        let found = found.help("let all fields begin in one column");
        self.take(Remedy::one(found, Applicability::Safe, "remove the blanks before the field", mends));
    }

    fn take(&mut self, remedy: Remedy) {
        self.parsed.diagnostics.extend(remedy.diagnostics);
        self.parsed.mends.extend(remedy.mends);
        self.parsed.mends.sort_by_key(|mend| mend.span.start);
    }

    fn tell(&mut self, rule: &str, message: &str, span: Span) {
        self.parsed.diagnostics.push(Diagnostic::new(rule, Level::Error, message).at(span, self.source));
    }

    /// The mapping of one entry that `field` is; `None` where nothing can be made of it, which has then been told.
    ///
    /// # Errors
    /// Only a fault of kind [`FaultKind::Limit`].
    fn field(&mut self, field: &Field) -> Result<Option<Node<'a>>, Fault> {
        let fault = match yaml::parse(self.source, field.span.clone(), &mut self.budget) {
            Ok(document) if is_mapping(&document) => {
                self.parsed.duplicates.extend(document.duplicates);
                return Ok(document.root);
            }
            Ok(_) => {
                Fault { kind: FaultKind::Syntax, message: "a field begins with `key: `".into(), at: field.key.start }
            }
            Err(fault) if fault.kind == FaultKind::Limit => return Err(fault),
            Err(fault) => fault,
        };
        if self.parsed.diagnostics.len() >= FAULTS_MAX {
            let message = format!("it has more than {FAULTS_MAX} faults");
            return Err(Fault { kind: FaultKind::Limit, message, at: fault.at });
        }
        for remedy in remedies(self.source, field, &fault, &mut self.budget) {
            if let Some(node) = self.apply(field, &remedy.mends)? {
                self.parsed.diagnostics.extend(remedy.diagnostics);
                self.parsed.mends.extend(remedy.mends);
                return Ok(Some(node));
            }
        }
        let message = lower_first(&fault.message);
        self.tell(rule_of(fault.kind), &message, fault.at..fault.at);
        Ok(None)
    }

    /// Parses `field` as it would read after `mends`, with the places of the unmended file.
    fn apply(&mut self, field: &Field, mends: &[Mend]) -> Result<Option<Node<'a>>, Fault> {
        if mends.len() > FAULTS_MAX {
            return Ok(None);
        }
        let mut text = String::with_capacity(field.span.len() + 16);
        let mut at = field.span.start;
        for mend in mends {
            text.push_str(&self.source[at..mend.span.start]);
            text.push_str(&mend.replacement);
            at = mend.span.end;
        }
        text.push_str(&self.source[at..field.span.end]);

        match yaml::parse(&text, 0..text.len(), &mut self.budget) {
            Ok(document) if is_mapping(&document) => {
                let place = |at| original(field.span.start, mends, at);
                let moved = |span: &Span| place(span.start)..place(span.end);
                self.parsed.duplicates.extend(document.duplicates.into_iter().map(|d| Duplicate {
                    first: moved(&d.first),
                    second: moved(&d.second),
                    value: moved(&d.value),
                    ..d
                }));
                Ok(document.root.map(|root| root.moved(&place)))
            }
            Err(fault) if fault.kind == FaultKind::Limit => {
                Err(Fault { at: original(field.span.start, mends, fault.at), ..fault })
            }
            _ => Ok(None),
        }
    }
}

fn is_mapping(document: &Document) -> bool {
    document.root.as_ref().is_some_and(|root| root.entries().is_some())
}

/// The byte of the file that byte `at` of the mended text stands for; inside of a replacement, its start.
fn original(start: usize, mends: &[Mend], at: usize) -> usize {
    let (mut from, mut to) = (start, 0);
    for mend in mends {
        let replaced = to + (mend.span.start - from);
        if at < replaced + mend.replacement.len() {
            return if at <= replaced { from + (at - to) } else { mend.span.start };
        }
        to = replaced + mend.replacement.len();
        from = mend.span.end;
    }
    from + (at - to)
}
