use std::path::PathBuf;

use clap::Args;

use super::Scope;
use crate::cli::Session;
use crate::error::{Error, Result};
use crate::io::disk;
use crate::ops::sbom::sbom;
use crate::sbom::Form;

/// Write a bill of materials of what is locked
///
/// Every package with its version, source, checksums, licence and needs, as
/// CycloneDX 1.6 (the default) or SPDX 2.3, both in JSON. The same lockfile
/// gives the same bytes; a time stands in it only if `SOURCE_DATE_EPOCH` is set.
///
/// Examples:
///
///   skillpm sbom --output bom.json
///   skillpm sbom --format spdx --output skills.spdx.json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Write into this file, not to stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    scope: Scope,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let text = sbom(&session.context, self.scope.sort(), form(session)?)?;
        match &self.output {
            None => session.shell.raw(text.as_bytes()),
            Some(file) => {
                disk::write_output(&session.file_at(file)?, text.as_bytes())?;
                session.shell.status("Wrote", &file.display().to_string());
            }
        }
        Ok(0)
    }
}

/// The form that was asked for.
pub(super) fn form(session: &Session<'_>) -> Result<Form> {
    match session.format.as_deref() {
        None | Some("cyclonedx") => Ok(Form::CycloneDx),
        Some("spdx") => Ok(Form::Spdx),
        Some(other) => Err(Error::usage(format!("a bill of materials has no form `{other}`"))
            .help("its forms are `cyclonedx` and `spdx`, both in JSON")),
    }
}
