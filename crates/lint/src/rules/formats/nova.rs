//! What is wrong with the files of a skill of Nova's.

use super::check;
use crate::lint::{Check, Docs, Example, Fixes, Piece, Rule};
use crate::report::Level;

/// A manifest that is fine.
pub(super) const FINE: &str =
    "name: First week\nversion: \"1.0.0\"\ndescription: Take somebody through the first week.\n";

const PAGE: Piece = Piece::Text("# First week\n\nBe kind.\n");
const GOOD_TOOLS: &str =
    "def find(name: str):\n    \"\"\"Find a person.\"\"\"\n\n\ndef get_tools():\n    return [find]\n";

pub(super) static MANIFEST: Rule = Rule {
    code: "SKB01",
    name: "nova-manifest",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "a `manifest.yaml` that Nova does not take",
    docs: Docs {
        finds: "A `manifest.yaml` beside an `instructions.md` that is no YAML, has no fields, lacks `name`, `version` or \
                `description`, gives one of them twice with different values, or as something else than text.",
        hurts: "Nova logs that the manifest is bad and leaves the skill out; nobody is told.",
        ignore: "Never: the skill is not there.",
        bad: &[
            Example::files(&[
                ("week/manifest.yaml", Piece::Text("name: First week\nversion: \"1.0.0\"\n")),
                ("week/instructions.md", PAGE),
            ]),
            Example::files(&[
                ("week/manifest.yaml", Piece::Text("name: 7\nversion: \"1.0.0\"\ndescription: Take somebody along.\n")),
                ("week/instructions.md", PAGE),
            ]),
            Example::files(&[("week/manifest.yaml", Piece::Text("[a\n")), ("week/instructions.md", PAGE)]),
        ],
        good: &[Example::files(&[("week/manifest.yaml", Piece::Text(FINE)), ("week/instructions.md", PAGE)])],
    },
    check: Check::Skill(check),
};

pub(super) static VERSION: Rule = Rule {
    code: "SKB02",
    name: "nova-version-not-text",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "a `version` in a `manifest.yaml` that is a number",
    docs: Docs {
        finds: "A `version` without quotes that YAML reads as a number or a date: `1.0`, `2026-01-25`. `1.0.0` is a text as \
                it is.",
        hurts: "Nova wants a text there, and leaves the skill out; and `1.10` is the number 1.1.",
        ignore: "Never: quotes are all that is needed.",
        bad: &[Example::files(&[
            ("week/manifest.yaml", Piece::Text("name: First week\nversion: 1.0\ndescription: Take somebody along.\n")),
            ("week/instructions.md", PAGE),
        ])],
        good: &[Example::files(&[
            (
                "week/manifest.yaml",
                Piece::Text("name: First week\nversion: \"1.0\"\ndescription: Take somebody along.\n"),
            ),
            ("week/instructions.md", PAGE),
        ])],
    },
    check: Check::With("nova-manifest"),
};

pub(super) static TOOLS: Rule = Rule {
    code: "SKB03",
    name: "nova-tools",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "a `tools.py` that Nova gets no tools from",
    docs: Docs {
        finds: "A `tools.py` of a skill of Nova's that is no Python, or does not define `get_tools`. It is read, not run.",
        hurts: "Nova asks `get_tools()` when the skill is enabled, and the skill fails there.",
        ignore: "The file only has helpers, and Nova gets the tools elsewhere.",
        bad: &[Example::files(&[
            ("week/manifest.yaml", Piece::Text(FINE)),
            ("week/instructions.md", PAGE),
            ("week/tools.py", Piece::Text("def find(name: str):\n    \"\"\"Find a person.\"\"\"\n")),
        ])],
        good: &[Example::files(&[
            ("week/manifest.yaml", Piece::Text(FINE)),
            ("week/instructions.md", PAGE),
            ("week/tools.py", Piece::Text(GOOD_TOOLS)),
        ])],
    },
    check: Check::With("nova-manifest"),
};

pub(super) static OPAQUE: Rule = Rule {
    code: "SKB04",
    name: "nova-tools-opaque",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "a `get_tools` whose tools nobody can know without running it",
    docs: Docs {
        finds: "A `get_tools` that returns something else than a list of names, where no function of the file stands under a \
                decorator `tool` either.",
        hurts: "A catalog cannot say which tools the skill has, and nobody can allow or deny them beforehand.",
        ignore: "Which tools there are depends on where the skill runs.",
        bad: &[Example::files(&[
            ("week/manifest.yaml", Piece::Text(FINE)),
            ("week/instructions.md", PAGE),
            ("week/tools.py", Piece::Text("from week import load\n\n\ndef get_tools():\n    return load()\n")),
        ])],
        good: &[Example::files(&[
            ("week/manifest.yaml", Piece::Text(FINE)),
            ("week/instructions.md", PAGE),
            ("week/tools.py", Piece::Text(GOOD_TOOLS)),
        ])],
    },
    check: Check::With("nova-manifest"),
};
