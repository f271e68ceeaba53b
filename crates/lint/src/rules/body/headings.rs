//! How a body is divided.

use crate::lint::{Check, Docs, Fixes, Found, Page, Rule, Subject};
use crate::report::{Level, Span};
use crate::skill::name::shown;

pub(super) static NONE: Rule = Rule {
    code: "SK409",
    name: "no-heading",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "the body has no heading",
    docs: Docs {
        finds: "A body of 100 characters or more without a single heading of Markdown.",
        hurts: "Headings are how a model, and a person, finds the part that matters now; they are also what tools name the \
                parts of a skill by.",
        ignore: "A page of plain text that is short enough to be read at once.",
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
    check: Check::Skill(check),
};

pub(super) static ORDER: Rule = Rule {
    code: "SK410",
    name: "heading-order",
    level: None,
    fix: Fixes::Never,
    summary: "a level of headings is left out, or there are several titles",
    docs: Docs {
        finds: "A heading that is more than one level below the one before it, and every heading of level 1 but the first.",
        hurts: "Nothing breaks. Tables of contents look odd.",
        ignore: "Off unless it is asked for: many good skills are so.",
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
    check: Check::With("no-heading"),
};

/// Characters of a body that can do without.
const PLAIN_BELOW: usize = 100;

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    if page.frontmatter.is_none() {
        return;
    }
    if !begins_with_title(page.body()) && page.markdown().headings.is_empty() {
        none(page, found);
    }
    if subject.settings.is_on(&ORDER) {
        order(page, found);
    }
}

/// Whether a body begins with `# Title`, as most do: then it need not be taken apart.
fn begins_with_title(body: &str) -> bool {
    let line = body.trim_start_matches(['\n', '\r']);
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with(' ')
}

fn none(page: &Page<'_>, found: &mut Found) {
    let body = page.body().trim();
    if body.chars().take(PLAIN_BELOW).count() == PLAIN_BELOW {
        let start = page.source.len() - page.body().trim_start().len();
        let line = start..start + body.lines().next().map_or(0, str::len);
        let finding = NONE.finding("the body has no heading").at(line, page.source);
        found.add(page.path, finding.help("begin with `# Title`, and give each step or topic a `##`"));
    }
}

fn order(page: &Page<'_>, found: &mut Found) {
    let mut title = None;
    let mut level = 0;
    for heading in &page.markdown().headings {
        let text = || shown(&heading.text);
        if heading.level == 1 {
            if let Some(first) = &title {
                let finding = ORDER.finding(format!("`{}` is a second heading of level 1", text()));
                let finding = finding.at(heading.span.clone(), page.source);
                found.add(page.path, finding.label(Span::clone(first), "the first"));
            }
            title.get_or_insert(heading.span.clone());
        } else if level > 0 && heading.level > level + 1 {
            let message = format!("`{}` is of level {}, after one of level {level}", text(), heading.level);
            found.add(page.path, ORDER.finding(message).at(heading.span.clone(), page.source));
        }
        level = heading.level;
    }
}
