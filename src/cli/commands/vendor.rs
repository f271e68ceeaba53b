//! `vendor`: writes the locked packages into the repository with [`vendor`], and lists each directory that is added,
//! replaced or removed.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::plural;
use crate::cli::CliSession;
use crate::error::Result;
use crate::ops::vendor::{VendorAction, VendorChange, VendorOptions, VendorReport, vendor};

/// Vendor all locked packages into the repository
///
/// Writes each package to a directory (default `vendor`), with a file that records
/// its source and checksums, and replaces the sources with that directory in
/// .skillpm/config.toml. Commit both: a clone then installs the locked packages,
/// byte for byte, without network access. Packages that are in the project already
/// are left where they are.
///
/// Run it again when the lockfile has changed: it adds new packages, and removes
/// those that are no longer locked.
///
/// Examples:
///
///   skillpm vendor
///   skillpm vendor third-party --versioned-dirs
///   skillpm update --config vendor.use=false && skillpm vendor
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct VendorArgs {
    /// The directory, in the project [default: vendor]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Name directories with versions: pdf-1.2.0
    #[arg(long)]
    versioned_dirs: bool,

    /// Keep packages that are no longer locked
    #[arg(long)]
    no_delete: bool,

    /// Show what would be done without doing it
    #[arg(long)]
    dry_run: bool,
}

impl VendorArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        let options = VendorOptions {
            dir: self.dir.clone(),
            versioned: self.versioned_dirs,
            no_delete: self.no_delete,
            locked: session.locked,
            dry_run: self.dry_run,
        };

        let vendored = vendor(&session.context, &options)?;
        if as_json {
            vendored
                .changes
                .iter()
                .for_each(|change| session.shell.print_object(&change_json(change)));
            session
                .shell
                .print_object(&summary_json(&vendored, self.dry_run));
        } else {
            vendored
                .changes
                .iter()
                .for_each(|change| self.print_change(session, change));
            self.print_summary(session, &vendored);
        }

        for path in &vendored.ignored {
            // A clone without these files could not install, which shows only on another machine.
            session.shell.warn(
                &format!("`{path}` is ignored by git, so a clone would not have it"),
                Some("remove the pattern from `.gitignore`, or choose another directory"),
            );
        }

        Ok(0)
    }

    fn print_change(&self, session: &CliSession<'_>, change: &VendorChange) {
        let (verb, would) = match change.kind {
            VendorAction::Kept if session.shell.is_verbose() => ("Fresh", "Fresh"),
            VendorAction::Kept => return,
            VendorAction::Added => ("Vendored", "Would vendor"),
            VendorAction::Replaced => ("Replaced", "Would replace"),
            VendorAction::Removed => ("Removed", "Would remove"),
            // Only with `--no-delete`.
            VendorAction::Stale => ("Left", "Would leave"),
        };

        let what = format!("{} in {}", change.record.reference(), change.path.display());
        session
            .shell
            .status(if self.dry_run { would } else { verb }, &what);

        if let Some(saved) = &change.saved {
            let will = if self.dry_run { "would be" } else { "is" };
            let message = format!(
                "`{}` has local edits; a backup {will} in `{}`",
                change.path.display(),
                saved.display()
            );
            session.shell.warn(&message, None);
        }
    }

    fn print_summary(&self, session: &CliSession<'_>, vendored: &VendorReport) {
        let packages = plural(vendored.packages(), "package");

        // `vendor` locks first, and the installed skills may be older than the lockfile now.
        if vendored.lock_changed && !vendored.sources.is_empty() && !self.dry_run {
            session.shell.status(
                "Locked",
                "skillpm.lock is up to date with the manifest; run `skillpm install` to install it",
            );
        }

        if self.dry_run {
            session.shell.status("Dry run:", "nothing was changed");
        } else if vendored.is_unchanged() {
            session.shell.status(
                "Unchanged",
                &format!(
                    "{packages} in {}, up to date with skillpm.lock",
                    vendored.directory
                ),
            );
        // All packages are in the project already, and nothing was written.
        } else if vendored.sources.is_empty() {
            session
                .shell
                .status("Finished", "no locked packages from outside the project");
        } else {
            let sources = plural(vendored.sources.len(), "source");
            let what = format!(
                "{packages} in {}, replacing {sources}; commit it, and .skillpm/config.toml",
                vendored.directory
            );
            session.shell.status("Finished", &what);
        }
    }
}

fn change_json(change: &VendorChange) -> Value {
    let done = match change.kind {
        VendorAction::Kept => "kept",
        VendorAction::Added => "added",
        VendorAction::Replaced => "replaced",
        VendorAction::Removed => "removed",
        VendorAction::Stale => "stale",
    };

    let record = &change.record;
    json!({
        "type": "vendored",
        "name": record.name,
        "version": record.version.as_ref().map(ToString::to_string),
        "source": record.source,
        "checksum": record.checksum,
        "path": change.path,
        // Not `type`, which is the same for all of them.
        "change": done,
        "saved": change.saved,
    })
}

fn summary_json(vendored: &VendorReport, dry_run: bool) -> Value {
    json!({
        "type": "summary",
        "directory": vendored.directory,
        "packages": vendored.packages(),
        "sources": vendored.sources,
        "ignored": vendored.ignored,
        "lock_changed": vendored.lock_changed,
        "up_to_date": vendored.is_unchanged(),
        "dry_run": dry_run,
    })
}
