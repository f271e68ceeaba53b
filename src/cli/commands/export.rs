use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::{Scope, plural};
use crate::cli::Session;
use crate::error::Result;
use crate::ops::bundle::{ExportOptions, export};

/// Write a bundle for a machine without a network
///
/// One file with every locked package that does not lie in the project, the
/// lockfile and the manifest, each with its digest. The same lockfile gives the
/// same bytes. On the other machine, `skillpm import FILE` puts the packages
/// into the store, and `skillpm install --frozen` installs them.
///
/// Examples:
///
///   skillpm export
///   skillpm export /media/stick/project.skillpm-bundle.tar.gz
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The file [default: PROJECT.skillpm-bundle.tar.gz]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    #[command(flatten)]
    scope: Scope,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let options = ExportOptions { file: self.file.clone(), sort: self.scope.sort() };
        let exported = export(&session.context, &options)?;
        if as_json {
            session.shell.object(&json!({
                "type": "exported",
                "file": exported.file,
                "size": exported.size,
                "packages": exported.packages.iter().map(super::bundle::package).collect::<Vec<_>>(),
                "up-to-date": exported.is_unchanged,
            }));
            return Ok(0);
        }
        if session.shell.is_verbose() {
            exported.packages.iter().for_each(|package| session.shell.status("Packed", &package.reference()));
        }
        let verb = if exported.is_unchanged { "Unchanged" } else { "Exported" };
        let (packages, file) = (plural(exported.packages.len(), "package"), exported.file.display());
        session.shell.status(verb, &format!("{packages} to {file}, {} bytes", exported.size));
        Ok(0)
    }
}
