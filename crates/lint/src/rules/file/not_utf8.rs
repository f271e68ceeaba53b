//! A `SKILL.md` in an encoding other than UTF-8.

use super::PAGE;
use crate::{
    ExampleFile, FileContent, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs,
    RuleExample,
};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange};
use skillpm_core::skill;

pub(super) static RULE: Rule = Rule {
    code: "SK004",
    name: "not-utf8",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Unsafely,
    summary: "`SKILL.md` is not UTF-8",
    docs: RuleDocs {
        finds: "A `SKILL.md` with bytes that are not valid UTF-8: a file in UTF-16, as some editors on Windows write \
            it, or one with letters in Latin-1 or Windows-1252.",
        hurts: "Agents read UTF-8. They reject the file, or show a replacement character for every invalid byte; the \
            reference validator crashes.",
        ignore: "Never: every editor can save files as UTF-8.",
        bad: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Bytes(
                    b"---\nname: pdf\ndescription: Fill in r\xe9sum\xe9s. Use when a form is to be filled in.\n---\n\n# PDF\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Bytes(
                    b"\xff\xfe-\0-\0-\0\n\0n\0a\0m\0e\0:\0 \0p\0d\0f\0\n\0d\0e\0s\0c\0r\0i\0p\0t\0i\0o\0n\0:\0 \0F\0i\0l\0l\0 \
                      \0f\0o\0r\0m\0s\0.\0\n\0-\0-\0-\0\n\0\n\0#\0 \0P\0D\0F\0\n\0",
                ),
            )]),
        ],
        good: &[RuleExample::page(&[("pdf/SKILL.md", ExampleFile::Text(PAGE))])],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(file) = subject.skill.skill_file() else {
        return;
    };
    let FileContent::Bytes(bytes) = &file.content else {
        return;
    };
    // The reader says where the first invalid byte is; only the fix is added here.
    for mut finding in skill::read(bytes, &subject.skill.directory).diagnostics {
        if let Some((message, changes)) = transcode(bytes) {
            finding = finding.fix(DiagnosticFix {
                // Unsafe, as the encoding is a guess: nearly every byte is valid in Windows-1252.
                applicability: FixApplicability::Unsafe,
                message: message.into(),
                changes,
            });
        }
        found.add(&file.path, finding);
    }
}

/// The edits that convert bytes to UTF-8; `None` if they are neither UTF-16 nor Windows-1252.
fn transcode(bytes: &[u8]) -> Option<(&'static str, Vec<FixChange>)> {
    match bytes {
        [0xFF, 0xFE, ..] => transcode_utf16(bytes, u16::from_le_bytes),
        [0xFE, 0xFF, ..] => transcode_utf16(bytes, u16::from_be_bytes),
        // Windows-1252 has no NUL: this is a binary file, or UTF-16 without a byte order mark.
        _ if bytes.contains(&0) => None,
        _ => Some((
            "convert the invalid bytes from Windows-1252 to UTF-8",
            decode_windows_1252(bytes)?,
        )),
    }
}

fn transcode_utf16(
    bytes: &[u8],
    unit: fn([u8; 2]) -> u16,
) -> Option<(&'static str, Vec<FixChange>)> {
    let edit = FixChange::Edit {
        span: 0..bytes.len(),
        content: decode_utf16(&bytes[2..], unit)?,
    };
    Some(("convert it from UTF-16 to UTF-8", vec![edit]))
}

/// Decodes UTF-16 without its byte order mark; `None` if it is invalid.
fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    // An odd number of bytes is not UTF-16, even with a byte order mark.
    if !bytes.len().is_multiple_of(2) {
        return None;
    }

    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).collect::<Result<_, _>>().ok()
}

/// An edit for each run of invalid UTF-8; `None` if one of its bytes is not valid Windows-1252 either.
fn decode_windows_1252(bytes: &[u8]) -> Option<Vec<FixChange>> {
    let mut changes = Vec::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        at += chunk.valid().len();
        // Only these bytes are replaced: valid UTF-8 in the same file stays as it is.
        let bad = chunk.invalid();
        if !bad.is_empty() {
            let content = bad
                .iter()
                .map(|&byte| decode_byte(byte))
                .collect::<Option<String>>()?;
            changes.push(FixChange::Edit {
                span: at..at + bad.len(),
                content,
            });
        }
        at += bad.len();
    }
    Some(changes)
}

/// Decodes a byte of Windows-1252; `None` for the five undefined ones.
///
/// See <https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT>.
fn decode_byte(byte: u8) -> Option<char> {
    /// 0x80 to 0x9F; a space for the undefined ones.
    const HIGH: &str = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";
    match byte {
        0x80..=0x9F => HIGH
            .chars()
            .nth(usize::from(byte - 0x80))
            .filter(|&c| c != ' '),
        _ => Some(char::from(byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_invalid_utf8_is_converted() {
        let (_, changes) = transcode(b"na\xefve \xc3\xa9 it\x92s").unwrap();
        let edit = |span, content: &str| FixChange::Edit {
            span,
            content: content.into(),
        };
        assert_eq!(changes, [edit(2..3, "ï"), edit(11..12, "’")]);
        assert_eq!(transcode(b"\x81"), None);
        assert_eq!(transcode(b"\xff\xfea"), None);
        assert_eq!(decode_byte(0x9f), Some('Ÿ'));
    }
}
