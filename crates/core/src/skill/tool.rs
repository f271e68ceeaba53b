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

    /// The file that says what the skill is, and by which the format is known.
    #[must_use]
    pub fn descriptor(self) -> &'static str {
        match self {
            Format::SkillMd => "SKILL.md",
            Format::Nova => "manifest.yaml",
            Format::Devai => "skill.json",
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

/// How an agent is to run a skill, as far as it says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The model that is to follow it.
    pub model: Option<String>,
    /// How hard that is to think.
    pub effort: Option<String>,
    /// `fork`: in a context of its own.
    pub context: Option<String>,
    /// The agent that is to follow it there.
    pub agent: Option<String>,
    /// The shell for the commands in it.
    pub shell: Option<String>,
    /// Whether it brings hooks.
    pub hooks: bool,
    /// `command-dispatch`: `tool` where its command goes to a tool and not to a model.
    pub dispatch: Option<String>,
    /// `command-tool`: that tool.
    pub tool: Option<String>,
    /// The file of it that is run.
    pub script: Option<String>,
}

/// One way to install what a skill needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installer {
    /// Its name among them.
    pub id: Option<String>,
    /// `brew`, `node`, `go`, `uv`, `download`.
    pub kind: String,
    /// What is installed: the `formula`, `cask`, `package`, `module` or `url`.
    pub what: Option<String>,
    /// What people are shown.
    pub label: Option<String>,
    /// The programs that are there afterwards.
    pub bins: Vec<String>,
    /// The systems it is for; empty for any.
    pub os: Vec<String>,
    /// The digest of what is downloaded.
    pub sha256: Option<String>,
}

impl Installer {
    /// What a person would type to do it; `None` if that is not known, or cannot be shown without harm.
    #[must_use]
    pub fn command(&self) -> Option<String> {
        let what = self.what.as_deref()?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "@/._-+:=~%?#^".contains(c);
        // What could be another option, or another command, is not put into a line that somebody may paste.
        if what.starts_with('-') || !what.chars().all(is_plain) {
            return None;
        }
        Some(match self.kind.as_str() {
            "brew" => format!("brew install {what}"),
            "node" => format!("npm install --global {what}"),
            "go" => format!("go install {what}"),
            "uv" => format!("uv tool install {what}"),
            "download" => format!("curl -LO '{what}'"),
            _ => return None,
        })
    }
}

/// An environment variable that a skill reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvVar {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Whether the skill is of no use without it.
    pub required: bool,
}
