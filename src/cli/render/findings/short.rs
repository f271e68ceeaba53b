//! Findings for people and editors that want one line each.
//!
//! ```text
//! skills/harden/SKILL.md:3:46: error[SK110] yaml-unquoted-colon: unquoted `: ` makes the frontmatter invalid YAML
//! ```

use super::{FileFindings, level_style, severity_suffix};
use crate::cli::render::foreign_text::{escape_line, escape_text, guard_line};
use crate::lint::rules;

/// The findings of a file, one a line.
pub(in crate::cli) fn short(file: &FileFindings<'_>) -> String {
    // Once a file: an editor splits the line at its colons.
    let path = guard_line(escape_line(file.path));
    let mut text = String::new();

    for diagnostic in &file.findings {
        let style = level_style(diagnostic.level);
        let code =
            rules::find(&diagnostic.rule).map_or(String::new(), |rule| format!("[{}]", rule.code));
        // One finding is one line: an editor parses `path:line:column: message`.
        let message = escape_text(&diagnostic.message).replace('\n', " ");
        let place = diagnostic.location(&path);
        let level = diagnostic.level.name();

        text.push_str(&format!(
            "{place}: {style}{level}{code}{style:#} {}{}: {message}\n",
            diagnostic.rule,
            severity_suffix(diagnostic)
        ));
    }
    text
}
