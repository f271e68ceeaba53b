//! One file a command: its arguments, and `run`.

mod add;
mod audit;
mod budget;
mod bundle;
mod cache;
mod catalog;
mod catalog_notes;
mod completions;
mod config;
mod conflict_args;
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
#[cfg(feature = "mcp")]
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

use super::CliSession;
use super::render::json;
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::install::plan::ForceMode;
use crate::merge::FileOutcome;
use crate::ops::sync::{SkillChange, SkillMerge, SyncOptions, SyncReport};
use crate::report::{EventReporter, ProgressEvent};
use crate::workspace::WorkspaceKind;

#[derive(Debug, Subcommand)]
pub(super) enum CliCommand {
    Init(init::InitArgs),
    New(new::NewArgs),
    Add(Box<add::AddArgs>),
    Remove(remove::RemoveArgs),
    #[command(visible_alias = "sync")]
    Install(install::InstallArgs),
    Update(update::UpdateArgs),
    Import(import::ImportArgs),
    Undo(undo::UndoArgs),
    Outdated(outdated::OutdatedArgs),
    Diff(diff::DiffArgs),
    Patch(patch::PatchArgs),
    Lock(lock::LockArgs),
    Tree(tree::TreeArgs),
    Why(why::WhyArgs),
    List(list::ListArgs),
    Search(search::SearchArgs),
    Sbom(sbom::SbomArgs),
    Info(info::InfoArgs),
    Show(show::ShowArgs),
    Verify(verify::VerifyArgs),
    Audit(audit::AuditArgs),
    Vendor(vendor::VendorArgs),
    Export(export::ExportArgs),
    Lint(lint::LintArgs),
    Validate(validate::ValidateArgs),
    Package(package::PackageArgs),
    Convert(convert::ConvertArgs),
    Catalog(catalog::CatalogArgs),
    #[cfg(feature = "mcp")]
    Serve(Box<serve::ServeArgs>),
    Watch(watch::WatchArgs),
    Budget(budget::BudgetArgs),
    Propose(propose::ProposeArgs),
    Proposals(proposals::ProposalsArgs),
    Publish(publish::PublishArgs),
    Yank(yank::YankArgs),
    Owner(owner::OwnerArgs),
    Registry(registry::RegistryArgs),
    Cache(cache::CacheArgs),
    Doctor(doctor::DoctorArgs),
    Config(config::ConfigArgs),
    Login(login::LoginArgs),
    Logout(logout::LogoutArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

impl CliCommand {
    /// The settings that the command's own flags set, as `KEY=VALUE` (the highest layer).
    pub(super) fn settings(&self) -> Vec<String> {
        match self {
            CliCommand::Add(arguments) => {
                [arguments.newness.settings(), arguments.passing.settings()].concat()
            }
            CliCommand::Install(arguments) => {
                [arguments.newness.settings(), arguments.passing.settings()].concat()
            }
            CliCommand::Update(arguments) => {
                [arguments.newness.settings(), arguments.passing.settings()].concat()
            }
            CliCommand::Lock(arguments) => arguments.newness.settings(),
            CliCommand::Outdated(arguments) => arguments.newness.settings(),
            CliCommand::Publish(arguments) => arguments.settings(),
            _ => Vec::new(),
        }
    }

    /// Whether the command is run even if the settings cannot be read, to say why.
    pub(super) fn tolerates_broken_settings(&self) -> bool {
        matches!(self, CliCommand::Doctor(_))
    }

    /// The name of a command that changes projects; `skillpm` for the others.
    pub(super) fn name(&self) -> &'static str {
        match self {
            CliCommand::Add(_) => "add",
            CliCommand::Remove(_) => "remove",
            CliCommand::Install(_) => "install",
            CliCommand::Update(_) => "update",
            CliCommand::Lock(_) => "lock",
            CliCommand::Vendor(_) => "vendor",
            CliCommand::Import(_) => "import",
            CliCommand::Patch(_) => "patch",
            _ => "skillpm",
        }
    }

    pub(super) fn run(self, session: &CliSession<'_>) -> Result<u8> {
        // The global flag was before the command, so clap did not check it against the command's own formats.
        if let CliCommand::Sbom(_) = self {
            sbom::sbom_format(session)?;
        }

        match self {
            CliCommand::Init(arguments) => arguments.run(session),
            CliCommand::New(arguments) => arguments.run(session),
            CliCommand::Add(arguments) => arguments.run(session),
            CliCommand::Remove(arguments) => arguments.run(session),
            CliCommand::Install(arguments) => arguments.run(session),
            CliCommand::Update(arguments) => arguments.run(session),
            CliCommand::Import(arguments) => arguments.run(session),
            CliCommand::Undo(arguments) => arguments.run(session),
            CliCommand::Outdated(arguments) => arguments.run(session),
            CliCommand::Diff(arguments) => arguments.run(session),
            CliCommand::Patch(arguments) => arguments.run(session),
            CliCommand::Lock(arguments) => arguments.run(session),
            CliCommand::Tree(arguments) => arguments.run(session),
            CliCommand::Why(arguments) => arguments.run(session),
            CliCommand::List(arguments) => arguments.run(session),
            CliCommand::Search(arguments) => arguments.run(session),
            CliCommand::Sbom(arguments) => arguments.run(session),
            CliCommand::Info(arguments) => arguments.run(session),
            CliCommand::Show(arguments) => arguments.run(session),
            CliCommand::Verify(arguments) => arguments.run(session),
            CliCommand::Audit(arguments) => arguments.run(session),
            CliCommand::Vendor(arguments) => arguments.run(session),
            CliCommand::Export(arguments) => arguments.run(session),
            CliCommand::Lint(arguments) => arguments.run(session),
            CliCommand::Validate(arguments) => arguments.run(session),
            CliCommand::Package(arguments) => arguments.run(session),
            CliCommand::Convert(arguments) => arguments.run(session),
            CliCommand::Catalog(arguments) => arguments.run(session),
            #[cfg(feature = "mcp")]
            CliCommand::Serve(arguments) => arguments.run(session),
            CliCommand::Watch(arguments) => arguments.run(session),
            CliCommand::Budget(arguments) => arguments.run(session),
            CliCommand::Propose(arguments) => arguments.run(session),
            CliCommand::Proposals(arguments) => arguments.run(session),
            CliCommand::Publish(arguments) => arguments.run(session),
            CliCommand::Yank(arguments) => arguments.run(session),
            CliCommand::Owner(arguments) => arguments.run(session),
            CliCommand::Registry(arguments) => arguments.run(session),
            CliCommand::Cache(arguments) => arguments.run(session),
            CliCommand::Doctor(arguments) => arguments.run(session),
            CliCommand::Config(arguments) => arguments.run(session),
            CliCommand::Login(arguments) => arguments.run(session),
            CliCommand::Logout(arguments) => arguments.run(session),
            CliCommand::Completions(arguments) => Ok(arguments.run(session.shell)),
            CliCommand::Man(arguments) => arguments.run(session.shell),
        }
    }
}

/// Which project a command works on.
#[derive(Debug, Args)]
struct ScopeArgs {
    /// Use your own skills instead of the project's
    #[arg(short, long)]
    global: bool,
}

impl ScopeArgs {
    fn workspace_kind(&self) -> WorkspaceKind {
        if self.global {
            WorkspaceKind::Managed
        } else {
            WorkspaceKind::Project
        }
    }
}

/// How far a command that changes a project goes.
#[derive(Debug, Args)]
struct RunArgs {
    /// Show what would be done without doing it
    #[arg(long)]
    dry_run: bool,

