//! Mixed line endings.

use super::PAGE;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange, Span};

pub(super) static RULE: Rule = Rule {
    code: "SK007",
    name: "mixed-line-endings",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Safely,
    summary: "mixed line endings, or lines that end in a lone carriage return",
    docs: RuleDocs {
        finds: "A `SKILL.md` in which some lines end in CRLF and others in LF, or some in a lone carriage return. A \
            file in which all lines end in CRLF is valid.",
        hurts: "Some readers treat a carriage return as a line end and others as part of the line, so that line \
            numbers, and in a frontmatter even values, differ between agents; every edit with another editor changes \
            the whole file. A file in which no line ends in LF is one long line to every agent, which then finds no \
            frontmatter: that is an error.",
        ignore: "The file contains such line ends on purpose. A carriage return before CRLF is an empty line to \
            Markdown: only `--unsafe-fixes` removes it.",
        bad: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\r\nname: pdf\r\ndescription: Fill PDF forms. Use when a form is to be filled in.\r\n---\r\n\r\n\
                     # PDF forms\n\nList the fields first, then fill them one at a time.\r\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\rname: pdf\rdescription: Fill PDF forms. Use when a form is to be filled in.\r---\r\r# PDF \
                     forms\r\rList the fields first, then fill them one at a time.\r",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF \
                     forms\r\r\n\nList the fields first, then fill them one at a time.\n",
                ),
            )]),
        ],
        good: &[
            RuleExample::page(&[("pdf/SKILL.md", ExampleFile::Text(PAGE))]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\r\nname: pdf\r\ndescription: Fill PDF forms. Use when a form is to be filled in.\r\n---\r\n\r\n\
                     # PDF forms\r\n\r\nList the fields first, then fill them one at a time.\r\n",
                ),
            )]),
        ],
    },
    check: RuleCheck::Skill(check),
};

/// The line ends of a text, by kind.
#[derive(Default)]
struct LineEndingCounts {
    line_feeds: usize,
    pairs: usize,
    /// Carriage returns that no line feed follows, and doubled ones, with the line feed if there is one.
    odd: Vec<Span>,
}

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    // Most files have LF only, and are done here.
    if memchr::memchr(b'\r', page.source.as_bytes()).is_none() {
        return;
    }

    let ends = LineEndingCounts::count(page.source.as_bytes());
    // A file with CRLF throughout is valid: every agent reads it.
    if ends.odd.is_empty() && (ends.line_feeds == 0 || ends.pairs == 0) {
        return;
    }

    // The majority decides, so that the fix changes few lines; on a tie it is LF.
    let (end, name) = if ends.pairs > ends.line_feeds {
        ("\r\n", "CRLF")
    } else {
        ("\n", "LF")
    };

    let changes = ends.changes_to(page.source.as_bytes(), end);
    let Some(FixChange::Edit { span, .. }) = changes.first() else {
        return;
    };

    let mut finding = RULE.finding(message(&ends)).at_bytes(span.clone());
    if ends.line_feeds + ends.pairs == 0 {
        finding.level = DiagnosticLevel::Error;
        finding = finding.note("every agent reads the file as one line and finds no frontmatter");
    }

    let message = format!("end every line in {name}");
    // To Markdown a doubled carriage return is an empty line, which may separate paragraphs.
    let is_doubled = page.source.contains("\r\r\n");
    let fix = DiagnosticFix {
        applicability: if is_doubled {
            FixApplicability::Unsafe
        } else {
            FixApplicability::Safe
        },
        message: message.clone(),
        changes,
    };
    found.add(page.path, finding.help(message).fix(fix));
}

fn message(ends: &LineEndingCounts) -> String {
    let count = |count: usize, what: &str| (count > 0).then(|| format!("{count} in {what}"));
    let counts = [
        count(ends.line_feeds, "LF"),
        count(ends.pairs, "CRLF"),
        count(ends.odd.len(), "CR"),
    ];
    format!(
        "inconsistent line endings: {}",
        counts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    )
}

impl LineEndingCounts {
    fn count(source: &[u8]) -> Self {
        let mut ends = LineEndingCounts::default();
        let mut at = 0;
        while let Some(next) = memchr::memchr2(b'\r', b'\n', &source[at..]).map(|next| at + next) {
            let returns = source[next..]
                .iter()
                .take_while(|&&byte| byte == b'\r')
                .count();
            let feeds = source.get(next + returns) == Some(&b'\n');
            at = next + returns + usize::from(feeds);

            match (returns, feeds) {
                (0, _) => ends.line_feeds += 1,
                (1, true) => ends.pairs += 1,
                // A doubled carriage return is a single line end.
                (_, true) => ends.odd.push(next..at),
                // Each of several lone carriage returns ends a line.
                (_, false) => ends.odd.extend((next..at).map(|start| start..start + 1)),
            }
        }
        ends
    }

    /// The edits that make every line end in `end`.
    fn changes_to(&self, source: &[u8], end: &str) -> Vec<FixChange> {
        let mut spans = self.odd.clone();
        // The line feed after a doubled carriage return is in `odd` already.
        let is_pair =
            |at: &usize| *at > 0 && source[at - 1] == b'\r' && (*at < 2 || source[at - 2] != b'\r');
        let feeds = memchr::memchr_iter(b'\n', source);
        if end == "\n" {
            spans.extend(feeds.filter(is_pair).map(|at| at - 1..at + 1));
        } else {
            let is_bare = |at: &usize| *at == 0 || source[at - 1] != b'\r';
            spans.extend(feeds.filter(is_bare).map(|at| at..at + 1));
        }

        spans.sort_by_key(|span| span.start);
        spans
            .into_iter()
            .map(|span| FixChange::Edit {
                span,
                content: end.to_owned(),
            })
            .collect()
    }
}
