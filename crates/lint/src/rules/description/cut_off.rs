//! Descriptions that stop before their end.

use super::Description;
use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK310",
    name: "description-cut-off",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "the `description` ends in `…` or `...`",
    docs: Docs {
        finds: "A description whose last characters are an ellipsis, unless `etc` stands before it.",
        hurts: "Some program cut the text when it made the skill. What is lost is mostly the end: when to use it.",
        ignore: "A description that trails off on purpose; `and so on` says the same.",
        bad: &[
            page!("pdf", "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be...\n---\n# PDF\n"),
            page!("pdf", "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to…\n---\n# PDF\n"),
        ],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms... and others. Use when a form is to be filled in, signed, etc...\n---\n# PDF\n"
        )],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(description) = Description::of(page) else { return };
    let text = description.text;
    let Some(before) = text.strip_suffix("...").or_else(|| text.strip_suffix('…')) else { return };
    if before.trim_end_matches('.').to_ascii_lowercase().ends_with("etc") {
        return;
    }
    let finding = RULE.finding("the description is cut off");
    let finding = finding.help("write it to its end, or end it earlier");
    found.add(page.path, finding.at(description.place(before.trim_end_matches('.').len()..text.len()), page.source));
}
