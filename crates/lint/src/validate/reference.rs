//! The verdict of the official validator, `skills-ref` 0.1.1, in its own words.

use super::python;
use super::strict::{self, Fault, Kind, Node, Value};
use crate::report::{Diagnostic, Level, Span};

/// The fields that it knows, as it lists them.
const FIELDS: [&str; 6] = ["allowed-tools", "compatibility", "description", "license", "metadata", "name"];

const FENCE: &str = "---";
const NAME_MAX: usize = 64;
const DESCRIPTION_MAX: usize = 1024;
const COMPATIBILITY_MAX: usize = 500;

/// Everything that it would say of a `SKILL.md` in a directory called `directory`.
pub(super) fn check(source: &str, directory: &str) -> Vec<Diagnostic> {
    let Some(rest) = source.strip_prefix(FENCE) else {
        let line = source.find('\n').unwrap_or(source.len());
        let message = "SKILL.md must start with YAML frontmatter (---)";
        return vec![Diagnostic::new("frontmatter-missing", Level::Error, message).at(0..line, source)];
    };
    let Some(length) = rest.find(FENCE) else {
        let message = "SKILL.md frontmatter not properly closed with ---";
        return vec![Diagnostic::new("frontmatter-unclosed", Level::Error, message).at(0..FENCE.len(), source)];
    };
    let places = Places::new(source, FENCE.len()..FENCE.len() + length);
    let root = match strict::read(places.text()) {
        Ok(root) => root,
        Err(fault) => return vec![unreadable(source, &places, &fault)],
    };
    let Some(Node { value: Value::Fields(fields), .. }) = root else {
        let message = "SKILL.md frontmatter must be a YAML mapping";
        return vec![Diagnostic::new("frontmatter-not-mapping", Level::Error, message).at(0..FENCE.len(), source)];
    };
    let mut checking = Checking { source, places: &places, fields: &fields, directory, found: Vec::new() };
    checking.unexpected_fields();
    checking.name();
    checking.description();
    checking.compatibility();
    checking.found
}

fn unreadable(source: &str, places: &Places, fault: &Fault) -> Diagnostic {
    let rule = match fault.kind {
        Kind::Flow => "yaml-flow-style",
        Kind::Anchor => "yaml-anchor-alias-tag",
        Kind::Duplicate => "yaml-duplicate-key",
        Kind::Tab => "yaml-tab",
        Kind::Control => "control-character",
        Kind::Syntax | Kind::Crash => "yaml-syntax",
    };
    let problem = match fault.context {
        Some(context) => format!("{context}: {}", fault.problem),
        None => fault.problem.clone(),
    };
    let message = match fault.kind {
        Kind::Crash | Kind::Control => format!("the validator fails: {}", shown(&problem)),
        _ => format!("Invalid YAML in frontmatter: {}", shown(&problem)),
    };
    Diagnostic::new(rule, Level::Error, message).at(places.span(fault.at, fault.at + 1), source)
}

/// The characters between the fences, and where each stands in the file.
struct Places {
    /// Each with its byte; a line end of two characters is one.
    text: Vec<(usize, char)>,
    end: usize,
}

impl Places {
    fn new(source: &str, frontmatter: Span) -> Self {
        let mut text: Vec<(usize, char)> = Vec::with_capacity(frontmatter.len());
        let mut returned = false;
        for (at, c) in source[frontmatter.clone()].char_indices() {
            let ends_line = c == '\n' && returned;
            returned = c == '\r';
            if !ends_line {
                text.push((frontmatter.start + at, if returned { '\n' } else { c }));
            }
        }
        Places { text, end: frontmatter.end }
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

/// A frontmatter that is being checked.
struct Checking<'a> {
    source: &'a str,
    places: &'a Places,
    fields: &'a [(Node, Node)],
    directory: &'a str,
    found: Vec<Diagnostic>,
}

impl<'a> Checking<'a> {
    fn tell(&mut self, rule: &str, message: impl Into<String>, span: Span) {
        self.found.push(Diagnostic::new(rule, Level::Error, message).at(span, self.source));
    }

    fn span(&self, node: &Node) -> Span {
        let mut end = node.end;
        while end > node.start.index && self.places.text.get(end - 1).is_some_and(|(_, c)| c.is_whitespace()) {
            end -= 1;
        }
        self.places.span(node.start.index, end)
    }

