//! How Python, in which the official validator is written, sees characters.

use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization as _;

/// `str.strip()`: blanks of Unicode, and the four separators of ASCII.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\x1c'..='\x1f'))
}

/// `unicodedata.normalize("NFKC", text)`.
pub(super) fn nfkc(text: &str) -> String {
    text.nfkc().collect()
}

/// Whether all of `text` is `str.isalnum()` (letters and numbers of any sort, no marks) or `-`.
pub(super) fn is_letters_digits_hyphens(text: &str) -> bool {
    static OTHER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[^\p{L}\p{N}-]").expect("a valid pattern"));
    !OTHER.is_match(text)
}

/// `chr(code)`. Half a surrogate pair, which is a character to Python, is one of the last private ones here.
pub(super) fn character(code: u32) -> Option<char> {
    match code {
        0xd800..=0xdfff => char::from_u32(code - 0xd800 + 0x0010_f800),
        _ => char::from_u32(code),
    }
}

/// `repr(c)`.
pub(super) fn repr_char(c: char) -> String {
    repr(c.encode_utf8(&mut [0; 4]))
}

/// `repr(text)`, but for characters that are assigned and still not shown.
pub(super) fn repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let inner: String = text
        .chars()
        .map(|c| match c {
            '\n' => "\\n".into(),
            '\r' => "\\r".into(),
            '\t' => "\\t".into(),
            '\\' => "\\\\".into(),
            _ if c == quote => format!("\\{c}"),
            _ if !is_shown(c) && u32::from(c) < 0x100 => format!("\\x{:02x}", u32::from(c)),
            _ if !is_shown(c) && u32::from(c) < 0x1_0000 => format!("\\u{:04x}", u32::from(c)),
            _ if !is_shown(c) => format!("\\U{:08x}", u32::from(c)),
            _ => c.to_string(),
        })
        .collect();
    format!("{quote}{inner}{quote}")
}

/// Whether a character is one to be seen: neither a control nor a format character, nor a blank but for the common one.
pub(super) fn is_shown(c: char) -> bool {
    static HIDDEN: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[\p{C}\p{Z}]").expect("a valid pattern"));
    c == ' ' || (c.is_ascii() && !c.is_ascii_control()) || !HIDDEN.is_match(c.encode_utf8(&mut [0; 4]))
}
