//! An empty `SKILL.md`.

use super::PAGE;
use crate::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs, RuleExample};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK008",
    name: "empty-file",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "`SKILL.md` is empty",
    docs: RuleDocs {
        finds: "A `SKILL.md` without any bytes, or with only whitespace.",
        hurts: "There is no name, no description and no instructions: every agent drops it, most of them silently.",
        ignore: "Never: give an unfinished file another name than `SKILL.md`.",
        bad: &[
            RuleExample::page(&[("pdf/SKILL.md", ExampleFile::Text(""))]),
            // Whitespace is as good as nothing to every agent.
            RuleExample::page(&[("pdf/SKILL.md", ExampleFile::Text(" \r\n\n"))]),
        ],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(PAGE),
        )])],
    },
    check: RuleCheck::Reader,
};
