//! Reads a `SKILL.md` into a [`Skill`].
//!
//! ```text
//! ---
//! name: pdf-forms
//! description: Fill PDF forms. Use when …
//! metadata:
//!   version: 1.4.2
//! ---
//! The instructions: what an agent reads once it has chosen the skill.
//! ```
//!
//! Reading is lenient, as agents are: every skill that real agents load is read, with a [`Diagnostic`] for each
//! repair; a skill that no agent lists comes back as `None` and the reason.
//!
//! ```text
//! bytes ─ fences ─ repair (─ repair_strategy, for invalid YAML) ─ fields ─ Skill
//!                    └ yaml
//! ```

pub mod dependencies;
mod fences;
mod fields;
pub mod formats;
mod frontmatter;
mod mapping;
mod misplaced;
pub mod name;
pub mod proposal;
#[cfg(test)]
mod recovery;
mod rename;
mod repair;
mod repair_strategy;
pub mod tokens;
mod tool;
pub mod yaml;

use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;
use crate::report::{Diagnostic, DiagnosticLevel};

pub use fences::{FRONTMATTER_MAX, FrontmatterFences, FrontmatterHead, line_ending, scan_head};
pub use fields::DESCRIPTION_MAX;
pub use frontmatter::{read, read_str, read_with_frontmatter, read_without_json};
pub use mapping::SkillFrontmatter;
pub use rename::{rename_for_install, rename_skill};
pub use repair_strategy::RepairEdit;
pub use tool::{EnvVar, InstallMethod, RunSettings, SkillFormat, SkillTool, ToolParameter};

/// A skill as its file describes it, in the model that all formats are read into.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the frontmatter"
)]
pub struct Skill {
    /// The format it is written in.
    pub format: SkillFormat,
    /// The frontmatter's `name`, trimmed; the directory's name where it has none. Not necessarily a valid name.
    pub name: String,
    /// What its own agent identifies it by, where that is not `name`: the directory of a skill of Nova.
    pub own_id: Option<String>,
    /// Whether the frontmatter has a `name` of its own.
    pub named: bool,
    /// The problem of an invalid `name`, after its position: `:2:1: the skill's `name` is empty`. Agents then use the
    /// directory's name, or drop the skill.
    pub misnamed: Option<String>,
    /// The title for people, where it differs from the name: a manifest's `name`, an interface's `display_name`.
    pub display_name: Option<String>,
    /// What the skill does and when to use it, trimmed; never empty.
    pub description: String,
    /// `when_to_use`, the part of the description that has a field of its own.
    pub when_to_use: Option<String>,
    /// `metadata.version`, else `version`, as written.
    pub version: Option<String>,
    /// `license`.
    pub license: Option<String>,
    /// `compatibility`.
    pub compatibility: Option<String>,
    /// `metadata.author`, else `author`.
    pub author: Option<String>,
    /// `homepage`, else `metadata.openclaw.homepage`.
    pub homepage: Option<String>,
    /// `tags`, else `metadata.tags`: a list, or one text split at commas.
    pub tags: Vec<String>,
    /// `requires`, else `metadata.requires`, where it is a list (or one text) of skill names, each `name` or
    /// `name@req`; a mapping there means something else (OpenClaw's gates) and is not read.
    pub requires: Vec<String>,
    /// `allowed-tools`, split at spaces and commas outside parentheses, or a list.
    pub allowed_tools: Vec<String>,
    /// Not `disable-model-invocation`.
    pub model_invocable: bool,
    /// `user-invocable`.
    pub user_invocable: bool,
    /// What the skill requires of the machine: `metadata.openclaw` (aliases `clawdbot`, `clawdis`).
    pub gates: SkillGates,
    /// The tools that it declares; empty for a skill of instructions alone.
    pub tools: Vec<SkillTool>,
    /// The arguments it takes when a person calls it, in their order: `arguments`.
    pub arguments: Vec<String>,
    /// `argument-hint`.
    pub argument_hint: Option<String>,
    /// How an agent should run it.
    pub run: RunSettings,
    /// The ways to install what it needs. skillpm shows them, and runs none.
    pub install: Vec<InstallMethod>,
    /// The environment variables it reads, besides those that are gates.
    pub env_vars: Vec<EnvVar>,
    /// `metadata.internal: true`: hidden where people choose among a repository's skills.
    pub internal: bool,
    /// The whole frontmatter, verbatim, as JSON.
    pub frontmatter: Value,
    /// Where the instructions begin, in bytes of the file: after the closing fence and its line end.
    pub body_start: usize,
}

