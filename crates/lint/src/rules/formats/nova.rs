//! Rules about Nova skills.

use super::check;
use crate::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs, RuleExample};
use skillpm_core::report::DiagnosticLevel;

/// A valid manifest.
pub(super) const FINE: &str =
    "name: First week\nversion: \"1.0.0\"\ndescription: Take somebody through the first week.\n";

const PAGE: ExampleFile = ExampleFile::Text("# First week\n\nBe kind.\n");
const GOOD_TOOLS: &str = "def find(name: str):\n    \"\"\"Find a person.\"\"\"\n\n\ndef get_tools():\n    return [find]\n";

pub(super) static MANIFEST: Rule = Rule {
    code: "SKB01",
    name: "nova-manifest",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "a `manifest.yaml` that Nova rejects",
    docs: RuleDocs {
        finds: "A `manifest.yaml` next to an `instructions.md` that is not valid YAML, has no fields, lacks `name`, \
            `version` or `description`, has one of them twice with different values, or has one that is not a string.",
        hurts: "Nova logs that the manifest is invalid and skips the skill, without a message to the user.",
        ignore: "Never: the skill is not available.",
        // A field is missing, one has another type, and the YAML is invalid.
        bad: &[
            RuleExample::files(&[
                (
                    "week/manifest.yaml",
                    ExampleFile::Text("name: First week\nversion: \"1.0.0\"\n"),
                ),
                ("week/instructions.md", PAGE),
            ]),
            RuleExample::files(&[
                (
                    "week/manifest.yaml",
                    ExampleFile::Text(
                        "name: 7\nversion: \"1.0.0\"\ndescription: Take somebody along.\n",
                    ),
                ),
                ("week/instructions.md", PAGE),
            ]),
            RuleExample::files(&[
                ("week/manifest.yaml", ExampleFile::Text("[a\n")),
                ("week/instructions.md", PAGE),
            ]),
        ],
        good: &[RuleExample::files(&[
            ("week/manifest.yaml", ExampleFile::Text(FINE)),
            ("week/instructions.md", PAGE),
        ])],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static VERSION: Rule = Rule {
    code: "SKB02",
    name: "nova-version-not-text",
    level: Some(DiagnosticLevel::Error),
    // Safe: the quotes keep the version as its author wrote it.
    fix: FixAvailability::Safely,
    summary: "a `version` in a `manifest.yaml` that is a number",
    docs: RuleDocs {
        finds: "A `version` without quotes that YAML reads as a number or a date: `1.0`, `2026-01-25`. `1.0.0` is a \
            string without quotes.",
        hurts: "Nova requires a string, and skips the skill; and `1.10` is the number 1.1.",
        ignore: "Never: put the version in quotes.",
        bad: &[RuleExample::files(&[
            (
                "week/manifest.yaml",
                ExampleFile::Text(
                    "name: First week\nversion: 1.0\ndescription: Take somebody along.\n",
                ),
            ),
            ("week/instructions.md", PAGE),
        ])],
        good: &[RuleExample::files(&[
            (
                "week/manifest.yaml",
                ExampleFile::Text(
                    "name: First week\nversion: \"1.0\"\ndescription: Take somebody along.\n",
                ),
            ),
            ("week/instructions.md", PAGE),
        ])],
    },
    check: RuleCheck::SharedWith("nova-manifest"),
};

pub(super) static TOOLS: Rule = Rule {
    code: "SKB03",
    name: "nova-tools",
    // An error: the call fails when the skill is enabled, and none of its tools is there.
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "a `tools.py` without tools for Nova",
    docs: RuleDocs {
        finds: "A `tools.py` of a Nova skill that is not valid Python, or does not define `get_tools`. It is parsed, \
            not run.",
        hurts: "Nova calls `get_tools()` when the skill is enabled, and the call fails.",
        ignore: "The file only has helper functions, and Nova gets the tools elsewhere.",
        bad: &[RuleExample::files(&[
            ("week/manifest.yaml", ExampleFile::Text(FINE)),
            ("week/instructions.md", PAGE),
            (
                "week/tools.py",
                ExampleFile::Text("def find(name: str):\n    \"\"\"Find a person.\"\"\"\n"),
            ),
        ])],
        good: &[RuleExample::files(&[
            ("week/manifest.yaml", ExampleFile::Text(FINE)),
            ("week/instructions.md", PAGE),
            ("week/tools.py", ExampleFile::Text(GOOD_TOOLS)),
        ])],
    },
    check: RuleCheck::SharedWith("nova-manifest"),
};

pub(super) static OPAQUE: Rule = Rule {
    code: "SKB04",
    name: "nova-tools-opaque",
    // A note, since the skill works; only what it offers is not known in advance.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "a `get_tools` whose tools are unknown without running it",
    docs: RuleDocs {
        finds: "A `get_tools` that returns something other than a list of names, if no function of the file has a \
            decorator `tool` either.",
        hurts: "A catalog cannot list the tools of the skill, and they cannot be allowed or denied in advance.",
        ignore: "The tools depend on where the skill runs.",
        bad: &[RuleExample::files(&[
            ("week/manifest.yaml", ExampleFile::Text(FINE)),
            ("week/instructions.md", PAGE),
            (
                "week/tools.py",
                ExampleFile::Text(
                    "from week import load\n\n\ndef get_tools():\n    return load()\n",
                ),
            ),
        ])],
        good: &[RuleExample::files(&[
            ("week/manifest.yaml", ExampleFile::Text(FINE)),
            ("week/instructions.md", PAGE),
            ("week/tools.py", ExampleFile::Text(GOOD_TOOLS)),
        ])],
    },
    check: RuleCheck::SharedWith("nova-manifest"),
};
