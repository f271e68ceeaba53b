//! Removes obfuscation: letters of other scripts that look Latin, hidden characters inside words,
//! quotes and backslashes that a shell drops, strings concatenated from pieces.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization as _;
use unicode_security::confusable_detection::skeleton;

use super::hidden::is_invisible;

/// Marks of obfuscated text, in lower case.
pub(super) const OBFUSCATION_MARKS: &[&str] = &[
    "''", "\"\"", "${ifs", "$ifs", "'+'", "\"+\"", "' + '", "\" + \"", "$@", "\\\n", "\\x", "p^o",
    "c^u", "i^e", "^s^", "^w", "c^m", "c\\url", "cu\\rl", "cur\\l", "b\\ash", "ba\\sh", "bas\\h",
    "w\\get", "wg\\et", "i`ex", "ie`x", "i`nvoke",
];

/// Whether a mark at this position is obfuscation: it is within a word.
pub(super) fn is_obfuscation(text: &str, at: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let is_letter = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_alphabetic)
    };
    match &bytes[at..end] {
        // Most escapes set colors and the like; letters need none.
        [b'\\', b'x' | b'X'] => {
            matches!(bytes.get(end..end + 2), Some([b'4'..=b'7', low]) if low.is_ascii_hexdigit())
        }
        [b'$', b'i' | b'I' | b'{', ..] => true,
        [b'\'' | b'"', .., b'\'' | b'"'] if end - at > 2 => {
            is_quoted_piece(bytes[..at].iter().rev(), bytes[at])
                && is_quoted_piece(bytes[end..].iter(), bytes[at])
        }
        [b'\'' | b'"', ..] | [b'$', b'@'] | [b'\\', b'\n'] => {
            is_letter(at.checked_sub(1)) && is_letter(Some(end))
        }
        _ => true,
    }
}

/// Whether a few letters come next, and then a quote: a piece of a word.
fn is_quoted_piece<'b>(bytes: impl Iterator<Item = &'b u8>, quote: u8) -> bool {
    let piece: Vec<u8> = bytes
        .take(7)
        .copied()
        .take_while(|byte| *byte != quote)
        .collect();
    (1..7).contains(&piece.len())
        && piece
            .iter()
            .all(|byte| byte.is_ascii_alphabetic() || b":/.".contains(byte))
}

/// Returns the Latin letter or digit that a character looks like; `None` if it is ASCII itself, or
/// looks like none.
pub(super) fn to_latin(c: char) -> Option<char> {
    // Greek and Cyrillic, Cherokee, and the symbols that are like letters.
    const RANGES: [RangeInclusive<char>; 3] = [
        '\u{370}'..='\u{52f}',
        '\u{13a0}'..='\u{13f4}',
        '\u{2100}'..='\u{218f}',
    ];
    static KNOWN: LazyLock<HashMap<char, Option<char>>> = LazyLock::new(|| {
        let chars = RANGES.into_iter().flatten();
        chars.map(|c| (c, find_latin(c))).collect()
    });

    if c.is_ascii() {
        return None;
    }
    KNOWN.get(&c).copied().unwrap_or_else(|| find_latin(c))
}

fn find_latin(c: char) -> Option<char> {
    let single = |mut chars: Box<dyn Iterator<Item = char> + '_>| {
        let first = chars.next()?;
        (chars.next().is_none() && first.is_ascii_alphanumeric()).then_some(first)
    };

    let text = c.to_string();
    // Lower case first: `І` looks like `l` and is meant as `I`.
    single(Box::new(text.nfkc())).or_else(|| single(Box::new(skeleton(&text))))
}

/// Returns a text without its obfuscation, and the position of each of its bytes in the file.
pub(super) fn deobfuscate(text: &str) -> (String, Vec<u32>) {
    let mut plain = MappedText::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < text.len() {
        let same = bytes[at..]
            .iter()
            .take_while(|byte| is_literal_byte(**byte))
            .count();
        plain.push_str(&text[at..at + same], at);
        at += same;

        let Some(c) = text[at..].chars().next() else {
            break;
        };
        let width = c.len_utf8();
        if let Some((skipped, instead)) = obfuscated_piece(text, at) {
            if let Some(instead) = instead {
                plain.push(instead, at);
            }
            at += skipped;
        } else if is_invisible(c) {
            at += width;
        } else {
            let latin = if bytes[at].is_ascii() {
                None
            } else {
                to_latin(c)
            };
            plain.push(latin.unwrap_or(c), at);
            at += width;
        }
    }

    (plain.text, plain.map)
}

/// Whether a byte is literal, whatever follows: it does not begin an [`obfuscated_piece`], or a
/// character beyond ASCII.
fn is_literal_byte(byte: u8) -> bool {
    byte.is_ascii() && !matches!(byte, b'\\' | b'$' | b'\'' | b'"' | b'^' | b'`')
}