impl Skill {
    /// A skill with a name and a description only.
    #[must_use]
    pub fn new(format: SkillFormat, name: String, description: String) -> Self {
        Skill {
            format,
            name,
            // What a `SKILL.md` without further fields has; the readers change what they find.
            own_id: None,
            named: true,
            misnamed: None,
            display_name: None,
            description,
            when_to_use: None,
            version: None,
            license: None,
            compatibility: None,
            author: None,
            homepage: None,
            tags: Vec::new(),
            requires: Vec::new(),
            allowed_tools: Vec::new(),
            model_invocable: true,
            user_invocable: true,
            gates: SkillGates::default(),
            tools: Vec::new(),
            arguments: Vec::new(),
            argument_hint: None,
            run: RunSettings::default(),
            install: Vec::new(),
            env_vars: Vec::new(),
            internal: false,
            frontmatter: Value::Null,
            body_start: 0,
        }
    }

    /// The description on one line, as catalogs show it.
    #[must_use]
    pub fn summary_line(&self) -> String {
        // A description may be a block of many lines, and tables have one line for each skill.
        self.description
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The version, read leniently: `1.2.3`, `v1.2.3`, `1.2` or `1`; `None` if it has none, or one of another form.
    #[must_use]
    pub fn semver(&self) -> Option<Version> {
        lenient_version(self.version.as_deref()?)
    }

    /// The instructions: what follows the frontmatter in `source`, the text this skill was read from.
    #[must_use]
    pub fn body<'s>(&self, source: &'s str) -> &'s str {
        // Empty for the head of a file, which was read without its body.
        source.get(self.body_start..).unwrap_or_default()
    }
}

fn lenient_version(text: &str) -> Option<Version> {
    // People write versions as they write tags.
    let text = text.trim().trim_start_matches('v');
    let (core, tail) = match text.find(['-', '+']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };

    // Only the core is padded: `1.0-beta` is `1.0.0-beta`.
    let padding = match core.matches('.').count() {
        0 => ".0.0",
        1 => ".0",
        _ => "",
    };

    Version::parse(&format!("{core}{padding}{tail}")).ok()
}

/// The error for a skill that skillpm does not list, with its first diagnostic of level error.
#[must_use]
pub fn unreadable_error(file: &str, diagnostics: &[Diagnostic]) -> Error {
    match diagnostics
        .iter()
        // The first one is the reason; the others may go away with it.
        .find(|diagnostic| diagnostic.level == DiagnosticLevel::Error)
    {
        Some(diagnostic) => {
            let error = Error::negative(format!(
                "invalid skill at `{}`: {}",
                diagnostic.location(file),
                diagnostic.message
            ));
            // Not "no agent": some load such a file nevertheless, as the models of `lint` know.
            let error = error.note(format!("skillpm does not list it ({})", diagnostic.rule));
            match &diagnostic.help {
                Some(help) => error.help(help.clone()),
                None => error,
            }
        }
        None => Error::negative(format!(
            "invalid skill at `{file}`: skillpm does not list it"
        )),
    }
}

/// What a skill requires of the machine. Evaluated when a catalog is written, never at install.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillGates {
    /// Pass all but `os`.
    pub always: bool,
    /// `darwin`, `linux`, `win32`; empty for any.
    pub os: Vec<String>,
    /// Programs, all of which must be on `PATH`.
    pub bins: Vec<String>,
    /// Programs, one of which must be on `PATH`.
    pub any_bins: Vec<String>,
    /// Environment variables that must be set.
    pub env: Vec<String>,
    /// Paths in the agent's configuration that must be true.
    pub config: Vec<String>,
    /// `primaryEnv`: the variable that an agent sets from its `apiKey` for the skill.
    pub primary_env: Option<String>,
    /// `skillKey`: the skill's key in an agent's configuration, where that is not its name.
    pub skill_key: Option<String>,
    /// Globs of files, one of which must be in use: Claude Code's `paths`. The agent evaluates them, skillpm does not.
    pub paths: Vec<String>,
}

/// The result of reading a `SKILL.md`.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillReading {
    /// The skill; `None` if no agent lists it, and then a diagnostic of level error says why.
    pub skill: Option<Skill>,
    /// The findings, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_people_write_them() {
        for (text, version) in [
            ("1.2.3", "1.2.3"),
            ("v1.2", "1.2.0"),
            ("2", "2.0.0"),
            ("1.0-beta", "1.0.0-beta"),
        ] {
            assert_eq!(lenient_version(text).unwrap().to_string(), version);
        }
        assert_eq!(lenient_version("latest"), None);
    }
}
