//! Files that cannot be reviewed before they are run or unpacked.

use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, SkillFile,
};
use skillpm_core::report::DiagnosticLevel;

pub(super) static ARCHIVE: Rule = Rule {
    code: "SK512",
    name: "opaque-archive",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "an archive in the skill",
    docs: RuleDocs {
        finds: "A file with the signature of an archive (zip, gzip, bzip2, xz, zstd, 7z, rar, tar), except documents \
            that are zip files, such as `.docx`.",
        hurts: "The content of an archive is not seen by reviews, searches and scanners, and an agent that unpacks it \
            runs unreviewed files.",
        ignore: "It is a sample for the task of the skill, such as an archive to be listed.",
        bad: &[page_and!(
            "Unpack `assets/forms.zip`.\n",
            (
                "pdf/assets/forms.zip",
                ExampleFile::Bytes(b"PK\x03\x04\x14\x00\x00\x00\x08\x00\xff")
            )
        )],
        good: &[page_and!(
            "Fill `assets/form.docx`.\n",
            (
                "pdf/assets/form.docx",
                ExampleFile::Bytes(b"PK\x03\x04\x14\x00\x00\x00\x08\x00\xff")
            )
        )],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static EXECUTABLE: Rule = Rule {
    code: "SK513",
    name: "executable-binary",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "a compiled program in the skill",
    docs: RuleDocs {
        finds: "A file with the signature of a Linux (ELF), macOS (Mach-O) or Windows (PE) program, whatever its name.",
        hurts: "A skill is instructions and scripts, which can be reviewed before they are trusted. A compiled \
            program cannot be, runs on one system only, and is a common way to spread malware in skills.",
        ignore: "Rarely: let the skill say how to install the program from where it is published.",
        bad: &[
            page_and!(
                "Run `scripts/fill`.\n",
                (
                    "pdf/scripts/fill",
                    ExampleFile::Bytes(b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00")
                )
            ),
            page_and!(
                "Run `assets/logo.png`.\n",
                (
                    "pdf/assets/logo.png",
                    ExampleFile::Bytes(b"\xcf\xfa\xed\xfe\x07\x00\x00\x01")
                )
            ),
        ],
        good: &[page_and!(
            "Show `assets/logo.png`.\n",
            (
                "pdf/assets/logo.png",
                ExampleFile::Bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
            )
        )],
    },
    check: RuleCheck::SharedWith("opaque-archive"),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    for file in &subject.skill.files {
        // By content first: a program named `logo.png` is the case to find.
        if let Some(what) = detect_program(file.head(), has_program_extension(file)) {
            let finding = EXECUTABLE.finding(format!("this is a compiled program ({what})"));
            let finding = finding.note("it cannot be reviewed before it is run");
            found.add(
                &file.path,
                finding.help("remove it, and say how to install it from where it is published"),
            );
        } else if let Some(what) = detect_archive(file.head()).filter(|_| !is_document(&file.path))
        {
            let finding = ARCHIVE.finding(format!("this is an archive ({what})"));
            let finding = finding.note("reviews and scanners do not see its content");
            found.add(
                &file.path,
                finding.help("add the files themselves to the skill"),
            );
        }
    }
}

/// Whether its extension is that of a Windows program.
fn has_program_extension(file: &SkillFile) -> bool {
    ["exe", "dll", "scr", "com"]
        .iter()
        .any(|end| file.extension().eq_ignore_ascii_case(end))
}

fn detect_program(head: &[u8], by_name: bool) -> Option<&'static str> {
    let word = |at: usize| head.get(at..at + 4);

    match head.first()? {
        0x7f if head.starts_with(b"\x7fELF") => Some("ELF, Linux"),
        0xfe | 0xce | 0xcf
            if [
                b"\xfe\xed\xfa\xce",
                b"\xfe\xed\xfa\xcf",
                b"\xce\xfa\xed\xfe",
                b"\xcf\xfa\xed\xfe",
            ]
            .iter()
            .any(|magic| head.starts_with(*magic)) =>
        {
            Some("Mach-O, macOS")
        }
        // Java class files begin the same way, with their version where this format has a small number.
        0xca if head.starts_with(b"\xca\xfe\xba\xbe")
            && word(4).is_some_and(|count| count < &[0, 0, 0, 30][..]) =>
        {
            Some("Mach-O, macOS")
        }
        // `MZ` alone can begin a text: the signature that the header points to decides.
        b'M' if head.starts_with(b"MZ") => {
            let at = word(0x3c)
                .and_then(|at| usize::try_from(u32::from_le_bytes(at.try_into().ok()?)).ok());
            let is_program = match at.and_then(word) {
                Some(magic) => magic == b"PE\0\0" || by_name,
                // The header is truncated, or points beyond the bytes read.
                None => head.contains(&0),
            };
            is_program.then_some("PE, Windows")
        }
        _ => None,
    }
}

fn detect_archive(head: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 7] = [
        (b"PK\x03\x04", "zip"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"BZh", "bzip2"),
        (b"\xfd7zXZ\0", "xz"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"Rar!\x1a\x07", "rar"),
    ];

    match head.first()? {
        b'P' | 0x1f | b'B' | 0xfd | 0x28 | b'7' | b'R' => {
            let found = MAGIC
                .iter()
                .find(|(magic, _)| head.starts_with(magic))
                .map(|(_, name)| *name);
            // `BZh` can begin a text.
            found.filter(|name| *name != "bzip2" || head.get(4..10) == Some(b"1AY&SY"))
        }
        // A tar has its signature after the first header's name, so any byte can come first.
        _ => (head.get(257..262) == Some(b"ustar")).then_some("tar"),
    }
}

/// Whether the file is a document whose format is an archive.
fn is_document(path: &str) -> bool {
    const DOCUMENTS: [&str; 18] = [
        "docx", "dotx", "docm", "xlsx", "xltx", "xlsm", "pptx", "potx", "pptm", "odt", "ods",
        "odp", "epub", "sketch", "3mf", "usdz", "kra", "vsdx",
    ];
    path.rsplit_once('.')
        .is_some_and(|(_, end)| DOCUMENTS.contains(&end.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_archives_are_recognized_by_their_signature() {
        let pe = [b"MZ".as_slice(), &[0; 0x3a], &[0x40, 0, 0, 0], b"PE\0\0"].concat();
        for (head, expected) in [
            (pe.as_slice(), Some("PE, Windows")),
            (
                b"\xca\xfe\xba\xbe\x00\x00\x00\x02\x01",
                Some("Mach-O, macOS"),
            ),
            (b"\xca\xfe\xba\xbe\x00\x00\x00\x41\x01", None),
            (
                b"MZ is how the name of a skill may begin, at any rate when it is long enough",
                None,
            ),
            (b"", None),
        ] {
            assert_eq!(detect_program(head, false), expected);
        }
        let stub = [&b"MZ"[..], &[0; 62]].concat();
        assert_eq!(
            (detect_program(&stub, false), detect_program(&stub, true)),
            (None, Some("PE, Windows"))
        );
        let tar = [&[b'a'; 257][..], b"ustar\x00"].concat();
        assert_eq!(detect_archive(&tar), Some("tar"));
        assert_eq!(detect_archive(b"\x1f\x8b\x08\x00"), Some("gzip"));
        assert_eq!(detect_archive(b"BZh is no archive"), None);
    }
}
