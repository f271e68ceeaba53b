//! Reads what one skill says: of a `SKILL.md` no more than says it, and of another format its descriptor.

use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::io::skills_dir::{self, File, Held, Kind, Opened, Stamp};
use crate::package::Limits;
use crate::report::{Diagnostic, Level};
use crate::skill::formats::{self, Files, nova};
use crate::skill::{self, Format, Head, Reading};

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

/// A skill of another format.
pub(super) struct Other {
    /// Which.
    pub(super) format: Format,
    /// Of the file that describes it.
    pub(super) stamp: Stamp,
    /// What besides that shows a change.
    pub(super) also: Also,
    /// What it says.
    pub(super) reading: Reading,
}

/// What shows a change of a skill of another format, besides the stamp of the file that describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Also {
    /// Of its directory, which changes when a file comes or goes.
    directory: Stamp,
    /// Of the file that declares its tools, if it has one.
    tools: Option<Stamp>,
}

impl Also {
    /// As it is now; `None` if the directory is gone.
    pub(super) fn of(root: &Held, directory: &str) -> Option<Also> {
        let tools = root.stat(&format!("{directory}/{}", nova::TOOLS)).ok()?.map(|(_, stamp)| stamp);
        Some(Also { directory: root.directory_stamp(directory)?, tools })
    }

    /// Whether, at `now`, any later change will show.
    pub(super) fn settled(&self, now: SystemTime) -> bool {
        self.directory.settled(now) && self.tools.is_none_or(|stamp| stamp.settled(now))
    }
}

/// Reads a directory without a `SKILL.md`; `None` if it is a skill of no other format either. Links are not followed, so
/// that a descriptor that is one counts as none.
pub(super) fn other(root: &Held, path: &Path, directory: &str) -> Option<Other> {
    let kind = |name: &str| root.stat(&format!("{directory}/{name}")).ok().flatten();
    let has = |name: &str| matches!(kind(name), Some((Kind::File { .. }, _)));
    let format = formats::detect(&has).filter(|format| *format != Format::SkillMd)?;
    // The stamps are taken before anything is read, so that a later change shows.
    let (_, stamp) = kind(format.descriptor())?;
    let also = Also::of(root, directory)?;
    let base = path.join(directory);
    let read = |name: &str| {
        let read = skills_dir::read(&base.join(name), formats::DESCRIPTOR_MAX);
        read.ok().flatten().map(|(bytes, _)| bytes)
    };
    let read = formats::read(&Files { has: &has, read: &read }, directory)?;
    // What is not listed stands at the file that describes it: of instructions there is nothing to be said.
    let file = if read.skill.is_some() { format.file() } else { format.descriptor() };
    Some(Other { format, stamp, also, reading: read.about(file) })
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
        Ok(()) => Found::Skill(stamp, skill::read_briefly(scratch, directory)),
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
