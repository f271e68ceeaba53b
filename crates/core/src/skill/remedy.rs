//! The ways to mend one field of a frontmatter that is no YAML, and the words for what is wrong with it.

use crate::report::{Applicability, Change, Diagnostic, Fix, Level, Span};

use super::yaml::{self, Budget, Fault, FaultKind};

/// More faults than this in one frontmatter, and it is not worth mending.
pub(super) const FAULTS_MAX: usize = 200;

/// An edit that makes a part of the frontmatter valid YAML. Whether it makes it what its author meant depends on the
/// rule: quotes around a plain value do, quotes around half a mapping do not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mend {
    /// The rule whose finding it answers.
    pub rule: &'static str,
    /// The bytes of the file to be replaced.
    pub span: Span,
    /// What takes their place.
    pub replacement: String,
}

/// One field of the top level, with all lines that belong to it. Places are bytes of the file.
#[derive(Debug, Clone)]
pub(super) struct Field {
    /// Its key, without quotes.
    pub(super) key: Span,
    /// After the colon.
    pub(super) colon: usize,
    /// The whole of it, from the start of its first line to the start of the next field.
    pub(super) span: Span,
}

/// Findings, and the edits that answer them.
#[derive(Default)]
pub(super) struct Remedy {
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) mends: Vec<Mend>,
}

impl Remedy {
    /// One finding, all of whose edits belong together.
    pub(super) fn one(found: Diagnostic, applicability: Applicability, message: &str, mends: Vec<Mend>) -> Self {
        let changes = mends.iter().map(Mend::change).collect();
        let fix = Fix { applicability, message: message.to_owned(), changes };
        Remedy { diagnostics: vec![found.fix(fix)], mends }
    }
}

impl Mend {
    /// The step of a fix that it is.
    #[must_use]
    pub fn change(&self) -> Change {
        Change::Edit { span: self.span.clone(), content: self.replacement.clone() }
    }
}

/// Cuts the text into the fields of its top level. What comes before the first of them is in none.
pub(super) fn fields(source: &str, range: Span) -> Vec<Field> {
    let blanks = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let text = &source[range.clone()];
    let margin = text.lines().find(|line| !only_comments(line)).map_or(0, blanks);

    let mut fields: Vec<Field> = Vec::new();
    let mut start = range.start;
    for line in text.split_inclusive('\n') {
        let indent = blanks(line);
        if let Some((key, colon)) = key_line(&line[indent..]).filter(|_| indent <= margin) {
            if let Some(last) = fields.last_mut() {
                last.span.end = start;
            }
            let at = start + indent;
            fields.push(Field { key: at + key.start..at + key.end, colon: at + colon, span: start..range.end });
        }
        start += line.len();
    }
    fields
}

/// The fields of the specification, which need no blank after their colon to be known.
const KNOWN: [&str; 6] = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// The key at the start of a line and where its colon ends.
pub(super) fn key_line(line: &str) -> Option<(Span, usize)> {
    let key = match line.chars().next()? {
        quote @ ('"' | '\'') => 1..1 + line[1..].find(quote)?,
        first if first.is_alphanumeric() || first == '_' || first == '$' => {
            0..line.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | '$' | '/'))?
        }
        _ => return None,
    };
    let end = if key.start == 1 { key.end + 1 } else { key.end };
    let rest = line[end..].trim_start_matches([' ', '\t']);
    let after = rest.strip_prefix(':')?;
    let colon = line.len() - after.len();
    let blank = after.is_empty() || after.starts_with([' ', '\t', '\r', '\n']);
    (blank || KNOWN.contains(&&line[key.clone()])).then_some((key, colon))
}

