//! Where the frontmatter stands: what the reader says of its two fences.

use crate::lint::{Check, Docs, Example, Fixes, Piece, Rule};
use crate::report::Level;

const GOOD: &[Example] = &[Example::page(&[(
    "pdf/SKILL.md",
    Piece::Text(
        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF forms\n",
    ),
)])];

pub(super) static MISSING: Rule = Rule {
    code: "SK101",
    name: "frontmatter-missing",
    level: Some(Level::Error),
    fix: Fixes::Unsafely,
    summary: "the file has no frontmatter",
    docs: Docs {
        finds: "A `SKILL.md` whose first line is not `---`, and in whose first lines no frontmatter stands either.",
        hurts: "Agents learn from the frontmatter that the skill exists. Claude Code lists it under the name of its \
                directory, with text of the body for a description; no other agent lists it at all.",
        ignore: "A file that only happens to be called `SKILL.md` and is meant for people.",
        bad: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text("# PDF forms\n\nFill PDF forms, one field at a time.\n"),
        )])],
        good: GOOD,
    },
    check: Check::Reader,
};

pub(super) static NOT_FIRST: Rule = Rule {
    code: "SK102",
    name: "frontmatter-not-first",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "the frontmatter stands after something else, or lacks its `---`",
    docs: Docs {
        finds: "A frontmatter that begins after a blank line, a heading, a comment or other text, one that stands in a \
                code fence, and fields at the top of the file that have no `---` around them.",
        hurts: "Agents look for the frontmatter on the first line and nowhere else: the skill is not listed, and Claude \
                Code lists it without its description.",
        ignore: "A frontmatter further down that is an example and not the skill's own; then the skill's is missing.",
        bad: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("# PDF forms\n\n---\nname: pdf\ndescription: Fill PDF forms.\n---\n\nList the fields.\n"),
            )]),
            Example::page(&[("pdf/SKILL.md", Piece::Text("\n---\nname: pdf\ndescription: Fill PDF forms.\n---\n"))]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("```yaml\n---\nname: pdf\ndescription: Fill PDF forms.\n---\n```\n\n# PDF forms\n"),
            )]),
            Example::page(&[("pdf/SKILL.md", Piece::Text("name: pdf\ndescription: Fill PDF forms.\n\n# PDF forms\n"))]),
        ],
        good: GOOD,
    },
    check: Check::Reader,
};

pub(super) static UNCLOSED: Rule = Rule {
    code: "SK103",
    name: "frontmatter-unclosed",
    level: Some(Level::Error),
    fix: Fixes::Unsafely,
    summary: "the frontmatter has no closing `---`",
    docs: Docs {
        finds: "A file that begins with `---` and has no second line of three dashes. A line `...`, which ends a document \
                in YAML, closes no frontmatter.",
        hurts: "Without an end there is no frontmatter: the skill is not listed, and Claude Code lists it without its \
                description.",
        ignore: "Never; the file is a skill to no agent.",
        bad: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: Fill PDF forms.\n\n# PDF forms\n"),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: Fill PDF forms.\n...\n\n# PDF forms\n"),
            )]),
        ],
        good: GOOD,
    },
    check: Check::Reader,
};

pub(super) static BLANKS: Rule = Rule {
    code: "SK104",
    name: "delimiter-whitespace",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "blanks stand beside the dashes of a `---` line",
    docs: Docs {
        finds: "An opening or closing `---` with blanks or tabs after it or before it.",
        hurts: "Codex and the reference validator take such a line, Gemini CLI and `npx skills` do not: to them the skill \
                has no frontmatter.",
        ignore: "Never; nobody sees the blanks.",
        bad: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text("--- \nname: pdf\ndescription: Fill PDF forms.\n---\n\n# PDF forms\n"),
        )])],
        good: GOOD,
    },
    check: Check::Reader,
};

pub(super) static DASHES: Rule = Rule {
    code: "SK105",
    name: "dashes-inside-frontmatter",
    level: Some(Level::Warning),
    fix: Fixes::Unsafely,
    summary: "`---` stands within the frontmatter",
    docs: Docs {
        finds: "Three dashes or more within a value or a comment of the frontmatter.",
        hurts: "The reference validator cuts the file at the first two `---`, wherever they stand. It reads half of a \
                description then, finds it valid, and says nothing. Agents look for a line of its own and read on.",
        ignore: "A skill that is for agents only and never validated by `skills-ref`.",
        bad: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text("---\nname: pdf\ndescription: Fill PDF forms --- one field at a time.\n---\n\n# PDF forms\n"),
        )])],
        good: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\nname: pdf\ndescription: Fill PDF forms -- one field at a time.\n---\n\n# PDF forms\n\n---\n",
            ),
        )])],
    },
    check: Check::Reader,
};

pub(super) static NOT_MAPPING: Rule = Rule {
    code: "SK106",
    name: "frontmatter-not-mapping",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "the frontmatter is empty, a list or a text, not fields",
    docs: Docs {
        finds: "A frontmatter that is YAML but has no fields: nothing at all or only comments, a list, a text.",
        hurts: "There is no name and no description to be read, so no agent lists the skill.",
        ignore: "Never; the file is a skill to no agent.",
        bad: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\n- name: pdf\n- description: Fill PDF forms.\n---\n\n# PDF forms\n"),
            )]),
            Example::page(&[("pdf/SKILL.md", Piece::Text("---\n---\n\n# PDF forms\n"))]),
        ],
        good: GOOD,
    },
    check: Check::Reader,
};

pub(super) static TOO_LARGE: Rule = Rule {
    code: "SK107",
    name: "frontmatter-too-large",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "the frontmatter is larger than 64 kB",
    docs: Docs {
        finds: "A frontmatter of more than 65,536 bytes between its fences.",
        hurts: "skillpm does not read it, so that no file can take more than milliseconds of whoever installs it. The \
                longest frontmatter seen in thousands of skills has 2 kB.",
        ignore: "Never; what is large belongs in a file beside `SKILL.md`, which agents read when they need it.",
        bad: &[Example::page(&[("pdf/SKILL.md", Piece::Text(LARGE))])],
        good: GOOD,
    },
    check: Check::Reader,
};

/// A frontmatter one line longer than the limit.
const LARGE: &str = {
    const HEAD: &[u8] = b"---\nname: pdf\ndescription: Fill PDF forms.\n";
    const TAIL: &[u8] = b"---\n\n# PDF forms\n";
    const LENGTH: usize = HEAD.len() + (64 << 10) + TAIL.len();
    #[expect(clippy::large_const_arrays, reason = "it is an example, there once")]
    const TEXT: [u8; LENGTH] = {
        let mut text = [b'#'; LENGTH];
        let mut at = 0;
        while at < HEAD.len() {
            text[at] = HEAD[at];
            at += 1;
        }
        at = 0;
        while at < TAIL.len() {
            text[LENGTH - TAIL.len() + at] = TAIL[at];
            at += 1;
        }
        text[LENGTH - TAIL.len() - 1] = b'\n';
        text
    };
    match std::str::from_utf8(&TEXT) {
        Ok(text) => text,
        Err(_) => "",
    }
};
