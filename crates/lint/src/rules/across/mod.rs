//! SK9: across skills.

mod budget;
mod copy;
mod dangling;
mod description;
mod name;
mod near_name;
mod overlap;
mod shadowed;

use std::collections::HashMap;
use std::hash::Hash;

use crate::Rule;
use crate::across::{SkillSummary, SummaryLocation};
use skillpm_core::report::Diagnostic;

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &name::RULE,
    &shadowed::RULE,
    &description::RULE,
    &overlap::RULE,
    &near_name::RULE,
    &budget::RULE,
    &dangling::RULE,
    &copy::RULE,
];

/// Attaches a finding to a place, or to the file as a whole.
fn place_finding(mut finding: Diagnostic, place: Option<&SummaryLocation>) -> Diagnostic {
    finding.span = place.map(|place| place.span.clone());
    finding.position = place.map(|place| place.position);
    finding
}

/// Groups skills by a key; groups of one are dropped. Each group is sorted by path, the groups by their first path.
fn group_skills<'s, K: Hash + Eq>(
    skills: impl IntoIterator<Item = &'s SkillSummary>,
    key: impl Fn(&'s SkillSummary) -> Option<K>,
) -> Vec<Vec<&'s SkillSummary>> {
    let mut groups: HashMap<K, Vec<&SkillSummary>> = HashMap::new();
    for skill in skills {
        if let Some(key) = key(skill) {
            groups.entry(key).or_default().push(skill);
        }
    }

    let mut groups: Vec<_> = groups
        .into_values()
        .filter(|group| group.len() > 1)
        .collect();

    for group in &mut groups {
        group.sort_by(|a, b| a.path.cmp(&b.path));
        // A file that was given twice is not a copy of itself.
        group.dedup_by(|a, b| strip_dot_slash(&a.path) == strip_dot_slash(&b.path));
    }

    // Without duplicates a group may have shrunk to one.
    groups.retain(|group| group.len() > 1);
    groups.sort_by(|a, b| a[0].path.cmp(&b[0].path));
    groups
}

/// Removes a leading `./`.
fn strip_dot_slash(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use crate::across::SummaryLocation;
    use crate::{LintSettings, SkillSummary, check_across};

    fn skill(at: u64, name: String, description: String) -> SkillSummary {
        SkillSummary {
            path: format!("skills/{name}/SKILL.md"),
            directory: name.clone(),
            name,
            name_location: Some(SummaryLocation {
                span: 4..5,
                position: (2, 1),
            }),
            description,
            description_location: Some(SummaryLocation {
                span: 9..10,
                position: (3, 1),
            }),
            is_listed: true,
            digest: at,
            ..SkillSummary::default()
        }
    }

    #[test]
    fn overlaps_in_a_large_family_are_all_reported() {
        let skills: Vec<_> = (0..300)
            .map(|at| {
                let word: String = at.to_string().chars().map(|digit| if digit == '0' { 'z' } else { digit }).collect();
                let description = format!(
                    "Automate the work with {word} through its interface: list, create, change and delete what is there, \
                     answer questions about it, and write reports for others. Use when the user asks for it, or wants to \
                     know what happened since the last time that somebody looked at all of it."
                );
                skill(at, format!("automate-{word}-work"), description)
            })
            .collect();
        let found = check_across(&skills, &LintSettings::default());
        let overlaps: Vec<_> = found
            .iter()
            .filter(|found| found.diagnostic.rule == super::overlap::RULE.name)
            .collect();
        assert_eq!(overlaps.len(), 299);
        assert_eq!(
            overlaps[0].diagnostic.message,
            "the description overlaps by 88 % with that of `automate-1-work`"
        );
        assert_eq!(overlaps[0].diagnostic.position, Some((3, 1)));
    }

    #[test]
    fn identical_files_in_the_directories_of_several_agents_are_allowed() {
        let mirrored = |root: &str| {
            let description = "Fill PDF forms. Use when a form is to be filled in.".to_owned();
            SkillSummary {
                path: format!("{root}/pdf/SKILL.md"),
                ..skill(1, "pdf".into(), description)
            }
        };
        let skills: Vec<_> = [
            ".agents/skills",
            ".claude/skills",
            ".github/skills",
            "plugins/a/skills",
            "plugins/b/skills",
            "skills",
        ]
        .map(mirrored)
        .into();
        assert_eq!(check_across(&skills, &LintSettings::default()), []);
        // Nor is a file that two arguments name.
        let twice = [
            mirrored("skills"),
            SkillSummary {
                digest: 2,
                ..mirrored("./skills")
            },
        ];
        assert_eq!(check_across(&twice, &LintSettings::default()), []);
    }

    #[test]
    fn differing_skills_are_reported_with_the_one_that_each_agent_lists() {
        let at = |root: &str, digest: u64| {
            let path = format!("{root}/pdf/SKILL.md");
            SkillSummary {
                path,
                digest,
                ..skill(
                    1,
                    "pdf".into(),
                    format!("Fill PDF forms, the way of {digest}."),
                )
            }
        };
        let skills = [
            at("web/.agents/skills", 1),
            at("web/.claude/skills", 2),
            at("web/.codex/skills", 1),
        ];
        let found = check_across(&skills, &LintSettings::default());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "web/.codex/skills/pdf/SKILL.md");
        assert_eq!(
            found[0].diagnostic.message,
            "the skill `pdf` differs from the one in `.agents/skills` and `.claude/skills`"
        );
        assert_eq!(
            found[0].diagnostic.notes,
            [
                "Amp, OpenCode list the one in `.agents/skills`",
                "Cline, Crush, Cursor, GitHub Copilot list one of them; which one is not documented",
                "deepagents lists the one in `.claude/skills`",
            ]
        );
        // Two projects are independent.
        assert_eq!(
            check_across(
                &[at("a/.agents/skills", 1), at("b/.claude/skills", 2)],
                &LintSettings::default()
            ),
            []
        );
    }
}
