//! Patterns of tools that match no tool: those that none can match, and those that name a tool which their skill lacks.

use std::collections::BTreeSet;

use super::tier_context::TierContext;
use skillpm_catalog::catalog::permission::{self, ToolPermissions};
use skillpm_catalog::catalog::{DiscoveredSkills, PathFinding};
use skillpm_core::error::nearest_name;
use skillpm_core::manifest;
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

/// The tools by which patterns are judged.
pub(super) struct PatternTargets<'d> {
    /// The skills with the tools that their files declare.
    discovery: &'d DiscoveredSkills,
    /// Whether Nova matches the patterns, which knows fewer forms.
    is_nova: bool,
}

impl<'d> PatternTargets<'d> {
    pub(super) fn new(discovery: &'d DiscoveredSkills, is_nova: bool) -> Self {
        PatternTargets { discovery, is_nova }
    }

    /// The warning about a pattern that matches no tool; `None` if it matches one, or may do so later.
    pub(super) fn idle_pattern(&self, pattern: &str) -> Option<Diagnostic> {
        unmatchable_pattern(pattern, self.is_nova).or_else(|| self.absent_tool(pattern))
    }

    /// The warning about a pattern without a star whose skill is here and declares other tools.
    fn absent_tool(&self, pattern: &str) -> Option<Diagnostic> {
        let name = permission::pattern_name(pattern);
        // A pattern with a star is about tools to come, too.
        if name.contains('*') {
            return None;
        }

        // The directory of a skill may have `__` in its name, so that the skill is looked up and not cut out.
        let split = |skill: &str| name.strip_prefix(skill)?.strip_prefix("__");
        let mut skills = self.discovery.candidates.iter();
        let (skill, tool) = skills.find_map(|skill| Some((skill, split(&skill.directory)?)))?;
        // Without any tool it may be that they are only known to the program that runs them.
        let tools: BTreeSet<&str> = skill
            .listing
            .facts()
            .tools
            .iter()
            .map(|tool| tool.name.as_str())
            .collect();
        if tools.is_empty() || tools.contains(tool) {
            return None;
        }

        let message = format!(
            "pattern `{}` matches no tool: skill `{}` has no tool `{}`",
            pattern.escape_debug(),
            skill.directory.escape_debug(),
            tool.escape_debug()
        );
        let full_name = |tool: &str| permission::full_tool_name(&skill.directory, tool);
        let help = match nearest_name(tool, tools.iter().copied()) {
            Some(near) => format!("did you mean `{}`?", full_name(near)),
            None => format!("`{}` matches all of its tools", full_name("*")),
        };
        let diagnostic = Diagnostic::new("tool-absent", DiagnosticLevel::Warning, message);
        Some(diagnostic.help(help))
    }
}

/// Warnings about patterns of the manifest that match no tool.
pub(super) fn idle_patterns(
    tier_context: &TierContext,
    permissions: &ToolPermissions,
    targets: &PatternTargets<'_>,
) -> Vec<PathFinding> {
    let found: Vec<(String, Diagnostic)> = permissions
        .patterns()
        .filter_map(|pattern| Some((pattern.to_owned(), targets.idle_pattern(pattern)?)))
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
fn unmatchable_pattern(pattern: &str, is_nova: bool) -> Option<Diagnostic> {
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
