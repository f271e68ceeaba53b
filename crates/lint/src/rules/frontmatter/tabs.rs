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
    // An error for indentation only: a tab after a colon is lowered to a warning.
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

    let FrontmatterTabs { indents, gaps } = find_tabs(page.source, frontmatter);
    if let Some(first) = indents.first().cloned() {
        let finding = RULE
            .finding("a tab is used for indentation")
            .at_bytes(first);
        let finding = finding
            .note("most YAML parsers reject it, and agents drop the skill")
            .help("indent with spaces");
        // Two spaces for a tab keep the nesting, which the check of the values below makes sure of.
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
        // A span is one tab, so this is once for each.
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

/// The tabs of a frontmatter that YAML or the reference validator does not allow.
#[derive(Default)]
struct FrontmatterTabs {
    /// Tabs in the indentation, outside of strings.
    indents: Vec<Span>,
    /// Tabs between a colon and its value.
    gaps: Vec<Span>,
}

fn find_tabs(source: &str, frontmatter: &SkillFrontmatter) -> FrontmatterTabs {
    let mut tabs = FrontmatterTabs::default();
    let mut texts: Vec<Span> = Vec::new();
    walk_nodes(source, &frontmatter.root, &mut |node| match &node.kind {
        YamlNodeKind::Scalar(..) => texts.push(node.span.clone()),
        YamlNodeKind::Mapping(entries, _) => {
            for (key, value) in entries {
                collect_gap_tabs(source, key.span.end..value.span.start, &mut tabs.gaps);
            }
        }
        YamlNodeKind::Sequence(..) => {}
    });

    let mut at = frontmatter.fences.yaml.start;
    for line in source[frontmatter.fences.yaml.clone()].split_inclusive('\n') {
        // Inside a string a tab is content.
        if !line.trim().is_empty() && !texts.iter().any(|text| text.start < at && at < text.end) {
            let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
            tabs.indents.extend(tab_spans(indent, at));
        }
        at += line.len();
    }

    tabs
}

/// Collects the tabs in the text between a key and its value, which are on one line.
fn collect_gap_tabs(source: &str, gap: Span, tabs: &mut Vec<Span>) {
    if gap.is_empty() {
        return;
    }

    // After a line break it is indentation; an anchor or a tag makes the fix uncertain.
    let blanks = source[gap.clone()]
        .strip_prefix(':')
        .filter(|blanks| !blanks.contains(['#', '\n', '&', '!']));
    if let Some(blanks) = blanks {
        tabs.extend(tab_spans(blanks, gap.start + 1));
    }
}

/// The spans of the tabs in a text that begins at a byte of the file.
fn tab_spans(text: &str, start: usize) -> impl Iterator<Item = Span> {
    text.match_indices('\t')
        .map(move |(at, _)| start + at..start + at + 1)
}
