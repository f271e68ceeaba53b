//! Characters that are no text.

use super::PAGE;
use crate::lint::{Check, Docs, Example, Fixes, Found, Page, Piece, Rule, Subject};
use crate::report::{Applicability, Fix, Level, Span};

pub(super) static RULE: Rule = Rule {
    code: "SK006",
    name: "control-character",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "a control character, such as NUL or ESC, stands in the text",
    docs: Docs {
        finds: "A control character other than tab, line feed, carriage return and form feed: NUL, ESC, backspace and \
                their like up to U+001F, and DEL; in a frontmatter also U+0080 to U+009F, which are left over where text \
                was decoded wrongly. In the frontmatter it is an error, and so is NUL anywhere; elsewhere a warning.",
        hurts: "YAML forbids them: most agents drop a skill with one in its frontmatter, and the reference validator \
                crashes. In the instructions, git, grep and many agents take a file with NUL for a binary one, and ESC \
                lets a text repaint the terminal of whoever reads it.",
        ignore: "If the file shows such a character on purpose. It is better named: `\\x1b`.",
        bad: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF\u{b} forms. Use when a form is to be filled in.\n---\n\n# PDF\n",
                ),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF \
                     forms\n\nList the \u{1b}[1mfields\u{1b}[0m first\0.\n",
                ),
            )]),
        ],
        good: &[Example::page(&[("pdf/SKILL.md", Piece::Text(PAGE))])],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    // All that is asked of most files: is there any such byte?
    if !has_odd(page.source.as_bytes()) && !may_hold_c1(&page.source[..page.body_start()]) {
        return;
    }
    let start = page.body_start();
    let mut told = 0..0;
    for (at, c) in page.source.char_indices() {
        if at < told.end || !is_control(c, at < start) {
            continue;
        }
        let rest = page.source[at..].chars().take_while(|&c| is_control(c, at < start));
        told = at..at + rest.map(char::len_utf8).sum::<usize>();
        if !reader_tells(page, &told) {
            found.add(page.path, finding(page, told.clone(), at < start));
        }
    }
}

/// Whether any byte is odd: asked of many at once, which is done many at a time.
fn has_odd(bytes: &[u8]) -> bool {
    bytes.chunks(1024).any(|chunk| chunk.iter().fold(false, |odd, byte| odd | is_odd(*byte)))
}

fn is_odd(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0B | 0x0E..=0x1F | 0x7F)
}

/// Whether U+0080 to U+009F can stand in a text: as bytes, they begin with 0xC2.
fn may_hold_c1(source: &str) -> bool {
    memchr::memchr(0xC2, source.as_bytes()).is_some()
}

fn is_control(c: char, in_frontmatter: bool) -> bool {
    match u32::from(c) {
        code @ 0..=0x7F => is_odd(u8::try_from(code).unwrap_or_default()),
        // A line end of its own, which YAML knows.
        0x85 => false,
        0x80..=0x9F => in_frontmatter,
        _ => false,
    }
}

/// Whether the reader, which gave up at it, has told of this already.
fn reader_tells(page: &Page<'_>, span: &Span) -> bool {
    let starts_here = |told: &Option<Span>| told.as_ref().is_some_and(|told| span.contains(&told.start));
    page.reading.diagnostics.iter().any(|found| found.rule == RULE.name && starts_here(&found.span))
}

fn finding(page: &Page<'_>, span: Span, in_frontmatter: bool) -> crate::report::Diagnostic {
    let first = page.source[span.start..].chars().next().map_or(0, u32::from);
    let mut finding = RULE.finding(format!("the text holds the control character U+{first:04X}"));
    if in_frontmatter {
        finding = finding.note("YAML forbids it: most agents drop the skill");
    } else if first != 0 {
        finding.level = Level::Warning;
    } else {
        finding = finding.note("git, grep and many agents take a file with it for a binary one");
    }
    let fix = Fix::edit(Applicability::Safe, "remove it", span.clone(), "");
    finding.at(span, page.source).help("remove it").fix(fix)
}
