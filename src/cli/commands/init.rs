use std::path::PathBuf;

use clap::Args;

use crate::cli::Session;
use crate::error::Result;
use crate::ops::create;

/// Make a manifest for this project
///
/// Writes an empty `skillpm.toml`, to which `skillpm add` adds. Commit it
/// together with `skillpm.lock`.
///
/// Examples:
///
///   skillpm init
///   skillpm init path/to/project
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The directory to make it in [default: this one]
    directory: Option<PathBuf>,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let path = create::init(&session.context, self.directory.as_deref())?;
        session.shell.status("Created", &path.display().to_string());
        Ok(0)
    }
}
