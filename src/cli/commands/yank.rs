use clap::Args;
use semver::Version;
use serde_json::json;

use crate::cli::Session;
use crate::error::{Error, Result};
use crate::ops::yank::{YankOptions, yank};
use crate::package::PackageName;

/// Withdraw a published version from new resolves
///
/// A lockfile that has it keeps working, and nobody chooses it anew. Nothing is
/// deleted: `--undo` takes it back in.
///
/// Examples:
///
///   skillpm yank acme/pdf@1.2.0
///   skillpm yank acme/pdf@1.2.0 --undo --registry acme
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The version, as NAME@VERSION
    #[arg(value_name = "NAME@VERSION", value_parser = parse)]
    version: (PackageName, Version),

    /// Take it back in
    #[arg(long)]
    undo: bool,

    /// The registry it is in, by its name in the settings
    #[arg(long, value_name = "NAME")]
    registry: Option<String>,
}

fn parse(text: &str) -> Result<(PackageName, Version)> {
    let whole = || Error::usage("it names no version; `NAME@VERSION` was expected, such as `acme/pdf@1.2.0`");
    let (name, version) = text.split_once('@').ok_or_else(whole)?;
    let version = version.parse().map_err(|cause| Error::usage(format!("`{version}` is not a version: {cause}")))?;
    Ok((name.parse()?, version))
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let (name, version) = self.version.clone();
        let options = YankOptions {
            name: name.clone(),
            version: version.clone(),
            undo: self.undo,
            registry: self.registry.clone(),
        };
        let yanked = yank(&session.context, &options)?;
        if session.json()? {
            session.shell.object(&json!({
                "type": if self.undo { "unyanked" } else { "yanked" },
                "name": name,
                "version": version,
                "registry": yanked.registry,
                "changed": yanked.changed,
                "commit": yanked.commit,
            }));
            return Ok(0);
        }
        let what = format!("{name} {version} in {}", yanked.registry);
        match (yanked.changed, self.undo) {
            (true, false) => session.shell.status("Yanked", &what),
            (true, true) => session.shell.status("Unyanked", &what),
            (false, false) => session.shell.status("Unchanged", &format!("{what} is yanked already")),
            (false, true) => session.shell.status("Unchanged", &format!("{what} is not yanked")),
        }
        Ok(0)
    }
}
