//! Shell scripts, and executable files.

use memchr::memchr_iter;

use super::{interactive, is_sample};
use crate::heredoc::HeredocReader;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, SkillFile,
};
use skillpm_core::report::{
    Diagnostic, DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange, Span,
};

pub(super) static CRLF: Rule = Rule {
    code: "SK602",
    name: "crlf-shell-script",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "a script has CRLF line endings",
    docs: RuleDocs {
        finds: "A shell script, or any text file that begins with `#!`, with lines that end in a carriage return.",
        hurts: "Linux and macOS read the carriage return as part of the interpreter's name, of every argument and of \
            every `fi`: `env: 'bash\\r': No such file or directory`.",
        ignore: "Never: use LF line endings. `--fix` converts a file in which every line ends so. With mixed line \
            endings, and in languages that keep carriage returns in strings, only `--unsafe-fixes` does.",
        bad: &[
            page_and!(
                "Run `scripts/fill.sh`.\n",
                (
                    "pdf/scripts/fill.sh",
                    ExampleFile::Program("#!/bin/sh\r\necho filled\r\n")
                )
            ),
            page_and!(
                "Run `scripts/fill`.\n",
                (
                    "pdf/scripts/fill",
                    ExampleFile::Program("#!/usr/bin/env python3\r\nprint(1)\r\n")
                )
            ),
        ],
        // Batch files usually have CRLF, and run only on Windows.
        good: &[
            page_and!(
                "Run `scripts/fill.sh`.\n",
                (
                    "pdf/scripts/fill.sh",
                    ExampleFile::Program("#!/bin/sh\necho filled\n")
                )
            ),
            page_and!(
                "Run `scripts/fill.bat`.\n",
                ("pdf/scripts/fill.bat", ExampleFile::Text("echo filled\r\n"))
            ),
        ],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static NO_SHEBANG: Rule = Rule {
    code: "SK603",
    name: "missing-shebang",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Safely,
    summary: "a shell script has no shebang line",
    docs: RuleDocs {
        finds: "A `.sh` or `.bash` file in `scripts/` that does not begin with `#!`, unless another script of the \
            skill reads it with `source`.",
        hurts: "If it is run by its path, the calling shell interprets it: on Debian that is `dash`, which does not \
            support `[[` and arrays.",
        ignore: "It is only sourced by a script that is not part of the skill.",
        bad: &[page_and!(
            "Run `scripts/fill.sh`.\n",
            (
                "pdf/scripts/fill.sh",
                ExampleFile::Program("if [[ -n $1 ]]; then echo filled; fi\n")
            )
        )],
        // The second script is sourced by the first, and needs no line of its own.
        good: &[page_and!(
            "Run `scripts/fill.sh`.\n",
            (
                "pdf/scripts/fill.sh",
                ExampleFile::Program("#!/bin/sh\n. \"$(dirname \"$0\")/common.sh\"\n")
            ),
            ("pdf/scripts/common.sh", ExampleFile::Text("form=a4\n"))
        )],
    },
    check: RuleCheck::SharedWith("crlf-shell-script"),
};

pub(super) static NOT_EXECUTABLE: Rule = Rule {
    code: "SK606",
    name: "not-executable",
    level: None,
    fix: FixAvailability::Safely,
    summary: "a script that begins with `#!` is not executable",
    docs: RuleDocs {
        finds: "A text file in `scripts/` that begins with `#!` and is not executable.",
        hurts: "`scripts/fill.sh` fails with `permission denied`, but `bash scripts/fill.sh` works. Agents usually \
            try the second by themselves.",
        ignore: "Nearly always: few published skills set the executable bit, and agents work without it. That is why \
            this rule is off by default.",
        bad: &[page_and!(
            "Run `scripts/fill.sh`.\n",
            (
                "pdf/scripts/fill.sh",
                ExampleFile::Text("#!/bin/sh\necho filled\n")
            )
        )],
        good: &[page_and!(
            "Run `scripts/fill.sh`.\n",
            (
                "pdf/scripts/fill.sh",
                ExampleFile::Program("#!/bin/sh\necho filled\n")
            )
        )],
    },
    check: RuleCheck::SharedWith("crlf-shell-script"),
};

pub(super) static NO_ERREXIT: Rule = Rule {
    code: "SK607",
    name: "no-errexit",
    level: None,
    fix: FixAvailability::Never,
    summary: "a shell script continues after an error",
    docs: RuleDocs {
        finds: "A shell script of at least five commands without `set -e`, `set -o errexit`, or `-e` in its first line.",
        hurts: "The script continues after a failed command, and exits successfully. The agent does not notice the failure.",
        ignore: "The script handles errors itself. Many good ones do, which is why this rule is off by default.",
        bad: &[page_and!(
            "Run `scripts/fill.sh`.\n",
            (
                "pdf/scripts/fill.sh",
                ExampleFile::Program("#!/bin/sh\ncd forms\nfill a\nfill b\nfill c\nrm -r work\n")
            )
        )],
        good: &[page_and!(
            "Run `scripts/fill.sh`.\n",
            (
                "pdf/scripts/fill.sh",
                ExampleFile::Program(
                    "#!/bin/sh\nset -eu\ncd forms\nfill a\nfill b\nfill c\nrm -r work\n"
                )
            )
        )],
    },
    check: RuleCheck::SharedWith("crlf-shell-script"),
};

/// The minimum of command lines for which continuing after an error is reported.
const COMMANDS_MIN: usize = 5;

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    for file in &subject.skill.files {
        let is_shell = matches!(file.extension(), "sh" | "bash" | "zsh" | "ksh");
        let Some(source) = file
            .text()
            .filter(|text| is_shell || text.starts_with("#!"))
        else {
            continue;
        };

        let first = source.lines().next().unwrap_or_default();
        check_crlf(file, source, found);
        // Only there the specification expects programs to be run.
        if file.path.starts_with("scripts/") && source.starts_with("#!") && !file.executable {
            let finding =
                NOT_EXECUTABLE.finding("the script begins with `#!` but is not executable");
            let fix = DiagnosticFix {
                applicability: FixApplicability::Safe,
                message: "make it executable".into(),
                changes: vec![FixChange::SetExecutable],
            };
            found.add(
                &file.path,
                finding
                    .help(format!("run `chmod +x {}`", file.path))
                    .fix(fix),
            );
        }

        if is_shell || first.starts_with("#!") && runs_shell(first) {
            check_shell(subject, file, source, first, found);
        }
    }
}

/// Whether a first line runs a shell: `#!/bin/sh`, `#!/usr/bin/env bash` and `#!/bin/bash -eu`.
fn runs_shell(first: &str) -> bool {
    ["sh", "bash", "zsh", "ksh", "dash"]
        .iter()
        .any(|shell| first.trim_end().ends_with(shell) || first.contains(&format!("{shell} ")))
}

fn check_crlf(file: &SkillFile, source: &str, found: &mut FindingList) {
    let Some(first) = source.find("\r\n") else {
        return;
    };
    let is_shell = matches!(file.extension(), "sh" | "bash" | "zsh" | "ksh");
    // In another language only the first line matters.
    if !is_shell && source[..first].contains('\n') {
        return;
    }

    // A carriage return within a line is not a line end, and stays.
    let ends: Vec<usize> = memchr_iter(b'\r', source.as_bytes())
        .filter(|at| source[at + 1..].starts_with('\n'))
        .collect();
    let drop = |at: &usize| FixChange::Edit {
        span: *at..at + 1,
        content: String::new(),
    };

    // Safe where every line ends so, which is how a program on Windows saved it; one of several may be part of a text. Most
    // other languages keep it in the text of a string.
    let first_line = &source[..first];
    let is_whole = ends.len() == memchr_iter(b'\n', source.as_bytes()).count();
    let reads_as_line_end = ["python", "node", "deno", "bun", "tsx"]
        .iter()
        .any(|name| first_line.contains(name));
    let applicability = if is_whole && (is_shell || runs_shell(first_line) || reads_as_line_end) {
        FixApplicability::Safe
    } else {
        FixApplicability::Unsafe
    };
    let fix = DiagnosticFix {
        applicability,
        message: "convert to LF line endings".into(),
        changes: ends.iter().map(drop).collect(),
    };

    let lines = if ends.len() == 1 {
        "a line ends".to_owned()
    } else {
        format!("{} lines end", ends.len())
    };

    let finding = CRLF
        .finding(format!("{lines} with a carriage return"))
        .at(first..first + 1, source);
    let finding = finding
        .note("Linux and macOS read it as part of the interpreter's name and of the last word of each line");
    found.add(&file.path, finding.help("use LF line endings").fix(fix));
}

fn check_shell(
    subject: &LintSubject<'_>,
    file: &SkillFile,
    source: &str,
    first: &str,
    found: &mut FindingList,
) {
    // A script that another one sources is not run by itself.
    if file.path.starts_with("scripts/")
        && !first.starts_with("#!")
        && !source.trim().is_empty()
        && !is_sourced(subject, file)
    {
        found.add(&file.path, no_shebang_finding(file, source, first));
    }

    if !is_sample(&file.path)
        && let Some((call, span)) = find_prompt(source)
    {
        found.add(&file.path, interactive::finding(call, span, source));
    }

    if continues_after_errors(source, first) {
        let finding = NO_ERREXIT
            .finding("the script continues after an error")
            .at(0..first.len(), source);
        found.add(
            &file.path,
            finding.help("add `set -eu` after the first line"),
        );
    }
}

fn no_shebang_finding(file: &SkillFile, source: &str, first: &str) -> Diagnostic {
    let line = shebang(file, source);
    // The first character that a reader sees, after a byte order mark.
    let at = if source.starts_with('\u{feff}') { 3 } else { 0 };
    let begins = first
        .trim_start_matches('\u{feff}')
        .chars()
        .next()
        .map_or(0, char::len_utf8);

    let fix = DiagnosticFix::edit(
        FixApplicability::Safe,
        format!("begin with `{line}`"),
        at..at,
        format!("{line}\n"),
    );
    NO_SHEBANG
        .finding("the script has no shebang line")
        .at(at..at + begins, source)
        .help(format!("begin with `{line}`"))
        .fix(fix)
}

/// Whether a script of some length does not stop at the first command that fails.
fn continues_after_errors(source: &str, first: &str) -> bool {
    let commands = source
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .count();
    // `#!/bin/sh -e`
    let has_flag = first
        .split_whitespace()
        .last()
        .is_some_and(|word| word.starts_with('-') && word.contains('e'));

    commands >= COMMANDS_MIN && !has_flag && !source.lines().any(|line| sets_errexit(line.trim()))
}

/// Whether a line is `set -e`, `set -euo pipefail`, `set -o errexit` or the like.
fn sets_errexit(line: &str) -> bool {
    line.strip_prefix("set ").is_some_and(|rest| {
        rest.contains("errexit")
            || rest
                .split_whitespace()
                .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('e'))
    })
}

