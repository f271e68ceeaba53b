//! Quotes dangerous text in messages without passing the danger on: no control or hidden character,
//! no secret, not too long.

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

/// Most characters of a quotation.
const TEXT_MAX: usize = 120;

/// A run that may be a secret: long, without whitespace.
static LONG_RUN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[A-Za-z0-9_\-+/=]{20,}").expect("a constant, and tested"));

/// Returns a text that is safe to show: on one line, escaped, cut, and without anything that may be
/// a secret.
pub(super) fn redact_text(text: &str) -> String {
    let text = LONG_RUN.replace_all(text, |captures: &regex::Captures<'_>| {
        let run = &captures[0];
        let has = |is: fn(&u8) -> bool| run.as_bytes().iter().any(is);
        // With both letters and digits a run may be a token; `//` makes it a URL.
        let is_random =
            has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && !run.contains("//");
        if is_random {
            format!("{}…", &run[..4])
        } else {
            run.to_owned()
        }
    });

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
