//! One file a command: its arguments, and `run`.

mod add;
mod audit;
mod budget;
mod bundle;
mod cache;
mod catalog;
mod completions;
mod config;
mod convert;
mod diff;
mod doctor;
mod export;
mod findings;
mod import;
mod info;
mod init;
mod install;
mod lint;
mod list;
mod lock;
mod login;
mod logout;
mod man;
mod merging;
mod new;
mod outdated;
mod owner;
mod package;
mod patch;
mod proposals;
mod propose;
mod publish;
mod registry;
mod remove;
mod sbom;
mod search;
mod seen;
mod serve;
mod show;
mod tree;
mod undo;
mod update;
mod validate;
mod vendor;
mod verify;
mod watch;
mod why;
mod yank;

use std::io::Read as _;

use clap::{Args, Subcommand};

use super::Session;
use super::render::json;
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::install::plan::Force;
use crate::merge::Outcome;
use crate::ops::sync::{Change, Merge, Rules, Synced};
use crate::report::{Event, Reporter};
use crate::workspace::Sort;

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Init(init::Arguments),
    New(new::Arguments),
    Add(Box<add::Arguments>),
    Remove(remove::Arguments),
    #[command(visible_alias = "sync")]
    Install(install::Arguments),
    Update(update::Arguments),
    Import(import::Arguments),
    Undo(undo::Arguments),
    Outdated(outdated::Arguments),
    Diff(diff::Arguments),
    Patch(patch::Arguments),
    Lock(lock::Arguments),
    Tree(tree::Arguments),
    Why(why::Arguments),
    List(list::Arguments),
    Search(search::Arguments),
    Sbom(sbom::Arguments),
    Info(info::Arguments),
    Show(show::Arguments),
    Verify(verify::Arguments),
    Audit(audit::Arguments),
    Vendor(vendor::Arguments),
    Export(export::Arguments),
    Lint(lint::Arguments),
    Validate(validate::Arguments),
    Package(package::Arguments),
    Convert(convert::Arguments),
    Catalog(catalog::Arguments),
    Serve(Box<serve::Arguments>),
    Watch(watch::Arguments),
    Budget(budget::Arguments),
    Propose(propose::Arguments),
    Proposals(proposals::Arguments),
    Publish(publish::Arguments),
    Yank(yank::Arguments),
    Owner(owner::Arguments),
    Registry(registry::Arguments),
    Cache(cache::Arguments),
    Doctor(doctor::Arguments),
    Config(config::Arguments),
    Login(login::Arguments),
    Logout(logout::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

impl Command {
    /// The settings that the command's own flags set, as `KEY=VALUE`.
    pub(super) fn settings(&self) -> Vec<String> {
        match self {
            Command::Add(arguments) => [arguments.newness.settings(), arguments.passing.settings()].concat(),
            Command::Install(arguments) => [arguments.newness.settings(), arguments.passing.settings()].concat(),
            Command::Update(arguments) => [arguments.newness.settings(), arguments.passing.settings()].concat(),
            Command::Lock(arguments) => arguments.newness.settings(),
            Command::Outdated(arguments) => arguments.newness.settings(),
            Command::Publish(arguments) => arguments.settings(),
            _ => Vec::new(),
        }
    }

    /// Whether the command is run even if the settings cannot be read, to say why.
    pub(super) fn bears_broken_settings(&self) -> bool {
        matches!(self, Command::Doctor(_))
    }

    /// The name of a command that changes projects; `skillpm` for the others.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Command::Add(_) => "add",
            Command::Remove(_) => "remove",
            Command::Install(_) => "install",
            Command::Update(_) => "update",
            Command::Lock(_) => "lock",
            Command::Vendor(_) => "vendor",
            Command::Import(_) => "import",
            Command::Patch(_) => "patch",
            _ => "skillpm",
        }
    }

    pub(super) fn run(self, session: &Session<'_>) -> Result<u8> {
        // Before anything is done: a form that a command does not have must not come to light afterwards.
        match self {
            Command::Catalog(_) | Command::Show(_) => {}
            Command::Audit(_) | Command::Lint(_) | Command::Validate(_) => {
                findings::Form::of(session)?;
            }
            Command::Sbom(_) => {
                sbom::form(session)?;
            }
            _ => {
                session.json()?;
            }
        }
        match self {
            Command::Init(arguments) => arguments.run(session),
            Command::New(arguments) => arguments.run(session),
            Command::Add(arguments) => arguments.run(session),
            Command::Remove(arguments) => arguments.run(session),
            Command::Install(arguments) => arguments.run(session),
            Command::Update(arguments) => arguments.run(session),
            Command::Import(arguments) => arguments.run(session),
            Command::Undo(arguments) => arguments.run(session),
            Command::Outdated(arguments) => arguments.run(session),
            Command::Diff(arguments) => arguments.run(session),
            Command::Patch(arguments) => arguments.run(session),
            Command::Lock(arguments) => arguments.run(session),
            Command::Tree(arguments) => arguments.run(session),
            Command::Why(arguments) => arguments.run(session),
            Command::List(arguments) => arguments.run(session),
            Command::Search(arguments) => arguments.run(session),
            Command::Sbom(arguments) => arguments.run(session),
            Command::Info(arguments) => arguments.run(session),
            Command::Show(arguments) => arguments.run(session),
            Command::Verify(arguments) => arguments.run(session),
            Command::Audit(arguments) => arguments.run(session),
            Command::Vendor(arguments) => arguments.run(session),
            Command::Export(arguments) => arguments.run(session),
            Command::Lint(arguments) => arguments.run(session),
            Command::Validate(arguments) => arguments.run(session),
            Command::Package(arguments) => arguments.run(session),
            Command::Convert(arguments) => arguments.run(session),
            Command::Catalog(arguments) => arguments.run(session),
            Command::Serve(arguments) => arguments.run(session),
            Command::Watch(arguments) => arguments.run(session),
            Command::Budget(arguments) => arguments.run(session),
            Command::Propose(arguments) => arguments.run(session),
            Command::Proposals(arguments) => arguments.run(session),
            Command::Publish(arguments) => arguments.run(session),
            Command::Yank(arguments) => arguments.run(session),
            Command::Owner(arguments) => arguments.run(session),
            Command::Registry(arguments) => arguments.run(session),
            Command::Cache(arguments) => arguments.run(session),
            Command::Doctor(arguments) => arguments.run(session),
            Command::Config(arguments) => arguments.run(session),
            Command::Login(arguments) => arguments.run(session),
            Command::Logout(arguments) => arguments.run(session),
            Command::Completions(arguments) => Ok(arguments.run(session.shell)),
            Command::Man(arguments) => arguments.run(session.shell),
        }
    }
}

