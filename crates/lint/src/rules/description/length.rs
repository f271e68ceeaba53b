//! Descriptions that are too short to choose by.

use super::DescriptionText;
use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static TOO_SHORT: Rule = Rule {
    code: "SK304",
    name: "description-too-short",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "the `description` has fewer than 20 characters",
    docs: RuleDocs {
        finds: "A description of fewer than 20 characters. A Chinese, Japanese or Korean character counts as two and \
            two thirds Latin ones: 8 of them are enough.",
        hurts: "An agent chooses skills by their descriptions alone. Three words do not distinguish a skill from a \
            dozen others, so it is never chosen, or always.",
        ignore: "The skill is only invoked by name (`disable-model-invocation: true`).",
        bad: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: PDF forms\n---\n# PDF\n\nFill forms.\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: 填写表格\n---\n# PDF\n\nFill forms.\n"
            ),
        ],
        good: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: 填写税务局的表格并检查每个字段\n---\n# PDF\n"
            ),
        ],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static SHORT: Rule = Rule {
    code: "SK313",
    name: "description-short",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the `description` has fewer than 50 characters",
    docs: RuleDocs {
        finds: "A description of 20 to 49 characters, counted as for `description-too-short`.",
        hurts: "That is enough for what the skill does or for when to use it, rarely for both.",
        ignore: "The name of the skill says the rest.",
        bad: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill in the forms of PDF files.\n---\n# PDF\n\nFill forms.\n"
        )],
        good: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill in the forms of PDF files. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: 填写税务局的表格并检查每个字段，用于报税的时候\n---\n# PDF\n"
            ),
        ],
    },
    check: RuleCheck::SharedWith("description-too-short"),
};

const TOO_SHORT_BELOW: usize = 20;
const SHORT_BELOW: usize = 50;

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(description) = DescriptionText::from_page(page) else {
        return;
    };
    // The weight of a character is at most its bytes.
    if description.text.len() >= 4 * SHORT_BELOW {
        return;
    }

    let characters = description.text.chars().count();
    let rule = match weight(description.text) {
        0 => return,
        // An empty description has rules of its own, which the reader checks.
        weight if weight < TOO_SHORT_BELOW => &TOO_SHORT,
        weight if weight < SHORT_BELOW => &SHORT,
        _ => return,
    };

    let few = if characters == 1 {
        "character"
    } else {
        "characters"
    };

    let finding = rule.finding(format!("the description has only {characters} {few}"));
    let finding =
        finding.help("say what the skill does and when to use it: `Fill PDF forms. Use when …`");
    found.add(page.path, finding.at_bytes(description.node.span.clone()));
}

/// The equivalent number of Latin characters.
fn weight(text: &str) -> usize {
    text.chars()
        // In thirds, so that two and two thirds need no fractions.
        .map(|c| if is_dense(c) { 8 } else { 3 })
        .sum::<usize>()
        / 3
}

/// Whether a character represents a word or a syllable.
fn is_dense(c: char) -> bool {
    // Kana, ideographs with their extensions, and Hangul syllables.
    matches!(c, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifteen_chinese_characters_weigh_as_much_as_forty_latin_ones() {
        assert_eq!(weight(&"字".repeat(15)), 40);
        assert_eq!(weight(&"é".repeat(40)), 40);
        assert_eq!(weight("한국어"), 8);
    }
}
