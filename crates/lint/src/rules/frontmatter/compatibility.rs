//! A `compatibility` that is empty or too long.

use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::Level;
use crate::skill::yaml::Typed;

/// Most characters.
///
/// See <https://agentskills.io/specification#compatibility-field>.
const LENGTH_MAX: usize = 500;

pub(super) static RULE: Rule = Rule {
    code: "SK136",
    name: "compatibility-length",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "`compatibility` is empty, or longer than 500 characters",
    docs: Docs {
        finds: "A `compatibility` without text, or with more than 500 characters.",
        hurts: "The specification allows 1 to 500 characters, and the official validator refuses more.",
        ignore: "Never; what is needed at length belongs in the body.",
        bad: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text("---\nname: pdf\ndescription: Fill PDF forms.\ncompatibility: \"\"\n---\n\n# PDF\n"),
        )])],
        good: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text("---\nname: pdf\ndescription: Fill PDF forms.\ncompatibility: Needs pdftk.\n---\n\n# PDF\n"),
        )])],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let entry = page.frontmatter.as_ref().and_then(|frontmatter| frontmatter.root.entry("compatibility"));
    let Some((key, value)) = entry else { return };
    let length = match value.typed() {
        Some(Typed::Text(text)) => text.trim().chars().count(),
        Some(Typed::Null) => 0,
        _ => return,
    };
    if length == 0 {
        let finding = RULE.finding("`compatibility` is empty").at(key.span.clone(), page.source);
        found.add(page.path, finding.help("say what the skill needs, or leave the field out"));
    } else if length > LENGTH_MAX {
        let message = format!("`compatibility` has {length} characters; the limit is {LENGTH_MAX}");
        let finding = RULE.finding(message).at(value.span.clone(), page.source);
        found.add(page.path, finding.help("say the rest in the body"));
    }
}
