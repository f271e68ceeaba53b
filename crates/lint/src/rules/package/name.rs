//! A package that is called otherwise than the skill in it.

use crate::lint::{Check, Docs, Fixes, Piece, Rule};
use crate::manifest::look::Look;
use crate::report::{Applicability, Diagnostic, Fix, Level};
use crate::skill::Skill;

pub(in crate::lint) static RULE: Rule = Rule {
    code: "SK803",
    name: "manifest-name-drift",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "the package is called otherwise than the skill",
    docs: Docs {
        finds: "A `package.name` in `skillpm.toml` whose last part is not the `name` in `SKILL.md`. The fix is safe where the \
                directory is called as the skill is.",
        hurts: "People install `acme/pdf` and get a skill that their agent calls `forms`. `publish` refuses it.",
        ignore: "There is no reason to.",
        bad: &[page_and!("Fill the form.\n", ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"acme/forms\"\n")))],
        good: &[page_and!("Fill the form.\n", ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"acme/pdf\"\n")))],
    },
    check: Check::With("manifest-syntax"),
};

/// Tells of a package whose name does not end in that of the skill in it.
pub(in crate::lint) fn drift(look: &Look, text: &str, skill: &Skill, directory: &str) -> Option<Diagnostic> {
    let name = look.name.as_ref()?;
    let (scope, last) =
        name.text.rsplit_once('/').map_or((None, name.text.as_str()), |(scope, last)| (Some(scope), last));
    if !skill.named || skill.name == last {
        return None;
    }
    let shown = |text: &str| text.escape_debug().to_string();
    let message = format!("the package is `{}`, and the skill in it `{}`", shown(&name.text), shown(&skill.name));
    let told = RULE.finding(message).at(name.span.clone(), text);
    let told = told.help("the last part of the package's name is the name of the skill");
    if skill.name.parse::<crate::package::SkillName>().is_err() {
        return Some(told);
    }
    let right = scope.map_or_else(|| skill.name.clone(), |scope| format!("{scope}/{}", skill.name));
    let trust = if directory == skill.name { Applicability::Safe } else { Applicability::Unsafe };
    Some(told.fix(Fix::edit(trust, format!("write `{right}`"), name.span.clone(), format!("\"{right}\""))))
}
