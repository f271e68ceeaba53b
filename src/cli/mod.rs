//! The face: arguments in, lines and an exit code out. Only here is anything printed, and only here are the
//! environment, the current directory and the clock read.

mod commands;
pub mod generate;
mod render;
mod shell;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{ArgAction, Args, CommandFactory, FromArgMatches, Parser, ValueEnum};

use crate::config::{Config, IgnoredValue};
use crate::error::{Error, Kind, Result};
use crate::io::disk;
use crate::ops::{Context, Places, ownership};
use crate::report::{Event, Reporter as _};
use crate::workspace::Workspace;
use commands::Command;
use render::findings::Drawing;
#[cfg(any(test, fuzzing))]
pub(crate) use render::findings::programs::findings_for_programs;
use shell::{Shell, Voice};

/// What can be printed with `--format`; a command that has no such form says so.
pub(crate) const FORMATS: [&str; 29] = [
    "human",
    "json",
    "xml",
    "xml-ref",
    "markdown",
    "nova",
    "nova-shipped",
    "yodoca",
    "kodelet",
    "kodelet-tool",
    "pickle",
    "devai",
    "openai",
    "openai-responses",
    "anthropic",
    "template",
    "well-known",
    "agentskills-http",
    "claude-marketplace",
    "claude-zip",
    "bodies",
    "raw",
    "body",
    "short",
    "sarif",
    "github",
    "gitlab",
    "cyclonedx",
    "spdx",
];

/// The package manager for agent skills.
#[derive(Debug, Parser)]
#[command(name = "skillpm", version, about, long_about = LONG_ABOUT, after_long_help = EXIT_CODES, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

const LONG_ABOUT: &str = "\
The package manager for agent skills.

Adds skills from git repositories, registries, directories and archives to a project, keeps them as the lockfile says, \
and emits one resolved catalog that any agent can consume.";

const EXIT_CODES: &str = "\
Exit codes: 0 done · 1 the answer is no · 2 usage or unreadable manifest · 3 integrity or security refusal · \
4 network or credentials · 5 another skillpm is at work · 6 disk or internal";

/// Flags that every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
struct Global {
    /// Run as if started in this directory
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    change_directory: Option<PathBuf>,

    /// Set a setting for this run, as KEY=VALUE (repeatable)
    #[arg(long, value_name = "KEY=VALUE", global = true, action = ArgAction::Append, hide_short_help = true)]
    config: Vec<String>,

    /// When to use colour
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_default_value = true,
        hide_short_help = true
    )]
    color: Color,

    /// Print errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,

    /// Print more of what is done
    #[arg(short, long, global = true)]
    verbose: bool,

    /// Refuse the network; use what was brought before
    #[arg(long, global = true)]
    offline: bool,

    /// Refuse to change the lockfile; fail if it would have to
    #[arg(long, global = true)]
    locked: bool,

    /// Both --locked and --offline
    #[arg(long, global = true)]
    frozen: bool,

    /// Print in this form: human, json; for a catalog, one of --list-formats
    ///
    /// `audit`, `lint` and `validate` also know short, sarif, github and gitlab; `show` the forms in which agents are given
    /// a skill; `sbom` has cyclonedx and spdx.
    #[arg(long, value_name = "FORMAT", global = true, value_parser = FORMATS, hide_possible_values = true)]
    format: Option<String>,

    /// Answer yes to every question
    #[arg(short, long, global = true)]
    yes: bool,

    /// Never ask; take what can be decided without
    #[arg(long, global = true, hide_short_help = true)]
    no_input: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

/// What a command is run with.
struct Session<'a> {
    context: Context<'a>,
    shell: &'a Shell,
    locked: bool,
    yes: bool,
    format: Option<String>,
    /// Why the settings could not be read, for the command that runs all the same.
    broken_settings: Option<Error>,
}

/// Runs the program with these arguments; the first is its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match parse(arguments) {
        Ok(cli) => cli,
        Err(error) => return print_usage(&error),
    };
    #[cfg(debug_assertions)]
    disk::arm(&variable("SKILLPM_MOMENT").unwrap_or_default());
    disk::outlive_large_files();
    let shell = Shell::new(&voice(&cli.global));
    let outcome = catch_unwind(AssertUnwindSafe(|| start(cli, &shell)));
    let closed = shell.close();
    let code = match outcome {
        // An answer that is cut is none, whatever it was.
        Ok(Ok(code)) => closed.map_or_else(|error| fail(&shell, error), |()| code),
        Ok(Err(error)) => fail(&shell, error),
        // The panic's own message has been printed; what transactions it crossed have undone themselves.
        Err(_) => Kind::Internal.exit_code(),
    };
    ExitCode::from(code)
}

