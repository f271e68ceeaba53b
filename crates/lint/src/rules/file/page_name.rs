//! A missing or misnamed `SKILL.md`.

use super::PAGE as FINE;
use crate::subject::SKILL_FILE;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange};

pub(super) static MISSING: Rule = Rule {
    code: "SK001",
    name: "missing-skill-md",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "a directory is linted as a skill and has no `SKILL.md`",
    docs: RuleDocs {
        finds: "A directory that is passed as a skill, or is declared as one by its `skillpm.toml`, without a file \
            named `SKILL.md` in any case.",
        hurts: "Agents look for this file only: none of them finds a skill here, and none reports it.",
        ignore: "Never for a skill. A directory that only contains skills in subdirectories need not be passed itself.",
        bad: &[RuleExample::files(&[(
            "pdf/README.md",
            ExampleFile::Text("# PDF forms\n"),
        )])],
        good: &[RuleExample::files(&[
            ("pdf/SKILL.md", ExampleFile::Text(FINE)),
            ("pdf/README.md", ExampleFile::Text("# PDF forms\n")),
        ])],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static WRONG_CASE: Rule = Rule {
    code: "SK002",
    name: "skill-md-wrong-case",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Safely,
    summary: "the file is named `skill.md` or similar, not `SKILL.md`",
    docs: RuleDocs {
        finds: "A skill whose file is named `skill.md`, `Skill.md`, `SKILL.MD` or similar.",
        hurts: "Codex, Gemini CLI and `npx skills` look for `SKILL.md` by its exact name. On case-sensitive file \
            systems, as on Linux, they find no skill; on macOS and Windows it works, so that its author may not \
            notice.",
        ignore: "The skill is only used on case-insensitive file systems, and never shared.",
        bad: &[
            RuleExample::files(&[("pdf/skill.md", ExampleFile::Text(FINE))]),
            RuleExample::files(&[("pdf/SKILL.MD", ExampleFile::Text(FINE))]),
        ],
        good: &[RuleExample::files(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(FINE),
        )])],
    },
    check: RuleCheck::SharedWith("missing-skill-md"),
};

pub(super) static COLLISION: Rule = Rule {
    code: "SK003",
    name: "skill-md-case-collision",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "two files are named `SKILL.md`, differing only in case",
    docs: RuleDocs {
        finds: "Two files in a skill's directory whose names are both `SKILL.md`, ignoring case.",
        hurts: "On macOS and Windows only one of them can exist: a checkout keeps one or the other, so agents read \
            different files on different machines. A reviewer may have seen only the harmless one.",
        ignore: "Never: rename one of them.",
        bad: &[RuleExample::files(&[
            ("pdf/SKILL.md", ExampleFile::Text(FINE)),
            ("pdf/skill.md", ExampleFile::Text(FINE)),
        ])],
        good: &[RuleExample::files(&[
            ("pdf/SKILL.md", ExampleFile::Text(FINE)),
            ("pdf/skills.md", ExampleFile::Text("# More\n")),
        ])],
    },
    check: RuleCheck::SharedWith("missing-skill-md"),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = subject.skill.skill_file() else {
        // A skill of another format has rules of its own.
        if subject.skill.other_format().is_some() {
            return;
        }
        let finding = MISSING.finding("the directory has no `SKILL.md`");
        let finding = finding
            .note("no agent finds a skill here")
            .help("add a `SKILL.md`, or pass the directory of a skill");
        return found.add(SKILL_FILE, finding);
    };

    // The page itself is found by its exact name first, so another spelling is a second file.
    let mut others = subject
        .skill
        .files
        .iter()
        .filter(|file| file.path.eq_ignore_ascii_case(SKILL_FILE));
    if let Some(other) = others.find(|other| other.path != page.path) {
        let message = format!(
            "`{}` and `{}` are the same file on case-insensitive file systems",
            page.path, other.path
        );
        let finding = COLLISION
            .finding(message)
            .note("macOS and Windows keep only one of them, and it is undefined which");
        // The name of the page is not reported too: renaming it would overwrite the other.
        return found.add(&other.path, finding.help("rename or remove one of them"));
    }

    if page.path != SKILL_FILE {
        let finding = WRONG_CASE
            .finding(format!(
                "the file is named `{}`; agents look for `{SKILL_FILE}`",
                page.path
            ))
            .note(
                "Codex, Gemini CLI and `npx skills` do not find it on case-sensitive file systems",
            )
            .help(format!("rename it to `{SKILL_FILE}`"))
            // Safe, because there is no other file with this name in any case.
            .fix(DiagnosticFix {
                applicability: FixApplicability::Safe,
                message: format!("rename it to `{SKILL_FILE}`"),
                changes: vec![FixChange::Rename {
                    to: SKILL_FILE.into(),
                }],
            });
        found.add(&page.path, finding);
    }
}
