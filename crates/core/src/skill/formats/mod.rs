//! The formats besides `SKILL.md`, each read into the same [`Skill`].
//!
//! ```text
//! names of a directory ─ detect_format ─▶ SkillFormat ─ read ─▶ DirectoryReading { skill, findings }
//! ```
//!
//! | format | its files |
//! |---|---|
//! | `skill-md` | `SKILL.md`, and for Codex `agents/openai.yaml` ([`codex`]) |
//! | `nova` | `manifest.yaml`, `instructions.md`, and optionally `tools.py`, `config.yaml` ([`nova`]) |
//! | `devai` | `skill.json`, `execute.*` ([`devai`]) |
//!
//! Declarations of tools are read as data: no file of a skill is ever run. Directories that contain skills and are not
//! skills themselves are [`container`]s.

pub mod codex;
pub mod container;
pub mod convert;
mod declared_tools;
pub mod devai;
mod devai_script;
pub mod nova;
#[cfg_attr(not(feature = "python"), path = "no_python.rs")]
pub mod python;

use super::{Skill, SkillFormat, SkillReading, read as read_skill_md};
use crate::package::Tree;
use crate::report::{Diagnostic, DiagnosticLevel, FileFinding};

/// Largest descriptor besides `SKILL.md` that is read, in bytes.
pub const DESCRIPTOR_MAX: u64 = 256 << 10;

/// Access to the files of a directory, as needed to detect and read a skill.
pub struct DirectoryFiles<'a> {
    /// Returns whether there is a regular file of that name.
    pub has: &'a dyn Fn(&str) -> bool,
    /// Returns the content of a file; `None` if there is none, or it is larger than [`DESCRIPTOR_MAX`].
    pub read: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

/// The result of reading a directory.
#[derive(Debug, Clone, PartialEq)]
pub struct DirectoryReading {
    /// The skill; `None` if no agent lists it, and then a finding of level error says why.
    pub skill: Option<Skill>,
    /// The findings, each with its file relative to the directory.
    pub findings: Vec<FileFinding>,
}

impl DirectoryReading {
    /// Converts to the reading of one file: findings about other files name them in their messages.
    #[must_use]
    pub fn into_file_reading(self, file: &str) -> SkillReading {
        let findings = self.findings.into_iter();
        SkillReading {
            skill: self.skill,
            diagnostics: findings
                .map(|finding| into_file_diagnostic(finding, file))
                .collect(),
        }
    }
}

/// The diagnostic of a finding as one of `file`: with the name of its file in the message if that is another.
fn into_file_diagnostic(FileFinding { path, diagnostic }: FileFinding, file: &str) -> Diagnostic {
    if path == file {
        return diagnostic;
    }

    let message = format!("{}: {}", diagnostic.location(&path), diagnostic.message);
    // The span is in another file, so neither it nor the fix can be kept.
    Diagnostic {
        message,
        span: None,
        position: None,
        fix: None,
        ..diagnostic
    }
}

/// Reads the skill in a tree; `None` if there is none.
#[must_use]
pub fn read_tree(tree: &Tree, directory: &str) -> Option<DirectoryReading> {
    let has = |path: &str| tree.get(path).is_some();
    let within = |bytes: &&[u8]| bytes.len() as u64 <= DESCRIPTOR_MAX;
    let read_file = |path: &str| match path {
        // `SKILL.md` has a limit of its own, which is larger.
        "SKILL.md" => tree.get(path).map(<[u8]>::to_vec),
        _ => tree.get(path).filter(within).map(<[u8]>::to_vec),
    };

    read(
        &DirectoryFiles {
            has: &has,
            read: &read_file,
        },
        directory,
    )
}

/// The format of the directory that has these files; `None` if it is not a skill.
///
/// A `SKILL.md` beside other descriptors is the skill, and they are ordinary files.
#[must_use]
pub fn detect_format(has: &dyn Fn(&str) -> bool) -> Option<SkillFormat> {
    // It goes first, since every agent reads it, and the others only some.
    if has("SKILL.md") {
        Some(SkillFormat::SkillMd)
    } else if has("manifest.yaml") && has("instructions.md") {
        Some(SkillFormat::Nova)
    } else if has("skill.json") {
        Some(SkillFormat::Devai)
    } else {
        None
    }
}

/// Whether a file of this name makes its directory a skill of another format than `SKILL.md`; `has` returns whether the
/// directory has a file. These names have other uses, so both files of a pair are required.
#[must_use]
pub fn is_descriptor(name: &str, has: &dyn Fn(&str) -> bool) -> bool {
    match name {
        // `manifest.yaml` and `skill.json` are common names, so the second file must exist, too.
        nova::MANIFEST => has("instructions.md"),
        devai::MANIFEST => devai::SCRIPTS.iter().any(|script| has(script)),
        _ => false,
    }
}

