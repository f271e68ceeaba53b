use std::path::PathBuf;

use clap::Args;

use crate::cli::Session;
use crate::error::Result;
use crate::ops::create;
use crate::package::SkillName;

/// Make a new skill from a template
///
/// Writes NAME/SKILL.md with valid frontmatter and a body that guides its author.
///
/// Examples:
///
///   skillpm new pdf-forms
///   skillpm new pdf-forms --in skills
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The skill's name: lower-case letters, digits and hyphens
    name: String,

    /// The directory to make it in [default: this one]
    #[arg(long = "in", value_name = "DIR")]
    parent: Option<PathBuf>,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let path = create::new(&session.context, &self.name.parse::<SkillName>()?, self.parent.as_deref())?;
        session.shell.status("Created", &path.display().to_string());
        Ok(0)
    }
}
