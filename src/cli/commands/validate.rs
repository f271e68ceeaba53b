//! `validate`: prints the findings of [`validate`] alone, without those of style that `lint` has.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::findings::{FindingReport, print_report};
use super::read_stdin;
use crate::cli::CliSession;
use crate::cli::format_args::FindingFormatArgs;
use crate::error::Result;
use crate::lint::validate::ValidationProfile;
use crate::ops::validate::{UnsavedSkill, ValidateOptions, ValidationReport, validate};

/// Check that skills follow the specification
///
/// Reports only violations of the specification. `skillpm lint` also checks style and the limits of each agent.
///
/// Examples:
///
///   skillpm validate
///   skillpm validate skills/pdf --profile reference
///   skillpm validate - --stdin-filename skills/pdf/SKILL.md < draft.md
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct ValidateArgs {
    /// Directories of skills, a SKILL.md, or - for stdin (repeatable)
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Validate as the specification's text or the official validator does
    #[arg(long, value_name = "PROFILE", default_value = "spec")]
    profile: ProfileChoice,

    /// Path for the file on stdin; its directory gives the skill's name
    #[arg(long, value_name = "PATH")]
    stdin_filename: Option<PathBuf>,

    #[command(flatten)]
    format: FindingFormatArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ProfileChoice {
    /// The specification's text, with real YAML
    Spec,
    /// The verdict of skills-ref 0.1.1
    Reference,
}

impl ValidateArgs {
    pub(in crate::cli) fn run(mut self, session: &CliSession<'_>) -> Result<u8> {
        let profile = match self.profile {
            ProfileChoice::Spec => ValidationProfile::Spec,
            ProfileChoice::Reference => ValidationProfile::Reference,
        };

        let text = if self.paths.iter().any(|path| path == Path::new("-")) {
            Some(self.read_loose_file()?)
        } else {
            None
        };

        // `-` has been read above, and is no file of that name.
        self.paths.retain(|path| path != Path::new("-"));
        // With a file on stdin, "." would validate more than what was given.
        if self.paths.is_empty() && text.is_none() {
            self.paths.push(PathBuf::from("."));
        }

        let options = ValidateOptions {
            paths: self.paths,
            text,
            profile,
        };

        let ValidationReport {
            findings,
            sources,
            dirs,
            invalid,
        } = validate(&session.context, &options)?;

        print_report(
            session,
            FindingReport {
                findings,
                sources,
                skills: &dirs,
                hidden: 0,
                statistics: false,
            },
        )?;

        Ok(u8::from(invalid > 0))
    }

    fn read_loose_file(&self) -> Result<UnsavedSkill> {
        Ok(UnsavedSkill {
            bytes: read_stdin()?,
            path: self.stdin_filename.clone(),
        })
    }
}
