use std::path::PathBuf;

use clap::Args;

use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::create;
use crate::package::SkillName;

/// Create a skill from a template
///
/// Writes NAME/SKILL.md with valid frontmatter and a body with hints for its author.
///
/// Examples:
///
///   skillpm new pdf-forms
///   skillpm new pdf-forms --in skills
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct NewArgs {
    /// The skill's name: lower-case letters, digits and hyphens
    name: String,

    /// The directory to create it in [default: this one]
    #[arg(long = "in", value_name = "DIR")]
    parent: Option<PathBuf>,
}

impl NewArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let path = create::new(
            &session.context,
            &self.name.parse::<SkillName>()?,
            self.parent.as_deref(),
        )?;
        session.shell.status("Created", &path.display().to_string());
        Ok(0)
    }
}
