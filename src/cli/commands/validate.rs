use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::findings::{Told, tell};
use super::stdin;
use crate::cli::Session;
use crate::error::Result;
use crate::lint::validate::Profile;
use crate::ops::validate::{Loose, ValidateOptions, Validated, validate};

/// Check that skills follow the specification
///
/// A skill is valid or it is not: nothing here is a matter of taste. `skillpm lint` says what else could be better, and
/// which agents stumble over what.
///
/// Examples:
///
///   skillpm validate
///   skillpm validate skills/pdf --profile reference
///   skillpm validate - --stdin-filename skills/pdf/SKILL.md < draft.md
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Directories of skills, a SKILL.md, or - for stdin (repeatable)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Whose verdict is wanted: the specification's text, or the official validator's
    #[arg(long, value_name = "PROFILE", default_value = "spec")]
    profile: WhichProfile,

    /// Where the file on stdin would stand; its directory gives the skill's name
    #[arg(long, value_name = "PATH")]
    stdin_filename: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum WhichProfile {
    /// The specification's text, with real YAML
    Spec,
    /// The verdict of skills-ref 0.1.1
    Reference,
}

impl Arguments {
    pub(in crate::cli) fn run(mut self, session: &Session<'_>) -> Result<u8> {
        let profile = match self.profile {
            WhichProfile::Spec => Profile::Spec,
            WhichProfile::Reference => Profile::Reference,
        };
        let text = if self.paths.iter().any(|path| path == Path::new("-")) { Some(self.stdin()?) } else { None };
        self.paths.retain(|path| path != Path::new("-"));
        if self.paths.is_empty() && text.is_none() {
            self.paths.push(PathBuf::from("."));
        }
        let options = ValidateOptions { paths: self.paths, text, profile };
        let Validated { findings, sources, dirs, invalid } = validate(&session.context, &options)?;
        tell(session, Told { findings, sources, skills: &dirs, hidden: 0, statistics: false })?;
        Ok(u8::from(invalid > 0))
    }

    fn stdin(&self) -> Result<Loose> {
        Ok(Loose { bytes: stdin()?, path: self.stdin_filename.clone() })
    }
}
