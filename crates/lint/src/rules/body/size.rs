//! Bodies that take more of a model's attention than they should.

use crate::lint::{Check, Docs, Fixes, Found, Page, Rule, Subject};
use crate::report::{Diagnostic, Level, Span};
use crate::skill::name::shown;
use crate::skill::tokens;

pub(super) static TOO_MANY_LINES: Rule = Rule {
    code: "SK403",
    name: "body-too-many-lines",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "the body has more than 500 lines",
    docs: Docs {
        finds: "A body of more lines than the budget `body-lines`, which is the specification's 500.",
        hurts: "Whoever chooses the skill loads all of it. The specification advises to keep what is always needed in the \
                body and the rest in files of its own, which are read when they are.",
        ignore: "One in ten well-kept skills is longer. Short lines are cheap: tokens tell more.",
        bad: &[page!("pdf", LONG)],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nSee `references/`.\n"
        )],
    },
    check: Check::With("body-over-5000-tokens"),
};

pub(super) static OVER_BUDGET: Rule = Rule {
    code: "SK404",
    name: "body-over-5000-tokens",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "the body has more than about 5,000 tokens",
    docs: Docs {
        finds: "A body of more tokens than the budget `body-tokens`, which is the specification's 5,000. Tokens are \
                estimated from words and marks, within a few per cent of what a model counts. The largest sections are \
                named.",
        hurts: "An agent that loads the skill has so much less room for the work itself, and the instructions that matter \
                stand among many that do not.",
        ignore: "A skill whose instructions are all needed each time.",
        bad: &[page!("pdf", LARGE)],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nSee `references/`.\n"
        )],
    },
    check: Check::Skill(check),
};

pub(super) static FAR_OVER_BUDGET: Rule = Rule {
    code: "SK405",
    name: "body-over-10000-tokens",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "the body has more than about 10,000 tokens",
    docs: Docs {
        finds: "A body of more tokens than the budget `body-tokens-max`, 10,000 unless a setting says otherwise; \
                `body-over-5000-tokens` is then silent.",
        hurts: "One in a hundred well-kept skills is so large. Agents with a limit of their own cut it or refuse it, and \
                the others pay for it in every task it is loaded for.",
        ignore: "A skill that is meant to be read as a whole, by a model with room for it.",
        bad: &[page!("pdf", HUGE)],
        good: &[page!("pdf", LARGE)],
    },
    check: Check::With("body-over-5000-tokens"),
};

/// Twenty words each.
macro_rules! lines {
    (10) => {
        "Name the field, its page and its place, what it wants, and what it gets, and say who may see it.\n\
         Name the field, its page and its place, what it wants, and what it gets, and say who may see it.\n\
         Name the field, its page and its place, what it wants, and what it gets, and say who may see it.\n\
         Name the field, its page and its place, what it wants, and what it gets, and say who may see it.\n\
         Name the field, its page and its place, what it wants, and what it gets, and say who may see it.\n\
         Name the field, its page and its place, what it wants, and what it gets, and say who may see it.\n\
         Name the field, its page and its place, what it wants, and what it gets, and say who may see it.\n\
         Name the field, its page and its place, what it wants, and what it gets, and say who may see it.\n\
         Name the field, its page and its place, what it wants, and what it gets, and say who may see it.\n\
         Name the field, its page and its place, what it wants, and what it gets, and say who may see it.\n"
    };
    (50) => {
        concat!(lines!(10), lines!(10), lines!(10), lines!(10), lines!(10))
    };
    (250) => {
        concat!(lines!(50), lines!(50), lines!(50), lines!(50), lines!(50))
    };
}

const LARGE: &str = concat!(
    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\n## Fields\n\n",
    lines!(250),
    "\n## Checks\n\n",
    lines!(10),
);
const LONG: &str = concat!(
    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\n",
    lines!(250),
    lines!(250),
);
const HUGE: &str = concat!(
    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\n",
    lines!(250),
    lines!(250),
);

/// How many sections are named.
const SECTIONS: usize = 3;

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let budgets = &subject.settings.budgets;
    let body = page.body();
    // A line costs a byte at least.
    let lines = if body.len() > budgets.body_lines { lines(body.trim()) } else { 0 };
    if lines > budgets.body_lines {
        let message = format!("the body has {lines} lines; {} are advised", budgets.body_lines);
        let finding = TOO_MANY_LINES.finding(message).at(first_beyond(page, budgets.body_lines), page.source);
        found.add(page.path, finding.help(HELP));
    }
    // No byte costs more than a token.
    let budget = budgets.body_tokens.min(budgets.body_tokens_max);
    let (least, most) = if body.len() > budget { tokens::bounds(body) } else { (0, 0) };
    if most <= budget {
        return;
    }
    // What nobody is told need not be known exactly.
    let is_plain = least > budgets.body_tokens && most <= budgets.body_tokens_max;
    if is_plain && !subject.tells(&OVER_BUDGET, page.path) {
        found.add(page.path, over(&OVER_BUDGET, page, (least, budgets.body_tokens), Vec::new()));
        return;
    }
    let (tokens, sections) = sections(page);
    if tokens > budgets.body_tokens_max {
        found.add(page.path, over(&FAR_OVER_BUDGET, page, (tokens, budgets.body_tokens_max), sections));
    } else if tokens > budgets.body_tokens {
        found.add(page.path, over(&OVER_BUDGET, page, (tokens, budgets.body_tokens), sections));
    }
}

