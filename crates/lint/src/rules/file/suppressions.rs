//! Faulty comments that suppress rules; `suppress` checks them, after all other rules.

use crate::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs, RuleExample};
use skillpm_core::report::DiagnosticLevel;

pub(crate) static WITHOUT_REASON: Rule = Rule {
    code: "SK020",
    name: "suppression-without-reason",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "a comment suppresses a rule without a reason",
    docs: RuleDocs {
        finds: "A comment `skillpm: ignore[…]` without text after the brackets.",
        hurts: "The next reader cannot distinguish an exception from an oversight, and will not dare to remove it. \
            Security rules are not suppressed without a reason.",
        ignore: "The reason is obvious from the line itself; consider turning the rule off for such files with \
            `[[lint.overrides]]`.",
        bad: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\n# skillpm: ignore[body-empty]\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be \
                 filled in.\n---\n",
            ),
        )])],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\n# skillpm: ignore[body-empty] it only carries templates\nname: pdf\ndescription: Fill PDF \
                 forms. Use when a form is to be filled in.\n---\n",
            ),
        )])],
    },
    check: RuleCheck::Engine,
};

pub(crate) static UNKNOWN_RULE: Rule = Rule {
    code: "SK021",
    name: "suppression-unknown-rule",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "a comment suppresses an unknown rule",
    docs: RuleDocs {
        finds: "A comment `skillpm: ignore[…]` that names an unknown rule, or no rule.",
        hurts: "It has no effect: the finding it was written for is reported, although someone decided that it should \
            not be.",
        ignore: "The skill is also linted by a newer skillpm, which knows the rule.",
        bad: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\n# skillpm: ignore[body-emtpy] it only carries templates\nname: pdf\ndescription: Fill PDF \
                     forms. Use when a form is to be filled in.\n---\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\n# skillpm: ignore everything\nname: pdf\ndescription: Fill PDF forms. Use when a form is \
                     to be filled in.\n---\nList the fields first.\n",
                ),
            )]),
        ],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\n# skillpm: ignore[SK401] it only carries templates\nname: pdf\ndescription: Fill PDF forms. Use \
                 when a form is to be filled in.\n---\n",
            ),
        )])],
    },
    check: RuleCheck::Engine,
};

pub(crate) static UNUSED: Rule = Rule {
    code: "SK022",
    name: "unused-suppression",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Safely,
    summary: "a comment suppresses a rule that reports nothing there",
    docs: RuleDocs {
        finds: "A comment `skillpm: ignore[…]` that names a rule which is on and reports nothing that the comment \
            covers. Rules about several skills are ignored: they may not have seen the other skills.",
        hurts: "The problem has been fixed. The comment hides the next one of this kind.",
        ignore: "The problem comes and goes, as in generated files. `--fix` removes the comment from a frontmatter; in \
            another file, where it may be the text of a string, only `--unsafe-fixes` does.",
        bad: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\n# skillpm: ignore[body-empty] it only carries templates\nname: pdf\ndescription: Fill PDF \
                     forms. Use when a form is to be filled in.\n---\nList the fields first.\n",
                ),
            )]),
            RuleExample::files(&[
                (
                    "pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\nRun \
                         `scripts/fill.sh`.\n",
                    ),
                ),
                (
                    "pdf/scripts/fill.sh",
                    ExampleFile::Program(
                        // In a script the comment covers only the next line, where this rule can
                        // report nothing.
                        "#!/bin/sh\n# skillpm: ignore[body-empty] the next line is fine\ntrue\n",
                    ),
                ),
            ]),
        ],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf # skillpm: ignore[body-empty] it only carries templates\ndescription: Fill PDF \
                 forms. Use when a form is to be filled in.\n---\n",
            ),
        )])],
    },
    check: RuleCheck::Engine,
};
