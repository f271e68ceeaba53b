//! Values of `metadata` that are not strings.

use super::{ambiguous, types};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;
use skillpm_core::skill::yaml::{TypedScalar, YamlNode};

pub(super) static RULE: Rule = Rule {
    code: "SK135",
    name: "metadata-not-strings",
    // A note, as OpenClaw documents nested mappings here: one in eight public skills has them.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "a value under `metadata` is not a string",
    docs: RuleDocs {
        finds: "A list, a mapping, a number or a boolean under `metadata`, which the specification defines as a map \
            from strings to strings.",
        hurts: "An agent that follows the specification loses such a value, or shows it as `[object Object]`.",
        ignore: "An agent requires it: OpenClaw for its gates, `npx skills` for `internal: true`.",
        bad: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  tags:\n    - pdf\n    - forms\n---\n\n# PDF\n",
            ),
        )])],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  tags: pdf, forms\n  size: \"3\"\n---\n\n# PDF\n",
            ),
        )])],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = &page.frontmatter else {
        return;
    };
    let entries = frontmatter
        .root
        .get("metadata")
        .and_then(YamlNode::entries)
        .unwrap_or_default();

    let mut odd = entries
        .iter()
        .filter_map(|(key, value)| Some((key, describe_odd_value(key, value)?)));

    let Some((first, sort)) = odd.next() else {
        return;
    };

    // One finding for all entries, at the first of them.
    let shown: String = first.text().unwrap_or_default().chars().take(40).collect();
    let finding = RULE
        .finding(format!(
            "`metadata.{}` is {sort}; the specification requires strings",
            shown.escape_debug()
        ))
        .at_bytes(first.span.clone())
        .help("write it as a string, unless an agent requires this type");
    let finding = odd.take(8).fold(finding, |finding, (key, sort)| {
        finding.label(key.span.clone(), format!("also {sort}"))
    });
    found.add(page.path, finding);
}

/// The type of a value that is not a string; `None` for a string, or where another rule reports it.
fn describe_odd_value(key: &YamlNode, value: &YamlNode) -> Option<&'static str> {
    match value.typed() {
        Some(TypedScalar::Text(_) | TypedScalar::Null) => None,
        // Ambiguous values are reported by another rule.
        Some(_) if ambiguous::is_ambiguous_entry(key, value) => None,
        _ => Some(types::describe_type(value)),
    }
}