/// The ways to mend `field`, best first.
pub(super) fn remedies(source: &str, field: &Field, fault: &Fault, budget: &mut Budget) -> Vec<Remedy> {
    let value = Value::of(source, field);
    let mut remedies = Vec::new();
    if fault.kind == FaultKind::Surrogate {
        remedies.extend(half_surrogates(source, field));
    }
    if fault.kind == FaultKind::Tab || has_tab_indent(&source[field.span.clone()]) {
        remedies.extend(tabs(source, field));
    }
    if &source[field.key.clone()] == "name" {
        remedies.extend(strays(source, field));
    }
    if value.nested {
        remedies.extend(lines_within(source, field, budget));
    }
    remedies.extend(blank_after_colon(source, field));
    remedies.extend(indented(source, field, &value));
    remedies.push(value.quoted(fault));
    remedies
}

/// Writes the blank that the colon of a known field lacks.
fn blank_after_colon(source: &str, field: &Field) -> Option<Remedy> {
    let lacks = source[field.colon..field.span.end].starts_with(|c: char| !c.is_whitespace());
    let (colon, end) = (field.colon - 1, field.colon);
    let found = lacks.then(|| {
        Diagnostic::new("yaml-syntax", Level::Error, "a blank is missing after the colon")
            .at(colon..end, source)
            .help("write a blank after the colon")
    })?;
    let mends = vec![Mend { rule: "yaml-syntax", span: end..end, replacement: " ".into() }];
    Some(Remedy::one(found, Applicability::Safe, "write a blank after the colon", mends))
}

/// Indents the lines of a value that stand at the margin.
fn indented(source: &str, field: &Field, value: &Value) -> Option<Remedy> {
    let text = &source[value.span.clone()];
    if value.nested && key_line(text.trim_start()).is_some() || text.starts_with(['"', '\'', '{', '[']) {
        return None;
    }
    let margin = field.key.start - field.span.start;
    let needed = if text.starts_with(['|', '>']) { block_indent(text, margin) } else { margin + 1 };
    let mut mends = Vec::new();
    let mut at = value.span.start;
    for line in text.split_inclusive('\n') {
        if at > value.span.start && !line.trim().is_empty() && leading(line) < needed {
            let replacement = " ".repeat(needed.max(margin + 2) - leading(line));
            mends.push(Mend { rule: "yaml-unindented-continuation", span: at..at, replacement });
        }
        at += line.len();
    }
    let first = mends.first()?.span.start;
    let end = first + first_line(&source[first..]).trim_end().len();
    let found =
        Diagnostic::new("yaml-unindented-continuation", Level::Error, "a line that continues a value must be indented");
    let found = found
        .at(first..end, source)
        .label(field.key.clone(), "the value of this field")
        .help("indent it by two blanks");
    // Below any other field the lines may as well be lost text.
    let sure = &source[field.key.clone()] == "description";
    let applicability = if sure { Applicability::Safe } else { Applicability::Unsafe };
    Some(Remedy::one(found, applicability, "indent the lines of the value", mends))
}

/// How far the lines of a text below `|` or `>` must be indented: as its first line, or deeper than the key.
fn block_indent(text: &str, margin: usize) -> usize {
    let first = text.lines().skip(1).find(|line| !line.trim().is_empty()).map_or(0, leading);
    if first > margin { first } else { margin + 2 }
}

