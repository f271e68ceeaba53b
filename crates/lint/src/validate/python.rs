//! Character functions of Python, in which the official validator is written.

use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization as _;

/// `str.strip()`: Unicode whitespace, and the four ASCII separators.
pub(super) fn strip(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\x1c'..='\x1f'))
}

/// `unicodedata.normalize("NFKC", text)`.
pub(super) fn nfkc(text: &str) -> String {
    text.nfkc().collect()
}

/// Whether each character of `text` is `str.isalnum()` (any letter or number, no marks) or `-`.
pub(super) fn is_letters_digits_hyphens(text: &str) -> bool {
    static OTHER: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[^\p{L}\p{N}-]").expect("the regular expression is valid"));
    !OTHER.is_match(text)
}

/// `chr(code)`. Half a surrogate pair, which is a character in Python, is mapped to one of the last private-use ones.
pub(super) fn character(code: u32) -> Option<char> {
    match code {
        // Rust has no such character, and the verdict needs only one that is not equal to any
        // other.
        0xd800..=0xdfff => char::from_u32(code - 0xd800 + 0x0010_f800),
        _ => char::from_u32(code),
    }
}

/// `repr(c)`.
pub(super) fn repr_char(c: char) -> String {
    repr(c.encode_utf8(&mut [0; 4]))
}

/// `repr(text)`, except for assigned characters that Python does not print.
pub(super) fn repr(text: &str) -> String {
    // Python prefers single quotes, and the message is compared with the validator's.
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };

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

/// Whether a character is printable: not a control or format character, and no space other than U+0020.
pub(super) fn is_shown(c: char) -> bool {
    static HIDDEN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[\p{C}\p{Z}]").expect("the regular expression is valid"));
    c == ' '
        || (c.is_ascii() && !c.is_ascii_control())
        || !HIDDEN.is_match(c.encode_utf8(&mut [0; 4]))
}
