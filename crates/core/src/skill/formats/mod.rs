//! The formats besides `SKILL.md`, each read into the same [`Skill`].
//!
//! ```text
//! names of a directory ─ detect ─▶ Format ─ read ─▶ Read { skill, findings }
//! ```
//!
//! | format | its files |
//! |---|---|
//! | `skill-md` | `SKILL.md`, and for Codex `agents/openai.yaml` ([`codex`]) |
//! | `nova` | `manifest.yaml`, `instructions.md`, and where there are some `tools.py`, `config.yaml` ([`nova`]) |
//! | `devai` | `skill.json`, `execute.*` ([`devai`]) |
//!
//! What declares tools is read as data: nothing that a skill brings is ever run. Directories that hold skills and are none
//! themselves are [`container`]s.

pub mod codex;
pub mod container;
pub mod convert;
pub mod devai;
pub mod nova;
pub mod python;

use std::string::FromUtf8Error;

use super::{Format, Reading, Skill, read as read_skill_md};
use crate::package::Tree;
use crate::report::{Diagnostic, Finding, Level};

/// Largest file besides `SKILL.md` that is read for what it says of a skill, in bytes.
pub const DESCRIPTOR_MAX: u64 = 256 << 10;

/// A directory, as far as is needed to know what it is.
pub struct Files<'a> {
    /// Whether there is a regular file of that name.
    pub has: &'a dyn Fn(&str) -> bool,
    /// What a file holds; `None` if there is none, or it is larger than [`DESCRIPTOR_MAX`].
    pub read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

/// What came of reading a directory.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The skill; `None` if no agent would list it, and then a finding of level error says why.
    pub skill: Option<Skill>,
    /// What was found, with the file below the directory that it is about.
    pub findings: Vec<Finding>,
}

impl Read {
    /// The same as a reading of one file: where a finding is about another, that is said in its words.
    #[must_use]
    pub fn about(self, file: &str) -> Reading {
        let about = |Finding { path, diagnostic }: Finding| {
            if path == file {
                return diagnostic;
            }
            let message = format!("{}: {}", diagnostic.place(&path), diagnostic.message);
            Diagnostic { message, span: None, position: None, fix: None, ..diagnostic }
        };
        Reading { skill: self.skill, diagnostics: self.findings.into_iter().map(about).collect() }
    }
}

/// Reads the skill that a tree holds; `None` if it holds none.
#[must_use]
pub fn of_tree(tree: &Tree, directory: &str) -> Option<Read> {
    let has = |path: &str| tree.get(path).is_some();
    let within = |bytes: &&[u8]| bytes.len() as u64 <= DESCRIPTOR_MAX;
    let read_file = |path: &str| match path {
        "SKILL.md" => tree.get(path).map(<[u8]>::to_vec),
        _ => tree.get(path).filter(within).map(<[u8]>::to_vec),
    };
    read(&Files { has: &has, read: &read_file }, directory)
}

/// The format of the directory that has these files; `None` if it is no skill.
///
/// Where a `SKILL.md` stands beside other descriptors, it is the skill and they are files.
#[must_use]
pub fn detect(has: &dyn Fn(&str) -> bool) -> Option<Format> {
    if has("SKILL.md") {
        Some(Format::SkillMd)
    } else if has("manifest.yaml") && has("instructions.md") {
        Some(Format::Nova)
    } else if has("skill.json") {
        Some(Format::Devai)
    } else {
        None
    }
}

/// Whether a file of this name makes its directory, which has what `has` says, a skill of another format than `SKILL.md`.
/// Files of these names are also other things, so both of a pair must be there.
#[must_use]
pub fn describes(name: &str, has: &dyn Fn(&str) -> bool) -> bool {
    match name {
        nova::MANIFEST => has("instructions.md"),
        devai::MANIFEST => devai::SCRIPTS.iter().any(|script| has(script)),
        _ => false,
    }
}

/// Reads a directory called `directory`; `None` if it is no skill.
#[must_use]
pub fn read(files: &Files<'_>, directory: &str) -> Option<Read> {
    let mut findings = Vec::new();
    let skill = match detect(files.has)? {
        Format::Nova => nova::skill(files, directory, &mut findings),
        Format::Devai => devai::skill(files, directory, &mut findings),
        Format::SkillMd => {
            let reading = read_skill_md(&(files.read)("SKILL.md").unwrap_or_default(), directory);
            reading.diagnostics.into_iter().for_each(|diagnostic| tell(&mut findings, "SKILL.md", diagnostic));
            reading.skill
        }
    };
    Some(Read { skill, findings })
}

