//! What all trees of skills have in common: skills in, one at a time, and files by path out.

use std::collections::BTreeMap;

use serde::Serialize;

use super::page::is_hidden;
use crate::error::{Error, Result};
use crate::package::{File, SkillName, Tree};

/// Files by path, relative to the tree's root.
pub type Files = BTreeMap<String, File>;

/// A skill that is to be offered.
#[derive(Debug, Clone, Copy)]
pub struct Offered<'a> {
    /// Its name, which its `SKILL.md` must bear too.
    pub name: &'a SkillName,
    /// What it is for.
    pub description: &'a str,
    /// Its files.
    pub tree: &'a Tree,
    /// What else is known of it.
    pub about: About<'a>,
}

/// What some trees tell of a skill besides.
#[derive(Debug, Clone, Copy, Default)]
pub struct About<'a> {
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

/// A tree of skills in the making. Not all skills need to be at hand at once.
pub trait Offering {
    /// Takes a skill in, and gives its files.
    ///
    /// # Errors
    /// If the tree has a skill of that name, the skill has no `SKILL.md`, or holds what the tree cannot.
    fn add(&mut self, skill: &Offered<'_>) -> Result<Files>;

    /// Gives the files that tell of all skills, sorted by name.
    fn finish(&mut self) -> Files;
}

impl Offered<'_> {
    /// Its `SKILL.md`.
    pub(super) fn text(&self) -> Result<&[u8]> {
        self.tree.get("SKILL.md").ok_or_else(|| Error::negative(format!("`{}` has no `SKILL.md`", self.name)))
    }

    /// The paths of its files, `SKILL.md` first.
    pub(super) fn paths(&self) -> Vec<&str> {
        let others = self.tree.files().map(|(path, _)| path.as_str()).filter(|path| *path != "SKILL.md");
        std::iter::once("SKILL.md").chain(others).collect()
    }
}

/// A file of JSON. What acts on a reader without being seen stands in it as `\u` escapes, which mean the same.
pub(super) fn json(value: &impl Serialize) -> File {
    let text = serde_json::to_string_pretty(value).expect("a value is JSON");
    let mut bytes = Vec::with_capacity(text.len() + 1);
    for c in text.chars() {
        if c == '\n' || !is_hidden(c) {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| bytes.extend(format!("\\u{unit:04x}").into_bytes()));
        }
    }
    bytes.push(b'\n');
    File { bytes, executable: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped_and_means_the_same() {
        let text = "a\u{1b}\u{7f}\u{202e}\u{e0041}\n日🚀";
        let file = json(&[text]);
        let written = String::from_utf8(file.bytes).unwrap();
        assert_eq!(written, "[\n  \"a\\u001b\\u007f\\u202e\\udb40\\udc41\\n日🚀\"\n]\n");
        assert_eq!(serde_json::from_str::<Vec<String>>(&written).unwrap(), [text]);
    }
}
