//! What `license` says.

use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject, package};
use crate::report::Level;
use crate::skill::yaml::Typed;

/// The lines of a `SKILL.md` with these fields.
macro_rules! page {
    ($fields:expr) => {
        Piece::Text(concat!("---\nname: pdf\ndescription: Fill PDF forms.\n", $fields, "---\n\n# PDF forms\n"))
    };
}

pub(super) static FILE_MISSING: Rule = Rule {
    code: "SK139",
    name: "license-file-missing",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "`license` names a file that is not there",
    docs: Docs {
        finds: "A `license` that points to a file, such as `LICENSE.txt`, which the skill's directory does not have.",
        hurts: "Whoever installs the skill alone gets no terms: the file of the repository's root does not come with it.",
        ignore: "A skill that is never handed on without the repository around it.",
        bad: &[Example::page(&[("pdf/SKILL.md", page!("license: Complete terms in LICENSE.txt\n"))])],
        good: &[
            Example::files(&[
                ("pdf/SKILL.md", page!("license: Complete terms in LICENSE.txt\n")),
                ("pdf/LICENSE.txt", Piece::Text("Do as you like.\n")),
            ]),
            Example::page(&[("pdf/SKILL.md", page!("license: MIT License\n"))]),
        ],
    },
    check: Check::Skill(check),
};

pub(super) static NOT_SPDX: Rule = Rule {
    code: "SK140",
    name: "license-not-spdx",
    // Five of six real skills have none: a question for those who publish.
    level: None,
    fix: Fixes::Never,
    summary: "there is no `license`, or it is no SPDX expression",
    docs: Docs {
        finds: "A skill without a `license`, and one whose `license` is no SPDX expression such as `MIT` or `Apache-2.0 OR \
                MIT` and points to no file either.",
        hurts: "A text that nobody may use is what a skill without a licence is by law, and a licence in free words is one \
                that no program can check.",
        ignore: "A skill that is not published.",
        bad: &[
            Example { files: &[("pdf/SKILL.md", page!(""))], settings: ASKED },
            Example { files: &[("pdf/SKILL.md", page!("license: Apache 2\n"))], settings: ASKED },
        ],
        good: &[
            Example { files: &[("pdf/SKILL.md", page!("license: Apache-2.0\n"))], settings: ASKED },
            Example {
                files: &[
                    ("pdf/SKILL.md", page!("license: Proprietary, see LICENSE.txt\n")),
                    ("pdf/LICENSE.txt", Piece::Text("All rights reserved.\n")),
                ],
                settings: ASKED,
            },
        ],
    },
    check: Check::With("license-file-missing"),
};

/// What asks for a rule that is off.
const ASKED: &str = "extend-select = [\"license-not-spdx\"]\n";

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = &page.frontmatter else { return };
    let Some((key, value)) = frontmatter.root.entry("license") else {
        let finding = NOT_SPDX.finding("the skill has no `license`").at(frontmatter.fences.open.clone(), page.source);
        found.add(page.path, finding.help("write an SPDX expression, such as `license: MIT`"));
        return;
    };
    let text = match value.typed() {
        Some(Typed::Text(text)) if !text.trim().is_empty() => text.trim(),
        Some(Typed::Text(_) | Typed::Null) => {
            let finding = NOT_SPDX.finding("`license` is empty").at(key.span.clone(), page.source);
            found.add(page.path, finding.help("write an SPDX expression, such as `license: MIT`"));
            return;
        }
        _ => return,
    };
    if let Some(file) = file_in(text) {
        let is_it = |path: &str| path.eq_ignore_ascii_case(file.trim_start_matches("./"));
        if !subject.skill.files.iter().any(|there| is_it(&there.path)) {
            let finding = FILE_MISSING
                .finding(format!("`license` names `{}`, and there is no such file", file.escape_debug()))
                .at(place_of(page.source, &value.span, file), page.source);
            found.add(page.path, finding.help("put the file into the skill's directory, or name the licence itself"));
        }
    } else if let Err(fault) = package::license_fault(text) {
        let mut finding = NOT_SPDX.finding(fault.message).at(value.span.clone(), page.source);
        finding.help = fault.help.or_else(|| Some("write an SPDX expression, such as `MIT`".into()));
        found.add(page.path, finding);
    }
}

/// The file that a text points to: `LICENSE.txt`, or a bare `LICENSE` after `see` or `in`.
fn file_in(text: &str) -> Option<&str> {
    let mut before = "";
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '/' | '_' | '-'));
        let word = word.trim_end_matches('.');
        let name = word.rsplit('/').next().unwrap_or(word);
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let called = |names: &[&str]| names.iter().any(|other| stem.to_ascii_uppercase().starts_with(other));
        let is_file = matches!(extension.to_ascii_lowercase().as_str(), "txt" | "md" | "rst");
        let pointed = ["see", "in"].contains(&before.to_ascii_lowercase().as_str());
        if called(&["LICENSE", "LICENCE", "COPYING", "NOTICE"]) && !text.contains("://") {
            let bare = extension.is_empty() && stem.chars().all(|c| c.is_ascii_uppercase());
            if is_file || (bare && pointed) {
                return Some(word);
            }
        }
        before = word;
    }
    None
}

fn place_of(source: &str, value: &crate::report::Span, file: &str) -> crate::report::Span {
    match source[value.clone()].find(file) {
        Some(at) => value.start + at..value.start + at + file.len(),
        None => value.clone(),
    }
}