    /// Overwrite local changes after saving them to .skillpm/backup
    #[arg(long)]
    force: bool,
}

impl RunArgs {
    fn sync_options(&self, session: &CliSession<'_>) -> SyncOptions {
        SyncOptions {
            locked: session.locked,
            dry_run: self.dry_run,
            force: if self.force {
                ForceMode::SaveAside
            } else {
                ForceMode::No
            },
            ..SyncOptions::default()
        }
    }
}

/// How new a registry's version may be.
#[derive(Debug, Args)]
struct ReleaseAgeArgs {
    /// Ignore versions published less than AGE ago
    ///
    /// Such as `24h` or `7 days`. If the manifest's `[policy]` has a limit too, the stricter applies. Locked versions stay.
    #[arg(long, value_name = "AGE")]
    min_release_age: Option<String>,

    /// Ignore versions published after DATE
    ///
    /// Such as `2026-11-01` (UTC, inclusive) or `2026-11-01T12:00:00Z`. If the manifest's `[policy]` sets a limit too,
    /// the stricter applies. Locked versions stay.
    #[arg(long, value_name = "DATE")]
    exclude_newer: Option<String>,
}

impl ReleaseAgeArgs {
    /// The same as settings.
    fn settings(&self) -> Vec<String> {
        let pairs = [
            ("min-release-age", &self.min_release_age),
            ("exclude-newer", &self.exclude_newer),
        ];
        pairs
            .into_iter()
            .filter_map(|(key, value)| Some(format!("resolver.{key}={}", value.as_ref()?)))
            .collect()
    }
}

/// Flags that allow the installation of packages with critical findings, revoked versions or unsigned versions.
#[derive(Debug, Args)]
struct OverrideArgs {
    /// Allow findings of this security rule (repeatable)
    ///
    /// A security rule (SK7), by code or name. To allow it for everyone who works on the project, add it to
    /// `allow-findings` under `[policy]` in `skillpm.toml`.
    #[arg(
        long = "allow-finding",
        value_name = "RULE",
        value_delimiter = ',',
        hide_short_help = true
    )]
    findings: Vec<String>,

    /// Allow locked versions that their registry revoked
    #[arg(long = "allow-revoked", hide_short_help = true)]
    revoked: bool,

    /// Allow an unsigned version to replace a signed one
    ///
    /// Without this flag, a package that was locked as signed is not updated to an unsigned version, or to one whose key is
    /// not listed.
    #[arg(long = "allow-unsigned", hide_short_help = true)]
    unsigned: bool,
}

