//! A page as a shell session: its blocks in order, in one sandbox.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::fixtures::PageFixture;
use super::{PageCount, compare_output, root};
use crate::support::{Sandbox, overwrites};

/// The home that pages show.
const HOME: &str = "/home/ann";

/// A part of a page that does something.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// A block after "Write `path`:".
    File { path: String, text: String },
    /// A command that is not shown; [`super::HIDDEN_STEPS`] counts them.
    Hidden { command: String },
    /// A command with its output. `lines` are those of the output in the page.
    Shown {
        command: String,
        output: String,
        lines: std::ops::Range<usize>,
    },
}

/// Runs a page; gives the number of commands that it shows. An error names the page, the line and the difference.
pub(super) fn run_page(name: &str, text: &str) -> Result<PageCount, String> {
    let fixture = PageFixture::prepare(name, text);
    if fixture.has_needs && !text.contains("You need") {
        return Err(format!(
            "{name}: say under `You need` what a reader of it has to have"
        ));
    }
    let session = ShellSession::start(&fixture);
    let steps = parse_steps(text);
    let mut rewritten = Vec::new();
    let mut count = PageCount::default();
    let mut code = 0;

    for (at, step) in steps.iter().enumerate() {
        match step {
            Step::File { path, text } => session.write(path, text)?,
            Step::Hidden { command } => {
                let (output, code) = session.run(command, 0);
                if code != 0 {
                    return Err(format!("{name}: `{command}` exited with {code}\n{output}"));
                }
            }
            Step::Shown {
                command,
                output: shown,
                lines,
            } => {
                count.commands += 1;
                count.skillpm += usize::from(command.contains("skillpm "));
                let output;
                (output, code) = session.run(command, code);
                let place = format!("{name}:{}: `{command}`", lines.start);
                let asks_code = matches!(
                    steps.get(at + 1),
                    Some(Step::Shown { command, .. }) if command == "echo $?"
                );
                if code != 0 && !asks_code && !overwrites() {
                    return Err(format!("{place} exited with {code}\n{output}"));
                }

                if let Err(difference) = compare_output(&output, shown) {
                    if overwrites() {
                        rewritten.push((lines.clone(), output));
                    } else {
                        return Err(format!("{place} prints something else\n{difference}"));
                    }
                }
            }
        }
    }

    if !rewritten.is_empty() {
        fs::write(root().join(name), replace_outputs(text, rewritten)).unwrap();
    }
    Ok(count)
}

/// The steps of a page, in order.
fn parse_steps(text: &str) -> Vec<Step> {
    let lines: Vec<&str> = text.lines().collect();
    let mut steps = Vec::new();
    // The last line of text before a block.
    let mut before = "";
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        at += 1;
        if let Some(command) = hidden_command(line) {
            steps.push(Step::Hidden {
                command: command.to_owned(),
            });
        } else if line.starts_with("```") {
            let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
            let end = (at..lines.len())
                .find(|&end| lines[end] == ticks)
                .unwrap_or(lines.len());
            if line == "```console" {
                parse_console(&lines, at..end, &mut steps);
            } else if let Some(path) = written_path(before) {
                steps.push(Step::File {
                    path: path.to_owned(),
                    text: lines[at..end].join("\n") + "\n",
                });
            }
            at = end + 1;
            before = "";
        } else if !line.is_empty() {
            before = line;
        }
    }
    steps
}

/// `<!-- run: command -->`.
pub(super) fn hidden_command(line: &str) -> Option<&str> {
    line.strip_prefix("<!-- run: ")?.strip_suffix(" -->")
}

/// The path in "Write `path`:", or in "Write `path`, the missing file:".
fn written_path(line: &str) -> Option<&str> {
    let sentence = line.strip_suffix(':')?;
    let (_, rest) = sentence.rsplit_once("Write `")?;
    rest.split('`').next()
}

fn parse_console(lines: &[&str], block: std::ops::Range<usize>, steps: &mut Vec<Step>) {
    let starts: Vec<usize> = block
        .clone()
        .filter(|&at| lines[at].starts_with("$ "))
        .collect();
    for (number, &start) in starts.iter().enumerate() {
        let mut end = starts.get(number + 1).copied().unwrap_or(block.end);
        // A blank line between two commands is for the reader.
        while end > start + 1 && lines[end - 1].is_empty() {
            end -= 1;
        }
        steps.push(Step::Shown {
            command: lines[start][2..].to_owned(),
            output: lines[start + 1..end].join("\n"),
            lines: start + 1..end,
        });
    }
}