/// Whether another file of the skill sources this one.
fn is_sourced(subject: &LintSubject<'_>, file: &SkillFile) -> bool {
    let reads = |line: &str| {
        let line = line.trim_start();
        (line.starts_with("source ") || line.starts_with(". ")) && line.contains(file.name())
    };

    let texts = subject
        .skill
        .files
        .iter()
        .filter(|other| other.path != file.path)
        .filter_map(SkillFile::text);
    texts
        .filter(|text| text.contains(file.name()))
        .any(|text| text.lines().any(reads))
}

/// The shebang line for the shell that a script is written for.
fn shebang(file: &SkillFile, source: &str) -> &'static str {
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
            // With `#!/bin/sh` such a script fails on Debian, where that is `dash`.
            if BASHISMS.iter().any(|word| source.contains(word)) {
                "#!/usr/bin/env bash"
            } else {
                "#!/bin/sh"
            }
        }
    }
}

/// The first command that waits for user input.
fn find_prompt(source: &str) -> Option<(&'static str, Span)> {
    if !source.contains("read ") && !source.contains("select ") {
        return None;
    }
    // A script that checks for a terminal does not wait without one.
    if ["-t 0", "-t 1", "tty -s", "/dev/tty"]
        .iter()
        .any(|test| source.contains(test))
    {
        return None;
    }

    let mut at = 0;
    let mut heredoc = HeredocReader::default();
    for line in source.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        let command = line.trim();

        if heredoc.is_data(command) {
            continue;
        }

        if let Some(name) = prompting_command(command) {
            return Some((name, start..start + command.len()));
        }
    }
    None
}

