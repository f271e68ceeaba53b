//! One file a command: its arguments, and `run`.

#![expect(
    rustdoc::bare_urls,
    reason = "these comments are the help texts, which a terminal shows as they are"
)]

mod add;
mod add_prompts;
mod agents;
mod audit;
mod availability;
mod budget;
mod bundle;
mod cache;
mod catalog;
mod catalog_notes;
mod completions;
mod config;
mod conflict_args;
mod convert;
mod detect_args;
mod diff;
mod doctor;
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
#[cfg(feature = "lsp")]
mod lsp;
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
mod restore;
mod sbom;
mod search;
mod search_prompt;
#[cfg(feature = "mcp")]
mod serve;
mod show;
mod status;
mod sync_report;
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

use clap::{Args, Command, Subcommand};

use super::CliSession;
use super::render::human::plural;
use crate::catalog::Catalog;
use crate::error::{Error, Result};
use crate::install::plan::ForceMode;
use crate::ops::status::explain_missing_manifest;
use crate::ops::sync::SyncOptions;
use crate::package::SkillName;
use crate::report::DiagnosticLevel;
use crate::workspace::WorkspaceKind;
use sync_report::print_sync_report;

#[derive(Debug, Subcommand)]
pub(super) enum CliCommand {
    Init(init::InitArgs),
    New(new::NewArgs),
    Add(Box<add::AddArgs>),
    // The other names are those of npm, pip, brew and uv.
    #[command(aliases = ["rm", "uninstall"])]
    Remove(remove::RemoveArgs),
    #[command(visible_alias = "sync", alias = "i")]
    Install(install::InstallArgs),
    #[command(alias = "upgrade")]
    Update(update::UpdateArgs),
    Restore(restore::RestoreArgs),
    Enable(availability::EnableArgs),
    Disable(availability::DisableArgs),
    Import(import::ImportArgs),
    Undo(undo::UndoArgs),
    Outdated(outdated::OutdatedArgs),
    Diff(diff::DiffArgs),
    Patch(patch::PatchArgs),
    Lock(lock::LockArgs),
    Tree(tree::TreeArgs),
    Why(why::WhyArgs),
    Status(status::StatusArgs),
    #[command(alias = "ls")]
    List(list::ListArgs),
    #[command(alias = "find")]
    Search(search::SearchArgs),
    Sbom(sbom::SbomArgs),
    Info(info::InfoArgs),
    Show(show::ShowArgs),
    Verify(verify::VerifyArgs),
    Audit(audit::AuditArgs),
    Vendor(vendor::VendorArgs),
    #[command(alias = "export")]
    Bundle(bundle::BundleArgs),
    Lint(lint::LintArgs),
    #[cfg(feature = "lsp")]
    Lsp(lsp::LspArgs),
    Validate(validate::ValidateArgs),
    Package(package::PackageArgs),
    Convert(convert::ConvertArgs),
    Agents(agents::AgentsArgs),
    Catalog(catalog::CatalogArgs),
    #[cfg(feature = "mcp")]
    Serve(Box<serve::ServeArgs>),
    Watch(watch::WatchArgs),
    #[command(hide = true)]
    Budget(budget::BudgetArgs),
    #[command(hide = true)]
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

/// The arguments of the command with this name, so that one can be parsed without building all others.
pub(super) fn find_arguments(name: &str) -> Option<fn(Command) -> Command> {
    let augment: fn(Command) -> Command = match name {
        "init" => init::InitArgs::augment_args,
        "new" => new::NewArgs::augment_args,
        "add" => add::AddArgs::augment_args,
        "remove" => remove::RemoveArgs::augment_args,
        "install" => install::InstallArgs::augment_args,
        "update" => update::UpdateArgs::augment_args,
        "restore" => restore::RestoreArgs::augment_args,
        "enable" => availability::EnableArgs::augment_args,
        "disable" => availability::DisableArgs::augment_args,
        "import" => import::ImportArgs::augment_args,
        "undo" => undo::UndoArgs::augment_args,
        "outdated" => outdated::OutdatedArgs::augment_args,
        "diff" => diff::DiffArgs::augment_args,
        "patch" => patch::PatchArgs::augment_args,
        "lock" => lock::LockArgs::augment_args,
        "tree" => tree::TreeArgs::augment_args,
        "why" => why::WhyArgs::augment_args,
        "status" => status::StatusArgs::augment_args,
        "list" => list::ListArgs::augment_args,
        "search" => search::SearchArgs::augment_args,
        "sbom" => sbom::SbomArgs::augment_args,
        "info" => info::InfoArgs::augment_args,
        "show" => show::ShowArgs::augment_args,
        "verify" => verify::VerifyArgs::augment_args,
        "audit" => audit::AuditArgs::augment_args,
        "vendor" => vendor::VendorArgs::augment_args,
        "bundle" => bundle::BundleArgs::augment_args,
        "lint" => lint::LintArgs::augment_args,
        #[cfg(feature = "lsp")]
        "lsp" => lsp::LspArgs::augment_args,
        "validate" => validate::ValidateArgs::augment_args,
        "package" => package::PackageArgs::augment_args,
        "convert" => convert::ConvertArgs::augment_args,
        "agents" => agents::AgentsArgs::augment_args,
        "catalog" => catalog::CatalogArgs::augment_args,
        #[cfg(feature = "mcp")]
        "serve" => serve::ServeArgs::augment_args,
        "watch" => watch::WatchArgs::augment_args,
        "budget" => budget::BudgetArgs::augment_args,
        "propose" => propose::ProposeArgs::augment_args,
        "proposals" => proposals::ProposalsArgs::augment_args,
        "publish" => publish::PublishArgs::augment_args,
        "yank" => yank::YankArgs::augment_args,
        "owner" => owner::OwnerArgs::augment_args,
        "registry" => registry::RegistryArgs::augment_args,
        "cache" => cache::CacheArgs::augment_args,
        "doctor" => doctor::DoctorArgs::augment_args,
        "config" => config::ConfigArgs::augment_args,
        "login" => login::LoginArgs::augment_args,
        "logout" => logout::LogoutArgs::augment_args,
        "completions" => completions::CompletionsArgs::augment_args,
        "man" => man::ManArgs::augment_args,
        _ => return None,
    };
    Some(augment)
}

impl Default for CliCommand {
    /// What `skillpm` alone runs.
    fn default() -> Self {
        CliCommand::Status(status::StatusArgs {})
    }
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
            CliCommand::Import(arguments) => arguments.passing.settings(),
            CliCommand::Proposals(arguments) => arguments.settings(),
            CliCommand::Lock(arguments) => arguments.newness.settings(),
            CliCommand::Outdated(arguments) => arguments.newness.settings(),
            CliCommand::Publish(arguments) => arguments.settings(),
            // The flags of all others are options of their command and no settings.
            _ => Vec::new(),
        }
    }

    /// Whether the command is run even if the settings cannot be read, to say why.
    pub(super) fn tolerates_broken_settings(&self) -> bool {
        // All others would go on with defaults, and a policy could be lost in silence.
        matches!(self, CliCommand::Doctor(_))
    }

    /// The name of a command that changes projects; `skillpm` for the others.
    pub(super) fn name(&self) -> &'static str {
        match self {
            CliCommand::Add(_) => "add",
            CliCommand::Remove(_) => "remove",
            CliCommand::Install(_) => "install",
            CliCommand::Update(_) => "update",
            CliCommand::Restore(_) => "restore",
            CliCommand::Enable(_) => "enable",
            CliCommand::Disable(_) => "disable",
            CliCommand::Lock(_) => "lock",
            CliCommand::Vendor(_) => "vendor",
            CliCommand::Import(_) => "import",
            CliCommand::Patch(_) => "patch",
            CliCommand::Agents(arguments) => arguments.name(),
            // Commands that change no project have no entry in the history.
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
            CliCommand::Restore(arguments) => arguments.run(session),
            CliCommand::Enable(arguments) => arguments.run(session),
            CliCommand::Disable(arguments) => arguments.run(session),
            CliCommand::Import(arguments) => arguments.run(session),
            CliCommand::Undo(arguments) => arguments.run(session),
            CliCommand::Outdated(arguments) => arguments.run(session),
            CliCommand::Diff(arguments) => arguments.run(session),
            CliCommand::Patch(arguments) => arguments.run(session),
            CliCommand::Lock(arguments) => arguments.run(session),
            CliCommand::Tree(arguments) => arguments.run(session),
            CliCommand::Why(arguments) => arguments.run(session),
            CliCommand::Status(arguments) => arguments.run(session),
            CliCommand::List(arguments) => arguments.run(session),
            CliCommand::Search(arguments) => arguments.run(session),
            CliCommand::Sbom(arguments) => arguments.run(session),
            CliCommand::Info(arguments) => arguments.run(session),
            CliCommand::Show(arguments) => arguments.run(session),
            CliCommand::Verify(arguments) => arguments.run(session),
            CliCommand::Audit(arguments) => arguments.run(session),
            CliCommand::Vendor(arguments) => arguments.run(session),
            CliCommand::Bundle(arguments) => arguments.run(session),
            CliCommand::Lint(arguments) => arguments.run(session),
            #[cfg(feature = "lsp")]
            CliCommand::Lsp(arguments) => arguments.run(session),
            CliCommand::Validate(arguments) => arguments.run(session),
            CliCommand::Package(arguments) => arguments.run(session),
            CliCommand::Convert(arguments) => arguments.run(session),
            CliCommand::Agents(arguments) => arguments.run(session),
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
            // Both were run before the settings were read, and are here for the match alone.
            CliCommand::Completions(arguments) => Ok(arguments.run(session.shell)),
            CliCommand::Man(arguments) => arguments.run(session.shell),
        }
    }
}

