//! Validates a directory as a skill, by one of two profiles.
//!
//! | profile | follows |
//! |---|---|
//! | [`ValidationProfile::Spec`] | the specification's text, with real YAML: every MUST and nothing else |
//! | [`ValidationProfile::Reference`] | the official validator `skills-ref` 0.1.1, down to its crashes |
//!
//! A skill is valid if there is no finding; each finding is an error, with the name of the closest rule of `lint`.
//! `docs/validation.md` lists the requirements of each profile and their differences.

mod python;
mod reference;
mod spec;
mod strict;

use super::join;
use super::subject::{SkillDir, SkillFile};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, FileFinding};
use skillpm_core::skill::formats::{devai, nova};

/// What a skill is validated against.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ValidationProfile {
    /// The specification's text.
    #[default]
    Spec,
    /// The official validator.
    Reference,
}

/// Validates a skill against a profile. It is valid if there is no finding.
///
/// Only the path, the directory's name and the `SKILL.md` of `skill` matter; an unknown directory name (`""`) is not
/// compared.
#[must_use]
pub fn validate(skill: &SkillDir, profile: ValidationProfile) -> Vec<FileFinding> {
    let page = match profile {
        ValidationProfile::Spec => skill.file(super::subject::SKILL_FILE),
        // The validator accepts only these two spellings.
        ValidationProfile::Reference => skill.file("SKILL.md").or_else(|| skill.file("skill.md")),
    };
    let Some(page) = page else {
        return vec![FileFinding {
            path: join(&skill.path, "SKILL.md"),
            diagnostic: missing_file(skill, profile),
        }];
    };

    // Before either profile: the official validator crashes on a file that is not UTF-8.
    let diagnostics = match (page.text(), profile) {
        (None, _) => vec![unreadable_file(page)],
        (Some(source), ValidationProfile::Spec) => spec::check(source, &skill.directory),
        (Some(source), ValidationProfile::Reference) => reference::check(source, &skill.directory),
    };

    let path = join(&skill.path, &page.path);
    diagnostics
        .into_iter()
        .map(|diagnostic| FileFinding {
            path: path.clone(),
            diagnostic,
        })
        .collect()
}

fn missing_file(skill: &SkillDir, profile: ValidationProfile) -> Diagnostic {
    let message = match profile {
        ValidationProfile::Spec => "the directory has no `SKILL.md`",
        ValidationProfile::Reference => "Missing required file: SKILL.md",
    };
    let found = Diagnostic::new("missing-skill-md", DiagnosticLevel::Error, message);

    match skill.skill_file() {
        // `Skill.md` is not read, but on macOS and Windows it looks as if it were.
        Some(other) => found
            .note(format!("`{}` is not read", other.path))
            .help("rename it to `SKILL.md`"),
        None => match other_format(skill) {
            Some((file, agent)) => found
                .note(format!("`{file}` describes a skill of {agent}, which is another format"))
                .help(format!(
                    "`skillpm lint {path}` checks it; `skillpm convert {path} --to skill-md` converts it",
                    path = skill.path
                )),
            None => found,
        },
    }
}

/// The file that describes a skill of another format, and the agent that reads it.
fn other_format(skill: &SkillDir) -> Option<(&'static str, &'static str)> {
    let formats = [(nova::MANIFEST, "Nova"), (devai::MANIFEST, "Devai")];
    formats
        .into_iter()
        .find(|(file, _)| skill.file(file).is_some())
}

fn unreadable_file(page: &SkillFile) -> Diagnostic {
    use super::subject::FileContent;

    let (rule, message) = match &page.content {
        FileContent::Bytes(bytes) => {
            let valid = std::str::from_utf8(bytes)
                .err()
                .map_or(0, |error| error.valid_up_to());
            ("not-utf8", format!("byte {valid} is not UTF-8"))
        }
        FileContent::Large(size, _) => (
            "large-file",
            format!("the file is too large to be read: {size} bytes"),
        ),
        FileContent::Link(_) => (
            "symlink-escape",
            "the file is a symbolic link that does not point to a file".to_owned(),
        ),
        FileContent::Special | FileContent::Text(_) => {
            ("missing-skill-md", "not a regular file".to_owned())
        }
    };

    Diagnostic::new(rule, DiagnosticLevel::Error, message)
}
