//! What the reader of `SKILL.md` says of descriptions.

use crate::lint::{Check, Docs, Fixes, Rule};
use crate::report::Level;

pub(super) static MISSING: Rule = Rule {
    code: "SK301",
    name: "description-missing",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "the frontmatter has no `description`",
    docs: Docs {
        finds: "A frontmatter without the key `description`.",
        hurts: "The description is all that an agent sees before it chooses. Codex, Gemini CLI, npx skills and OpenClaw \
                drop a skill without one; OpenCode lists it with nothing to choose it by, Claude Code takes the first \
                paragraph of the body.",
        ignore: "Never: an agent has nothing else to choose by.",
        bad: &[page!("pdf", "---\nname: pdf\n---\n# PDF\n\nFill forms.\n")],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: Check::Reader,
};

pub(super) static EMPTY: Rule = Rule {
    code: "SK302",
    name: "description-empty",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "the `description` is empty, null or blank",
    docs: Docs {
        finds: "A `description` with nothing after it, with `null` or `~`, or with blanks in quotes.",
        hurts: "As a missing one: most agents drop the skill.",
        ignore: "Never: an agent has nothing else to choose by.",
        bad: &[
            page!("pdf", "---\nname: pdf\ndescription:\n---\n# PDF\n\nFill forms.\n"),
            page!("pdf", "---\nname: pdf\ndescription: ''\n---\n# PDF\n\nFill forms.\n"),
        ],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: Check::Reader,
};

pub(super) static TOO_LONG: Rule = Rule {
    code: "SK303",
    name: "description-too-long",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "the `description` is longer than 1024 characters",
    docs: Docs {
        finds: "A description of more than 1024 characters. What is too much is underlined.",
        hurts: "1024 is the specification's limit. Versions of Codex drop such a skill or cut it there, Claude Code cuts \
                at 1536, claude.ai refuses the upload; and every session pays for each word of it.",
        ignore: "Never: what the agent needs once it has chosen belongs into the body.",
        bad: &[page!("pdf", concat!("---\nname: pdf\ndescription: ", long!(), long!(), "\n---\n# PDF\n"))],
        good: &[page!("pdf", concat!("---\nname: pdf\ndescription: ", long!(), "\n---\n# PDF\n"))],
    },
    check: Check::Reader,
};
