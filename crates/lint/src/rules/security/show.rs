//! Telling of dangerous text without passing the danger on: no control or hidden character, no secret, not too much.

use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;

/// Most characters that are told of one thing.
const SHOWN_MAX: usize = 120;

/// A run that may be a secret: long, without blanks.
static LONG: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[A-Za-z0-9_\-+/=]{20,}").expect("a constant, and tested"));

/// A text as it may be told: on one line, escaped, cut, and without anything that may be a secret.
pub(super) fn shown(text: &str) -> String {
    let text = LONG.replace_all(text, |captures: &regex::Captures<'_>| {
        let run = &captures[0];
        let has = |is: fn(&u8) -> bool| run.as_bytes().iter().any(is);
        let is_random = has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && !run.contains("//");
        if is_random { format!("{}…", &run[..4]) } else { run.to_owned() }
    });
    let mut shown = String::new();
    for (at, c) in text.split_whitespace().collect::<Vec<_>>().join(" ").chars().enumerate() {
        if at == SHOWN_MAX {
            shown.push('…');
            break;
        }
        if is_plain(c) {
            shown.push(c);
        } else {
            let _ = write!(shown, "{}", c.escape_unicode());
        }
    }
    shown.replace('`', "'")
}

/// Whether a character is seen as what it is: letters, figures, marks of any script, but nothing that hides or turns.
fn is_plain(c: char) -> bool {
    !c.is_control() && !super::hidden::is_invisible(c) && !('\u{e000}'..='\u{f8ff}').contains(&c) && c < '\u{e0000}'
}

/// `U+200B`.
pub(super) fn code_point(c: char) -> String {
    format!("U+{:04X}", u32::from(c))
}
