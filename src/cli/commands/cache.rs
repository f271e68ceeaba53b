use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::plural;
use crate::cli::Session;
use crate::cli::render::human::{columns, size};
use crate::error::{Error, Result};
use crate::ops::cache::{self, Damaged, Item, Of, PruneOptions, Removed, Shelf, Total, Verified};
use crate::sources::release_age::age;

/// Look after what is kept for all projects
///
/// Below `$SKILLPM_HOME` lie the trees of all packages (store), copies of git
/// repositories (git) and of indexes' files (index). All of it is brought anew when
/// it is needed, but for what a project can go back to with `skillpm undo`, and the
/// memory that an index is held to its word by.
///
/// Examples:
///
///   skillpm cache size
///   skillpm cache verify
///   skillpm cache prune --older-than '90 days' --dry-run
///   skillpm cache clean pdf
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show how much is kept
    Size,
    /// Print the directories that hold it
    Dir {
        /// Of this part only
        #[arg(value_parser = ["store", "git", "index"])]
        part: Option<String>,
    },
    /// Read all of it; take away what is damaged
    ///
    /// Every stored tree, every pack of a repository and every copy of an index's file is held against its checksum. Exits
    /// with 1 if anything was damaged; it is brought anew when it is needed.
    Verify,
    /// Take away what was not used for long
    ///
    /// Trees that a project on this machine needs stay, whatever their age: those its lockfile, its state and what `skillpm
    /// undo` goes back to name. A project is known since a command changed it.
    Prune {
        /// Take what was not used for AGE
        ///
        /// Such as `90 days` or `12h`; `0` for whatever no known project needs.
        #[arg(long, value_name = "AGE", default_value = "30 days", value_parser = duration)]
        older_than: Duration,
        /// Tell what would go, and take nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Take away all of it, or all of one thing
    ///
    /// Trees stay that `skillpm undo`, or an edit that is kept as a patch file, goes back to; they are named. With an index
    /// goes what it said before, which it would have been held to.
    Clean {
        /// A skill, a repository, an index, or a tree's checksum
        #[arg(value_name = "PACKAGE|SOURCE")]
        of: Option<Of>,
    },
}

fn duration(text: &str) -> Result<Duration> {
    age(text).and_then(|age| Duration::try_from(age).ok()).ok_or_else(|| {
        Error::usage(format!("`{}` is not an age", text.escape_debug()))
            .help("write it as `12h`, `30 days` or `2 weeks`")
    })
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        match &self.action {
            Action::Size => sizes(session),
            Action::Dir { part } => directories(session, part.as_deref()),
            Action::Verify => verify(session),
            Action::Prune { older_than, dry_run } => {
                let options = PruneOptions { older_than: *older_than, dry_run: *dry_run };
                let removed = cache::prune(&session.context, options)?;
                tell(session, &removed, if *dry_run { "Would prune" } else { "Pruned" })
            }
            Action::Clean { of } => {
                let removed = cache::clean(&session.context, of.as_ref())?;
                tell(session, &removed, "Cleaned")
            }
        }
    }
}

fn sizes(session: &Session<'_>) -> Result<u8> {
    let totals = cache::contents(&session.context)?.totals(&session.context);
    if session.json()? {
        totals.iter().for_each(|total| session.shell.object(&total_object(total)));
        return Ok(0);
    }
    let sum: u64 = totals.iter().map(|total| total.bytes).sum();
    let row = |total: &Total| vec![total.shelf.to_string(), size(total.bytes), total.shelf.counted(total.entries)];
    let mut rows: Vec<Vec<String>> = totals.iter().map(row).collect();
    rows.push(vec!["in all".into(), size(sum), session.context.places.skillpm.display().to_string()]);
    columns(&rows).iter().for_each(|line| session.shell.line(line));
    Ok(0)
}

fn total_object(total: &Total) -> Value {
    json!({
        "type": "cache-size",
        "part": total.shelf.to_string(),
        "path": total.path,
        "entries": total.entries,
        "bytes": total.bytes,
    })
}

fn directories(session: &Session<'_>, part: Option<&str>) -> Result<u8> {
    let as_json = session.json()?;
    for shelf in [Shelf::Store, Shelf::Git, Shelf::Index] {
        if part.is_some_and(|part| part != shelf.to_string()) {
            continue;
        }
        let path = session.context.places.skillpm.join(shelf.directory());
        if as_json {
            session.shell.object(&json!({"type": "cache-dir", "part": shelf.to_string(), "path": path}));
        } else {
            session.shell.line(&path.display().to_string());
        }
    }
    Ok(0)
}

