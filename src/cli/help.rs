//! The help of `skillpm` itself: its commands in groups, which clap has for options only.

use std::fmt::Write as _;

use clap::builder::Styles;
use clap::{Command, CommandFactory};

use super::CliArgs;

/// Every command, by what a person is about to do.
// In the order in which people come to need them.
pub(super) const GROUPS: [(&str, &[&str]); 6] = [
    (
        "Manage",
        &[
            "init", "add", "remove", "install", "update", "restore", "import", "lock", "patch",
            "undo", "vendor", "export",
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
            "propose",
            "proposals",
        ],
    ),
    (
        "Registry",
        &["publish", "yank", "owner", "registry", "login", "logout"],
    ),
    ("Agents", &["agents", "catalog", "serve", "watch", "budget"]),
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
        let mut known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        known.push("help");
        known.sort_unstable();
        assert_eq!(grouped, known);
    }
}
