//! Missing, invalid and conflicting versions.

use semver::Version;

use crate::{
    ExampleFile, FindingList, FixAvailability, MarkdownPage, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::manifest::{FILE, inspect::ManifestOutline};
use skillpm_core::report::{Diagnostic, DiagnosticFix, DiagnosticLevel, FixApplicability, Span};
use skillpm_core::skill::yaml::YamlNode;

pub(crate) static NOT_SEMVER: Rule = Rule {
    code: "SK804",
    name: "version-not-semver",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "a version is not a semantic version",
    docs: RuleDocs {
        finds: "A `package.version` in `skillpm.toml` that is not a semantic version of three numbers, and a version \
            in `SKILL.md` that cannot be read as one. Without `[package]`, when the skill may not be intended for \
            publication, the latter is a note.",
        hurts: "Versions that cannot be ordered cannot be matched by `^1.2`. `publish` rejects it.",
        ignore: "The skill is not published, and the version is for people only.",
        bad: &[
            page_and!(
                "Fill the form.\n",
                (
                    "pdf/skillpm.toml",
                    ExampleFile::Text("[package]\nname = \"pdf\"\nversion = \"1.0\"\n")
                )
            ),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nmetadata:\n  version: latest\n---\n\nFill the form.\n",
                ),
            )]),
        ],
        // A version before a release is a semantic version.
        good: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[package]\nname = \"pdf\"\nversion = \"1.0.0-rc.1\"\n")
            )
        )],
    },
    check: RuleCheck::SharedWith("manifest-syntax"),
};

pub(super) static DRIFT: Rule = Rule {
    code: "SK805",
    name: "version-drift",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Safely,
    summary: "the skill has two different versions",
    docs: RuleDocs {
        finds: "A version in `SKILL.md` that differs from `package.version` in `skillpm.toml`, or a top-level \
            `version` in the frontmatter that differs from `metadata.version`.",
        hurts: "The package is published with one version, and readers of the skill see the other.",
        ignore: "Never: remove one of them.",
        bad: &[
            RuleExample::files(&[
                (
                    "pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nmetadata:\n  version: \"1.1.0\"\n---\n\nFill the form.\n",
                    ),
                ),
                (
                    "pdf/skillpm.toml",
                    ExampleFile::Text("[package]\nname = \"pdf\"\nversion = \"1.2.0\"\n"),
                ),
            ]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nversion: 1.1.0\nmetadata:\n  version: 1.2.0\n---\n\nFill the form.\n",
                ),
            )]),
        ],
        // `1.2` is read as `1.2.0`, so the two do not differ.
        good: &[RuleExample::files(&[
            (
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nmetadata:\n  version: \"1.2\"\n---\n\nFill the form.\n",
                ),
            ),
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[package]\nname = \"pdf\"\nversion = \"1.2.0\"\n"),
            ),
        ])],
    },
    check: RuleCheck::SharedWith("manifest-syntax"),
};

pub(crate) static MISSING: Rule = Rule {
    code: "SK814",
    name: "version-missing",
    // An error, but only for the commands that publish: an agent needs no version.
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "a package without a version",
    docs: RuleDocs {
        finds: "A skill that is packaged or published without a version: neither `package.version` in `skillpm.toml` \
            nor `metadata.version` in `SKILL.md`.",
        hurts: "A registry keeps every version forever, and must know which one this is.",
        ignore: "It cannot be ignored: `package` and `publish` fail.",
        bad: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[package]\nname = \"acme/pdf\"\n")
            )
        )],
        good: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[package]\nname = \"acme/pdf\"\nversion = \"1.0.0\"\n")
            )
        )],
    },
    check: RuleCheck::Command("package"),
};

pub(crate) static SHORT: Rule = Rule {
    code: "SK815",
    name: "version-short",
    // A note: 28 % of the versions in real skills are of two numbers, and all can be read.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Safely,
    summary: "an incomplete version",
    docs: RuleDocs {
        finds: "A version in `SKILL.md` with fewer than three numbers, or with a leading `v`: `1.2` is read as \
            `1.2.0`. For `package` and `publish` it is a warning.",
        hurts: "The published version is not the written one, and YAML reads `1.10` as the number `1.1`.",
        ignore: "The skill is not published.",
        bad: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nmetadata:\n  version: \"1.2\"\n---\n\nFill the form.\n",
            ),
        )])],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nmetadata:\n  version: \"1.2.0\"\n---\n\nFill the form.\n",
            ),
        )])],
    },
    check: RuleCheck::SharedWith("manifest-syntax"),
};

/// Checks the version of a manifest.
pub(super) fn check_manifest_version(
    manifest: &ManifestOutline,
    text: &str,
    found: &mut FindingList,
) {
    let Some(version) = &manifest.version else {
        return;
    };
    // Strict: a registry orders versions by all three numbers.
    if Version::parse(&version.text).is_ok() {
        return;
    }

    let finding = not_semver(&version.text).at(version.span.clone(), text);
    let finding = match parse_lenient(&version.text) {
        // `1.0` and `v1.2` can mean only one version, so the fix is safe.
        Some(meant) => {
            let fix = DiagnosticFix::edit(
                FixApplicability::Safe,
                format!("write `{meant}`"),
                version.span.clone(),
                format!("\"{meant}\""),
            );
            finding.help(format!("write `{meant}`")).fix(fix)
        }
        None => finding.help("use three numbers, such as `1.4.2`"),
    };

    found.add(FILE, finding);
}

