//! Shell scripts, and what makes a file a program.

use memchr::memchr_iter;

use super::{interactive, is_sample};
use crate::lint::{Check, Docs, File, Fixes, Found, Piece, Rule, Subject};
use crate::report::{Applicability, Change, Fix, Level, Span};

pub(super) static CRLF: Rule = Rule {
    code: "SK602",
    name: "crlf-shell-script",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "a script has Windows' ends of lines",
    docs: Docs {
        finds: "A shell script, or any text that begins with `#!`, whose lines end with a carriage return.",
        hurts: "Linux and macOS take the carriage return as part of the interpreter's name, of every argument and of every \
                `fi`: `env: 'bash\\r': No such file or directory`.",
        ignore: "There is no reason to.",
        bad: &[
            page_and!(
                "Run `scripts/fill.sh`.\n",
                ("pdf/scripts/fill.sh", Piece::Program("#!/bin/sh\r\necho filled\r\n"))
            ),
            page_and!(
                "Run `scripts/fill`.\n",
                ("pdf/scripts/fill", Piece::Program("#!/usr/bin/env python3\r\nprint(1)\r\n"))
            ),
        ],
        good: &[
            page_and!("Run `scripts/fill.sh`.\n", ("pdf/scripts/fill.sh", Piece::Program("#!/bin/sh\necho filled\n"))),
            page_and!("Run `scripts/fill.bat`.\n", ("pdf/scripts/fill.bat", Piece::Text("echo filled\r\n"))),
        ],
    },
    check: Check::Skill(check),
};

pub(super) static NO_SHEBANG: Rule = Rule {
    code: "SK603",
    name: "missing-shebang",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "a shell script does not say which shell it is for",
    docs: Docs {
        finds: "A `.sh` or `.bash` file below `scripts/` that does not begin with `#!`, unless another script of the skill reads \
                it in with `source`.",
        hurts: "Run by its path, it is taken by whatever shell runs it: on Debian that is `dash`, which knows no `[[` and no \
                arrays.",
        ignore: "It is only ever read in by a script that is not part of the skill.",
        bad: &[page_and!(
            "Run `scripts/fill.sh`.\n",
            ("pdf/scripts/fill.sh", Piece::Program("if [[ -n $1 ]]; then echo filled; fi\n"))
        )],
        good: &[page_and!(
            "Run `scripts/fill.sh`.\n",
            ("pdf/scripts/fill.sh", Piece::Program("#!/bin/sh\n. \"$(dirname \"$0\")/common.sh\"\n")),
            ("pdf/scripts/common.sh", Piece::Text("form=a4\n"))
        )],
    },
    check: Check::With("crlf-shell-script"),
};

pub(super) static NOT_EXECUTABLE: Rule = Rule {
    code: "SK606",
    name: "not-executable",
    level: None,
    fix: Fixes::Safely,
    summary: "a script that begins with `#!` may not be run",
    docs: Docs {
        finds: "A text below `scripts/` that begins with `#!`, and has no right to be run.",
        hurts: "`scripts/fill.sh` fails with `permission denied`, and `bash scripts/fill.sh` does not. Agents mostly try the \
                second by themselves.",
        ignore: "Nearly always: few who publish skills set the right, and agents do without. That is why this is off.",
        bad: &[page_and!("Run `scripts/fill.sh`.\n", ("pdf/scripts/fill.sh", Piece::Text("#!/bin/sh\necho filled\n")))],
        good: &[page_and!(
            "Run `scripts/fill.sh`.\n",
            ("pdf/scripts/fill.sh", Piece::Program("#!/bin/sh\necho filled\n"))
        )],
    },
    check: Check::With("crlf-shell-script"),
};

pub(super) static NO_ERREXIT: Rule = Rule {
    code: "SK607",
    name: "no-errexit",
    level: None,
    fix: Fixes::Never,
    summary: "a shell script goes on after an error",
    docs: Docs {
        finds: "A shell script of more than a few lines with neither `set -e` nor `set -o errexit`, nor `-e` in its first line.",
        hurts: "The script goes on after a command that failed, and ends as if all were well. The agent believes it.",
        ignore: "The script looks after errors itself. Many good ones do, which is why this is off.",
        bad: &[page_and!(
            "Run `scripts/fill.sh`.\n",
            ("pdf/scripts/fill.sh", Piece::Program("#!/bin/sh\ncd forms\nfill a\nfill b\nfill c\nrm -r work\n"))
        )],
        good: &[page_and!(
            "Run `scripts/fill.sh`.\n",
            (
                "pdf/scripts/fill.sh",
                Piece::Program("#!/bin/sh\nset -eu\ncd forms\nfill a\nfill b\nfill c\nrm -r work\n")
            )
        )],
    },
    check: Check::With("crlf-shell-script"),
};

