//! The specification's text (<https://agentskills.io/specification>) with real YAML: every MUST and nothing else.
//!
//! Everything that it does not mention is allowed: other fields, other line ends, whitespace after `---`, any body.

use skillpm_core::report::{Diagnostic, DiagnosticLevel, Span};
use skillpm_core::skill::SkillFrontmatter;
use skillpm_core::skill::yaml::{TypedScalar, YamlNode};

const NAME_MAX: usize = 64;
const DESCRIPTION_MAX: usize = 1024;
const COMPATIBILITY_MAX: usize = 500;

/// Checks a `SKILL.md` in a directory named `directory`.
pub(super) fn check(source: &str, directory: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let frontmatter = SkillFrontmatter::open(source, &mut found);

    // The reader also reports problems with single agents below the level of errors; they do not violate the specification.
    found.retain(|diagnostic| diagnostic.level == DiagnosticLevel::Error);
    for diagnostic in &mut found {
        // `validate` reports and never edits; `lint` offers the same fixes.
        diagnostic.fix = None;
    }

    if let Some(frontmatter) = &frontmatter {
        let mut checking = SpecChecker {
            source,
            directory,
            frontmatter,
            found,
        };
        checking.check_name();
        checking.check_description();
        checking.check_compatibility();
        checking.check_metadata();
        // Of these two the specification requires only the type.
        checking.text_field("license");
        checking.text_field("allowed-tools");
        found = checking.found;
    }

    found.sort_by_key(|diagnostic| diagnostic.span.as_ref().map(|span| span.start));
    found
}

/// The state of a check.
struct SpecChecker<'a> {
    source: &'a str,
    directory: &'a str,
    frontmatter: &'a SkillFrontmatter<'a>,
    found: Vec<Diagnostic>,
}

impl<'a> SpecChecker<'a> {
    fn report(&mut self, rule: &str, message: impl Into<String>, span: Span) {
        self.found
            .push(Diagnostic::new(rule, DiagnosticLevel::Error, message).at(span, self.source));
    }

    /// A field's value and span: that of its key if there is no value.
    fn field(&self, name: &str) -> Option<(&'a YamlNode<'a>, Span)> {
        let (key, value) = self.frontmatter.root.entry(name)?;
        Some((
            value,
            if value.span.is_empty() {
                key.span.clone()
            } else {
                value.span.clone()
            },
        ))
    }

    /// The text of a field; a value of another type is reported.
    fn text_field(&mut self, name: &str) -> Option<(&'a str, Span)> {
        let (value, span) = self.field(name)?;
        // A number is not a string, even if every agent would print it the same way.
        if let Some(TypedScalar::Text(text)) = value.typed() {
            return Some((text, span));
        }

        let message = format!(
            "`{name}` is {}; the specification requires a string",
            node_kind(value)
        );
        self.report("wrong-type", message, span);
        None
    }

    /// The text of a required field; a missing or empty one is reported.
    fn required_field(
        &mut self,
        name: &str,
        missing: &str,
        empty: &str,
    ) -> Option<(&'a str, Span)> {
        let Some((value, span)) = self.field(name) else {
            let open = self.frontmatter.fences.open.clone();
            self.report(
                missing,
                format!("missing field `{name}`; the specification requires it"),
                open,
            );
            return None;
        };

        // A key without a value is reported as empty, not as missing: its place is known.
        if value.is_null() || value.text().is_some_and(|text| text.trim().is_empty()) {
            self.report(
                empty,
                format!("`{name}` is empty; the specification requires a value"),
                span,
            );
            return None;
        }

        self.text_field(name)
    }

