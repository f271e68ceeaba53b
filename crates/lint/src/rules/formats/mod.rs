//! SKB: other formats. Rules about skills that are described by another file than a `SKILL.md`; most are checked by
//! their reader, [`skillpm_core::skill::formats`].

mod config;
mod devai;
mod nova;

use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
    SkillDir,
};
use skillpm_core::report::DiagnosticLevel;
use skillpm_core::skill::formats::{self, DESCRIPTOR_MAX, DirectoryFiles};

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
    &devai::IMPORT,
    &devai::EXPORT,
];

static LOSSY: Rule = Rule {
    code: "SKB11",
    name: "name-lossy",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the directory's name is not a valid skill name",
    docs: RuleDocs {
        finds: "A Nova skill whose directory has a name that the specification does not allow, such as `first_week`: \
            other agents name the skill `first-week`.",
        hurts: "The skill has two names: one in Nova and one in every other agent, and two directories may result in \
            the same name.",
        ignore: "The skill is for Nova only, where such names are common.",
        bad: &[RuleExample::files(&[
            ("first_week/manifest.yaml", ExampleFile::Text(nova::FINE)),
            (
                "first_week/instructions.md",
                ExampleFile::Text("Be kind.\n"),
            ),
        ])],
        good: &[RuleExample::files(&[
            ("first-week/manifest.yaml", ExampleFile::Text(nova::FINE)),
            (
                "first-week/instructions.md",
                ExampleFile::Text("Be kind.\n"),
            ),
        ])],
    },
    check: RuleCheck::SharedWith("nova-manifest"),
};

/// Reads a skill of another format, and reports the reader's findings.
fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    if let Some(read) = read_other_format(subject.skill) {
        read.findings
            .into_iter()
            .for_each(|finding| found.add(&finding.path, finding.diagnostic));
    }
}

/// Reads a skill of another format; `None` if the directory is not one.
fn read_other_format(skill: &SkillDir) -> Option<formats::DirectoryReading> {
    // A directory with a `SKILL.md` is not read by this reader, whatever else is in it.
    skill.other_format()?;
    let has = |path: &str| skill.file(path).is_some_and(is_regular);
    let read = |path: &str| {
        let text = skill.file(path)?.text()?;
        // The limit of the reader in `core`: a descriptor is parsed as a whole.
        (text.len() as u64 <= DESCRIPTOR_MAX).then(|| text.as_bytes().to_vec())
    };

    formats::read(
        &DirectoryFiles {
            has: &has,
            read: &read,
        },
        &skill.directory,
    )
}

fn is_regular(file: &crate::SkillFile) -> bool {
    !matches!(
        file.content,
        crate::FileContent::Link(_) | crate::FileContent::Special
    )
}
