//! Lists and mappings in flow style.

use super::yaml_edit::{
    YamlBlockWriter, after_colon, column, indent_step, is_non_empty, verify_same_values,
    well_formed,
};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, RuleExample,
};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability, Span};
use skillpm_core::skill::line_ending;
use skillpm_core::skill::yaml::{YamlLayout, YamlNode, YamlNodeKind};

pub(super) static RULE: Rule = Rule {
    code: "SK121",
    name: "yaml-flow-style",
    // A note: every agent reads it, and OpenClaw's documentation writes `metadata` so.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Safely,
    summary: "a list or a mapping is written in flow style (brackets)",
    docs: RuleDocs {
        finds: "`[a, b]` and `{a: b}`, including JSON, in a frontmatter.",
        hurts: "It is valid YAML, and every agent loads it; but the official validator reads a subset of YAML without \
            brackets and rejects the file. This is the most common reason why it rejects the YAML of real skills.",
        ignore: "The skill is never validated by `skills-ref`, for example one for OpenClaw, whose documentation \
            writes `metadata` as JSON.",
        bad: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\ntags: [pdf, forms]\n---\n\n# PDF\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata: {\"openclaw\": {\"requires\": {\"bins\": \
                     [\"pdftk\"]}}}\n---\n\n# PDF\n",
                ),
            )]),
        ],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms [and more].\ntags:\n  - pdf\n  - \"[forms]\"\n---\n\n# PDF\n",
            ),
        )])],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = well_formed(page) else {
        return;
    };

    let root = &frontmatter.root;
    // The whole frontmatter as JSON: one finding for it, none for what is inside.
    if is_flow(root) {
        let content =
            block_writer(page, root).write_lines(root, column(page.source, root.span.start));
        report_flow(
            page,
            "the frontmatter",
            root,
            content.map(|content| (root.span.clone(), content)),
            found,
        );
    } else {
        check_children(page, root, None, found);
    }
}

fn block_writer<'p>(page: &MarkdownPage<'p>, root: &YamlNode) -> YamlBlockWriter<'p> {
    YamlBlockWriter {
        source: page.source,
        line_end: line_ending(page.source),
        step: indent_step(page.source, root),
    }
}

fn is_flow(node: &YamlNode) -> bool {
    matches!(
        node.kind,
        YamlNodeKind::Sequence(_, YamlLayout::Flow) | YamlNodeKind::Mapping(_, YamlLayout::Flow)
    )
}

/// Checks a block-style collection under the field `field` for its outermost flow collections.
fn check_children(
    page: &MarkdownPage,
    node: &YamlNode,
    field: Option<&str>,
    found: &mut FindingList,
) {
    // An alias has the span of `*name`, but the kind of what it refers to.
    let is_alias = |node: &YamlNode| page.source[node.span.clone()].starts_with('*');

    match &node.kind {
        YamlNodeKind::Scalar(..) => {}
        YamlNodeKind::Sequence(items, _) => {
            for item in items.iter().filter(|item| !is_alias(item)) {
                if is_flow(item) {
                    report_field(page, field, item, block_in_place(page, item), found);
                } else {
                    check_children(page, item, field, found);
                }
            }
        }
        YamlNodeKind::Mapping(entries, _) => {
            for (key, value) in entries.iter().filter(|(_, value)| !is_alias(value)) {
                // The name of the top-level field, which a reader can find.
                let field = field.or(key.text());
                if is_flow(value) {
                    report_field(page, field, value, block_under_key(page, key, value), found);
                } else {
                    check_children(page, value, field, found);
                }
            }
        }
    }
}

/// The edit that converts the value of `key` to block style.
fn block_under_key(
    page: &MarkdownPage,
    key: &YamlNode,
    value: &YamlNode,
) -> Option<(Span, String)> {
    let (colon, blank) = after_colon(page.source, key, value)?;
    // The collection begins on a line of its own, and may stay there if that is indented.
    if page.source[colon..value.span.start].contains('\n') {
        let deeper = column(page.source, value.span.start) > column(page.source, key.span.start);
        return block_in_place(page, value).filter(|_| deeper);
    }

    let writer = block_writer(page, &page.frontmatter.as_ref()?.root);
    let indent = column(page.source, key.span.start) + writer.step;
    let lines = writer.write_lines(value, indent).filter(|_| blank)?;

    Some((
        colon..value.span.end,
        format!("{}{}{lines}", writer.line_end, " ".repeat(indent)),
    ))
}

/// The edit that converts a value to block style in place.
fn block_in_place(page: &MarkdownPage, value: &YamlNode) -> Option<(Span, String)> {
    let writer = block_writer(page, &page.frontmatter.as_ref()?.root);
    Some((
        value.span.clone(),
        writer.write_lines(value, column(page.source, value.span.start))?,
    ))
}

fn report_field(
    page: &MarkdownPage,
    field: Option<&str>,
    node: &YamlNode,
    edit: Option<(Span, String)>,
    found: &mut FindingList,
) {
    let what = field.map_or("a value".to_owned(), |field| {
        format!("`{}`", field.escape_debug())
    });
    report_flow(page, &what, node, edit, found);
}

fn report_flow(
    page: &MarkdownPage,
    what: &str,
    node: &YamlNode,
    edit: Option<(Span, String)>,
    found: &mut FindingList,
) {
    let mut finding = RULE
        .finding(format!("{what} is written in flow style (brackets)"))
        .at_bytes(node.span.clone())
        .note("every agent reads it, but the reference validator rejects the whole file")
        .help("write it in block style");

    // A comment between the brackets would be lost.
    let comment = page.source[node.span.clone()]
        .lines()
        .any(|line| line.trim_start().starts_with('#') || line.contains(" #"));
    // `[]` and `{}` have no block style.
    let edit = edit.filter(|_| is_non_empty(node) && !comment);
    if let Some((span, content)) = edit {
        let fix = DiagnosticFix::edit(
            FixApplicability::Safe,
            "write it in block style",
            span,
            content,
        );
        finding.fix = verify_same_values(page, fix);
    }

    found.add(page.path, finding);
}