/// Fewest lines of commands for which going on after an error is worth a word.
const COMMANDS_MIN: usize = 5;

fn check(subject: &Subject<'_>, found: &mut Found) {
    for file in &subject.skill.files {
        let is_shell = matches!(file.extension(), "sh" | "bash" | "zsh" | "ksh");
        let Some(source) = file.text().filter(|text| is_shell || text.starts_with("#!")) else { continue };
        let first = source.lines().next().unwrap_or_default();
        crlf(file, source, found);
        if file.path.starts_with("scripts/") && source.starts_with("#!") && !file.executable {
            let told = NOT_EXECUTABLE.finding("the script begins with `#!`, and may not be run");
            let fix = Fix {
                applicability: Applicability::Safe,
                message: "let it be run".into(),
                changes: vec![Change::SetExecutable],
            };
            found.add(&file.path, told.help(format!("run `chmod +x {}`", file.path)).fix(fix));
        }
        let runs_shell = ["sh", "bash", "zsh", "ksh", "dash"]
            .iter()
            .any(|shell| first.trim_end().ends_with(shell) || first.contains(&format!("{shell} ")));
        if is_shell || first.starts_with("#!") && runs_shell {
            shell(subject, file, source, first, found);
        }
    }
}

fn crlf(file: &File, source: &str, found: &mut Found) {
    let Some(first) = source.find("\r\n") else { return };
    let is_shell = matches!(file.extension(), "sh" | "bash" | "zsh" | "ksh");
    // In another language only the first line matters.
    if !is_shell && source[..first].contains('\n') {
        return;
    }
    let ends: Vec<usize> =
        memchr_iter(b'\r', source.as_bytes()).filter(|at| source[at + 1..].starts_with('\n')).collect();
    let drop = |at: &usize| Change::Edit { span: *at..at + 1, content: String::new() };
    let fix = Fix {
        applicability: Applicability::Safe,
        message: "end lines as Unix does".into(),
        changes: ends.iter().map(drop).collect(),
    };
    let lines = if ends.len() == 1 { "a line ends".to_owned() } else { format!("{} lines end", ends.len()) };
    let told = CRLF.finding(format!("{lines} with a carriage return")).at(first..first + 1, source);
    let told = told.note("Linux and macOS take it as part of the interpreter's name and of every last word");
    found.add(&file.path, told.help("end lines with a line feed alone").fix(fix));
}

fn shell(subject: &Subject<'_>, file: &File, source: &str, first: &str, found: &mut Found) {
    if file.path.starts_with("scripts/")
        && !first.starts_with("#!")
        && !source.trim().is_empty()
        && !is_read_in(subject, file)
    {
        let line = shebang(file, source);
        let at = if source.starts_with('\u{feff}') { 3 } else { 0 };
        let begins = first.trim_start_matches('\u{feff}').chars().next().map_or(0, char::len_utf8);
        let fix = Fix::edit(Applicability::Safe, format!("begin with `{line}`"), at..at, format!("{line}\n"));
        let told = NO_SHEBANG.finding("the script does not say which shell it is for").at(at..at + begins, source);
        found.add(&file.path, told.help(format!("begin with `{line}`")).fix(fix));
    }
    if !is_sample(&file.path)
        && let Some((call, span)) = waits(source)
    {
        found.add(&file.path, interactive::finding(call, span, source));
    }
    let stops = |line: &str| {
        line.strip_prefix("set ").is_some_and(|rest| {
            rest.contains("errexit")
                || rest
                    .split_whitespace()
                    .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('e'))
        })
    };
    let commands = source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).count();
    let flags = first.split_whitespace().last().is_some_and(|word| word.starts_with('-') && word.contains('e'));
    if commands >= COMMANDS_MIN && !flags && !source.lines().any(|line| stops(line.trim())) {
        let told = NO_ERREXIT.finding("the script goes on after an error").at(0..first.len(), source);
        found.add(&file.path, told.help("write `set -eu` below the first line"));
    }
}