/// Writes a replacement character for every half of a surrogate pair that stands alone.
fn half_surrogates(source: &str, field: &Field) -> Option<Remedy> {
    let text = &source[field.span.clone()];
    let (mut mends, mut at) = (Vec::new(), 0);
    while let Some(found) = text[at..].find("\\u") {
        at += found;
        match (unit(text, at), unit(text, at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => at += 12,
            (Some(0xD800..=0xDFFF), _) => {
                let start = field.span.start + at;
                mends.push(Mend {
                    rule: "yaml-surrogate-escape",
                    span: start..start + 6,
                    replacement: "\\uFFFD".into(),
                });
                at += 6;
            }
            _ => at += 2,
        }
    }
    let span = mends.first()?.span.clone();
    let found = Diagnostic::new("yaml-surrogate-escape", Level::Error, "half of a surrogate pair is no character")
        .at(span, source)
        .help("write the character itself");
    Some(Remedy::one(found, Applicability::Unsafe, "write a replacement character", mends))
}

fn has_tab_indent(text: &str) -> bool {
    text.lines().any(|line| line[..leading(line)].contains('\t'))
}

/// Writes two blanks for every tab that lines begin with.
fn tabs(source: &str, field: &Field) -> Option<Remedy> {
    let (mut mends, mut at) = (Vec::new(), field.span.start);
    for line in source[field.span.clone()].split_inclusive('\n') {
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        if indent.contains('\t') {
            let replacement = indent.replace('\t', "  ");
            mends.push(Mend { rule: "yaml-tab", span: at..at + indent.len(), replacement });
        }
        at += line.len();
    }
    let first = mends.first()?.span.clone();
    let tab = first.start + source[first.clone()].find('\t')?;
    let found = Diagnostic::new("yaml-tab", Level::Error, "YAML allows no tab in indentation")
        .at(tab..tab + 1, source)
        .help("indent with blanks");
    Some(Remedy::one(found, Applicability::Safe, "indent with blanks", mends))
}

/// Makes comments of the lines below a name, which is never longer than its line.
fn strays(source: &str, field: &Field) -> Option<Remedy> {
    let mut lines = source[field.span.clone()].split_inclusive('\n');
    let mut at = field.span.start + lines.next()?.len();
    let mut mends = Vec::new();
    for line in lines {
        if !only_comments(line) {
            mends.push(Mend { rule: "yaml-syntax", span: at..at, replacement: "# ".into() });
        }
        at += line.len();
    }
    let first = mends.first()?.span.start;
    let line = first_line(&source[first..]);
    let tab = line[..leading(line)].find('\t').map(|tab| first + tab);
    let (rule, message, at) = match tab {
        Some(tab) => ("yaml-tab", "YAML allows no tab in indentation", tab),
        None if leading(line) == 0 => {
            ("yaml-unindented-continuation", "this line is neither a field nor part of the one above", first)
        }
        None => ("yaml-syntax", "this line is neither a field nor part of the one above", first),
    };
    for mend in &mut mends {
        mend.rule = rule;
    }
    let found = Diagnostic::new(rule, Level::Error, message)
        .at(at..first + line.trim_end().len(), source)
        .help("begin it with its key and a colon at the margin");
    Some(Remedy::one(found, Applicability::Unsafe, "make a comment of it", mends))
}

/// Puts quotes around those values of nested lines that are no YAML by themselves.
fn lines_within(source: &str, field: &Field, budget: &mut Budget) -> Option<Remedy> {
    let mut remedy = Remedy::default();
    let mut at = field.span.start;
    let mut block = None;
    for line in source[field.span.clone()].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let indent = leading(line);
        if start == field.span.start || line.trim().is_empty() || block.is_some_and(|outer| indent > outer) {
            continue;
        }
        let text = line.trim_end();
        let value = start + value_of_line(text)..start + text.len();
        block = source[value.clone()].starts_with(['|', '>']).then_some(indent);
        if block.is_some() || value.is_empty() {
            continue;
        }
        let Err(fault) = yaml::parse(source, start + indent..value.end, budget) else { continue };
        if remedy.mends.len() >= FAULTS_MAX {
            return None;
        }
        let text = source[value.clone()].to_owned();
        let more = Value { source, span: value, text, nested: false }.quoted(&fault);
        remedy.diagnostics.extend(more.diagnostics);
        remedy.mends.extend(more.mends);
    }
    (!remedy.mends.is_empty()).then_some(remedy)
}

/// Where the value of an indented line begins: after dashes and a key.
fn value_of_line(line: &str) -> usize {
    let mut at = leading(line);
    while let Some(rest) = line[at..].strip_prefix("- ") {
        at = line.len() - rest.trim_start().len();
    }
    match key_line(&line[at..]) {
        Some((_, colon)) => at + colon + leading(&line[at + colon..]),
        None => at,
    }
}

/// Longest replacement, in characters, that is shown within a line of help.
const HELP_MAX: usize = 100;

/// What was meant to be the text of a field.
struct Value<'s> {
    source: &'s str,
    /// Where it is written.
    span: Span,
    /// All its lines as one text.
    text: String,
    /// Whether nothing stands on the line of the key, so that the lines below are fields or items.
    nested: bool,
}

