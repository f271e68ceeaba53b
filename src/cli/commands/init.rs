use std::path::PathBuf;

use clap::Args;

use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::create;

/// Create a manifest for the project
///
/// Writes an empty `skillpm.toml`. Add skills with `skillpm add`, and commit the
/// manifest together with `skillpm.lock`.
///
/// Examples:
///
///   skillpm init
///   skillpm init path/to/project
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct InitArgs {
    /// The directory to create it in [default: this one]
    directory: Option<PathBuf>,
}

impl InitArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let path = create::init(&session.context, self.directory.as_deref())?;
        session.shell.status("Created", &path.display().to_string());
        Ok(0)
    }
}
