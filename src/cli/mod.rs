//! The command line: arguments in, lines and an exit code out. Only this module prints, and reads the environment, the
//! current directory and the clock.

mod agent_mode;
mod commands;
pub mod complete;
mod format_args;
pub mod generate;
mod help;
mod picker;
mod prompts;
mod render;
mod shell;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::error::ErrorKind;
use clap::{ArgAction, Args, Command, FromArgMatches, Parser, ValueEnum};

use crate::config::{Config, IgnoredValue};
use crate::error::{Error, FailureKind, Result};
use crate::io::disk;
use crate::ops::{BaseDirs, CommandContext};
use crate::report::{EventReporter as _, ProgressEvent};
use crate::resolver::shell_quoted;
use crate::settings::{protect_home, read_settings};
use agent_mode::AgentMode;
use commands::CliCommand;
use format_args::{OutputFormat, value_names};
use render::findings::DrawOptions;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use render::findings::machine_formats::findings_for_programs;
use render::terminal::stderr_width;
use shell::{CliShell, OutputReader, ShellOptions};

/// The package manager for agent skills.
#[derive(Debug, Parser)]
#[command(name = "skillpm", version, about, long_about = LONG_ABOUT, after_long_help = EXIT_CODES, max_term_width = 100)]
pub struct CliArgs {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(subcommand)]
    command: Option<CliCommand>,
}

const LONG_ABOUT: &str = "\
The package manager for agent skills.

Adds skills from git repositories, registries, directories and archives to a project, keeps them at the locked versions, \
and emits one resolved catalog that any agent can consume.";

const EXIT_CODES: &str = "\
Exit codes: 0 success · 1 negative result · 2 usage or invalid manifest · 3 integrity or security refusal · \
4 network or credentials · 5 locked by another skillpm · 6 disk or internal · 130 cancelled";

/// Flags that every command takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
struct GlobalArgs {
    /// Run in this directory
    #[arg(short = 'C', long = "directory", value_name = "DIR", global = true)]
    change_directory: Option<PathBuf>,

    /// Override a setting for this run (repeatable)
    #[arg(long, value_name = "KEY=VALUE", global = true, action = ArgAction::Append, hide_short_help = true)]
    config: Vec<String>,

    /// When to use color
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_default_value = true,
        hide_short_help = true
    )]
    color: ColorMode,

    /// When to print for an agent
    ///
    /// An agent gets results and warnings without color, no progress and no question, and an error as a JSON line. With
    /// `auto`, the variables decide that agents set for the commands they run, such as `CLAUDECODE` and `AGENT`.
    #[arg(
        long,
        value_name = "WHEN",
        global = true,
        default_value = "auto",
        hide_default_value = true,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "always",
        hide_short_help = true
    )]
    agent_mode: AgentMode,

    /// Print errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,

    /// Print more details
    ///
    /// Also each request, with its size and how long it took, and the requests to each host.
    #[arg(short, long, global = true)]
    verbose: bool,

    /// Work without network access
    #[arg(long, global = true)]
    offline: bool,

    /// Require that the lockfile is up to date
    #[arg(long, global = true)]
    locked: bool,

    /// Same as --locked and --offline
    #[arg(long, global = true)]
    frozen: bool,

    /// Print in this format
    // Text and no enum: a command with formats of its own replaces the argument (`format_args`).
    #[arg(long, value_name = "FORMAT", global = true, value_parser = value_names::<OutputFormat>())]
    format: Option<String>,

    /// Same as --format json
    #[arg(long, global = true, conflicts_with = "format", hide_short_help = true)]
    json: bool,

    /// Answer yes to all prompts
    #[arg(short, long, global = true)]
    yes: bool,

    /// Never prompt; use defaults
    #[arg(long, global = true, hide_short_help = true)]
    no_input: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ColorMode {
    Auto,
    Always,
    Never,
}

/// The context of a command: settings, directories and output.
struct CliSession<'a> {
    context: CommandContext<'a>,
    shell: &'a CliShell,
    locked: bool,
    /// Whether the command runs in CI.
    in_ci: bool,
    yes: bool,
    format: Option<String>,
    /// The global flags that set settings, as `KEY=VALUE`.
    #[cfg(feature = "lsp")]
    setting_flags: Vec<String>,
    /// The error of reading the settings, for commands that run anyway.
    broken_settings: Option<Error>,
}

