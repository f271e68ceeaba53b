//! A file in another encoding than UTF-8.

use super::PAGE;
use crate::lint::{Check, Content, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::{Applicability, Change, Fix, Level};
use crate::skill;

pub(super) static RULE: Rule = Rule {
    code: "SK004",
    name: "not-utf8",
    level: Some(Level::Error),
    fix: Fixes::Unsafely,
    summary: "`SKILL.md` is not UTF-8",
    docs: Docs {
        finds: "A `SKILL.md` with bytes that are no UTF-8: a file in UTF-16, as some editors on Windows write it, or one \
                with letters in Latin-1 or Windows-1252.",
        hurts: "Agents read UTF-8. They refuse the file, or show a replacement character for every byte that they cannot \
                read; the reference validator crashes.",
        ignore: "Never: every editor can save UTF-8.",
        bad: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Bytes(
                    b"---\nname: pdf\ndescription: Fill in r\xe9sum\xe9s. Use when a form is to be filled in.\n---\n\n# PDF\n",
                ),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Bytes(
                    b"\xff\xfe-\0-\0-\0\n\0n\0a\0m\0e\0:\0 \0p\0d\0f\0\n\0d\0e\0s\0c\0r\0i\0p\0t\0i\0o\0n\0:\0 \0F\0i\0l\0l\0 \
                      \0f\0o\0r\0m\0s\0.\0\n\0-\0-\0-\0\n\0\n\0#\0 \0P\0D\0F\0\n\0",
                ),
            )]),
        ],
        good: &[Example::page(&[("pdf/SKILL.md", Piece::Text(PAGE))])],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(file) = subject.skill.page() else { return };
    let Content::Bytes(bytes) = &file.content else { return };
    for mut finding in skill::read(bytes, &subject.skill.directory).diagnostics {
        if let Some((message, changes)) = transcode(bytes) {
            finding = finding.fix(Fix { applicability: Applicability::Unsafe, message: message.into(), changes });
        }
        found.add(&file.path, finding);
    }
}

/// The edits that make UTF-8 of these bytes; `None` if they are neither UTF-16 nor Windows-1252.
fn transcode(bytes: &[u8]) -> Option<(&'static str, Vec<Change>)> {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        let text: String = char::decode_utf16(units).collect::<Result<_, _>>().ok()?;
        let is_whole = rest.len().is_multiple_of(2);
        let whole = Change::Edit { span: 0..bytes.len(), content: text };
        is_whole.then(|| ("write it in UTF-8 instead of UTF-16", vec![whole]))
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ if bytes.contains(&0) => None,
        _ => Some(("read the bytes that are no UTF-8 as Windows-1252", windows_1252(bytes)?)),
    }
}

/// An edit for each run of bytes that is no UTF-8; `None` if one of them is no Windows-1252 either.
fn windows_1252(bytes: &[u8]) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        at += chunk.valid().len();
        let bad = chunk.invalid();
        if !bad.is_empty() {
            let content = bad.iter().map(|&byte| character(byte)).collect::<Option<String>>()?;
            changes.push(Change::Edit { span: at..at + bad.len(), content });
        }
        at += bad.len();
    }
    Some(changes)
}

/// The character that a byte is in Windows-1252; `None` for the five that are none.
///
/// See <https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT>.
fn character(byte: u8) -> Option<char> {
    /// 0x80 to 0x9F; a blank for none.
    const HIGH: &str = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";
    match byte {
        0x80..=0x9F => HIGH.chars().nth(usize::from(byte - 0x80)).filter(|&c| c != ' '),
        _ => Some(char::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_bytes_that_are_no_utf_8_are_read_otherwise() {
        let (_, changes) = transcode(b"na\xefve \xc3\xa9 it\x92s").unwrap();
        let edit = |span, content: &str| Change::Edit { span, content: content.into() };
        assert_eq!(changes, [edit(2..3, "ï"), edit(11..12, "’")]);
        assert_eq!(transcode(b"\x81"), None);
        assert_eq!(transcode(b"\xff\xfea"), None);
        assert_eq!(character(0x9f), Some('Ÿ'));
    }
}
