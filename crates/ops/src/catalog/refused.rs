//! Skills that an agent's loader skips and that we read nevertheless, so that they can be fixed and converted.

use skillpm_catalog::catalog::{DiscoveredSkills, SkillCandidate, UnlistedSkill};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};
use skillpm_core::skill::SkillFormat;
use skillpm_core::skill::formats::nova;
use skillpm_io::skills_dir;

/// The agents that skip a `SKILL.md` without a `name`, by their designs: ADR-015, ADR-020 (`loadSkill`) and Pickle-bot's
/// rules of validation. Others take the name of the directory.
const NAME_REQUIRED: [&str; 3] = ["kodelet", "pickle-bot", "yodoca"];

/// The directories without a `SKILL.md` among an agent's skills, if its loader logs them: Pickle-bot's does
/// (`discover_skills`).
pub(super) fn directories_without_skill(
    discovery: &DiscoveredSkills,
    agent: &str,
) -> Vec<UnlistedSkill> {
    if agent != "pickle-bot" {
        return Vec::new();
    }

    let mut found = Vec::new();
    for (number, root) in (0..).zip(&discovery.roots) {
        // A directory that cannot be read was reported when it was searched.
        let Ok(Some(listed)) = skills_dir::list_skill_dir(&root.path) else {
            continue;
        };
        let directories = listed.names.iter().map(|name| root.path.join(&*name.text));
        let without = directories
            .filter(|directory| directory.is_dir() && !directory.join("SKILL.md").exists())
            .filter(|directory| {
                discovery
                    .findings
                    .iter()
                    .all(|known| known.path != *directory)
            });

        found.extend(without.map(|directory| UnlistedSkill {
            root: number,
            location: directory.join("SKILL.md"),
            diagnostics: vec![
                Diagnostic::new(
                    "missing-skill-md",
                    DiagnosticLevel::Warning,
                    "not found, so that Pickle-bot skips the directory",
                )
                .help("write it, or move the directory elsewhere"),
            ],
        }));
    }
    found
}

/// Takes out the skills that the agent logs and skips. `reads` is the format of its own; `None` for one that reads
/// `SKILL.md`.
pub(super) fn skip_refused(
    discovery: &mut DiscoveredSkills,
    reads: Option<SkillFormat>,
    agent: &str,
) {
    let candidates = std::mem::take(&mut discovery.candidates);

    for candidate in candidates {
        let refused = refusals(&candidate, reads, agent);
        if refused.is_empty() {
            discovery.candidates.push(candidate);
            continue;
        }
        let file = match candidate.listing.facts().format {
            SkillFormat::Nova => nova::MANIFEST,
            _ => "SKILL.md",
        };
        discovery.unlisted.push(UnlistedSkill {
            root: candidate.root,
            location: candidate.base_dir(&discovery.roots).join(file),
            diagnostics: refused,
        });
    }
}

/// The findings for which the agent skips a skill; empty if it lists it.
fn refusals(
    candidate: &SkillCandidate,
    reads: Option<SkillFormat>,
    agent: &str,
) -> Vec<Diagnostic> {
    let findings = candidate.diagnostics.iter();
    match candidate.listing.facts().format {
        SkillFormat::Nova if reads == Some(SkillFormat::Nova) => findings
            .filter(|found| nova::is_skipped_for(found))
            .cloned()
            .map(locate)
            .collect(),
        SkillFormat::SkillMd if NAME_REQUIRED.contains(&agent) => findings
            .filter(|found| found.rule == "name-missing")
            .cloned()
            .collect(),
        _ => Vec::new(),
    }
}

/// A finding about the manifest with its own place again. A listed skill is located at its instructions, so that its
/// findings about the manifest have the place in their message: `manifest.yaml:2:10: …`.
fn locate(found: Diagnostic) -> Diagnostic {
    let Some(rest) = found
        .message
        .strip_prefix(nova::MANIFEST)
        .and_then(|rest| rest.strip_prefix(':'))
    else {
        return found;
    };

    let mut parts = rest.splitn(3, ':');
    let mut number = || parts.next()?.parse().ok();
    let place = number().zip(number());
    let message = match place {
        Some(_) => parts.next().unwrap_or_default(),
        None => rest,
    };
    Diagnostic {
        message: message.trim_start().to_owned(),
        position: place,
        ..found
    }
}