fn verify(session: &Session<'_>) -> Result<u8> {
    let Verified { contents, damaged } = cache::verify(&session.context)?;
    let totals = contents.totals(&session.context);
    let checked: usize = totals.iter().filter(|total| total.shelf != Shelf::Tables).map(|total| total.entries).sum();
    if session.json()? {
        damaged.iter().for_each(|one| session.shell.object(&damaged_object(one)));
        session.shell.object(&json!({
            "type": "cache-verified",
            "checked": checked,
            "damaged": damaged.len(),
            "bytes": contents.bytes(&session.context),
        }));
    } else if damaged.is_empty() {
        let parts: Vec<String> = totals[..3].iter().map(|total| total.shelf.counted(total.entries)).collect();
        session.shell.status("Verified", &format!("{} ({})", parts.join(", "), size(contents.bytes(&session.context))));
    } else {
        damaged.iter().for_each(|one| session.shell.line(&format!("damaged {}: {}", one.item.path.display(), one.why)));
        warn_of_lost(session, &damaged);
        let gone = damaged.iter().filter(|one| one.set_aside.is_none()).count();
        let message = format!(
            "{} of {} damaged; {gone} taken away",
            damaged.len(),
            plural(checked, "entry").replace("entrys", "entries")
        );
        session.shell.warn(&message, Some("they are brought anew when they are needed: `skillpm install`"));
    }
    Ok(u8::from(!damaged.is_empty()))
}

/// Says of each tree that is nowhere else where its files are now.
fn warn_of_lost(session: &Session<'_>, damaged: &[Damaged]) {
    for (one, place) in damaged.iter().filter_map(|one| Some((one, one.set_aside.as_ref()?))) {
        let message = format!("`{}` held what a command had replaced in a project, and is nowhere else", one.item.name);
        let help = format!("`skillpm undo` cannot go back to it; what is left of it is in `{}`", place.display());
        session.shell.warn(&message, Some(&help));
    }
}

fn damaged_object(damaged: &Damaged) -> Value {
    json!({
        "type": "cache-damaged",
        "part": damaged.item.shelf.to_string(),
        "name": damaged.item.name,
        "path": damaged.item.path,
        "why": damaged.why,
        "set-aside": damaged.set_aside,
    })
}

fn tell(session: &Session<'_>, removed: &Removed, verb: &str) -> Result<u8> {
    let is_dry = verb.starts_with("Would");
    if session.json()? {
        for item in &removed.items {
            session.shell.object(&item_object(if is_dry { "cache-removable" } else { "cache-removed" }, item, None));
        }
        for (item, why) in &removed.kept {
            session.shell.object(&item_object("cache-kept", item, Some(why)));
        }
        session.shell.object(&json!({
            "type": "cache-summary",
            "removed": removed.items.len(),
            "kept": removed.kept.len(),
            "bytes-before": removed.before,
            "bytes-after": removed.after,
            "dry-run": is_dry,
        }));
        return Ok(0);
    }
    for item in removed.items.iter().filter(|_| is_dry || session.shell.is_verbose()) {
        session.shell.line(&format!("{}\t{}\t{}", item.shelf, size(item.extent.bytes), item.name));
    }
    for (item, why) in &removed.kept {
        session.shell.status("Kept", &format!("{} ({}): {why}", item.name, size(item.extent.bytes)));
    }
    if removed.items.iter().any(|item| item.shelf == Shelf::Index) {
        session
            .shell
            .warn("what indexes said before is forgotten with their copies", Some("lockfiles hold them to it still"));
    }
    let counts = Shelf::ALL.iter().filter_map(|shelf| {
        let count = removed.items.iter().filter(|item| item.shelf == *shelf).count();
        (count > 0).then(|| shelf.counted(count))
    });
    let counts: Vec<String> = counts.collect();
    let what = if counts.is_empty() { "nothing".to_owned() } else { counts.join(", ") };
    session.shell.status(verb, &format!("{what}; {} before, {} after", size(removed.before), size(removed.after)));
    Ok(0)
}

fn item_object(kind: &str, item: &Item, why: Option<&String>) -> Value {
    json!({
        "type": kind,
        "part": item.shelf.to_string(),
        "name": item.name,
        "path": item.path,
        "bytes": item.extent.bytes,
        "why": why,
    })
}