impl<'s> Value<'s> {
    fn of(source: &'s str, field: &Field) -> Self {
        let rest = &source[field.colon..field.span.end];
        let start = field.colon + rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let head_end = source[start..field.span.end].find('\n').map_or(field.span.end, |at| start + at);
        let head = source[start..head_end].trim_end();

        let (mut end, mut last) = (start + head.len(), head_end);
        for line in source[head_end..field.span.end].split_inclusive('\n') {
            if !only_comments(line) {
                end = last + line.trim_end().len();
            }
            last += line.len();
        }
        let literal = head.starts_with('|') && is_block_header(head);
        let text = if literal || (head.starts_with('>') && is_block_header(head)) {
            folded(&source[start + head.len()..end.max(start + head.len())], if literal { '\n' } else { ' ' })
        } else {
            folded(&source[start..end], ' ')
        };
        Value { source, span: start..end, text, nested: head.is_empty() && end > head_end }
    }

    /// The field with its value in quotes.
    fn quoted(&self, fault: &Fault) -> Remedy {
        let Cause { rule, at, message } = self.cause(fault);
        let text = unquoted(&self.text);
        let text = if rule == "control-character" { printable(&text) } else { text };
        let blank = if self.source[..self.span.start].ends_with(':') { " " } else { "" };
        let replacement = format!("{blank}{}", yaml::quote(&text));
        let help = match replacement.chars().count() {
            _ if rule == "yaml-tab" => "indent with blanks".to_owned(),
            0..=HELP_MAX if is_visible(&replacement) => format!("quote the value: {}", replacement.trim()),
            _ => "quote the value".to_owned(),
        };
        let width = self.source[at..].chars().next().filter(|c| !matches!(c, '\n' | '\r')).map_or(0, char::len_utf8);
        let mut found = Diagnostic::new(rule, Level::Error, message).at(at..at + width, self.source).help(help);
        if rule == "yaml-unquoted-colon" {
            found = found.label(self.span.start..at, "this value has no quotes");
        }
        let applicability = self.trust(rule, at);
        let mends = vec![Mend { rule, span: self.span.clone(), replacement }];
        Remedy::one(found, applicability, "quote the value", mends)
    }

