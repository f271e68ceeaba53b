//! Names with confusable characters.

use unicode_normalization::UnicodeNormalization;
use unicode_security::{RestrictionLevel, RestrictionLevelDetection, skeleton};

use super::name_field;
use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::{DiagnosticLevel, Span};
use skillpm_core::skill::name::shorten_for_display;
use skillpm_core::skill::yaml::YamlNode;

pub(super) static RULE: Rule = Rule {
    code: "SK213",
    name: "name-confusable",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "the `name` contains confusable characters",
    docs: RuleDocs {
        finds: "A name with letters of scripts that are not used together (Latin with one Cyrillic letter), or a name \
            without Latin letters that looks like a Latin word (`сору`, all Cyrillic). Scripts that are used \
            together, such as Kanji, Kana and Latin, are allowed.",
        hurts: "A skill can impersonate another: `pdf` with a Cyrillic letter is another name than `pdf`, and users \
            do not see the difference. The official validator accepts it.",
        ignore: "The name is a word of another language that happens to look like a Latin one.",
        bad: &[
            page!(
                "pаyment",
                "---\nname: pаyment\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "сору",
                "---\nname: сору\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
        ],
        good: &[
            page!(
                "payment",
                "---\nname: payment\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "платёж",
                "---\nname: платёж\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "pdf-入力フォーム",
                "---\nname: pdf-入力フォーム\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
        ],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some((skill, _, node)) = name_field(page) else {
        return;
    };
    // Nearly all names end here, before the tables of Unicode are used.
    if skill.name.is_ascii() {
        return;
    }

    let Some(message) = describe_confusion(&skill.name) else {
        return;
    };

    let suspicious = non_ascii_spans(page.source, node, &skill.name);
    let Some((first, others)) = suspicious.split_first() else {
        return;
    };

    let at = |span: &Span| format!("this is {}", format_code_points(&page.source[span.clone()]));
    let mut finding = RULE
        .finding(message)
        .at_bytes(first.clone())
        .label(first.clone(), at(first));
    for other in others {
        finding = finding.label(other.clone(), at(other));
    }

    found.add(page.path, finding.help("use letters of one script"));
}

/// Why a name can be mistaken for another; `None` if it cannot.
fn describe_confusion(written: &str) -> Option<String> {
    let shown = shorten_for_display(written);
    // Agents compare names after normalization, so full-width letters are not suspicious.
    let name: String = written.nfkc().collect();
    let letters: String = name.chars().filter(|c| c.is_alphabetic()).collect();

    // The level of Unicode's security profile that allows Latin with Kanji, Kana, Hangul or
    // Bopomofo, and no other mixture.
    if letters.detect_restriction_level() > RestrictionLevel::HighlyRestrictive {
        return Some(format!(
            "the name `{shown}` mixes letters of scripts that are not used together"
        ));
    }

    // Letters of one other script that together spell a Latin word.
    let looks_like: String = skeleton(&name).collect();
    let is_foreign = !letters.is_empty() && !letters.chars().any(|c| c.is_ascii());
    (is_foreign && looks_like.is_ascii()).then(|| {
        format!(
            "the name `{shown}` looks like `{}` but has none of its letters",
            shorten_for_display(&looks_like)
        )
    })
}

/// The spans of non-ASCII characters in a name; the whole name if they are unknown.
fn non_ascii_spans(source: &str, node: &YamlNode<'_>, name: &str) -> Vec<Span> {
    let blanks = node
        .text()
        .map_or(0, |text| text.len() - text.trim_start().len());
    let foreign = name.char_indices().filter(|(_, c)| !c.is_ascii());
    let places =
        foreign.map(|(at, c)| node.text_span(source, at + blanks..at + blanks + c.len_utf8()));
    // With escapes in the value, the place of a character in the file is unknown.
    let places: Option<Vec<Span>> = places.take(8).collect();
    places.unwrap_or_else(|| vec![node.span.clone()])
}

fn format_code_points(text: &str) -> String {
    let points: Vec<String> = text
        .chars()
        .take(8)
        .map(|c| format!("U+{:04X}", u32::from(c)))
        .collect();
    points.join(" ")
}
