//! A skill without instructions.

use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK401",
    name: "body-empty",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "nothing stands below the frontmatter",
    docs: Docs {
        finds: "A `SKILL.md` that ends with its frontmatter: after it there is nothing but blank lines.",
        hurts: "An agent that chose the skill by its description reads the body next. It pays for the call and learns \
                nothing.",
        ignore: "A skill that only carries files for others to use, and is never chosen by itself.",
        bad: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text("---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n"),
        )])],
        good: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF forms\n\n\
             List the fields first, then fill them one at a time.\n",
            ),
        )])],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = &page.frontmatter else { return };
    if page.body().trim().is_empty() {
        let finding = RULE.finding("the skill has no instructions");
        let finding = finding.at(frontmatter.fences.close.clone(), page.source);
        found.add(page.path, finding.help("write below the frontmatter what an agent is to do"));
    }
}
