//! The `license` field.

use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
    SkillDir, license,
};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, Span};
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
    // A warning: the file is usually in the root of the repository, and lost on installation.
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
        let finding = no_license_finding("the skill has no `license`");
        let place = frontmatter.fences.open.clone();
        return found.add(page.path, finding.at_bytes(place));
    };

    let text = match value.typed() {
        Some(TypedScalar::Text(text)) if !text.trim().is_empty() => text.trim(),
        Some(TypedScalar::Text(_) | TypedScalar::Null) => {
            let finding = no_license_finding("`license` is empty");
            return found.add(page.path, finding.at_bytes(key.span.clone()));
        }
        // Another type is reported by `wrong-type`.
        _ => return,
    };

    // A text that refers to a file is complete with that file, and need not be an expression.
    if let Some(file) = license_file_in(text) {
        if !has_file(subject.skill, file) {
            let span = span_in_value(page.source, &value.span, file);
            found.add(page.path, missing_file_finding(file).at_bytes(span));
        }
    } else if let Some(finding) = expression_finding(text) {
        found.add(page.path, finding.at_bytes(value.span.clone()));
    }
}

/// Reports a text that is not an SPDX expression.
fn expression_finding(text: &str) -> Option<Diagnostic> {
    let fault = license::check_expression(text).err()?;
    let help = fault
        .help
        .unwrap_or_else(|| "use an SPDX expression, such as `MIT`".to_owned());
    Some(NOT_SPDX.finding(fault.message).help(help))
}

fn no_license_finding(message: &str) -> Diagnostic {
    NOT_SPDX
        .finding(message)
        .help("add an SPDX expression, such as `license: MIT`")
}

/// Whether the skill has a file of this name. In any case, as people write `license.txt` for `LICENSE.txt`.
fn has_file(skill: &SkillDir, name: &str) -> bool {
    let name = name.trim_start_matches("./");
    skill
        .files
        .iter()
        .any(|file| file.path.eq_ignore_ascii_case(name))
}

fn missing_file_finding(file: &str) -> Diagnostic {
    FILE_MISSING
        .finding(format!(
            "`license` names the file `{}`, which does not exist",
            file.escape_debug()
        ))
        .help("add the file to the skill's directory, or write the license itself")
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
        // `see LICENSE` refers to a file, `MIT LICENSE` does not.
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

fn span_in_value(source: &str, value: &Span, file: &str) -> Span {
    // A folded or escaped value may not contain the name as it is read.
    match source[value.clone()].find(file) {
        Some(at) => value.start + at..value.start + at + file.len(),
        None => value.clone(),
    }
}
