//! The one writer of foreign text: names, paths, descriptions, messages of servers and files, which others wrote.
//!
//! | function | for | joiners of emoji and scripts | line ends |
//! |---|---|---|---|
//! | [`escape_line`] | one line: a name, a path, a row of a table | stay | escaped |
//! | [`escape_text`] | a message of several lines | stay | stay |
//! | [`escape_example`] | an example of a rule, which skillpm wrote itself | stay | stay |
//! | [`escape_for_review`] | a file or a patch that a person is to judge | escaped | stay |
//! | [`escape_json`] | an answer for programs | escaped | are JSON's |
//!
//! What acts on a terminal, or is not seen by a reader, is spelled out: `\u{202e}`. In neither of the first two does a line begin
//! as a command of a build service (`##vso[…]` of Azure Pipelines, `::error::` of GitHub Actions), which reads them in its log.

use std::borrow::Cow;

use serde_json::Value;

use crate::text::{is_hidden, is_invisible};

/// Whether a text is nothing but letters, marks and blanks of ASCII, which no terminal obeys.
pub(in crate::cli) fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// A text on one line.
pub(in crate::cli) fn escape_line(text: &str) -> String {
    escape(text, |c, before, next| match c {
        '\n' => "\\n".into(),
        '\r' => "\\r".into(),
        '\t' => "\\t".into(),
        _ => spell_char(c, before, next),
    })
}

/// A text of the program itself, with its lines: one that shows what such a text looks like.
pub(in crate::cli) fn escape_example(text: &str) -> String {
    escape(text, |c, before, next| match c {
        '\n' => "\n".into(),
        '\r' => "\\r".into(),
        // A tab is as wide as the terminal says.
        '\t' => "    ".into(),
        _ => spell_char(c, before, next),
    })
}

/// A text with its lines. A line that a build service would obey is joined to the one before.
pub(in crate::cli) fn escape_text(text: &str) -> String {
    let escaped = escape_example(text);
    if !escaped.contains('\n') {
        return escaped;
    }

    let mut lines = escaped.split('\n');
    let mut guarded = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        guarded.push_str(if is_command(line) { "\\n" } else { "\n" });
        guarded.push_str(line);
    }
    guarded
}

/// A text whose reader has to see every character of it.
pub(in crate::cli) fn escape_for_review(text: &str) -> String {
    escape(text, |c, _, _| match c {
        '\n' => "\n".into(),
        _ if is_hidden(c) || is_invisible(c) => spell(c),
        _ => c.to_string().into(),
    })
}

/// JSON whose texts are escaped: the same value, and nothing that a terminal obeys or a reader does not see.
pub(in crate::cli) fn escape_json(value: &Value) -> String {
    escape_json_text(&value.to_string())
}

/// The same for JSON that is text already.
pub(in crate::cli) fn escape_json_text(json: &str) -> String {
    let is_odd = |c: char| c != '\n' && (is_hidden(c) || is_invisible(c));
    // JSON has these characters in strings only, so it can be rewritten without parsing.
    if !json.contains(is_odd) {
        return json.to_owned();
    }

    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if is_odd(c) {
            // JSON escapes are UTF-16: two units beyond the first plane.
            c.encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}")));
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// A line of an answer, whose beginning no build service obeys.
pub(in crate::cli) fn guard_line(line: String) -> String {
    if !is_command(&line) {
        return line;
    }
    let text = line.trim_start();
    let first = text.chars().next().unwrap_or_default();
    let blanks = &line[..line.len() - text.len()];
    format!("{blanks}{}{}", spell(first), &text[first.len_utf8()..])
}

/// Whether a build service would obey a line of its log.
fn is_command(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("##") || line.starts_with("::")
}

/// What is shown for a character between two others: itself, if a reader sees it.
pub(in crate::cli) fn spell_char(
    c: char,
    before: Option<char>,
    next: Option<char>,
) -> Cow<'static, str> {
    // Between letters of scripts such as Arabic or Hindi a joiner is spelling; elsewhere it hides.
    let is_spelling =
        matches!(c, '\u{200c}' | '\u{200d}') && is_between(before, next, uses_joiners);
    if !is_spelling && !is_emoji_style(c, before, next) && (is_hidden(c) || is_invisible(c)) {
        spell(c)
    } else {
        c.to_string().into()
    }
}

/// Whether a character is only how an emoji is drawn: joined to the next, or in color.
pub(in crate::cli) fn is_emoji_style(c: char, before: Option<char>, next: Option<char>) -> bool {
    match c {
        '\u{200d}' => is_between(before, next, is_emoji),
        '\u{fe0e}' | '\u{fe0f}' => before.is_some_and(takes_variation),
        _ => false,
    }
}

fn escape(
    text: &str,
    show: impl Fn(char, Option<char>, Option<char>) -> Cow<'static, str>,
) -> String {
    // The common case, without a look at each character.
    if is_printable_ascii(text) {
        return text.to_owned();
    }

    let mut shown = String::with_capacity(text.len());
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ' '..='~' => shown.push(c),
            _ => shown.push_str(&show(c, before, chars.peek().copied())),
        }
        before = Some(c);
    }
    shown
}

fn spell(c: char) -> Cow<'static, str> {
    c.escape_unicode().to_string().into()
}

fn is_between(before: Option<char>, next: Option<char>, belongs: fn(char) -> bool) -> bool {
    before.is_some_and(belongs) && next.is_some_and(belongs)
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{27ff}' | '\u{2900}'..='\u{2bff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
}

fn takes_variation(c: char) -> bool {
    matches!(c, '#' | '*' | '0'..='9' | '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{20e3}' | '\u{2100}'..='\u{214f}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}')
        || is_emoji(c) && c != '\u{fe0f}'
}

/// Whether a character belongs to a script in which joiners are spelling.
fn uses_joiners(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{fb50}'..='\u{fdff}')
        && !is_invisible(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_or_hides_is_spelled_out() {
        assert_eq!(
            escape_line("a\u{1b}[31mred\u{202e}\u{200b}\n\u{9b}\u{2800}\u{e0041}"),
            "a\\u{1b}[31mred\\u{202e}\\u{200b}\\n\\u{9b}\\u{2800}\\u{e0041}"
        );
        assert_eq!(escape_text("plain\ntext\u{2028}"), "plain\ntext\\u{2028}");
        assert_eq!(
            escape_json_text("{\"a\": \"\u{7f}\u{200d}\u{e0041}\"}\n"),
            "{\"a\": \"\\u007f\\u200d\\udb40\\udc41\"}\n"
        );
    }

    #[test]
    fn joiners_stay_where_they_are_spelling_and_not_in_a_review() {
        for text in ["👨\u{200d}👩\u{200d}👧", "❤\u{fe0f}", "می\u{200c}خواهم"] {
            assert_eq!(escape_line(text), text);
            assert!(escape_for_review(text).contains("\\u{"), "{text}");
        }
        for text in [
            "a\u{200d}b",
            "x\u{fe0f}",
            "rm\u{200c}",
            "👨\u{200d}rm",
            "می\u{200c}",
        ] {
            assert!(escape_line(text).contains("\\u{"), "{text}");
        }
    }

    #[test]
    fn no_line_begins_as_a_command_of_a_build_service() {
        assert_eq!(
            escape_text("a\n##vso[x]\n  ::error::b\nc:: d"),
            "a\\n##vso[x]\\n  ::error::b\nc:: d"
        );
        assert_eq!(guard_line(" ::error::a".to_owned()), " \\u{3a}:error::a");
        assert_eq!(guard_line("std::vector".to_owned()), "std::vector");
    }
}