/// Runs the program with these arguments; the first is its name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if complete::answer_shell(&arguments) {
        return ExitCode::SUCCESS;
    }
    let cli = match parse(&arguments) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && wants_objects(&arguments) => {
            let shell = CliShell::new(&plain_options(OutputReader::Program));
            return ExitCode::from(report_failure(&shell, usage_error(&error)));
        }
        Err(error) => return print_usage(&error),
    };

    // Failpoints exist in debug builds alone: no variable may stop a release.
    #[cfg(debug_assertions)]
    disk::arm_failpoint(&env_variable("SKILLPM_FAILPOINT").unwrap_or_default());
    // Without this, a write beyond `ulimit -f` kills the process instead of failing.
    disk::ignore_file_size_signal();

    let shell = CliShell::new(&shell_options(&cli.global));
    let result = catch_unwind(AssertUnwindSafe(|| run_command(cli, &shell)));
    // After the command, whatever came of it: what it printed so far has to reach its reader.
    let closed = shell.close();

    let code = match result {
        // Truncated output is a failure, whatever the command's result.
        Ok(Ok(code)) => closed.map_or_else(|error| report_failure(&shell, error), |()| code),
        Ok(Err(error)) => report_failure(&shell, error),
        // The panic's message has been printed, and open transactions were rolled back on unwinding.
        Err(_) => FailureKind::Internal.exit_code(),
    };

    ExitCode::from(code)
}

/// Prints a failure; returns the exit code.
fn report_failure(shell: &CliShell, error: Error) -> u8 {
    let code = error.kind().exit_code();
    shell.print_error(&with_default_help(error));
    code
}

/// Whether errors are printed as objects, by a command line that cannot be parsed.
fn wants_objects(arguments: &[OsString]) -> bool {
    let words: Vec<&str> = arguments
        .iter()
        .filter_map(|word| word.to_str())
        .take_while(|word| *word != "--")
        .collect();
    let has = |wanted: &str| words.contains(&wanted);
    let mode = if has("--agent-mode=never") {
        AgentMode::Never
    } else if has("--agent-mode") || has("--agent-mode=always") {
        AgentMode::Always
    } else {
        AgentMode::Auto
    };
    let is_json = has("--json")
        || has("--format=json")
        || words.windows(2).any(|pair| pair == ["--format", "json"]);
    is_json || mode.is_on(&env_variable)
}

/// clap's message as an error of ours: its first line, with its tips as help.
fn usage_error(message: &clap::Error) -> Error {
    let text = message.render().to_string();
    let mut parts = text.split("\n\n").map(str::trim);
    let first = parts.next().unwrap_or_default();
    let first: Vec<&str> = first.lines().map(str::trim).collect();
    let error = Error::usage(first.join(" ").trim_start_matches("error: "));
    parts.fold(error, |error, part| match part.split_once(": ") {
        Some(("tip", tip)) => error.help(tip),
        Some(("Usage", usage)) => error.note(format!("usage: {usage}")),
        _ => error,
    })
}

/// Prints clap's own message: usage errors to stderr with code 2, help and version to stdout with 0.
fn print_usage(message: &clap::Error) -> ExitCode {
    let printed = message.print().and_then(|()| std::io::stdout().flush());
    // clap's own codes are those of ours: 2 for a wrong command line, 0 for help.
    let code = u8::try_from(message.exit_code()).unwrap_or(2);

    match shell::check_written(printed) {
        // clap's code for help and version is 0 even if stdout took none of it.
        Err(error) if !message.use_stderr() => {
            let shell = CliShell::new(&plain_options(OutputReader::Person));
            ExitCode::from(report_failure(&shell, error))
        }
        _ => ExitCode::from(code),
    }
}

/// The options of a shell where the flags are not known: after a failure to read or to print them.
fn plain_options(reader: OutputReader) -> ShellOptions {
    ShellOptions {
        quiet: false,
        verbose: false,
        reader,
        color: anstream::ColorChoice::Auto,
        drawing: DrawOptions::for_terminal(None, &env_variable),
    }
}