    fn field(&self, name: &str) -> Option<(Span, &'a Node)> {
        let (key, value) = self.fields.iter().find(|(key, _)| text(key) == Some(name))?;
        Some((if value.end > value.start.index { self.span(value) } else { self.span(key) }, value))
    }

    fn unexpected_fields(&mut self) {
        let is_extra = |key: &&Node| text(key).is_some_and(|name| !FIELDS.contains(&name));
        let mut keys = self.fields.iter().map(|(key, _)| key).filter(is_extra);
        let mut names: Vec<&str> = keys.clone().filter_map(text).collect();
        let Some(first) = keys.next() else { return };
        names.sort_unstable();
        let message = format!(
            "Unexpected fields in frontmatter: {}. Only ['{}'] are allowed.",
            shown(&names.join(", ")),
            FIELDS.join("', '")
        );
        let mut found = Diagnostic::new("unknown-field", Level::Error, message).at(self.span(first), self.source);
        for key in keys {
            found = found.label(self.span(key), "and this");
        }
        self.found.push(found.help("move what others should read below `metadata`"));
    }

    fn name(&mut self) {
        let Some((span, value)) = self.field("name") else {
            return self.tell("name-missing", "Missing required field in frontmatter: name", 0..FENCE.len());
        };
        let Some(name) = text_value(value).map(python::strip).filter(|name| !name.is_empty()) else {
            return self.tell("name-empty", "Field 'name' must be a non-empty string", span);
        };
        let name = python::nfkc(name);
        let length = name.chars().count();
        let called = shown(&name);
        if length > NAME_MAX {
            let message = format!("Skill name '{called}' exceeds {NAME_MAX} character limit ({length} chars)");
            self.tell("name-too-long", message, span.clone());
        }
        if name != name.to_lowercase() {
            self.tell("name-uppercase", format!("Skill name '{called}' must be lowercase"), span.clone());
        }
        if name.starts_with('-') || name.ends_with('-') {
            self.tell("name-hyphen-edge", "Skill name cannot start or end with a hyphen", span.clone());
        }
        if name.contains("--") {
            self.tell("name-double-hyphen", "Skill name cannot contain consecutive hyphens", span.clone());
        }
        if !python::is_letters_digits_hyphens(&name) {
            let message = format!(
                "Skill name '{called}' contains invalid characters. Only letters, digits, and hyphens are allowed."
            );
            self.tell("name-invalid-chars", message, span.clone());
        }
        if !self.directory.is_empty() && python::nfkc(self.directory) != name {
            let message = format!("Directory name '{}' must match skill name '{called}'", shown(self.directory));
            self.tell("name-directory-mismatch", message, span);
        }
    }

    fn description(&mut self) {
        let Some((span, value)) = self.field("description") else {
            let message = "Missing required field in frontmatter: description";
            return self.tell("description-missing", message, 0..FENCE.len());
        };
        let Some(description) = text_value(value).filter(|text| !python::strip(text).is_empty()) else {
            return self.tell("description-empty", "Field 'description' must be a non-empty string", span);
        };
        let length = description.chars().count();
        if length > DESCRIPTION_MAX {
            let message = format!("Description exceeds {DESCRIPTION_MAX} character limit ({length} chars)");
            self.tell("description-too-long", message, span);
        }
    }

    fn compatibility(&mut self) {
        let Some((span, value)) = self.field("compatibility") else { return };
        let Some(compatibility) = text_value(value) else {
            return self.tell("wrong-type", "Field 'compatibility' must be a string", span);
        };
        let length = compatibility.chars().count();
        if length > COMPATIBILITY_MAX {
            let message = format!("Compatibility exceeds {COMPATIBILITY_MAX} character limit ({length} chars)");
            self.tell("compatibility-length", message, span);
        }
    }
}

fn text(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Text(text, _) => Some(text),
        _ => None,
    }
}

/// The text of a value. A lone `=` is something else to the validator.
fn text_value(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Text(text, true) if text == "=" => None,
        _ => text(node),
    }
}

/// A text of the file as messages show it: nothing in it is hidden.
fn shown(text: &str) -> String {
    text.chars().map(|c| if python::is_shown(c) { c.to_string() } else { c.escape_unicode().to_string() }).collect()
}
