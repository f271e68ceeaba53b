//! Tabs where YAML wants blanks.

use super::written::{same_values, sound, walk};
use crate::lint::{Check, Docs, Example, Fixes, Found, Page, Piece, Rule, Subject};
use crate::report::{Applicability, Change, Fix, Level, Span};
use crate::skill::Frontmatter;
use crate::skill::yaml::Kind;

pub(super) static RULE: Rule = Rule {
    code: "SK114",
    name: "yaml-tab",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "a tab stands in the indentation, or after a colon",
    docs: Docs {
        finds: "A tab among the blanks that a line of the frontmatter begins with. A tab between a colon and its value, \
                which agents allow and the reference validator does not, is a warning.",
        hurts: "YAML forbids tabs there, because nobody agrees on their width. Readers of plain YAML drop the skill.",
        ignore: "Never; let the editor write blanks.",
        bad: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n\tauthor: ann\n---\n\n# PDF\n"),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname:\tpdf\ndescription: Fill PDF forms.\n---\n\n# PDF\n"),
            )]),
        ],
        good: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  author: ann\n---\n\n# PDF\n"),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: |\n  Fill\tPDF forms.\n  \tEach.\n---\n\n# PDF\n"),
            )]),
        ],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = sound(page) else { return };
    if memchr::memchr(b'\t', page.source[frontmatter.fences.yaml.clone()].as_bytes()).is_none() {
        return;
    }
    let (indents, gaps) = tabs(page, frontmatter);
    if let Some(first) = indents.first().cloned() {
        let finding = RULE.finding("a tab stands in the indentation").at(first, page.source);
        let finding = finding.note("only few readers of YAML take it; most drop this skill").help("indent with blanks");
        let fix = fix(page, "indent with blanks", indents, "  ");
        found.add(page.path, attached(finding, fix));
    }
    if let Some(first) = gaps.first().cloned() {
        let mut finding = RULE.finding("a tab stands after the colon").at(first, page.source);
        finding.level = Level::Warning;
        let finding = finding.note("agents take it; the reference validator does not").help("write a blank instead");
        let fix = fix(page, "write a blank instead", gaps, " ");
        found.add(page.path, attached(finding, fix));
    }
}

fn attached(mut finding: crate::report::Diagnostic, fix: Option<Fix>) -> crate::report::Diagnostic {
    finding.fix = fix;
    finding
}

fn fix(page: &Page, message: &str, tabs: Vec<Span>, content: &str) -> Option<Fix> {
    let change = |span: Span| Change::Edit { content: content.repeat(span.len()), span };
    let changes = tabs.into_iter().map(change).collect();
    same_values(page, Fix { applicability: Applicability::Safe, message: message.into(), changes })
}

/// Tabs that lines begin with outside of texts, and tabs between colons and values.
fn tabs(page: &Page, frontmatter: &Frontmatter) -> (Vec<Span>, Vec<Span>) {
    let (source, yaml) = (page.source, frontmatter.fences.yaml.clone());
    let mut texts: Vec<Span> = Vec::new();
    let mut gaps = Vec::new();
    walk(source, &frontmatter.root, &mut |node| match &node.kind {
        Kind::Scalar(..) => texts.push(node.span.clone()),
        Kind::Mapping(entries, _) => {
            for (key, value) in entries.iter().filter(|(key, value)| key.span.end < value.span.start) {
                let gap = &source[key.span.end..value.span.start];
                let blanks = gap.strip_prefix(':').filter(|gap| !gap.contains(['#', '\n', '&', '!']));
                let start = key.span.end + 1;
                gaps.extend(
                    blanks.iter().flat_map(|gap| gap.match_indices('\t')).map(|(at, _)| start + at..start + at + 1),
                );
            }
        }
        Kind::Sequence(..) => {}
    });
    let mut indents = Vec::new();
    let mut at = yaml.start;
    for line in source[yaml].split_inclusive('\n') {
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        if !line.trim().is_empty() && !texts.iter().any(|text| text.start < at && at < text.end) {
            indents.extend(indent.match_indices('\t').map(|(tab, _)| at + tab..at + tab + 1));
        }
        at += line.len();
    }
    (indents, gaps)
}
