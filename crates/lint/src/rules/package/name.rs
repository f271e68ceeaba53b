//! A package whose name differs from that of its skill.

use crate::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs};
use skillpm_core::manifest::inspect::ManifestOutline;
use skillpm_core::report::{Diagnostic, DiagnosticFix, DiagnosticLevel, FixApplicability};
use skillpm_core::skill::Skill;

pub(crate) static RULE: Rule = Rule {
    code: "SK803",
    name: "manifest-name-drift",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "the package name differs from the skill name",
    docs: RuleDocs {
        finds: "A `package.name` in `skillpm.toml` whose last part differs from the `name` in `SKILL.md`. The fix is \
            safe if the directory has the name of the skill.",
        hurts: "Users install `acme/pdf` and get a skill that their agent lists as `forms`. `publish` rejects it.",
        ignore: "Never: use the same name in both.",
        bad: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[package]\nname = \"acme/forms\"\n")
            )
        )],
        good: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[package]\nname = \"acme/pdf\"\n")
            )
        )],
    },
    check: RuleCheck::SharedWith("manifest-syntax"),
};

/// Reports a package whose name does not end in the name of its skill.
pub(crate) fn check_drift(
    manifest: &ManifestOutline,
    text: &str,
    skill: &Skill,
    directory: &str,
) -> Option<Diagnostic> {
    let name = manifest.name.as_ref()?;
    let (scope, last) = name
        .text
        .rsplit_once('/')
        .map_or((None, name.text.as_str()), |(scope, last)| {
            (Some(scope), last)
        });
    // A skill without a name has that of its directory, which is not compared here.
    if !skill.named || skill.name == last {
        return None;
    }

    let display = |text: &str| text.escape_debug().to_string();
    let message = format!(
        "the package is named `{}`, but its skill `{}`",
        display(&name.text),
        display(&skill.name)
    );
    let finding = RULE.finding(message).at(name.span.clone(), text);
    let finding = finding.help("the last part of the package name must be the name of the skill");

    // The skill's name is not a valid package name: it must be fixed there, not here.
    if skill
        .name
        .parse::<skillpm_core::package::SkillName>()
        .is_err()
    {
        return Some(finding);
    }

    let right = scope.map_or_else(
        || skill.name.clone(),
        |scope| format!("{scope}/{}", skill.name),
    );
    // The directory agrees with the skill, so the manifest is wrong.
    let trust = if directory == skill.name {
        FixApplicability::Safe
    } else {
        FixApplicability::Unsafe
    };

    Some(finding.fix(DiagnosticFix::edit(
        trust,
        format!("write `{right}`"),
        name.span.clone(),
        format!("\"{right}\""),
    )))
}
