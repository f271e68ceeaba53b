//! The value of a field that is invalid YAML: what is wrong with it, and how it is quoted.

use super::{
    RepairEdit, RepairStrategy, TopLevelField, default_rule, is_comment_only, leading_whitespace,
    lower_first, parse_key,
};
use crate::report::{Diagnostic, DiagnosticLevel, FixApplicability, Span};
use crate::skill::yaml::{self, YamlError, YamlErrorKind};

/// Longest replacement, in characters, that is shown within a line of help.
const HELP_MAX: usize = 100;

/// The value of a field as its author meant it.
pub(super) struct FieldValue<'s> {
    pub(super) source: &'s str,
    /// Its span in the file.
    pub(super) span: Span,
    /// All its lines as one text.
    pub(super) text: String,
    /// Whether the line of the key has no value, so that the lines below are fields or items.
    pub(super) nested: bool,
}

impl<'s> FieldValue<'s> {
    pub(super) fn from_field(source: &'s str, field: &TopLevelField) -> Self {
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
    pub(super) fn quote(&self, fault: &YamlError) -> RepairStrategy {
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

pub(super) fn first_line(text: &str) -> &str {
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
