//! `docs/rules.md`: every rule of `skillpm lint`; and what each finds in its first bad example, as people see it.

use std::collections::BTreeMap;

use anstream::adapter::strip_str;

use crate::cli::render::findings::DrawOptions;
use crate::cli::render::findings::explain::{draw_example_findings, level_word};
use crate::lint::rules::{GROUPS, RuleGroup, all};
use crate::lint::{FixAvailability, Rule};
use crate::report::DiagnosticLevel;

const HEAD: &str = "\
# The rules of `skillpm lint`

<!-- Generated from the table of rules: `SNAPSHOTS=overwrite cargo test --test suite generated` regenerates it. -->

```sh
skillpm lint --explain SK401      # or body-empty: all about a rule
skillpm lint --explain SK4        # the rules of a group; SK for all
```

The first prints what the rule finds, why that is a problem, when to ignore it, and an example that is wrong and one that is right.
Editors show the same text when you hover over a finding, and reports in SARIF contain it. A code and a name are never given to
another rule; settings, suppressions and `--explain` take either.

| level | means |
|---|---|
| error | some agent drops or misreads the skill, the specification is broken, or it is an attack: `lint` exits with 1 |
| warning | very likely a defect: shown, and `lint` exits with 0 |
| note | worth knowing: shown with `--notes` |
| off | looked for only where it is asked for |

Rules about security also have a severity, which no setting changes: how dangerous a finding is for `skillpm audit` if its level
is note, warning or error. The level of a finding depends on its context.

A rule marked `*` is fixed by `--fix`, one marked `(*)` by `--fix --unsafe-fixes`.
";

/// The page: an index. The text of each rule is printed by `lint --explain`, from the same table.
#[must_use]
pub fn render_page() -> String {
    let mut page = HEAD.to_owned();
    for group in GROUPS.iter().filter(|group| !group.rules.is_empty()) {
        page.push_str(&format!(
            "\n## {}: {}\n\n{}",
            group.code,
            group.title,
            group_table(group)
        ));
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

/// The row has the anchor that `rule_url` names, `#sk110`.
fn rule_row(rule: &Rule, has_severities: bool) -> String {
    let code = format!("<a id=\"{}\"></a>{}", rule.code.to_lowercase(), rule.code);
    // A pipe would end the cell of the table.
    let summary = rule.summary.replace('|', "\\|");
    let severity = if has_severities {
        format!(" {} |", severity_range(rule))
    } else {
        String::new()
    };

    format!(
        "| {code} | `{}` | {} |{severity} {} | {summary} |\n",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_one_row_with_the_anchor_of_its_url() {
        let page = render_page();
        for rule in all() {
            let url = crate::cli::render::findings::rule_url(rule.code);
            let (_, anchor) = url.rsplit_once('#').unwrap();
            let row = format!("| <a id=\"{anchor}\"></a>{} | `{}` |", rule.code, rule.name);
            assert_eq!(page.matches(&row).count(), 1, "{row}");
        }
    }

    #[test]
    fn rules_page_has_no_hidden_characters() {
        let hidden = |c: &char| *c != '\n' && crate::text::is_hidden(*c);
        assert_eq!(render_page().chars().find(hidden), None);
    }
}
