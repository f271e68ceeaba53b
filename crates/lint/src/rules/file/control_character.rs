//! Control characters in the text.

use super::PAGE;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, RuleExample,
};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability, Span};

pub(super) static RULE: Rule = Rule {
    code: "SK006",
    name: "control-character",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "the text contains a control character, such as NUL or ESC",
    docs: RuleDocs {
        finds: "A control character other than tab, line feed, carriage return and form feed: NUL, ESC, backspace and \
            others up to U+001F, and DEL; in a frontmatter also U+0080 to U+009F, which are left over where text was \
            decoded wrongly. In the frontmatter it is an error, and so is NUL anywhere; elsewhere a warning.",
        hurts: "YAML forbids them: most agents drop a skill with one in its frontmatter, and the reference validator \
            crashes. In the instructions, git, grep and many agents treat a file with NUL as binary, and ESC lets a \
            text manipulate the reader's terminal.",
        ignore: "The file contains the character on purpose; consider writing its name, `\\x1b`. `--fix` removes it from \
            a frontmatter, which cannot be read with it; in the instructions only `--unsafe-fixes` does.",
        bad: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF\u{b} forms. Use when a form is to be filled in.\n---\n\n# PDF\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF \
                     forms\n\nList the \u{1b}[1mfields\u{1b}[0m first\0.\n",
                ),
            )]),
        ],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(PAGE),
        )])],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    // Most files contain no such byte, and are done after this check.
    if !has_control_byte(page.source.as_bytes())
        && !may_contain_c1(&page.source[..page.body_start()])
    {
        return;
    }

    let start = page.body_start();
    // A run of them is one finding: binary data in a text has thousands.
    let mut reported = 0..0;
    for (at, c) in page.source.char_indices() {
        if at < reported.end || !is_control(c, at < start) {
            continue;
        }

        let rest = page.source[at..]
            .chars()
            .take_while(|&c| is_control(c, at < start));
        reported = at..at + rest.map(char::len_utf8).sum::<usize>();

        // The YAML reader stops at the first one, and knows its line already.
        if !is_reported_by_parser(page, &reported) {
            found.add(page.path, finding(page, reported.clone(), at < start));
        }
    }
}

/// Whether any byte is a control character: checked in chunks without early exit, so that it vectorizes.
fn has_control_byte(bytes: &[u8]) -> bool {
    bytes.chunks(1024).any(|chunk| {
        chunk
            .iter()
            .fold(false, |odd, byte| odd | is_control_byte(*byte))
    })
}

#[expect(
    clippy::needless_bitwise_bool,
    reason = "without a branch the loop over a text is vectorized"
)]
fn is_control_byte(byte: u8) -> bool {
    // Without tab, line feed, form feed and carriage return, which texts contain on purpose.
    let is_text = (byte == b'\t') | (byte == b'\n') | (byte == 0x0C) | (byte == b'\r');
    ((byte < 0x20) & !is_text) | (byte == 0x7F)
}

/// Whether a text may contain U+0080 to U+009F: their first byte is 0xC2.
fn may_contain_c1(source: &str) -> bool {
    memchr::memchr(0xC2, source.as_bytes()).is_some()
}

fn is_control(c: char, in_frontmatter: bool) -> bool {
    match u32::from(c) {
        code @ 0..=0x7F => is_control_byte(u8::try_from(code).unwrap_or_default()),
        // NEL, a line end in YAML.
        0x85 => false,
        // In the instructions they are harmless, and left over in many texts that were decoded
        // wrongly.
        0x80..=0x9F => in_frontmatter,
        _ => false,
    }
}

/// Whether the reader, which stopped at it, has already reported it.
fn is_reported_by_parser(page: &MarkdownPage<'_>, span: &Span) -> bool {
    let starts_here = |found: &Option<Span>| {
        found
            .as_ref()
            .is_some_and(|found| span.contains(&found.start))
    };
    page.reading
        .diagnostics
        .iter()
        .any(|found| found.rule == RULE.name && starts_here(&found.span))
}

fn finding(
    page: &MarkdownPage<'_>,
    span: Span,
    in_frontmatter: bool,
) -> skillpm_core::report::Diagnostic {
    let first = page.source[span.start..]
        .chars()
        .next()
        .map_or(0, u32::from);

    let mut finding = RULE.finding(format!(
        "the text contains the control character U+{first:04X}"
    ));

    if in_frontmatter {
        finding = finding.note("YAML forbids it: most agents drop the skill");
    } else if first != 0 {
        // ESC and others are text to an agent, so it still reads the instructions.
        finding.level = DiagnosticLevel::Warning;
    } else {
        finding = finding.note("git, grep and many agents treat a file with it as binary");
    }

    // A frontmatter with one cannot be read at all. In the instructions it may be part of code, or of an example.
    let applicability = if in_frontmatter {
        FixApplicability::Safe
    } else {
        FixApplicability::Unsafe
    };
    let fix = DiagnosticFix::edit(applicability, "remove it", span.clone(), "");
    finding.at_bytes(span).help("remove it").fix(fix)
}
