//! A name that is not what it looks like.

use unicode_normalization::UnicodeNormalization;
use unicode_security::{RestrictionLevel, RestrictionLevelDetection, skeleton};

use super::written;
use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::{Level, Span};
use crate::skill::name::shown;
use crate::skill::yaml::Node;

pub(super) static RULE: Rule = Rule {
    code: "SK213",
    name: "name-confusable",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "the `name` is not what it looks like",
    docs: Docs {
        finds: "A name whose letters come from scripts that are not written together (Latin with one Cyrillic letter), or \
                one without a single Latin letter that reads as a Latin word all the same (`сору`, all of it Cyrillic). \
                Scripts that belong together, as Kanji, Kana and Latin do, are fine.",
        hurts: "It is how one skill passes for another: `pdf` with a Cyrillic letter is another name than `pdf`, and \
                nobody sees it. The official validator accepts it.",
        ignore: "A name in a language whose word happens to look like a Latin one.",
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
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some((skill, _, node)) = written(page) else { return };
    if skill.name.is_ascii() {
        return;
    }
    let name: String = skill.name.nfkc().collect();
    let letters = || name.chars().filter(|c| c.is_alphabetic());
    let looks_like: String = skeleton(&name).collect();
    let mixed = letters().collect::<String>().detect_restriction_level() > RestrictionLevel::HighlyRestrictive;
    let foreign = !letters().any(|c| c.is_ascii()) && looks_like.is_ascii() && letters().next().is_some();
    let message = match (mixed, foreign) {
        (true, _) => {
            format!("the name `{}` mixes letters of scripts that are not written together", shown(&skill.name))
        }
        (_, true) => {
            format!("the name `{}` looks like `{}` and has no letter of it", shown(&skill.name), shown(&looks_like))
        }
        _ => return,
    };
    let strange = strange(page.source, node, &skill.name);
    let Some((first, others)) = strange.split_first() else { return };
    let at = |span: &Span| format!("this is {}", code_points(&page.source[span.clone()]));
    let mut finding = RULE.finding(message).at(first.clone(), page.source).label(first.clone(), at(first));
    for other in others {
        finding = finding.label(other.clone(), at(other));
    }
    found.add(page.path, finding.help("write it in the letters of one script"));
}

/// Where characters beyond ASCII stand in a name; where that cannot be said, all of it.
fn strange(source: &str, node: &Node<'_>, name: &str) -> Vec<Span> {
    let blanks = node.text().map_or(0, |text| text.len() - text.trim_start().len());
    let foreign = name.char_indices().filter(|(_, c)| !c.is_ascii());
    let places = foreign.map(|(at, c)| node.place_of(source, at + blanks..at + blanks + c.len_utf8()));
    let places: Option<Vec<Span>> = places.take(8).collect();
    places.unwrap_or_else(|| vec![node.span.clone()])
}

fn code_points(text: &str) -> String {
    let points: Vec<String> = text.chars().take(8).map(|c| format!("U+{:04X}", u32::from(c))).collect();
    points.join(" ")
}