/// The help line of a failure that has none of its own, by its kind.
fn with_default_help(error: Error) -> Error {
    if !error.helps().is_empty() {
        return error;
    }

    let help = match error.kind() {
        // By kind, so that no failure ends without a next step.
        FailureKind::Negative => {
            "run `skillpm list` to see the skills, or `skillpm help` for the commands"
        }
        FailureKind::Conflict => {
            "nothing was changed; resolve the conflict, then run the command again"
        }
        FailureKind::NeedsConfirmation => {
            "nothing was installed; read the findings, then pass `--yes` to install"
        }
        FailureKind::Usage => "run `skillpm help`, or the command with `--help`, for its usage",
        FailureKind::Integrity => {
            "nothing was installed; report it to the author, and use another version or source until it is fixed"
        }
        FailureKind::Network => "nothing was changed; try again, or use the cache with `--offline`",
        FailureKind::Busy => "wait for the other skillpm to finish, or end it",
        FailureKind::Disk => match denied_place(&error) {
            Some(place) => {
                let place = shell_quoted(place);
                return error.help(format!(
                    "nothing was changed; `ls -ld {place}` shows who may read and write there"
                ));
            }
            None => {
                "nothing was changed; check the free space and permissions there, then run the command again"
            }
        },
        FailureKind::Internal => "this is a bug in skillpm; please report it with the line above",
        // A person who left knows what to do.
        FailureKind::Cancelled => return error,
    };

    error.help(help)
}

/// Where permission was denied: the path in the message, or the directory above it that can be seen.
fn denied_place(error: &Error) -> Option<String> {
    let mut causes = error.causes().iter();
    let place = error.message().split('`').nth(1)?;
    if !causes.any(|cause| cause.contains("permission denied")) {
        return None;
    }
    let mut above = Path::new(place).ancestors();
    let seen = above.find(|path| path.symlink_metadata().is_ok())?;
    Some(seen.display().to_string())
}

fn parse(arguments: &[OsString]) -> Result<CliArgs, clap::Error> {
    // Building all commands takes longer than most of them run, and a success needs just one.
    if let Some(parsed) = parse_command(arguments) {
        return parsed;
    }

    // `-h` of a command is that command's own.
    let mut words = arguments.iter().skip(1).filter_map(|word| word.to_str());
    let is_short = words.any(|word| word == "-h");
    let mut command = if is_short {
        help::short_command()
    } else {
        help::grouped_command()
    };
    // clap's `help` has no flags.
    let asks_for_all = arguments.len() == 3 && arguments[1] == "help" && arguments[2] == "--all";
    let parsed = if asks_for_all {
        command.try_get_matches_from_mut(["skillpm", "--help"])
    } else {
        command.try_get_matches_from_mut(arguments)
    };
    let cli = parsed
        .and_then(|matches| CliArgs::from_arg_matches(&matches))
        // With the tree, so that the error shows the usage of the command that was meant.
        .map_err(|error| help::improve_tips(error, &command, arguments).format(&mut command));
    // Dropping it costs a third of building it, and the process ends soon.
    std::mem::forget(command);
    cli
}

/// Parses with the arguments of one command; `None` where the message takes all of them: for errors and help.
///
/// What it accepts means the same with all commands: the root takes no other positional argument.
fn parse_command(arguments: &[OsString]) -> Option<Result<CliArgs, clap::Error>> {
    let mut words = arguments.iter().skip(1).filter_map(|word| word.to_str());
    let found = words.find_map(|word| Some((word, commands::find_arguments(word)?)));

    let root = Command::new("skillpm").version(env!("CARGO_PKG_VERSION"));
    let mut root = GlobalArgs::augment_args(root);
    if let Some((name, augment)) = found {
        root = root.subcommand(augment(Command::new(name.to_owned())));
    }

    let parsed = root.try_get_matches_from_mut(arguments);
    std::mem::forget(root);
    match parsed {
        Ok(matches) => CliArgs::from_arg_matches(&matches).ok().map(Ok),
        Err(error) if error.kind() == ErrorKind::DisplayVersion => Some(Err(error)),
        Err(_) => None,
    }
}

