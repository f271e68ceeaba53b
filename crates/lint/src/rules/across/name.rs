//! Several skills with the same name in one directory that an agent reads.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

use super::{group_skills, place_finding};
use crate::across::SkillSummary;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSettings, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;
use skillpm_core::skill::name::shorten_for_display;

pub(super) static RULE: Rule = Rule {
    code: "SK901",
    name: "duplicate-name",
    // An error, as one of the two is never used, and no agent says which.
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "two skills of one directory have the same name",
    docs: RuleDocs {
        finds: "Skills with the same name (normalized, NFKC) under one root that are not identical copies of each \
            other. A root is a directory that an agent reads as a whole: the nearest directory above the skill that \
            is named `skills`, at any depth, else its parent directory. `plugins/a/skills` and `plugins/b/skills` are \
            two roots, as are `.claude/skills` and `.agents/skills`; for those see `shadowed`.",
        hurts: "Most agents list one of them, depending on the order of the directory; Codex lists both, and the \
            agent uses either.",
        ignore: "The directory is an archive of skills by many authors, under one `skills`, that no agent reads as a \
            whole.",
        bad: &[RuleExample::files(&[
            (
                "skills/pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                ),
            ),
            (
                "skills/office/pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Print PDF files. Use when something is to be printed.\n---\n# PDF\n",
                ),
            ),
        ])],
        // Two roots, and two identical copies in one root.
        good: &[
            RuleExample::files(&[
                (
                    "plugins/a/skills/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "plugins/b/skills/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Print PDF files. Use when something is to be printed.\n---\n# PDF\n",
                    ),
                ),
            ]),
            RuleExample::files(&[
                (
                    "skills/a/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "skills/b/pdf/SKILL.md",
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
    for group in group_skills(skills, |skill| {
        Some((skill.skills_root(), normalize_name(&skill.name)))
    }) {
        let first = group[0];
        // Identical copies are harmless here; `verbatim-copy` reports them if it is on.
        for other in group.iter().filter(|other| other.digest != first.digest) {
            let finding = RULE.finding(format!(
                "the name `{}` is also used by another skill",
                shorten_for_display(&other.name)
            ));

            let finding = place_finding(finding, other.name_location.as_ref())
                .note(format!("the other skill: {}", name_location(first)))
                .note("Codex lists both, other agents only one of them")
                .help("rename one of them and its directory");
            found.add(&other.path, finding);
        }
    }
}

/// Normalizes a name for comparison.
pub(super) fn normalize_name(name: &str) -> Cow<'_, str> {
    // Nearly all names are ASCII, and borrowed as they are.
    match is_nfkc_quick(name.chars()) {
        IsNormalized::Yes => name.into(),
        _ => name.nfkc().collect::<String>().into(),
    }
}

/// `path:line:column` of a skill's name.
fn name_location(skill: &SkillSummary) -> String {
    match &skill.name_location {
        Some(at) => format!("{}:{}:{}", skill.path, at.position.0, at.position.1),
        None => skill.path.clone(),
    }
}
