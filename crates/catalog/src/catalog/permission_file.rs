//! Nova's file of permissions, `configs/tool_permissions.yaml` (ADR-013 and ADR-014).
//!
//! ```yaml
//! permissions:
//!   allow:
//!     - search_memory                    # a tool of Nova's own
//!     - "employee_onboarding__*"
//!   deny:
//!     - "*__delete_*"
//!   human_approval:
//!     - "release_management__deploy_*"
//! ```

use super::permission::ToolPermissions;
use skillpm_core::error::{Error, Result};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, Span, position};
use skillpm_core::skill::yaml::{self, YamlNode};

/// The lists that Nova knows.
const LISTS: [&str; 3] = ["allow", "deny", "human_approval"];

/// A file of permissions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PermissionFile {
    /// What it permits.
    pub permissions: ToolPermissions,
    /// Each of its patterns, with its place.
    pub patterns: Vec<(String, Span)>,
    /// Keys that Nova does not know.
    pub findings: Vec<Diagnostic>,
}

impl PermissionFile {
    /// Reads the text of a file; `file` is its name for messages.
    ///
    /// # Errors
    /// If it is not YAML, or a list is not one of texts; the message has line and column.
    pub fn parse(text: &str, file: &str) -> Result<Self> {
        let source = PermissionSource { text, file };
        let document =
            yaml::parse_text(text).map_err(|fault| source.parse_error(fault.at, &fault.message))?;

        // Of two lists of one name Nova reads the last one, and a list that is lost may be `deny`.
        if let Some(again) = document.duplicates.iter().find(|again| !again.same_value) {
            let message = format!("duplicate key `{}`", again.key.escape_debug());
            return Err(source.parse_error(again.second.start, &message));
        }

        let mut found = PermissionFile::default();
        let Some(root) = document.root.filter(|root| !root.is_null()) else {
            return Ok(found);
        };
        if root.entries().is_none() {
            return Err(source.parse_error(root.span.start, "`permissions:` expected"));
        }

        if let Some(lists) = root.get("permissions").filter(|lists| !lists.is_null()) {
            source.read_lists(lists, &mut found)?;
        }
        Ok(found)
    }
}

/// The text that is read, for errors with their place.
struct PermissionSource<'t> {
    text: &'t str,
    file: &'t str,
}

impl PermissionSource<'_> {
    fn read_lists(&self, lists: &YamlNode<'_>, found: &mut PermissionFile) -> Result<()> {
        let Some(entries) = lists.entries() else {
            let message = "`permissions` has `allow`, `deny` and `human_approval`";
            return Err(self.parse_error(lists.span.start, message));
        };

        for (key, value) in entries {
            let name = key.text().unwrap_or_default();
            if !LISTS.contains(&name) {
                found.findings.push(self.unknown_list(key, name));
                continue;
            }

            let patterns = self.read_patterns(name, value)?;
            let texts = patterns.iter().map(|(pattern, _)| pattern.clone());
            match name {
                "allow" => found.permissions.allow.extend(texts),
                "deny" => found.permissions.deny.extend(texts),
                _ => found.permissions.ask.extend(texts),
            }
            found.patterns.extend(patterns);
        }

        Ok(())
    }

    fn read_patterns(&self, list: &str, value: &YamlNode<'_>) -> Result<Vec<(String, Span)>> {
        let wrong = |node: &YamlNode<'_>| {
            let message = format!("`{list}` is not a list of patterns");
            self.parse_error(node.span.start, &message)
        };

        // Nothing behind the key is an empty list, as for Nova.
        if value.is_null() {
            return Ok(Vec::new());
        }
        let items = value.items().ok_or_else(|| wrong(value))?;
        items
            .iter()
            .map(|item| {
                let text = item.text().filter(|_| !item.is_null());
                text.map(|text| (text.to_owned(), item.span.clone()))
                    .ok_or_else(|| wrong(item))
            })
            .collect()
    }

    /// A warning and no error: a later Nova may have further lists.
    fn unknown_list(&self, key: &YamlNode<'_>, name: &str) -> Diagnostic {
        let message = format!("unknown key `{}` of `permissions`", name.escape_debug());
        Diagnostic::new("unknown-key", DiagnosticLevel::Warning, message)
            .at(key.span.clone(), self.text)
            .help("the keys are `allow`, `deny` and `human_approval`")
    }

    fn parse_error(&self, at: usize, reason: &str) -> Error {
        let (line, column) = position(self.text, at);
        Error::usage(format!(
            "failed to parse `{}:{line}:{column}`: {reason}",
            self.file
        ))
        .help("write `permissions:` with lists of patterns under `allow:`, `deny:` and `human_approval:`; put a pattern that begins with `*` in quotes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "configs/tool_permissions.yaml";

    #[test]
    fn the_file_of_the_adr_is_read_with_the_places_of_its_patterns() {
        let text = "permissions:\n  allow:\n    - search_memory   # base\n    - \"employee_onboarding__*\"\n  \
                    deny:\n    - \"*__delete_*\"\n  human_approval:\n    - \"release_management__deploy_*\"\n";
        let read = PermissionFile::parse(text, FILE).unwrap();
        let permissions = &read.permissions;
        assert_eq!(
            permissions.allow,
            ["search_memory", "employee_onboarding__*"]
        );
        assert_eq!(permissions.deny, ["*__delete_*"]);
        assert_eq!(permissions.ask, ["release_management__deploy_*"]);
        assert_eq!(&text[read.patterns[2].1.clone()], "\"*__delete_*\"");
        assert_eq!(read.findings, []);
    }

    #[test]
    fn an_empty_file_permits_nothing() {
        for text in [
            "",
            "# none\n",
            "permissions:\n",
            "permissions:\n  allow:\n",
            "other: 1\n",
        ] {
            assert_eq!(
                PermissionFile::parse(text, FILE).unwrap(),
                PermissionFile::default(),
                "{text:?}"
            );
        }
    }

    #[test]
    fn an_invalid_file_is_refused_with_its_place() {
        for (text, place) in [
            ("permissions:\n  deny: [a\n", "2:9"),
            ("permissions:\n  deny:\n    - *__delete_*\n", "3:7"),
            ("permissions:\n  deny: a\n", "2:9"),
            ("permissions:\n  deny:\n    - [a]\n", "3:7"),
            ("permissions: a\n", "1:14"),
            ("- a\n", "1:1"),
            ("permissions:\n  deny: [a]\n  deny: [b]\n", "3:3"),
        ] {
            let error = PermissionFile::parse(text, FILE).unwrap_err();
            let start = format!("failed to parse `{FILE}:{place}`: ");
            assert!(error.message().starts_with(&start), "{error:?}");
        }
    }

    #[test]
    fn an_unknown_list_is_a_finding() {
        let read = PermissionFile::parse("permissions:\n  denny: [a]\n", FILE).unwrap();
        assert_eq!(read.findings[0].location(FILE), format!("{FILE}:2:3"));
        assert_eq!(
            read.findings[0].message,
            "unknown key `denny` of `permissions`"
        );
    }
}