/// Which project a command works on.
#[derive(Debug, Args)]
struct Scope {
    /// Work on your own skills, not the project's
    #[arg(short, long)]
    global: bool,
}

impl Scope {
    fn sort(&self) -> Sort {
        if self.global { Sort::Managed } else { Sort::Project }
    }
}

/// How far a command that changes a project goes.
#[derive(Debug, Args)]
struct Reach {
    /// Tell what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

    /// Save what is in the way to .skillpm/backup; go on
    #[arg(long)]
    force: bool,
}

impl Reach {
    fn rules(&self, session: &Session<'_>) -> Rules {
        Rules {
            locked: session.locked,
            dry_run: self.dry_run,
            force: if self.force { Force::SaveAside } else { Force::No },
            ..Rules::default()
        }
    }
}

/// How new a registry's version may be.
#[derive(Debug, Args)]
struct Newness {
    /// Pass over versions published more lately than AGE
    ///
    /// Such as `24h` or `7 days`. Of this and what the manifest's `[policy]` says the stricter holds; what is locked stays.
    #[arg(long, value_name = "AGE")]
    min_release_age: Option<String>,

    /// Pass over versions published after DATE
    ///
    /// Such as `2026-11-01` (UTC, that day is within) or `2026-11-01T12:00:00Z`. Of this and what the manifest's
    /// `[policy]` says the stricter holds; what is locked stays.
    #[arg(long, value_name = "DATE")]
    exclude_newer: Option<String>,
}

impl Newness {
    /// The same as settings.
    fn settings(&self) -> Vec<String> {
        let pairs = [("min-release-age", &self.min_release_age), ("exclude-newer", &self.exclude_newer)];
        pairs.into_iter().filter_map(|(key, value)| Some(format!("resolver.{key}={}", value.as_ref()?))).collect()
    }
}

