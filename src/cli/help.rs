//! The help of `skillpm` itself: its commands in groups, which clap has for options only, and its tips after a mistake.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::builder::{StyledStr, Styles};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory};

use super::CliArgs;
use crate::error::nearest_name;

/// Every command, by what a person is about to do.
// In the order in which people come to need them.
pub(super) const GROUPS: [(&str, &[&str]); 6] = [
    (
        "Manage",
        &[
            "init", "add", "remove", "install", "update", "restore", "enable", "disable", "import",
            "lock", "patch", "undo", "vendor", "bundle",
        ],
    ),
    (
        "Inspect",
        &[
            "status", "list", "tree", "why", "outdated", "diff", "search", "info", "show",
            "verify", "audit", "sbom",
        ],
    ),
    (
        "Author",
        &[
            "new",
            "lint",
            "lsp",
            "validate",
            "package",
            "convert",
            "proposals",
        ],
    ),
    (
        "Registry",
        &["publish", "yank", "owner", "registry", "login", "logout"],
    ),
    ("Agents", &["agents", "catalog", "serve", "watch"]),
    (
        "Maintain",
        &["doctor", "cache", "config", "completions", "man", "help"],
    ),
];

/// What clap shows of `help`, which it adds only when the tree is built.
const HELP_ABOUT: &str = "Print help for a command";

/// The commands of a first day, which `-h` shows.
const FIRST_GROUPS: [(&str, &[&str]); 3] = [
    (
        "Skills",
        &[
            "add", "remove", "install", "update", "list", "outdated", "search", "show", "diff",
            "restore", "undo",
        ],
    ),
    ("Author", &["new", "lint", "validate", "publish"]),
    ("Agents", &["agents", "catalog", "doctor", "config"]),
];

/// The tree of commands, with those of the root in groups.
pub(super) fn grouped_command() -> Command {
    let command = CliArgs::command();
    // From the tree itself, so that a command cannot be listed with another text.
    let template = help_template(&command, &GROUPS);
    command.help_template(template)
}

/// The same, with the commands of a first day.
pub(super) fn short_command() -> Command {
    let command = CliArgs::command();
    let template = help_template(&command, &FIRST_GROUPS);
    let others = "`skillpm help --all` lists all commands";
    command.help_template(template).after_help(others)
}

/// The commands for the words of other tools that are no aliases, as they mean one of several or something near.
const OTHER_WORDS: [(&str, &[&str]); 18] = [
    ("save", &["patch"]),
    ("edit", &["patch", "diff"]),
    ("revert", &["undo", "restore"]),
    ("rollback", &["undo"]),
    ("reset", &["restore", "undo"]),
    ("discard", &["restore"]),
    ("checkout", &["restore"]),
    ("delete", &["remove"]),
    ("del", &["remove"]),
    ("get", &["add"]),
    ("download", &["add", "vendor"]),
    ("ci", &["install"]),
    ("build", &["package", "catalog"]),
    ("run", &["show", "serve"]),
    ("check", &["verify", "lint"]),
    ("graph", &["tree"]),
    ("view", &["info", "show"]),
    ("settings", &["config"]),
];

/// What the flags of other tools are here, by command.
const OTHER_FLAGS: [(&str, &[&str], &str); 5] = [
    (
        "add",
        &["-a"],
        "'--agent ID' installs for an agent, such as '--agent claude-code'",
    ),
    (
        "remove",
        &["--all", "-a"],
        "'--source SOURCE' removes all skills of a source, such as 'skillpm remove --source gh:obra/superpowers'",
    ),
    (
        "patch",
        &["--remove", "--delete", "--discard", "--revert", "--undo"],
        "'--drop' discards the saved edits",
    ),
    (
        "restore",
        &["--all", "-a"],
        "'skillpm install --force' restores all skills",
    ),
    (
        "undo",
        &["--all", "-n", "--steps"],
        "each 'skillpm undo' undoes one command; '--list' lists them",
    ),
];

