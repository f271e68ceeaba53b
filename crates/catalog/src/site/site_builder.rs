//! What all trees of skills have in common: skills in, one at a time, and files by path out.

use std::collections::BTreeMap;

use skillpm_core::error::{Error, Result};
use skillpm_core::package::{SkillName, Tree, TreeFile};

/// Files by path, relative to the tree's root.
pub type SiteFiles = BTreeMap<String, TreeFile>;

/// A skill that is to be offered.
#[derive(Debug, Clone, Copy)]
pub struct OfferedSkill<'a> {
    /// Its name, which its `SKILL.md` must bear too.
    pub name: &'a SkillName,
    /// What it is for.
    pub description: &'a str,
    /// Its files.
    pub tree: &'a Tree,
    /// What else is known of it.
    pub metadata: OfferedMetadata<'a>,
}

/// Additional metadata of a skill for some trees.
#[derive(Debug, Clone, Copy, Default)]
pub struct OfferedMetadata<'a> {
    /// Its version, as written.
    pub version: Option<&'a str>,
    /// Who wrote it.
    pub author: Option<&'a str>,
    /// Its licence.
    pub license: Option<&'a str>,
    /// Its page.
    pub homepage: Option<&'a str>,
    /// Words to find it by.
    pub keywords: &'a [Box<str>],
}

/// A tree of skills under construction. Not all skills need to be in memory at once.
pub trait SiteBuilder {
    /// Takes a skill in, and gives its files.
    ///
    /// # Errors
    /// If the tree has a skill of that name, the skill has no `SKILL.md`, or its files are not supported by the tree.
    fn add(&mut self, skill: &OfferedSkill<'_>) -> Result<SiteFiles>;

    /// Returns the files that list all skills, sorted by name.
    fn finish(&mut self) -> SiteFiles;
}

impl OfferedSkill<'_> {
    /// Its `SKILL.md`.
    pub(super) fn skill_md(&self) -> Result<&[u8]> {
        self.tree
            .get("SKILL.md")
            .ok_or_else(|| Error::negative(format!("`{}` has no `SKILL.md`", self.name)))
    }

    /// The paths of its files, `SKILL.md` first.
    pub(super) fn file_paths(&self) -> Vec<&str> {
        let others = self
            .tree
            .files()
            .map(|(path, _)| path.as_str())
            .filter(|path| *path != "SKILL.md");
        std::iter::once("SKILL.md").chain(others).collect()
    }
}
