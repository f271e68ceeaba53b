//! A skill with hardly any instructions.

use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK402",
    name: "body-stub",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "the body has fewer than 100 characters",
    docs: Docs {
        finds: "A body with something in it, but fewer than 100 characters, blank lines at its ends aside.",
        hurts: "What fits there would fit into the description, and an agent would not have to load the skill to know it.",
        ignore: "A skill that does its work in a script, and only names it.",
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
            page!("pdf", "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n"),
        ],
    },
    check: Check::Skill(check),
};

const STUB_BELOW: usize = 100;

fn check(subject: &Subject<'_>, found: &mut Found) {
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
        let finding = finding.help("say how: steps, an example, what to look at in the end");
        found.add(page.path, finding.at(line, page.source));
    }
}
