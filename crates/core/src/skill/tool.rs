//! The tools, run settings and install methods that a skill declares. Nothing is run to find them out.

use serde::{Deserialize, Serialize};

/// The format in which a skill is written.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum SkillFormat {
    /// `SKILL.md`.
    #[default]
    SkillMd,
    /// Nova's: `manifest.yaml` and `instructions.md`.
    Nova,
    /// Devai's: `skill.json` with `execute.*`.
    Devai,
}

impl SkillFormat {
    /// The format's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SkillFormat::SkillMd => "skill-md",
            SkillFormat::Nova => "nova",
            SkillFormat::Devai => "devai",
        }
    }

    /// The file that describes the skill, and by which the format is detected.
    #[must_use]
    pub fn descriptor(self) -> &'static str {
        match self {
            SkillFormat::SkillMd => "SKILL.md",
            SkillFormat::Nova => "manifest.yaml",
            SkillFormat::Devai => "skill.json",
        }
    }

    /// The file with the instructions or the call, which an agent reads once it has chosen the skill.
    #[must_use]
    pub fn file(self) -> &'static str {
        match self {
            SkillFormat::SkillMd => "SKILL.md",
            SkillFormat::Nova => "instructions.md",
            SkillFormat::Devai => "skill.json",
        }
    }
}

/// A function that a skill declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillTool {
    /// Its name, as the skill writes it.
    pub name: String,
    /// Its description; empty if it has none.
    pub description: String,
    /// Its parameters, in its order.
    pub parameters: Vec<ToolParameter>,
}

/// A parameter of a [`SkillTool`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolParameter {
    /// Its name.
    pub name: String,
    /// `string`, `number`, `integer`, `boolean`, `object` or `array`; `None` if missing or any other.
    pub kind: Option<String>,
    /// What it is for; empty if that is not given.
    pub description: String,
    /// Whether a call must pass it.
    pub required: bool,
    /// Its default, as JSON text.
    pub default: Option<String>,
}

/// How an agent should run a skill, as far as the skill says so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSettings {
    /// The model that should follow it.
    pub model: Option<String>,
    /// The reasoning effort of that model.
    pub effort: Option<String>,
    /// `fork`: in a context of its own.
    pub context: Option<String>,
    /// The agent that should follow it there.
    pub agent: Option<String>,
    /// The shell for the commands in it.
    pub shell: Option<String>,
    /// Whether it defines hooks.
    pub hooks: bool,
    /// `command-dispatch`: `tool` where its command goes to a tool and not to a model.
    pub dispatch: Option<String>,
    /// `command-tool`: that tool.
    pub tool: Option<String>,
    /// Its file that is run.
    pub script: Option<String>,
}

/// One way to install what a skill needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstallMethod {
    /// Its name among them.
    pub id: Option<String>,
    /// `brew`, `node`, `go`, `uv`, `download`.
    pub kind: String,
    /// The package to install: the `formula`, `cask`, `package`, `module` or `url`.
    pub what: Option<String>,
    /// The label to show.
    pub label: Option<String>,
    /// The programs that it installs.
    pub bins: Vec<String>,
    /// The systems it is for; empty for any.
    pub os: Vec<String>,
    /// The digest of the download.
    pub sha256: Option<String>,
}

impl InstallMethod {
    /// The command that installs it; `None` for an unknown kind, or where showing it would be unsafe.
    #[must_use]
    pub fn command(&self) -> Option<String> {
        let what = self.what.as_deref()?;
        // No `$`, quote, space, `;` or `&`.
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "@/._-+:=~%?#^".contains(c);

        // Anything that could be an option or a second command must not be in a line that people paste.
        if what.starts_with('-') || !what.chars().all(is_plain) {
            return None;
        }

        Some(match self.kind.as_str() {
            "brew" => format!("brew install {what}"),
            "node" => format!("npm install --global {what}"),
            "go" => format!("go install {what}"),
            "uv" => format!("uv tool install {what}"),
            // In quotes, since `?` and `#` in a URL mean something to a shell.
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
    /// Whether the skill requires it.
    pub required: bool,
}
