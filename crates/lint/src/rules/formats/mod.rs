//! SKB: other formats. What is wrong with a skill that is described by another file than a `SKILL.md`; its reader,
//! [`crate::skill::formats`], finds nearly all of it.

mod config;
mod devai;
mod nova;

use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, SkillDir, Subject};
use crate::report::Level;
use crate::skill::formats::{self, DESCRIPTOR_MAX, Files};

/// The rules of this group, by code.
pub(super) const RULES: &[&Rule] = &[
    &nova::MANIFEST,
    &nova::VERSION,
    &nova::TOOLS,
    &nova::OPAQUE,
    &config::RULE,
    &devai::MANIFEST,
    &devai::ID,
    &devai::PARAMETER,
    &devai::DEFAULT,
    &devai::SCRIPT,
    &LOSSY,
];

static LOSSY: Rule = Rule {
    code: "SKB11",
    name: "name-lossy",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "a directory's name that is no skill's name",
    docs: Docs {
        finds: "A skill of Nova's whose directory has a name that the specification does not allow, such as \
                `first_week`: others call the skill `first-week`.",
        hurts: "The skill has two names: Nova is asked for one, every other agent for the other, and two directories may \
                come to the same.",
        ignore: "The skill is for Nova alone, where such names are usual.",
        bad: &[Example::files(&[
            ("first_week/manifest.yaml", Piece::Text(nova::FINE)),
            ("first_week/instructions.md", Piece::Text("Be kind.\n")),
        ])],
        good: &[Example::files(&[
            ("first-week/manifest.yaml", Piece::Text(nova::FINE)),
            ("first-week/instructions.md", Piece::Text("Be kind.\n")),
        ])],
    },
    check: Check::With("nova-manifest"),
};

/// Reads a skill of another format, and tells what the reader finds.
fn check(subject: &Subject<'_>, found: &mut Found) {
    if let Some(read) = other(subject.skill) {
        read.findings.into_iter().for_each(|finding| found.add(&finding.path, finding.diagnostic));
    }
}

/// A skill of another format, read; `None` if the directory is none.
fn other(skill: &SkillDir) -> Option<formats::Read> {
    skill.other()?;
    let has = |path: &str| skill.file(path).is_some_and(is_regular);
    let read = |path: &str| {
        let text = skill.file(path)?.text()?;
        (text.len() as u64 <= DESCRIPTOR_MAX).then(|| text.as_bytes().to_vec())
    };
    formats::read(&Files { has: &has, read: &read }, &skill.directory)
}

fn is_regular(file: &crate::lint::File) -> bool {
    !matches!(file.content, crate::lint::Content::Link(_) | crate::lint::Content::Special)
}
