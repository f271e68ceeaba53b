//! `watch`: prints each update of a [`LiveCatalog`] until it is interrupted.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::plural;
use crate::catalog::{Catalog, CatalogChange, ChangedSkill, ShadowedPair, SkillCopy};
use crate::cli::CliSession;
use crate::cli::render::foreign_text::escape_line;
use crate::cli::shell::CliShell;
use crate::error::{Error, ErrorContext as _, Result};
use crate::ops::catalog::CatalogOptions;
use crate::ops::live::{CatalogUpdate, LiveCatalog, WatchMode, WatchStopper};
use crate::report::Diagnostic;

/// Watch the catalog and report changes
///
/// Watches the directories of all tiers, and prints a line for each skill that is
/// added, changed, removed, shadowed or made invalid, half a second after the last
/// write. Runs until it is terminated or stdout is closed.
///
/// Examples:
///
///   skillpm watch
///   skillpm watch --format json | my-agent --reload
///   skillpm watch --once && make prompt
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct WatchArgs {
    /// Follow this directory, not the tiers (repeatable)
    #[arg(long = "dir", value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// Resolve names as this agent does
    #[arg(long, value_name = "ID")]
    agent: Option<String>,

    /// Report existing skills first
    #[arg(long)]
    existing: bool,

    /// Exit after the first change
    #[arg(long)]
    once: bool,

    /// Poll every SECONDS instead of using events
    ///
    /// For file systems without change events. If skillpm detects this itself, it polls every second.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    poll: Option<f64>,
}

impl WatchArgs {
    pub(in crate::cli) fn run(&self, session: &CliSession<'_>) -> Result<u8> {
        let as_json = session.wants_json()?;
        let options = CatalogOptions {
            dirs: self.dirs.clone(),
            agent: self.agent.clone(),
            ..CatalogOptions::default()
        };

        let mut live = LiveCatalog::open(&session.context, options, self.watch_mode()?)?;
        // The printer can end the watch: on `| head` its reader goes away.
        let printer = ChangePrinter {
            session,
            as_json,
            stop: live.stopper(),
        };
        printer.print_start(&live)?;
        if self.existing {
            // Compared with an empty catalog, so that what exists comes as `added`.
            printer.print_changes(&live.catalog().changes_since(&Catalog::default()))?;
        }

        // `follow` takes a closure without a result, so the error waits here.
        let mut result = Ok(());
        live.follow(|update| match update {
            Ok(update) => result = printer.print_update(&update, self.once),
            // The next change may fix it.
            Err(error) => warn_about_failure(session.shell, &error),
        });

        result.map(|()| 0)
    }

    fn watch_mode(&self) -> Result<WatchMode> {
        let Some(seconds) = self.poll else {
            return Ok(WatchMode::Events);
        };
        // Zero would mean a loop without a pause; NaN and negative numbers fail the conversion.
        let every = Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|every| !every.is_zero());
        let every = every.ok_or_else(|| {
            Error::usage("invalid `--poll`: expected a number of seconds above 0")
        })?;
        Ok(WatchMode::Polling { every, why: None })
    }
}

fn warn_about_failure(shell: &CliShell, error: &Error) {
    let text = std::iter::once(error.message()).chain(error.causes().iter().map(String::as_str));
    let help = error.helps().first().map(String::as_str);

    shell.warn(&text.collect::<Vec<_>>().join(": "), help);
}

struct ChangePrinter<'s> {
    session: &'s CliSession<'s>,
    as_json: bool,
    stop: WatchStopper,
}

impl ChangePrinter<'_> {
    /// Prints that watching has started: every later change is reported.
    fn print_start(&self, live: &LiveCatalog<'_>) -> Result<()> {
        let (by, why) = match live.attention() {
            WatchMode::Events => ("events", None),
            WatchMode::Polling { why, .. } => ("polling", why.as_deref()),
        };
        let skills = live.catalog().entries.len();

        if self.as_json {
            return self.print_lines(&[
                json!({"type": "watching", "skills": skills, "by": by, "why": why}).to_string(),
            ]);
        }

        let how = why.map_or(String::new(), |why| format!(", by polling: {why}"));
        self.session
            .shell
            .status("Watching", &format!("{}{how}", plural(skills, "skill")));
        Ok(())
    }

    /// Prints the changes of an update; ends the watch after it if `is_last`, or if that fails.
    fn print_update(&self, update: &CatalogUpdate, is_last: bool) -> Result<()> {
        let printed = self.print_changes(&update.changes);
        // While `follow` runs, which does not return by itself.
        if is_last || printed.is_err() {
            self.stop.stop();
        }
        printed
    }

    fn print_changes(&self, changes: &[CatalogChange]) -> Result<()> {
        let line = |change| {
            if self.as_json {
                change_json(change).to_string()
            } else {
                escape_line(&describe_change(change))
            }
        };
        self.print_lines(&changes.iter().map(line).collect::<Vec<_>>())
    }

    /// Prints lines; ends the watch if stdout is closed.
    fn print_lines(&self, lines: &[String]) -> Result<()> {
        let written = self.session.shell.write_stream(|out| {
            // Without this the watch would go on for a reader that has gone.
            write_lines(out, lines).inspect_err(|_| self.stop.stop())
        });

        written.context(|| "failed to write changes".to_owned())
    }
}

