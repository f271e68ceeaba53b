use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::cli::Session;
use crate::error::Result;
use crate::ops::convert::{ConvertOptions, convert};
use crate::skill::Format;

/// Write a skill in another format
///
/// Makes a new directory in the format of another agent: `manifest.yaml` and `instructions.md` for Nova, `skill.json` and
/// `execute.ts` for Devai, or `SKILL.md`. Other files come along unchanged, and the old directory stays as it is.
///
/// Examples:
///
///   skillpm convert skills/pdf --to nova --out backend/skills
///   skillpm convert skills/unit-convert --to skill-md --out .agents/skills
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The directory of the skill
    path: PathBuf,

    /// The format it is to have
    #[arg(long, value_name = "FORMAT")]
    to: To,

    /// The directory to make the new one in [default: the one around the skill]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum To {
    /// `SKILL.md`
    SkillMd,
    /// `manifest.yaml` and `instructions.md`
    Nova,
    /// `skill.json` and `execute.ts`
    Devai,
}

impl Arguments {
    pub(in crate::cli) fn run(self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let to = match self.to {
            To::SkillMd => Format::SkillMd,
            To::Nova => Format::Nova,
            To::Devai => Format::Devai,
        };
        let made = convert(&session.context, &ConvertOptions { path: self.path, to, out: self.out })?;
        if as_json {
            session.shell.object(&json!({
                "type": "converted",
                "path": made.path,
                "from": made.from.name(),
                "to": to.name(),
                "files": made.files,
            }));
        } else {
            session
                .shell
                .status("Converted", &format!("{} ({} to {})", made.path.display(), made.from.name(), to.name()));
            if to == Format::Devai {
                session.shell.status("Wanted", "`skill_reload` in Devai, which sees the skill after it");
            }
        }
        Ok(0)
    }
}
