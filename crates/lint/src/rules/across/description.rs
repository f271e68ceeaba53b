//! Several skills with the same description.

use super::name::normalize_name;
use super::{group_skills, place_finding};
use crate::across::SkillSummary;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSettings, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;
use skillpm_core::skill::name::shorten_for_display;

pub(super) static RULE: Rule = Rule {
    code: "SK903",
    name: "duplicate-description",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "two skills of one directory have the same description",
    docs: RuleDocs {
        finds: "Skills with different names under one root (see `duplicate-name`) whose descriptions are equal, \
            ignoring line breaks and case.",
        hurts: "An agent chooses skills by their descriptions. Between two equal ones it chooses at random, and one \
            of them is usually wrong: it was copied with the skill.",
        ignore: "The skills are variants that are only invoked by name.",
        bad: &[RuleExample::files(&[
            (
                "skills/pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                ),
            ),
            (
                "skills/docx/SKILL.md",
                ExampleFile::Text(
                    "---\nname: docx\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# Word\n",
                ),
            ),
        ])],
        good: &[
            RuleExample::files(&[
                (
                    "skills/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "skills/docx/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: docx\ndescription: Fill Word forms. Use when a form is to be filled in.\n---\n# Word\n",
                    ),
                ),
            ]),
            RuleExample::files(&[
                (
                    ".agents/skills/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    ".claude/skills/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
            ]),
        ],
    },
    check: RuleCheck::Skills(check),
};

fn check(skills: &[SkillSummary], _: &LintSettings, found: &mut FindingList) {
    // The model does not choose a skill that it does not see.
    let listed = skills.iter().filter(|skill| skill.is_listed);
    for group in group_skills(listed, |skill| {
        Some((skill.skills_root(), skill.description.to_lowercase()))
    }) {
        let first = group[0];
        for other in group
            .iter()
            // With equal names too, `duplicate-name` reports the pair.
            .filter(|other| normalize_name(&other.name) != normalize_name(&first.name))
        {
            // The others are compared with the first by path.
            let finding = RULE.finding(format!(
                "the description is the same as that of `{}`",
                shorten_for_display(&first.name)
            ));

            let finding = place_finding(finding, other.description_location.as_ref())
                .note(format!("the other skill: {}", first.path));
            found.add(
                &other.path,
                finding.help("describe how they differ: what this skill does, and when to use it"),
            );
        }
    }
}