/// The form of a directory's name that the specification allows for a skill: lower case, and a hyphen for every run of
/// other characters than `a-z`, `0-9` and `-`. Empty if nothing is left.
#[must_use]
pub fn slug(directory: &str) -> String {
    let mut slug = String::with_capacity(directory.len());
    for c in directory.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// The name that a skill has by its directory, and what there is to say if it is not the directory's own.
fn name_of(directory: &str, file: &str, findings: &mut Vec<Finding>) -> String {
    let name = slug(directory);
    if name == directory {
        return name;
    }
    let shown = super::name::shown(directory);
    if name.is_empty() {
        let message = format!("nothing in the directory's name `{shown}` can stand in a skill's name");
        tell(findings, file, Diagnostic::new("name-lossy", Level::Warning, message).help("rename the directory"));
        return directory.to_owned();
    }
    let message = format!("the directory `{shown}` is the skill `{name}` for agents that go by the specification");
    let found = Diagnostic::new("name-lossy", Level::Note, message);
    tell(findings, file, found.note("its own agent goes by the directory's name"));
    name
}

fn tell(findings: &mut Vec<Finding>, file: &str, diagnostic: Diagnostic) {
    findings.push(Finding { path: file.to_owned(), diagnostic });
}

/// The text of a file, as it is: a byte order mark stays, so that places in it are those of the file. A finding if it is
/// none, and by `rule` if it is too large to be read, or went away meanwhile.
fn source_of(files: &Files<'_>, file: &str, rule: &str, findings: &mut Vec<Finding>) -> Option<String> {
    let Some(bytes) = (files.read)(file) else {
        let message = format!("`{file}` is no text, or larger than {} KiB", DESCRIPTOR_MAX >> 10);
        tell(findings, file, Diagnostic::new(rule, Level::Error, message));
        return None;
    };
    let not_utf8 = |error: FromUtf8Error| {
        let message = format!("byte {} is not UTF-8", error.utf8_error().valid_up_to());
        tell(findings, file, Diagnostic::new("not-utf8", Level::Error, message).help("save the file as UTF-8"));
    };
    String::from_utf8(bytes).map_err(not_utf8).ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Reads a directory of these files, called `directory`.
    pub(crate) fn dir(directory: &str, files: &[(&str, &str)]) -> Read {
        let files: BTreeMap<&str, &str> = files.iter().copied().collect();
        let has = |name: &str| files.contains_key(name);
        let read_file = |name: &str| files.get(name).map(|text| text.as_bytes().to_vec());
        read(&Files { has: &has, read: &read_file }, directory).expect("it is a skill")
    }

    /// The findings as `file:line:column rule`, `!` after those of level error.
    pub(crate) fn told(read: &Read) -> Vec<String> {
        let tell = |finding: &Finding| {
            let mark = if finding.diagnostic.level == Level::Error { "!" } else { "" };
            format!("{} {}{mark}", finding.diagnostic.place(&finding.path), finding.diagnostic.rule)
        };
        read.findings.iter().map(tell).collect()
    }

    #[test]
    fn formats_are_found_in_the_order_of_the_table() {
        let found = |names: &[&str]| detect(&|name| names.contains(&name)).map(Format::name);
        assert_eq!(found(&["SKILL.md", "manifest.yaml", "instructions.md", "skill.json"]), Some("skill-md"));
        assert_eq!(found(&["manifest.yaml", "instructions.md", "skill.json"]), Some("nova"));
        assert_eq!(found(&["manifest.yaml", "skill.json"]), Some("devai"));
        assert_eq!(found(&["manifest.yaml"]), None);
        assert_eq!(found(&["skill.md"]), None);
    }

    #[test]
    fn a_slug_is_what_the_specification_allows() {
        for (directory, name) in [
            ("employee_onboarding", "employee-onboarding"),
            ("A  B!", "a-b"),
            ("--x--y--", "x-y"),
            ("straße", "stra-e"),
            ("日本語", ""),
        ] {
            assert_eq!(slug(directory), name);
        }
    }
}
