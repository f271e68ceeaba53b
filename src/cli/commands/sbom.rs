//! `sbom`: prints the bill of materials of [`sbom`], in CycloneDX or SPDX.

use std::path::PathBuf;

use clap::Args;

use super::ScopeArgs;
use crate::cli::CliSession;
use crate::cli::format_args::{SbomFormatArgs, SbomFormatChoice, parse_value};
use crate::cli::render::foreign_text::escape_json_text;
use crate::error::{Error, Result};
use crate::io::disk;
use crate::ops::sbom::sbom;
use crate::sbom::SbomFormat;

/// Write an SBOM of all locked packages
///
/// The software bill of materials lists every package with its version, source,
/// checksums, license and dependencies, as CycloneDX 1.6 (the default) or SPDX 2.3,
/// both in JSON. The same lockfile gives the same bytes; a timestamp is included
/// only if `SOURCE_DATE_EPOCH` is set.
///
/// Examples:
///
///   skillpm sbom --output bom.json
///   skillpm sbom --format spdx --output skills.spdx.json
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct SbomArgs {
    /// Write into this file, not to stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    format: SbomFormatArgs,
}

impl SbomArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let text = sbom(
            &session.context,
            self.scope.workspace_kind(),
            sbom_format(session)?,
        )?;
        // A license or an author of a package is foreign text, also for a person who opens the file.
        let text = escape_json_text(&text);
        match &self.output {
            None => session.shell.print_raw(text.as_bytes()),
            // Inside the project no link may lead the file out of it, hence resolve_output.
            Some(file) => {
                disk::write_output(&session.resolve_output(file)?, text.as_bytes())?;
                session.shell.status("Wrote", &file.display().to_string());
            }
        }
        Ok(0)
    }
}

/// The selected format.
pub(super) fn sbom_format(session: &CliSession<'_>) -> Result<SbomFormat> {
    // No `human`: a bill of materials is for programs.
    let name = session.format.as_deref().unwrap_or("cyclonedx");
    match parse_value(name) {
        Some(SbomFormatChoice::Cyclonedx) => Ok(SbomFormat::CycloneDx),
        Some(SbomFormatChoice::Spdx) => Ok(SbomFormat::Spdx),
        None => Err(Error::usage(format!(
            "unsupported format `{name}` for a bill of materials"
        ))
        .help("use `skillpm sbom --format cyclonedx` or `skillpm sbom --format spdx`")),
    }
}