impl OverrideArgs {
    /// The same as settings.
    fn settings(&self) -> Vec<String> {
        let mut settings = Vec::new();

        if !self.findings.is_empty() {
            settings.push(format!("policy.allow-findings={}", self.findings.join(",")));
        }
        if self.revoked {
            settings.push("policy.allow-revoked=true".to_owned());
        }
        if self.unsigned {
            settings.push("policy.allow-unsigned=true".to_owned());
        }

        settings
    }
}

/// Prints the results of a command that changes a project; the exit code is 1 if a conflict has to be resolved by hand.
fn print_sync_report(session: &CliSession<'_>, synced: &SyncReport) -> Result<u8> {
    // A file with conflict markers still has to be resolved by hand, so the code is 1.
    let conflicts = synced
        .merges
        .iter()
        .flat_map(|merge| &merge.files)
        .filter(|change| change.outcome.is_conflict());
    let code = u8::from(conflicts.count() > 0);

    if session.wants_json()? {
        json::sync_json(synced)
            .iter()
            .for_each(|value| session.shell.print_object(value));
        return Ok(code);
    }

    if session.shell.is_verbose() {
        synced
            .kept
            .iter()
            .for_each(|name| session.shell.status("Fresh", name.as_str()));
    }

    for change in &synced.changes {
        session.shell.report(if synced.dry_run {
            dry_run_event(change)
        } else {
            change_event(change)
        });
    }

    print_merges(session, synced);

    for patched in &synced.patched {
        session.shell.status(
            patch::outcome_verb(patched.outcome, synced.dry_run),
            &patch::outcome_message(patched),
        );
    }

    for place in &synced.carried {
        session.shell.status(
            "Carried",
            &format!("the edits of another copy to {}", place.display()),
        );
    }

    for place in &synced.cleared {
        let verb = if synced.dry_run {
            "Would clear"
        } else {
            "Cleared"
        };
        session.shell.status(
            verb,
            &format!("{}, which is no longer a target", place.display()),
        );
    }

    for place in &synced.left {
        session.shell.warn(
            &format!(
                "`{}` was not installed by skillpm, and is left unchanged",
                place.display()
            ),
            Some("move it to another directory if it is not needed there"),
        );
    }

    for place in &synced.edited {
        session.shell.warn(
            &format!(
                "`{}` has local edits, and is left unchanged",
                place.display()
            ),
            Some("run `skillpm diff` to see the edits, or `skillpm patch NAME` to save them"),
        );
    }

    let packages = plural(synced.packages, "skill");
    if synced.dry_run {
        session.shell.status("Dry run", "nothing was changed");
    } else if synced.up_to_date {
        // "Up to date" would be wrong with local edits that were left unchanged.
        let but = if synced.edited.is_empty() && synced.left.is_empty() {
            "up to date with skillpm.lock"
        } else {
            "up to date except for local edits"
        };
        session
            .shell
            .status("Unchanged", &format!("{packages}, {but}"));
    } else if synced.lock_changed {
        session
            .shell
            .status("Locked", &format!("{packages} in skillpm.lock"));
    } else if synced.changes.is_empty() && synced.carried.is_empty() && synced.cleared.is_empty() {
        session
            .shell
            .status("Saved", "skillpm.toml; no other changes needed");
    }

    Ok(code)
}

