//! `yank`: withdraws or revokes a version with [`yank`], and prints the commit of the index.

use clap::Args;
use semver::Version;
use serde_json::json;

use crate::cli::CliSession;
use crate::error::{Error, Result};
use crate::index::write::edit::VersionMark;
use crate::ops::yank::{YankOptions, yank};
use crate::package::PackageName;

/// Yank a published version, or revoke it
///
/// Lockfiles with the version keep working, but it is no longer selected by new
/// resolutions. Nothing is deleted: `--undo` unyanks it.
///
/// `--revoke` is for harmful versions: they are no longer installed, not even from a
/// lockfile, and users who have one installed are warned.
///
/// Examples:
///
///   skillpm yank acme/pdf@1.2.0
///   skillpm yank acme/pdf@1.2.0 --undo --registry acme
///   skillpm yank acme/pdf@1.2.0 --revoke --reason "sends forms to a third party"
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct YankArgs {
    /// The version, as NAME@VERSION
    #[arg(value_name = "NAME@VERSION", value_parser = parse_version_spec)]
    version: (PackageName, Version),

    /// Unyank the version
    #[arg(long)]
    undo: bool,

    /// Revoke a harmful version: refuse to install it at all
    ///
    /// With `--undo`, allows it again.
    #[arg(long)]
    revoke: bool,

    /// Reason for the revocation, shown to all users
    #[arg(
        long,
        value_name = "TEXT",
        requires = "revoke",
        conflicts_with = "undo"
    )]
    reason: Option<String>,

    /// The registry of the package, as named in the settings
    #[arg(long, value_name = "NAME")]
    registry: Option<String>,
}

/// Longest reason, in characters.
const REASON_MAX: usize = 200;

fn parse_version_spec(text: &str) -> Result<(PackageName, Version)> {
    let whole =
        || Error::usage("missing version: expected `NAME@VERSION`, such as `acme/pdf@1.2.0`");
    let (name, version) = text.split_once('@').ok_or_else(whole)?;

    let version = version
        .parse()
        .map_err(|cause| Error::usage(format!("invalid version `{version}`: {cause}")))?;

    Ok((name.parse()?, version))
}

impl YankArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let (name, version) = self.version.clone();
        let (mark, done, already) = self.requested_mark()?;

        let options = YankOptions {
            name: name.clone(),
            version: version.clone(),
            mark,
            registry: self.registry.clone(),
        };
        let yanked = yank(&session.context, &options)?;

        if session.wants_json()? {
            session.shell.print_object(&json!({
                // `yanked`, `unyanked`, `revoked` or `unrevoked`.
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
            session
                .shell
                .status("Unchanged", &format!("{what} {already}"));
        }
        Ok(0)
    }

    /// The requested mark, the status verb, and the message if nothing changes.
    fn requested_mark(&self) -> Result<(VersionMark, &'static str, &'static str)> {
        Ok(match (self.revoke, self.undo) {
            (false, false) => (VersionMark::Yanked, "Yanked", "is already yanked"),
            (false, true) => (VersionMark::Unyanked, "Unyanked", "is not yanked"),
            (true, false) => (
                VersionMark::Revoked(self.checked_reason()?),
                "Revoked",
                "is already revoked, for that reason",
            ),
            // Its own mark, since a version may be yanked as well, and stays so.
            (true, true) => (VersionMark::Unrevoked, "Unrevoked", "is not revoked"),
        })
    }

    fn checked_reason(&self) -> Result<String> {
        let reason = self
            .reason
            .as_deref()
            .unwrap_or("its owners revoked it")
            .trim();
        // It is written to one line of the index, and shown to every user of the version.
        if reason.is_empty()
            || reason.chars().any(char::is_control)
            || reason.chars().count() > REASON_MAX
        {
            return Err(Error::usage(format!(
                "invalid reason: expected one line of at most {REASON_MAX} characters"
            ))
            .help("describe the harm: `--reason \"sends forms to a third party\"`"));
        }

        Ok(reason.to_owned())
    }
}
