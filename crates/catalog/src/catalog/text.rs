//! Sanitizes untrusted text for one line of a listing.

use std::borrow::Cow;

use skillpm_core::text::{is_hidden, is_tag};

/// Replacement for invisible characters.
const MARK: char = '\u{fffd}';

/// `text` on one line: every run of white space becomes a blank, every run of control, direction and tag characters
/// a `MARK`, so that nothing is read that cannot be seen and nothing ends the line. A flag of England stays one.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    // Nearly every text is plain, and is then returned without a copy.
    let plain =
        |c: char| c.is_ascii_graphic() || (c as u32 >= 0xa1 && !c.is_whitespace() && !is_hidden(c));
    let blanks_are_single = !text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  ");

    if blanks_are_single && (is_printable_ascii(text) || text.chars().all(|c| c == ' ' || plain(c)))
    {
        return Cow::Borrowed(text);
    }

    let mut line = String::with_capacity(text.len());
    // A flag of England, Scotland or Wales is a black flag and tag characters, which are hidden
    // everywhere else.
    let mut in_flag = false;

    for c in text.chars() {
        in_flag = c == '\u{1f3f4}' || (in_flag && is_tag(c));

        let shown = match c {
            _ if c.is_whitespace() => ' ',
            _ if is_hidden(c) && !in_flag => MARK,
            _ => c,
        };

        // Runs become one, so that a text cannot push what follows it out of sight.
        let repeated = matches!(shown, ' ' | MARK) && line.ends_with(shown);
        if !(repeated || (shown == ' ' && line.is_empty())) {
            line.push(shown);
        }
    }

    line.truncate(line.trim_end_matches(' ').len());
    Cow::Owned(line)
}

/// Whether every byte is a visible ASCII character or a blank: without an early exit, so that the loop is vectorized.
fn is_printable_ascii(text: &str) -> bool {
    let printable = |byte: u8| u8::from((b' '..0x7f).contains(&byte));
    text.bytes().fold(1, |all, byte| all & printable(byte)) == 1
}

/// `text` with its lines as they are, but every run of characters that act without being seen a `MARK`.
#[must_use]
pub fn mark_hidden(text: &str) -> Cow<'_, str> {
    let acts = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t');

    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }

    let mut shown = String::with_capacity(text.len());
    let mut in_flag = false;
    let mut rest = text.chars().peekable();

    while let Some(c) = rest.next() {
        in_flag = c == '\u{1f3f4}' || (in_flag && is_tag(c));

        match c {
            // A line end of Windows is one line end; a lone `\r` goes back to the start of the
            // line.
            '\r' if rest.peek() == Some(&'\n') => {}
            _ if !acts(c) || in_flag => shown.push(c),
            _ if !shown.ends_with(MARK) => shown.push(MARK),
            _ => {}
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_of_any_script_stays_as_it_is() {
        for text in [
            "Clean CSV files - fix headers.",
            "naïve, 日本語, 🚀.",
            "👨\u{200d}👩\u{200d}👧",
            "می\u{200c}خواهم",
            "",
        ] {
            assert!(matches!(one_line(text), Cow::Borrowed(_)), "{text}");
        }
        let england = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
        assert_eq!(one_line(england), england);
    }

    #[test]
    fn lines_and_blanks_become_one() {
        assert_eq!(one_line(" a\r\n\tb \u{2028} c\u{85}\n"), "a b c");
    }

    #[test]
    fn lines_stay_where_only_what_cannot_be_seen_is_marked() {
        assert!(matches!(mark_hidden("a  b\n\tc\n"), Cow::Borrowed(_)));
        assert_eq!(
            mark_hidden("a\r\nb\u{1b}\u{0}[31m\r\u{e0069}\n"),
            "a\nb\u{fffd}[31m\u{fffd}\n"
        );
        let england = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}\u{1b}";
        assert_eq!(mark_hidden(england), england.replace('\u{1b}', "\u{fffd}"));
    }

    #[test]
    fn what_cannot_be_seen_is_marked_once_a_run() {
        assert_eq!(one_line("a\u{1b}[31mb"), "a\u{fffd}[31mb");
        assert_eq!(one_line("x\u{202e}\u{0}\u{9b}y"), "x\u{fffd}y");
        assert_eq!(one_line("x\u{e0069}\u{e0067}y"), "x\u{fffd}y");
    }
}
