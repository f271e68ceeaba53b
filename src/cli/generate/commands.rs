//! `docs/commands.md`: every command with its text, its options and its examples, from the tree of commands.
//!
//! ```text
//! ## Manage                            a group of `skillpm --help`
//! ### `skillpm add`                    its anchor is `#skillpm-add`
//! Add skills to the project.           the first line, then the text below it
//!
//! | argument or option | |             own ones only: those of all commands have a table of their own
//! ```

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command, CommandFactory};

use super::man::{ENVIRONMENT, LongAbout, alias_note, short_about, visible_subcommands};
use crate::cli::CliArgs;
use crate::cli::help::GROUPS;

const HEAD: &str = "\
# Commands

<!-- Generated from the commands: `SNAPSHOTS=overwrite cargo test --test suite generated` regenerates it. -->

`skillpm COMMAND --help` prints the same text, `skillpm man COMMAND` a manual page. [Exit codes](exit-codes.md) are the same for
all commands.
";

const GLOBAL_HEAD: &str = "\
## Options of all commands

They can be before or after the command. Most [settings](settings.md) have an environment variable, too.
";

const ENVIRONMENT_HEAD: &str = "\
## Environment variables

Those of [settings](settings.md) are not listed here.

| variable | meaning |
|---|---|
";

/// The page.
#[must_use]
pub fn render_page() -> String {
    let mut root = CliArgs::command();
    // Built, so that subcommands know the names of their parents.
    root.build();

    let mut page = HEAD.to_owned();
    push_overview(&mut page, &root);
    let _ = write!(page, "\n{GLOBAL_HEAD}");
    push_arguments(
        &mut page,
        root.get_arguments().filter(|one| one.is_global_set()),
    );

    for (title, names) in GROUPS {
        let _ = write!(page, "\n## {title}\n");
        for command in names.iter().filter_map(|name| find_command(&root, name)) {
            push_command(&mut page, command);
        }
    }

    let _ = write!(page, "\n{ENVIRONMENT_HEAD}");
    for (names, meaning) in ENVIRONMENT {
        let names: Vec<String> = names.split(", ").map(|name| format!("`{name}`")).collect();
        let _ = writeln!(page, "| {} | {} |", names.join(", "), cell(meaning));
    }
    page
}

/// A command of the groups; `help` has nothing to describe.
fn find_command<'c>(root: &'c Command, name: &str) -> Option<&'c Command> {
    visible_subcommands(root).find(|command| command.get_name() == name)
}

fn push_overview(page: &mut String, root: &Command) {
    for (title, names) in GROUPS {
        let _ = write!(page, "\n| {title} | |\n|---|---|\n");
        for command in names.iter().filter_map(|name| find_command(root, name)) {
            let _ = writeln!(
                page,
                "| [`{0}`](#skillpm-{0}) | {1}{2} |",
                command.get_name(),
                short_about(command),
                alias_note(command)
            );
        }
    }
}

fn push_command(page: &mut String, command: &Command) {
    let long = LongAbout::from_command(command);
    let _ = write!(
        page,
        "\n### `{}`\n\n{}{}.\n",
        full_name(command),
        short_about(command),
        alias_note(command)
    );
    push_paragraphs(page, &long.description);

    push_usage(page, command);
    push_arguments(page, own_arguments(command));

    for subcommand in visible_subcommands(command) {
        let _ = write!(
            page,
            "\n#### `{}`\n\n{}.\n",
            full_name(subcommand),
            short_about(subcommand)
        );
        push_usage(page, subcommand);
        push_arguments(page, own_arguments(subcommand));
    }

    if !long.examples.is_empty() {
        page.push_str("\nExamples:\n");
        push_paragraphs(page, &long.examples);
    }
}

fn full_name(command: &Command) -> &str {
    command.get_bin_name().unwrap_or_else(|| command.get_name())
}

/// What a command takes besides the options of all commands.
fn own_arguments(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|one| !one.is_global_set() && one.get_id() != "help")
}

/// Paragraphs as they are, and those that are indented by two as blocks of text.
fn push_paragraphs(page: &mut String, text: &str) {
    for part in text.split("\n\n").filter(|part| !part.trim().is_empty()) {
        if part.starts_with("  ") {
            let lines: Vec<&str> = part
                .lines()
                .map(|line| line.strip_prefix("  ").unwrap_or(line))
                .collect();
            let _ = write!(page, "\n```text\n{}\n```\n", lines.join("\n"));
        } else {
            let _ = write!(page, "\n{}\n", escape_angles(part));
        }
    }
}

fn push_usage(page: &mut String, command: &Command) {
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    let _ = write!(page, "\n```text\n{usage}\n```\n");
}

fn push_arguments<'a>(page: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    let shown: Vec<&Arg> = arguments.filter(|one| !one.is_hide_set()).collect();
    if shown.is_empty() {
        return;
    }

    page.push_str("\n| argument or option | |\n|---|---|\n");
    for argument in shown {
        let _ = writeln!(
            page,
            "| {} | {} |",
            argument_name(argument),
            argument_help(argument)
        );
    }
}

/// `-s`, `--skill NAME`, or `SPEC`.
fn argument_name(argument: &Arg) -> String {
    let takes_value = matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
    let values = argument.get_value_names().unwrap_or_default().join(" ");
    let short = argument.get_short().map(|short| format!("`-{short}`, "));

    let name = match argument.get_long() {
        Some(long) if takes_value => format!("--{long} {values}"),
        Some(long) => format!("--{long}"),
        None => values,
    };
    format!("{}`{}`", short.unwrap_or_default(), cell(&name))
}

/// What an argument does, with its possible values, in one line.
fn argument_help(argument: &Arg) -> String {
    let help = argument.get_long_help().or(argument.get_help());
    let text = help.map(ToString::to_string).unwrap_or_default();
    let mut paragraphs = text.split("\n\n");
    let first = paragraphs.next().unwrap_or_default().to_owned();
    let mut line = paragraphs.fold(first, |line, next| format!("{line}. {next}"));

    let values = argument.get_possible_values();
    let is_switch = !matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
    if !values.is_empty() && !is_switch {
        let names: Vec<String> = values
            .iter()
            .map(|value| format!("`{}`", value.get_name()))
            .collect();
        let _ = write!(line, ": {}", names.join(", "));
    }
    cell(&escape_angles(&line.replace('\n', " ")))
}

/// Text for a cell of a table, which a pipe would end.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Text without HTML: `<NAME>` outside of code would be a tag.
fn escape_angles(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let escaped: Vec<String> = parts
        .map(|(at, part)| {
            if at % 2 == 0 {
                part.replace('<', "&lt;")
            } else {
                part.to_owned()
            }
        })
        .collect();
    escaped.join("`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::generate::command_names;

    #[test]
    fn every_command_has_a_heading() {
        let page = render_page();
        for name in command_names() {
            assert_eq!(
                page.matches(&format!("# `skillpm {name}`\n")).count(),
                1,
                "{name}"
            );
        }
    }

    #[test]
    fn option_with_values_is_one_row() {
        let page = render_page();
        let row = "| `--color WHEN` | When to use color: `auto`, `always`, `never` |\n";
        assert!(page.contains(row), "{page}");
    }
}
