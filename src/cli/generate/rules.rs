//! `docs/rules.md`: every rule of `skillpm lint`; and what each finds in its first bad example, as people see it.

use std::collections::BTreeMap;

use anstream::adapter::strip_str;

use crate::cli::render::findings::DrawOptions;
use crate::cli::render::findings::explain::{draw_example_findings, level_word, render_markdown};
use crate::lint::rules::{GROUPS, RuleGroup, all};
use crate::lint::{FixAvailability, Rule};
use crate::report::DiagnosticLevel;

const HEAD: &str = "\
# The rules of `skillpm lint`

<!-- Generated from the table of rules: `SNAPSHOTS=overwrite cargo test --test suite generated` regenerates it. -->

`skillpm lint --explain CODE` prints this page's text for one rule. A code and a name are never given to another rule;
settings, suppressions and `--explain` take either.

| level | means |
|---|---|
| error | some agent drops or misreads the skill, the specification is broken, or it is an attack: `lint` exits with 1 |
| warning | very likely a defect: shown, and `lint` exits with 0 |
| note | worth knowing: shown with `--notes` |
| off | looked for only where it is asked for |

Rules about security have a severity besides, which no setting moves: how dangerous a finding is for `skillpm audit` if it
was made a note, a warning or an error. That depends on the context.

A rule marked `*` is fixed by `--fix`, one marked `(*)` by `--fix --unsafe-fixes`.
";

/// The page.
#[must_use]
pub fn render_page() -> String {
    let mut page = HEAD.to_owned();
    let groups: Vec<&RuleGroup> = GROUPS
        .iter()
        .filter(|group| !group.rules.is_empty())
        .collect();

    for group in &groups {
        page.push_str(&format!(
            "\n## {}\n\n{}",
            heading(group),
            group_table(group)
        ));
    }

    for group in groups {
        for rule in group.rules {
            page.push_str(&format!("\n{}", rule_section(rule)));
        }
    }
    page
}

/// What each rule finds in its first bad example, by the name of a file for it: `SK401.txt`. A rule that needs more than
/// an example has is not among them.
#[must_use]
pub fn example_findings() -> BTreeMap<String, Vec<u8>> {
    // Without styles: the committed snapshots are read in reviews.
    let plain = |drawn: String| strip_str(&drawn).to_string().into_bytes();
    let file = |rule: &Rule| {
        Some((
            format!("{}.txt", rule.code),
            plain(draw_example_findings(rule, DrawOptions::default())?),
        ))
    };

    all().filter_map(file).collect()
}

fn heading(group: &RuleGroup) -> String {
    format!("{}: {}", group.code, group.title)
}

fn group_table(group: &RuleGroup) -> String {
    // A column of empty cells would look like a mistake.
    let has_severities = group.rules.iter().any(|rule| rule.is_audited());

    let rows: String = group
        .rules
        .iter()
        .map(|rule| rule_row(rule, has_severities))
        .collect();
    let (name, line) = if has_severities {
        (" severity |", "---|")
    } else {
        ("", "")
    };

    format!("| code | name | level |{name} fix | finds |\n|---|---|---|{line}---|---|\n{rows}")
}

fn rule_row(rule: &Rule, has_severities: bool) -> String {
    let link = format!("[{}](#{})", rule.code, rule.code.to_lowercase());
    // A pipe would end the cell of the table.
    let summary = rule.summary.replace('|', "\\|");
    let severity = if has_severities {
        format!(" {} |", severity_range(rule))
    } else {
        String::new()
    };

    format!(
        "| {link} | `{}` | {} |{severity} {} | {summary} |\n",
        rule.name,
        level_word(rule),
        fix_mark(rule.fix)
    )
}

/// How dangerous its findings are, from the mildest to the worst.
fn severity_range(rule: &Rule) -> String {
    let by_level = [
        DiagnosticLevel::Note,
        DiagnosticLevel::Warning,
        DiagnosticLevel::Error,
    ]
    .map(|level| rule.severity_at(level));
    by_level
        .iter()
        .flatten()
        .map(|severity| severity.name())
        .collect::<Vec<_>>()
        .join(" · ")
}

fn fix_mark(fix: FixAvailability) -> &'static str {
    match fix {
        FixAvailability::Never => "",
        FixAvailability::Safely => "`*`",
        FixAvailability::Unsafely => "`(*)`",
    }
}

/// The heading is the code alone, so that `#sk110` leads to it.
fn rule_section(rule: &Rule) -> String {
    let fix = match rule.fix {
        FixAvailability::Never => "no fix",
        FixAvailability::Safely => "fixed by `--fix`",
        FixAvailability::Unsafely => "fixed by `--fix --unsafe-fixes`",
    };

    format!(
        "### {}\n\n**`{}`** ({}; {fix}): {}\n\n{}",
        rule.code,
        rule.name,
        level_word(rule),
        rule.summary,
        render_markdown(rule)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_one_row_and_one_section_with_its_anchor() {
        let page = render_page();
        for rule in crate::lint::rules::all() {
            assert_eq!(
                page.matches(&format!("\n### {}\n", rule.code)).count(),
                1,
                "{}",
                rule.code
            );
            let row = format!(
                "| [{}](#{}) | `{}` |",
                rule.code,
                rule.code.to_lowercase(),
                rule.name
            );
            assert_eq!(page.matches(&row).count(), 1, "{row}");
        }
    }

    #[test]
    fn rules_page_has_no_hidden_characters() {
        let hidden = |c: &char| *c != '\n' && crate::text::is_hidden(*c);
        assert_eq!(render_page().chars().find(hidden), None);
    }
}
