//! `lock`: resolves without installing ([`sync`]); with `--merge`, is git's merge driver for lockfiles
//! ([`merge_files`], [`resolve_conflict`]).

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::{ReleaseAgeArgs, ScopeArgs, plural};
use crate::cli::CliSession;
use crate::cli::shell::CliShell;
use crate::error::{Error, Result};
use crate::install::plan::ForceMode;
use crate::lockfile::LockedPackage;
use crate::ops::lock_merge::{DriverFiles, MergeDriverReport, merge_files, resolve_conflict};
use crate::ops::sync::{SyncOptions, SyncRequest, lock_project, sync};

/// Resolve versions and write the lockfile
///
/// Installs nothing. Locked versions stay as long as they match the manifest.
///
/// Examples:
///
///   skillpm lock
///   skillpm lock --locked     check that the lockfile is up to date
///   skillpm lock --merge      resolve a merge conflict in the lockfile
///   git config merge.skillpm.driver 'skillpm lock --merge %O %A %B %P'
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct LockArgs {
    /// Show what would be done without doing it
    #[arg(long)]
    dry_run: bool,

    /// Resolve a merge conflict; with FILEs, act as git's merge driver
    ///
    /// Merges the lockfiles of both sides. As a merge driver (`%O %A %B`, and optionally `%P`), writes the result to the
    /// second file, and exits with 1 if a package remains in conflict.
    // One flag for both uses, since git passes the files of a driver as arguments.
    #[arg(long, value_name = "FILE", num_args = 0..=4)]
    merge: Option<Vec<PathBuf>>,

    #[command(flatten)]
    pub(super) newness: ReleaseAgeArgs,

    #[command(flatten)]
    scope: ScopeArgs,
}

impl LockArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        // Called by git as a merge driver, with the files of the three sides.
        if let Some(files) = self.merge.as_deref().filter(|files| !files.is_empty()) {
            return self.run_merge_driver(session, files);
        }

        let rules = SyncOptions {
            locked: session.locked,
            dry_run: self.dry_run,
            force: ForceMode::No,
            lock_only: true,
            ..SyncOptions::default()
        };

        // `--merge` alone: the lockfile of the project, with git's markers in it.
        let synced = if self.merge.is_some() {
            resolve_conflict(&session.context, self.scope.workspace_kind(), rules)?
        } else {
            let lock = lock_project(&session.context, self.scope.workspace_kind(), None)?;
            sync(&session.context, &lock, &SyncRequest::default(), rules)?
        };

        if session.wants_json()? {
            crate::cli::render::json::sync_json(&synced)
                .iter()
                .for_each(|value| session.shell.print_object(value));
        } else {
            let verb = if synced.lock_changed {
                "Locked"
            } else {
                "Unchanged"
            };
            session.shell.status(
                verb,
                &format!("{} in skillpm.lock", plural(synced.packages, "skill")),
            );
        }
        Ok(0)
    }

    fn run_merge_driver(&self, session: &CliSession<'_>, files: &[PathBuf]) -> Result<u8> {
        // As git passes them; `%P` may be left out.
        let (base, ours, theirs, path) = match files {
            [base, ours, theirs] => (base, ours, theirs, None),
            [base, ours, theirs, path] => (base, ours, theirs, Some(path)),
            _ => {
                let found = plural(files.len(), "file");
                return Err(Error::usage(format!("`--merge` requires three files (base, ours, theirs), found {found}"))
                    .help("`git config merge.skillpm.driver 'skillpm lock --merge %O %A %B %P'`; without files, it resolves the project's lockfile"));
            }
        };

        // git expects the result in the second file, so a driver that writes nothing would lose it.
        if self.dry_run || session.locked {
            return Err(Error::usage(
                "cannot use `--dry-run`, `--locked` or `--frozen` with files to merge",
            )
            .help("remove `--dry-run`, `--locked` and `--frozen`, or the files"));
        }

        let paths = [base, ours, theirs].map(Clone::clone);
        let [base, ours, theirs] = paths;

        let driven = merge_files(
            &session.context,
            &DriverFiles {
                base,
                ours,
                theirs,
                path: path.cloned(),
            },
        )?;
        print_merge(session, &driven)?;
        // git takes any code but 0 for a conflict that is left.
        Ok(u8::from(!driven.clashes.is_empty()))
    }
}

fn print_merge(session: &CliSession<'_>, driven: &MergeDriverReport) -> Result<()> {
    if session.wants_json()? {
        print_merge_json(session.shell, driven);
        return Ok(());
    }

    for clash in &driven.clashes {
        let name = clash.name().map(ToString::to_string).unwrap_or_default();
        let (ours, theirs) = (
            describe_side(clash.ours.as_ref()),
            describe_side(clash.theirs.as_ref()),
        );
        session.shell.warn(
            &format!(
                "unresolved conflict in `{name}` (ours {ours}, theirs {theirs}): {}",
                clash.reason
            ),
            None,
        );
    }

    if driven.clashes.is_empty() {
        session.shell.status(
            "Merged",
            &format!("{} in skillpm.lock", plural(driven.packages, "skill")),
        );
    } else {
        session
            .shell
            .status("Left", "skillpm.lock with conflict markers: run `skillpm lock --merge` once skillpm.toml is merged");
    }
    Ok(())
}

/// A side of a conflict: the locked revision, or that the package is not locked there.
fn describe_side(side: Option<&LockedPackage>) -> String {
    side.map_or_else(|| "nothing".to_owned(), LockedPackage::revision)
}

fn print_merge_json(shell: &CliShell, driven: &MergeDriverReport) {
    for clash in &driven.clashes {
        shell.print_object(&json!({
            "type": "lock-clash",
            "name": clash.name(),
            "ours": clash.ours.as_ref().map(LockedPackage::reference),
            "theirs": clash.theirs.as_ref().map(LockedPackage::reference),
            "why": clash.reason,
        }));
    }

    shell.print_object(&json!({
        "type": "lock-merged",
        "packages": driven.packages,
        "clashes": driven.clashes.len(),
    }));
}