/// What is installed though something critical is found in it, or nobody vouches for it any more.
#[derive(Debug, Args)]
struct Passing {
    /// Install in spite of what this rule finds (repeatable)
    ///
    /// A rule about security (SK7), by code or name. For everybody who works on the project, write it into
    /// `allow-findings` below `[policy]` in `skillpm.toml`.
    #[arg(long, value_name = "RULE", value_delimiter = ',', hide_short_help = true)]
    allow_finding: Vec<String>,

    /// Install what its registry revoked, from the lockfile
    #[arg(long, hide_short_help = true)]
    allow_revoked: bool,
    /// Let what nobody vouches for follow what was signed
    ///
    /// A package that was locked as signed is not followed by one that is not, or by one whose key is not listed, unless
    /// this says so.
    #[arg(long, hide_short_help = true)]
    allow_unsigned: bool,
}

impl Passing {
    /// The same as settings.
    fn settings(&self) -> Vec<String> {
        let mut settings = Vec::new();
        if !self.allow_finding.is_empty() {
            settings.push(format!("policy.allow-findings={}", self.allow_finding.join(",")));
        }
        if self.allow_revoked {
            settings.push("policy.allow-revoked=true".to_owned());
        }
        if self.allow_unsigned {
            settings.push("policy.allow-unsigned=true".to_owned());
        }
        settings
    }
}

/// Tells what came of a command that changes a project; the exit code is 1 if somebody has to decide something.
fn tell(session: &Session<'_>, synced: &Synced) -> Result<u8> {
    let conflicts = synced.merges.iter().flat_map(|merge| &merge.files).filter(|change| change.outcome.is_conflict());
    let code = u8::from(conflicts.count() > 0);
    if session.json()? {
        json::synced(synced).iter().for_each(|value| session.shell.object(value));
        return Ok(code);
    }
    if session.shell.is_verbose() {
        synced.kept.iter().for_each(|name| session.shell.status("Fresh", name.as_str()));
    }
    for change in &synced.changes {
        session.shell.report(if synced.dry_run { would(change) } else { event(change) });
    }
    for merge in &synced.merges {
        session.shell.status(if synced.dry_run { "Would merge" } else { "Merged" }, &merged(merge));
        for change in merge.files.iter().filter(|change| change.outcome.is_conflict()) {
            let (file, said) = (merge.place.join(change.path.as_str()), conflict(change.outcome, synced.dry_run));
            let then = format!("then `skillpm patch {}` keeps what you decided", merge.name);
            session.shell.warn(&format!("`{}` {said}", file.display()), (!synced.dry_run).then_some(then.as_str()));
        }
    }
    for patched in &synced.patched {
        session.shell.status(patch::verb(patched.outcome, synced.dry_run), &patch::told(patched));
    }
    for place in &synced.carried {
        session.shell.status("Carried", &format!("the edits of another copy to {}", place.display()));
    }
    for place in &synced.cleared {
        let verb = if synced.dry_run { "Would clear" } else { "Cleared" };
        session.shell.status(verb, &format!("{}, which is no target any more", place.display()));
    }
    for place in &synced.left {
        session.shell.warn(
            &format!("`{}` is not what skillpm put there, and stays as it is", place.display()),
            Some("move it away if it is not needed there"),
        );
    }
    for place in &synced.edited {
        session.shell.warn(
            &format!("`{}` was edited, and stays as it is", place.display()),
            Some("`skillpm diff` shows the edits, and `skillpm patch NAME` keeps them"),
        );
    }
    let packages = plural(synced.packages, "skill");
    if synced.dry_run {
        session.shell.status("Dry run", "nothing was changed");
    } else if synced.up_to_date {
        let but = if synced.edited.is_empty() && synced.left.is_empty() {
            "all as the lockfile says"
        } else {
            "but for the edits"
        };
        session.shell.status("Unchanged", &format!("{packages}, {but}"));
    } else if synced.lock_changed {
        session.shell.status("Locked", &format!("{packages} in skillpm.lock"));
    } else if synced.changes.is_empty() && synced.carried.is_empty() && synced.cleared.is_empty() {
        session.shell.status("Saved", "skillpm.toml; nothing else had to change");
    }
    Ok(code)
}

