//! Rules about descriptions that the reader of `SKILL.md` checks.

use crate::{FixAvailability, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static MISSING: Rule = Rule {
    code: "SK301",
    name: "description-missing",
    level: Some(DiagnosticLevel::Error),
    // No fix: only the author knows when the skill is of use.
    fix: FixAvailability::Never,
    summary: "the frontmatter has no `description`",
    docs: RuleDocs {
        finds: "A frontmatter without the key `description`.",
        hurts: "The description is all that an agent sees before it chooses a skill. Codex, Gemini CLI, npx skills \
            and OpenClaw drop a skill without one; OpenCode lists it without a description, and Claude Code uses the \
            first paragraph of the body.",
        ignore: "Never: agents choose skills by their descriptions.",
        bad: &[page!("pdf", "---\nname: pdf\n---\n# PDF\n\nFill forms.\n")],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Reader,
};

pub(super) static EMPTY: Rule = Rule {
    code: "SK302",
    name: "description-empty",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "the `description` is empty, null or blank",
    docs: RuleDocs {
        finds: "A `description` without a value, with `null` or `~`, or with only whitespace in quotes.",
        hurts: "Like a missing description: most agents drop the skill.",
        ignore: "Never: agents choose skills by their descriptions.",
        // Null and an empty text: agents treat both as missing.
        bad: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription:\n---\n# PDF\n\nFill forms.\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: ''\n---\n# PDF\n\nFill forms.\n"
            ),
        ],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Reader,
};

pub(super) static TOO_LONG: Rule = Rule {
    code: "SK303",
    name: "description-too-long",
    // An error because of the specification's limit, though Claude Code only truncates the text.
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "the `description` is longer than 1024 characters",
    docs: RuleDocs {
        finds: "A description of more than 1024 characters. The part over the limit is underlined.",
        hurts: "1024 is the specification's limit. Some versions of Codex drop such a skill or truncate the \
            description there, Claude Code truncates it at 1536, claude.ai rejects the upload; and every session pays \
            for each word.",
        ignore: "Never: instructions that the agent needs after choosing the skill belong in the body.",
        bad: &[page!(
            "pdf",
            concat!(
                "---\nname: pdf\ndescription: ",
                long!(),
                long!(),
                "\n---\n# PDF\n"
            )
        )],
        good: &[page!(
            "pdf",
            concat!("---\nname: pdf\ndescription: ", long!(), "\n---\n# PDF\n")
        )],
    },
    check: RuleCheck::Reader,
};