/// A text derived from another.
pub(super) struct MappedText {
    pub(super) text: String,
    /// The position of each of its bytes in the other text.
    pub(super) map: Vec<u32>,
}

impl MappedText {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        MappedText {
            text: String::with_capacity(bytes),
            map: Vec::with_capacity(bytes),
        }
    }

    /// Appends some bytes as they are.
    pub(super) fn push_str(&mut self, text: &str, at: usize) {
        self.text.push_str(text);
        // Files are smaller than 4 GiB, so that the range is one of `u32`, which is filled at once.
        let place = |at| u32::try_from(at).unwrap_or(u32::MAX);
        self.map.extend(place(at)..place(at + text.len()));
    }

    pub(super) fn push(&mut self, c: char, at: usize) {
        self.text.push(c);
        for byte in 0..c.len_utf8() {
            self.map.push(u32::try_from(at + byte).unwrap_or(u32::MAX));
        }
    }
}

/// Returns the obfuscated piece at this position: its length, and the character it encodes.
fn obfuscated_piece(text: &str, at: usize) -> Option<(usize, Option<char>)> {
    let bytes = text.as_bytes();
    let in_word = |length: usize| is_within_word(bytes, at..at + length);

    match &bytes[at..] {
        [b'\\', b'x' | b'X', digits @ ..] => decode_hex_escape(digits),
        // A shell drops empty quotes and `$@` within a word: `cu''rl`.
        [b'\'', b'\'', ..] | [b'"', b'"', ..] | [b'$', b'@' | b'*', ..] if in_word(2) => {
            Some((2, None))
        }
        [b'$', name @ ..] => field_separator_length(name).map(|length| (1 + length, Some(' '))),
        // `'cu'+'rl'`: a concatenation in code.
        [b'\'', b'+', b'\'', ..] | [b'"', b'+', b'"', ..] => Some((3, None)),
        [b'\'', b' ', b'+', b' ', b'\'', ..] | [b'"', b' ', b'+', b' ', b'"', ..] => {
            Some((5, None))
        }
        // A line that continues in the middle of a word.
        [b'\\', b'\n', ..] if in_word(2) => Some((2, None)),
        // The escape characters of sh, cmd and PowerShell, before a letter that needs none.
        [b'\\' | b'^' | b'`', ..] if in_word(1) => Some((1, None)),
        _ => None,
    }
}

/// Whether letters are on both sides of a span.
fn is_within_word(bytes: &[u8], span: Range<usize>) -> bool {
    let is_letter = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
    span.start.checked_sub(1).is_some_and(is_letter) && is_letter(span.end)
}

/// Decodes `\x63`, a letter by its number, from its digits.
fn decode_hex_escape(digits: &[u8]) -> Option<(usize, Option<char>)> {
    let [high, low, ..] = digits else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?;
    (byte.is_ascii_graphic() || byte == b' ').then_some((4, Some(char::from(byte))))
}

/// Returns the length of a variable that is a space to a shell, `{IFS}` or `IFS`, after its `$`.
fn field_separator_length(name: &[u8]) -> Option<usize> {
    let starts = |text: &[u8]| text.len() > 3 && text[..3].eq_ignore_ascii_case(b"ifs");
    match name {
        [b'{', inner @ ..] if starts(inner) => {
            let end = inner.iter().take(16).position(|byte| *byte == b'}')?;
            Some(end + 2)
        }
        // `$IFS$9`, which some shells need before a letter, is read as `$IFS` and its digits.
        name if starts(name) => {
            let digits = name[3..]
                .iter()
                .take_while(|byte| byte.is_ascii_digit())
                .count();
            Some(3 + digits)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn obfuscated_text_is_restored_with_its_positions() {
        for (text, wanted) in [
            ("cu''rl | ba\"\"sh", "curl | bash"),
            ("c\\url${IFS}x|b\\ash", "curl x|bash"),
            ("cu\\\nrl$IFS$9x", "curl $9x"),
            ("'cu'+'rl'", "'curl'"),
            ("ign\u{43e}re previ\u{200b}ous", "ignore previous"),
            ("ｃｕｒｌ 𝗂𝗀𝗇𝗈𝗋𝖾", "curl ignore"),
            ("p^owers^hell", "powershell"),
            ("\\x63\\x75rl", "curl"),
        ] {
            let (plain, map) = deobfuscate(text);
            assert_eq!(plain, wanted, "{text}");
            assert_eq!(plain.len(), map.len());
            assert!(map.is_sorted() && map.iter().all(|at| (*at as usize) < text.len()));
        }
    }
}
