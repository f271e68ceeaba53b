//! Scripts that wait for user input.

use crate::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, Span};

pub(super) static RULE: Rule = Rule {
    code: "SK604",
    name: "interactive-input",
    // 1 % of well-kept skills have such a script, and some of them are run by people.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "a script waits for user input",
    docs: RuleDocs {
        finds: "A call of `input()` or `getpass()` in Python; `read` from the keyboard, or `select`, in a shell \
            script. Scripts that check for a terminal (`isatty`, `[ -t 0 ]`) are ignored, and so is `read` in a loop, \
            from a file or at the end of a pipe. Reported once per file.",
        hurts: "Agents run scripts without a terminal. The script waits until it times out, or fails at the end of \
            its input.",
        ignore: "The skill instructs the agent to pipe the answers in, or to let a person run the script.",
        bad: &[
            page_and!(
                "Run `scripts/fill.py`.\n",
                (
                    "pdf/scripts/fill.py",
                    ExampleFile::Text("name = input(\"Name? \")\nprint(name)\n")
                )
            ),
            page_and!(
                "Run `scripts/fill.sh`.\n",
                (
                    "pdf/scripts/fill.sh",
                    ExampleFile::Program("#!/bin/bash\nread -p 'Name? ' name\necho \"$name\"\n")
                )
            ),
        ],
        // A comment and a string are no call, and a loop reads a file, not the keyboard.
        good: &[
            page_and!(
                "Run `scripts/fill.py NAME`.\n",
                (
                    "pdf/scripts/fill.py",
                    ExampleFile::Text(
                        "import sys\n# input() would hang\nprint(sys.argv[1], 'input()')\n"
                    )
                )
            ),
            page_and!(
                "Run `scripts/fill.sh`.\n",
                (
                    "pdf/scripts/fill.sh",
                    ExampleFile::Program(
                        "#!/bin/bash\nwhile read -r line; do\n  echo \"$line\"\ndone < forms\nread -r first <<< \"$1\"\n"
                    )
                )
            ),
        ],
    },
    check: RuleCheck::SharedWith("python-syntax"),
};

/// Builds the finding for a call.
pub(super) fn finding(call: &str, span: Span, source: &str) -> Diagnostic {
    let finding = RULE
        .finding(format!("`{call}` waits for user input"))
        .at(span, source);
    finding
        .note("agents run scripts without a terminal")
        .help("take the answer as an argument, and document it in `SKILL.md`")
}
