//! Quotes dangerous text in messages without passing the danger on: no control or hidden character,
//! no secret, not too long.

use std::fmt::Write as _;

use super::decoding::LONG_RUNS;

/// Most characters of a quotation.
const TEXT_MAX: usize = 120;

/// Returns a text that is safe to show: on one line, escaped, cut, and without anything that may be
/// a secret.
pub(super) fn redact_text(text: &str) -> String {
    let text = cut_secrets(text);
    let mut shown = String::new();
    for (at, c) in text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .enumerate()
    {
        if at == TEXT_MAX {
            shown.push('…');
            break;
        }
        if is_visible(c) {
            shown.push(c);
        } else {
            let _ = write!(shown, "{}", c.escape_unicode());
        }
    }

    // Messages put the text between backticks.
    shown.replace('`', "'")
}

/// Cuts each run that may be a secret to its first characters.
fn cut_secrets(text: &str) -> String {
    let (mut cut, mut at) = (String::with_capacity(text.len()), 0);
    for found in LONG_RUNS.find_all(text.as_bytes()) {
        let run = &text[found.span.clone()];
        let has = |is: fn(&u8) -> bool| run.as_bytes().iter().any(is);
        // With both letters and digits a run may be a token; `//` makes it a URL.
        let is_random =
            has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && !run.contains("//");
        if is_random {
            cut.push_str(&text[at..found.span.start + 4]);
            cut.push('…');
            at = found.span.end;
        }
    }
    cut.push_str(&text[at..]);
    cut
}

/// Whether a character is visible: letters, digits and marks of any script, but no invisible and no
/// bidirectional character.
fn is_visible(c: char) -> bool {
    !c.is_control()
        && !super::hidden::is_invisible(c)
        && !('\u{e000}'..='\u{f8ff}').contains(&c)
        && c < '\u{e0000}'
}

/// Formats a code point as `U+200B`.
pub(super) fn code_point(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}