/// Reports an invalid version.
pub(crate) fn not_semver(written: &str) -> Diagnostic {
    NOT_SEMVER.finding(format!(
        "invalid version `{}`: it must have the form `1.4.2`",
        written.escape_debug()
    ))
}

/// Reports an incomplete version and how it is read.
pub(crate) fn short_version(written: &str, version: &Version) -> Diagnostic {
    let finding = SHORT.finding(format!(
        "version `{}` is read as `{version}`",
        written.escape_debug()
    ));
    finding.help(format!("write `{version}`"))
}

/// Checks the versions in a `SKILL.md`.
pub(super) fn check_page_version(
    page: &MarkdownPage<'_>,
    manifest: Option<&ManifestOutline>,
    found: &mut FindingList,
) {
    let (Some(skill), Some(frontmatter)) = (page.skill(), &page.frontmatter) else {
        return;
    };
    let Some(written) = &skill.version else {
        return;
    };

    // The reader prefers the version under `metadata`, where the specification has it.
    let root = &frontmatter.root;
    let inner = root
        .get("metadata")
        .and_then(|metadata| metadata.get("version"));
    let outer = root.get("version");
    let Some(node) = inner.filter(|node| node.text().is_some()).or(outer) else {
        return;
    };

    let fault = match skill.semver() {
        None => Some(unreadable_version(written, manifest)),
        Some(version) => differing_version(written, version, manifest),
    };
    if let Some(fault) = fault {
        let mut finding = fault.finding.at_bytes(node.span.clone());
        finding.fix = fault
            .right
            .and_then(|version| version_fix(page, node, &version));
        found.add(page.path, finding);
    }

    if let (Some(inner), Some(outer)) = (inner, outer) {
        check_two_versions(page, inner, outer, found);
    }
}

/// A finding about a version, and the version to write instead, if it is known.
struct VersionFault {
    finding: Diagnostic,
    right: Option<Version>,
}

fn unreadable_version(written: &str, manifest: Option<&ManifestOutline>) -> VersionFault {
    let mut finding = not_semver(written).help("use three numbers, such as `1.4.2`");
    // Unless the package takes its version from here, nothing depends on it.
    if !manifest.is_some_and(|manifest| manifest.is_package && manifest.version.is_none()) {
        finding.level = DiagnosticLevel::Note;
    }

    VersionFault {
        finding,
        right: None,
    }
}

/// Compares a version with the manifest's, and with the way it is written.
fn differing_version(
    written: &str,
    version: Version,
    manifest: Option<&ManifestOutline>,
) -> Option<VersionFault> {
    let other = manifest.and_then(|manifest| Version::parse(&manifest.version.as_ref()?.text).ok());
    // The manifest decides what is published, so its version is the one to write.
    if let Some(other) = other.filter(|other| *other != version) {
        let finding = DRIFT.finding(format!(
            "the version is `{version}` here, but `{other}` in `{FILE}`"
        ));
        return Some(VersionFault {
            finding: finding.help(format!("write `{other}`, or remove it")),
            right: Some(other),
        });
    }

    (version.to_string() != *written).then(|| VersionFault {
        finding: short_version(written, &version),
        right: Some(version),
    })
}

/// Reports two versions in one page; `1.0` and `1.0.0` are the same one.
fn check_two_versions(
    page: &MarkdownPage<'_>,
    inner: &YamlNode<'_>,
    outer: &YamlNode<'_>,
    found: &mut FindingList,
) {
    let (Some(theirs), Some(ours)) = (inner.text(), outer.text()) else {
        return;
    };
    if theirs == ours
        || parse_lenient(theirs).is_some_and(|version| parse_lenient(ours) == Some(version))
    {
        return;
    }

    let message = format!(
        "the version is `{}` here, but `{}` under `metadata`",
        ours.escape_debug(),
        theirs.escape_debug()
    );
    let finding = DRIFT.finding(message).at_bytes(outer.span.clone());
    found.add(
        page.path,
        finding
            .label(inner.span.clone(), "the other version is here")
            .help("remove this one"),
    );
}

/// The fix that replaces a version and keeps its quotes.
fn version_fix(
    page: &MarkdownPage<'_>,
    node: &YamlNode<'_>,
    version: &Version,
) -> Option<DiagnosticFix> {
    let span: Span = node.span.clone();
    let written = page.source.get(span.clone())?;
    let quote = written
        .chars()
        .next()
        .filter(|first| matches!(first, '"' | '\''))
        .map(String::from)
        .unwrap_or_default();
    // A value over several lines has no quotes that could be kept.
    if written.contains('\n') {
        return None;
    }

    Some(DiagnosticFix::edit(
        FixApplicability::Safe,
        format!("write `{version}`"),
        span,
        format!("{quote}{version}{quote}"),
    ))
}

/// Parses a version leniently: with a `v` in front, or fewer than three numbers.
fn parse_lenient(text: &str) -> Option<Version> {
    // Tags of git are written `v1.2`, and copied from there.
    let text = text.trim().trim_start_matches('v');
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (core, tail) = text.split_at(end);
    let padding = [".0.0", ".0"]
        // The number of dots says how many numbers are missing.
        .get(core.matches('.').count())
        .copied()
        .unwrap_or("");
    Version::parse(&format!("{core}{padding}{tail}")).ok()
}
