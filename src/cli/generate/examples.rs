//! The examples in the help of every command, as a reader types them: the tests parse all of them, and run most.

use clap::{Command, CommandFactory};

use crate::cli::CliArgs;

/// One example of a command's help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandExample {
    /// The command in whose help it is.
    pub command: String,
    /// The line, without the remark beside it.
    pub line: String,
}

/// The examples of all commands, in the order of the help.
#[must_use]
pub fn command_examples() -> Vec<CommandExample> {
    let root = CliArgs::command();

    // Subcommands of a command have no examples of their own: their parent's help has them.
    root.get_subcommands().flat_map(examples_of).collect()
}

fn examples_of(command: &Command) -> Vec<CommandExample> {
    let text = command
        .get_long_about()
        .map(ToString::to_string)
        .unwrap_or_default();
    let examples = text
        .split_once("Examples:\n\n")
        .map_or("", |(_, examples)| examples);

    examples
        .lines()
        .map(|line| parse_example(command, line))
        .collect()
}

fn parse_example(command: &Command, line: &str) -> CommandExample {
    let line = line.trim();
    CommandExample {
        command: command.get_name().to_owned(),
        // A remark is set off by more than one blank, which no command line needs.
        line: line.split("  ").next().unwrap_or(line).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use clap::Parser as _;

    use super::*;

    /// The words of a line as a shell splits them, with quotes of either kind.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut quote, mut in_word) = (Vec::new(), None, false);
        for c in line.chars() {
            match quote {
                Some(open) if c == open => quote = None,
                None if c == '\'' || c == '"' => {
                    quote = Some(c);
                    if !in_word {
                        words.push(String::new());
                    }
                    in_word = true;
                }
                None if c == ' ' => in_word = false,
                _ => {
                    if !in_word {
                        words.push(String::new());
                    }
                    in_word = true;
                    words.last_mut().unwrap().push(c);
                }
            }
        }
        words
    }

    /// The calls of skillpm in a line, without pipes and redirections.
    fn calls(line: &str) -> Vec<Vec<String>> {
        words(line)
            .split(|word| word == "|" || word == "&&")
            .filter(|call| call[0] == "skillpm")
            .map(|call| {
                let end = call.iter().position(|word| word == ">" || word == "<");
                call[..end.unwrap_or(call.len())].to_vec()
            })
            .collect()
    }

    #[test]
    fn every_command_has_two_examples() {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for example in command_examples() {
            *counts.entry(example.command).or_default() += 1;
        }
        let root = CliArgs::command();
        for command in root.get_subcommands().filter(|found| !found.is_hide_set()) {
            let count = counts.get(command.get_name()).copied().unwrap_or(0);
            assert!(count >= 2, "{}: {count} examples", command.get_name());
        }
    }

    #[test]
    fn every_example_is_one_that_the_program_accepts() {
        for CommandExample { command, line } in command_examples() {
            for call in calls(&line) {
                let parsed = CliArgs::try_parse_from(&call);
                assert!(parsed.is_ok(), "{command}: {line}\n{}", parsed.unwrap_err());
            }
        }
    }
}
