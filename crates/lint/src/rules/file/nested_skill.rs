//! A skill inside of another.

use super::PAGE;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK009",
    name: "nested-skill",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "a `SKILL.md` lies within another skill's directory",
    docs: Docs {
        finds: "A file `SKILL.md` somewhere below the directory of another skill.",
        hurts: "Agents differ in what they make of it. Codex lists both, the inner one as a skill of its own; Gemini CLI \
                looks one level deep and `npx skills` stops at the outer one, so that they never see it; and who installs \
                the outer one gets the inner one's files as part of it.",
        ignore: "If the inner one is an example or a template that agents may list without harm. Another name, such as \
                 `SKILL.md.txt`, is clearer.",
        bad: &[Example::files(&[("pdf/SKILL.md", Piece::Text(PAGE)), ("pdf/forms/SKILL.md", Piece::Text(PAGE))])],
        good: &[Example::files(&[("pdf/SKILL.md", Piece::Text(PAGE)), ("pdf/forms/SKILL.md.txt", Piece::Text(PAGE))])],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    for nested in &subject.skill.nested {
        let finding = RULE
            .finding("a skill lies within another skill's directory")
            .note("Codex lists it as a skill of its own; Gemini CLI and `npx skills` do not see it")
            .help("move its directory beside the other one, or give the file another name");
        found.add(nested, finding);
    }
}