/// Prints a failure; the exit code.
fn fail(shell: &Shell, error: Error) -> u8 {
    let code = error.kind().exit_code();
    shell.error(&with_help(error));
    code
}

/// Prints clap's own message: usage errors to stderr with code 2, help and version to stdout with 0.
fn print_usage(message: &clap::Error) -> ExitCode {
    let printed = message.print().and_then(|()| std::io::stdout().flush());
    let code = u8::try_from(message.exit_code()).unwrap_or(2);
    match shell::written(printed) {
        Err(error) if !message.use_stderr() => {
            let voice = Voice {
                quiet: false,
                verbose: false,
                json: false,
                color: anstream::ColorChoice::Auto,
                drawing: Drawing::on(None, &variable),
            };
            ExitCode::from(fail(&Shell::new(&voice), error))
        }
        _ => ExitCode::from(code),
    }
}

/// Every failure says what can be done about it: where nobody knew better, by its kind.
fn with_help(error: Error) -> Error {
    if !error.helps().is_empty() {
        return error;
    }
    let help = match error.kind() {
        Kind::Negative => "`skillpm list` shows what is there, and `skillpm help` what can be asked for",
        Kind::Conflict => "nothing was changed; decide which of the two changes is to stay",
        Kind::Doubt => "nothing was installed; read what was found, then say `--yes` if it is wanted",
        Kind::Usage => "`skillpm help`, or `--help` behind a command, shows how it is meant",
        Kind::Integrity => "nothing was installed; tell whoever made it, and take another version or source meanwhile",
        Kind::Network => "nothing was changed; try again, or use what was brought before with `--offline`",
        Kind::Busy => "wait for the other skillpm to finish, or end it",
        Kind::Disk => "nothing was changed; see to that place (its space, its permissions), and run the command again",
        Kind::Internal => "this is a bug in skillpm; please report it with the line above",
    };
    error.help(help)
}

fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let mut command = Cli::command();
    let parsed = command.try_get_matches_from_mut(arguments);
    let cli = parsed.and_then(|matches| Cli::from_arg_matches(&matches)).map_err(|error| error.format(&mut command));
    // Taking it apart again costs as much as a third of building it, and the process ends soon.
    std::mem::forget(command);
    cli
}

fn voice(global: &Global) -> Voice {
    Voice {
        quiet: global.quiet,
        verbose: global.verbose,
        json: global.format.as_deref() == Some("json"),
        color: match global.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        },
        drawing: Drawing::on(shell::width_of(&std::io::stderr()), &variable),
    }
}

/// The time that a test wants it to be, in seconds since 1970; a release knows of no such wish.
fn set_clock() -> Option<u64> {
    if cfg!(debug_assertions) { variable("SKILLPM_CLOCK")?.parse().ok() } else { None }
}

#[expect(clippy::disallowed_methods, reason = "the environment is read here and handed down")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[expect(clippy::disallowed_methods, reason = "the environment and the clock are read here and handed down")]
fn start(cli: Cli, shell: &Shell) -> Result<u8> {
    let Cli { global, command } = cli;
    if let Command::Completions(arguments) = &command {
        return Ok(arguments.run(shell));
    }
    if let Command::Man(arguments) = &command {
        return arguments.run(shell);
    }
    let variable_names =
        || std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect::<BTreeSet<_>>();
    let places = places(global.change_directory.as_deref(), &variable)?;
    let (mut config, broken_settings) = match config(&global, &places, &variable) {
        Err(error) if command.bears_broken_settings() => (Config::new(), Some(error)),
        config => (config?, None),
    };
    for assignment in command.settings() {
        config.add_flag(&assignment)?;
    }
    let now =
        set_clock().unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()));
    let context = Context {
        places,
        config,
        reporter: shell,
        variable: &variable,
        variable_names: &variable_names,
        interactive: shell.can_ask() && !global.no_input,
        now,
        command: command.name(),
    };
    for ignored in context.config.ignored() {
        report_ignored(shell, ignored);
    }
    let session = Session {
        context,
        shell,
        locked: global.locked || global.frozen,
        yes: global.yes,
        format: global.format,
        broken_settings,
    };
    command.run(&session)
}

/// Says that a project's setting does not count.
fn report_ignored(shell: &Shell, ignored: &IgnoredValue) {
    let IgnoredValue { key, set, because } = ignored;
    shell.report(Event::Warning {
        message: format!("`{key} = {}` in {} is ignored: {because}", set.text.escape_debug(), set.origin),
        help: Some(format!("if you want it, set it yourself: `skillpm config set {key} VALUE`")),
    });
}

