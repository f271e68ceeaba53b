//! A skill's file that agents do not find under its name.

use super::PAGE as FINE;
use crate::lint::subject::PAGE;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::{Applicability, Change, Fix, Level};

pub(super) static MISSING: Rule = Rule {
    code: "SK001",
    name: "missing-skill-md",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "a directory is given as a skill and has no `SKILL.md`",
    docs: Docs {
        finds: "A directory that is named as a skill, or says in its `skillpm.toml` that it is one, and in which there is \
                no file `SKILL.md`, in whatever case.",
        hurts: "Agents look for that file and for nothing else: to all of them there is no skill here, and none says so.",
        ignore: "Never for a skill. A directory that only holds skills further down need not be named itself.",
        bad: &[Example::files(&[("pdf/README.md", Piece::Text("# PDF forms\n"))])],
        good: &[Example::files(&[
            ("pdf/SKILL.md", Piece::Text(FINE)),
            ("pdf/README.md", Piece::Text("# PDF forms\n")),
        ])],
    },
    check: Check::Skill(check),
};

pub(super) static WRONG_CASE: Rule = Rule {
    code: "SK002",
    name: "skill-md-wrong-case",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "the file is called `skill.md` or the like, not `SKILL.md`",
    docs: Docs {
        finds: "A skill whose file is called `skill.md`, `Skill.md`, `SKILL.MD` or the like.",
        hurts: "Codex, Gemini CLI and `npx skills` look for `SKILL.md` by its exact name. Where file names have case, as on \
                Linux, they see no skill; on macOS and Windows it works, so that its author may be the last to notice.",
        ignore: "If the skill is only ever used where case does not matter, and never shared.",
        bad: &[
            Example::files(&[("pdf/skill.md", Piece::Text(FINE))]),
            Example::files(&[("pdf/SKILL.MD", Piece::Text(FINE))]),
        ],
        good: &[Example::files(&[("pdf/SKILL.md", Piece::Text(FINE))])],
    },
    check: Check::With("missing-skill-md"),
};

pub(super) static COLLISION: Rule = Rule {
    code: "SK003",
    name: "skill-md-case-collision",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "two files differ from `SKILL.md` in nothing but case",
    docs: Docs {
        finds: "Two files in a skill's directory that are both called `SKILL.md` but for case.",
        hurts: "On macOS and Windows only one of them can exist: a checkout keeps one or the other, and what agents read \
                then differs from machine to machine. A reviewer may have seen the harmless one.",
        ignore: "Never: give one of them another name.",
        bad: &[Example::files(&[("pdf/SKILL.md", Piece::Text(FINE)), ("pdf/skill.md", Piece::Text(FINE))])],
        good: &[Example::files(&[("pdf/SKILL.md", Piece::Text(FINE)), ("pdf/skills.md", Piece::Text("# More\n"))])],
    },
    check: Check::With("missing-skill-md"),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = subject.skill.page() else {
        if subject.skill.other().is_some() {
            return;
        }
        let finding = MISSING.finding("the directory has no `SKILL.md`");
        let finding = finding.note("no agent sees a skill here").help("write one, or name the directory of a skill");
        return found.add(PAGE, finding);
    };
    let mut others = subject.skill.files.iter().filter(|file| file.path.eq_ignore_ascii_case(PAGE));
    if let Some(other) = others.find(|other| other.path != page.path) {
        let message = format!("`{}` and `{}` are one file where names have no case", page.path, other.path);
        let finding = COLLISION.finding(message).note("macOS and Windows keep one of them, and which is chance");
        return found.add(&other.path, finding.help("give one of them another name, or remove it"));
    }
    if page.path != PAGE {
        let finding = WRONG_CASE
            .finding(format!("the file is called `{}`; agents look for `{PAGE}`", page.path))
            .note("Codex, Gemini CLI and `npx skills` do not see it where file names have case")
            .help(format!("rename it to `{PAGE}`"))
            .fix(Fix {
                applicability: Applicability::Safe,
                message: format!("rename it to `{PAGE}`"),
                changes: vec![Change::Rename { to: PAGE.into() }],
            });
        found.add(&page.path, finding);
    }
}
