//! Whether a directory is a valid skill: two verdicts, and no opinions.
//!
//! | profile | follows |
//! |---|---|
//! | [`Profile::Spec`] | the specification's text, with real YAML: every MUST and nothing else |
//! | [`Profile::Reference`] | the official validator `skills-ref` 0.1.1, down to its crashes |
//!
//! A skill is valid if there is no finding; each finding is an error, and bears the name of the rule of `lint` that it
//! comes nearest to. `docs/validation.md` lists what each profile demands and where the two part.

mod python;
mod reference;
mod spec;
mod strict;

use super::join;
use super::subject::{File, SkillDir};
use crate::report::{Diagnostic, Finding, Level};

/// What a skill is held against.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Profile {
    /// The specification's text.
    #[default]
    Spec,
    /// The official validator.
    Reference,
}

/// Holds a skill against a profile. No finding means that it is valid.
///
/// Of `skill` only its path, its directory's name and its `SKILL.md` matter; a name that is not known (`""`) is compared
/// with nothing.
#[must_use]
pub fn validate(skill: &SkillDir, profile: Profile) -> Vec<Finding> {
    let page = match profile {
        Profile::Spec => skill.file(super::subject::PAGE),
        Profile::Reference => skill.file("SKILL.md").or_else(|| skill.file("skill.md")),
    };
    let Some(page) = page else {
        return vec![Finding { path: join(&skill.path, "SKILL.md"), diagnostic: missing(skill, profile) }];
    };
    let diagnostics = match (page.text(), profile) {
        (None, _) => vec![unreadable(page)],
        (Some(source), Profile::Spec) => spec::check(source, &skill.directory),
        (Some(source), Profile::Reference) => reference::check(source, &skill.directory),
    };
    let path = join(&skill.path, &page.path);
    diagnostics.into_iter().map(|diagnostic| Finding { path: path.clone(), diagnostic }).collect()
}

fn missing(skill: &SkillDir, profile: Profile) -> Diagnostic {
    let message = match profile {
        Profile::Spec => "the directory has no `SKILL.md`",
        Profile::Reference => "Missing required file: SKILL.md",
    };
    let found = Diagnostic::new("missing-skill-md", Level::Error, message);
    match skill.page() {
        Some(other) => found.note(format!("`{}` is not read", other.path)).help("rename it to `SKILL.md`"),
        None => found,
    }
}

fn unreadable(page: &File) -> Diagnostic {
    use super::subject::Content;
    let (rule, message) = match &page.content {
        Content::Bytes(bytes) => {
            let valid = std::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
            ("not-utf8", format!("byte {valid} is not UTF-8"))
        }
        Content::Large(size, _) => ("large-file", format!("the file has {size} bytes, which is too many to be read")),
        Content::Link(_) => ("symlink-escape", "the file is a link that leads to no file".to_owned()),
        Content::Special | Content::Text(_) => ("missing-skill-md", "this is no file".to_owned()),
    };
    Diagnostic::new(rule, Level::Error, message)
}
