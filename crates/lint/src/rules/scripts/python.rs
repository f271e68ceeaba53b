//! Python scripts: syntax errors, prompts and undeclared dependencies. Each file is parsed once.

#[cfg_attr(feature = "python", path = "python/checks.rs")]
#[cfg_attr(not(feature = "python"), path = "python/no_checks.rs")]
mod checks;

use crate::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static SYNTAX: Rule = Rule {
    code: "SK601",
    name: "python-syntax",
    // An error, since the script cannot even start, whatever its arguments.
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "a Python script cannot be parsed",
    docs: RuleDocs {
        finds: "The first syntax error of a `.py` file, by the grammar of the newest Python 3. Python 2 code is \
            reported as such. Templates, test fixtures and files of more than 256 KiB are ignored.",
        hurts: "The script fails before its first line, with any arguments, and the agent has to do its task by hand.",
        ignore: "The file is a sample of broken code, and is never run.",
        bad: &[
            page_and!(
                "Run `scripts/fill.py`.\n",
                (
                    "pdf/scripts/fill.py",
                    ExampleFile::Text("def fill(form:\n    return form\n")
                )
            ),
            page_and!(
                "Run `scripts/fill.py`.\n",
                (
                    "pdf/scripts/fill.py",
                    ExampleFile::Text("print \"filled\"\n")
                )
            ),
        ],
        // The newest syntax, and a template with holes.
        good: &[
            page_and!(
                "Run `scripts/fill.py`.\n",
                (
                    "pdf/scripts/fill.py",
                    ExampleFile::Text(
                        "match 1:\n    case 1:\n        print(f\"{'filled'!r:>{10}}\")\ntype Form = list[int]\n"
                    )
                )
            ),
            page_and!(
                "Copy `templates/fill.py`.\n",
                (
                    "pdf/templates/fill.py",
                    ExampleFile::Text("import {{module}}\n")
                )
            ),
        ],
    },
    check: RuleCheck::Skill(checks::check),
};

pub(super) static UNDECLARED: Rule = Rule {
    code: "SK605",
    name: "undeclared-python-deps",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "a Python script has undeclared dependencies",
    docs: RuleDocs {
        finds: "Imports of a `.py` file that are neither in the standard library nor in the skill, if the file has no \
            script metadata (PEP 723), the skill no `requirements.txt`, `pyproject.toml` or similar file, and the \
            instructions do not mention `pip` or `uv`. Optional imports, in a `try`, are ignored.",
        hurts: "On a machine without the package the script fails at its first line, and the agent guesses what to install.",
        ignore: "The packages are installed wherever the skill is used.",
        bad: &[page_and!(
            "Run `scripts/fill.py`.\n",
            (
                "pdf/scripts/fill.py",
                ExampleFile::Text("import os\nimport yaml\n\nprint(yaml, os)\n")
            )
        )],
        // Script metadata, a module of the skill itself, an optional import, and words that say
        // what to install.
        good: &[
            page_and!(
                "Run `uv run scripts/fill.py`.\n",
                (
                    "pdf/scripts/fill.py",
                    ExampleFile::Text(
                        "# /// script\n# dependencies = [\"pyyaml\"]\n# ///\nimport yaml\nfrom . import forms\nimport forms\n"
                    )
                ),
                (
                    "pdf/scripts/forms.py",
                    ExampleFile::Text(
                        "import os.path\ntry:\n    import rich\nexcept ImportError:\n    rich = None\n"
                    )
                )
            ),
            page_and!(
                "Run `pip install pyyaml`.\n",
                ("pdf/scripts/fill.py", ExampleFile::Text("import yaml\n"))
            ),
        ],
    },
    check: RuleCheck::SharedWith("python-syntax"),
};
