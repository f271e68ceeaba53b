//! A skill without instructions.

use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK401",
    name: "body-empty",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "the body is empty",
    docs: RuleDocs {
        finds: "A `SKILL.md` with only blank lines after its frontmatter.",
        hurts: "An agent that chose the skill by its description reads the body next. It pays for the call and learns \
            nothing.",
        ignore: "The skill only contains files for other skills, and is never chosen by itself.",
        bad: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n",
            ),
        )])],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF forms\n\n\
             List the fields first, then fill them one at a time.\n",
            ),
        )])],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = &page.frontmatter else {
        return;
    };

    // Reported at the closing fence, since there is nothing below it to point at.
    if page.body().trim().is_empty() {
        let finding = RULE.finding("the skill has no instructions");
        let finding = finding.at_bytes(frontmatter.fences.close.clone());
        found.add(
            page.path,
            finding.help("write instructions for the agent below the frontmatter"),
        );
    }
}
