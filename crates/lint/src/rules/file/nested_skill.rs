//! A skill nested in another.

use super::PAGE;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK009",
    name: "nested-skill",
    // A warning: some collections nest skills on purpose, for agents that search deep enough.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "a `SKILL.md` is nested in another skill's directory",
    docs: RuleDocs {
        finds: "A `SKILL.md` anywhere below the directory of another skill.",
        hurts: "Agents differ in how they handle it. Codex lists both skills; Gemini CLI looks one level deep and \
            `npx skills` stops at the outer one, so that they never find the inner one; and the files of the inner \
            one are installed as part of the outer one.",
        ignore: "The inner one is an example or a template that agents may list without harm. Another name, such as \
            `SKILL.md.txt`, is clearer.",
        bad: &[RuleExample::files(&[
            ("pdf/SKILL.md", ExampleFile::Text(PAGE)),
            ("pdf/forms/SKILL.md", ExampleFile::Text(PAGE)),
        ])],
        good: &[RuleExample::files(&[
            ("pdf/SKILL.md", ExampleFile::Text(PAGE)),
            ("pdf/forms/SKILL.md.txt", ExampleFile::Text(PAGE)),
        ])],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    for nested in &subject.skill.nested {
        let finding = RULE
            .finding("a skill is nested in another skill's directory")
            .note("Codex lists it as a separate skill; Gemini CLI and `npx skills` do not find it")
            .help("move its directory next to the other one, or rename the file");
        // At the inner file, which is the one to move or to rename.
        found.add(nested, finding);
    }
}
