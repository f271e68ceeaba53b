//! Reproduces the official validator, `skills-ref` 0.1.1, with its exact messages.

use super::python;
use super::strict::{self, FaultKind, StrictNode, StrictValue, YamlFault};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, Span};

/// The fields that it allows, in its order.
const FIELDS: [&str; 6] = [
    "allowed-tools",
    "compatibility",
    "description",
    "license",
    "metadata",
    "name",
];

const FENCE: &str = "---";
const NAME_MAX: usize = 64;
const DESCRIPTION_MAX: usize = 1024;
const COMPATIBILITY_MAX: usize = 500;

/// Everything that it reports about a `SKILL.md` in a directory named `directory`.
pub(super) fn check(source: &str, directory: &str) -> Vec<Diagnostic> {
    // No blank line and no byte order mark may come before it: the validator compares the text as it is.
    let Some(rest) = source.strip_prefix(FENCE) else {
        let line = source.find('\n').unwrap_or(source.len());
        let message = "SKILL.md must start with YAML frontmatter (---)";
        return only_error("frontmatter-missing", message, 0..line, source);
    };

    // The next `---` closes the frontmatter anywhere, even within a value: the validator does the same.
    let Some(length) = rest.find(FENCE) else {
        let message = "SKILL.md frontmatter not properly closed with ---";
        return only_error("frontmatter-unclosed", message, 0..FENCE.len(), source);
    };

    let offsets = CharOffsets::new(source, FENCE.len()..FENCE.len() + length);
    let root = match strict::read(offsets.text()) {
        Ok(root) => root,
        Err(fault) => return vec![yaml_error(source, &offsets, &fault)],
    };

    let Some(StrictNode {
        value: StrictValue::Fields(fields),
        ..
    }) = root
    else {
        let message = "SKILL.md frontmatter must be a YAML mapping";
        return only_error("frontmatter-not-mapping", message, 0..FENCE.len(), source);
    };

    let mut checker = ReferenceChecker {
        source,
        offsets: &offsets,
        fields: &fields,
        directory,
        found: Vec::new(),
    };
    // In the validator's order, which is that of its messages.
    checker.check_unexpected_fields();
    checker.check_name();
    checker.check_description();
    checker.check_compatibility();
    checker.found
}

/// An error after which the validator checks nothing else.
fn only_error(rule: &str, message: &str, span: Span, source: &str) -> Vec<Diagnostic> {
    vec![Diagnostic::new(rule, DiagnosticLevel::Error, message).at(span, source)]
}

fn yaml_error(source: &str, places: &CharOffsets, fault: &YamlFault) -> Diagnostic {
    let rule = match fault.kind {
        FaultKind::Flow => "yaml-flow-style",
        FaultKind::Anchor => "yaml-anchor-alias-tag",
        FaultKind::Duplicate => "yaml-duplicate-key",
        FaultKind::Tab => "yaml-tab",
        FaultKind::Control => "control-character",
        FaultKind::Syntax | FaultKind::Crash => "yaml-syntax",
    };

    let problem = match fault.context {
        Some(context) => format!("{context}: {}", fault.problem),
        None => fault.problem.clone(),
    };

    let message = match fault.kind {
        // Python ends with a traceback here, which is a verdict too: the skill is not valid.
        FaultKind::Crash | FaultKind::Control => {
            format!("the validator fails: {}", escape_hidden(&problem))
        }
        _ => format!("Invalid YAML in frontmatter: {}", escape_hidden(&problem)),
    };
    Diagnostic::new(rule, DiagnosticLevel::Error, message)
        .at(places.span(fault.at, fault.at + 1), source)
}

/// The characters between the fences, with their offsets in the file.
struct CharOffsets {
    /// Each character with its byte offset; CRLF is one character.
    text: Vec<(usize, char)>,
    end: usize,
}

impl CharOffsets {
    fn new(source: &str, frontmatter: Span) -> Self {
        let mut text: Vec<(usize, char)> = Vec::with_capacity(frontmatter.len());
        let mut returned = false;
        for (at, c) in source[frontmatter.clone()].char_indices() {
            // Python reads the file in text mode, where `\r\n` and a lone `\r` are one line end.
            let ends_line = c == '\n' && returned;
            returned = c == '\r';
            if !ends_line {
                text.push((frontmatter.start + at, if returned { '\n' } else { c }));
            }
        }

        CharOffsets {
            text,
            end: frontmatter.end,
        }
    }

    fn text(&self) -> Vec<char> {
        self.text.iter().map(|&(_, c)| c).collect()
    }

    fn byte(&self, index: usize) -> usize {
        self.text.get(index).map_or(self.end, |&(byte, _)| byte)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        self.byte(start)..self.byte(end).max(self.byte(start))
    }
}

/// The state of a check.
struct ReferenceChecker<'a> {
    source: &'a str,
    offsets: &'a CharOffsets,
    fields: &'a [(StrictNode, StrictNode)],
    directory: &'a str,
    found: Vec<Diagnostic>,
}

impl<'a> ReferenceChecker<'a> {
    fn report(&mut self, rule: &str, message: impl Into<String>, span: Span) {
        self.found
            .push(Diagnostic::new(rule, DiagnosticLevel::Error, message).at(span, self.source));
    }

    fn span(&self, node: &StrictNode) -> Span {
        let mut end = node.end;
        // A block scalar ends after its last line break, which must not be underlined.
        while end > node.start.index
            && self
                .offsets
                .text
                .get(end - 1)
                .is_some_and(|(_, c)| c.is_whitespace())
        {
            end -= 1;
        }

        self.offsets.span(node.start.index, end)
    }

