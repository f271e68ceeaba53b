//! Tabs where YAML requires spaces.

use super::yaml_edit::{verify_same_values, walk_nodes, well_formed};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, RuleExample,
};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange, Span};
use skillpm_core::skill::SkillFrontmatter;
use skillpm_core::skill::yaml::YamlNodeKind;

pub(super) static RULE: Rule = Rule {
    code: "SK114",
    name: "yaml-tab",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "a tab in the indentation, or after a colon",
    docs: RuleDocs {
        finds: "A tab in the indentation of a frontmatter line. A tab between a colon and its value, which agents \
            accept and the reference validator does not, is a warning.",
        hurts: "YAML forbids tabs there, because their width is undefined. Strict YAML parsers drop the skill.",
        ignore: "Never; configure the editor to insert spaces.",
        bad: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n\tauthor: ann\n---\n\n# PDF\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text("---\nname:\tpdf\ndescription: Fill PDF forms.\n---\n\n# PDF\n"),
            )]),
        ],
        good: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  author: ann\n---\n\n# PDF\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: |\n  Fill\tPDF forms.\n  \tEach.\n---\n\n# PDF\n",
                ),
            )]),
        ],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = well_formed(page) else {
        return;
    };
    if memchr::memchr(
        b'\t',
        page.source[frontmatter.fences.yaml.clone()].as_bytes(),
    )
    .is_none()
    {
        return;
    }

    let (indents, gaps) = find_tabs(page, frontmatter);
    if let Some(first) = indents.first().cloned() {
        let finding = RULE
            .finding("a tab is used for indentation")
            .at_bytes(first);
        let finding = finding
            .note("most YAML parsers reject it, and agents drop the skill")
            .help("indent with spaces");
        let fix = replace_fix(page, "indent with spaces", indents, "  ");
        found.add(page.path, with_fix(finding, fix));
    }

    if let Some(first) = gaps.first().cloned() {
        let mut finding = RULE.finding("a tab follows the colon").at_bytes(first);
        finding.level = DiagnosticLevel::Warning;
        let finding = finding
            .note("agents accept it; the reference validator does not")
            .help("use a space instead");
        let fix = replace_fix(page, "use a space instead", gaps, " ");
        found.add(page.path, with_fix(finding, fix));
    }
}

fn with_fix(
    mut finding: skillpm_core::report::Diagnostic,
    fix: Option<DiagnosticFix>,
) -> skillpm_core::report::Diagnostic {
    finding.fix = fix;
    finding
}

fn replace_fix(
    page: &MarkdownPage,
    message: &str,
    tabs: Vec<Span>,
    content: &str,
) -> Option<DiagnosticFix> {
    let change = |span: Span| FixChange::Edit {
        content: content.repeat(span.len()),
        span,
    };

    let changes = tabs.into_iter().map(change).collect();
    verify_same_values(
        page,
        DiagnosticFix {
            applicability: FixApplicability::Safe,
            message: message.into(),
            changes,
        },
    )
}

/// Finds tabs in the indentation outside of strings, and tabs between colons and values.
fn find_tabs(page: &MarkdownPage, frontmatter: &SkillFrontmatter) -> (Vec<Span>, Vec<Span>) {
    let (source, yaml) = (page.source, frontmatter.fences.yaml.clone());
    let mut texts: Vec<Span> = Vec::new();
    let mut gaps = Vec::new();
    walk_nodes(source, &frontmatter.root, &mut |node| match &node.kind {
        YamlNodeKind::Scalar(..) => texts.push(node.span.clone()),
        YamlNodeKind::Mapping(entries, _) => {
            for (key, value) in entries
                .iter()
                .filter(|(key, value)| key.span.end < value.span.start)
            {
                let gap = &source[key.span.end..value.span.start];
                let blanks = gap
                    .strip_prefix(':')
                    .filter(|gap| !gap.contains(['#', '\n', '&', '!']));
                let start = key.span.end + 1;
                gaps.extend(
                    blanks
                        .iter()
                        .flat_map(|gap| gap.match_indices('\t'))
                        .map(|(at, _)| start + at..start + at + 1),
                );
            }
        }
        YamlNodeKind::Sequence(..) => {}
    });

    let mut indents = Vec::new();
    let mut at = yaml.start;
    for line in source[yaml].split_inclusive('\n') {
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        // Inside a string a tab is content.
        if !line.trim().is_empty() && !texts.iter().any(|text| text.start < at && at < text.end) {
            indents.extend(
                indent
                    .match_indices('\t')
                    .map(|(tab, _)| at + tab..at + tab + 1),
            );
        }
        at += line.len();
    }

    (indents, gaps)
}