/// Prints what was merged, and the conflicts that are left.
fn print_merges(session: &CliSession<'_>, synced: &SyncReport) {
    for merge in &synced.merges {
        session.shell.status(
            if synced.dry_run {
                "Would merge"
            } else {
                "Merged"
            },
            &merge_message(merge),
        );
        for change in merge
            .files
            .iter()
            .filter(|change| change.outcome.is_conflict())
        {
            let (file, said) = (
                merge.place.join(change.path.as_str()),
                conflict_message(change.outcome, synced.dry_run),
            );
            let then = format!("then `skillpm patch {}` saves your resolution", merge.name);
            session.shell.warn(
                &format!("`{}` {said}", file.display()),
                (!synced.dry_run).then_some(then.as_str()),
            );
        }
    }
}

/// `pdf: your changes with upstream's in SKILL.md; kept yours in a.md`
fn merge_message(merge: &SkillMerge) -> String {
    let groups: [(&str, &[FileOutcome]); 4] = [
        (
            "both changed",
            &[
                FileOutcome::Merged,
                FileOutcome::Conflict,
                FileOutcome::BinaryConflict,
            ],
        ),
        ("yours", &[FileOutcome::Kept, FileOutcome::KeptAdded]),
        ("yours, removed upstream", &[FileOutcome::KeptThoughRemoved]),
        ("removed by you", &[FileOutcome::KeptRemoved]),
    ];

    let parts = groups.iter().filter_map(|(said, outcomes)| {
        let files = merge
            .files
            .iter()
            .filter(|change| outcomes.contains(&change.outcome));
        let files: Vec<&str> = files.map(|change| change.path.as_str()).collect();
        (!files.is_empty()).then(|| format!("{said}: {}", files.join(", ")))
    });

    format!(
        "your changes of {} with upstream's ({})",
        merge.name,
        parts.collect::<Vec<_>>().join("; ")
    )
}

fn conflict_message(outcome: FileOutcome, dry_run: bool) -> &'static str {
    match (outcome, dry_run) {
        (FileOutcome::BinaryConflict, _) => {
            "is a binary file: the local version is kept, the upstream version is in the store"
        }
        (_, true) => "would have conflict markers",
        (_, false) => "has conflict markers; resolve them in an editor",
    }
}

