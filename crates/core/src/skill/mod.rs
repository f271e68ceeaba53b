//! What a `SKILL.md` says to an agent.
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
//! Reading is lenient, as agents are: every skill that real agents load is read, with a [`Diagnostic`] for whatever
//! had to be mended on the way; what no agent lists comes back as `None` and the reason.
//!
//! ```text
//! bytes ─ fences ─ mend (─ remedy, where it is no YAML) ─ fields ─ Skill
//!           └ head    └ yaml
//! ```

pub mod dependencies;
mod fences;
mod fields;
pub mod formats;
mod frontmatter;
mod mend;
mod misplaced;
pub mod name;
pub mod proposal;
#[cfg(test)]
mod recovery;
mod remedy;
mod rename;
pub mod tokens;
mod tool;
pub mod yaml;

use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::Error;
use crate::report::{Diagnostic, Level};

pub use fences::{FRONTMATTER_MAX, Fences, Head, head, line_end};
pub use fields::DESCRIPTION_MAX;
pub use frontmatter::{Frontmatter, read, read_briefly, read_closely, read_str};
pub use remedy::Mend;
pub use rename::rename;
pub use tool::{EnvVar, Format, Installer, Parameter, Run, Tool};

/// A skill as its file describes it, in the model that all formats are read into.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the frontmatter")]
pub struct Skill {
    /// The format it is written in.
    pub format: Format,
    /// The frontmatter's `name`, trimmed; the directory's name where it has none. Not necessarily a valid name.
    pub name: String,
    /// Whether the frontmatter has a `name` of its own.
    pub named: bool,
    /// What is wrong with a `name` that is none, after its place: `:2:1: the skill's `name` is empty`. Agents go by the
    /// directory then, or drop the skill.
    pub misnamed: Option<String>,
    /// What people call it, where that is not the name: a manifest's `name`, an interface's `display_name`.
    pub display_name: Option<String>,
    /// What the skill does and when to use it, trimmed; never empty.
    pub description: String,
    /// `when_to_use`: what belongs to the description and stands apart from it.
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
    /// `allowed-tools`, split at blanks and commas outside parentheses, or a list.
    pub allowed_tools: Vec<String>,
    /// Not `disable-model-invocation`.
    pub model_invocable: bool,
    /// `user-invocable`.
    pub user_invocable: bool,
    /// What must be there for the skill to be of use: `metadata.openclaw` (aliases `clawdbot`, `clawdis`).
    pub gates: Gates,
    /// What it declares to be called; empty where it is instructions and nothing else.
    pub tools: Vec<Tool>,
    /// The words it takes when a person calls it by name, in their order: `arguments`.
    pub arguments: Vec<String>,
    /// `argument-hint`.
    pub argument_hint: Option<String>,
    /// How an agent is to run it.
    pub run: Run,
    /// How what it needs can be installed. skillpm shows this, and installs none of it.
    pub install: Vec<Installer>,
    /// The environment variables it reads, besides those that are gates.
    pub env_vars: Vec<EnvVar>,
    /// `metadata.internal: true`: hidden from those who choose among a repository's skills.
    pub internal: bool,
    /// The whole frontmatter, verbatim, as JSON.
    pub frontmatter: Value,
    /// Where the instructions begin, in bytes of the file: after the closing fence and its line end.
    pub body_start: usize,
}

impl Skill {
    /// A skill that says nothing but a name and a description.
    #[must_use]
    pub fn bare(format: Format, name: String, description: String) -> Self {
        Skill {
            format,
            name,
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
            gates: Gates::default(),
            tools: Vec::new(),
            arguments: Vec::new(),
            argument_hint: None,
            run: Run::default(),
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
        self.description.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The version, read as people write them: `1.2.3`, `v1.2.3`, `1.2` or `1`; `None` if it has none, or another sort.
    #[must_use]
    pub fn semver(&self) -> Option<Version> {
        lenient_version(self.version.as_deref()?)
    }

    /// The instructions: what follows the frontmatter in `source`, the text this skill was read from.
    #[must_use]
    pub fn body<'s>(&self, source: &'s str) -> &'s str {
        source.get(self.body_start..).unwrap_or_default()
    }
}

fn lenient_version(text: &str) -> Option<Version> {
    let text = text.trim().trim_start_matches('v');
    let (core, tail) = match text.find(['-', '+']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let padding = match core.matches('.').count() {
        0 => ".0.0",
        1 => ".0",
        _ => "",
    };
    Version::parse(&format!("{core}{padding}{tail}")).ok()
}

/// Says why a `SKILL.md` is none.
#[must_use]
pub fn unreadable(file: &str, diagnostics: &[Diagnostic]) -> Error {
    match diagnostics.iter().find(|diagnostic| diagnostic.level == Level::Error) {
        Some(diagnostic) => {
            let error = Error::negative(format!("{}: {}", diagnostic.place(file), diagnostic.message));
            let error = error.note(format!("no agent would list this skill ({})", diagnostic.rule));
            match &diagnostic.help {
                Some(help) => error.help(help.clone()),
                None => error,
            }
        }
        None => Error::negative(format!("{file}: no agent would list this skill")),
    }
}

/// What must be there for a skill to be of use. Evaluated when a catalog is emitted, never at install.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gates {
    /// Pass all but `os`.
    pub always: bool,
    /// `darwin`, `linux`, `win32`; empty for any.
    pub os: Vec<String>,
    /// Programs, all of which must be on the path.
    pub bins: Vec<String>,
    /// Programs, one of which must be.
    pub any_bins: Vec<String>,
    /// Environment variables that must be set.
    pub env: Vec<String>,
    /// Paths in the agent's configuration that must be true.
    pub config: Vec<String>,
    /// `primaryEnv`: the variable that an agent's `apiKey` for the skill stands in for.
    pub primary_env: Option<String>,
    /// `skillKey`: what an agent's configuration calls the skill, where that is not its name.
    pub skill_key: Option<String>,
    /// Patterns of files, one of which must be worked on: Claude Code's `paths`. The agent's business, and not judged.
    pub paths: Vec<String>,
}

/// What came of reading a `SKILL.md`.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The skill; `None` if no agent would list it, and then a diagnostic of level error says why.
    pub skill: Option<Skill>,
    /// What was found on the way, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_people_write_them() {
        for (text, version) in [("1.2.3", "1.2.3"), ("v1.2", "1.2.0"), ("2", "2.0.0"), ("1.0-beta", "1.0.0-beta")] {
            assert_eq!(lenient_version(text).unwrap().to_string(), version);
        }
        assert_eq!(lenient_version("latest"), None);
    }
}
