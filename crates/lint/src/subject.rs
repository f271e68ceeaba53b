//! A skill's directory as the rules see it. Whoever lints fills it: from a disk, an archive, an editor's buffer.

use std::cell::OnceCell;

use super::markdown::Markdown;
use super::{Rule, Settings};
use crate::skill::{self, Format, Frontmatter, Reading, Skill, formats};

/// Largest file that is read as a whole, in bytes: as large as one of a package may be.
pub const FILE_MAX: u64 = 10 << 20;

/// Largest `SKILL.md` that is read as a whole.
pub const PAGE_MAX: u64 = 1 << 20;

/// Most bytes of a skill that are read; of further files only the beginning is.
pub const SKILL_MAX: u64 = 20 << 20;

/// A skill's directory.
#[derive(Debug, Clone, Default)]
pub struct SkillDir {
    /// Where it lies, as people will look for it; findings have their paths below it. Empty for the place itself.
    pub path: String,
    /// Its own name; empty where that is not known.
    pub directory: String,
    /// All below it but what belongs to another skill further down, sorted by path.
    pub files: Vec<File>,
    /// Paths of other `SKILL.md` below it, sorted.
    pub nested: Vec<String>,
}

/// One thing below a skill's directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path, relative and with `/`.
    pub path: String,
    /// What it is.
    pub content: Content,
    /// Whether it may be run.
    pub executable: bool,
}

/// What a [`File`] is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// UTF-8.
    Text(String),
    /// Anything else.
    Bytes(Vec<u8>),
    /// Too large to be read: its size, and its first bytes.
    Large(u64, Vec<u8>),
    /// A symbolic link, and where to.
    Link(String),
    /// A device, a pipe, or another thing that is no file.
    Special,
}

impl Content {
    /// The content that these bytes are.
    #[must_use]
    pub fn of(bytes: Vec<u8>) -> Self {
        String::from_utf8(bytes).map_or_else(|error| Content::Bytes(error.into_bytes()), Content::Text)
    }
}

impl File {
    /// Its text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Text(text) => Some(text),
            _ => None,
        }
    }

    /// How it begins, as far as it was read; empty for what is no file.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        match &self.content {
            Content::Text(text) => text.as_bytes(),
            Content::Bytes(bytes) | Content::Large(_, bytes) => bytes,
            Content::Link(_) | Content::Special => &[],
        }
    }

    /// Its size in bytes; 0 for what is no file.
    #[must_use]
    pub fn size(&self) -> u64 {
        match &self.content {
            Content::Text(text) => text.len() as u64,
            Content::Bytes(bytes) => bytes.len() as u64,
            Content::Large(size, _) => *size,
            Content::Link(_) | Content::Special => 0,
        }
    }

    /// The last part of its path.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit_once('/').map_or(&self.path, |(_, name)| name)
    }

    /// What follows the last dot of its name, as it is written; empty if there is none.
    #[must_use]
    pub fn extension(&self) -> &str {
        self.name().rsplit_once('.').map_or("", |(_, extension)| extension)
    }
}

impl SkillDir {
    /// The file at a path.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|at| &self.files[at])
    }

    /// The format of a skill without a `SKILL.md`, in whatever case; `None` if it has one, or is no skill.
    #[must_use]
    pub fn other(&self) -> Option<Format> {
        let is_regular = |file: &File| !matches!(file.content, Content::Link(_) | Content::Special);
        let has = |path: &str| self.file(path).is_some_and(is_regular);
        if self.page().is_some() { None } else { formats::detect(&has) }
    }

    /// The file that says what the skill is: `SKILL.md`, else one that is called so in other case.
    #[must_use]
    pub fn page(&self) -> Option<&File> {
        let any_case = || self.files.iter().find(|file| file.path.eq_ignore_ascii_case(PAGE));
        self.file(PAGE).or_else(any_case)
    }
}

/// The file that makes a directory a skill.
pub const PAGE: &str = "SKILL.md";

/// Whether a path is that of such a file, in whatever case.
#[must_use]
pub fn is_page(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case(PAGE))
}

/// A skill with all that was found out about it by reading.
pub struct Subject<'a> {
    /// Its directory.
    pub skill: &'a SkillDir,
    /// How it is to be judged.
    pub settings: &'a Settings,
    /// Its `SKILL.md`; `None` if there is none, or it is no text.
    pub page: Option<Page<'a>>,
}

impl Subject<'_> {
    /// Whether somebody sees what a rule finds in one of its files. What nobody sees is only counted, and needs no more
    /// words than one has at hand.
    #[must_use]
    pub fn tells(&self, rule: &Rule, path: &str) -> bool {
        self.settings.tells(rule, &self.skill.path, path)
    }
}

/// A `SKILL.md`, read.
pub struct Page<'a> {
    /// What it is called: `SKILL.md`, or that in other case.
    pub path: &'a str,
    /// All of its text.
    pub source: &'a str,
    /// The skill that it is and what the reader found on the way.
    pub reading: Reading,
    /// Its frontmatter with the place of everything in it; `None` if there is none that can be read.
    pub frontmatter: Option<Frontmatter<'a>>,
    body: OnceCell<Markdown<'a>>,
}

impl<'a> Page<'a> {
    /// Reads a `SKILL.md` that lies in a directory called `directory`.
    #[must_use]
    pub fn read(path: &'a str, source: &'a str, directory: &str) -> Self {
        let (reading, frontmatter) = skill::read_closely(source, directory);
        Page { path, source, reading, frontmatter, body: OnceCell::new() }
    }

    /// The skill; `None` if no agent would list it.
    #[must_use]
    pub fn skill(&self) -> Option<&Skill> {
        self.reading.skill.as_ref()
    }

    /// Where its instructions begin, in bytes; 0 without a frontmatter.
    #[must_use]
    pub fn body_start(&self) -> usize {
        self.frontmatter.as_ref().map_or(0, |found| found.fences.body_start)
    }

    /// Its instructions.
    #[must_use]
    pub fn body(&self) -> &'a str {
        &self.source[self.body_start()..]
    }

    /// Its instructions taken apart as Markdown, with places in the whole file. Done once, when first asked for.
    pub fn markdown(&self) -> &Markdown<'a> {
        self.body.get_or_init(|| Markdown::parse(self.source, self.body_start()))
    }
}
