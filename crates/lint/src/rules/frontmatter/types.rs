//! Fields whose type is not the one of the specification.

use super::yaml_edit::{YamlBlockWriter, after_colon, column, indent_step, well_formed};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, RuleExample,
};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability};
use skillpm_core::skill::line_ending;
use skillpm_core::skill::yaml::{self, TypedScalar, YamlNode, YamlNodeKind, YamlStyle};

pub(super) static RULE: Rule = Rule {
    code: "SK134",
    name: "wrong-type",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "a field is not of the required type: string, mapping or boolean",
    docs: RuleDocs {
        finds: "A `name`, `description`, `license` or `compatibility` that is not a string, a `metadata` that is not \
            a mapping, an `allowed-tools` that is neither a string nor a list, and a boolean such as `user-invocable` \
            that is neither `true` nor `false`.",
        hurts: "Agents drop a skill whose name or description is not a string. They ignore other fields: a boolean \
            `\"yes\"` has no effect.",
        ignore: "Never; except that OpenClaw reads a `metadata` that is a JSON string, and a skill for OpenClaw only \
            may keep it.",
        bad: &[
            RuleExample::page(&[(
                "123/SKILL.md",
                ExampleFile::Text("---\nname: 123\ndescription: Counts.\n---\n\n# Count\n"),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\nlicense:\n  - MIT\n---\n\n# PDF\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\nuser-invocable: \"no\"\n---\n\n# PDF\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata: '{\"a\": \"b\"}'\n---\n\n# PDF\n",
                ),
            )]),
        ],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms.\nlicense: MIT\nuser-invocable: false\nmetadata:\n  a: b\n\
                 allowed-tools: Read\n---\n\n# PDF\n",
            ),
        )])],
    },
    check: RuleCheck::Skill(check),
};

/// Boolean fields.
const BOOLEAN_FIELDS: [&str; 2] = ["disable-model-invocation", "user-invocable"];

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = &page.frontmatter else {
        return;
    };
    for (key, value) in frontmatter.root.entries().unwrap_or_default() {
        // Repaired values are reported already; but broken brackets do not become a mapping when they are repaired.
        let mut repairs = frontmatter
            .repairs
            .iter()
            .filter(|repair| repair.rule != "yaml-broken-flow");
        if repairs
            .any(|repair| repair.span.start < value.span.end && value.span.start < repair.span.end)
        {
            continue;
        }

        match key.text().unwrap_or_default() {
            // `name` and `description` are checked by the reader, which needs both as text.
            field @ ("license" | "compatibility") => check_text(page, field, value, found),
            "metadata" => check_mapping(page, key, value, found),
            "allowed-tools" => check_tools(page, value, found),
            field if BOOLEAN_FIELDS.contains(&field) => check_boolean(page, field, value, found),
            _ => {}
        }
    }
}

/// Describes the type of a value.
pub(super) fn describe_type(value: &YamlNode) -> &'static str {
    match value.typed() {
        Some(TypedScalar::Text(_)) => "a string",
        Some(TypedScalar::Null) => "empty",
        Some(TypedScalar::Bool(_)) => "a boolean",
        Some(TypedScalar::Int(_) | TypedScalar::Float(_)) => "a number",
        None if value.items().is_some() => "a list",
        None => "a mapping",
    }
}

fn report_type(
    page: &MarkdownPage,
    field: &str,
    wanted: &str,
    value: &YamlNode,
    help: String,
    fix: Option<DiagnosticFix>,
    found: &mut FindingList,
) {
    let finding = RULE.finding(format!(
        "`{field}` is {}; it must be {wanted}",
        describe_type(value)
    ));
    let mut finding = finding.at_bytes(value.span.clone()).help(help);
    finding.fix = fix.filter(|_| well_formed(page).is_some());
    found.add(page.path, finding);
}

fn check_text(page: &MarkdownPage, field: &str, value: &YamlNode, found: &mut FindingList) {
    let (help, fix) = match value.typed() {
        Some(TypedScalar::Text(_) | TypedScalar::Null) => return,
        Some(_) => {
            let quoted = yaml::quote(value.text().unwrap_or_default());
            let fix = DiagnosticFix::edit(
                FixApplicability::Safe,
                "quote the value",
                value.span.clone(),
                &quoted,
            );
            (
                format!("quote it: `{quoted}`"),
                value.tag.is_none().then_some(fix),
            )
        }
        // A list of licenses could mean any of them or all, so there is no fix.
        None => ("write it as one string".to_owned(), None),
    };
    report_type(page, field, "a string", value, help, fix, found);
}