/// How many lines a text has that ends with none of its line ends.
fn lines(text: &str) -> usize {
    if text.is_empty() { 0 } else { memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1 }
}

const HELP: &str = "move what is not needed each time into files below `references/`, and say when to read them";

/// The first line that is too much.
fn first_beyond(page: &Page<'_>, budget: usize) -> Span {
    let start = page.source.len() - page.body().trim_start().len();
    let line = page.source[start..].split_inclusive('\n').nth(budget).unwrap_or_default();
    let line = line.as_ptr() as usize - page.source.as_ptr() as usize..;
    let end = page.source[line.clone()].find(['\r', '\n']).unwrap_or_default();
    line.start..line.start + end
}

/// Says how much it is, and where most of it stands.
fn over(rule: &Rule, page: &Page<'_>, (tokens, budget): (usize, usize), mut sections: Vec<Section>) -> Diagnostic {
    let limit = if rule.code == OVER_BUDGET.code { "advised" } else { "the limit" };
    let message = format!("the body has about {} tokens; {} are {limit}", grouped(tokens), grouped(budget));
    let finding = rule.finding(message).help(HELP);
    sections.sort_by_key(|section| std::cmp::Reverse(section.tokens));
    sections.truncate(SECTIONS);
    let Some(largest) = sections.first() else {
        return finding.at(page.body_start()..page.body_start(), page.source);
    };
    let told: Vec<String> = sections
        .iter()
        .map(|section| format!("`{}` (about {})", shown(&section.title), grouped(section.tokens)))
        .collect();
    finding.at(largest.heading.clone(), page.source).note(format!("the largest sections: {}", told.join(", ")))
}

/// What stands below a heading, up to the next.
struct Section {
    heading: Span,
    title: String,
    tokens: usize,
}

/// What the body costs in all, and each of its sections.
fn sections(page: &Page<'_>) -> (usize, Vec<Section>) {
    let headings = &page.markdown().headings;
    let ends = headings.iter().skip(1).map(|next| next.span.start).chain([page.source.len()]);
    let first = headings.first().map_or(page.source.len(), |heading| heading.span.start);
    let mut all = tokens::hundredths(&page.source[page.body_start()..first]);
    let section = |(heading, end): (&crate::lint::markdown::Heading, usize)| {
        let written = page.source[heading.span.clone()].trim_end();
        let line = heading.span.start..heading.span.start + written.find(['\r', '\n']).unwrap_or(written.len());
        let cost = tokens::hundredths(&page.source[heading.span.start..end.max(heading.span.start)]);
        all += cost;
        Section { heading: line, title: heading.text.clone(), tokens: cost.div_ceil(100) }
    };
    let sections = headings.iter().zip(ends).map(section).collect();
    (all.div_ceil(100), sections)
}

/// `12,345`
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::{Settings, SkillDir, check};

    fn findings(text: &str, settings: &Settings) -> Vec<Diagnostic> {
        let content = crate::lint::Content::Text(text.to_owned());
        let file = crate::lint::File { path: "SKILL.md".into(), content, executable: false };
        let dir = SkillDir { directory: "pdf".into(), files: vec![file], ..SkillDir::default() };
        let ours = |found: &Diagnostic| found.rule.starts_with("body-");
        check(&dir, settings).findings.into_iter().map(|found| found.diagnostic).filter(ours).collect()
    }

    #[test]
    fn the_largest_sections_are_named_and_the_largest_is_shown() {
        let found = findings(LARGE, &Settings::default());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].message, "the body has about 6,315 tokens; 5,000 are advised");
        assert_eq!(
            found[0].notes,
            ["the largest sections: `Fields` (about 6,067), `Checks` (about 246), `PDF` (about 3)"]
        );
        assert_eq!(&LARGE[found[0].span.clone().unwrap()], "## Fields");
    }

    #[test]
    fn the_line_that_is_too_much_is_shown_whatever_the_line_ends() {
        let mut settings = Settings::default();
        settings.budgets.body_lines = 2;
        for end in ["\n", "\r\n"] {
            let text = "---\nname: pdf\ndescription: d\n---\n\none\ntwo\nthree é\nfour\n".replace('\n', end);
            let found = findings(&text, &settings);
            let lines = found.iter().find(|found| found.rule == TOO_MANY_LINES.name).unwrap();
            assert_eq!(&text[lines.span.clone().unwrap()], "three é");
            assert_eq!(lines.message, "the body has 4 lines; 2 are advised");
        }
        settings.budgets.body_lines = 4;
        assert!(
            findings("---\nname: pdf\ndescription: d\n---\n1\n2\n3\n4\n", &settings)
                .iter()
                .all(|f| f.rule != TOO_MANY_LINES.name)
        );
    }

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
