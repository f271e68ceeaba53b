//! Completions, man pages and the page of all commands, made from the one tree of commands, and the page of all rules, made
//! from their table. `completions/`, `man/`, `docs/commands.md` and `docs/rules.md` contain them as committed;
//! `tests/suite/generated.rs` compares.

mod commands;
mod examples;
mod man;
mod rules;

use clap::CommandFactory;

pub use commands::render_page as commands_page;
pub use examples::{CommandExample, command_examples};
pub use man::render_pages as man_pages;
pub use rules::{example_findings as rules_findings, render_page as rules_page};

/// Every shell that completions are made for, with the name of its file.
pub const SHELLS: [(&str, &str); 6] = [
    ("bash", "skillpm.bash"),
    ("elvish", "skillpm.elv"),
    ("fish", "skillpm.fish"),
    ("nushell", "skillpm.nu"),
    ("powershell", "_skillpm.ps1"),
    ("zsh", "_skillpm"),
];

/// The completions of one shell: a script that asks `skillpm` at each Tab.
///
/// # Panics
/// If the shell is not in [`SHELLS`].
#[must_use]
pub fn completions(shell: &str) -> Vec<u8> {
    super::complete::registration(shell).expect("the shell is in the list")
}

/// Every command that can be run, as it is typed: `add`, `cache size`.
#[must_use]
pub fn command_names() -> Vec<String> {
    let mut found = Vec::new();
    // A stack instead of recursion: the order is restored at the end.
    let mut open = vec![(String::new(), super::CliArgs::command())];
    while let Some((parent, command)) = open.pop() {
        // clap adds a `help` to each level, and none of them is worth a page; nor is an earlier name.
        let subcommands = command
            .get_subcommands()
            .filter(|one| one.get_name() != "help" && !one.is_hide_set());
        let children: Vec<_> = subcommands
            .map(|one| (format!("{parent} {}", one.get_name()), one.clone()))
            .collect();
        // A command that also works alone is listed beside its subcommands: `config`, `proposals`.
        if children.is_empty() || !command.is_subcommand_required_set() {
            found.push(parent.trim_start().to_owned());
        }
        open.extend(children);
    }

    found.retain(|command| !command.is_empty());
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use clap::Command;

    use super::*;
    use crate::cli::CliArgs;

    /// Every command, at every depth, built.
    fn commands() -> Vec<Command> {
        let mut root = CliArgs::command().term_width(80);
        root.build();
        let mut found = vec![root];
        for at in 0.. {
            let Some(command) = found.get(at) else { break };
            let below: Vec<Command> = command
                .get_subcommands()
                .filter(|one| one.get_name() != "help")
                .cloned()
                .collect();
            found.extend(below);
        }
        found
    }

    #[test]
    fn the_tree_of_commands_is_one_that_clap_accepts() {
        CliArgs::command().debug_assert();
    }

    #[test]
    fn the_first_line_of_every_command_is_short_and_ends_without_a_stop() {
        for command in commands() {
            let line = command.get_about().unwrap().to_string();
            assert!(
                line.chars().count() < 60 && !line.ends_with('.'),
                "{}: {line}",
                command.get_name()
            );
        }
    }

    #[test]
    fn the_short_help_of_every_command_fits_a_screen() {
        // The root's lists every command, and so is as long as they are many.
        for mut command in commands().into_iter().skip(1) {
            let help = command.render_help().to_string();
            assert!(
                help.lines().count() <= 40,
                "{} lines:\n{help}",
                help.lines().count()
            );
        }
    }
}
