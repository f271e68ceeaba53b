use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::plural;
use crate::cli::Session;
use crate::error::Result;
use crate::ops::vendor::{Change, Kind, VendorOptions, Vendored, vendor};

/// Keep every locked package in this repository
///
/// Puts each into a directory, `vendor` unless another is named, with a file
/// beside it that says where it came from and what its files are; and has that
/// directory stand in for their sources, in .skillpm/config.toml. Commit both:
/// a clone then installs without the network, and without what is elsewhere,
/// what the lockfile says, byte for byte. What lies in the project already is
/// left where it is.
///
/// Run it again when the lockfile has changed: it brings what is new, and takes
/// away what is locked no more.
///
/// Examples:
///
///   skillpm vendor
///   skillpm vendor third-party --versioned-dirs
///   skillpm update --config vendor.use=false && skillpm vendor
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// The directory, in the project [default: vendor]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,

    /// Name directories with versions: pdf-1.2.0
    #[arg(long)]
    versioned_dirs: bool,

    /// Keep what is locked no more
    #[arg(long)]
    no_delete: bool,

    /// Tell what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let options = VendorOptions {
            dir: self.dir.clone(),
            versioned: self.versioned_dirs,
            no_delete: self.no_delete,
            locked: session.locked,
            dry_run: self.dry_run,
        };
        let vendored = vendor(&session.context, &options)?;
        if as_json {
            vendored.changes.iter().for_each(|change| session.shell.object(&object(change)));
            session.shell.object(&summary(&vendored, self.dry_run));
        } else {
            vendored.changes.iter().for_each(|change| self.tell(session, change));
            self.tell_all(session, &vendored);
        }
        for path in &vendored.ignored {
            session.shell.warn(
                &format!("git ignores `{path}`, so a clone would not have it"),
                Some("take the pattern that says so out of `.gitignore`, or name another directory"),
            );
        }
        Ok(0)
    }

    fn tell(&self, session: &Session<'_>, change: &Change) {
        let (verb, would) = match change.kind {
            Kind::Kept if session.shell.is_verbose() => ("Fresh", "Fresh"),
            Kind::Kept => return,
            Kind::Added => ("Vendored", "Would vendor"),
            Kind::Replaced => ("Replaced", "Would replace"),
            Kind::Removed => ("Removed", "Would remove"),
            Kind::Stale => ("Left", "Would leave"),
        };
        let what = format!("{} in {}", change.record.reference(), change.path.display());
        session.shell.status(if self.dry_run { would } else { verb }, &what);
        if let Some(saved) = &change.saved {
            let will = if self.dry_run { "would be" } else { "is" };
            let message =
                format!("`{}` was edited; what it was {will} in `{}`", change.path.display(), saved.display());
            session.shell.warn(&message, None);
        }
    }

    fn tell_all(&self, session: &Session<'_>, vendored: &Vendored) {
        let packages = plural(vendored.packages(), "package");
        if vendored.lock_changed && !vendored.sources.is_empty() && !self.dry_run {
            session.shell.status("Locked", "skillpm.lock answers the manifest again; `skillpm install` installs it");
        }
        if self.dry_run {
            session.shell.status("Dry run", "nothing was changed");
        } else if vendored.is_unchanged() {
            session.shell.status("Unchanged", &format!("{packages} in {}, as the lockfile says", vendored.directory));
        } else if vendored.sources.is_empty() {
            session.shell.status("Finished", "nothing is locked that does not lie in the project");
        } else {
            let sources = plural(vendored.sources.len(), "source");
            let what = format!(
                "{packages} in {}, in place of {sources}; commit it, and .skillpm/config.toml",
                vendored.directory
            );
            session.shell.status("Finished", &what);
        }
    }
}

fn object(change: &Change) -> Value {
    let done = match change.kind {
        Kind::Kept => "kept",
        Kind::Added => "added",
        Kind::Replaced => "replaced",
        Kind::Removed => "removed",
        Kind::Stale => "stale",
    };
    let record = &change.record;
    json!({
        "type": "vendored",
        "name": record.name,
        "version": record.version.as_ref().map(ToString::to_string),
        "source": record.source,
        "checksum": record.checksum,
        "path": change.path,
        "change": done,
        "saved": change.saved,
    })
}

fn summary(vendored: &Vendored, dry_run: bool) -> Value {
    json!({
        "type": "summary",
        "directory": vendored.directory,
        "packages": vendored.packages(),
        "sources": vendored.sources,
        "ignored": vendored.ignored,
        "lock-changed": vendored.lock_changed,
        "up-to-date": vendored.is_unchanged(),
        "dry-run": dry_run,
    })
}
