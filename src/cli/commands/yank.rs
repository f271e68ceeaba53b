use clap::Args;
use semver::Version;
use serde_json::json;

use crate::cli::Session;
use crate::error::{Error, Result};
use crate::index::write::edit::Mark;
use crate::ops::yank::{YankOptions, yank};
use crate::package::PackageName;

/// Withdraw a published version from new resolves
///
/// A lockfile that has it keeps working, and nobody chooses it anew. Nothing is
/// deleted: `--undo` takes it back in.
///
/// `--revoke` is for what does harm: nobody installs it any more, from a lockfile
/// neither, and who has it installed is told.
///
/// Examples:
///
///   skillpm yank acme/pdf@1.2.0
///   skillpm yank acme/pdf@1.2.0 --undo --registry acme
///   skillpm yank acme/pdf@1.2.0 --revoke --reason "sends forms to a stranger"
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The version, as NAME@VERSION
    #[arg(value_name = "NAME@VERSION", value_parser = parse)]
    version: (PackageName, Version),

    /// Take it back in
    #[arg(long)]
    undo: bool,

    /// Forbid it to everybody, because it does harm
    ///
    /// With `--undo` it may be had again.
    #[arg(long)]
    revoke: bool,

    /// Why it is revoked, in a sentence that everybody reads
    #[arg(long, value_name = "TEXT", requires = "revoke", conflicts_with = "undo")]
    reason: Option<String>,

    /// The registry it is in, by its name in the settings
    #[arg(long, value_name = "NAME")]
    registry: Option<String>,
}

/// Longest reason, in characters.
const REASON_MAX: usize = 200;

fn parse(text: &str) -> Result<(PackageName, Version)> {
    let whole = || Error::usage("it names no version; `NAME@VERSION` was expected, such as `acme/pdf@1.2.0`");
    let (name, version) = text.split_once('@').ok_or_else(whole)?;
    let version = version.parse().map_err(|cause| Error::usage(format!("`{version}` is not a version: {cause}")))?;
    Ok((name.parse()?, version))
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let (name, version) = self.version.clone();
        let (mark, done, already) = self.asked()?;
        let options =
            YankOptions { name: name.clone(), version: version.clone(), mark, registry: self.registry.clone() };
        let yanked = yank(&session.context, &options)?;
        if session.json()? {
            session.shell.object(&json!({
                "type": done.to_lowercase(),
                "name": name,
                "version": version,
                "registry": yanked.registry,
                "changed": yanked.changed,
                "commit": yanked.commit,
            }));
            return Ok(0);
        }
        let what = format!("{name} {version} in {}", yanked.registry);
        if yanked.changed {
            session.shell.status(done, &what);
        } else {
            session.shell.status("Unchanged", &format!("{what} {already}"));
        }
        Ok(0)
    }

    /// What is asked for, what it is called when it is done, and what is said where nothing had to be.
    fn asked(&self) -> Result<(Mark, &'static str, &'static str)> {
        Ok(match (self.revoke, self.undo) {
            (false, false) => (Mark::Yanked, "Yanked", "is yanked already"),
            (false, true) => (Mark::Unyanked, "Unyanked", "is not yanked"),
            (true, false) => (Mark::Revoked(self.reason()?), "Revoked", "is revoked already, for that reason"),
            (true, true) => (Mark::Unrevoked, "Unrevoked", "is not revoked"),
        })
    }

    fn reason(&self) -> Result<String> {
        let reason = self.reason.as_deref().unwrap_or("its owners revoked it").trim();
        if reason.is_empty() || reason.chars().any(char::is_control) || reason.chars().count() > REASON_MAX {
            return Err(Error::usage(format!("a reason is one line of at most {REASON_MAX} characters"))
                .help("say what it does: `--reason \"sends forms to a stranger\"`"));
        }
        Ok(reason.to_owned())
    }
}
