//! Programs that wait for somebody to type.

use crate::lint::{Check, Docs, Fixes, Piece, Rule};
use crate::report::{Diagnostic, Level, Span};

pub(super) static RULE: Rule = Rule {
    code: "SK604",
    name: "interactive-input",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "a script waits for somebody to type",
    docs: Docs {
        finds: "A call of `input()` or `getpass()` in Python; `read` from the keyboard, or `select`, in a shell script. A script \
                that asks whether it has a terminal (`isatty`, `[ -t 0 ]`) is passed over, and so is `read` in a loop, from a \
                file or at the end of a pipe. Told once a file.",
        hurts: "Agents run scripts without a terminal. The script waits for ever, until its time is up, or fails at the end of \
                its input.",
        ignore: "The skill tells the agent to pipe the answers in, or that a person is to run the script.",
        bad: &[
            page_and!(
                "Run `scripts/fill.py`.\n",
                ("pdf/scripts/fill.py", Piece::Text("name = input(\"Name? \")\nprint(name)\n"))
            ),
            page_and!(
                "Run `scripts/fill.sh`.\n",
                ("pdf/scripts/fill.sh", Piece::Program("#!/bin/bash\nread -p 'Name? ' name\necho \"$name\"\n"))
            ),
        ],
        good: &[
            page_and!(
                "Run `scripts/fill.py NAME`.\n",
                (
                    "pdf/scripts/fill.py",
                    Piece::Text("import sys\n# input() would hang\nprint(sys.argv[1], 'input()')\n")
                )
            ),
            page_and!(
                "Run `scripts/fill.sh`.\n",
                (
                    "pdf/scripts/fill.sh",
                    Piece::Program(
                        "#!/bin/bash\nwhile read -r line; do\n  echo \"$line\"\ndone < forms\nread -r first <<< \"$1\"\n"
                    )
                )
            ),
        ],
    },
    check: Check::With("python-syntax"),
};

/// The finding, for one call.
pub(super) fn finding(call: &str, span: Span, source: &str) -> Diagnostic {
    let told = RULE.finding(format!("`{call}` waits for somebody to type")).at(span, source);
    told.note("agents run scripts without a terminal").help("take the answer as an argument, and say so in `SKILL.md`")
}
