//! Lines that end in more than one way.

use super::PAGE;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::{Applicability, Change, Fix, Level, Span};

pub(super) static RULE: Rule = Rule {
    code: "SK007",
    name: "mixed-line-endings",
    level: Some(Level::Note),
    fix: Fixes::Safely,
    summary: "lines end in more than one way, or in a lone carriage return",
    docs: Docs {
        finds: "A `SKILL.md` in which some lines end in CRLF and others in LF, or some in a carriage return alone. A file \
                in which all lines end in CRLF is fine.",
        hurts: "Some readers take a carriage return for the end of a line and others for a part of it, so that line \
                numbers, and in a frontmatter even values, differ from agent to agent; every edit with another editor \
                shows as a change of the whole file. A file in which no line ends in LF is one long line to every agent, \
                which then finds no frontmatter: that is an error.",
        ignore: "If the file shows such line ends on purpose.",
        bad: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\r\nname: pdf\r\ndescription: Fill PDF forms. Use when a form is to be filled in.\r\n---\r\n\r\n\
                     # PDF forms\n\nList the fields first, then fill them one at a time.\r\n",
                ),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\rname: pdf\rdescription: Fill PDF forms. Use when a form is to be filled in.\r---\r\r# PDF \
                     forms\r\rList the fields first, then fill them one at a time.\r",
                ),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF \
                     forms\r\r\n\nList the fields first, then fill them one at a time.\n",
                ),
            )]),
        ],
        good: &[
            Example::page(&[("pdf/SKILL.md", Piece::Text(PAGE))]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\r\nname: pdf\r\ndescription: Fill PDF forms. Use when a form is to be filled in.\r\n---\r\n\r\n\
                     # PDF forms\r\n\r\nList the fields first, then fill them one at a time.\r\n",
                ),
            )]),
        ],
    },
    check: Check::Skill(check),
};

/// The ends of the lines of a text, by what they are.
#[derive(Default)]
struct Ends {
    line_feeds: usize,
    pairs: usize,
    /// Carriage returns that no line feed follows, and doubled ones, with the line feed if there is one.
    odd: Vec<Span>,
}

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    if memchr::memchr(b'\r', page.source.as_bytes()).is_none() {
        return;
    }
    let ends = Ends::of(page.source.as_bytes());
    if ends.odd.is_empty() && (ends.line_feeds == 0 || ends.pairs == 0) {
        return;
    }
    let (end, name) = if ends.pairs > ends.line_feeds { ("\r\n", "CRLF") } else { ("\n", "LF") };
    let changes = ends.changes(page.source.as_bytes(), end);
    let Some(Change::Edit { span, .. }) = changes.first() else { return };
    let mut finding = RULE.finding(message(&ends)).at(span.clone(), page.source);
    if ends.line_feeds + ends.pairs == 0 {
        finding.level = Level::Error;
        finding = finding.note("every agent reads the file as one line and finds no frontmatter");
    }
    let message = format!("end every line in {name}");
    let fix = Fix { applicability: Applicability::Safe, message: message.clone(), changes };
    found.add(page.path, finding.help(message).fix(fix));
}

fn message(ends: &Ends) -> String {
    let count = |count: usize, what: &str| (count > 0).then(|| format!("{count} in {what}"));
    let counts = [count(ends.line_feeds, "LF"), count(ends.pairs, "CRLF"), count(ends.odd.len(), "CR")];
    format!("the lines do not all end alike: {}", counts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

impl Ends {
    fn of(source: &[u8]) -> Self {
        let mut ends = Ends::default();
        let mut at = 0;
        while let Some(next) = memchr::memchr2(b'\r', b'\n', &source[at..]).map(|next| at + next) {
            let returns = source[next..].iter().take_while(|&&byte| byte == b'\r').count();
            let feeds = source.get(next + returns) == Some(&b'\n');
            at = next + returns + usize::from(feeds);
            match (returns, feeds) {
                (0, _) => ends.line_feeds += 1,
                (1, true) => ends.pairs += 1,
                // What wrote one carriage return too many wrote one line end.
                (_, true) => ends.odd.push(next..at),
                (_, false) => ends.odd.extend((next..at).map(|start| start..start + 1)),
            }
        }
        ends
    }

    /// The edits that make every line end in `end`.
    fn changes(&self, source: &[u8], end: &str) -> Vec<Change> {
        let mut spans = self.odd.clone();
        let is_pair = |at: &usize| *at > 0 && source[at - 1] == b'\r' && (*at < 2 || source[at - 2] != b'\r');
        let feeds = memchr::memchr_iter(b'\n', source);
        if end == "\n" {
            spans.extend(feeds.filter(is_pair).map(|at| at - 1..at + 1));
        } else {
            let is_bare = |at: &usize| *at == 0 || source[at - 1] != b'\r';
            spans.extend(feeds.filter(is_bare).map(|at| at..at + 1));
        }
        spans.sort_by_key(|span| span.start);
        spans.into_iter().map(|span| Change::Edit { span, content: end.to_owned() }).collect()
    }
}
