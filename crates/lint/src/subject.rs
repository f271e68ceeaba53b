//! A skill's directory as the rules see it. The caller fills it: from a disk, an archive, an editor's buffer.

use std::cell::OnceCell;

use super::markdown::MarkdownText;
use super::{LintSettings, Rule};
use skillpm_core::skill::{self, Skill, SkillFormat, SkillFrontmatter, SkillReading, formats};

/// The largest file that is read as a whole, in bytes: the limit of a file in a package.
pub const FILE_MAX: u64 = 10 << 20;

/// The largest `SKILL.md` that is read as a whole, in bytes.
pub const SKILL_FILE_MAX: u64 = 1 << 20;

/// The limit of bytes that are read of a skill; of further files only the beginning is read.
pub const SKILL_MAX: u64 = 20 << 20;

/// A skill's directory.
#[derive(Debug, Clone, Default)]
pub struct SkillDir {
    /// Its path as it is shown to users; paths of findings begin with it. Empty for the current directory.
    pub path: String,
    /// Its own name; empty if unknown.
    pub directory: String,
    /// All files in it except those of nested skills, sorted by path.
    pub files: Vec<SkillFile>,
    /// Paths of the `SKILL.md` files of nested skills, sorted.
    pub nested: Vec<String>,
}

/// A file or link in a skill's directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    /// Its path, relative and with `/`.
    pub path: String,
    /// Its content.
    pub content: FileContent,
    /// Whether it is executable.
    pub executable: bool,
}

/// The content of a [`SkillFile`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    /// UTF-8.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
    /// Too large to be read: its size, and its first bytes.
    Large(u64, Vec<u8>),
    /// A symbolic link, with its target.
    Link(String),
    /// A device, a pipe, or another special file.
    Special,
}

impl FileContent {
    /// Content from bytes: text if they are valid UTF-8.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(
            |error| FileContent::Bytes(error.into_bytes()),
            FileContent::Text,
        )
    }
}

impl SkillFile {
    /// Its text, if it is a text file.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            FileContent::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Its bytes as far as they were read; empty if it is not a regular file.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        match &self.content {
            FileContent::Text(text) => text.as_bytes(),
            FileContent::Bytes(bytes) | FileContent::Large(_, bytes) => bytes,
            FileContent::Link(_) | FileContent::Special => &[],
        }
    }

    /// Its size in bytes; 0 if it is not a regular file.
    #[must_use]
    pub fn size(&self) -> u64 {
        match &self.content {
            FileContent::Text(text) => text.len() as u64,
            FileContent::Bytes(bytes) => bytes.len() as u64,
            FileContent::Large(size, _) => *size,
            FileContent::Link(_) | FileContent::Special => 0,
        }
    }

    /// Its file name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path
            .rsplit_once('/')
            .map_or(&self.path, |(_, name)| name)
    }

    /// The text after the last dot of its name, in its original case; empty if there is none.
    #[must_use]
    pub fn extension(&self) -> &str {
        self.name()
            // A name such as `.env` is all extension, and one such as `Makefile` has none.
            .rsplit_once('.')
            .map_or("", |(_, extension)| extension)
    }
}

impl SkillDir {
    /// The file at a path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&SkillFile> {
        // Needs `files` to be sorted by path, as the field says.
        self.files
            .binary_search_by(|file| file.path.as_str().cmp(path))
            .ok()
            .map(|at| &self.files[at])
    }

    /// The format of a skill without a `SKILL.md` in any case; `None` if it has one, or is not a skill.
    #[must_use]
    pub fn other_format(&self) -> Option<SkillFormat> {
        // A link could point to anything, so its presence does not make a directory a skill.
        let is_regular =
            |file: &SkillFile| !matches!(file.content, FileContent::Link(_) | FileContent::Special);
        let has = |path: &str| self.file(path).is_some_and(is_regular);

        // A `SKILL.md` decides the format: the other files then belong to the skill.
        if self.skill_file().is_some() {
            None
        } else {
            formats::detect_format(&has)
        }
    }

    /// The file that describes the skill: `SKILL.md`, else one with this name in another case.
    #[must_use]
    pub fn skill_file(&self) -> Option<&SkillFile> {
        let any_case = || {
            self.files
                .iter()
                .find(|file| file.path.eq_ignore_ascii_case(SKILL_FILE))
        };

        // On Windows and macOS `skill.md` is the same file, so its content is linted, and its name
        // reported.
        self.file(SKILL_FILE).or_else(any_case)
    }
}

/// The file that makes a directory a skill.
pub const SKILL_FILE: &str = "SKILL.md";

/// Whether a path is that of a `SKILL.md`, in any case.
#[must_use]
pub fn is_skill_file(path: &str) -> bool {
    path.rsplit('/')
        .next()
        .is_some_and(|name| name.eq_ignore_ascii_case(SKILL_FILE))
}

/// A skill with its parsed `SKILL.md` and the settings to check it with.
pub struct LintSubject<'a> {
    /// Its directory.
    pub skill: &'a SkillDir,
    /// The settings to check it with.
    pub settings: &'a LintSettings,
    /// Its `SKILL.md`; `None` if there is none, or it is not a text file.
    pub page: Option<MarkdownPage<'a>>,
    /// Whether rules that are off run, too, as in an audit.
    pub runs_all_rules: bool,
}

impl LintSubject<'_> {
    /// Whether a rule runs on any path.
    #[must_use]
    pub fn is_enabled(&self, rule: &Rule) -> bool {
        self.runs_all_rules || self.settings.is_enabled(rule)
    }

    /// Whether findings of a rule in one of its files are shown. Findings that are not shown are only counted, so their
    /// messages need no details.
    #[must_use]
    pub fn is_reported(&self, rule: &Rule, path: &str) -> bool {
        self.settings.is_reported(rule, &self.skill.path, path)
    }
}

/// A parsed `SKILL.md`.
pub struct MarkdownPage<'a> {
    /// Its file name: `SKILL.md`, or that in another case.
    pub path: &'a str,
    /// Its whole text.
    pub source: &'a str,
    /// The skill, and the findings of the reader.
    pub reading: SkillReading,
    /// Its frontmatter with spans; `None` if there is none that can be read.
    pub frontmatter: Option<SkillFrontmatter<'a>>,
    parsed_body: OnceCell<MarkdownText<'a>>,
}

impl<'a> MarkdownPage<'a> {
    /// Reads a `SKILL.md` in a directory named `directory`.
    #[must_use]
    pub fn read(path: &'a str, source: &'a str, directory: &str) -> Self {
        // One pass gives both: rules need spans, the reader's findings need the same parse.
        let (reading, frontmatter) = skill::read_with_frontmatter(source, directory);
        MarkdownPage {
            path,
            source,
            reading,
            frontmatter,
            parsed_body: OnceCell::new(),
        }
    }

    /// The skill; `None` if no agent would list it.
    #[must_use]
    pub fn skill(&self) -> Option<&Skill> {
        self.reading.skill.as_ref()
    }

    /// Where its instructions begin, in bytes; 0 without a frontmatter.
    #[must_use]
    pub fn body_start(&self) -> usize {
        self.frontmatter
            .as_ref()
            .map_or(0, |found| found.fences.body_start)
    }

    /// Its instructions.
    #[must_use]
    pub fn body(&self) -> &'a str {
        &self.source[self.body_start()..]
    }

    /// Its instructions as Markdown, with spans of the whole file. Parsed once, on first use.
    pub fn markdown(&self) -> &MarkdownText<'a> {
        self.parsed_body
            .get_or_init(|| MarkdownText::parse(self.source, self.body_start()))
    }
}
