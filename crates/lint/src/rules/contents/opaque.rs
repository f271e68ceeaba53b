//! Files that nobody can read before they are run or unpacked.

use crate::lint::{Check, Docs, File, Fixes, Found, Piece, Rule, Subject};
use crate::report::Level;

pub(super) static ARCHIVE: Rule = Rule {
    code: "SK512",
    name: "opaque-archive",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "an archive in the skill",
    docs: Docs {
        finds: "A file that begins as archives do (zip, gzip, bzip2, xz, zstd, 7z, rar, tar), but for documents that are \
                zipped by nature, such as `.docx`.",
        hurts: "What is in an archive is seen by no review, no search and no scanner of skills, and an agent that unpacks it \
                runs what nobody has looked at.",
        ignore: "It is a sample for the very work that the skill is about, such as an archive to be listed.",
        bad: &[page_and!(
            "Unpack `assets/forms.zip`.\n",
            ("pdf/assets/forms.zip", Piece::Bytes(b"PK\x03\x04\x14\x00\x00\x00\x08\x00\xff"))
        )],
        good: &[page_and!(
            "Fill `assets/form.docx`.\n",
            ("pdf/assets/form.docx", Piece::Bytes(b"PK\x03\x04\x14\x00\x00\x00\x08\x00\xff"))
        )],
    },
    check: Check::Skill(check),
};

pub(super) static EXECUTABLE: Rule = Rule {
    code: "SK513",
    name: "executable-binary",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "a compiled program in the skill",
    docs: Docs {
        finds: "A file that begins as programs of Linux (ELF), macOS (Mach-O) or Windows (PE) do, whatever it is called.",
        hurts: "A skill is instructions and scripts, which can be read before they are trusted. A compiled program cannot, runs \
                on one system only, and is what those who spread malware by skills put there.",
        ignore: "There is hardly a reason to: let the skill say how to install the program from where it is published.",
        bad: &[
            page_and!(
                "Run `scripts/fill`.\n",
                ("pdf/scripts/fill", Piece::Bytes(b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00"))
            ),
            page_and!(
                "Run `assets/logo.png`.\n",
                ("pdf/assets/logo.png", Piece::Bytes(b"\xcf\xfa\xed\xfe\x07\x00\x00\x01"))
            ),
        ],
        good: &[page_and!(
            "Show `assets/logo.png`.\n",
            ("pdf/assets/logo.png", Piece::Bytes(b"\x89PNG\r\n\x1a\n\x00\x00"))
        )],
    },
    check: Check::With("opaque-archive"),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    for file in &subject.skill.files {
        if let Some(what) = program(file.head(), is_called_program(file)) {
            let told = EXECUTABLE.finding(format!("this is a compiled program ({what})"));
            let told = told.note("nobody can see what it does before it is run");
            found.add(&file.path, told.help("take it out, and say how to install it from where it is published"));
        } else if let Some(what) = archive(file.head()).filter(|_| !is_document(&file.path)) {
            let told = ARCHIVE.finding(format!("this is an archive ({what})"));
            let told = told.note("no review and no scanner of skills sees what is in it");
            found.add(&file.path, told.help("put the files themselves into the skill"));
        }
    }
}

/// Whether its name says that it is a program of Windows.
fn is_called_program(file: &File) -> bool {
    ["exe", "dll", "scr", "com"].iter().any(|end| file.extension().eq_ignore_ascii_case(end))
}

fn program(head: &[u8], by_name: bool) -> Option<&'static str> {
    let word = |at: usize| head.get(at..at + 4);
    match head.first()? {
        0x7f if head.starts_with(b"\x7fELF") => Some("ELF, of Linux"),
        0xfe | 0xce | 0xcf
            if [b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"]
                .iter()
                .any(|magic| head.starts_with(*magic)) =>
        {
            Some("Mach-O, of macOS")
        }
        // Compiled Java begins alike, with its version where this has a small number.
        0xca if head.starts_with(b"\xca\xfe\xba\xbe") && word(4).is_some_and(|count| count < &[0, 0, 0, 30][..]) => {
            Some("Mach-O, of macOS")
        }
        b'M' if head.starts_with(b"MZ") => {
            let at = word(0x3c).and_then(|at| usize::try_from(u32::from_le_bytes(at.try_into().ok()?)).ok());
            let is_program = match at.and_then(word) {
                Some(magic) => magic == b"PE\0\0" || by_name,
                // Its head was cut off, or leads beyond what was read.
                None => head.contains(&0),
            };
            is_program.then_some("PE, of Windows")
        }
        _ => None,
    }
}

fn archive(head: &[u8]) -> Option<&'static str> {
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
            let found = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, name)| *name);
            // `BZh` can begin a text.
            found.filter(|name| *name != "bzip2" || head.get(4..10) == Some(b"1AY&SY"))
        }
        _ => (head.get(257..262) == Some(b"ustar")).then_some("tar"),
    }
}

/// Whether it is a document that is an archive inside, as its programs write it.
fn is_document(path: &str) -> bool {
    const DOCUMENTS: [&str; 18] = [
        "docx", "dotx", "docm", "xlsx", "xltx", "xlsm", "pptx", "potx", "pptm", "odt", "ods", "odp", "epub", "sketch",
        "3mf", "usdz", "kra", "vsdx",
    ];
    path.rsplit_once('.').is_some_and(|(_, end)| DOCUMENTS.contains(&end.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_archives_are_known_by_how_they_begin() {
        let pe = [b"MZ".as_slice(), &[0; 0x3a], &[0x40, 0, 0, 0], b"PE\0\0"].concat();
        for (head, expected) in [
            (pe.as_slice(), Some("PE, of Windows")),
            (b"\xca\xfe\xba\xbe\x00\x00\x00\x02\x01", Some("Mach-O, of macOS")),
            (b"\xca\xfe\xba\xbe\x00\x00\x00\x41\x01", None),
            (b"MZ is how the name of a skill may begin, at any rate when it is long enough", None),
            (b"", None),
        ] {
            assert_eq!(program(head, false), expected);
        }
        let stub = [&b"MZ"[..], &[0; 62]].concat();
        assert_eq!((program(&stub, false), program(&stub, true)), (None, Some("PE, of Windows")));
        let tar = [&[b'a'; 257][..], b"ustar\x00"].concat();
        assert_eq!(archive(&tar), Some("tar"));
        assert_eq!(archive(b"\x1f\x8b\x08\x00"), Some("gzip"));
        assert_eq!(archive(b"BZh is no archive"), None);
    }
}
