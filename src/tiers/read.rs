//! Reads what one `SKILL.md` says, and no more of the file than says it.

use std::io::{self, Read};

use crate::error::Error;
use crate::io::skills_dir::{File, Held, Opened, Stamp};
use crate::package::Limits;
use crate::report::{Diagnostic, Level};
use crate::skill::{self, Head, Reading};

/// How much is read at first; the frontmatter of nearly every skill ends before.
const HEAD: u64 = 4096;

/// What lies where a `SKILL.md` is looked for.
#[expect(clippy::large_enum_variant, reason = "one at a time, and nearly always the large one")]
pub(super) enum Found {
    /// A file, its stamp, and what it says.
    Skill(Stamp, Reading),
    /// Nothing of that very name.
    Nothing,
    /// Something that is not read.
    Refused(Diagnostic),
}

/// Reads the frontmatter of the `SKILL.md` in a directory of that name below `root`. `scratch` is room to read into, so
/// that not every file takes new.
pub(super) fn skill_md(root: &Held, directory: &str, scratch: &mut Vec<u8>) -> Found {
    let refused = |rule: &str, message: String| Found::Refused(Diagnostic::new(rule, Level::Error, message));
    let unreadable = |error: &Error| {
        let causes = error.causes().join(": ");
        refused("skill-md-unreadable", format!("`SKILL.md` could not be read: {causes}"))
    };
    let (mut file, stamp) = match root.open_file(&format!("{directory}/SKILL.md")) {
        Ok(Opened::File(file, stamp)) => (file, stamp),
        Ok(Opened::Nothing) => return Found::Nothing,
        Ok(Opened::Link) => {
            let message = "`SKILL.md` is a link, which several agents do not follow";
            let refused = Diagnostic::new("skill-md-link", Level::Error, message);
            return Found::Refused(refused.help("put the file itself in its place"));
        }
        Ok(Opened::Other) => return refused("skill-md-unreadable", "`SKILL.md` is not a regular file".into()),
        Err(error) => return unreadable(&error),
    };
    match head(&mut file, stamp.size(), scratch) {
        Ok(()) => Found::Skill(stamp, skill::read(scratch, directory)),
        Err(error) => unreadable(&Error::disk("").cause(error.to_string())),
    }
}

/// Reads the file from its start to the end of its frontmatter; the whole of it if it has none that an agent would find.
fn head(file: &mut File, size: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let most = size.min(Limits::default().skill_md);
    let mut wanted = HEAD.min(most);
    bytes.clear();
    loop {
        file.take(wanted - bytes.len() as u64).read_to_end(bytes)?;
        let ended = (bytes.len() as u64) < wanted || wanted == most;
        match skill::head(bytes) {
            Head::Whole(end) => bytes.truncate(end),
            Head::Cut if !ended => {
                wanted = (wanted * 4).min(most);
                continue;
            }
            Head::Absent if !ended => {
                wanted = most;
                continue;
            }
            Head::Cut | Head::Absent if most < size => bytes.truncate(whole_characters(bytes)),
            Head::Cut | Head::Absent => {}
        }
        return Ok(());
    }
}

/// Where `bytes` end without a last character that is cut through.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_frontmatter_is_read_however_long_it_is() {
        let dir = tempfile::tempdir().unwrap();
        for filler in [10, 5_000, 20_000] {
            let matter = format!("---\nname: a\n# {}\n---\n", "é".repeat(filler));
            let path = dir.path().join("SKILL.md");
            std::fs::write(&path, format!("{matter}{}", "body\n".repeat(4_000))).unwrap();
            let mut file = File::open(&path).unwrap();
            let size = file.metadata().unwrap().len();
            let mut bytes = b"left from before".to_vec();
            head(&mut file, size, &mut bytes).unwrap();
            assert_eq!(bytes, matter.as_bytes(), "{filler}");
        }
    }

    #[test]
    fn a_file_without_frontmatter_is_read_to_the_limit_and_not_into_a_character() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("SKILL.md");
        std::fs::write(&path, format!("x{}", "é".repeat(1 << 20))).unwrap();
        let mut bytes = Vec::new();
        head(&mut File::open(&path).unwrap(), (2 << 20) + 1, &mut bytes).unwrap();
        assert_eq!(std::str::from_utf8(&bytes).unwrap().len(), (1 << 20) - 1);
    }
}
