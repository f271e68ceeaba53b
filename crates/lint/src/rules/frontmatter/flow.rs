//! Lists and mappings in brackets.

use super::written::{Blocks, after_colon, column, is_filled, same_values, sound, step};
use crate::lint::{Check, Docs, Example, Fixes, Found, Page, Piece, Rule, Subject};
use crate::report::{Applicability, Fix, Level, Span};
use crate::skill::line_end;
use crate::skill::yaml::{Kind, Layout, Node};

pub(super) static RULE: Rule = Rule {
    code: "SK121",
    name: "yaml-flow-style",
    level: Some(Level::Note),
    fix: Fixes::Safely,
    summary: "a list or a mapping is written in brackets",
    docs: Docs {
        finds: "`[a, b]` and `{a: b}`, JSON among them, in a frontmatter.",
        hurts: "It is YAML, and every agent loads it; but the official validator reads a subset of YAML without brackets \
                and refuses the file. Nearly all real skills that it calls no YAML are refused for this.",
        ignore: "A skill that is never validated by `skills-ref`, such as one for OpenClaw, whose documentation writes \
                 `metadata` as JSON.",
        bad: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: Fill PDF forms.\ntags: [pdf, forms]\n---\n\n# PDF\n"),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata: {\"openclaw\": {\"requires\": {\"bins\": \
                     [\"pdftk\"]}}}\n---\n\n# PDF\n",
                ),
            )]),
        ],
        good: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\nname: pdf\ndescription: Fill PDF forms [and more].\ntags:\n  - pdf\n  - \"[forms]\"\n---\n\n# PDF\n",
            ),
        )])],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = sound(page) else { return };
    let root = &frontmatter.root;
    if is_flow(root) {
        let content = blocks(page, root).lines(root, column(page.source, root.span.start));
        tell(page, "the frontmatter", root, content.map(|content| (root.span.clone(), content)), found);
    } else {
        below(page, root, None, found);
    }
}

fn blocks<'p>(page: &Page<'p>, root: &Node) -> Blocks<'p> {
    Blocks { source: page.source, line_end: line_end(page.source), step: step(page.source, root) }
}

fn is_flow(node: &Node) -> bool {
    matches!(node.kind, Kind::Sequence(_, Layout::Flow) | Kind::Mapping(_, Layout::Flow))
}

/// Looks for the outermost brackets below a collection in block style, itself below the field `field`.
fn below(page: &Page, node: &Node, field: Option<&str>, found: &mut Found) {
    let is_alias = |node: &Node| page.source[node.span.clone()].starts_with('*');
    match &node.kind {
        Kind::Scalar(..) => {}
        Kind::Sequence(items, _) => {
            for item in items.iter().filter(|item| !is_alias(item)) {
                if is_flow(item) {
                    tell_of(page, field, item, in_place(page, item), found);
                } else {
                    below(page, item, field, found);
                }
            }
        }
        Kind::Mapping(entries, _) => {
            for (key, value) in entries.iter().filter(|(_, value)| !is_alias(value)) {
                let field = field.or(key.text());
                if is_flow(value) {
                    tell_of(page, field, value, below_key(page, key, value), found);
                } else {
                    below(page, value, field, found);
                }
            }
        }
    }
}

/// The edit that puts the value of `key` in block style.
fn below_key(page: &Page, key: &Node, value: &Node) -> Option<(Span, String)> {
    let (colon, blank) = after_colon(page.source, key, value)?;
    if page.source[colon..value.span.start].contains('\n') {
        let deeper = column(page.source, value.span.start) > column(page.source, key.span.start);
        return in_place(page, value).filter(|_| deeper);
    }
    let writer = blocks(page, &page.frontmatter.as_ref()?.root);
    let indent = column(page.source, key.span.start) + writer.step;
    let lines = writer.lines(value, indent).filter(|_| blank)?;
    Some((colon..value.span.end, format!("{}{}{lines}", writer.line_end, " ".repeat(indent))))
}

/// The edit that puts a value in block style where it begins.
fn in_place(page: &Page, value: &Node) -> Option<(Span, String)> {
    let writer = blocks(page, &page.frontmatter.as_ref()?.root);
    Some((value.span.clone(), writer.lines(value, column(page.source, value.span.start))?))
}

fn tell_of(page: &Page, field: Option<&str>, node: &Node, edit: Option<(Span, String)>, found: &mut Found) {
    let what = field.map_or("a value".to_owned(), |field| format!("`{}`", field.escape_debug()));
    tell(page, &what, node, edit, found);
}

fn tell(page: &Page, what: &str, node: &Node, edit: Option<(Span, String)>, found: &mut Found) {
    let mut finding = RULE
        .finding(format!("{what} is written in brackets"))
        .at(node.span.clone(), page.source)
        .note("every agent reads it; the reference validator refuses the whole file")
        .help("write it line by line");
    // A comment between the brackets has no place in what takes theirs.
    let comment =
        page.source[node.span.clone()].lines().any(|line| line.trim_start().starts_with('#') || line.contains(" #"));
    let edit = edit.filter(|_| is_filled(node) && !comment);
    finding.fix = edit.and_then(|(span, content)| {
        same_values(page, Fix::edit(Applicability::Safe, "write it line by line", span, content))
    });
    found.add(page.path, finding);
}
