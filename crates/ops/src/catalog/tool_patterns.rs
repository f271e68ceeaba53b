//! Patterns of tools in the manifest that no tool can have as its name.

use super::tier_context::TierContext;
use skillpm_catalog::catalog::PathFinding;
use skillpm_catalog::catalog::permission::{self, ToolPermissions};
use skillpm_core::manifest;
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

/// Warnings about patterns of the manifest that cannot match any tool; Nova's own matcher knows fewer forms.
pub(super) fn idle_patterns(
    tier_context: &TierContext,
    permissions: &ToolPermissions,
    is_nova: bool,
) -> Vec<PathFinding> {
    let found: Vec<(String, Diagnostic)> = permissions
        .patterns()
        .filter_map(|pattern| Some((pattern.to_owned(), idle_pattern(pattern, is_nova)?)))
        .collect();
    if found.is_empty() {
        return Vec::new();
    }

    let text = &tier_context.manifest_text;
    let mut spans = manifest::tool_patterns(text);
    let locate = |(pattern, diagnostic): (String, Diagnostic)| {
        // Removed from the list, so that a pattern that is written twice gets both spans.
        let span = spans
            .iter()
            .position(|(written, _)| *written == pattern)
            .map(|at| spans.swap_remove(at).1);
        let diagnostic = span.map_or(diagnostic.clone(), |span| diagnostic.at(span, text));
        PathFinding {
            path: manifest::FILE.into(),
            diagnostic,
        }
    };

    found.into_iter().map(locate).collect()
}

/// The warning about a pattern that cannot match any tool; `None` if it can.
pub(super) fn idle_pattern(pattern: &str, is_nova: bool) -> Option<Diagnostic> {
    let pattern_shown = pattern.escape_debug();
    let (message, help) = if let Some(reason) = permission::why_never_matches(pattern) {
        let message = format!("pattern `{pattern_shown}` matches no tool: {reason}");
        (message, "use `SKILL__TOOL`, `SKILL__*` or `*__TOOL`")
    } else {
        let reason = permission::why_never_matches_in_nova(pattern).filter(|_| is_nova)?;
        let message = format!("pattern `{pattern_shown}` matches no tool in Nova: {reason}");
        (message, "use `SKILL__TOOL` or `SKILL__*` for each skill")
    };

    let diagnostic = Diagnostic::new("pattern-cannot-match", DiagnosticLevel::Warning, message);
    Some(diagnostic.help(help))
}