fn check_mapping(page: &MarkdownPage, key: &YamlNode, value: &YamlNode, found: &mut FindingList) {
    // `metadata:` without entries is an empty mapping to every agent.
    if value.entries().is_some() || value.is_null() {
        return;
    }
    let help = "write `key: value` below it, each on its own line".to_owned();
    report_type(
        page,
        "metadata",
        "a mapping",
        value,
        help,
        expand_json_fix(page, key, value),
        found,
    );
}

/// The fix that replaces a JSON string by a mapping in block style.
fn expand_json_fix(page: &MarkdownPage, key: &YamlNode, value: &YamlNode) -> Option<DiagnosticFix> {
    let text = value.text()?;
    // JSON is a subset of YAML, so the same parser reads it.
    let inner = yaml::parse_text(text)
        .ok()?
        .root
        // A JSON list or number in quotes is not what `metadata` was meant to be.
        .filter(|root| root.entries().is_some_and(|e| !e.is_empty()))?;

    let (colon, _) = after_colon(page.source, key, value).filter(|(_, blank)| *blank)?;
    let step = indent_step(page.source, &page.frontmatter.as_ref()?.root);
    let indent = column(page.source, key.span.start) + step;
    let blocks = YamlBlockWriter {
        source: text,
        line_end: line_ending(page.source),
        step,
    };

    let content = format!(
        "{}{}{}",
        blocks.line_end,
        " ".repeat(indent),
        blocks.write_lines(&inner, indent)?
    );
    Some(DiagnosticFix::edit(
        FixApplicability::Safe,
        "write it in block style",
        colon..value.span.end,
        content,
    ))
}

fn check_tools(page: &MarkdownPage, value: &YamlNode, found: &mut FindingList) {
    let is_text = |node: &YamlNode| matches!(node.typed(), Some(TypedScalar::Text(_)));
    let fine = is_text(value)
        || value.is_null()
        || value.items().is_some_and(|items| items.iter().all(is_text));

    if !fine {
        // The finding points to the first item that is not a string.
        let odd = value
            .items()
            .and_then(|items| items.iter().find(|item| !is_text(item)))
            .unwrap_or(value);
        let help =
            "write the names of the tools with spaces between them: `Read Bash(git:*)`".to_owned();
        let field = if value.items().is_some() {
            "an item of `allowed-tools`"
        } else {
            "`allowed-tools`"
        };

        let finding = RULE.finding(format!(
            "{field} is {}; it must be a string",
            describe_type(odd)
        ));
        found.add(page.path, finding.at_bytes(odd.span.clone()).help(help));
    }
}

fn check_boolean(page: &MarkdownPage, field: &str, value: &YamlNode, found: &mut FindingList) {
    if matches!(
        value.typed(),
        Some(TypedScalar::Bool(_) | TypedScalar::Null)
    ) {
        return;
    }

    let meant = match value
        .text()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
        .as_str()
    {
        // YAML 1.1 and people write booleans in these ways; agents compare with `true`.
        "true" | "yes" | "on" | "y" | "1" => Some("true"),
        "false" | "no" | "off" | "n" | "0" => Some("false"),
        _ => None,
    };

    let help = format!("write `{field}: {}`", meant.unwrap_or("true"));
    let plain = matches!(
        value.kind,
        YamlNodeKind::Scalar(
            _,
            YamlStyle::Plain | YamlStyle::SingleQuoted | YamlStyle::DoubleQuoted
        )
    );
    let fix = meant.filter(|_| plain && value.tag.is_none());
    let fix = fix.map(|meant| boolean_fix(value, meant));

    report_type(page, field, "`true` or `false`", value, help, fix, found);
}

fn boolean_fix(value: &YamlNode, meant: &str) -> DiagnosticFix {
    DiagnosticFix::edit(
        FixApplicability::Safe,
        format!("write `{meant}`"),
        value.span.clone(),
        meant,
    )
}
