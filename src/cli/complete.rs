//! Completions with values: the script of a shell asks this program at each Tab, which reads what it suggests from the project
//! and from the cache. No server is asked.
//!
//! The script sets `SKILLPM_COMPLETE` to the name of the shell, for that run alone.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;

use clap::{Arg, Command};
use clap_complete::engine::{self, ArgValueCompleter, CompletionCandidate};
use clap_complete::env::{CompleteEnv, EnvCompleter, Shells};
use serde_json::json;

use super::render::foreign_text::escape_line;
use super::render::human::truncate_description;
use super::{env_names, env_variable, find_directories, help};
use crate::config::SETTINGS;
use crate::error::Result;
use crate::install::target::all_agents;
use crate::io::traffic::TrafficLog;
use crate::lint::rules;
use crate::ops::CommandContext;
use crate::ops::catalog::{CatalogOptions, catalog};
use crate::ops::info::{InfoOptions, InfoReport, info};
use crate::ops::remove::removable_names;
use crate::ops::search::{SearchOptions, search};
use crate::package::PackageSpec;
use crate::report::SilentReporter;
use crate::settings::read_settings;
use crate::workspace::WorkspaceKind;

/// The variable that has the name of the shell that asks.
const VARIABLE: &str = "SKILLPM_COMPLETE";

/// Most packages that are suggested.
const PACKAGES_MAX: usize = 50;

/// The shells that completions are made for.
pub const SHELLS: Shells<'static> = Shells(&[
    &clap_complete::env::Bash,
    &clap_complete::env::Elvish,
    &clap_complete::env::Fish,
    &Nushell,
    &clap_complete::env::Powershell,
    &clap_complete::env::Zsh,
]);

/// The script that makes a shell ask `skillpm`; `None` for a shell that is not in [`SHELLS`].
#[must_use]
pub fn registration(shell: &str) -> Option<Vec<u8>> {
    let mut script = Vec::new();
    SHELLS
        .completer(shell)?
        .write_registration(VARIABLE, "skillpm", "skillpm", "skillpm", &mut script)
        .expect("a vector takes all bytes");
    Some(script)
}

/// Answers a shell that asks for completions; whether one did.
pub(super) fn answer_shell(arguments: &[OsString]) -> bool {
    if env_variable(VARIABLE).is_none_or(|shell| shell.is_empty()) {
        return false;
    }

    let here = find_directories(None, &env_variable)
        .ok()
        .map(|places| places.cwd);
    let answered = CompleteEnv::with_factory(command_with_values)
        .var(VARIABLE)
        .bin("skillpm")
        .completer("skillpm")
        .shells(SHELLS)
        .try_complete(arguments.iter().cloned(), here.as_deref());
    match answered {
        Ok(answered) => answered,
        // clap's message names the shells that there are.
        Err(error) => error.exit(),
    }
}

/// What the values of an argument are.
#[derive(Debug, Clone, Copy)]
enum ValueSource {
    /// The packages of the project.
    Locked,
    /// The dependencies in the manifest: what only another skill requires cannot be removed.
    Removable,
    /// The skills of the catalog.
    Skill,
    /// The packages of the registries; behind an `@`, their versions.
    Package,
    /// The agents that skillpm knows.
    Agent,
    /// The lint rules.
    Rule,
    /// The registries in the settings.
    Registry,
    /// The keys of settings.
    Setting,
}

impl ValueSource {
    /// The source for an argument of a command; `None` if any text may be its value.
    fn from_argument(command: &str, argument: &str) -> Option<ValueSource> {
        Some(match (command, argument) {
            ("remove", "names") => ValueSource::Removable,
            ("update" | "diff" | "patch" | "restore" | "enable" | "disable", "names")
            | ("audit", "subjects") => ValueSource::Locked,
            ("show" | "why" | "propose", "name") => ValueSource::Skill,
            ("add", "specs") | ("info", "spec") | ("owner", "package") | ("yank", "version") => {
                ValueSource::Package
            }
            ("get" | "set" | "unset", "key") => ValueSource::Setting,
            (_, "agent" | "agents" | "target" | "targets") | ("add" | "remove", "ids") => {
                ValueSource::Agent
            }
            (_, "registry") => ValueSource::Registry,
            (
                _,
                "allow" | "deny" | "explain" | "extend_select" | "findings" | "ignore" | "note"
                | "select" | "warn",
            ) => ValueSource::Rule,
            _ => return None,
        })
    }

    fn complete(self, typed: &OsStr) -> Vec<CompletionCandidate> {
        let typed = typed.to_string_lossy();
        // Nothing is suggested where something cannot be read: a shell has no place for an error.
        let mut values = self.find(&typed).unwrap_or_default();
        values.retain(|(value, _)| value.starts_with(&*typed));
        values
            .into_iter()
            .map(|(value, help)| CompletionCandidate::new(value).help(help.map(Into::into)))
            .collect()
    }

