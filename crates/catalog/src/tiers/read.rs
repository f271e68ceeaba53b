//! Reads the metadata of one skill: the frontmatter of a `SKILL.md`, or the descriptor of another format.

use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use skillpm_core::error::Error;
use skillpm_core::package::TreeLimits;
use skillpm_core::report::{Diagnostic, DiagnosticLevel};
use skillpm_core::skill::formats::{self, DirectoryFiles, nova};
use skillpm_core::skill::{self, FrontmatterHead, SkillFormat, SkillReading};
use skillpm_io::skills_dir::{self, DirectoryHandle, File, FileStamp, OpenedFile, PathKind};

/// How much is read at first; the frontmatter of nearly every skill ends before.
const FIRST_READ: u64 = 4096;

/// The entry at the path of a `SKILL.md`.
#[expect(
    clippy::large_enum_variant,
    reason = "one at a time, and nearly always the large one"
)]
pub(super) enum SkillMdRead {
    /// A file, its stamp, and what it says.
    Skill(FileStamp, SkillReading),
    /// Nothing of that very name.
    Nothing,
    /// Something that is not read.
    Refused(Diagnostic),
}

/// A skill of another format.
pub(super) struct OtherFormatSkill {
    /// Which.
    pub(super) format: SkillFormat,
    /// Of the file that describes it.
    pub(super) stamp: FileStamp,
    /// What besides that shows a change.
    pub(super) also: FormatStamps,
    /// What it says.
    pub(super) reading: SkillReading,
}

/// What shows a change of a skill of another format, besides the stamp of the file that describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FormatStamps {
    /// Of its directory, which changes when a file comes or goes.
    directory: FileStamp,
    /// Of the file that declares its tools, if it has one.
    tools: Option<FileStamp>,
}

impl FormatStamps {
    /// As it is now; `None` if the directory is gone.
    pub(super) fn read(root: &DirectoryHandle, directory: &str) -> Option<FormatStamps> {
        let tools = root
            .stat(&format!("{directory}/{}", nova::TOOLS))
            .ok()?
            .map(|(_, stamp)| stamp);

        Some(FormatStamps {
            directory: root.directory_stamp(directory)?,
            tools,
        })
    }

    /// Whether, at `now`, any later change will show.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        self.directory.is_settled(now) && self.tools.is_none_or(|stamp| stamp.is_settled(now))
    }
}

/// Reads a directory without a `SKILL.md`; `None` if it is a skill of no other format either. Links are not followed, so
/// that a descriptor that is one counts as none.
pub(super) fn read_other_format(
    root: &DirectoryHandle,
    path: &Path,
    directory: &str,
) -> Option<OtherFormatSkill> {
    let kind = |name: &str| root.stat(&format!("{directory}/{name}")).ok().flatten();
    let has = |name: &str| matches!(kind(name), Some((PathKind::File, _)));
    let format = formats::detect_format(&has).filter(|format| *format != SkillFormat::SkillMd)?;

    // The stamps are taken before anything is read, so that a later change shows.
    let (_, stamp) = kind(format.descriptor())?;
    let also = FormatStamps::read(root, directory)?;

    let base = path.join(directory);
    // A file that cannot be read counts as missing: the format then reports what it lacks.
    let read = |name: &str| {
        let read = skills_dir::read_file(&base.join(name), formats::DESCRIPTOR_MAX);
        read.ok().flatten().map(|(bytes, _)| bytes)
    };

    let read = formats::read(
        &DirectoryFiles {
            has: &has,
            read: &read,
        },
        directory,
    )?;

    // An unlisted skill is located at its descriptor: it has no instructions.
    let file = if read.skill.is_some() {
        format.file()
    } else {
        format.descriptor()
    };

    Some(OtherFormatSkill {
        format,
        stamp,
        also,
        reading: read.into_file_reading(file),
    })
}

