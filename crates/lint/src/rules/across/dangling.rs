//! References to skills that do not exist.

use std::collections::HashSet;

use super::name::normalize_name;
use super::place_finding;
use crate::across::SkillSummary;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSettings, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK907",
    name: "dangling-skill-reference",
    // A note: skills are often installed from several places, of which only one is linted.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the body names a skill that is not among the linted skills",
    docs: RuleDocs {
        finds: "A name that the text itself calls a skill (the `pdf-forms` skill, skill `acme:pdf-forms`, `SUB-SKILL: \
            Use acme:pdf-forms`), when no linted skill has this name or is in a directory with this name. A single \
            skill is not checked.",
        hurts: "The agent looks for the skill, does not find it, and continues without it or makes it up.",
        ignore: "The skill is installed separately. If it is required, declare it in `requires`.",
        bad: &[RuleExample::files(&[
            (
                "skills/pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nThen use the `pdf-print` skill.\n",
                ),
            ),
            (
                "skills/docx/SKILL.md",
                ExampleFile::Text(
                    "---\nname: docx\ndescription: Fill Word forms. Use when a form is to be filled in.\n---\n# Word\n",
                ),
            ),
        ])],
        good: &[RuleExample::files(&[
            (
                "skills/pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nThen use the `docx` skill or `pdf-print`.\n",
                ),
            ),
            (
                "skills/docx/SKILL.md",
                ExampleFile::Text(
                    "---\nname: docx\ndescription: Fill Word forms. Use when a form is to be filled in.\n---\n# Word\n",
                ),
            ),
        ])],
    },
    check: RuleCheck::Skills(check),
};

/// Skill names used in examples.
const EXAMPLES: [&str; 8] = [
    "example-skill",
    "my-skill",
    "new-skill",
    "other-skill",
    "skill-name",
    "some-skill",
    "your-skill",
    "name",
];

fn check(skills: &[SkillSummary], _: &LintSettings, found: &mut FindingList) {
    // For a single skill nothing is known about the others that it names.
    if skills.len() < 2 {
        return;
    }

    let mut existing: HashSet<_> = skills
        .iter()
        .map(|skill| normalize_name(&skill.name))
        .collect();
    // Claude Code knows a skill by its directory, so texts may use that name.
    existing.extend(skills.iter().map(|skill| normalize_name(&skill.directory)));

    for skill in skills {
        for named in &skill.mentions {
            if existing.contains(named.name.as_str()) || EXAMPLES.contains(&named.name.as_str()) {
                continue;
            }
            let finding = RULE.finding(format!("no linted skill is named `{}`", named.name));
            found.add(&skill.path, place_finding(finding, Some(&named.at)));
        }
    }
}