/// Whether another file of the skill reads this one in.
fn is_read_in(subject: &Subject<'_>, file: &File) -> bool {
    let reads = |line: &str| {
        let line = line.trim_start();
        (line.starts_with("source ") || line.starts_with(". ")) && line.contains(file.name())
    };
    let texts = subject.skill.files.iter().filter(|other| other.path != file.path).filter_map(File::text);
    texts.filter(|text| text.contains(file.name())).any(|text| text.lines().any(reads))
}

/// The first line that fits what a script is written in.
fn shebang(file: &File, source: &str) -> &'static str {
    match file.extension() {
        "zsh" => "#!/usr/bin/env zsh",
        "ksh" => "#!/usr/bin/env ksh",
        "bash" => "#!/usr/bin/env bash",
        _ => {
            const BASHISMS: [&str; 14] = [
                "[[",
                "((",
                "<<<",
                "function ",
                "pipefail",
                "source ",
                "declare ",
                "local -",
                "=(",
                "+=(",
                "BASH_SOURCE",
                "${!",
                "<(",
                "shopt ",
            ];
            if BASHISMS.iter().any(|word| source.contains(word)) { "#!/usr/bin/env bash" } else { "#!/bin/sh" }
        }
    }
}

/// The first command that waits for somebody to type.
fn waits(source: &str) -> Option<(&'static str, Span)> {
    if !source.contains("read ") && !source.contains("select ") {
        return None;
    }
    if ["-t 0", "-t 1", "tty -s", "/dev/tty"].iter().any(|test| source.contains(test)) {
        return None;
    }
    let mut at = 0;
    let mut end_of_text: Option<&str> = None;
    for line in source.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        let command = line.trim();
        if let Some(end) = end_of_text {
            if command == end {
                end_of_text = None;
            }
            continue;
        }
        if !command.starts_with('#') {
            end_of_text = heredoc(command);
        }
        let words = command.strip_prefix("IFS= ").unwrap_or(command);
        let is_fed = ["<", "|", "/dev/"].iter().any(|mark| command.contains(mark));
        if words.starts_with("read ") && !is_fed {
            let asks =
                words.split_whitespace().any(|word| word.starts_with('-') && word[1..].contains(['p', 's', 'n', 'N']));
            // Without a question it is mostly fed by whatever the function's output is fed by.
            if asks {
                return Some(("read", start..start + command.len()));
            }
        }
        if words.starts_with("select ") && words.contains(" in ") {
            return Some(("select", start..start + command.len()));
        }
    }
    None
}

/// The word that ends the text that begins after this line.
fn heredoc(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<<")?;
    let rest = rest.strip_prefix('-').unwrap_or(rest).trim_start();
    if rest.starts_with('<') {
        return None;
    }
    let word = rest.trim_start_matches(['\'', '"', '\\']);
    let length = word.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(word.len());
    (length > 0 && word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')).then(|| &word[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_waits_for_a_person_is_found() {
        let found = |source: &str| waits(source).map(|(call, span)| (call, source[span].to_owned()));
        assert_eq!(found("x=1\n  read -rp 'Go? ' yes\n"), Some(("read", "read -rp 'Go? ' yes".into())));
        assert_eq!(found("select x in a b; do\n"), Some(("select", "select x in a b; do".into())));
        for fine in [
            "while read -r line; do\n",
            "read -r a b <<< \"$x\"\n",
            "cat <<EOF\nread -p this\nEOF\n",
            "# read -p x\n",
            "[ -t 0 ] && ask\nread -p x y\n",
            "read -p x y < /dev/tty\n",
            "select * from t\n",
        ] {
            assert_eq!(found(fine), None, "{fine}");
        }
    }

    #[test]
    fn a_shell_is_chosen_by_what_the_script_is_written_in() {
        let file = |path: &str| File { path: path.into(), content: crate::lint::Content::Special, executable: false };
        assert_eq!(shebang(&file("x.sh"), "echo 1\n"), "#!/bin/sh");
        assert_eq!(shebang(&file("x.sh"), "[[ 1 ]]\n"), "#!/usr/bin/env bash");
        assert_eq!(shebang(&file("x.zsh"), "echo 1\n"), "#!/usr/bin/env zsh");
    }
}