/// The page with other outputs in these lines.
fn replace_outputs(text: &str, outputs: Vec<(std::ops::Range<usize>, String)>) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (place, output) in outputs.into_iter().rev() {
        lines.splice(place, output.lines().map(str::to_owned));
    }
    lines.join("\n") + "\n"
}

/// A shell in a home: what a command changes of directory and variables is so for the next.
struct ShellSession<'f> {
    fixture: &'f PageFixture,
    sandbox: &'f Sandbox,
}

impl<'f> ShellSession<'f> {
    fn start(fixture: &'f PageFixture) -> Self {
        let sandbox = &fixture.sandbox;
        let mut start = format!("cd '{}'\n", sandbox.path(fixture.start).display());
        for (name, value) in &fixture.variables {
            let _ = writeln!(start, "export {name}='{value}'");
        }
        fs::write(sandbox.root().join("session"), start).unwrap();
        ShellSession { fixture, sandbox }
    }

    /// Runs a line after a command that ended with `before`; gives what it prints and its exit code.
    fn run(&self, line: &str, before: i32) -> (String, i32) {
        let state = self.sandbox.root().join("session");
        let state = state.display();
        let line = self.with_real_names(line);
        let script = format!(
            ". '{state}'\nexec 2>&1\n(exit {before})\n{line}\nended=$?\n\
             {{ export -p; echo \"cd '$PWD'\"; }} >'{state}'\nexit $ended"
        );
        let output = self.sandbox.shell(&script).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let text = self.with_shown_names(text.trim_end_matches('\n'));
        let text = sort_fetches(&text);
        (text, output.status.code().unwrap_or(-1))
    }

    /// Writes a file into the directory of the session.
    fn write(&self, path: &str, text: &str) -> Result<(), String> {
        let (dir, code) = self.run("pwd -P", 0);
        assert_eq!(code, 0, "{dir}");
        let dir = dir.replace(HOME, &self.home());
        let path = match path.strip_prefix("~/") {
            Some(rest) => self.sandbox.path("~/").join(rest),
            None => Path::new(&dir).join(path),
        };
        let written = fs::create_dir_all(path.parent().unwrap())
            .and_then(|()| fs::write(&path, self.with_real_names(text)));
        written.map_err(|error| format!("{}: {error}", path.display()))
    }

    fn home(&self) -> String {
        let home = self.sandbox.path("~/");
        home.to_str().unwrap().trim_end_matches('/').to_owned()
    }

    fn with_real_names(&self, text: &str) -> String {
        let names = self.fixture.names.iter();
        let text = text.replace(HOME, &self.home());
        names.fold(text, |text, (shown, real)| text.replace(shown, real))
    }

    fn with_shown_names(&self, text: &str) -> String {
        let names = self.fixture.names.iter();
        let text = names.fold(text.to_owned(), |text, (shown, real)| {
            text.replace(real, shown)
        });
        text.replace(&self.home(), HOME)
    }
}

/// Sources are fetched side by side, and reported in any order.
fn sort_fetches(text: &str) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    lines
        .chunk_by_mut(|a, b| a.contains(" Fetching ") && b.contains(" Fetching "))
        // An index comes first: it says what else is fetched.
        .for_each(|fetches| fetches.sort_by_key(|line| (!line.contains(" index "), *line)));
    lines.join("\n")
}

#[test]
fn page_is_read_as_steps() {
    let text = "Now write `a`. Write `a.md`, a page:\n\n```markdown\nx\n```\n```toml\ny\n```\n<!-- run: true -->\n\
                ```console\n$ b\nc\n\n$ d\n```\n";
    let shown = |command: &str, output: &str, lines| Step::Shown {
        command: command.into(),
        output: output.into(),
        lines,
    };
    assert_eq!(
        parse_steps(text),
        [
            Step::File {
                path: "a.md".into(),
                text: "x\n".into()
            },
            Step::Hidden {
                command: "true".into()
            },
            shown("b", "c", 11..12),
            shown("d", "", 14..14),
        ]
    );
    let replaced = replace_outputs(text, vec![(11..12, "e\nf".into()), (14..14, "g".into())]);
    assert!(
        replaced.ends_with("$ b\ne\nf\n\n$ d\ng\n```\n"),
        "{replaced}"
    );
}