fn write_lines(out: &mut dyn Write, lines: &[String]) -> io::Result<()> {
    for line in lines {
        writeln!(out, "{line}")?;
    }
    // Flushed for every change, since a reader at the other end of a pipe waits for it.
    out.flush()
}

/// A change for people: what happened, the tier, the name, the place.
fn describe_change(change: &CatalogChange) -> String {
    match change {
        CatalogChange::Added(subject) => describe_skill("added", subject, ""),
        CatalogChange::Changed(subject, aspects) => {
            describe_skill("changed", subject, &format!("  ({})", aspects.join(", ")))
        }
        CatalogChange::Removed(subject) => describe_skill("removed", subject, ""),
        CatalogChange::Shadowed(pair) => describe_shadow("shadowed", pair),
        CatalogChange::Unshadowed(pair) => describe_shadow("unshadowed", pair),
        CatalogChange::Invalid {
            location,
            diagnostics,
        } => {
            // The first finding is why no agent lists it; `validate` shows the others.
            let why = diagnostics.first().map_or("", |found| &found.message);
            format!("{:10} {}  {why}", "invalid", location.display())
        }
    }
}

fn describe_skill(verb: &str, subject: &ChangedSkill, rest: &str) -> String {
    let hidden = subject
        .hidden
        .map_or(String::new(), |why| format!("  [hidden: {why}]"));
    change_line(
        verb,
        &subject.copy,
        &subject.name,
        &format!("{rest}{hidden}"),
    )
}

fn describe_shadow(verb: &str, pair: &ShadowedPair) -> String {
    let by = format!("  (by {})", pair.winner.path.display());
    change_line(verb, &pair.loser, &pair.name, &by)
}

fn change_line(verb: &str, copy: &SkillCopy, name: &str, rest: &str) -> String {
    // The widths are those of `unshadowed` and `workspace`: a stream cannot be measured first.
    format!(
        "{verb:10} {:9} {name}  {}{rest}",
        copy.tier.name(),
        copy.path.display()
    )
}

/// A change for programs.
fn change_json(change: &CatalogChange) -> Value {
    match change {
        CatalogChange::Added(subject) => skill_json("added", subject),
        CatalogChange::Changed(subject, aspects) => {
            let mut value = skill_json("changed", subject);
            value["aspects"] = json!(aspects);
            value
        }
        CatalogChange::Removed(subject) => skill_json("removed", subject),
        CatalogChange::Shadowed(pair) => shadow_json("shadowed", pair),
        CatalogChange::Unshadowed(pair) => shadow_json("unshadowed", pair),
        CatalogChange::Invalid {
            location,
            diagnostics,
        } => invalid_json(location, diagnostics),
    }
}

fn skill_json(
    kind: &str,
    ChangedSkill {
        name,
        copy,
        description,
        hidden,
    }: &ChangedSkill,
) -> Value {
    json!({
        "type": kind,
        "name": name,
        "tier": copy.tier,
        "location": copy.path,
        "version": copy.version,
        "checksum": copy.checksum,
        "description": description,
        "hidden": hidden,
    })
}

fn shadow_json(
    kind: &str,
    ShadowedPair {
        name,
        loser,
        winner,
        same_content,
    }: &ShadowedPair,
) -> Value {
    json!({
        "type": kind,
        "name": name,
        "tier": loser.tier,
        "location": loser.path,
        "version": loser.version,
        "checksum": loser.checksum,
        "same_content": same_content,
        "by": {"tier": winner.tier, "path": winner.path, "version": winner.version},
    })
}

fn invalid_json(location: &Path, diagnostics: &[Diagnostic]) -> Value {
    let found = diagnostics.first();
    json!({
        "type": "invalid",
        "location": location,
        "rule": found.map(|found| &found.rule),
        "message": found.map(|found| &found.message),
        "line": found.and_then(|found| Some(found.position?.0)),
        "help": found.and_then(|found| found.help.as_ref()),
    })
}
