//! What all trees of skills have in common: skills in, one at a time, and files by path out.

use std::collections::BTreeMap;

use serde::Serialize;

use super::page::is_hidden;
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

/// A JSON file. Invisible characters are written as `\u` escapes, which mean the same.
pub(super) fn json_file(value: &impl Serialize) -> TreeFile {
    let text = serde_json::to_string_pretty(value).expect("a value is JSON");

    let mut bytes = Vec::with_capacity(text.len() + 1);
    for c in text.chars() {
        if c == '\n' || !is_hidden(c) {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            // JSON escapes are UTF-16, two units beyond the first plane.
            c.encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| bytes.extend(format!("\\u{unit:04x}").into_bytes()));
        }
    }
    bytes.push(b'\n');

    TreeFile {
        bytes,
        executable: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped_and_means_the_same() {
        let text = "a\u{1b}\u{7f}\u{202e}\u{e0041}\n日🚀";
        let file = json_file(&[text]);
        let written = String::from_utf8(file.bytes).unwrap();
        assert_eq!(
            written,
            "[\n  \"a\\u001b\\u007f\\u202e\\udb40\\udc41\\n日🚀\"\n]\n"
        );
        assert_eq!(
            serde_json::from_str::<Vec<String>>(&written).unwrap(),
            [text]
        );
    }
}
