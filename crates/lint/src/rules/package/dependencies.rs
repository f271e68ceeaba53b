//! Unbounded and undeclared dependencies.

use crate::{ExampleFile, FindingList, FixAvailability, MarkdownPage, Rule, RuleCheck, RuleDocs};
use skillpm_core::manifest::{FILE, inspect::ManifestOutline};
use skillpm_core::package::{PackageName, SkillName};
use skillpm_core::report::{DiagnosticLevel, Span};
use skillpm_core::skill::Skill;

pub(super) static UNBOUNDED: Rule = Rule {
    code: "SK806",
    name: "dependency-unbounded",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "a dependency accepts any version",
    docs: RuleDocs {
        finds: "A registry dependency in `skillpm.toml` with the version requirement `*`.",
        hurts: "The next version may be incompatible, and everyone who installs the skill gets it.",
        ignore: "Both skills have the same owner, and are always published together.",
        bad: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[dependencies]\nforms = \"*\"\n")
            )
        )],
        // A path has no version, so nothing can be required of it.
        good: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text(
                    "[dependencies]\nforms = \"^1\"\nstyle = { path = \"../style\" }\n"
                )
            )
        )],
    },
    check: RuleCheck::SharedWith("manifest-syntax"),
};

pub(super) static UNDECLARED: Rule = Rule {
    code: "SK808",
    name: "dependency-undeclared",
    // A note: the name in the text is a guess, and the skill may work without the other.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "the instructions use a skill that is not a dependency of the package",
    docs: RuleDocs {
        finds: "A skill that the body instructs the agent to use (`` the `forms` skill ``, `` skill `forms` ``) and \
            that is not a dependency in the `skillpm.toml` of the package.",
        hurts: "The package is installed without the other skill, and the agent does not find it.",
        ignore: "The other skill is one of several alternatives, or the skill says what to do without it.",
        bad: &[page_and!(
            "First use the `forms` skill.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[package]\nname = \"acme/pdf\"\n")
            )
        )],
        good: &[page_and!(
            "First use the `forms` skill.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text(
                    "[package]\nname = \"acme/pdf\"\n\n[dependencies]\n\"acme/forms\" = \"^1\"\n"
                )
            )
        )],
    },
    check: RuleCheck::SharedWith("manifest-syntax"),
};

pub(super) fn check_unbounded(manifest: &ManifestOutline, text: &str, found: &mut FindingList) {
    for need in &manifest.dependencies {
        let Some(version) = need
            .version
            .as_ref()
            // A dependency from a directory or a repository has no versions to choose from.
            .filter(|version| version.text.trim() == "*" && !need.has_explicit_source)
        else {
            continue;
        };

        let finding = UNBOUNDED.finding(format!(
            "the dependency `{}` accepts any version",
            need.key.text.escape_debug()
        ));
        found.add(
            FILE,
            finding
                .at(version.span.clone(), text)
                .help("require the versions that you have tested: `^1.2`"),
        );
    }
}

pub(super) fn check_undeclared(
    page: &MarkdownPage<'_>,
    skill: &Skill,
    manifest: &ManifestOutline,
    found: &mut FindingList,
) {
    let mut known = known_skills(skill, manifest);
    for span in &page.markdown().inline_code {
        let name = &page.source[span.clone()];
        let bare = last_part(name);
        if !is_called_skill(page.source, span)
            || name.parse::<PackageName>().is_err()
            || bare.parse::<SkillName>().is_err()
            || known.contains(&bare)
        {
            continue;
        }

        let finding = UNDECLARED.finding(format!(
            "`{name}` is used here but is not a dependency of the package"
        ));
        found.add(
            page.path,
            finding.at_bytes(span.clone()).help(format!(
                "run `skillpm add {name}` to declare it in `{FILE}`"
            )),
        );
        // Each skill is reported once, at its first mention.
        known.push(bare);
    }
}

/// The names of the skills that a skill may mention: its dependencies, and itself.
fn known_skills<'n>(skill: &'n Skill, manifest: &'n ManifestOutline) -> Vec<&'n str> {
    let declared = manifest
        .dependencies
        .iter()
        .map(|need| last_part(&need.key.text));
    let required = skill
        .requires
        .iter()
        .map(|need| last_part(need.split('@').next().unwrap_or(need).trim()));

    declared
        .chain(required)
        .chain([skill.name.as_str()])
        .collect()
}

/// The name of a package without its scope, by which the instructions of another skill call it.
fn last_part(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Whether the word `skill` is next to inline code. Without it, a name in backticks may be anything.
fn is_called_skill(source: &str, code: &Span) -> bool {
    let before = source[..code.start].trim_end_matches('`').trim_end();
    let after = source[code.end..].trim_start_matches('`').trim_start();

    ["skill", "Skill"]
        .iter()
        .any(|word| begins_with_word(after, word) || ends_with_word(before, word))
}

fn begins_with_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word)
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
}

fn ends_with_word(text: &str, word: &str) -> bool {
    text.strip_suffix(word)
        .is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
}
