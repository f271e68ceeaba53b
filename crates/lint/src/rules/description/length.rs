//! Descriptions that are too short to choose by.

use super::Description;
use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;

pub(super) static TOO_SHORT: Rule = Rule {
    code: "SK304",
    name: "description-too-short",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "the `description` has fewer than 20 characters",
    docs: Docs {
        finds: "A description of fewer than 20 characters. One of Chinese, Japanese or Korean says as much as two and two \
                thirds of Latin and counts so: 8 of them are enough.",
        hurts: "An agent chooses by the description alone. Three words do not tell it from a dozen others, so it is not \
                chosen, or always.",
        ignore: "A skill that is only ever called by name (`disable-model-invocation: true`).",
        bad: &[
            page!("pdf", "---\nname: pdf\ndescription: PDF forms\n---\n# PDF\n\nFill forms.\n"),
            page!("pdf", "---\nname: pdf\ndescription: 填写表格\n---\n# PDF\n\nFill forms.\n"),
        ],
        good: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!("pdf", "---\nname: pdf\ndescription: 填写税务局的表格并检查每个字段\n---\n# PDF\n"),
        ],
    },
    check: Check::Skill(check),
};

pub(super) static SHORT: Rule = Rule {
    code: "SK313",
    name: "description-short",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "the `description` has fewer than 50 characters",
    docs: Docs {
        finds: "A description of 20 to 49 characters, counted as for `description-too-short`.",
        hurts: "That is room for what the skill does or for when to use it, seldom for both.",
        ignore: "A skill whose name says the rest.",
        bad: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill in the forms of PDF files.\n---\n# PDF\n\nFill forms.\n"
        )],
        good: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill in the forms of PDF files. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!("pdf", "---\nname: pdf\ndescription: 填写税务局的表格并检查每个字段，用于报税的时候\n---\n# PDF\n"),
        ],
    },
    check: Check::With("description-too-short"),
};

const TOO_SHORT_BELOW: usize = 20;
const SHORT_BELOW: usize = 50;

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(description) = Description::of(page) else { return };
    // No character weighs more than its bytes.
    if description.text.len() >= 4 * SHORT_BELOW {
        return;
    }
    let characters = description.text.chars().count();
    let rule = match weight(description.text) {
        0 => return,
        weight if weight < TOO_SHORT_BELOW => &TOO_SHORT,
        weight if weight < SHORT_BELOW => &SHORT,
        _ => return,
    };
    let few = if characters == 1 { "character" } else { "characters" };
    let finding = rule.finding(format!("the description has only {characters} {few}"));
    let finding = finding.help("say what the skill does and when to use it: `Fill PDF forms. Use when …`");
    found.add(page.path, finding.at(description.node.span.clone(), page.source));
}

/// How many Latin characters say as much.
fn weight(text: &str) -> usize {
    text.chars().map(|c| if is_dense(c) { 8 } else { 3 }).sum::<usize>() / 3
}

/// Whether a character stands for a word or a syllable.
fn is_dense(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifteen_of_chinese_say_as_much_as_forty_of_latin() {
        assert_eq!(weight(&"字".repeat(15)), 40);
        assert_eq!(weight(&"é".repeat(40)), 40);
        assert_eq!(weight("한국어"), 8);
    }
}
