//! `cache`: sizes, checks and cleans what [`cache`] finds below `$SKILLPM_HOME`; each removal is listed before its
//! total.

use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::plural;
use crate::cli::CliSession;
use crate::cli::render::human::{align_columns, format_size};
use crate::cli::shell::CliShell;
use crate::error::{Error, Result};
use crate::ops::cache::{
    self, CacheEntry, CachePart, CacheRemoval, CacheTotal, CacheVerification, CleanTarget,
    DamagedEntry, PruneOptions,
};
use crate::sources::release_age::parse_age;

/// Manage the cache that all projects share
///
/// `$SKILLPM_HOME` contains the trees of all packages (store), copies of git
/// repositories (git) and of index files (index). Removed entries are fetched again
/// when needed, except trees that only `skillpm undo` uses and the record of earlier
/// index contents, which detects changed published versions.
///
/// Examples:
///
///   skillpm cache size
///   skillpm cache verify
///   skillpm cache prune --older-than '90 days' --dry-run
///   skillpm cache clean pdf
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct CacheArgs {
    #[command(subcommand)]
    action: CacheCommand,
}

#[derive(Debug, Subcommand)]
enum CacheCommand {
    /// Show the size of the cache
    Size,
    /// Print the cache directories
    Dir {
        /// Limit to this part of the cache
        // The names of the directories below `$SKILLPM_HOME`.
        #[arg(value_parser = ["store", "git", "index"])]
        part: Option<String>,
    },
    /// Verify checksums and remove damaged entries
    ///
    /// Checks every stored tree, every pack of a repository and every copy of an index file against its checksum. Exits
    /// with 1 if anything was damaged; damaged entries are fetched again when needed.
    Verify,
    /// Remove entries that were not used for a while
    ///
    /// Keeps trees that a project on this machine needs, whatever their age: those in its lockfile, in its state and in the
    /// history of `skillpm undo`. A project is known once a skillpm command has changed it.
    Prune {
        /// Remove entries not used for AGE
        ///
        /// Such as `90 days` or `12h`; `0` for all entries that no known project needs.
        #[arg(long, value_name = "AGE", default_value = "30 days", value_parser = parse_duration)]
        older_than: Duration,
        /// Show what would be removed without removing it
        #[arg(long)]
        dry_run: bool,
    },
    /// Remove all entries, or all of one skill or source
    ///
    /// Keeps and lists trees that `skillpm undo` or a saved patch file needs. Removing an index also removes the record of
    /// its earlier contents, which detects changed published versions.
    Clean {
        /// A skill, a repository, an index, or a tree's checksum
        #[arg(value_name = "PACKAGE|SOURCE")]
        of: Option<CleanTarget>,
    },
}

fn parse_duration(text: &str) -> Result<Duration> {
    parse_age(text)
        // A negative age has no meaning for `--older-than`.
        .and_then(|age| Duration::try_from(age).ok())
        .ok_or_else(|| {
            Error::usage(format!("invalid age `{}`", text.escape_debug()))
                .help("write it as `12h`, `30 days` or `2 weeks`")
        })
}

impl CacheArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        match &self.action {
            CacheCommand::Size => print_sizes(session),
            CacheCommand::Dir { part } => print_directories(session, part.as_deref()),
            CacheCommand::Verify => verify_cache(session),
            CacheCommand::Prune {
                older_than,
                dry_run,
            } => {
                let options = PruneOptions {
                    older_than: *older_than,
                    dry_run: *dry_run,
                };
                let removed = cache::prune(&session.context, options)?;
                print_removed(
                    session,
                    &removed,
                    if *dry_run { "Would prune" } else { "Pruned" },
                )
            }
            CacheCommand::Clean { of } => {
                let removed = cache::clean(&session.context, of.as_ref())?;
                print_removed(session, &removed, "Cleaned")
            }
        }
    }
}

fn print_sizes(session: &CliSession<'_>) -> Result<u8> {
    let totals = cache::read_contents(&session.context)?.totals(&session.context);

    if session.wants_json()? {
        totals
            .iter()
            .for_each(|total| session.shell.print_object(&total_json(total)));
        return Ok(0);
    }

    let sum: u64 = totals.iter().map(|total| total.bytes).sum();
    let row = |total: &CacheTotal| {
        vec![
            total.part.to_string(),
            format_size(total.bytes),
            total.part.describe_count(total.entries),
        ]
    };
    let mut rows: Vec<Vec<String>> = totals.iter().map(row).collect();
    // The sum comes last, with the directory that all parts are in.
    rows.push(vec![
        "in all".into(),
        format_size(sum),
        session.context.dirs.skillpm_home.display().to_string(),
    ]);

    align_columns(&rows)
        .iter()
        .for_each(|line| session.shell.print_line(line));
    Ok(0)
}

fn total_json(total: &CacheTotal) -> Value {
    json!({
        "type": "cache-size",
        "part": total.part.to_string(),
        "path": total.path,
        "entries": total.entries,
        "bytes": total.bytes,
    })
}

fn print_directories(session: &CliSession<'_>, part: Option<&str>) -> Result<u8> {
    let as_json = session.wants_json()?;
    // No `Tables`: they are beside the indexes, in the same directory.
    for cache_part in [CachePart::Store, CachePart::Git, CachePart::Index] {
        if part.is_some_and(|part| part != cache_part.to_string()) {
            continue;
        }

        // The directories are printed even if they do not exist: scripts ask before they fill them.
        let path = session
            .context
            .dirs
            .skillpm_home
            .join(cache_part.directory());
        if as_json {
            session.shell.print_object(
                &json!({"type": "cache-dir", "part": cache_part.to_string(), "path": path}),
            );
        } else {
            session.shell.print_line(&path.display().to_string());
        }
    }
    Ok(0)
}

