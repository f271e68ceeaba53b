//! Names under `deny` that no skill has: a typo there would leave a skill in sight without a word.

use super::tier_context::TierContext;
use skillpm_catalog::catalog::{DiscoveredSkills, PathFinding, SkillCandidate};
use skillpm_catalog::tiers::InspectScope;
use skillpm_core::error::nearest_name;
use skillpm_core::manifest::{self, DeniedName};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

/// Warns of each name under `deny` of `[catalog]`, and of the viewer's own rules, that no skill has. A pattern with a star
/// is about skills to come, too, and is never reported.
pub(super) fn absent_names(
    tier_context: &TierContext,
    viewer: Option<&str>,
    discovery: &DiscoveredSkills,
) -> Vec<PathFinding> {
    let text = &tier_context.manifest_text;
    let mut absent: Vec<DeniedName> = manifest::denied_names(text)
        .into_iter()
        .filter(|denied| denied.agent.is_none() || denied.agent.as_deref() == viewer)
        .filter(|denied| !denied.name.contains('*') && !has_skill(discovery, &denied.name))
        // A skill that is denied to all is installed nowhere.
        .filter(|denied| !tier_context.is_locked(&denied.name))
        .collect();
    if absent.is_empty() {
        return Vec::new();
    }

    // `[catalog]` is about all agents, so the name may be that of a skill which this one does not read.
    let all = tier_context.discover(InspectScope::Shadowed);
    absent.retain(|denied| !has_skill(&all, &denied.name));

    let names: Vec<&str> = [discovery, &all]
        .into_iter()
        .flat_map(|found| &found.candidates)
        .map(SkillCandidate::id)
        .collect();
    absent
        .into_iter()
        .map(|denied| absent_finding(&denied, &names, text))
        .collect()
}

/// Whether any skill has that name, or its directory has; one that no agent lists counts.
fn has_skill(discovery: &DiscoveredSkills, name: &str) -> bool {
    let is_called = |candidate: &SkillCandidate| candidate.is_called(name);
    let is_listed = discovery
        .candidates
        .iter()
        .any(|candidate| is_called(candidate) || candidate.shadows.iter().any(is_called));

    is_listed
        || discovery.unlisted.iter().any(|unlisted| {
            let directory = unlisted.location.parent().and_then(|dir| dir.file_name());
            directory.is_some_and(|directory| directory == name)
        })
}

fn absent_finding(denied: &DeniedName, names: &[&str], text: &str) -> PathFinding {
    let name = &denied.name;
    let message = format!("skill `{}` of `deny` not found", name.escape_debug());
    let found = Diagnostic::new("denied-absent", DiagnosticLevel::Warning, message)
        .at(denied.span.clone(), text);

    let help = match nearest_name(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{}`?", near.escape_debug()),
        None => "remove it from `deny`; `skillpm list` shows all skills".to_owned(),
    };
    PathFinding {
        path: manifest::FILE.into(),
        diagnostic: found.help(help),
    }
}
