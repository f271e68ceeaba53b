//! Descriptions that say what, but not when.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

use super::Description;
use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK305",
    name: "description-no-trigger",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "the `description` says what the skill does, but not when to use it",
    docs: Docs {
        finds: "A description without any phrase that says when: `use when`, `whenever`, `if the user`, `triggers on`, \
                `useful for`, and the like in a dozen languages.",
        hurts: "An agent compares the task with the descriptions. One that names the occasions is found by them; one that \
                praises the skill is not. The specification asks for both.",
        ignore: "A quarter of well-kept skills go without, and a description that names its subject well is found all the \
                 same. A skill that is only called by name needs none.",
        bad: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fills in the forms of PDF files and checks each of their fields.\n---\n# PDF\n"
        )],
        good: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fills in the forms of PDF files. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: 填写税务局的表格并检查每个字段，当用户需要报税时使用\n---\n# PDF\n"
            ),
        ],
    },
    check: Check::Skill(check),
};

/// What people say when they say when. ASCII in lower case; any case is found.
const PHRASES: [&str; 65] = [
    "use when",
    "use this",
    "use for",
    "use it",
    "use in",
    "use to",
    "use before",
    "use after",
    "use if",
    "use on",
    "use proactively",
    "used when",
    "used for",
    "used to",
    "use whenever",
    "when ",
    "when:",
    "whenever",
    "while ",
    "trigger",
    "invoke",
    "activate",
    "if the user",
    "if you",
    "if a",
    "asks to",
    "asks for",
    "asked to",
    "mentions",
    "call this",
    "useful for",
    "useful to",
    "ideal for",
    "perfect for",
    "best for",
    "good for",
    "suitable for",
    "designed for",
    "apply to",
    "apply this",
    "applies to",
    "for tasks",
    "required for",
    "run this",
    "before ",
    "after ",
    "during ",
    // Spanish, Portuguese, French, German, Italian, Russian, Polish, Turkish, Vietnamese
    "cuando",
    "quando",
    "lorsque",
    "quand ",
    "wenn ",
    "verwende",
    "когда",
    "при ",
    "gdy ",
    "kiedy",
    "kullan",
    "khi ",
    // Chinese, Japanese, Korean
    "时",
    "時",
    "用于",
    "場合",
    "とき",
    "때",
];

fn check(subject: &Subject<'_>, found: &mut Found) {
    static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasickBuilder::new().ascii_case_insensitive(true).build(PHRASES).expect("a few short words")
    });
    let Some(page) = &subject.page else { return };
    let Some(description) = Description::of(page) else { return };
    let by_name_only = page.skill().is_some_and(|skill| !skill.model_invocable);
    if by_name_only || description.text.is_empty() || SEARCH.is_match(description.text) {
        return;
    }
    let finding = RULE.finding("the description does not say when to use the skill");
    let finding = finding.help("add the occasions in the user's words: `Use when …`");
    found.add(page.path, finding.at(description.node.span.clone(), page.source));
}
