//! HTML from text, and texts as pages show them.
//!
//! All text of packages is escaped, and what acts on a reader without being seen is shown as its number.

use std::borrow::Cow;

use skillpm_core::text::is_hidden;

/// Text as HTML on one line, safe between tags and in an attribute.
pub(super) fn escape_html(text: &str) -> String {
    escape(text, |c| matches!(c, '\n' | '\t' | '\r').then_some(' '))
}

/// Text as HTML with its lines, safe between tags.
pub(super) fn escape_lines(text: &str) -> String {
    escape(text, |c| matches!(c, '\n' | '\t').then_some(c))
}

fn escape(text: &str, keep_blank: impl Fn(char) -> Option<char>) -> String {
    let mut html = String::with_capacity(text.len());

    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            c => match keep_blank(c) {
                Some(blank) => html.push(blank),
                None if is_hidden(c) => html.extend(c.escape_unicode()),
                None => html.push(c),
            },
        }
    }

    html
}

/// A message as HTML, with what is in backticks as code.
pub(super) fn mark_code(message: &str) -> String {
    let mut html = String::new();
    let mut rest = message;
    while let Some((before, code, after)) = rest.split_once('`').and_then(|(before, rest)| {
        rest.split_once('`')
            .map(|(code, after)| (before, code, after))
    }) {
        html.push_str(&escape_html(before));
        html.push_str("<code>");
        html.push_str(&escape_html(code));
        html.push_str("</code>");
        rest = after;
    }
    html.push_str(&escape_html(rest));
    html
}

/// Text of several lines in which hidden characters are shown as their numbers. It is not HTML yet.
pub(super) fn show_hidden(text: &str) -> Cow<'_, str> {
    let is_odd = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t');
    if !text.contains(is_odd) {
        return Cow::Borrowed(text);
    }

    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_odd(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Text on one line in which hidden characters are shown as their numbers. It is not HTML yet.
pub(super) fn show_line(text: &str) -> String {
    let line = text.replace(['\n', '\r', '\t'], " ");
    show_hidden(&line).into_owned()
}

/// The first words of a text, up to `max` characters, with `…` if there are more. A text that is written without spaces, or
/// begins with a long word, is cut inside it.
pub(super) fn cut_text(text: &str, max: usize) -> Cow<'_, str> {
    let Some((end, next)) = text.char_indices().nth(max) else {
        return Cow::Borrowed(text);
    };

    let cut = &text[..end];
    let whole = match cut.rfind(char::is_whitespace) {
        // At least half of it is used.
        Some(space) if !next.is_whitespace() && space * 2 > end => &cut[..space],
        _ => cut,
    };
    let whole = whole.trim_end_matches(|c: char| c.is_whitespace() || ",;:–—-".contains(c));
    Cow::Owned(format!("{whole}…"))
}

/// The part of a text of at most `max` bytes that ends with a whole line, or a whole character if it is one line; and
/// whether that is less than all of it.
pub(super) fn cut_lines(text: &str, max: usize) -> (&str, bool) {
    if text.len() <= max {
        return (text, false);
    }

    let end = text.floor_char_boundary(max);
    let end = text[..end].rfind('\n').map_or(end, |at| at + 1);
    (&text[..end], true)
}

/// A number of bytes for people: `812 B`, `1.4 kB`.
pub(super) fn format_bytes(bytes: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", tenths(1_000)),
        _ => format!("{} MB", tenths(1_000_000)),
    }
}

