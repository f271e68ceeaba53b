use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::{Newness, Scope, plural};
use crate::cli::Session;
use crate::error::{Error, Result};
use crate::install::plan::Force;
use crate::lockfile::Locked;
use crate::ops::lock_merge::{Driven, DriverFiles, drive, settle};
use crate::ops::sync::{Rules, Wish, hold, sync};

/// Decide on versions and write the lockfile
///
/// Installs nothing. What is locked stays as long as it fits the manifest.
///
/// Examples:
///
///   skillpm lock
///   skillpm lock --locked     check that the lockfile answers the manifest
///   skillpm lock --merge      settle a merge conflict in the lockfile
///   git config merge.skillpm.driver 'skillpm lock --merge %O %A %B %P'
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Tell what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

    /// Settle a merge conflict; with FILEs, be git's merge driver
    ///
    /// Makes one lockfile of what both sides of a merge decided. Given what git calls `%O %A %B`, and `%P` after them if you
    /// like, writes the answer over the second, and ends with 1 if a package is left to be decided.
    #[arg(long, value_name = "FILE", num_args = 0..=4)]
    merge: Option<Vec<PathBuf>>,

    #[command(flatten)]
    pub(super) newness: Newness,

    #[command(flatten)]
    scope: Scope,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        if let Some(files) = self.merge.as_deref().filter(|files| !files.is_empty()) {
            return self.drive(session, files);
        }
        let rules = Rules {
            locked: session.locked,
            dry_run: self.dry_run,
            force: Force::No,
            lock_only: true,
            ..Rules::default()
        };
        let synced = if self.merge.is_some() {
            settle(&session.context, self.scope.sort(), rules)?
        } else {
            let held = hold(&session.context, self.scope.sort(), None)?;
            sync(&session.context, &held, &Wish::default(), rules)?
        };
        if session.json()? {
            crate::cli::render::json::synced(&synced).iter().for_each(|value| session.shell.object(value));
        } else {
            let verb = if synced.lock_changed { "Locked" } else { "Unchanged" };
            session.shell.status(verb, &format!("{} in skillpm.lock", plural(synced.packages, "skill")));
        }
        Ok(0)
    }

    fn drive(&self, session: &Session<'_>, files: &[PathBuf]) -> Result<u8> {
        let (base, ours, theirs, path) = match files {
            [base, ours, theirs] => (base, ours, theirs, None),
            [base, ours, theirs, path] => (base, ours, theirs, Some(path)),
            _ => {
                let found = plural(files.len(), "file");
                return Err(Error::usage(format!("a merge needs what both sides began with, the one and the other: {found} were given"))
                    .help("`git config merge.skillpm.driver 'skillpm lock --merge %O %A %B %P'`; without files it settles the project's lockfile"));
            }
        };
        if self.dry_run || session.locked {
            return Err(Error::usage("a merge of files writes the second of them")
                .help("leave `--dry-run`, `--locked` and `--frozen` away, or the files"));
        }
        let paths = [base, ours, theirs].map(Clone::clone);
        let [base, ours, theirs] = paths;
        let driven = drive(&session.context, &DriverFiles { base, ours, theirs, path: path.cloned() })?;
        tell(session, &driven)?;
        Ok(u8::from(!driven.clashes.is_empty()))
    }
}

fn tell(session: &Session<'_>, driven: &Driven) -> Result<()> {
    if session.json()? {
        for clash in &driven.clashes {
            let side = |side: &Option<Locked>| side.as_ref().map(Locked::reference);
            session.shell.object(&json!({
                "type": "lock-clash",
                "name": clash.name(),
                "ours": side(&clash.ours),
                "theirs": side(&clash.theirs),
                "why": clash.why,
            }));
        }
        session.shell.object(&json!({
            "type": "lock-merged",
            "packages": driven.packages,
            "clashes": driven.clashes.len(),
        }));
        return Ok(());
    }
    for clash in &driven.clashes {
        let revision = |side: &Option<Locked>| side.as_ref().map_or_else(|| "nothing".to_owned(), Locked::revision);
        let name = clash.name().map(ToString::to_string).unwrap_or_default();
        let (ours, theirs) = (revision(&clash.ours), revision(&clash.theirs));
        session
            .shell
            .warn(&format!("`{name}` is left to be decided (ours {ours}, theirs {theirs}): {}", clash.why), None);
    }
    if driven.clashes.is_empty() {
        session.shell.status("Merged", &format!("{} in skillpm.lock", plural(driven.packages, "skill")));
    } else {
        session
            .shell
            .status("Left", "skillpm.lock with markers: `skillpm lock --merge` settles it once skillpm.toml is merged");
    }
    Ok(())
}
