//! The specification's text (<https://agentskills.io/specification>) with real YAML: every MUST and nothing else.
//!
//! What it does not speak of is allowed: other fields, other line ends, blanks after `---`, any body.

use crate::report::{Diagnostic, Level, Span};
use crate::skill::Frontmatter;
use crate::skill::yaml::{Node, Typed};

const NAME_MAX: usize = 64;
const DESCRIPTION_MAX: usize = 1024;
const COMPATIBILITY_MAX: usize = 500;

/// What is wrong with a `SKILL.md` in a directory called `directory`.
pub(super) fn check(source: &str, directory: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let frontmatter = Frontmatter::open(source, &mut found);
    // Beyond errors, the reader tells what some agent stumbles over; that is no matter of the specification.
    found.retain(|diagnostic| diagnostic.level == Level::Error);
    for diagnostic in &mut found {
        diagnostic.fix = None;
    }
    if let Some(frontmatter) = &frontmatter {
        let mut checking = Checking { source, directory, frontmatter, found };
        checking.name();
        checking.description();
        checking.compatibility();
        checking.metadata();
        checking.text("license");
        checking.text("allowed-tools");
        found = checking.found;
    }
    found.sort_by_key(|diagnostic| diagnostic.span.as_ref().map(|span| span.start));
    found
}

/// A frontmatter that is being checked.
struct Checking<'a> {
    source: &'a str,
    directory: &'a str,
    frontmatter: &'a Frontmatter<'a>,
    found: Vec<Diagnostic>,
}

impl<'a> Checking<'a> {
    fn tell(&mut self, rule: &str, message: impl Into<String>, span: Span) {
        self.found.push(Diagnostic::new(rule, Level::Error, message).at(span, self.source));
    }

    /// A field's value and place: that of its key if there is no value.
    fn field(&self, name: &str) -> Option<(&'a Node<'a>, Span)> {
        let (key, value) = self.frontmatter.root.entry(name)?;
        Some((value, if value.span.is_empty() { key.span.clone() } else { value.span.clone() }))
    }

    /// The text of a field; another value is told.
    fn text(&mut self, name: &str) -> Option<(&'a str, Span)> {
        let (value, span) = self.field(name)?;
        if let Some(Typed::Text(text)) = value.typed() {
            return Some((text, span));
        }
        let message = format!("`{name}` is {}; the specification wants a string", sort(value));
        self.tell("wrong-type", message, span);
        None
    }

    /// The text of a required field; one that is missing or empty is told.
    fn required(&mut self, name: &str, missing: &str, empty: &str) -> Option<(&'a str, Span)> {
        let Some((value, span)) = self.field(name) else {
            let open = self.frontmatter.fences.open.clone();
            self.tell(missing, format!("there is no `{name}`; the specification requires one"), open);
            return None;
        };
        if value.is_null() || value.text().is_some_and(|text| text.trim().is_empty()) {
            self.tell(empty, format!("`{name}` is empty; the specification requires a value"), span);
            return None;
        }
        self.text(name)
    }

    fn name(&mut self) {
        let Some((name, span)) = self.required("name", "name-missing", "name-empty") else { return };
        let length = name.chars().count();
        if length > NAME_MAX {
            let message = format!("`name` has {length} characters; the limit is {NAME_MAX}");
            self.tell("name-too-long", message, span.clone());
        }
        if name.contains(|c: char| c.is_ascii_uppercase()) {
            self.tell(
                "name-uppercase",
                "`name` has capital letters; only `a-z`, `0-9` and `-` may stand",
                span.clone(),
            );
        }
        if let Some(bad) = name.chars().find(|c| !c.is_ascii_alphanumeric() && *c != '-') {
            let message = format!("`name` holds `{}`; only `a-z`, `0-9` and `-` may stand", bad.escape_debug());
            let rule = if bad.is_alphanumeric() { "name-non-ascii" } else { "name-invalid-chars" };
            self.tell(rule, message, span.clone());
        }
        if name.starts_with('-') || name.ends_with('-') {
            self.tell("name-hyphen-edge", "`name` has a hyphen at an end", span.clone());
        }
        if name.contains("--") {
            self.tell("name-double-hyphen", "`name` has two hyphens together", span.clone());
        }
        if !self.directory.is_empty() && name != self.directory {
            let (name, directory) = (name.escape_debug(), self.directory.escape_debug());
            let message =
                format!("`name` is `{name}`, and the directory is called `{directory}`; they must be the same");
            self.tell("name-directory-mismatch", message, span);
        }
    }

    fn description(&mut self) {
        let required = self.required("description", "description-missing", "description-empty");
        let Some((description, span)) = required else { return };
        let length = description.chars().count();
        if length > DESCRIPTION_MAX {
            let message = format!("`description` has {length} characters; the limit is {DESCRIPTION_MAX}");
            self.tell("description-too-long", message, span);
        }
    }

    fn compatibility(&mut self) {
        let Some((compatibility, span)) = self.text("compatibility") else { return };
        let length = compatibility.chars().count();
        if length == 0 || length > COMPATIBILITY_MAX {
            let message = format!("`compatibility` has {length} characters; it must have 1 to {COMPATIBILITY_MAX}");
            self.tell("compatibility-length", message, span);
        }
    }

    fn metadata(&mut self) {
        let Some((metadata, span)) = self.field("metadata") else { return };
        let Some(entries) = metadata.entries() else {
            let message = format!("`metadata` is {}; the specification wants a mapping", sort(metadata));
            return self.tell("wrong-type", message, span);
        };
        let is_text = |node: &Node| matches!(node.typed(), Some(Typed::Text(_)));
        for (key, value) in entries {
            let place = if value.span.is_empty() { key.span.clone() } else { value.span.clone() };
            let called = key.text().unwrap_or("?").escape_debug();
            if !is_text(key) {
                let message = format!("a key of `metadata` is {}; the specification wants strings", sort(key));
                self.tell("metadata-not-strings", message, key.span.clone());
            } else if !is_text(value) {
                let message = format!("`metadata.{called}` is {}; the specification wants a string", sort(value));
                self.tell("metadata-not-strings", message, place);
            }
        }
    }
}

/// What YAML sees in a value.
fn sort(value: &Node) -> &'static str {
    match value.typed() {
        Some(Typed::Null) => "null",
        Some(Typed::Bool(_)) => "a truth value",
        Some(Typed::Int(_) | Typed::Float(_)) => "a number",
        Some(Typed::Text(_)) => "a string",
        None if value.items().is_some() => "a list",
        None => "a mapping",
    }
}
