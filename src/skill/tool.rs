//! What a skill offers to be called, as far as it says so: nothing is run to find out.

use serde::{Deserialize, Serialize};

/// In which of the formats that agents know a skill is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// `SKILL.md`.
    #[default]
    SkillMd,
    /// `manifest.yaml` and `instructions.md`, as Nova has it.
    Nova,
    /// `skill.json` with `execute.*`, as Devai has it.
    Devai,
}

impl Format {
    /// The format's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::SkillMd => "skill-md",
            Format::Nova => "nova",
            Format::Devai => "devai",
        }
    }

    /// The file that an agent reads once it has chosen a skill of this format, or that says what to call.
    #[must_use]
    pub fn file(self) -> &'static str {
        match self {
            Format::SkillMd => "SKILL.md",
            Format::Nova => "instructions.md",
            Format::Devai => "skill.json",
        }
    }
}

/// A function that a skill declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name, as the skill has it.
    pub name: String,
    /// What it says it does; empty if it does not say.
    pub description: String,
    /// What it takes, in its order.
    pub parameters: Vec<Parameter>,
}

/// What a [`Tool`] takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// `string`, `number`, `integer`, `boolean`, `object` or `array`; `None` if it is not said, or something else.
    pub kind: Option<String>,
    /// What it is for; empty if that is not said.
    pub description: String,
    /// Whether a call has to give it.
    pub required: bool,
    /// What it is where a call does not give it, as JSON text.
    pub default: Option<String>,
}