/// Reads a directory called `directory`; `None` if it is not a skill.
#[must_use]
pub fn read(files: &DirectoryFiles<'_>, directory: &str) -> Option<DirectoryReading> {
    let mut findings = Vec::new();
    let skill = match detect_format(files.has)? {
        SkillFormat::Nova => nova::read_skill(files, directory, &mut findings),
        SkillFormat::Devai => devai::read_skill(files, directory, &mut findings),
        SkillFormat::SkillMd => {
            // Unreadable is like empty, which has a finding of its own.
            let reading = read_skill_md(&(files.read)("SKILL.md").unwrap_or_default(), directory);
            reading
                .diagnostics
                .into_iter()
                .for_each(|diagnostic| push_finding(&mut findings, "SKILL.md", diagnostic));
            reading.skill
        }
    };

    Some(DirectoryReading { skill, findings })
}

/// A directory's name as the specification allows it for a skill: lower case, and a hyphen for every run of characters
/// other than `a-z`, `0-9` and `-`. Empty if nothing is left.
#[must_use]
pub fn slug(directory: &str) -> String {
    let mut slug = String::with_capacity(directory.len());
    // Lower case first: a letter beyond ASCII can become one of `a-z`, as the Kelvin sign does.
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

/// The skill name derived from its directory, with a finding if it differs from the directory's name.
fn name_from_directory(directory: &str, file: &str, findings: &mut Vec<FileFinding>) -> String {
    let name = slug(directory);
    if name == directory {
        return name;
    }

    let shown = super::name::shorten_for_display(directory);

    if name.is_empty() {
        let message =
            format!("the directory name `{shown}` has no characters that a skill name may have");
        push_finding(
            findings,
            file,
            Diagnostic::new("name-lossy", DiagnosticLevel::Warning, message)
                .help("rename the directory"),
        );
        return directory.to_owned();
    }

    let message = format!(
        "agents that follow the specification list the directory `{shown}` as the skill `{name}`"
    );
    let found = Diagnostic::new("name-lossy", DiagnosticLevel::Note, message);
    push_finding(
        findings,
        file,
        found.note("its own agent uses the directory name"),
    );

    name
}

fn push_finding(findings: &mut Vec<FileFinding>, file: &str, diagnostic: Diagnostic) {
    findings.push(FileFinding {
        path: file.to_owned(),
        diagnostic,
    });
}

/// The text of a file. A byte order mark stays, so that positions are those of the file. `None`, with a finding, if it is
/// not UTF-8, and by `rule` if it is too large or cannot be read.
fn read_source(
    files: &DirectoryFiles<'_>,
    file: &str,
    rule: &str,
    findings: &mut Vec<FileFinding>,
) -> Option<String> {
    let Some(bytes) = (files.read)(file) else {
        let message = format!(
            "failed to read `{file}`: not a file, or larger than {} KiB",
            DESCRIPTOR_MAX >> 10
        );
        push_finding(
            findings,
            file,
            Diagnostic::new(rule, DiagnosticLevel::Error, message),
        );
        return None;
    };

    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => {
            let message = format!("invalid UTF-8 at byte {}", error.utf8_error().valid_up_to());
            let finding = Diagnostic::new("not-utf8", DiagnosticLevel::Error, message)
                .help("save the file as UTF-8");
            push_finding(findings, file, finding);
            None
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Reads a directory of these files, called `directory`.
    pub(crate) fn read_dir(directory: &str, files: &[(&str, &str)]) -> DirectoryReading {
        let files: BTreeMap<&str, &str> = files.iter().copied().collect();
        let has = |name: &str| files.contains_key(name);
        let read_file = |name: &str| files.get(name).map(|text| text.as_bytes().to_vec());
        read(
            &DirectoryFiles {
                has: &has,
                read: &read_file,
            },
            directory,
        )
        .expect("it is a skill")
    }

    /// The findings as `file:line:column rule`, `!` after those of level error.
    pub(crate) fn finding_lines(read: &DirectoryReading) -> Vec<String> {
        read.findings.iter().map(finding_line).collect()
    }

    fn finding_line(FileFinding { path, diagnostic }: &FileFinding) -> String {
        let is_error = diagnostic.level == DiagnosticLevel::Error;
        let mark = if is_error { "!" } else { "" };
        format!("{} {}{mark}", diagnostic.location(path), diagnostic.rule)
    }

    #[test]
    fn formats_are_found_in_the_order_of_the_table() {
        let found =
            |names: &[&str]| detect_format(&|name| names.contains(&name)).map(SkillFormat::name);
        assert_eq!(
            found(&["SKILL.md", "manifest.yaml", "instructions.md", "skill.json"]),
            Some("skill-md")
        );
        assert_eq!(
            found(&["manifest.yaml", "instructions.md", "skill.json"]),
            Some("nova")
        );
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
