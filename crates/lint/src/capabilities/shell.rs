//! Splits shell lines into the programs they run.

use std::iter::Peekable;
use std::str::Chars;

/// Words that run what follows them.
const PREFIXES: &[&str] = &[
    "!", "builtin", "command", "do", "doas", "elif", "else", "env", "exec", "if", "nice", "nohup",
    "sudo", "then", "time", "until", "while", "xargs", "{",
];

/// Shell builtins and keywords, which are not programs.
const BUILTINS: &[&str] = &[
    "", "#", ".", ":", "[", "[[", "]]", "alias", "break", "case", "cd", "continue", "declare",
    "done", "echo", "esac", "eval", "exit", "export", "false", "fi", "for", "function", "getopts",
    "in", "let", "local", "popd", "printf", "pushd", "pwd", "read", "readonly", "return", "select",
    "set", "shift", "shopt", "source", "test", "trap", "true", "type", "typeset", "ulimit",
    "umask", "unset", "wait", "}",
];

/// The rest of a line after its prompt, if it has one.
pub(super) fn after_prompt(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("$ ").or_else(|| line.strip_prefix("% "))
}

/// The commands of a line, each with its words.
pub(super) fn commands(line: &str) -> Vec<Vec<String>> {
    let line = line.trim_start().strip_prefix("$ ").unwrap_or(line);
    split_commands(line)
        .iter()
        .filter_map(|words| strip_prefixes(words))
        .collect()
}

/// Removes variables and prefixes such as `sudo` before a program; `None` if no program is run.
fn strip_prefixes(words: &[String]) -> Option<Vec<String>> {
    let mut rest = words;
    loop {
        let first = rest.first()?;
        // Options are skipped only after a word such as `sudo`: `sudo -E make`.
        let is_option = rest.len() < words.len() && first.starts_with('-');
        let is_value = first.split_once('=').is_some_and(|(name, _)| is_name(name));
        if PREFIXES.contains(&first.as_str()) || is_value || is_option {
            rest = &rest[1..];
        } else {
            break;
        }
    }

    let program = rest.first()?;
    let is_program = program
        .starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '~' | '_'))
        && program.chars().all(|c| {
            c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '-' | '+' | '~' | '@')
        })
        && program.chars().any(|c| c.is_ascii_alphabetic());

    let is_function = rest.get(1).is_some_and(|next| next == "()");
    (is_program && !is_function && !BUILTINS.contains(&program.as_str())).then(|| rest.to_vec())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Splits a line into commands and words: quotes group, `;`, `|`, `&` and parentheses separate, a comment ends the line.
fn split_commands(line: &str) -> Vec<Vec<String>> {
    let mut splitter = CommandSplitter::default();
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        if splitter.begins_comment(c) {
            break;
        }
        splitter.read_char(c, &mut chars);
    }

    splitter.end_command();
    splitter.commands
}

/// The state of [`split_commands`] within a line.
#[derive(Default)]
struct CommandSplitter {
    commands: Vec<Vec<String>>,
    /// The words of the current command.
    words: Vec<String>,
    word: String,
    /// The open quote.
    quote: Option<char>,
    /// Whether the current word has a quoted part, which may be empty.
    is_quoted: bool,
    /// The open quotes around a command substitution.
    outer_quotes: Vec<Option<char>>,
}

impl CommandSplitter {
    /// Whether a comment begins here. `a#b` is a word: only a `#` at the start of one begins a comment.
    fn begins_comment(&self, c: char) -> bool {
        c == '#' && self.quote.is_none() && self.word.is_empty() && !self.is_quoted
    }

    fn read_char(&mut self, c: char, chars: &mut Peekable<Chars<'_>>) {
        match (self.quote, c) {
            (Some(open), c) if c == open => self.quote = None,
            // A command substitution `$(…)` is run, in double quotes too.
            (Some('"') | None, '$') if chars.peek() == Some(&'(') => {
                chars.next();
                self.outer_quotes.push(self.quote.take());
                self.end_command();
            }
            (Some(_), c) => self.word.push(c),
            (None, '\'' | '"') => (self.quote, self.is_quoted) = (Some(c), true),
            (None, '\\') => self.word.extend(chars.next()),
            (None, '>' | '<') => self.push_redirection(chars),
            (None, ')') => {
                self.end_command();
                // After `"$(…)` the text is quoted again.
                self.quote = self.outer_quotes.pop().flatten();
            }
            (None, ';' | '|' | '&' | '(' | '`') => self.end_command(),
            (None, c) if c.is_whitespace() => {
                self.end_word();
                self.is_quoted = false;
            }
            (None, c) => self.word.push(c),
        }
    }

    /// Skips the rest of `>>` or `2>&1`. A redirection is a word of its own, which no program can be called.
    fn push_redirection(&mut self, chars: &mut Peekable<Chars<'_>>) {
        while chars
            .next_if(|c| matches!(c, '>' | '<' | '&' | '('))
            .is_some()
        {}
        self.end_word();
        self.words.push("<>".to_owned());
    }

    fn end_word(&mut self) {
        if !self.word.is_empty() {
            self.words.push(std::mem::take(&mut self.word));
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.commands.push(std::mem::take(&mut self.words));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_split_into_the_programs_it_runs() {
        let programs = |line: &str| {
            commands(line)
                .into_iter()
                .map(|words| words[0].clone())
                .collect::<Vec<_>>()
        };
        for (line, expected) in [
            (
                "A=1 B=\"x y\" make -j2 && ./run.sh | tee -a log",
                vec!["make", "./run.sh", "tee"],
            ),
            (
                "echo \"$(git rev-parse HEAD)\" > out; rm -f 'a; b'",
                vec!["git", "rm"],
            ),
            (
                "if ! command -v jq; then sudo -E apt-get install jq; fi # curl",
                vec!["jq", "apt-get"],
            ),
            ("for f in *.pdf; do pdftk \"$f\"; done", vec!["pdftk"]),
            ("$ npm ci", vec!["npm"]),
            ("x=$(cat <<< y)", vec!["cat"]),
        ] {
            assert_eq!(programs(line), expected, "{line}");
        }
    }
}
