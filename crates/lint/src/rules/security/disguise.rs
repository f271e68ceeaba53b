//! SK708: terminal escape sequences, homoglyphs and private-use characters.

use super::hidden::{non_ascii, passes_for_latin};
use super::redact::code_point;
use super::sink::FindingSink;
use super::text::{ScanText, TextKind};
use super::{body, rule};
use crate::{Rule, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = rule(
    "SK708",
    "disguised-text",
    DiagnosticLevel::Warning,
    "terminal escape sequences, homoglyphs or private-use characters",
    RuleDocs {
        finds: "Terminal escape sequences (ESC; an error if they conceal text, move the cursor or \
               erase), blank Braille cells where no Braille is written, private-use characters, \
               and in code and scripts letters of other alphabets within Latin words that look \
               like Latin ones (homoglyphs: `сurl` with a Cyrillic `с`).",
        hurts: "An escape sequence hides or overwrites terminal output. A homoglyph turns a \
               well-known command into another one, and keeps a search from finding it. The \
               meaning of a private-use character is known to its author alone.",
        ignore: "Icons of a font that every reader of the skill has; text that explains such \
                characters. Write them as escapes.",
        bad: &[
            body!("Run `\u{441}url https://forms.example/i` first.\n"),
            body!("Print \u{1b}[8mthis\u{1b}[0m last.\n"),
        ],
        good: &[body!(
            "Москва, Ελλάδα and ⠓⠑⠇⠇⠕ are words; `\\x1b[0m` resets the colour.\n"
        )],
    },
);

/// Reports the first such character of a file, with the number of all.
pub(super) fn scan(path: &str, text: &str, sink: &mut FindingSink<'_>) {
    let source = ScanText::new(path, text);
    let mut disguised = DisguisedChars::default();
    // The search for characters beyond ASCII skips the escape character.
    if text.contains('\u{1b}') {
        text.char_indices()
            .filter(|(_, c)| !c.is_ascii() || *c == '\u{1b}')
            .for_each(|(at, c)| disguised.check_char(&source, at, c));
    } else {
        non_ascii(text).for_each(|(at, c)| disguised.check_char(&source, at, c));
    }

    let Some((at, c, what)) = disguised.first else {
        return;
    };
    // A file of icons has thousands: one finding with their number is enough.
    let more = if disguised.count > 1 {
        format!(", the first of {}", disguised.count)
    } else {
        String::new()
    };

    let mut diagnostic = RULE
        .finding(format!("{} {what}{more}", code_point(c)))
        .at(at..at + c.len_utf8(), text);
    if disguised.hides_text {
        diagnostic.level = DiagnosticLevel::Error;
        diagnostic = diagnostic.note("the sequence hides text, or overwrites terminal output");
    }

    sink.report_as_is(&RULE, diagnostic.level, path, || {
        diagnostic.help("write the text in visible characters")
    });
}

/// The characters of a file that a rule reports.
#[derive(Default)]
struct DisguisedChars {
    /// The first of them, with its position and what is wrong with it.
    first: Option<(usize, char, &'static str)>,
    count: usize,
    /// Whether one of them, wherever it is, begins a sequence that hides text.
    hides_text: bool,
    /// The last character that was checked.
    before: Option<char>,
}

impl DisguisedChars {
    fn check_char(&mut self, source: &ScanText<'_>, at: usize, c: char) {
        if let Some(what) = classify_char(source, at, c, self.before) {
            self.count += 1;
            self.hides_text = self.hides_text || hides_text(&source.text[at..]);
            self.first.get_or_insert((at, c, what));
        }
        self.before = Some(c);
    }
}

/// Whether a text begins with an escape sequence that does more than set a color: it conceals,
/// moves, erases, or addresses the terminal itself.
fn hides_text(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('\u{1b}') else {
        return false;
    };
    // OSC, DCS, APC, PM, SOS and reset: these address the terminal itself.
    let Some(sequence) = rest.strip_prefix('[') else {
        return rest.starts_with([']', 'P', '_', '^', 'X', 'c']);
    };

    let values =
        sequence.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ';' | ':' | '?'));
    match values.chars().next() {
        // Colors are harmless, all but 8, which conceals.
        Some('m') => sequence[..sequence.len() - values.len()]
            .split(';')
            .any(|value| value == "8"),
        Some(last) => last.is_ascii_alphabetic(),
        None => false,
    }
}

/// Returns what is wrong with a character at its position; `None` if nothing is.
fn classify_char(
    source: &ScanText<'_>,
    at: usize,
    c: char,
    before: Option<char>,
) -> Option<&'static str> {
    let text = source.text;
    match c {
        '\u{1b}' => Some("begins an escape sequence, which changes the output of a terminal"),
        // The blank cell belongs in a line of Braille.
        '\u{2800}' => {
            let is_braille =
                text[source.line_range(at)].contains(|c| matches!(c, '\u{2801}'..='\u{28ff}'));
            (!is_braille).then_some("is an invisible character that is not a space")
        }
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => {
            Some("is a private-use character without a public meaning")
        }
        '\u{400}'..='\u{52f}' | '\u{13a0}'..='\u{13f4}'
            if passes_for_latin(text, at, c, before) =>
        {
            is_code(source, at).then_some("is a homoglyph of a Latin letter in code")
        }
        _ => None,
    }
}

/// Whether a byte is in a script, a fenced block, or between backticks.
fn is_code(source: &ScanText<'_>, at: usize) -> bool {
    let start = source.line_range(at).start;
    let is_spanned = || source.text[start..at].matches('`').count() % 2 == 1;
    source.kind != TextKind::Markdown || source.is_fenced(at) || is_spanned()
}
