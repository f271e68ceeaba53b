//! `export`: writes a bundle with [`export`], and reports its path, size and packages.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::{ScopeArgs, plural};
use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::bundle::{ExportOptions, export};

/// Write a bundle for installing without a network
///
/// The bundle is one file with every locked package that is not in the project, the
/// lockfile and the manifest, each with its digest. The same lockfile gives the same
/// bytes. On the other machine, `skillpm import FILE` adds the packages to the store,
/// and `skillpm install --frozen` installs them.
///
/// Examples:
///
///   skillpm export
///   skillpm export /media/stick/project.skillpm-bundle.tar.gz
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct ExportArgs {
    /// The file [default: PROJECT.skillpm-bundle.tar.gz]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    #[command(flatten)]
    scope: ScopeArgs,
}

impl ExportArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        // Before the bundle is written, so that a wrong flag leaves no file.
        let as_json = session.wants_json()?;
        let options = ExportOptions {
            file: self.file.clone(),
            sort: self.scope.workspace_kind(),
        };

        let exported = export(&session.context, &options)?;
        if as_json {
            session.shell.print_object(&json!({
                "type": "exported",
                "file": exported.file,
                "size": exported.size,
                "packages": exported.packages.iter().map(super::bundle::package_json).collect::<Vec<_>>(),
                // A file with the same bytes was not written again.
                "up_to_date": exported.is_unchanged,
            }));
            return Ok(0);
        }

        if session.shell.is_verbose() {
            exported
                .packages
                .iter()
                .for_each(|package| session.shell.status("Packed", &package.reference()));
        }

        let verb = if exported.is_unchanged {
            "Unchanged"
        } else {
            "Exported"
        };

        let (packages, file) = (
            plural(exported.packages.len(), "package"),
            exported.file.display(),
        );
        session.shell.status(
            verb,
            &format!("{packages} to {file}, {} bytes", exported.size),
        );
        Ok(0)
    }
}
