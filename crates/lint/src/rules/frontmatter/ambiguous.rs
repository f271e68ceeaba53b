//! Values that some YAML parsers read as a string and others do not.

use super::yaml_edit::{ambiguous_type, well_formed};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, RuleExample,
};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability};
use skillpm_core::skill::yaml::{self, TypedScalar, YamlNode, YamlNodeKind, YamlStyle};

pub(super) static RULE: Rule = Rule {
    code: "SK119",
    name: "yaml-ambiguous-scalar",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Safely,
    summary: "an unquoted value is a string to some YAML parsers and not to others",
    docs: RuleDocs {
        finds: "`yes`, `on`, `null`, `1.0`, `1e3`, `0x1f`, `12:30`, `2026-01-25` and similar values without quotes \
            where a string is expected: in a name, a description, a version, an author, and any date under \
            `metadata`.",
        hurts: "YAML 1.1 and 1.2 parsers type such values differently. A name `on` is a boolean to PyYAML, a version \
            `1.10` is the number 1.1 to most parsers, and a date becomes an object that JSON cannot represent.",
        ignore: "Never; with quotes it is a string to every parser.",
        bad: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  version: 1.10\n---\n\n# PDF\n",
                ),
            )]),
            RuleExample::page(&[(
                "on/SKILL.md",
                ExampleFile::Text(
                    "---\nname: on\ndescription: Switch the lights on.\n---\n\n# Lights\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  made: 2026-01-25\n---\n\n# PDF\n",
                ),
            )]),
        ],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  version: \"1.10\"\n  since: 1.10.0\n  \
                 internal: true\n  size: 3\n---\n\n# PDF\n",
            ),
        )])],
    },
    check: RuleCheck::Skill(check),
};

/// Fields, at the top level or under `metadata`, whose values are strings.
const TEXT_FIELDS: [&str; 8] = [
    "name",
    "description",
    "license",
    "compatibility",
    "version",
    "author",
    "argument-hint",
    "when_to_use",
];

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = well_formed(page) else {
        return;
    };

    // Most versions and dates are there, where every value must be a string.
    let metadata = frontmatter
        .root
        .get("metadata")
        .and_then(YamlNode::entries)
        .unwrap_or_default();

    for (key, value) in frontmatter.root.entries().unwrap_or_default() {
        // The reader has reported these two already.
        let is_reported = matches!(key.text(), Some("name" | "description"))
            && !value
                .text()
                .is_some_and(|text| matches!(yaml::core_type(text), TypedScalar::Text(_)));
        // Only these fields: for a boolean or a list of other programs `yes` and `3` may be meant.
        if key.text().is_some_and(|key| TEXT_FIELDS.contains(&key)) && !is_reported {
            report_ambiguous(page, key, value, found);
        }
    }

    for (key, value) in metadata {
        if is_ambiguous_entry(key, value) {
            report_ambiguous(page, key, value, found);
        }
    }
}

/// Whether this rule reports an entry of `metadata`.
pub(super) fn is_ambiguous_entry(key: &YamlNode, value: &YamlNode) -> bool {
    let Some((text, sort)) = ambiguous_scalar(value) else {
        return false;
    };
    !text.is_empty()
        // A number or a boolean under an unknown key may be meant as one; a date is an object to
        // JavaScript.
        && (sort == "a date" || key.text().is_some_and(|key| TEXT_FIELDS.contains(&key)))
}

/// The text of a plain scalar, and its other possible type.
fn ambiguous_scalar<'n>(value: &'n YamlNode) -> Option<(&'n str, &'static str)> {
    match &value.kind {
        // Quotes or a tag make the type certain.
        YamlNodeKind::Scalar(text, YamlStyle::Plain) if value.tag.is_none() && !text.is_empty() => {
            Some((text, ambiguous_type(text)?))
        }
        _ => None,
    }
}

fn report_ambiguous(
    page: &MarkdownPage,
    key: &YamlNode,
    value: &YamlNode,
    found: &mut FindingList,
) {
    let Some((text, sort)) = ambiguous_scalar(value) else {
        return;
    };

    let key = key.text().unwrap_or_default().escape_debug();
    let finding = RULE
        .finding(format!(
            "`{key}` is {sort} to some YAML parsers and a string to others"
        ))
        .at_bytes(value.span.clone())
        .help(format!("quote it: `{}`", yaml::quote(text)))
        .fix(DiagnosticFix::edit(
            FixApplicability::Safe,
            "quote the value",
            value.span.clone(),
            yaml::quote(text),
        ));
    found.add(page.path, finding);
}