/// The names that skills are installed under, as typed.
fn install_names(names: &[String]) -> Result<Vec<SkillName>> {
    names
        .iter()
        .map(|name| SkillName::parse_install_name(name))
        .collect()
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

    /// Adds to the error of a command without a manifest which skills are here nevertheless.
    fn explain(&self, session: &CliSession<'_>, error: Error) -> Error {
        match self.workspace_kind() {
            WorkspaceKind::Project => explain_missing_manifest(&session.context, error),
            WorkspaceKind::Managed => error,
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
            // `--force` never deletes: what it replaces is in the backup.
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
            // As settings, so that a flag, a variable and a file go through the same checks.
            .filter_map(|(key, value)| Some(format!("resolver.{key}={}", value.as_ref()?)))
            .collect()
    }
}

/// The flag that allows findings of a security rule.
#[derive(Debug, Args)]
struct FindingArgs {
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
}

impl FindingArgs {
    /// The same as a setting.
    fn settings(&self) -> Vec<String> {
        if self.findings.is_empty() {
            return Vec::new();
        }
        vec![format!("policy.allow-findings={}", self.findings.join(","))]
    }
}

/// Flags that allow the installation of packages with critical findings, revoked versions or unsigned versions.
#[derive(Debug, Args)]
struct OverrideArgs {
    #[command(flatten)]
    findings: FindingArgs,

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
        let mut settings = self.findings.settings();

        if self.revoked {
            settings.push("policy.allow-revoked=true".to_owned());
        }
        if self.unsigned {
            settings.push("policy.allow-unsigned=true".to_owned());
        }

        settings
    }
}

/// Warns of each skill directory that is not listed, with the first error: warnings are about listed skills as well.
fn warn_about_unlisted(session: &CliSession<'_>, catalog: &Catalog) {
    for unlisted in &catalog.unlisted {
        // One line a skill: `validate` shows all of them.
        let mut errors = unlisted.diagnostics.iter();
        let error = errors.find(|found| found.level == DiagnosticLevel::Error);
        let Some(found) = error.or(unlisted.diagnostics.first()) else {
            continue;
        };

        // Which agents list it nevertheless is for `why`: it takes reading the file again, and a
        // repeated `catalog` opens none.
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::CliArgs;

    #[test]
    fn command_has_the_same_arguments_alone() {
        let describe = |command: &Command| {
            let arguments: Vec<_> = command.get_arguments().collect();
            let below: Vec<_> = command.get_subcommands().collect();
            format!("{arguments:?} {below:?}")
        };

        for command in CliArgs::command().get_subcommands() {
            let name = command.get_name();
            let augment = find_arguments(name).unwrap_or_else(|| panic!("{name}"));
            let alone = augment(Command::new(name.to_owned()));
            assert_eq!(describe(&alone), describe(command), "{name}");
        }
    }
}
