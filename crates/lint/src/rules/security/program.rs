//! SK729: executables with a harmless file extension.

use super::rule;
use super::sink::FindingSink;
use crate::{ExampleFile, Rule, RuleDocs, RuleExample, SkillFile};
use skillpm_core::report::DiagnosticLevel;

const PAGE: (&str, ExampleFile) = (
    "pdf/SKILL.md",
    ExampleFile::Text(
        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\nFill in the form.\n",
    ),
);

pub(super) static RULE: Rule = rule(
    "SK729",
    "disguised-program",
    DiagnosticLevel::Error,
    "an executable with the file extension of a text, an image or a document",
    RuleDocs {
        finds: "A file that begins as executables for Windows, Linux and macOS (PE, ELF, Mach-O) \
               do, and whose name has the extension of a text, an image or a document.",
        hurts: "An executable named `logo.png` is meant to be overlooked, by people and by tools \
               that check file names.",
        ignore: "Never: there is no legitimate reason for such a name.",
        bad: &[RuleExample::files(&[
            PAGE,
            (
                "pdf/assets/logo.png",
                ExampleFile::Bytes(b"\x7fELF\x02\x01\x01\0\0\0\0\0"),
            ),
        ])],
        good: &[RuleExample::files(&[
            PAGE,
            (
                "pdf/assets/MZ.txt",
                ExampleFile::Text("MZ is how programs of Windows begin.\n"),
            ),
        ])],
    },
);

/// Magic numbers of executables. Many texts begin with `MZ`, so a NUL must follow.
const PROGRAMS: [(&[u8], &str); 6] = [
    (b"MZ", "Windows"),
    (b"\x7fELF", "Linux"),
    (b"\xcf\xfa\xed\xfe", "macOS"),
    (b"\xce\xfa\xed\xfe", "macOS"),
    (b"\xfe\xed\xfa\xcf", "macOS"),
    (b"\xca\xfe\xba\xbe\0\0\0", "macOS"),
];

/// File extensions of texts, images and documents.
const HARMLESS: [&str; 16] = [
    "txt", "md", "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "json", "yaml", "yml", "csv",
    "pdf", "html", "toml",
];

/// Checks the first bytes of a file.
pub(super) fn scan(file: &SkillFile, sink: &mut FindingSink<'_>) {
    let (bytes, ending) = (file.head(), file.extension().to_lowercase());
    // Headers of executables have zeros early; no text has.
    let has_nul = bytes.iter().take(64).any(|byte| *byte == 0);
    let program = PROGRAMS
        .iter()
        .find(|(start, _)| has_nul && bytes.starts_with(start));

    if let Some((_, system)) = program.filter(|_| HARMLESS.contains(&ending.as_str())) {
        let found = RULE.finding(format!(
            "executable for {system} with the file extension `.{ending}`"
        ));
        sink.report_as_is(&RULE, DiagnosticLevel::Error, &file.path, || {
            found.help("remove the file: its name hides that it is a program")
        });
    }
}
