//! The `license` field.

use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
    package,
};
use skillpm_core::report::DiagnosticLevel;
use skillpm_core::skill::yaml::TypedScalar;

/// The lines of a `SKILL.md` with these fields.
macro_rules! page {
    ($fields:expr) => {
        ExampleFile::Text(concat!(
            "---\nname: pdf\ndescription: Fill PDF forms.\n",
            $fields,
            "---\n\n# PDF forms\n"
        ))
    };
}

pub(super) static FILE_MISSING: Rule = Rule {
    code: "SK139",
    name: "license-file-missing",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "`license` names a file that does not exist",
    docs: RuleDocs {
        finds: "A `license` that refers to a file, such as `LICENSE.txt`, that does not exist in the skill's \
            directory.",
        hurts: "Anyone who installs the skill alone gets no license text: the file in the repository's root is not \
            installed with it.",
        ignore: "The skill is never distributed without its repository.",
        bad: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            page!("license: Complete terms in LICENSE.txt\n"),
        )])],
        good: &[
            RuleExample::files(&[
                (
                    "pdf/SKILL.md",
                    page!("license: Complete terms in LICENSE.txt\n"),
                ),
                ("pdf/LICENSE.txt", ExampleFile::Text("Do as you like.\n")),
            ]),
            RuleExample::page(&[("pdf/SKILL.md", page!("license: MIT License\n"))]),
        ],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static NOT_SPDX: Rule = Rule {
    code: "SK140",
    name: "license-not-spdx",
    // Five of six real skills have no license: it matters only when publishing.
    level: None,
    fix: FixAvailability::Never,
    summary: "`license` is missing, or not an SPDX expression",
    docs: RuleDocs {
        finds: "A skill without a `license`, or with one that is neither an SPDX expression such as `MIT` or \
            `Apache-2.0 OR MIT` nor a reference to a file.",
        hurts: "Without a license, copyright law does not allow others to use the skill, and a license in free text \
            cannot be checked by programs.",
        ignore: "The skill is not published.",
        bad: &[
            RuleExample {
                files: &[("pdf/SKILL.md", page!(""))],
                settings: ENABLE_RULE,
            },
            RuleExample {
                files: &[("pdf/SKILL.md", page!("license: Apache 2\n"))],
                settings: ENABLE_RULE,
            },
        ],
        good: &[
            RuleExample {
                files: &[("pdf/SKILL.md", page!("license: Apache-2.0\n"))],
                settings: ENABLE_RULE,
            },
            RuleExample {
                files: &[
                    (
                        "pdf/SKILL.md",
                        page!("license: Proprietary, see LICENSE.txt\n"),
                    ),
                    (
                        "pdf/LICENSE.txt",
                        ExampleFile::Text("All rights reserved.\n"),
                    ),
                ],
                settings: ENABLE_RULE,
            },
        ],
    },
    check: RuleCheck::SharedWith("license-file-missing"),
};

/// Settings that enable the rule, which is off by default.
const ENABLE_RULE: &str = "extend-select = [\"license-not-spdx\"]\n";

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = &page.frontmatter else {
        return;
    };
    let Some((key, value)) = frontmatter.root.entry("license") else {
        let finding = NOT_SPDX
            .finding("the skill has no `license`")
            .at_bytes(frontmatter.fences.open.clone());
        found.add(
            page.path,
            finding.help("add an SPDX expression, such as `license: MIT`"),
        );
        return;
    };

    let text = match value.typed() {
        Some(TypedScalar::Text(text)) if !text.trim().is_empty() => text.trim(),
        Some(TypedScalar::Text(_) | TypedScalar::Null) => {
            let finding = NOT_SPDX
                .finding("`license` is empty")
                .at_bytes(key.span.clone());
            found.add(
                page.path,
                finding.help("add an SPDX expression, such as `license: MIT`"),
            );
            return;
        }
        _ => return,
    };

    if let Some(file) = license_file_in(text) {
        let is_it = |path: &str| path.eq_ignore_ascii_case(file.trim_start_matches("./"));
        if !subject.skill.files.iter().any(|there| is_it(&there.path)) {
            let finding = FILE_MISSING
                .finding(format!(
                    "`license` names the file `{}`, which does not exist",
                    file.escape_debug()
                ))
                .at_bytes(span_in_value(page.source, &value.span, file));
            found.add(
                page.path,
                finding.help("add the file to the skill's directory, or write the license itself"),
            );
        }
    } else if let Err(fault) = package::license_fault(text) {
        let mut finding = NOT_SPDX.finding(fault.message).at_bytes(value.span.clone());
        finding.help = fault
            .help
            .or_else(|| Some("use an SPDX expression, such as `MIT`".into()));
        found.add(page.path, finding);
    }
}

/// The file that a text refers to: `LICENSE.txt`, or a bare `LICENSE` after `see` or `in`.
fn license_file_in(text: &str) -> Option<&str> {
    let mut before = "";
    for word in text.split_whitespace() {
        let word = word
            .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '/' | '_' | '-'));
        let word = word.trim_end_matches('.');
        let name = word.rsplit('/').next().unwrap_or(word);
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));

        let called = |names: &[&str]| {
            names
                .iter()
                .any(|other| stem.to_ascii_uppercase().starts_with(other))
        };
        let is_file = matches!(
            extension.to_ascii_lowercase().as_str(),
            "txt" | "md" | "rst"
        );
        let referenced = ["see", "in"].contains(&before.to_ascii_lowercase().as_str());

        // A bare `LICENSE` names a file only in a reference: `see LICENSE`.
        if called(&["LICENSE", "LICENCE", "COPYING", "NOTICE"]) && !text.contains("://") {
            let bare = extension.is_empty() && stem.chars().all(|c| c.is_ascii_uppercase());
            if is_file || (bare && referenced) {
                return Some(word);
            }
        }

        before = word;
    }
    None
}

fn span_in_value(
    source: &str,
    value: &skillpm_core::report::Span,
    file: &str,
) -> skillpm_core::report::Span {
    match source[value.clone()].find(file) {
        Some(at) => value.start + at..value.start + at + file.len(),
        None => value.clone(),
    }
}
