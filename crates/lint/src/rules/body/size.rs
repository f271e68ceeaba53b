//! Bodies that use too many lines or tokens.

use crate::settings::SizeBudgets;
use crate::{
    FindingList, FixAvailability, LintSettings, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs,
};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, Span};
use skillpm_core::skill::name::shorten_for_display;
use skillpm_core::skill::tokens;

pub(super) static TOO_MANY_LINES: Rule = Rule {
    code: "SK403",
    name: "body-too-many-lines",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the body has more than 500 lines",
    docs: RuleDocs {
        finds: "A body with more lines than the budget `body-lines`, by default the specification's 500.",
        hurts: "An agent that uses the skill loads the whole body. The specification advises to keep only what is \
            always needed in the body, and the rest in separate files, which are read when needed.",
        ignore: "10 % of well-maintained skills are longer. Short lines are cheap: the number of tokens matters more.",
        bad: &[page!("pdf", LONG)],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nSee `references/`.\n"
        )],
    },
    check: RuleCheck::SharedWith("body-over-5000-tokens"),
};

pub(super) static OVER_BUDGET: Rule = Rule {
    code: "SK404",
    name: "body-over-5000-tokens",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the body has more than about 5,000 tokens",
    docs: RuleDocs {
        finds: "A body with more tokens than the budget `body-tokens`, by default the specification's 5,000. Tokens \
            are estimated from words and punctuation, within a few per cent of a model's count. The largest sections \
            are named.",
        hurts: "An agent that loads the skill has less context left for the task itself, and the instructions that \
            matter are hidden among many that do not.",
        ignore: "All of the instructions are needed each time.",
        bad: &[page!("pdf", LARGE)],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nSee `references/`.\n"
        )],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static FAR_OVER_BUDGET: Rule = Rule {
    code: "SK405",
    name: "body-over-10000-tokens",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "the body has more than about 10,000 tokens",
    docs: RuleDocs {
        finds: "A body with more tokens than the budget `body-tokens-max`, by default 10,000, or than an agent among \
            the targets recommends: 8,000 for Yodoca. `body-over-5000-tokens` is then not reported.",
        hurts: "1 % of well-maintained skills are this large. Agents with their own limit truncate or reject the \
            body, and the others pay for it in every task that loads it.",
        ignore: "The skill is intended to be read as a whole, by a model with enough context.",
        bad: &[page!("pdf", HUGE)],
        good: &[page!("pdf", LARGE)],
    },
    check: RuleCheck::SharedWith("body-over-5000-tokens"),
};

/// Lines of twenty words each.
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

/// The agents that recommend fewer tokens than the budget: Yodoca's ADR-015 warns above its soft limit.
const AGENT_LIMITS: &[(&str, usize)] = &[("yodoca", 8_000)];

/// How many of the largest sections are named.
const SECTIONS_NAMED: usize = 3;

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    check_lines(page, subject.settings.budgets.body_lines, found);
    if let Some(finding) = check_tokens(subject, page) {
        found.add(page.path, finding);
    }
}

fn check_lines(page: &MarkdownPage<'_>, budget: usize, found: &mut FindingList) {
    let body = page.body();
    // A line has at least one byte, so a short body need not be counted.
    if body.len() <= budget {
        return;
    }

    let lines = count_lines(body.trim());
    if lines > budget {
        let message = format!("the body has {lines} lines; the recommended maximum is {budget}");
        let finding = TOO_MANY_LINES
            .finding(message)
            .at_bytes(first_line_over(page, budget));
        found.add(page.path, finding.help(HELP));
    }
}

fn check_tokens(subject: &LintSubject<'_>, page: &MarkdownPage<'_>) -> Option<Diagnostic> {
    let budgets = SizeBudgets {
        body_tokens_max: tokens_max(subject.settings),
        ..subject.settings.budgets
    };
    let body = page.body();
    let budget = budgets.body_tokens.min(budgets.body_tokens_max);
    // A byte is at most one token.
    if body.len() <= budget {
        return None;
    }
    let (least, most) = tokens::bounds(body);
    if most <= budget {
        return None;
    }

    let usage = |tokens, budget| TokenUsage { tokens, budget };
    // If the finding is not shown, an estimate is enough.
    let is_plain = least > budgets.body_tokens && most <= budgets.body_tokens_max;
    if is_plain && !subject.is_reported(&OVER_BUDGET, page.path) {
        let usage = usage(least, budgets.body_tokens);
        return Some(budget_finding(&OVER_BUDGET, page, usage, Vec::new()));
    }

    let (tokens, sections) = measure_sections(page);
    // One finding a body: the larger budget includes the smaller.
    let (rule, budget) = if tokens > budgets.body_tokens_max {
        (&FAR_OVER_BUDGET, budgets.body_tokens_max)
    } else if tokens > budgets.body_tokens {
        (&OVER_BUDGET, budgets.body_tokens)
    } else {
        return None;
    };
    Some(budget_finding(rule, page, usage(tokens, budget), sections))
}

/// The maximum for a body: the budget, or less where an agent that the skill is for has a lower one.
fn tokens_max(settings: &LintSettings) -> usize {
    let of_agents = AGENT_LIMITS
        .iter()
        .filter(|(agent, _)| settings.targets.iter().any(|target| target == agent))
        .map(|(_, limit)| *limit);

    of_agents
        .chain([settings.budgets.body_tokens_max])
        .min()
        .unwrap_or(settings.budgets.body_tokens_max)
}

/// Counts the lines of a text without a trailing line end.
fn count_lines(text: &str) -> usize {
    if text.is_empty() {
        0
    } else {
        memchr::memchr_iter(b'\n', text.as_bytes()).count() + 1
    }
}