/// The name of the command in a line that waits for user input.
fn prompting_command(command: &str) -> Option<&'static str> {
    let words = command.strip_prefix("IFS= ").unwrap_or(command);
    let is_fed = ["<", "|", "/dev/"]
        .iter()
        .any(|mark| command.contains(mark));
    // Without a prompt `read` usually reads the input of the function.
    let has_prompt = || {
        words
            .split_whitespace()
            .any(|word| word.starts_with('-') && word[1..].contains(['p', 's', 'n', 'N']))
    };

    if words.starts_with("read ") && !is_fed && has_prompt() {
        return Some("read");
    }
    // Lines without `in` that begin so are usually SQL.
    (words.starts_with("select ") && words.contains(" in ")).then_some("select")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_prompts_for_user_input_are_found() {
        let found =
            |source: &str| find_prompt(source).map(|(call, span)| (call, source[span].to_owned()));
        assert_eq!(
            found("x=1\n  read -rp 'Go? ' yes\n"),
            Some(("read", "read -rp 'Go? ' yes".into()))
        );
        assert_eq!(
            found("select x in a b; do\n"),
            Some(("select", "select x in a b; do".into()))
        );
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
    fn shebang_matches_the_language_of_the_script() {
        let file = |path: &str| SkillFile {
            path: path.into(),
            content: crate::FileContent::Special,
            executable: false,
        };
        assert_eq!(shebang(&file("x.sh"), "echo 1\n"), "#!/bin/sh");
        assert_eq!(shebang(&file("x.sh"), "[[ 1 ]]\n"), "#!/usr/bin/env bash");
        assert_eq!(shebang(&file("x.zsh"), "echo 1\n"), "#!/usr/bin/env zsh");
    }
}