    /// The values with what they are; also some that do not begin with what was typed.
    fn find(self, typed: &str) -> Result<Vec<(String, Option<String>)>> {
        let names = |names: BTreeSet<String>| names.into_iter().map(|name| (name, None)).collect();
        Ok(match self {
            ValueSource::Locked => with_context(|context| {
                let lockfile = match context.project()? {
                    Some(workspace) => workspace.lockfile()?.unwrap_or_default(),
                    None => return Ok(Vec::new()),
                };
                let packages = lockfile.packages().iter();
                Ok(names(
                    packages
                        .map(|locked| locked.install_name().to_string())
                        .collect(),
                ))
            })?,
            ValueSource::Removable => with_context(|context| {
                let removable = removable_names(context, WorkspaceKind::Project)?;
                let removable = removable.into_iter().map(|name| name.to_string());
                Ok(names(removable.collect()))
            })?,
            ValueSource::Skill => with_context(|context| {
                let catalog = catalog(context, &CatalogOptions::default())?;
                let skills = catalog.entries.iter().map(|entry| &entry.candidate.listing);
                Ok(skills
                    .map(|skill| {
                        let about = describe(&skill.description);
                        (skill.name.to_string(), Some(about))
                    })
                    .collect())
            })?,
            ValueSource::Package => with_context(|context| find_packages(context, typed))?,
            ValueSource::Agent => all_agents()
                .iter()
                .map(|agent| (agent.id.clone(), Some(agent.display_name.clone())))
                .collect(),
            ValueSource::Rule => rules::all()
                .flat_map(|rule| {
                    let about = Some(rule.name.to_owned());
                    [(rule.code.to_owned(), about), (rule.name.to_owned(), None)]
                })
                .collect(),
            ValueSource::Registry => with_context(|context| {
                let registries = context.config.registries().into_iter();
                Ok(registries
                    .map(|(name, index)| (name, Some(index)))
                    .collect())
            })?,
            ValueSource::Setting => SETTINGS
                .iter()
                .map(|setting| (setting.key.to_owned(), Some(setting.about.to_owned())))
                .collect(),
        })
    }
}

/// Packages whose names begin with what was typed; behind an `@`, the versions of a package.
fn find_packages(
    context: &CommandContext<'_>,
    typed: &str,
) -> Result<Vec<(String, Option<String>)>> {
    if let Some((name, _)) = typed.rsplit_once('@') {
        let options = InfoOptions {
            spec: name.parse::<PackageSpec>()?,
            registry: None,
            skill: None,
        };
        let InfoReport::Package(package) = info(context, &options)? else {
            return Ok(Vec::new());
        };
        let versions = package.versions.iter().filter(|version| !version.yanked);
        return Ok(versions
            .map(|version| (format!("{name}@{}", version.version), None))
            .collect());
    }

    let options = SearchOptions {
        words: vec![typed.to_owned()],
        registry: None,
        installed: false,
        tier: None,
        refresh: false,
        limit: PACKAGES_MAX,
    };
    let hits = search(context, &options)?.hits;
    Ok(hits
        .into_iter()
        .map(|hit| {
            let about = hit.row.description.as_deref().map(describe);
            (hit.row.name.clone(), about)
        })
        .collect())
}

/// The width of a description beside a value.
const ABOUT_WIDTH: usize = 70;

/// A description on one line; the words of a package could move the cursor or hide text.
fn describe(about: &str) -> String {
    escape_line(&truncate_description(about, Some(ABOUT_WIDTH)))
}

/// Runs with the settings of the current directory, without a network.
fn with_context<T>(run: impl FnOnce(&CommandContext<'_>) -> Result<T>) -> Result<T> {
    let places = find_directories(None, &env_variable)?;
    let flags = ["net.offline=true".to_owned()];
    run(&CommandContext {
        config: read_settings(&places, &env_variable, &flags)?,
        dirs: places,
        reporter: &SilentReporter,
        env_var: &env_variable,
        env_names: &env_names,
        traffic: TrafficLog::default(),
        interactive: false,
        now: super::current_time(),
        command: "skillpm",
    })
}

/// The commands, whose arguments know their values.
fn command_with_values() -> Command {
    add_values(help::grouped_command())
}

fn add_values(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let add_source =
        |argument: Arg| match ValueSource::from_argument(&name, argument.get_id().as_str()) {
            Some(source) => argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
                source.complete(typed)
            })),
            None => argument,
        };
    command.mut_args(add_source).mut_subcommands(add_values)
}

/// Nushell, which asks a closure for the completions of programs.
struct Nushell;

impl EnvCompleter for Nushell {
    fn name(&self) -> &'static str {
        "nushell"
    }

    fn is(&self, name: &str) -> bool {
        name == "nushell" || name == "nu"
    }

    fn write_registration(
        &self,
        var: &str,
        _name: &str,
        bin: &str,
        completer: &str,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        // The closure that was there before is for the other programs.
        write!(
            buf,
            r#"let {bin}_others = ($env.config.completions?.external?.completer? | default null)
$env.config.completions.external = {{
    enable: true
    completer: {{|spans: list<string>|
        if ($spans | first) == "{bin}" {{
            with-env {{ {var}: "nushell" }} {{ ^{completer} -- ...$spans }} | from json
        }} else if ${bin}_others != null {{
            do ${bin}_others $spans
        }}
    }}
}}
"#
        )
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        current_dir: Option<&Path>,
        buf: &mut dyn Write,
    ) -> io::Result<()> {
        let last = words.len().saturating_sub(1);
        let found = engine::complete(command, words, last, current_dir)?;
        let values = found.iter().map(|candidate| {
            json!({
                "value": candidate.get_value().to_string_lossy(),
                "description": candidate.get_help().map(ToString::to_string),
            })
        });
        write!(buf, "{}", values.collect::<serde_json::Value>())
    }
}