    fn field(&self, name: &str) -> Option<(Span, &'a StrictNode)> {
        let (key, value) = self
            .fields
            .iter()
            .find(|(key, _)| text(key) == Some(name))?;

        Some((
            // An empty value has no width that could be underlined.
            if value.end > value.start.index {
                self.span(value)
            } else {
                self.span(key)
            },
            value,
        ))
    }

    fn check_unexpected_fields(&mut self) {
        let is_extra = |key: &&StrictNode| text(key).is_some_and(|name| !FIELDS.contains(&name));
        let mut keys = self.fields.iter().map(|(key, _)| key).filter(is_extra);
        let mut names: Vec<&str> = keys.clone().filter_map(text).collect();
        let Some(first) = keys.next() else { return };

        // The validator sorts the names, while the finding points to the first in the file.
        names.sort_unstable();
        let message = format!(
            "Unexpected fields in frontmatter: {}. Only ['{}'] are allowed.",
            escape_hidden(&names.join(", ")),
            FIELDS.join("', '")
        );

        let mut found = Diagnostic::new("unknown-field", DiagnosticLevel::Error, message)
            .at(self.span(first), self.source);
        for key in keys {
            found = found.label(self.span(key), "also this");
        }

        self.found
            .push(found.help("move fields for other programs under `metadata`"));
    }

    fn check_name(&mut self) {
        let Some((span, value)) = self.field("name") else {
            return self.report(
                "name-missing",
                "Missing required field in frontmatter: name",
                0..FENCE.len(),
            );
        };

        let Some(name) = text_value(value)
            .map(python::strip)
            .filter(|name| !name.is_empty())
        else {
            return self.report(
                "name-empty",
                "Field 'name' must be a non-empty string",
                span,
            );
        };

        // The limits and the comparison apply to the normalized name.
        let name = python::nfkc(name);
        self.check_name_form(&name, &span);

        if !self.directory.is_empty() && python::nfkc(self.directory) != name {
            let message = format!(
                "Directory name '{}' must match skill name '{}'",
                escape_hidden(self.directory),
                escape_hidden(&name)
            );
            self.report("name-directory-mismatch", message, span);
        }
    }

    /// Checks the length and the characters of a normalized name. One name may have several faults.
    fn check_name_form(&mut self, name: &str, span: &Span) {
        let length = name.chars().count();
        let name_text = escape_hidden(name);

        if length > NAME_MAX {
            let message = format!(
                "Skill name '{name_text}' exceeds {NAME_MAX} character limit ({length} chars)"
            );
            self.report("name-too-long", message, span.clone());
        }
        // Letters of any script are allowed, also of scripts without case.
        if name != name.to_lowercase() {
            self.report(
                "name-uppercase",
                format!("Skill name '{name_text}' must be lowercase"),
                span.clone(),
            );
        }
        if name.starts_with('-') || name.ends_with('-') {
            self.report(
                "name-hyphen-edge",
                "Skill name cannot start or end with a hyphen",
                span.clone(),
            );
        }
        if name.contains("--") {
            self.report(
                "name-double-hyphen",
                "Skill name cannot contain consecutive hyphens",
                span.clone(),
            );
        }

        // Python's `isalnum`: a letter of any script, but no vowel sign and no emoji.
        if !python::is_letters_digits_hyphens(name) {
            let message = format!(
                "Skill name '{name_text}' contains invalid characters. Only letters, digits, and hyphens are allowed."
            );
            self.report("name-invalid-chars", message, span.clone());
        }
    }

    fn check_description(&mut self) {
        let Some((span, value)) = self.field("description") else {
            let message = "Missing required field in frontmatter: description";
            return self.report("description-missing", message, 0..FENCE.len());
        };

        // The limit applies to the text with its whitespace; only for emptiness is it stripped.
        let Some(description) = text_value(value).filter(|text| !python::strip(text).is_empty())
        else {
            return self.report(
                "description-empty",
                "Field 'description' must be a non-empty string",
                span,
            );
        };

        let length = description.chars().count();
        if length > DESCRIPTION_MAX {
            let message =
                format!("Description exceeds {DESCRIPTION_MAX} character limit ({length} chars)");
            self.report("description-too-long", message, span);
        }
    }

    fn check_compatibility(&mut self) {
        let Some((span, value)) = self.field("compatibility") else {
            return;
        };

        let Some(compatibility) = text_value(value) else {
            return self.report("wrong-type", "Field 'compatibility' must be a string", span);
        };

        // An empty text passes: the validator checks the length only upwards, unlike the
        // specification.
        let length = compatibility.chars().count();
        if length > COMPATIBILITY_MAX {
            let message = format!(
                "Compatibility exceeds {COMPATIBILITY_MAX} character limit ({length} chars)"
            );
            self.report("compatibility-length", message, span);
        }
    }
}

fn text(node: &StrictNode) -> Option<&str> {
    match &node.value {
        StrictValue::Text(text, _) => Some(text),
        _ => None,
    }
}

/// The text of a value. A lone `=` is not a string to the validator.
fn text_value(node: &StrictNode) -> Option<&str> {
    match &node.value {
        // YAML 1.1 has a separate type for it (`tag:yaml.org,2002:value`).
        StrictValue::Text(text, true) if text == "=" => None,
        _ => text(node),
    }
}

/// Escapes invisible characters of a text for a message.
fn escape_hidden(text: &str) -> String {
    text.chars()
        .map(|c| {
            if python::is_shown(c) {
                c.to_string()
            } else {
                c.escape_unicode().to_string()
            }
        })
        .collect()
}
