//! Headings of the body.

use crate::{FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::{DiagnosticLevel, Span};
use skillpm_core::skill::name::shorten_for_display;

pub(super) static NONE: Rule = Rule {
    code: "SK409",
    name: "no-heading",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the body has no heading",
    docs: RuleDocs {
        finds: "A body of 100 characters or more without any Markdown heading.",
        hurts: "A model, and a person, finds the relevant part by its heading; tools also name the parts of a skill \
            by their headings.",
        ignore: "The body is plain text, short enough to be read as a whole.",
        bad: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\nList the fields first, \
             then fill them one at a time, and look at each page as an image afterwards.\n\n```sh\n# not a heading\n```\n"
        )],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\nPDF\n===\n\nList the \
             fields first, then fill them one at a time, and look at each page as an image afterwards.\n"
        )],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static ORDER: Rule = Rule {
    code: "SK410",
    name: "heading-order",
    level: None,
    fix: FixAvailability::Never,
    summary: "a heading level is skipped, or there are several titles",
    docs: RuleDocs {
        finds: "A heading that is more than one level below the one before it, and every heading of level 1 except the first.",
        hurts: "Nothing breaks. Tables of contents look odd.",
        ignore: "Off by default: many good skills have such headings.",
        bad: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\n### Fields\n",
                "extend-select = [\"heading-order\"]"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\n# Fields\n",
                "extend-select = [\"heading-order\"]"
            ),
        ],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\n## Fields\n\n\
             ### Text\n\n## Pages\n",
            "extend-select = [\"heading-order\"]"
        )],
    },
    check: RuleCheck::SharedWith("no-heading"),
};

/// The number of characters from which a body needs a heading.
const HEADING_REQUIRED_FROM: usize = 100;

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    if page.frontmatter.is_none() {
        return;
    }

    if !begins_with_title(page.body()) && page.markdown().headings.is_empty() {
        check_missing(page, found);
    }
    // Off by default, and it needs the parsed Markdown, so it is asked first.
    if subject.settings.is_enabled(&ORDER) {
        check_order(page, found);
    }
}

/// Whether a body begins with `# Title`, as most do: then it need not be parsed.
fn begins_with_title(body: &str) -> bool {
    let line = body.trim_start_matches(['\n', '\r']);
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with(' ')
}

fn check_missing(page: &MarkdownPage<'_>, found: &mut FindingList) {
    let body = page.body().trim();
    // A short body is read at once, with or without a heading.
    if body.chars().take(HEADING_REQUIRED_FROM).count() == HEADING_REQUIRED_FROM {
        let start = page.source.len() - page.body().trim_start().len();
        let line = start..start + body.lines().next().map_or(0, str::len);
        let finding = NONE.finding("the body has no heading").at_bytes(line);
        found.add(
            page.path,
            finding.help("begin with `# Title`, and add a `##` heading for each step or topic"),
        );
    }
}

fn check_order(page: &MarkdownPage<'_>, found: &mut FindingList) {
    let mut title = None;
    let mut level = 0;
    for heading in &page.markdown().headings {
        let text = || shorten_for_display(&heading.text);
        // The first heading of level 1 is the title; what follows it is measured from there.
        if heading.level == 1 {
            if let Some(first) = &title {
                let finding = ORDER.finding(format!("`{}` is another heading of level 1", text()));
                let finding = finding.at_bytes(heading.span.clone());
                found.add(
                    page.path,
                    finding.label(Span::clone(first), "the first one"),
                );
            }
            title.get_or_insert(heading.span.clone());
        } else if level > 0 && heading.level > level + 1 {
            let message = format!(
                "heading `{}` has level {}, after a heading of level {level}",
                text(),
                heading.level
            );
            found.add(
                page.path,
                ORDER.finding(message).at_bytes(heading.span.clone()),
            );
        }

        level = heading.level;
    }
}
