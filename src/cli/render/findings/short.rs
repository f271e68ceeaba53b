//! Findings for people and editors that want one line each.
//!
//! ```text
//! skills/harden/SKILL.md:3:46: error[SK110] yaml-unquoted-colon: unquoted `: ` makes the frontmatter invalid YAML
//! ```

use super::shown::spelled;
use super::{FileFindings, severity, shade};
use crate::lint::rules;
use crate::report::Level;

/// The findings of a file, one a line.
pub(in crate::cli) fn short(file: &FileFindings<'_>) -> String {
    let path = spelled(file.path);
    let mut text = String::new();
    for diagnostic in &file.findings {
        let style = shade(diagnostic.level);
        let code = rules::find(&diagnostic.rule).map_or(String::new(), |rule| format!("[{}]", rule.code));
        let message = spelled(&diagnostic.message).replace('\n', " ");
        let place = diagnostic.place(&path);
        let level = level_name(diagnostic.level);
        text.push_str(&format!(
            "{place}: {style}{level}{code}{style:#} {}{}: {message}\n",
            diagnostic.rule,
            severity(diagnostic)
        ));
    }
    text
}

/// What people call a level.
pub(super) fn level_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}
