//! `[audit]`: what a scan for danger may pass over, as those who use the skills have decided; what a skill says of itself
//! counts for nothing there.
//!
//! ```toml
//! [audit]
//! fail-on = "high"                         # low | medium | high | critical
//! baseline = "audit-baseline.toml"         # findings that were there before
//! databases = ["git+https://…", "../advisories"]   # of advisories, beside those of registries
//! ignore = [
//!   { rule = "SK710", skill = "acme/pdf", reason = "the vendor's installer, read on 2026-10-01", until = "2027-01-01" },
//! ]
//! ```
//!
//! The same table in a person's `config.toml` holds for all projects, below what each says. Of what installs, only the
//! warnings about advisories read it.

use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

use super::{located, place};
use crate::error::{Error, Result};

/// `[audit]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditTable {
    /// The mildest severity for which the answer is no, as written, and `file:line:column`.
    pub fail_on: Option<(String, String)>,
    /// The file of findings that were there before, relative to the manifest.
    pub baseline: Option<String>,
    /// Databases of advisories beside those of registries: URLs, and paths relative to the manifest.
    pub databases: Vec<String>,
    /// What is passed over.
    pub ignore: Vec<Ignore>,
}

/// One entry of `ignore`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignore {
    /// A rule's code or name, or the id of an advisory.
    pub rule: String,
    /// The package or the name it is installed under; `None` for every skill.
    pub skill: Option<String>,
    /// Why.
    pub reason: String,
    /// The last day on which it holds, as written.
    pub until: Option<String>,
    /// `file:line:column`.
    pub place: String,
    /// Whether it is the person's own word for all projects, which need not be of use in each.
    pub is_everywhere: bool,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Raw {
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
struct Whole {
    #[serde(default)]
    audit: Raw,
}

/// The `[audit]` in the text of a manifest; an empty one if it has none. `file` is its name for messages.
///
/// # Errors
/// If the text is not TOML, the table has a key or value that cannot be, or something is ignored without a reason; the
/// message has line and column.
pub fn table(text: &str, file: &str) -> Result<AuditTable> {
    if !text.contains("audit") {
        return Ok(AuditTable::default());
    }
    let Whole { audit } = toml::from_str(text).map_err(|error| located(&error, text, file))?;
    let fail_on = audit.fail_on.map(|written| {
        let place = place(text, file, written.span().start);
        (written.into_inner(), place)
    });
    let ignore = audit.ignore.into_iter().map(|entry| {
        let place = place(text, file, entry.span().start);
        let RawIgnore { rule, skill, reason, until } = entry.into_inner();
        match reason.filter(|reason| !reason.trim().is_empty()) {
            Some(reason) => Ok(Ignore { rule, skill, reason, until, place, is_everywhere: false }),
            None => Err(Error::usage(format!("{place}: `{}` is ignored without a reason", rule.escape_debug()))
                .help(format!("say why: `{{ rule = \"{rule}\", reason = \"read on 2026-10-01: only its docs\" }}`"))),
        }
    });
    Ok(AuditTable {
        fail_on,
        baseline: audit.baseline,
        databases: audit.databases,
        ignore: ignore.collect::<Result<_>>()?,
    })
}

impl AuditTable {
    /// The table of a project over that of the person, whose paths are relative to `dir`: what the project says holds, what
    /// it leaves open is the person's, and lists are both.
    #[must_use]
    pub fn over(self, own: AuditTable, dir: &Path) -> AuditTable {
        let is_path = |place: &String| !place.contains("://") && !place.starts_with("git+") && !place.starts_with('~');
        let from = |place: String| if is_path(&place) { dir.join(&place).display().to_string() } else { place };
        let everywhere = own.ignore.into_iter().map(|ignore| Ignore { is_everywhere: true, ..ignore });
        AuditTable {
            fail_on: self.fail_on.or(own.fail_on),
            baseline: self.baseline.or(own.baseline.map(from)),
            databases: self.databases.into_iter().chain(own.databases.into_iter().map(from)).collect(),
            ignore: self.ignore.into_iter().chain(everywhere).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_with_places() {
        let text = "[audit]\nfail-on = \"medium\"\nignore = [\n  { rule = \"SK710\", skill = \"acme/pdf\", reason = \"read\" },\n]\n";
        let table = table(text, "skillpm.toml").unwrap();
        assert_eq!(table.fail_on, Some(("medium".to_owned(), "skillpm.toml:2:11".to_owned())));
        assert_eq!((&*table.ignore[0].rule, &*table.ignore[0].place), ("SK710", "skillpm.toml:4:3"));
    }

    #[test]
    fn a_reason_is_demanded() {
        for entry in ["{ rule = \"SK710\" }", "{ rule = \"SK710\", reason = \" \" }"] {
            let error = table(&format!("[audit]\nignore = [{entry}]\n"), "f").unwrap_err();
            assert_eq!(error.message(), "f:2:11: `SK710` is ignored without a reason");
        }
    }

    #[test]
    fn an_unknown_key_is_told_with_its_place() {
        let error = table("[audit]\nignored = []\n", "f").unwrap_err();
        assert!(error.message().starts_with("f:2:1: unknown field"), "{}", error.message());
    }
}
