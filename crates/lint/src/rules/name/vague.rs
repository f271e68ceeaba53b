//! A name that says nothing.

use super::written;
use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;
use crate::skill::name::{kebab, shown};

pub(super) static RULE: Rule = Rule {
    code: "SK212",
    name: "name-vague",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "the `name` says nothing of what the skill is for",
    docs: Docs {
        finds: "A name that is one of the words that fit every skill (`helper`, `utils`, `tools`, `test`, `misc`), or what \
                a template is called before it is filled in (`my-skill`, `skill-name`, `template-skill`).",
        hurts: "An agent chooses by name and description. A name that fits everything helps with nothing, and is the \
                first to clash with somebody else's.",
        ignore: "A template that is meant to be copied and renamed.",
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
    check: Check::Skill(check),
};

/// Words that fit every skill, sorted.
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
/// What templates are called, sorted.
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

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some((skill, _, node)) = written(page) else { return };
    let Some(name) = kebab(&skill.name) else { return };
    let template = TEMPLATES.binary_search(&name.as_str()).is_ok() || name == "your-skill-name";
    if !template && VAGUE.binary_search(&name.as_str()).is_err() {
        return;
    }
    let why = if template { "is what a template is called" } else { "fits every skill" };
    let finding = RULE.finding(format!("the name `{}` {why}", shown(&skill.name)));
    let finding = finding.help("name what the skill does, such as `pdf-forms`");
    found.add(page.path, finding.at(node.span.clone(), page.source));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(VAGUE.is_sorted() && TEMPLATES.is_sorted());
    }
}