const HELP: &str =
    "move what is not always needed into files under `references/`, and say when to read them";

/// The span of the first line over the budget.
fn first_line_over(page: &MarkdownPage<'_>, budget: usize) -> Span {
    let start = page.source.len() - page.body().trim_start().len();
    let line = page.source[start..]
        .split_inclusive('\n')
        .nth(budget)
        .unwrap_or_default();
    // The line is a slice of the source: its address gives its offset.
    let line = line.as_ptr() as usize - page.source.as_ptr() as usize..;
    let end = page.source[line.clone()]
        .find(['\r', '\n'])
        .unwrap_or_default();
    line.start..line.start + end
}

/// The tokens of a body and the budget that they exceed.
#[derive(Clone, Copy)]
struct TokenUsage {
    tokens: usize,
    budget: usize,
}

/// Reports the number of tokens and the largest sections.
fn budget_finding(
    rule: &Rule,
    page: &MarkdownPage<'_>,
    usage: TokenUsage,
    mut sections: Vec<BodySection>,
) -> Diagnostic {
    let limit = if rule.code == OVER_BUDGET.code {
        "recommended maximum"
    } else {
        "maximum"
    };

    let message = format!(
        "the body has about {} tokens; the {limit} is {}",
        group_digits(usage.tokens),
        group_digits(usage.budget)
    );

    let finding = rule.finding(message).help(HELP);
    sections.sort_by_key(|section| std::cmp::Reverse(section.tokens));
    // The largest are where moving text to a file gains the most.
    sections.truncate(SECTIONS_NAMED);
    let Some(largest) = sections.first() else {
        return finding.at_bytes(page.body_start()..page.body_start());
    };

    let described: Vec<String> = sections
        .iter()
        .map(|section| {
            format!(
                "`{}` (about {})",
                shorten_for_display(&section.title),
                group_digits(section.tokens)
            )
        })
        .collect();

    finding.at_bytes(largest.heading.clone()).note(format!(
        "the largest sections are: {}",
        described.join(", ")
    ))
}

/// The text under a heading, up to the next one.
struct BodySection {
    heading: Span,
    title: String,
    tokens: usize,
}

/// Counts the tokens of the body, and of each of its sections.
fn measure_sections(page: &MarkdownPage<'_>) -> (usize, Vec<BodySection>) {
    let headings = &page.markdown().headings;
    let ends = headings
        .iter()
        .skip(1)
        .map(|next| next.span.start)
        .chain([page.source.len()]);
    // The text before the first heading belongs to no section, but counts.
    let first = headings
        .first()
        .map_or(page.source.len(), |heading| heading.span.start);

    // Counted in hundredths of a token, so that the sections add up to the whole.
    let mut all = tokens::hundredths(&page.source[page.body_start()..first]);
    let mut sections = Vec::with_capacity(headings.len());
    for (heading, end) in headings.iter().zip(ends) {
        let start = heading.span.start;
        let cost = tokens::hundredths(&page.source[start..end.max(start)]);
        all += cost;

        // Of a heading with an underline, only the first line is shown.
        let written = page.source[heading.span.clone()].trim_end();
        let line_end = written.find(['\r', '\n']).unwrap_or(written.len());
        sections.push(BodySection {
            heading: start..start + line_end,
            title: heading.text.clone(),
            tokens: cost.div_ceil(100),
        });
    }

    (all.div_ceil(100), sections)
}

/// `12,345`
fn group_digits(number: usize) -> String {
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
    use crate::{SkillDir, check};

    fn findings(text: &str, settings: &LintSettings) -> Vec<Diagnostic> {
        let content = crate::FileContent::Text(text.to_owned());
        let file = crate::SkillFile {
            path: "SKILL.md".into(),
            content,
            executable: false,
        };
        let dir = SkillDir {
            directory: "pdf".into(),
            files: vec![file],
            ..SkillDir::default()
        };
        let ours = |found: &Diagnostic| found.rule.starts_with("body-");
        check(&dir, settings)
            .findings
            .into_iter()
            .map(|found| found.diagnostic)
            .filter(ours)
            .collect()
    }

    #[test]
    fn largest_sections_are_named_and_the_largest_is_shown() {
        let found = findings(LARGE, &LintSettings::default());
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].message,
            "the body has about 6,315 tokens; the recommended maximum is 5,000"
        );
        assert_eq!(
            found[0].notes,
            [
                "the largest sections are: `Fields` (about 6,067), `Checks` (about 246), `PDF` (about 3)"
            ]
        );
        assert_eq!(&LARGE[found[0].span.clone().unwrap()], "## Fields");
    }

    #[test]
    fn first_line_over_the_budget_is_shown_with_any_line_ends() {
        let mut settings = LintSettings::default();
        settings.budgets.body_lines = 2;
        for end in ["\n", "\r\n"] {
            let text = "---\nname: pdf\ndescription: d\n---\n\none\ntwo\nthree é\nfour\n"
                .replace('\n', end);
            let found = findings(&text, &settings);
            let lines = found
                .iter()
                .find(|found| found.rule == TOO_MANY_LINES.name)
                .unwrap();
            assert_eq!(&text[lines.span.clone().unwrap()], "three é");
            assert_eq!(
                lines.message,
                "the body has 4 lines; the recommended maximum is 2"
            );
        }
        settings.budgets.body_lines = 4;
        assert!(
            findings(
                "---\nname: pdf\ndescription: d\n---\n1\n2\n3\n4\n",
                &settings
            )
            .iter()
            .all(|f| f.rule != TOO_MANY_LINES.name)
        );
    }

    #[test]
    fn thousands_are_separated() {
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(group_digits),
            ["0", "999", "1,000", "1,234,567"]
        );
    }
}
