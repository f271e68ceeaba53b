//! `convert`: passes a skill and a format to [`convert`], and lists the written files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::convert::{ConvertOptions, convert};
use crate::skill::SkillFormat;

/// Write a skill in another format
///
/// Creates a new directory in the format of another agent: `manifest.yaml` and `instructions.md` for Nova, `skill.json`
/// and `execute.ts` for Devai, or `SKILL.md`. Copies other files unchanged; the old directory is not changed.
///
/// Examples:
///
///   skillpm convert skills/pdf --to nova --out backend/skills
///   skillpm convert skills/unit-convert --to skill-md --out .agents/skills
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct ConvertArgs {
    /// The directory of the skill
    path: PathBuf,

    /// The format to write
    #[arg(long, value_name = "FORMAT")]
    to: TargetFormat,

    /// The parent of the new directory [default: the skill's parent]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TargetFormat {
    /// `SKILL.md`
    SkillMd,
    /// `manifest.yaml` and `instructions.md`
    Nova,
    /// `skill.json` and `execute.ts`
    Devai,
}

impl ConvertArgs {
    pub(in crate::cli) fn run(self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        // An enum of its own: not every format that can be read can be written.
        let to = match self.to {
            TargetFormat::SkillMd => SkillFormat::SkillMd,
            TargetFormat::Nova => SkillFormat::Nova,
            TargetFormat::Devai => SkillFormat::Devai,
        };

        let converted = convert(
            &session.context,
            &ConvertOptions {
                path: self.path,
                to,
                out: self.out,
            },
        )?;

        if as_json {
            session.shell.print_object(&json!({
                "type": "converted",
                "path": converted.path,
                "from": converted.from.name(),
                "to": to.name(),
                "files": converted.files,
            }));
        } else {
            session.shell.status(
                "Converted",
                &format!(
                    "{} ({} to {})",
                    converted.path.display(),
                    converted.from.name(),
                    to.name()
                ),
            );
            // Devai finds a new skill only when it reloads its list.
            if to == SkillFormat::Devai {
                session.shell.status(
                    "Next:",
                    "call `skill_reload` in Devai, so that it sees the skill",
                );
            }
        }
        Ok(0)
    }
}