fn change_event(change: &SkillChange) -> ProgressEvent {
    let what = |locked: &crate::lockfile::LockedPackage| {
        format!("{} {}", locked.install_name(), locked.revision())
    };

    match change {
        SkillChange::Installed(locked) => ProgressEvent::Installed {
            what: what(locked),
            location: None,
        },
        SkillChange::Restored(locked) => ProgressEvent::Done {
            verb: "Restored",
            what: what(locked),
        },
        SkillChange::Updated(from, to) => {
            let (from, to) = (
                distinct_revision(from, to),
                (to.install_name().to_string(), distinct_revision(to, from)),
            );
            ProgressEvent::Updated {
                what: to.0,
                from,
                to: to.1,
            }
        }
        SkillChange::Removed(name) => ProgressEvent::Removed {
            what: name.to_string(),
        },
    }
}

/// The event of a change that a dry run would make.
fn dry_run_event(change: &SkillChange) -> ProgressEvent {
    let what = |locked: &crate::lockfile::LockedPackage| {
        format!("{} {}", locked.install_name(), locked.revision())
    };

    let (verb, what) = match change {
        SkillChange::Installed(locked) => ("Would add", what(locked)),
        SkillChange::Restored(locked) => ("Would restore", what(locked)),
        SkillChange::Updated(from, to) => (
            "Would update",
            format!(
                "{} {} -> {}",
                to.install_name(),
                distinct_revision(from, to),
                distinct_revision(to, from)
            ),
        ),
        SkillChange::Removed(name) => ("Would remove", name.to_string()),
    };

    ProgressEvent::Done { verb, what }
}

/// A package's revision as shown next to another one: with the commit or checksum where the versions are equal.
fn distinct_revision(
    locked: &crate::lockfile::LockedPackage,
    other: &crate::lockfile::LockedPackage,
) -> String {
    let shown = locked.revision();

    if shown != other.revision() {
        return shown;
    }
    // The same version twice: a moved branch or rebuilt package differs in commit or checksum.
    let detail = match (&locked.commit, &other.commit) {
        (Some(commit), Some(others)) if commit != others => commit.chars().take(8).collect(),
        _ => locked.checksum.short(),
    };

    if shown == detail {
        shown
    } else {
        format!("{shown} ({detail})")
    }
}

/// Warns of each skill directory that no agent would list, with the first reason.
fn warn_about_unlisted(session: &CliSession<'_>, catalog: &Catalog) {
    for unlisted in &catalog.unlisted {
        let Some(found) = unlisted.diagnostics.first() else {
            continue;
        };

        let place = found.location(&unlisted.location.display().to_string());
        session.shell.warn(
            &format!("{place}: {} ({})", found.message, found.rule),
            found.help.as_deref(),
        );
    }
}

/// Maximum size of a file on stdin, in bytes.
const STDIN_MAX: u64 = 16 << 20;

/// Reads stdin as one file.
///
/// # Errors
/// If it cannot be read, or is larger than [`STDIN_MAX`].
fn read_stdin() -> Result<Vec<u8>> {
    let mut text = Vec::new();
    // One byte more than allowed, so that a file of exactly the limit passes.
    let read = std::io::stdin().take(STDIN_MAX + 1).read_to_end(&mut text);
    read.map_err(|cause| Error::disk(format!("failed to read stdin: {cause}")))?;

    if text.len() as u64 > STDIN_MAX {
        return Err(Error::usage(format!(
            "invalid input on stdin: more than {STDIN_MAX} bytes, the limit for a skill's file"
        )));
    }

    Ok(text)
}

pub(super) fn plural(count: usize, thing: &str) -> String {
    if count == 1 {
        format!("1 {thing}")
    } else {
        format!("{count} {thing}s")
    }
}
