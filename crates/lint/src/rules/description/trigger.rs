//! Descriptions that do not say when to use the skill.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder};

use super::DescriptionText;
use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK305",
    name: "description-no-trigger",
    // 27 % of well-kept skills have no such phrase, so it is never louder than a note.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the `description` says what the skill does, but not when to use it",
    docs: RuleDocs {
        finds: "A description without any phrase that says when to use the skill: `use when`, `whenever`, `if the \
            user`, `triggers on`, `useful for`, and similar phrases in a dozen languages.",
        hurts: "An agent compares the task with the descriptions. A description that names the situations matches \
            them; one that praises the skill does not. The specification asks for both what and when.",
        ignore: "A quarter of well-maintained skills have no such phrase, and a description that names its subject \
            well is found anyway. A skill that is only invoked by name needs none.",
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
    check: RuleCheck::Skill(check),
};

/// Phrases that say when to use a skill. ASCII in lower case; matched ignoring case.
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

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasickBuilder::new()
            .ascii_case_insensitive(true)
            .build(PHRASES)
            .expect("a few short words")
    });
    let Some(page) = &subject.page else { return };
    let Some(description) = DescriptionText::from_page(page) else {
        return;
    };

    // A skill that the model cannot choose needs no trigger.
    let by_name_only = page.skill().is_some_and(|skill| !skill.model_invocable);
    if by_name_only || description.text.is_empty() || SEARCH.is_match(description.text) {
        return;
    }

    let finding = RULE.finding("the description does not say when to use the skill");
    let finding = finding.help("add when to use it, in the user's words: `Use when …`");
    found.add(page.path, finding.at_bytes(description.node.span.clone()));
}