/// `pdf: your changes with upstream's in SKILL.md; kept yours in a.md`
fn merged(merge: &Merge) -> String {
    let groups: [(&str, &[Outcome]); 4] = [
        ("both changed", &[Outcome::Merged, Outcome::Conflict, Outcome::BinaryConflict]),
        ("yours", &[Outcome::Kept, Outcome::KeptAdded]),
        ("yours, removed upstream", &[Outcome::KeptThoughRemoved]),
        ("removed by you", &[Outcome::KeptRemoved]),
    ];
    let told = groups.iter().filter_map(|(said, outcomes)| {
        let files = merge.files.iter().filter(|change| outcomes.contains(&change.outcome));
        let files: Vec<&str> = files.map(|change| change.path.as_str()).collect();
        (!files.is_empty()).then(|| format!("{said}: {}", files.join(", ")))
    });
    format!("your changes of {} with upstream's ({})", merge.name, told.collect::<Vec<_>>().join("; "))
}

fn conflict(outcome: Outcome, dry_run: bool) -> &'static str {
    match (outcome, dry_run) {
        (Outcome::BinaryConflict, _) => "is no text: yours stays, and upstream's is in the store",
        (_, true) => "would have both changes between marks, for you to decide",
        (_, false) => "has both changes between marks, for you to decide",
    }
}

fn event(change: &Change) -> Event {
    let what = |locked: &crate::lockfile::Locked| format!("{} {}", locked.install_name(), locked.revision());
    match change {
        Change::Installed(locked) => Event::Installed { what: what(locked), place: None },
        Change::Restored(locked) => Event::Done { verb: "Restored", what: what(locked) },
        Change::Updated(from, to) => {
            let (from, to) = (revision(from, to), (to.install_name().to_string(), revision(to, from)));
            Event::Updated { what: to.0, from, to: to.1 }
        }
        Change::Removed(name) => Event::Removed { what: name.to_string() },
    }
}

/// What would be done about it.
fn would(change: &Change) -> Event {
    let what = |locked: &crate::lockfile::Locked| format!("{} {}", locked.install_name(), locked.revision());
    let (verb, what) = match change {
        Change::Installed(locked) => ("Would add", what(locked)),
        Change::Restored(locked) => ("Would mend", what(locked)),
        Change::Updated(from, to) => {
            ("Would update", format!("{} {} -> {}", to.install_name(), revision(from, to), revision(to, from)))
        }
        Change::Removed(name) => ("Would remove", name.to_string()),
    };
    Event::Done { verb, what }
}

/// A package's revision as it is told beside another of its revisions: by what tells the two apart.
fn revision(locked: &crate::lockfile::Locked, other: &crate::lockfile::Locked) -> String {
    let shown = locked.revision();
    if shown != other.revision() {
        return shown;
    }
    let detail = match (&locked.commit, &other.commit) {
        (Some(commit), Some(others)) if commit != others => commit.chars().take(8).collect(),
        _ => locked.checksum.short(),
    };
    if shown == detail { shown } else { format!("{shown} ({detail})") }
}

/// Warns of each skill directory that no agent would list, with the first reason.
fn warn_of_unlisted(session: &Session<'_>, catalog: &Catalog) {
    for unlisted in &catalog.unlisted {
        let Some(found) = unlisted.diagnostics.first() else { continue };
        let place = found.place(&unlisted.location.display().to_string());
        session.shell.warn(&format!("{place}: {} ({})", found.message, found.rule), found.help.as_deref());
    }
}

/// Most that is read of stdin as a file, in bytes.
const INPUT_MAX: u64 = 16 << 20;

/// What stdin holds, as one file.
fn stdin() -> Result<Vec<u8>> {
    let mut text = Vec::new();
    let read = std::io::stdin().take(INPUT_MAX + 1).read_to_end(&mut text);
    read.map_err(|cause| Error::disk(format!("stdin cannot be read: {cause}")))?;
    if text.len() as u64 > INPUT_MAX {
        return Err(Error::usage(format!("stdin has more than {INPUT_MAX} bytes; that is no file of a skill")));
    }
    Ok(text)
}

pub(super) fn plural(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}
