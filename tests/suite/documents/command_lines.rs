//! Every command line of every page, in a block or in the prose, is one that the program accepts.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use super::{LINKED, pages_of, relative};
use crate::support::{report_count, words};

/// Languages of the blocks that have commands; lines of a workflow begin with `- run:`.
const LANGUAGES: [&str; 6] = ["", "bash", "console", "sh", "shell", "yaml"];

#[test]
fn every_command_line_is_accepted() {
    let mut lines: BTreeMap<String, String> = BTreeMap::new();
    for page in LINKED.iter().flat_map(|linked| pages_of(linked)) {
        // It names commands as they were, and has no examples.
        if page.ends_with("CHANGELOG.md") {
            continue;
        }
        for (number, line) in command_lines(&fs::read_to_string(&page).unwrap()) {
            let place = format!("{}:{number}", relative(&page));
            lines.entry(line).or_insert(place);
        }
    }
    assert!(lines.len() > 200, "only {} command lines", lines.len());

    let faults: Vec<String> = lines
        .iter()
        .filter_map(|(line, place)| {
            // Parsed as it is, and not run.
            let output = Command::new(env!("CARGO_BIN_EXE_skillpm"))
                .args(words(line))
                .arg("--help")
                .output()
                .unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            let error = stderr.lines().next().unwrap_or_default();
            (!output.status.success() && !is_placeholder(error))
                .then(|| format!("{place}: `skillpm {line}`: {error}"))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    report_count(&format!(
        "documents: {} command lines are accepted",
        lines.len()
    ));
}

/// Whether an error is about a word in capitals, which a reader replaces, or about an option that is named without its value.
fn is_placeholder(error: &str) -> bool {
    let quoted = error.split(['\'', '`']).nth(1).unwrap_or_default();
    let word = quoted.rsplit(':').next().unwrap_or_default();
    let is_capital = |c: char| c.is_ascii_uppercase() || c == '-' || c == '_';
    (word.len() > 1 && word.chars().all(is_capital)) || error.contains("a value is required for")
}

/// The arguments of the command lines of a page, each with the number of its line.
fn command_lines(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fence: Option<(&str, &str)> = None;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some((open, _)) if ticks == line && ticks.len() >= open.len() => fence = None,
            Some((_, "console")) => found.extend(line.strip_prefix("$ ").and_then(arguments_of)),
            Some((_, language)) if LANGUAGES.contains(&language) => {
                let line = line.trim_start_matches("- ").trim_start_matches("run: ");
                found.extend(arguments_of(line));
            }
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some((ticks, &line[ticks.len()..])),
            None => found.extend(line.split('`').skip(1).step_by(2).filter_map(arguments_of)),
        }
        for (number, _) in found.iter_mut().filter(|(number, _)| *number == 0) {
            *number = at + 1;
        }
    }
    found
}

/// The arguments of a command of skillpm, up to the next command of the line, its redirections or comment; none of another
/// program. The number is that of no line.
fn arguments_of(line: &str) -> Option<(usize, String)> {
    let arguments = line.strip_prefix("skillpm ")?;
    let end = ["|", "&&", ";", " >", " <", " 2>", " #", " -- "]
        .iter()
        .filter_map(|end| arguments.find(end))
        .min();
    let arguments = arguments[..end.unwrap_or(arguments.len())].trim();
    (!arguments.is_empty()).then(|| (0, arguments.to_owned()))
}

#[test]
fn command_lines_are_found_in_blocks_and_prose() {
    let text = "Run `skillpm add pdf`, or `cat`.\n```console\n$ skillpm lint > out # all\nskillpm found none\n```\n\
                ```yaml\n- run: skillpm install --locked && make\n```\n```toml\nskillpm = 1\n```\n";
    let found = [(1, "add pdf"), (3, "lint"), (7, "install --locked")];
    assert_eq!(
        command_lines(text),
        found.map(|(at, line)| (at, line.to_owned()))
    );
}
