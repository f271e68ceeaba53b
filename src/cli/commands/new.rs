//! `new`: creates a skill from a template with [`create`], as a `SKILL.md` or for Devai.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::cli::CliSession;
use crate::cli::format_args::NewFormatArgs;
use crate::error::Result;
use crate::ops::create;
use crate::package::SkillName;
use crate::skill::SkillFormat;

/// Create a skill from a template
///
/// Writes NAME/SKILL.md with valid frontmatter and a body with hints for its author. With `--format devai`, writes the
/// `skill.json` and `execute.ts` of a Devai skill.
///
/// Examples:
///
///   skillpm new pdf-forms
///   skillpm new pdf-forms --in skills
///   skillpm new unit-convert --format devai --in skills
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct NewArgs {
    /// The skill's name: lower-case letters, digits and hyphens
    name: String,

    /// The directory to create it in [default: this one]
    #[arg(long = "in", value_name = "DIR")]
    parent: Option<PathBuf>,

    #[command(flatten)]
    format: NewFormatArgs,
}

impl NewArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let format = match session.format.as_deref() {
            Some("devai") => SkillFormat::Devai,
            _ => SkillFormat::SkillMd,
        };
        let path = create::new(
            &session.context,
            &create::NewSkill {
                name: &self.name.parse::<SkillName>()?,
                parent: self.parent.as_deref(),
                format,
            },
        )?;
        // Not `wants_json`: here, the format may also be that of the skill.
        if session.format.as_deref() == Some("json") {
            session.shell.print_object(&json!({
                "type": "created",
                "path": path,
                "name": self.name,
                "format": format.name(),
            }));
            return Ok(0);
        }

        session.shell.status("Created", &path.display().to_string());
        // Devai finds a new skill only when it reloads its list.
        if format == SkillFormat::Devai {
            session.shell.status(
                "Next:",
                "call `skill_reload` in Devai, so that it sees the skill",
            );
        }
        Ok(0)
    }
}
