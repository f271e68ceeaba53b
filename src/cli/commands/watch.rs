use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::plural;
use crate::catalog::{Catalog, Change, Copy, Covered, Subject};
use crate::cli::Session;
use crate::cli::shell::visible;
use crate::error::{Context as _, Error, Result};
use crate::ops::catalog::CatalogOptions;
use crate::ops::live::{Attention, Live, Stop, Update};
use crate::report::Diagnostic;

/// Say what changes in the catalog, as it changes
///
/// Follows the directories of all tiers, and prints a line for each skill that is
/// added, changed, removed, shadowed or made invalid, half a second after the last
/// write. Goes on until it is ended, or nobody reads on.
///
/// Examples:
///
///   skillpm watch
///   skillpm watch --format json | my-agent --reload
///   skillpm watch --once && make prompt
#[derive(Debug, Args)]
#[command(verbatim_doc_comment)]
pub(in crate::cli) struct Arguments {
    /// Follow this directory, not the tiers (repeatable)
    #[arg(long = "dir", value_name = "DIR")]
    dirs: Vec<PathBuf>,

    /// As this agent sees them, in its own order
    #[arg(long, value_name = "ID")]
    agent: Option<String>,

    /// Begin with what is there already
    #[arg(long)]
    existing: bool,

    /// End after the first change
    #[arg(long)]
    once: bool,

    /// Look every SECONDS, and do not rely on events
    ///
    /// For file systems that tell nothing of changes. Where skillpm notices that by itself it looks every second.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    poll: Option<f64>,
}

impl Arguments {
    pub(in crate::cli) fn run(&self, session: &Session<'_>) -> Result<u8> {
        let as_json = session.json()?;
        let options =
            CatalogOptions { dirs: self.dirs.clone(), agent: self.agent.clone(), ..CatalogOptions::default() };
        let mut live = Live::open(&session.context, options, self.attention()?)?;
        let teller = Teller { session, as_json, stop: live.stopper() };
        teller.begin(&live)?;
        if self.existing {
            teller.tell(&live.catalog().changes_since(&Catalog::default()))?;
        }
        let stop = live.stopper();
        let mut failure = None;
        live.follow(|update| {
            match update {
                Ok(Update { changes, .. }) => {
                    failure = teller.tell(&changes).err();
                    if self.once || failure.is_some() {
                        stop.stop();
                    }
                }
                // The next change may put it right.
                Err(error) => {
                    let text = std::iter::once(error.message()).chain(error.causes().iter().map(String::as_str));
                    let help = error.helps().first().map(String::as_str);
                    session.shell.warn(&text.collect::<Vec<_>>().join(": "), help);
                }
            }
        });
        failure.map_or(Ok(0), Err)
    }

    fn attention(&self) -> Result<Attention> {
        let Some(seconds) = self.poll else { return Ok(Attention::Events) };
        let every = Duration::try_from_secs_f64(seconds).ok().filter(|every| !every.is_zero());
        let every = every.ok_or_else(|| Error::usage("`--poll` takes a number of seconds above 0"))?;
        Ok(Attention::Polling { every, why: None })
    }
}

struct Teller<'s> {
    session: &'s Session<'s>,
    as_json: bool,
    stop: Stop,
}

impl Teller<'_> {
    /// Says that it has begun: whoever reads this has missed nothing since.
    fn begin(&self, live: &Live<'_>) -> Result<()> {
        let (by, why) = match live.attention() {
            Attention::Events => ("events", None),
            Attention::Polling { why, .. } => ("polling", why.as_deref()),
        };
        let skills = live.catalog().entries.len();
        if self.as_json {
            return self.print(&[json!({"type": "watching", "skills": skills, "by": by, "why": why}).to_string()]);
        }
        let how = why.map_or(String::new(), |why| format!(", by looking again and again: {why}"));
        self.session.shell.status("Watching", &format!("{}{how}", plural(skills, "skill")));
        Ok(())
    }

    fn tell(&self, changes: &[Change]) -> Result<()> {
        let line = |change| if self.as_json { object(change).to_string() } else { visible(&row(change)) };
        self.print(&changes.iter().map(line).collect::<Vec<_>>())
    }

    /// Prints lines; ends the watch if nobody reads them.
    fn print(&self, lines: &[String]) -> Result<()> {
        let written = self.session.shell.stream(|out| {
            let written = lines.iter().try_for_each(|line| writeln!(out, "{line}")).and_then(|()| out.flush());
            if written.is_err() {
                self.stop.stop();
            }
            written
        });
        written.context(|| "could not write what changes".to_owned())
    }
}

/// A change for people: what happened, the tier, the name, the place.
fn row(change: &Change) -> String {
    let line = |verb: &str, copy: &Copy, name: &str, rest: &str| {
        format!("{verb:10} {:9} {name}  {}{rest}", copy.tier.name(), copy.path.display())
    };
    let of = |verb, Subject { name, copy, hidden, .. }: &Subject, rest: &str| {
        let hidden = hidden.map_or(String::new(), |why| format!("  [hidden: {why}]"));
        line(verb, copy, name, &format!("{rest}{hidden}"))
    };
    let covered = |verb, Covered { name, loser, winner, .. }: &Covered| {
        line(verb, loser, name, &format!("  (by {})", winner.path.display()))
    };
    match change {
        Change::Added(subject) => of("added", subject, ""),
        Change::Changed(subject, aspects) => of("changed", subject, &format!("  ({})", aspects.join(", "))),
        Change::Removed(subject) => of("removed", subject, ""),
        Change::Shadowed(pair) => covered("shadowed", pair),
        Change::Unshadowed(pair) => covered("unshadowed", pair),
        Change::Invalid { location, diagnostics } => {
            let why = diagnostics.first().map_or("", |found| &found.message);
            format!("{:10} {}  {why}", "invalid", location.display())
        }
    }
}

/// A change for programs.
fn object(change: &Change) -> Value {
    match change {
        Change::Added(subject) => of_subject("added", subject),
        Change::Changed(subject, aspects) => {
            let mut value = of_subject("changed", subject);
            value["aspects"] = json!(aspects);
            value
        }
        Change::Removed(subject) => of_subject("removed", subject),
        Change::Shadowed(pair) => of_pair("shadowed", pair),
        Change::Unshadowed(pair) => of_pair("unshadowed", pair),
        Change::Invalid { location, diagnostics } => invalid(location, diagnostics),
    }
}

fn of_subject(kind: &str, Subject { name, copy, description, hidden }: &Subject) -> Value {
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

fn of_pair(kind: &str, Covered { name, loser, winner, same_content }: &Covered) -> Value {
    json!({
        "type": kind,
        "name": name,
        "tier": loser.tier,
        "location": loser.path,
        "version": loser.version,
        "checksum": loser.checksum,
        "same-content": same_content,
        "by": {"tier": winner.tier, "path": winner.path, "version": winner.version},
    })
}

fn invalid(location: &Path, diagnostics: &[Diagnostic]) -> Value {
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
