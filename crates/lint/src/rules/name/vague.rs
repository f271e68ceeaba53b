//! Vague names.

use super::name_field;
use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;
use skillpm_core::skill::name::{shorten_for_display, to_kebab_case};

pub(super) static RULE: Rule = Rule {
    code: "SK212",
    name: "name-vague",
    // A note: such a skill works, it is only hard to choose and to keep apart.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the `name` does not say what the skill is for",
    docs: RuleDocs {
        finds: "A name that is a generic word (`helper`, `utils`, `tools`, `test`, `misc`), or the placeholder name \
            of a template (`my-skill`, `skill-name`, `template-skill`).",
        hurts: "An agent chooses skills by name and description. A generic name does not help, and is likely to \
            conflict with other skills.",
        ignore: "The skill is a template, to be copied and renamed.",
        bad: &[
            page!(
                "my-skill",
                "---\nname: my-skill\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "utils",
                "---\nname: utils\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
        ],
        good: &[page!(
            "pdf-utils",
            "---\nname: pdf-utils\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Skill(check),
};

/// Generic words, sorted.
const VAGUE: [&str; 25] = [
    "agent",
    "assistant",
    "common",
    "default",
    "demo",
    "example",
    "files",
    "general",
    "helper",
    "helpers",
    "main",
    "misc",
    "new",
    "plugin",
    "sample",
    "skill",
    "skills",
    "stuff",
    "temp",
    "template",
    "test",
    "tool",
    "tools",
    "untitled",
    "utils",
];
/// Names of templates, sorted.
const TEMPLATES: [&str; 12] = [
    "demo-skill",
    "example-skill",
    "hello-world",
    "my-awesome-skill",
    "my-first-skill",
    "my-new-skill",
    "my-skill",
    "new-skill",
    "sample-skill",
    "skill-name",
    "skill-template",
    "template-skill",
];

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some((skill, _, node)) = name_field(page) else {
        return;
    };
    // `My Skill` and `my_skill` are the same placeholder.
    let Some(name) = to_kebab_case(&skill.name) else {
        return;
    };

    let template = TEMPLATES.binary_search(&name.as_str()).is_ok() || name == "your-skill-name";
    if !template && VAGUE.binary_search(&name.as_str()).is_err() {
        return;
    }

    // A template was not filled in; a generic word was chosen. The advice is the same.
    let why = if template {
        "is a template's placeholder"
    } else {
        "is too generic"
    };
    let finding = RULE.finding(format!(
        "the name `{}` {why}",
        shorten_for_display(&skill.name)
    ));
    let finding = finding.help("choose a name that says what the skill does, such as `pdf-forms`");
    found.add(page.path, finding.at_bytes(node.span.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(VAGUE.is_sorted() && TEMPLATES.is_sorted());
    }
}
