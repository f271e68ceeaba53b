//! Values of `metadata` that are no texts.

use super::{ambiguous, types};
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::Level;
use crate::skill::yaml::{Node, Typed};

pub(super) static RULE: Rule = Rule {
    code: "SK135",
    name: "metadata-not-strings",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "a value below `metadata` is no text",
    docs: Docs {
        finds: "A list, a mapping, a number or a truth value below `metadata`, which the specification has as a map from \
                texts to texts.",
        hurts: "An agent that reads `metadata` as the specification has it loses such a value, or shows it as `[object \
                Object]`.",
        ignore: "What one agent wants so: OpenClaw its gates, `npx skills` its `internal: true`.",
        bad: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  tags:\n    - pdf\n    - forms\n---\n\n# PDF\n",
            ),
        )])],
        good: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  tags: pdf, forms\n  size: \"3\"\n---\n\n# PDF\n",
            ),
        )])],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = &page.frontmatter else { return };
    let entries = frontmatter.root.get("metadata").and_then(Node::entries).unwrap_or_default();
    let mut odd = entries.iter().filter_map(|(key, value)| {
        let sort = match value.typed() {
            Some(Typed::Text(_) | Typed::Null) => return None,
            // What is told as ambiguous is not told twice.
            Some(_) if ambiguous::tells(key, value) => return None,
            _ => types::sort(value),
        };
        Some((key, sort))
    });
    let Some((first, sort)) = odd.next() else { return };
    let shown: String = first.text().unwrap_or_default().chars().take(40).collect();
    let finding = RULE
        .finding(format!("`metadata.{}` is {sort}; the specification has texts there", shown.escape_debug()))
        .at(first.span.clone(), page.source)
        .help("write it as a text, or leave it to the one agent that reads it so");
    let finding =
        odd.take(8).fold(finding, |finding, (key, sort)| finding.label(key.span.clone(), format!("{sort} too")));
    found.add(page.path, finding);
}
