//! A skill with hardly any instructions.

use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK402",
    name: "body-stub",
    // One of 1,126 well-kept skills is so short, and it may do its work in a script.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the body has fewer than 100 characters",
    docs: RuleDocs {
        finds: "A body that is not empty but has fewer than 100 characters, ignoring leading and trailing blank lines.",
        hurts: "So little text would fit into the description, and the agent would not have to load the skill to read \
            it.",
        ignore: "The skill does its work in a script, and only names it.",
        bad: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nFill the form.\n"
        )],
        good: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nList the \
                 fields first, then fill them one at a time, and look at each page as an image afterwards.\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n"
            ),
        ],
    },
    check: RuleCheck::Skill(check),
};

const STUB_BELOW: usize = 100;

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    if page.frontmatter.is_none() {
        return;
    }

    let body = page.body().trim();
    // No character has more than 4 bytes.
    if body.is_empty() || body.len() >= 4 * STUB_BELOW {
        return;
    }

    let characters = body.chars().count();
    if characters < STUB_BELOW {
        let start = page.source.len() - page.body().trim_start().len();
        let line = start..start + body.lines().next().map_or(0, str::len);
        let finding = RULE.finding(format!("the body has only {characters} characters"));
        let finding = finding.help("add steps, an example, and how to check the result");
        found.add(page.path, finding.at_bytes(line));
    }
}