    /// Whether quotes around all of it make it what was meant.
    fn trust(&self, rule: &str, at: usize) -> Applicability {
        let written = &self.source[self.span.clone()];
        let (first, below) = written.split_once('\n').unwrap_or((written, ""));
        let fields = below.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with("- ") || key_line(line).is_some()
        });
        // What stands after `# ` was a comment to its author, or it was not.
        let comment = first.contains(" # ");
        match rule {
            "yaml-unquoted-colon" | "yaml-reserved-start" if !fields && !comment => Applicability::Safe,
            "yaml-unindented-continuation" if !fields && !comment => Applicability::Safe,
            "control-character" if at < self.span.start + first.len() => Applicability::Safe,
            _ => Applicability::Unsafe,
        }
    }

    /// The rule that is broken, where, and in what words.
    fn cause(&self, fault: &Fault) -> Cause {
        let text = &self.source[self.span.clone()];
        self.control(text)
            .or_else(|| self.start(text, fault))
            .or_else(|| self.layout(text, fault))
            .unwrap_or_else(|| Cause::new(rule_of(fault.kind), self.within(fault.at), lower_first(&fault.message)))
    }

    fn control(&self, text: &str) -> Option<Cause> {
        let (at, c) = text.char_indices().find(|&(_, c)| is_control(c))?;
        let message = format!("the value holds the control character U+{:04X}", u32::from(c));
        Some(Cause::new("control-character", self.span.start + at, message))
    }

    /// What is wrong with how a value begins.
    fn start(&self, text: &str, fault: &Fault) -> Option<Cause> {
        let start = self.span.start;
        let cause = match text.chars().next()? {
            '"' | '\'' => match bad_quotes(text) {
                Some((at, message)) => Cause::new("yaml-bad-quotes", start + at, message),
                None => Cause::new("yaml-bad-quotes", self.within(fault.at), lower_first(&fault.message)),
            },
            '{' if text.starts_with("{{") => {
                let message = "`{{` begins two mappings; was a template to be filled in?";
                Cause::new("yaml-broken-flow", self.within(fault.at), message)
            }
            '{' | '[' if !closes_early(text) => {
                let message = "the brackets do not match, or something between them is no YAML";
                Cause::new("yaml-broken-flow", self.within(fault.at), message)
            }
            '|' | '>' if is_block_header(first_line(text)) => return None,
            '`' => Cause::new("yaml-reserved-start", start, "a value without quotes cannot begin with a backtick"),
            c if RESERVED.contains(c) => {
                Cause::new("yaml-reserved-start", start, format!("a value without quotes cannot begin with `{c}`"))
            }
            _ => return None,
        };
        Some(cause)
    }

    /// What is wrong further on in a plain value, or with its lines.
    fn layout(&self, text: &str, fault: &Fault) -> Option<Cause> {
        if fault.kind == FaultKind::Tab {
            return Some(Cause::new("yaml-tab", self.tab(self.within(fault.at)), "YAML allows no tab here"));
        }
        if let Some(at) = unquoted_colon(text).filter(|_| !self.nested) {
            let message = "unquoted `: ` makes the frontmatter invalid YAML";
            return Some(Cause::new("yaml-unquoted-colon", self.span.start + at, message));
        }
        let at = self.span.start + unindented(text)?;
        Some(Cause::new("yaml-unindented-continuation", at, "a line that continues a value must be indented"))
    }

    /// The byte `at`, or the nearest of the value.
    fn within(&self, at: usize) -> usize {
        self.source.floor_char_boundary(at.clamp(self.span.start, self.span.end))
    }

    /// The first tab that a line of the value begins with; else `at`.
    fn tab(&self, at: usize) -> usize {
        let text = &self.source[self.span.clone()];
        let found = text.match_indices('\n').find_map(|(end, _)| {
            let line = &text[end + 1..];
            line[..leading(line)].find('\t').map(|tab| end + 1 + tab)
        });
        found.map_or(at, |tab| self.span.start + tab)
    }
}

/// Why a value is no YAML.
struct Cause {
    rule: &'static str,
    at: usize,
    message: String,
}

impl Cause {
    fn new(rule: &'static str, at: usize, message: impl Into<String>) -> Self {
        Cause { rule, at, message: message.into() }
    }
}

/// What a plain value cannot begin with. A dash or question mark counts only before a blank, but where such a value
/// is no YAML, that is why.
const RESERVED: &str = "@`*&!%{[>|,?-]}";

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// Whether a value is `|`, `>-` and the like, so that its text stands below.
fn is_block_header(head: &str) -> bool {
    let rest = head[1..].trim_start_matches(|c: char| c.is_ascii_digit() || c == '+' || c == '-');
    let rest = rest.trim_start();
    rest.is_empty() || rest.starts_with('#')
}

/// The lines of `text` without their indentation, one blank line a line break, others joined by `joint`.
fn folded(text: &str, joint: char) -> String {
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

/// The text of a value that was meant to stand in quotes; any other as it is.
///
/// Where the second quote is followed by a blank, it closes a part of the text (`"A" or "B"`), and the last one does
/// not belong to the first.
fn unquoted(text: &str) -> String {
    // As JSON has it between fields.
    let text = text.strip_suffix(',').filter(|rest| is_quoted(rest)).unwrap_or(text);
    for quote in ['"', '\''] {
        let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) else { continue };
        let closes = |&(at, _): &(usize, &str)| !inner[..at].ends_with('\\') && !inner[at + 1..].starts_with(quote);
        let second = inner.match_indices(quote).find(closes);
        if second.is_some_and(|(at, _)| inner[at + 1..].starts_with(char::is_whitespace)) {
            break;
        }
        return if quote == '"' { inner.replace("\\\"", "\"") } else { inner.replace("''", "'") };
    }
    never_closed(text).unwrap_or(text).to_owned()
}