fn verify_cache(session: &CliSession<'_>) -> Result<u8> {
    let CacheVerification { contents, damaged } = cache::verify(&session.context)?;
    let totals = contents.totals(&session.context);

    // Tables are derived from the other parts and not verified, so they do not count.
    let checked: usize = totals
        .iter()
        .filter(|total| total.part != CachePart::Tables)
        .map(|total| total.entries)
        .sum();

    let bytes = contents.bytes(&session.context);
    if session.wants_json()? {
        damaged
            .iter()
            .for_each(|one| session.shell.print_object(&damaged_json(one)));
        session.shell.print_object(&json!({
            "type": "cache-verified",
            "checked": checked,
            "damaged": damaged.len(),
            "bytes": bytes,
        }));
    } else if damaged.is_empty() {
        // The totals of store, git and indexes; the fourth is that of the tables.
        let parts: Vec<String> = totals[..3]
            .iter()
            .map(|total| total.part.describe_count(total.entries))
            .collect();
        session.shell.status(
            "Verified",
            &format!("{} ({})", parts.join(", "), format_size(bytes)),
        );
    } else {
        print_damaged(session, &damaged, checked);
    }

    Ok(u8::from(!damaged.is_empty()))
}

/// Prints the damaged entries, and how many of those that were checked they are.
fn print_damaged(session: &CliSession<'_>, damaged: &[DamagedEntry], checked: usize) {
    damaged.iter().for_each(|one| {
        session
            .shell
            .print_line(&format!("damaged {}: {}", one.item.path.display(), one.why));
    });

    warn_about_lost_trees(session, damaged);

    // What was set aside is still there: it may be the last copy of someone's edits.
    let gone = damaged.iter().filter(|one| one.set_aside.is_none()).count();
    let message = format!(
        "{} of {} damaged; {gone} removed",
        damaged.len(),
        plural(checked, "entry").replace("entrys", "entries")
    );

    session
        .shell
        .warn(&message, Some("run `skillpm install` to fetch them again"));
}

/// Warns of each damaged tree that cannot be fetched again, with the place where its files are now.
fn warn_about_lost_trees(session: &CliSession<'_>, damaged: &[DamagedEntry]) {
    for (one, set_aside) in damaged
        .iter()
        .filter_map(|one| Some((one, one.set_aside.as_ref()?)))
    {
        let message = format!(
            "damaged tree `{}` was the only copy of files that a command replaced in a project",
            one.item.name
        );

        let help = format!(
            "`skillpm undo` cannot restore it; the remaining files are in `{}`",
            set_aside.display()
        );

        session.shell.warn(&message, Some(&help));
    }
}

fn damaged_json(damaged: &DamagedEntry) -> Value {
    json!({
        "type": "cache-damaged",
        "part": damaged.item.part.to_string(),
        "name": damaged.item.name,
        "path": damaged.item.path,
        "why": damaged.why,
        "set_aside": damaged.set_aside,
    })
}

fn print_removed(session: &CliSession<'_>, removed: &CacheRemoval, verb: &str) -> Result<u8> {
    let is_dry = verb.starts_with("Would");

    if session.wants_json()? {
        print_removed_json(session.shell, removed, is_dry);
        return Ok(0);
    }

    // The names of what is gone are of no use; those of a dry run are what was asked for.
    for item in removed
        .items
        .iter()
        .filter(|_| is_dry || session.shell.is_verbose())
    {
        session.shell.print_line(&format!(
            "{}\t{}\t{}",
            item.part,
            format_size(item.extent.bytes),
            item.name
        ));
    }

    for (item, why) in &removed.kept {
        session.shell.status(
            "Kept",
            &format!("{} ({}): {why}", item.name, format_size(item.extent.bytes)),
        );
    }

    // The copy of an index is also what its next answer is compared with.
    // Without it, a version that changed in between shows only against a lockfile.
    if removed
        .items
        .iter()
        .any(|item| item.part == CachePart::Index)
    {
        session.shell.warn(
            "the record of earlier index contents was removed too",
            Some("changed published versions are still detected by the checksums in lockfiles"),
        );
    }

    session.shell.status(
        verb,
        &format!(
            "{}; {} before, {} after",
            describe_counts(&removed.items),
            format_size(removed.before),
            format_size(removed.after)
        ),
    );
    Ok(0)
}

fn print_removed_json(shell: &CliShell, removed: &CacheRemoval, is_dry: bool) {
    let kind = if is_dry {
        "cache-removable"
    } else {
        "cache-removed"
    };

    removed
        .items
        .iter()
        .for_each(|item| shell.print_object(&item_json(kind, item, None)));
    removed
        .kept
        .iter()
        .for_each(|(item, why)| shell.print_object(&item_json("cache-kept", item, Some(why))));

    shell.print_object(&json!({
        "type": "cache-summary",
        "removed": removed.items.len(),
        "kept": removed.kept.len(),
        "bytes_before": removed.before,
        "bytes_after": removed.after,
        "dry_run": is_dry,
    }));
}

/// `2 packages, 1 repository`; `nothing` for none.
fn describe_counts(items: &[CacheEntry]) -> String {
    let counts = CachePart::ALL.iter().filter_map(|cache_part| {
        let count = items.iter().filter(|item| item.part == *cache_part).count();
        (count > 0).then(|| cache_part.describe_count(count))
    });

    let counts: Vec<String> = counts.collect();
    if counts.is_empty() {
        "nothing".to_owned()
    } else {
        counts.join(", ")
    }
}

fn item_json(kind: &str, item: &CacheEntry, why: Option<&String>) -> Value {
    json!({
        "type": kind,
        "part": item.part.to_string(),
        "name": item.name,
        "path": item.path,
        "bytes": item.extent.bytes,
        "why": why,
    })
}