fn shell_options(global: &GlobalArgs) -> ShellOptions {
    let is_agent = global.agent_mode.is_on(&env_variable);
    ShellOptions {
        quiet: global.quiet,
        verbose: global.verbose,
        // Known before any error can be printed, so that a program gets errors as objects, too.
        reader: if global.json || global.format.as_deref() == Some("json") {
            OutputReader::Program
        } else if is_agent {
            OutputReader::Agent
        } else {
            OutputReader::Person
        },
        color: match global.color {
            ColorMode::Auto if is_agent => anstream::ColorChoice::Never,
            ColorMode::Auto => anstream::ColorChoice::Auto,
            ColorMode::Always => anstream::ColorChoice::Always,
            ColorMode::Never => anstream::ColorChoice::Never,
        },
        drawing: DrawOptions::for_terminal(stderr_width(), &env_variable),
    }
}

/// Whether the variable `CI` says that no person is here; some systems set it to `1`, most to `true`.
fn is_ci(value: Option<&str>) -> bool {
    value.is_some_and(|value| !matches!(value, "" | "0" | "false"))
}

/// The time, in seconds since 1970.
#[expect(
    clippy::disallowed_methods,
    reason = "the clock is read here and passed down"
)]
fn current_time() -> u64 {
    clock_override().unwrap_or_else(|| {
        // A clock before 1970 is broken, and 0 is as good as any other time then.
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_secs())
    })
}

/// The clock set by a test, in seconds since 1970; always `None` in a release.
fn clock_override() -> Option<u64> {
    // In a release, a variable must not be able to make an expired index look valid.
    if cfg!(debug_assertions) {
        env_variable("SKILLPM_CLOCK")?.parse().ok()
    } else {
        None
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the environment is read here and passed down"
)]
fn env_variable(name: &str) -> Option<String> {
    // One that is not UTF-8 counts as unset: none that skillpm reads can have such a value.
    std::env::var(name).ok()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the environment is read here and passed down"
)]
fn env_names() -> BTreeSet<String> {
    std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .collect()
}

fn run_command(cli: CliArgs, shell: &CliShell) -> Result<u8> {
    let CliArgs { global, command } = cli;
    let command = command.unwrap_or_default();

    // Neither needs settings or a project, so both work where these cannot be read.
    if let CliCommand::Completions(arguments) = &command {
        return Ok(arguments.run(shell));
    }
    if let CliCommand::Man(arguments) = &command {
        return arguments.run(shell);
    }

    let places = find_directories(global.change_directory.as_deref(), &env_variable)?;
    let in_ci = is_ci(env_variable("CI").as_deref());
    let (mut config, broken_settings) = match load_config(&global, &places) {
        Err(error) if command.tolerates_broken_settings() => (Config::new(), Some(error)),
        config => (config?, None),
    };
    // Broken settings of the environment are reported where they are read.
    let _ = protect_home(&places, in_ci, &env_variable, &setting_flags(&global));
    // The command's own flags are the highest layer, so they come last.
    for assignment in command.settings() {
        config.add_flag(&assignment)?;
    }

    let context = CommandContext {
        dirs: places,
        config,
        reporter: shell,
        env_var: &env_variable,
        env_names: &env_names,
        traffic: shell.traffic().clone(),
        interactive: shell.can_prompt() && !global.no_input,
        // Read once, so that all of a command happens at one time.
        now: current_time(),
        command: command.name(),
    };

    // Reported by every command: a value without effect is hard to find otherwise.
    for ignored in context.config.ignored() {
        report_ignored(shell, ignored);
    }

    let session = CliSession {
        context,
        shell,
        locked: global.locked || global.frozen,
        in_ci,
        yes: global.yes,
        #[cfg(feature = "lsp")]
        setting_flags: setting_flags(&global),
        format: if global.json {
            Some("json".to_owned())
        } else {
            global.format
        },
        broken_settings,
    };

    let ended = command.run(&session);
    shell.report_traffic();
    ended
}

/// Warns that a project's setting is ignored.
fn report_ignored(shell: &CliShell, ignored: &IgnoredValue) {
    let IgnoredValue {
        key,
        set,
        reason: because,
    } = ignored;

    shell.report(ProgressEvent::Warning {
        message: format!(
            "`{key} = {}` in {} is ignored: {because}",
            set.text.escape_debug(),
            set.origin
        ),
        help: Some(format!(
            "to set it for yourself, run `skillpm config set {key} VALUE`"
        )),
    });
}