fn is_quoted(text: &str) -> bool {
    text.len() > 1 && ['"', '\''].iter().any(|&quote| text.starts_with(quote) && text.ends_with(quote))
}

/// The text after a quote that nothing closes; `None` if something does. An apostrophe within a word closes nothing.
fn never_closed(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let inner = &text[1..];
    let in_word = |at: usize| {
        let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        quote == '\'' && letter(inner[..at].chars().next_back()) && letter(inner[at + 1..].chars().next())
    };
    inner.match_indices(quote).all(|(at, _)| in_word(at)).then_some(inner)
}

/// What may stand after a backslash in double quotes.
const ESCAPES: &str = "0abt\tnvfre \"/\\N_LPxuU\r\n";

/// Where quotes go wrong in a text that begins with one, and how.
///
/// `None` if they are closed and nothing follows.
fn bad_quotes(text: &str) -> Option<(usize, &'static str)> {
    let double = text.starts_with('"');
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if double => match chars.next() {
                Some((_, escaped)) if !ESCAPES.contains(escaped) => {
                    return Some((at, "a backslash in double quotes begins an escape, and this is none"));
                }
                _ => {}
            },
            '\'' if !double && chars.peek().is_some_and(|&(_, next)| next == '\'') => drop(chars.next()),
            '"' | '\'' if double == (c == '"') => {
                let rest = &text[at + 1..];
                return (!rest.trim().is_empty()).then(|| (at + 1 + leading(rest), "text follows the closing quote"));
            }
            _ => {}
        }
    }
    Some((0, "the quote is not closed"))
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
                    let rest = text[at + 1..].trim_matches(|c: char| c.is_whitespace() || matches!(c, '}' | ']'));
                    return !text.starts_with("{{") && !rest.is_empty();
                }
            }
            _ => {}
        }
    }
    false
}

/// The first colon in `text` that YAML takes for the end of a key.
fn unquoted_colon(text: &str) -> Option<usize> {
    text.match_indices(':').map(|(at, _)| at).find(|at| {
        let rest = &text[at + 1..];
        rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n'])
    })
}

/// The first line after the first that stands at the margin.
fn unindented(text: &str) -> Option<usize> {
    text.match_indices('\n')
        .map(|(at, _)| at + 1)
        .find(|&at| text[at..].chars().next().is_some_and(|c| !c.is_whitespace() && c != '#'))
}

/// Whether all of a text can be seen, so that it may be shown as it is.
fn is_visible(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '"' | '\'' | '\\') || c.escape_debug().len() == 1)
}

/// The text without characters that do nothing but control a terminal. Those of the second block are letters read in a
/// wrong encoding, and stay.
fn printable(text: &str) -> String {
    text.chars().filter(|&c| !(c.is_ascii_control() && is_control(c))).collect()
}

/// Whether YAML forbids the character, even in quotes.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}')
}

pub(super) fn only_comments(text: &str) -> bool {
    text.lines().all(|line| matches!(line.trim_start().chars().next(), None | Some('#')))
}

/// How many bytes of white space a text begins with.
pub(super) fn leading(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

/// The number after a `\u` at byte `at`.
pub(super) fn unit(text: &str, at: usize) -> Option<u16> {
    u16::from_str_radix(text.get(at..)?.strip_prefix("\\u")?.get(..4)?, 16).ok()
}

/// The rule that a fault breaks when nothing more precise is known.
pub(super) fn rule_of(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Limit => "yaml-limit",
        FaultKind::Tab => "yaml-tab",
        FaultKind::Quotes => "yaml-bad-quotes",
        FaultKind::Surrogate => "yaml-surrogate-escape",
        FaultKind::Flow => "yaml-broken-flow",
        FaultKind::Syntax => "yaml-syntax",
    }
}

/// The parser's words in the house's style.
pub(super) fn lower_first(message: &str) -> String {
    let mut chars = message.chars();
    let first = chars.next().map(|c| c.to_ascii_lowercase());
    first.into_iter().chain(chars).collect::<String>().trim_end_matches('.').to_owned()
}
