//! `[audit]`: the findings that `skillpm audit` ignores, as decided by the users of the skills; suppressions inside a skill
//! have no effect there.
//!
//! ```toml
//! [audit]
//! fail-on = "high"                         # low | medium | high | critical
//! baseline = "audit-baseline.toml"         # known findings
//! databases = ["git+https://…", "../advisories"]   # of advisories, in addition to those of registries
//! ignore = [
//!   { rule = "SK710", skill = "acme/pdf", reason = "the vendor's installer, read on 2026-10-01", until = "2027-01-01" },
//! ]
//! ```
//!
//! The same table in a user's `config.toml` applies to all projects, with lower priority than each project's own. Installs
//! read it only for their warnings about advisories.

use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::{location_at, toml_error};
use crate::error::{Error, Result};

/// `[audit]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditTable {
    /// The lowest severity that fails the command, as written, and its `file:line:column`.
    pub fail_on: Option<(String, String)>,
    /// The file of known findings, relative to the manifest.
    pub baseline: Option<String>,
    /// Advisory databases in addition to those of registries: URLs, and paths relative to the manifest.
    pub databases: Vec<String>,
    /// The ignored findings.
    pub ignore: Vec<AuditIgnore>,
}

/// One entry of `ignore`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditIgnore {
    /// A rule's code or name, or the id of an advisory.
    pub rule: String,
    /// The package or the name it is installed under; `None` for every skill.
    pub skill: Option<String>,
    /// The reason.
    pub reason: String,
    /// The last day on which it applies, as written.
    pub until: Option<String>,
    /// `file:line:column`.
    pub location: String,
    /// Whether it comes from the user's configuration, so that it may be unused in a project.
    pub is_from_user_config: bool,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct RawAuditTable {
    fail_on: Option<Spanned<String>>,
    baseline: Option<String>,
    databases: Vec<String>,
    ignore: Vec<Spanned<RawIgnore>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawIgnore {
    #[serde(alias = "id")]
    rule: String,
    skill: Option<String>,
    reason: Option<String>,
    until: Option<String>,
}

#[derive(Deserialize)]
struct AuditOnlyManifest {
    #[serde(default)]
    audit: RawAuditTable,
}

/// Parses `[audit]` in the text of a manifest; an empty table if it has none. `file` is its name for messages.
///
/// # Errors
/// If the text is not TOML, the table has an unknown key or an invalid value, or an entry of `ignore` has no reason; the
/// message has line and column.
pub fn parse_audit_table(text: &str, file: &str) -> Result<AuditTable> {
    // Most manifests have no such table, and a search is far cheaper than the parser.
    if !text.contains("audit") {
        return Ok(AuditTable::default());
    }
    let AuditOnlyManifest { audit } =
        toml::from_str(text).map_err(|error| toml_error(&error, text, file))?;

    let fail_on = audit.fail_on.map(|written| {
        let place = location_at(text, file, written.span().start);
        (written.into_inner(), place)
    });

    let ignore = audit.ignore.into_iter().map(|entry| {
        let location = location_at(text, file, entry.span().start);
        read_ignore(entry.into_inner(), location)
    });

    Ok(AuditTable {
        fail_on,
        baseline: audit.baseline,
        databases: audit.databases,
        ignore: ignore.collect::<Result<_>>()?,
    })
}

fn read_ignore(raw: RawIgnore, location: String) -> Result<AuditIgnore> {
    let RawIgnore {
        rule,
        skill,
        reason,
        until,
    } = raw;

    // An exemption without a reason cannot be reviewed.
    match reason.filter(|reason| !reason.trim().is_empty()) {
        Some(reason) => Ok(AuditIgnore {
            rule,
            skill,
            reason,
            until,
            location,
            is_from_user_config: false,
        }),
        None => Err(Error::usage(format!(
            "{location}: missing `reason` for ignoring `{}`",
            rule.escape_debug()
        ))
        .help(format!(
            "add a reason: `{{ rule = \"{rule}\", reason = \"read on 2026-10-01: only its docs\" }}`"
        ))),
    }
}

impl AuditTable {
    /// Merges the table of a project with the user's, whose paths are relative to `dir`: the project has priority, and lists
    /// are concatenated.
    #[must_use]
    pub fn merge_user_table(self, user: AuditTable, dir: &Path) -> AuditTable {
        let from = |place: String| resolve_place(place, dir);

        // An exemption for all projects need not match in each, so it is never reported as unused.
        let everywhere = user.ignore.into_iter().map(|ignore| AuditIgnore {
            is_from_user_config: true,
            ..ignore
        });

        AuditTable {
            fail_on: self.fail_on.or(user.fail_on),
            baseline: self.baseline.or(user.baseline.map(from)),
            databases: self
                .databases
                .into_iter()
                .chain(user.databases.into_iter().map(from))
                .collect(),
            ignore: self.ignore.into_iter().chain(everywhere).collect(),
        }
    }
}

/// A path relative to `dir`, or anything else that a table may name.
fn resolve_place(place: String, dir: &Path) -> String {
    // A URL and `~` mean the same from every directory.
    let is_path = !place.contains("://") && !place.starts_with("git+") && !place.starts_with('~');
    if is_path {
        dir.join(&place).display().to_string()
    } else {
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_read_with_locations() {
        let text = "[audit]\nfail-on = \"medium\"\nignore = [\n  { rule = \"SK710\", skill = \"acme/pdf\", reason = \"read\" },\n]\n";
        let table = parse_audit_table(text, "skillpm.toml").unwrap();
        assert_eq!(
            table.fail_on,
            Some(("medium".to_owned(), "skillpm.toml:2:11".to_owned()))
        );
        assert_eq!(
            (&*table.ignore[0].rule, &*table.ignore[0].location),
            ("SK710", "skillpm.toml:4:3")
        );
    }

    #[test]
    fn reason_is_required() {
        for entry in [
            "{ rule = \"SK710\" }",
            "{ rule = \"SK710\", reason = \" \" }",
        ] {
            let error =
                parse_audit_table(&format!("[audit]\nignore = [{entry}]\n"), "f").unwrap_err();
            assert_eq!(
                error.message(),
                "f:2:11: missing `reason` for ignoring `SK710`"
            );
        }
    }

    #[test]
    fn unknown_key_is_reported_with_its_location() {
        let error = parse_audit_table("[audit]\nignored = []\n", "f").unwrap_err();
        assert!(
            error
                .message()
                .starts_with("failed to parse configuration at `f:2:1`: unknown key"),
            "{}",
            error.message()
        );
    }
}