#[expect(
    clippy::disallowed_methods,
    reason = "the current and the home directory are read here and passed down"
)]
fn find_directories(
    directory: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<BaseDirs> {
    let start = std::env::current_dir()
        // A directory that was removed while a shell is in it has no name.
        .map_err(|cause| Error::disk(format!("failed to read the current directory: {cause}")))?;

    let here = match directory {
        None => start,
        Some(directory) => {
            // `join` keeps an absolute path as it is.
            let here = start.join(directory);
            if !here.is_dir() {
                let shown = directory.display();
                return Err(if here.exists() {
                    Error::usage(format!("`{shown}` is no directory"))
                        .help("`-C` requires the directory to run in")
                } else {
                    Error::usage(format!("directory `{shown}` not found"))
                        .note(format!("in `{}`", start.display()))
                        .help(format!(
                            "`mkdir -p {}` creates it",
                            shell_quoted(shown.to_string())
                        ))
                });
            }
            disk::real_path(&here)
        }
    };

    let home = std::env::home_dir()
        // A relative `HOME` would mean another place in each directory.
        .filter(|home| home.is_absolute())
        .ok_or_else(|| {
            Error::usage("home directory not found")
                .help("set `HOME`, or `SKILLPM_HOME` and `HOME` both")
        })?;

    // A relative path counts from `-C`, as every other path does.
    let skillpm = match variable("SKILLPM_HOME").filter(|path| !path.is_empty()) {
        Some(path) => here.join(path),
        None => home.join(".skillpm"),
    };

    Ok(BaseDirs {
        home,
        skillpm_home: skillpm,
        cwd: here,
    })
}

/// The layers of settings, with the global flags as the highest.
fn load_config(global: &GlobalArgs, places: &BaseDirs) -> Result<Config> {
    read_settings(places, &env_variable, &setting_flags(global))
}

/// The global flags that set settings, as `KEY=VALUE`.
fn setting_flags(global: &GlobalArgs) -> Vec<String> {
    let mut flags = global.config.clone();
    // A flag of this run goes before what any file says.
    if global.offline || global.frozen {
        flags.push("net.offline=true".to_owned());
    }
    flags
}

impl CliSession<'_> {
    /// Whether to print JSON.
    ///
    /// # Errors
    /// If the format is one that only other commands print.
    fn wants_json(&self) -> Result<bool> {
        match self.format.as_deref() {
            None | Some("human") => Ok(false),
            Some("json") => Ok(true),
            Some(other) => Err(Error::usage(format!("unsupported format `{other}`"))
                .help("use `--format human` or `--format json`")),
        }
    }

    /// Resolves the path of an output file: symbolic links are followed, since the user's own links are kept. A link in a
    /// project may come from its repository, and must not point outside the project.
    ///
    /// # Errors
    /// If a link points outside the project, or dangles.
    fn resolve_output(&self, path: &Path) -> Result<PathBuf> {
        let here = &self.context.dirs.cwd;
        let place = disk::normalize_path(&here.join(path));
        // `lstat`, since `stat` would follow the link that is checked here.
        let real = match disk::lstat(&place)? {
            None => {
                // A new file: what can be a link is its directory.
                let above = place.parent().unwrap_or(here);
                disk::real_path(above).join(place.file_name().unwrap_or_default())
            }
            Some(meta) if meta.is_symlink() && !place.exists() => {
                return Err(Error::disk(format!(
                    "`{}` is a dangling symbolic link",
                    path.display()
                ))
                .help("create the file that it points to, or remove the link"));
            }
            Some(_) => disk::real_path(&place),
        };

        // Outside a project, the current directory is what a link must not lead out of.
        let found = self.context.project()?;
        let project = found.map_or_else(|| here.clone(), |workspace| workspace.root);
        // A home directory that is a repository does not count as a project.
        let repository =
            disk::find_repository_root(&project).filter(|root| *root != self.context.dirs.home);
        let root = repository.unwrap_or(&project);

        // A path that is outside the project was typed by the user, and is allowed.
        if place.starts_with(root) && !real.starts_with(disk::real_path(root)) {
            let message = format!(
                "refusing to write `{}`: a symbolic link points outside the project",
                path.display()
            );
            return Err(Error::integrity(message)
                .note(format!("to `{}`", real.display()))
                .help(format!(
                    "to write it anyway, pass the file itself: `{}`",
                    real.display()
                )));
        }

        Ok(real)
    }
}
