//! SK729: programs that are called as something else.

use super::rule;
use super::scan::Ledger;
use crate::lint::{Docs, Example, File, Piece, Rule};
use crate::report::Level;

const PAGE: (&str, Piece) = (
    "pdf/SKILL.md",
    Piece::Text(
        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\nFill in the form.\n",
    ),
);

pub(super) static RULE: Rule = rule(
    "SK729",
    "disguised-program",
    Level::Error,
    "a program that is called like a text, a picture or a document",
    Docs {
        finds: "A file that begins as programs for Windows, Linux and macOS (PE, ELF, Mach-O) do, and whose name ends as those of texts, \
                pictures and documents.",
        hurts: "A program that is called `logo.png` is there to be overlooked, by people and by whatever looks at names.",
        ignore: "There is no good reason for such a name.",
        bad: &[Example::files(&[PAGE, ("pdf/assets/logo.png", Piece::Bytes(b"\x7fELF\x02\x01\x01\0\0\0\0\0"))])],
        good: &[Example::files(&[PAGE, ("pdf/assets/MZ.txt", Piece::Text("MZ is how programs of Windows begin.\n"))])],
    },
);

/// How programs begin. `MZ` alone begins many a text, so a NUL must follow.
const PROGRAMS: [(&[u8], &str); 6] = [
    (b"MZ", "Windows"),
    (b"\x7fELF", "Linux"),
    (b"\xcf\xfa\xed\xfe", "macOS"),
    (b"\xce\xfa\xed\xfe", "macOS"),
    (b"\xfe\xed\xfa\xcf", "macOS"),
    (b"\xca\xfe\xba\xbe\0\0\0", "macOS"),
];

/// Endings of what people look at.
const HARMLESS: [&str; 16] = [
    "txt", "md", "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "json", "yaml", "yml", "csv", "pdf", "html", "toml",
];

/// Looks at how a file begins.
pub(super) fn scan(file: &File, ledger: &mut Ledger<'_>) {
    let (bytes, ending) = (file.head(), file.extension().to_lowercase());
    let has_nul = bytes.iter().take(64).any(|byte| *byte == 0);
    let program = PROGRAMS.iter().find(|(start, _)| has_nul && bytes.starts_with(start));
    if let Some((_, system)) = program.filter(|_| HARMLESS.contains(&ending.as_str())) {
        let found = RULE.finding(format!("is a program for {system} that is called `.{ending}`"));
        ledger.tell_as_is(&RULE, Level::Error, &file.path, || {
            found.help("take it out; somebody meant it to be overlooked")
        });
    }
}