/// Reads the frontmatter of the `SKILL.md` in a directory of that name below `root`. `scratch` is a reusable buffer, so
/// that not every file takes new.
pub(super) fn read_skill_md(
    root: &DirectoryHandle,
    directory: &str,
    scratch: &mut Vec<u8>,
) -> SkillMdRead {
    let (mut file, stamp) = match root.open_file(&format!("{directory}/SKILL.md")) {
        Ok(OpenedFile::File(file, stamp)) => (file, stamp),
        Ok(OpenedFile::Nothing) => return SkillMdRead::Nothing,
        // Several agents skip links, so that the skill would be there for some and not for others.
        Ok(OpenedFile::Link) => {
            let message = "`SKILL.md` is a symbolic link, which several agents do not follow";
            let refused = Diagnostic::new("skill-md-link", DiagnosticLevel::Error, message);
            return SkillMdRead::Refused(refused.help("replace the link with the file itself"));
        }
        Ok(OpenedFile::Other) => {
            return refuse_unreadable("`SKILL.md` is not a regular file");
        }
        Err(error) => return refuse_unreadable(&read_failure(&error)),
    };

    match read_head(&mut file, stamp.size(), scratch) {
        Ok(()) => SkillMdRead::Skill(stamp, skill::read_without_json(scratch, directory)),
        Err(error) => {
            let error = Error::disk("").cause(error.to_string());
            refuse_unreadable(&read_failure(&error))
        }
    }
}

fn refuse_unreadable(message: &str) -> SkillMdRead {
    SkillMdRead::Refused(Diagnostic::new(
        "skill-md-unreadable",
        DiagnosticLevel::Error,
        message,
    ))
}

fn read_failure(error: &Error) -> String {
    let causes = error.causes().join(": ");
    format!("failed to read `SKILL.md`: {causes}")
}

/// Reads the file from its start to the end of its frontmatter; the whole of it if it has none that an agent would find.
fn read_head(file: &mut File, size: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    let most = size.min(TreeLimits::default().skill_md);
    // The instructions are not read here: a catalog of many skills needs the frontmatter alone.
    let mut wanted = FIRST_READ.min(most);
    bytes.clear();

    loop {
        file.take(wanted - bytes.len() as u64).read_to_end(bytes)?;
        // A short read is the end of the file, whatever its size was before.
        let ended = (bytes.len() as u64) < wanted || wanted == most;

        match skill::scan_head(bytes) {
            FrontmatterHead::Complete(end) => bytes.truncate(end),
            // Frontmatter that is longer than the first read is rare, so the steps grow fast.
            FrontmatterHead::Incomplete if !ended => {
                wanted = (wanted * 4).min(most);
                continue;
            }
            // Nothing so far, but what an agent would find may still come: read all of it.
            FrontmatterHead::Absent if !ended => {
                wanted = most;
                continue;
            }
            // Cut by our own limit: half a character at the end must not look like bad UTF-8.
            FrontmatterHead::Incomplete | FrontmatterHead::Absent if most < size => {
                bytes.truncate(whole_chars_end(bytes));
            }
            FrontmatterHead::Incomplete | FrontmatterHead::Absent => {}
        }

        return Ok(());
    }
}

/// Where `bytes` end without a last character that is cut through.
fn whole_chars_end(bytes: &[u8]) -> usize {
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
            read_head(&mut file, size, &mut bytes).unwrap();
            assert_eq!(bytes, matter.as_bytes(), "{filler}");
        }
    }

    #[test]
    fn a_file_without_frontmatter_is_read_to_the_limit_and_not_into_a_character() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("SKILL.md");
        std::fs::write(&path, format!("x{}", "é".repeat(1 << 20))).unwrap();
        let mut bytes = Vec::new();
        read_head(&mut File::open(&path).unwrap(), (2 << 20) + 1, &mut bytes).unwrap();
        assert_eq!(std::str::from_utf8(&bytes).unwrap().len(), (1 << 20) - 1);
    }
}