/// A number with commas between its thousands.
pub(super) fn format_count(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Whether a text of a package may be a link: the address of a page, without a user's name that could look like the host.
pub(super) fn is_web_link(text: &str) -> bool {
    let rest = ["https://", "http://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    let is_odd = |c: char| c.is_whitespace() || is_hidden(c) || c == '\\';
    rest.and_then(|rest| rest.split(['/', '?', '#']).next())
        .is_some_and(|host| !host.is_empty() && !host.contains('@'))
        && !text.contains(is_odd)
}

/// `1 version`, `1,200 versions`.
pub(super) fn format_plural(count: usize, one: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{} {one}{end}", format_count(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVIL: &str = "</p><script>alert(1)</script>\" onload='x' \u{202e}\u{7}\r\nnext";

    #[test]
    fn text_never_becomes_a_tag_or_an_attribute() {
        let line = escape_html(EVIL);
        assert_eq!(
            line,
            "&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot; onload=&#39;x&#39; \\u{202e}\\u{7}  next"
        );
        assert!(escape_lines(EVIL).ends_with("\\u{7}\\u{d}\nnext"));
    }

    #[test]
    fn joiners_stay_and_hidden_characters_are_shown() {
        let family = "👨\u{200d}👩\u{200d}👧 می\u{200c}خواهم";
        assert_eq!(escape_html(family), family);
        assert_eq!(show_hidden(family), family);
        assert_eq!(show_hidden("a\u{e0041}\tb\n"), "a\\u{e0041}\tb\n");
    }

    #[test]
    fn numbers_are_for_people() {
        assert_eq!(format_count(1), "1");
        assert_eq!(format_count(100_000), "100,000");
        assert_eq!(format_plural(1, "skill"), "1 skill");
        assert_eq!(format_plural(1_200, "skill"), "1,200 skills");
        assert_eq!(format_bytes(999), "999 B");
        assert_eq!(format_bytes(1_449), "1.4 kB");
        assert_eq!(format_bytes(2_000_000), "2.0 MB");
    }

    #[test]
    fn a_cut_text_ends_with_a_whole_line_or_character() {
        assert_eq!(cut_lines("ab\ncd\n", 6), ("ab\ncd\n", false));
        assert_eq!(cut_lines("ab\ncd\n", 5), ("ab\n", true));
        assert_eq!(cut_lines("日本", 4), ("日", true));
        assert_eq!(cut_text("日本語", 2), "日本…");
        assert_eq!(cut_text("日本", 2), "日本");
    }

    #[test]
    fn a_cut_description_ends_with_a_whole_word() {
        for (text, max, cut) in [
            ("Fills forms to store them", 16, "Fills forms to…"),
            ("Fills forms to store them", 14, "Fills forms to…"),
            ("Fills forms, implements", 16, "Fills forms…"),
            ("a https://acme.dev/very/long/path", 12, "a https://ac…"),
            ("説明文です 日本語の長い文", 8, "説明文です…"),
            ("Fills forms", 11, "Fills forms"),
        ] {
            assert_eq!(cut_text(text, max), cut, "{text} {max}");
        }
    }

    #[test]
    fn code_in_a_message_is_marked_and_escaped() {
        for (message, html) in [
            ("`<b>` in `x`", "<code>&lt;b&gt;</code> in <code>x</code>"),
            ("a ` alone", "a ` alone"),
            ("`a` and ` <i>", "<code>a</code> and ` &lt;i&gt;"),
            ("none", "none"),
        ] {
            assert_eq!(mark_code(message), html);
        }
    }

    #[test]
    fn only_the_address_of_a_page_is_a_link() {
        for text in [
            "https://github.com/acme/pdf",
            "http://127.0.0.1:8080/a?b=c#d",
            "https://acme.dev/@ann",
        ] {
            assert!(is_web_link(text), "{text}");
        }
        for text in [
            "javascript:alert(1)",
            "git@github.com:acme/pdf",
            "ssh://git@acme.dev/pdf",
            "https://github.com@evil.example/",
            "https://user:secret@acme.dev",
            "https://acme.dev\\@evil.example",
            "https:///x",
            "https://",
            "//evil.example",
            "https://acme.dev/\u{202e}",
            "https://acme.dev/ x",
            "see https://acme.dev",
        ] {
            assert!(!is_web_link(text), "{text}");
        }
    }
}
