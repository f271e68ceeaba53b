//! The manifest of a package: whether it is valid, and whether it matches the skill. It is read once.

use super::{dependencies, include, metadata, name, version};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, SkillFile,
};
use skillpm_core::manifest::FILE;
use skillpm_core::manifest::inspect::{
    ManifestFault, ManifestFaultKind, ManifestOutline, inspect_manifest,
};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability};

pub(super) static SYNTAX: Rule = Rule {
    code: "SK801",
    name: "manifest-syntax",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "`skillpm.toml` is invalid",
    docs: RuleDocs {
        finds: "A `skillpm.toml` in the skill's directory that is not valid TOML, or has an invalid value: a number \
            where a string is required, an invalid name, a dependency with two sources. Also conflict markers of a \
            merge.",
        hurts: "No command for the package works: neither `install` nor `lock` nor `publish`.",
        ignore: "Never: correct the manifest.",
        bad: &[
            page_and!(
                "Fill the form.\n",
                (
                    "pdf/skillpm.toml",
                    ExampleFile::Text("[package]\nname = acme/pdf\n")
                )
            ),
            page_and!(
                "Fill the form.\n",
                (
                    "pdf/skillpm.toml",
                    ExampleFile::Text(
                        "[dependencies]\nforms = { git = \"https://acme.dev/forms\", archive = \"forms.zip\" }\n"
                    )
                )
            ),
        ],
        good: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text(
                    "[package]\nname = \"acme/pdf\"\nlicense.workspace = true\n\n[dependencies]\nforms = \"^1\"\n"
                )
            )
        )],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static UNKNOWN_KEY: Rule = Rule {
    code: "SK802",
    name: "manifest-unknown-key",
    // A warning here, although every other command fails: a newer skillpm may know the key.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Safely,
    summary: "`skillpm.toml` has an unknown key",
    docs: RuleDocs {
        finds: "The first unknown key of a `skillpm.toml`, with the one that was probably meant.",
        hurts: "skillpm rejects the file instead of ignoring an unknown key: a misspelled `exclude` would publish \
            private files.",
        ignore: "The key belongs to a newer version of skillpm.",
        bad: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[package]\nname = \"acme/pdf\"\nlicence = \"MIT\"\n")
            )
        )],
        good: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[package]\nname = \"acme/pdf\"\nlicense = \"MIT\"\n")
            )
        )],
    },
    check: RuleCheck::SharedWith("manifest-syntax"),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let text = subject.skill.file(FILE).and_then(SkillFile::text);
    // Read once for all rules about it. The outline has spans, and survives errors.
    let outline = text.map(inspect_manifest);

    if let Some(page) = &subject.page {
        version::check_page_version(page, outline.as_ref(), found);
    }

    let (Some(text), Some(outline)) = (text, outline) else {
        return;
    };

    for fault in &outline.faults {
        found.add(FILE, fault_finding(fault, text));
    }
    // A project's manifest has dependencies too, so this needs no `[package]`.
    dependencies::check_unbounded(&outline, text, found);
    // Without `[package]` the manifest is that of a project, which is not published.
    if outline.is_package {
        version::check_manifest_version(&outline, text, found);
        if let Some(page) = &subject.page {
            check_package(subject, page, &outline, text, found);
        }
    }
}

fn check_package(
    subject: &LintSubject<'_>,
    page: &MarkdownPage<'_>,
    outline: &ManifestOutline,
    text: &str,
    found: &mut FindingList,
) {
    let Some(skill) = page.skill() else { return };
    if let Some(drift) = name::check_drift(outline, text, skill, &subject.skill.directory) {
        found.add(FILE, drift);
    }

    // By key, as `license.workspace = true` is a license too, whose value is elsewhere.
    let has = |key: &str| outline.keys.iter().any(|other| other == key);
    if let Some(missing) = metadata::missing(
        has("license") || skill.license.is_some(),
        has("repository") || skill.homepage.is_some(),
    ) {
        let span = outline.name.as_ref().map_or(0..0, |name| name.span.clone());
        found.add(FILE, missing.at(span, text));
    }

    dependencies::check_undeclared(page, skill, outline, found);
    include::check(subject, page, outline, found);
}

/// The finding for a fault of a manifest.
#[must_use]
pub fn fault_finding(fault: &ManifestFault, text: &str) -> skillpm_core::report::Diagnostic {
    // Only a key that is near another has a fix; a value can be wrong in too many ways.
    let (rule, fix) = match &fault.kind {
        ManifestFaultKind::Syntax => (&SYNTAX, None),
        ManifestFaultKind::UnknownKey(meant) => {
            (&UNKNOWN_KEY, meant.as_ref().zip(fault.span.clone()))
        }
    };
    let mut finding = rule.finding(fault.message.clone());
    if let Some(span) = &fault.span {
        finding = finding.at(span.clone(), text);
    }
    if let Some((meant, span)) = fix {
        finding = finding.fix(DiagnosticFix::edit(
            FixApplicability::Safe,
            format!("write `{meant}`"),
            span,
            meant.clone(),
        ));
    }

    finding.help.clone_from(&fault.help);
    finding
}
