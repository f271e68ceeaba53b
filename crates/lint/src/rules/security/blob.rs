//! SK726: data in text that nobody can read.

use std::ops::Range;

use super::scan::Ledger;
use super::{body, rule};
use crate::lint::{Docs, Rule};
use crate::report::Level;

pub(super) static RULE: Rule = rule(
    "SK726",
    "opaque-blob",
    Level::Note,
    "a long run of encoded data",
    Docs {
        finds: "300 characters of base64 and more without a break (or in full lines), outside `data:` addresses; and files too large to be looked \
                at as a whole, or in an encoding that is not UTF-8.",
        hurts: "Nobody who reviews the skill can read it, and no rule looks into it.",
        ignore: "Pictures and test data. Put them into a file of their own, of the kind that they are.",
        bad: &[body!(
            "Template: TVqQAAMAAAAEAAAA8AALgAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAAAA4fug4AtAnNIbgBTM0hVGhpcyBwcm9ncmFtIGNhbm5vdCBiZSBydW4gaW4gRE9TIG1vZGUuDQ0KJAAAAAAAAABQRQAATAEDAFyzjWkAAAAAAAAAAOAAIgALATAAABAAAAAGAAAAAAAAji4AAAAgAAAAQAAAAABAAAAgAAAAAgAABAAAAAAAAAAEAAAAAAAAAACAAAAAAgAAAAAAAAMAQIUAABAAABAAAAAA\n"
        )],
        good: &[body!(
            "![Form](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)\n"
        )],
    },
);

/// Fewest characters that nobody takes for a word or a checksum.
const LONG: usize = 300;

/// Looks at every 300th byte: a run that long covers one.
pub(super) fn scan(path: &str, text: &str, ledger: &mut Ledger<'_>) {
    let bytes = text.as_bytes();
    let mut at = LONG - 1;
    while at < bytes.len() {
        if !is_encoded(bytes[at]) {
            at += LONG;
            continue;
        }
        let run = run(bytes, at);
        if run.len() >= LONG && is_random(&bytes[run.clone()]) && !is_data_url(text, run.start) {
            ledger.tell_as_is(&RULE, Level::Note, path, || {
                let message = format!("{} characters of data that nobody can read", run.len());
                let help = "put it into a file of the kind that it is, or leave it out";
                RULE.finding(message).at(run.clone(), text).help(help)
            });
        }
        at = run.end.max(at) + LONG;
    }
}

fn is_encoded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

/// The run around a byte; it goes on over the end of a line that it fills.
fn run(bytes: &[u8], at: usize) -> Range<usize> {
    let mut start = at;
    let mut line = 0;
    while start > 0 {
        let byte = bytes[start - 1];
        if is_encoded(byte) {
            line += 1;
        } else if byte == b'\n' && line >= 60 {
            line = 0;
        } else {
            break;
        }
        start -= 1;
    }
    let mut end = at;
    let mut line = bytes[start..at].iter().rev().take_while(|byte| **byte != b'\n').count();
    while end < bytes.len() {
        if is_encoded(bytes[end]) {
            line += 1;
        } else if bytes[end] == b'\n' && line >= 60 {
            line = 0;
        } else {
            break;
        }
        end += 1;
    }
    start..end
}

/// Letters of both cases and figures, and not one of them over and over.
fn is_random(run: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| run.iter().any(is);
    let mut seen = [false; 256];
    run.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let slashes = memchr::memchr_iter(b'/', run).count();
    has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && seen.iter().filter(|seen| **seen).count() >= 16
        && slashes * 12 < run.len()
}

fn is_data_url(text: &str, at: usize) -> bool {
    text[..at].ends_with("base64,") || text[..at].ends_with("base64,\n")
}