    fn check_name(&mut self) {
        let Some((name, span)) = self.required_field("name", "name-missing", "name-empty") else {
            return;
        };

        // Characters, as the specification says, not bytes: both are the same for a valid name.
        let length = name.chars().count();
        if length > NAME_MAX {
            let message = format!("`name` has {length} characters; the limit is {NAME_MAX}");
            self.report("name-too-long", message, span.clone());
        }
        if name.contains(|c: char| c.is_ascii_uppercase()) {
            self.report(
                "name-uppercase",
                "`name` contains uppercase letters; only `a-z`, `0-9` and `-` are allowed",
                span.clone(),
            );
        }
        if let Some(bad) = name
            .chars()
            .find(|c| !c.is_ascii_alphanumeric() && *c != '-')
        {
            let message = format!(
                "`name` contains `{}`; only `a-z`, `0-9` and `-` are allowed",
                bad.escape_debug()
            );
            // The text of the specification allows `a-z` only; its validator every letter.
            let rule = if bad.is_alphanumeric() {
                "name-non-ascii"
            } else {
                "name-invalid-chars"
            };
            self.report(rule, message, span.clone());
        }
        if name.starts_with('-') || name.ends_with('-') {
            self.report(
                "name-hyphen-edge",
                "`name` begins or ends with a hyphen",
                span.clone(),
            );
        }
        if name.contains("--") {
            self.report(
                "name-double-hyphen",
                "`name` contains consecutive hyphens",
                span.clone(),
            );
        }

        // Byte for byte: a valid name has no other normalization.
        if !self.directory.is_empty() && name != self.directory {
            let (name, directory) = (name.escape_debug(), self.directory.escape_debug());
            let message = format!(
                "`name` is `{name}`, but the directory is named `{directory}`; they must be equal"
            );
            self.report("name-directory-mismatch", message, span);
        }
    }

    fn check_description(&mut self) {
        let required =
            self.required_field("description", "description-missing", "description-empty");
        let Some((description, span)) = required else {
            return;
        };
        let length = description.chars().count();
        if length > DESCRIPTION_MAX {
            let message =
                format!("`description` has {length} characters; the limit is {DESCRIPTION_MAX}");
            self.report("description-too-long", message, span);
        }
    }

    fn check_compatibility(&mut self) {
        let Some((compatibility, span)) = self.text_field("compatibility") else {
            return;
        };
        let length = compatibility.chars().count();
        // The specification says 1 to 500 characters, if the field is given.
        if length == 0 || length > COMPATIBILITY_MAX {
            let message = format!(
                "`compatibility` has {length} characters; it must have 1 to {COMPATIBILITY_MAX}"
            );
            self.report("compatibility-length", message, span);
        }
    }

    fn check_metadata(&mut self) {
        let Some((metadata, span)) = self.field("metadata") else {
            return;
        };

        let Some(entries) = metadata.entries() else {
            let message = format!(
                "`metadata` is {}; the specification requires a mapping",
                node_kind(metadata)
            );
            return self.report("wrong-type", message, span);
        };

        // "A map from string keys to string values": both are checked.
        let is_text = |node: &YamlNode| matches!(node.typed(), Some(TypedScalar::Text(_)));
        for (key, value) in entries {
            let place = if value.span.is_empty() {
                key.span.clone()
            } else {
                value.span.clone()
            };
            let display_key = key.text().unwrap_or("?").escape_debug();

            if !is_text(key) {
                let message = format!(
                    "a key of `metadata` is {}; the specification requires strings",
                    node_kind(key)
                );
                self.report("metadata-not-strings", message, key.span.clone());
            } else if !is_text(value) {
                let message = format!(
                    "`metadata.{display_key}` is {}; the specification requires a string",
                    node_kind(value)
                );
                self.report("metadata-not-strings", message, place);
            }
        }
    }
}

/// The YAML type of a value.
fn node_kind(value: &YamlNode) -> &'static str {
    match value.typed() {
        Some(TypedScalar::Null) => "null",
        Some(TypedScalar::Bool(_)) => "a boolean",
        Some(TypedScalar::Int(_) | TypedScalar::Float(_)) => "a number",
        Some(TypedScalar::Text(_)) => "a string",
        None if value.items().is_some() => "a list",
        None => "a mapping",
    }
}