/// An error of clap's with tips about what was probably meant: clap's own are alike in their letters only.
pub(super) fn improve_tips(
    mut error: clap::Error,
    command: &Command,
    arguments: &[OsString],
) -> clap::Error {
    let mut words = arguments.iter().skip(1).filter_map(|word| word.to_str());
    let called = words.find_map(|word| command.find_subcommand(word));

    match (error.kind(), called) {
        (ErrorKind::InvalidSubcommand, None) => {
            let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand)
            else {
                return error;
            };
            let known = OTHER_WORDS.iter().find(|(word, _)| word == typed);
            let names = command.get_subcommands().map(Command::get_name);
            let meant: Vec<String> = match known {
                Some((_, meant)) => meant.iter().map(ToString::to_string).collect(),
                None => nearest_name(typed, names)
                    .map(str::to_owned)
                    .into_iter()
                    .collect(),
            };
            if !meant.is_empty() {
                let meant = ContextValue::Strings(meant);
                error.insert(ContextKind::SuggestedSubcommand, meant);
            }
        }
        (ErrorKind::UnknownArgument, Some(called)) => {
            let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidArg) else {
                return error;
            };
            let known = OTHER_FLAGS.iter().find(|(name, flags, _)| {
                *name == called.get_name() && flags.contains(&typed.as_str())
            });
            if let Some((.., tip)) = known {
                error.remove(ContextKind::SuggestedArg);
                let tip = ContextValue::StyledStrs(vec![StyledStr::from(*tip)]);
                error.insert(ContextKind::Suggested, tip);
            }
        }
        _ => {}
    }
    error
}

/// The root's help template; clap fills in the names between braces.
fn help_template(command: &Command, groups: &[(&str, &[&str])]) -> String {
    let styles = Styles::default();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n\n");

    for (title, names) in groups {
        // In the styles of clap's own headings, which are stripped where color is off.
        let _ = writeln!(text, "{header}{title}:{header:#}");
        for name in names.iter().filter(|name| is_built(command, name)) {
            let (about, alias) = describe_command(command, name);
            let _ = writeln!(text, "  {literal}{name:<11}{literal:#}  {about}{alias}");
        }
        text.push('\n');
    }

    let _ = write!(
        text,
        "{header}Options:{header:#}\n{{options}}{{after-help}}"
    );
    text
}

/// Whether this build has the command; clap adds `help` later.
fn is_built(command: &Command, name: &str) -> bool {
    name == "help" || command.find_subcommand(name).is_some()
}

/// A command's first line, and its visible aliases as clap writes them.
fn describe_command(command: &Command, name: &str) -> (String, String) {
    let Some(found) = command.find_subcommand(name) else {
        return (HELP_ABOUT.to_owned(), String::new());
    };
    let aliases: Vec<&str> = found.get_visible_aliases().collect();
    let alias = if aliases.is_empty() {
        String::new()
    } else {
        format!(" [alias: {}]", aliases.join(", "))
    };

    (
        found
            .get_about()
            .map(ToString::to_string)
            .unwrap_or_default(),
        alias,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_help_fits_a_terminal_of_45_lines() {
        let help = short_command().term_width(80).render_help().to_string();
        assert!(help.lines().count() <= 45, "{help}");
        assert!(help.lines().all(|line| line.len() <= 80), "{help}");
        for name in FIRST_GROUPS.iter().flat_map(|(_, names)| *names) {
            assert!(help.contains(&format!("  {name} ")), "{name}");
        }
    }

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        grouped.sort_unstable();
        let command = CliArgs::command();
        let shown = command
            .get_subcommands()
            .filter(|found| !found.is_hide_set());
        let mut known: Vec<&str> = shown.map(Command::get_name).collect();
        known.push("help");
        known.sort_unstable();
        assert_eq!(grouped, known);
    }
}
