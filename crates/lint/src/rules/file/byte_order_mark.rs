//! A byte order mark before the frontmatter.

use super::PAGE;
use crate::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs, RuleExample};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK005",
    name: "byte-order-mark",
    // An error, although some agents skip the mark: to the others there is no skill.
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "a byte order mark precedes the frontmatter",
    docs: RuleDocs {
        finds: "U+FEFF, three bytes that editors do not show, before the opening `---` of the frontmatter. Some \
            editors on Windows write it into every file.",
        hurts: "Codex, Gemini CLI, OpenClaw, `npx skills` and the reference validator require `---` as the first \
            characters. They find no frontmatter, and drop the skill.",
        ignore: "Never: no agent needs it.",
        bad: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "\u{feff}---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n\
                 # PDF forms\n\nList the fields first, then fill them one at a time.\n",
            ),
        )])],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(PAGE),
        )])],
    },
    check: RuleCheck::Reader,
};
