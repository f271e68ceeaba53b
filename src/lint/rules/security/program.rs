//! SK729: files that a machine runs and nobody reads.

use super::rule;
use super::scan::Ledger;
use crate::lint::{Content, Docs, Example, File, Piece, Rule};
use crate::report::Level;

const PAGE: (&str, Piece) = (
    "pdf/SKILL.md",
    Piece::Text(
        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\nFill in the form.\n",
    ),
);

pub(super) static RULE: Rule = rule(
    "SK729",
    "compiled-program",
    Level::Warning,
    "a file is a program that nobody can read",
    Docs {
        finds: "Programs for Windows, Linux and macOS (PE, ELF, Mach-O), by how the file begins and not by its name. An error if the name \
                is that of a text, a picture or a document; a note for packed archives (zip, gzip, 7z, rar), of which nothing is looked at.",
        hurts: "Nobody who reviews the skill sees what it does, and no rule looks into it. One that is called `logo.png` is there to be \
                overlooked.",
        ignore: "Tools that cannot be had otherwise. Name where they come from, and prefer a package manager's package.",
        bad: &[Example::files(&[PAGE, ("pdf/bin/fill.exe", Piece::Bytes(b"MZ\0\0\x01\0\0\0\x04\0\0\0\xff\xff\0\0"))])],
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

/// How archives begin.
const ARCHIVES: [&[u8]; 4] = [b"PK\x03\x04", b"\x1f\x8b\x08", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07"];

/// Endings of what people look at.
const HARMLESS: [&str; 16] = [
    "txt", "md", "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "json", "yaml", "yml", "csv", "pdf", "html", "toml",
];

/// Archives that are documents, by their endings.
const DOCUMENTS: [&str; 8] = ["docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "jar"];

/// Looks at how a file begins.
pub(super) fn scan(file: &File, ledger: &mut Ledger<'_>) {
    let bytes = match &file.content {
        Content::Text(text) => text.as_bytes(),
        Content::Bytes(bytes) | Content::Large(_, bytes) => bytes,
        Content::Link(_) | Content::Special => return,
    };
    let ending = file.path.rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_lowercase());
    let has_nul = bytes.iter().take(64).any(|byte| *byte == 0);
    let program = PROGRAMS.iter().find(|(start, _)| has_nul && bytes.starts_with(start));
    let (level, message) = match program {
        Some((_, system)) if HARMLESS.contains(&ending.as_str()) => {
            (Level::Error, format!("is a program for {system} that is called `.{ending}`"))
        }
        Some((_, system)) => (Level::Warning, format!("is a program for {system}, which nobody can read")),
        None if ARCHIVES.iter().any(|start| bytes.starts_with(start)) && !DOCUMENTS.contains(&ending.as_str()) => {
            (Level::Note, "is a packed archive: what is in it was not looked at".to_owned())
        }
        None => return,
    };
    let mut diagnostic = RULE.finding(message);
    diagnostic.level = level;
    ledger.tell_as_is(&file.path, diagnostic.help("put in what it is made of, or name a package manager's package"));
}
