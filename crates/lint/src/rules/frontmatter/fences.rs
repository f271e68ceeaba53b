//! Rules about the place of the frontmatter and its two fences, which the reader checks.

use crate::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs, RuleExample};
use skillpm_core::report::DiagnosticLevel;

const GOOD: &[RuleExample] = &[RuleExample::page(&[(
    "pdf/SKILL.md",
    ExampleFile::Text(
        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF forms\n",
    ),
)])];

pub(super) static MISSING: Rule = Rule {
    code: "SK101",
    name: "frontmatter-missing",
    level: Some(DiagnosticLevel::Error),
    // Unsafe: the description is taken from the first paragraph, which may not say when to use the
    // skill.
    fix: FixAvailability::Unsafely,
    summary: "the file has no frontmatter",
    docs: RuleDocs {
        finds: "A `SKILL.md` whose first line is not `---`, and without a frontmatter in its first lines.",
        hurts: "Agents find a skill by its frontmatter. Claude Code lists it under the name of its directory, with \
            text of the body as description; no other agent lists it at all.",
        ignore: "The file is named `SKILL.md` by chance and is intended for people.",
        bad: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text("# PDF forms\n\nFill PDF forms, one field at a time.\n"),
        )])],
        good: GOOD,
    },
    check: RuleCheck::Reader,
};

pub(super) static NOT_FIRST: Rule = Rule {
    code: "SK102",
    name: "frontmatter-not-first",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "the frontmatter is not at the start of the file, or lacks its `---`",
    docs: RuleDocs {
        finds: "A frontmatter after a blank line, a heading, a comment or other text, one in a code fence, and fields \
            at the top of the file without `---` around them.",
        hurts: "Agents look for the frontmatter on the first line only: the skill is not listed, and Claude Code \
            lists it without its description.",
        ignore: "The frontmatter is an example, not the skill's own; then the skill's is missing.",
        // One for each way in which it was seen in real skills: after a heading, after a blank
        // line, in a code fence, without fences.
        bad: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "# PDF forms\n\n---\nname: pdf\ndescription: Fill PDF forms.\n---\n\nList the fields.\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text("\n---\nname: pdf\ndescription: Fill PDF forms.\n---\n"),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "```yaml\n---\nname: pdf\ndescription: Fill PDF forms.\n---\n```\n\n# PDF forms\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text("name: pdf\ndescription: Fill PDF forms.\n\n# PDF forms\n"),
            )]),
        ],
        good: GOOD,
    },
    check: RuleCheck::Reader,
};

pub(super) static UNCLOSED: Rule = Rule {
    code: "SK103",
    name: "frontmatter-unclosed",
    level: Some(DiagnosticLevel::Error),
    // Unsafe: where the fields end and the text begins is a guess.
    fix: FixAvailability::Unsafely,
    summary: "the frontmatter has no closing `---`",
    docs: RuleDocs {
        finds: "A file that begins with `---` and has no second line of three dashes. A line `...`, which ends a YAML \
            document, does not close a frontmatter.",
        hurts: "Without an end there is no frontmatter: the skill is not listed, and Claude Code lists it without its \
                description.",
        ignore: "Never; no agent reads the file as a skill.",
        bad: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text("---\nname: pdf\ndescription: Fill PDF forms.\n\n# PDF forms\n"),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\n...\n\n# PDF forms\n",
                ),
            )]),
        ],
        good: GOOD,
    },
    check: RuleCheck::Reader,
};

pub(super) static BLANKS: Rule = Rule {
    code: "SK104",
    name: "delimiter-whitespace",
    // A warning: the specification does not forbid it, and some agents find the frontmatter.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Safely,
    summary: "whitespace before or after the dashes of a `---` line",
    docs: RuleDocs {
        finds: "An opening or closing `---` with spaces or tabs before or after it.",
        hurts: "Codex and the reference validator accept such a line, Gemini CLI and `npx skills` do not: to them the \
            skill has no frontmatter.",
        ignore: "Never; the whitespace is invisible.",
        bad: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "--- \nname: pdf\ndescription: Fill PDF forms.\n---\n\n# PDF forms\n",
            ),
        )])],
        good: GOOD,
    },
    check: RuleCheck::Reader,
};

pub(super) static DASHES: Rule = Rule {
    code: "SK105",
    name: "dashes-inside-frontmatter",
    // A warning: only the reference validator is misled, but it accepts half a description without
    // a word.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Unsafely,
    summary: "the frontmatter contains `---`",
    docs: RuleDocs {
        finds: "Three or more dashes in a value or a comment of the frontmatter.",
        hurts: "The reference validator splits the file at the first two `---`, anywhere on a line. It then reads \
            half of a description, accepts it, and reports nothing. Agents look for a separate line and read on.",
        ignore: "The skill is for agents only and never validated by `skills-ref`.",
        bad: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms --- one field at a time.\n---\n\n# PDF forms\n",
            ),
        )])],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms -- one field at a time.\n---\n\n# PDF forms\n\n---\n",
            ),
        )])],
    },
    check: RuleCheck::Reader,
};

pub(super) static NOT_MAPPING: Rule = Rule {
    code: "SK106",
    name: "frontmatter-not-mapping",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "the frontmatter is empty, a list or a string, not a mapping",
    docs: RuleDocs {
        finds: "A frontmatter that is valid YAML but has no fields: it is empty, only comments, a list or a string.",
        hurts: "There is no name and no description, so no agent lists the skill.",
        ignore: "Never; no agent reads the file as a skill.",
        bad: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\n- name: pdf\n- description: Fill PDF forms.\n---\n\n# PDF forms\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text("---\n---\n\n# PDF forms\n"),
            )]),
        ],
        good: GOOD,
    },
    check: RuleCheck::Reader,
};

pub(super) static TOO_LARGE: Rule = Rule {
    code: "SK107",
    name: "frontmatter-too-large",
    level: Some(DiagnosticLevel::Error),
    // No fix: what belongs in a file of its own is for the author to choose.
    fix: FixAvailability::Never,
    summary: "the frontmatter is larger than 64 kB",
    docs: RuleDocs {
        finds: "A frontmatter of more than 65,536 bytes between its fences.",
        hurts: "skillpm does not read it, so that no file can delay an installation. The longest frontmatter seen in \
            thousands of skills has 2 kB.",
        ignore: "Never; long text belongs in a file next to `SKILL.md`, which agents read when they need it.",
        bad: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(LARGE),
        )])],
        good: GOOD,
    },
    check: RuleCheck::Reader,
};

/// A frontmatter one line longer than the limit.
const LARGE: &str = {
    const HEAD: &[u8] = b"---\nname: pdf\ndescription: Fill PDF forms.\n";
    const TAIL: &[u8] = b"---\n\n# PDF forms\n";
    // Built at compile time: 64 kB of text in the source would be unreadable.
    const LENGTH: usize = HEAD.len() + (64 << 10) + TAIL.len();
    #[expect(clippy::large_const_arrays, reason = "it is an example, used once")]
    const TEXT: [u8; LENGTH] = {
        let mut text = [b'#'; LENGTH];
        // `const` functions have no iterators yet.
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