#[expect(clippy::disallowed_methods, reason = "the current and the home directory are read here and handed down")]
fn places(directory: Option<&Path>, variable: &dyn Fn(&str) -> Option<String>) -> Result<Places> {
    let start = std::env::current_dir()
        .map_err(|cause| Error::disk(format!("the current directory cannot be told: {cause}")))?;
    let here = match directory {
        None => start,
        Some(directory) => {
            let here = start.join(directory);
            if !here.is_dir() {
                return Err(Error::usage(format!("there is no directory `{}`", directory.display())));
            }
            disk::real_path(&here)
        }
    };
    let home = std::env::home_dir().filter(|home| home.is_absolute()).ok_or_else(|| {
        Error::usage("the home directory cannot be told").help("set `HOME`, or `SKILLPM_HOME` and `HOME` both")
    })?;
    let skillpm = match variable("SKILLPM_HOME").filter(|path| !path.is_empty()) {
        Some(path) => here.join(path),
        None => home.join(".skillpm"),
    };
    Ok(Places { home, skillpm, here })
}

/// The layers of settings, lowest first.
fn config(global: &Global, places: &Places, variable: &dyn Fn(&str) -> Option<String>) -> Result<Config> {
    let mut config = Config::new();
    let user = places.skillpm.join("config.toml");
    let mut projects: Vec<PathBuf> = places.here.ancestors().map(|dir| dir.join(".skillpm/config.toml")).collect();
    // The home's own `.skillpm` is where the user's file lies, and not a project's; also if `SKILLPM_HOME` names another.
    let at_home = places.home.join(".skillpm/config.toml");
    projects.retain(|path| *path != user && *path != at_home);
    projects.reverse();
    if let Some(text) = disk::read_text(&user)? {
        config.add_file(&user, &text)?;
    }

    // Whose settings are read is decided by the user alone, before a project says anything.
    let mut own = config.clone();
    own.add_environment(variable)?;
    global.config.iter().try_for_each(|assignment| own.add_flag(assignment))?;
    let safe = own.list("safe.directories");
    for path in projects {
        if disk::lstat(&path)?.is_some() {
            ownership::check(&path, &safe, &places.home, variable)?;
        }
        if let Some(text) = disk::read_text(&path)? {
            config.add_project_file(&path, &text)?;
        }
    }

    config.add_environment(variable)?;
    for assignment in &global.config {
        config.add_flag(assignment)?;
    }
    if global.offline || global.frozen {
        config.add_flag("net.offline=true")?;
    }
    Ok(config)
}

impl Session<'_> {
    /// Whether to print JSON; an error for a form that only the catalog has.
    fn json(&self) -> Result<bool> {
        match self.format.as_deref() {
            None | Some("human") => Ok(false),
            Some("json") => Ok(true),
            Some(other) => Err(Error::usage(format!("this command has no form `{other}`")).help(
                "its forms are `human` and `json`; the others are those of `skillpm catalog` and `skillpm lint`",
            )),
        }
    }

    /// Where a file that a person names is written: where a link leads, for the link is theirs and stays. A link in a project
    /// may have come with it, and must not lead out of it.
    ///
    /// # Errors
    /// If it leads out, or nowhere.
    fn file_at(&self, path: &Path) -> Result<PathBuf> {
        let here = &self.context.places.here;
        let place = disk::normal_path(&here.join(path));
        let real = match disk::lstat(&place)? {
            None => {
                let above = place.parent().unwrap_or(here);
                disk::real_path(above).join(place.file_name().unwrap_or_default())
            }
            Some(meta) if meta.is_symlink() && !place.exists() => {
                return Err(Error::disk(format!("`{}` is a link that leads nowhere", path.display()))
                    .help("make the file that it leads to, or remove the link"));
            }
            Some(_) => disk::real_path(&place),
        };

        let project = Workspace::find(here)?.map_or_else(|| here.clone(), |workspace| workspace.root);
        // A home that is a repository is no project that a link would stay within.
        let repository = disk::repository_around(&project).filter(|root| *root != self.context.places.home);
        let root = repository.unwrap_or(&project);
        if place.starts_with(root) && !real.starts_with(disk::real_path(root)) {
            let message = format!("refusing to write `{}`: a link leads out of the project", path.display());
            return Err(Error::integrity(message)
                .note(format!("to `{}`", real.display()))
                .help(format!("if that is wanted, name the file itself: `{}`", real.display())));
        }
        Ok(real)
    }
}
