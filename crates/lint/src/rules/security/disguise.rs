//! SK708: characters that are not what they look like.

use super::hidden::{non_ascii, passes_for_latin};
use super::scan::Ledger;
use super::show::code_point;
use super::text::{Kind, Source};
use super::{body, rule};
use crate::lint::{Docs, Rule};
use crate::report::Level;

pub(super) static RULE: Rule = rule(
    "SK708",
    "disguised-text",
    Level::Warning,
    "characters are not what they look like",
    Docs {
        finds: "Escape sequences of terminals (ESC; an error if they conceal text, move or erase), blank letters of Braille where no Braille is written, characters for private use, and \
                in code and scripts letters of other alphabets within Latin words that look like Latin ones (`сurl` with a Cyrillic `с`).",
        hurts: "An escape sequence hides or overwrites what a terminal shows. A look-alike makes of a well-known command another one, and \
                keeps a search from finding it. What a character for private use means is known to nobody but its author.",
        ignore: "Icons of a font that everybody who reads the skill has; text that explains such characters. Write them as escapes.",
        bad: &[
            body!("Run `\u{441}url https://forms.example/i` first.\n"),
            body!("Print \u{1b}[8mthis\u{1b}[0m last.\n"),
        ],
        good: &[body!("Москва, Ελλάδα and ⠓⠑⠇⠇⠕ are words; `\\x1b[0m` resets the colour.\n")],
    },
);

/// Looks for them; of each file the first is told, with how many there are.
pub(super) fn scan(path: &str, text: &str, ledger: &mut Ledger<'_>) {
    let source = Source::new(path, text);
    let (mut before, mut first, mut many) = (None, None, 0_usize);
    let mut hides = false;
    let mut look = |(at, c)| {
        if let Some(what) = judge(&source, at, c, before) {
            many += 1;
            hides = hides || hides_text(&text[at..]);
            first.get_or_insert((at, c, what));
        }
        before = Some(c);
    };
    if text.contains('\u{1b}') {
        text.char_indices().filter(|(_, c)| !c.is_ascii() || *c == '\u{1b}').for_each(look);
    } else {
        non_ascii(text).for_each(&mut look);
    }
    let Some((at, c, what)) = first else { return };
    let more = if many > 1 { format!(", the first of {many}") } else { String::new() };
    let mut diagnostic = RULE.finding(format!("{} {what}{more}", code_point(c))).at(at..at + c.len_utf8(), text);
    if hides {
        diagnostic.level = Level::Error;
        diagnostic = diagnostic.note("what follows hides text, or writes over what was shown");
    }
    ledger.tell_as_is(&RULE, diagnostic.level, path, || {
        diagnostic.help("write what is meant in letters that everybody sees")
    });
}

/// Whether a text begins with an escape sequence that does more than to colour: it conceals, moves, erases, or speaks to
/// the terminal itself.
fn hides_text(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('\u{1b}') else { return false };
    let Some(sequence) = rest.strip_prefix('[') else { return rest.starts_with([']', 'P', '_', '^', 'X', 'c']) };
    let values = sequence.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ';' | ':' | '?'));
    match values.chars().next() {
        Some('m') => sequence[..sequence.len() - values.len()].split(';').any(|value| value == "8"),
        Some(last) => last.is_ascii_alphabetic(),
        None => false,
    }
}

/// What is wrong with a character where it stands; `None` if nothing is.
fn judge(source: &Source<'_>, at: usize, c: char, before: Option<char>) -> Option<&'static str> {
    let text = source.text;
    match c {
        '\u{1b}' => Some("begins an escape sequence, which changes what a terminal shows"),
        '\u{2800}' => {
            let is_braille = text[source.line(at)].contains(|c| matches!(c, '\u{2801}'..='\u{28ff}'));
            (!is_braille).then_some("shows nothing, and is no space")
        }
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' => Some("means what its author alone knows"),
        '\u{400}'..='\u{52f}' | '\u{13a0}'..='\u{13f4}' if passes_for_latin(text, at, c, before) => {
            is_code(source, at).then_some("passes for a Latin letter in code")
        }
        _ => None,
    }
}

/// Whether a byte stands in a script, a fenced block, or between backticks.
fn is_code(source: &Source<'_>, at: usize) -> bool {
    let start = source.line(at).start;
    let is_spanned = || source.text[start..at].matches('`').count() % 2 == 1;
    source.kind != Kind::Markdown || source.is_fenced(at) || is_spanned()
}
