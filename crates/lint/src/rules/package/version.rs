//! Versions that are none, or two.

use semver::Version;

use crate::lint::{Check, Docs, Example, Fixes, Found, Page, Piece, Rule};
use crate::manifest::{FILE, look::Look};
use crate::report::{Applicability, Diagnostic, Fix, Level, Span};
use crate::skill::yaml::Node;

pub(in crate::lint) static NOT_SEMVER: Rule = Rule {
    code: "SK804",
    name: "version-not-semver",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "a version that cannot be ordered",
    docs: Docs {
        finds: "A `package.version` in `skillpm.toml` that is no semantic version of three numbers, and a version in `SKILL.md` \
                that cannot even be read as one. Where there is no `[package]`, so that nobody may want to publish it, the \
                latter is a note.",
        hurts: "Nobody can ask for `^1.2` of what cannot be told from older and newer. `publish` refuses it.",
        ignore: "The skill is not published, and the version is there for people.",
        bad: &[
            page_and!(
                "Fill the form.\n",
                ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"pdf\"\nversion = \"1.0\"\n"))
            ),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nmetadata:\n  version: latest\n---\n\nFill the form.\n",
                ),
            )]),
        ],
        good: &[page_and!(
            "Fill the form.\n",
            ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"pdf\"\nversion = \"1.0.0-rc.1\"\n"))
        )],
    },
    check: Check::With("manifest-syntax"),
};

pub(super) static DRIFT: Rule = Rule {
    code: "SK805",
    name: "version-drift",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "the skill says two versions",
    docs: Docs {
        finds: "A version in `SKILL.md` that is another than `package.version` in `skillpm.toml`, or a `version` on top of the \
                frontmatter that is another than `metadata.version`.",
        hurts: "The package is published by the one, and people who look into the skill see the other.",
        ignore: "There is no reason to: leave one of them out.",
        bad: &[
            Example::files(&[
                (
                    "pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nmetadata:\n  version: \"1.1.0\"\n---\n\nFill the form.\n",
                    ),
                ),
                ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"pdf\"\nversion = \"1.2.0\"\n")),
            ]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nversion: 1.1.0\nmetadata:\n  version: 1.2.0\n---\n\nFill the form.\n",
                ),
            )]),
        ],
        good: &[Example::files(&[
            (
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nmetadata:\n  version: \"1.2\"\n---\n\nFill the form.\n",
                ),
            ),
            ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"pdf\"\nversion = \"1.2.0\"\n")),
        ])],
    },
    check: Check::With("manifest-syntax"),
};

pub(in crate::lint) static MISSING: Rule = Rule {
    code: "SK814",
    name: "version-missing",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "a package without a version",
    docs: Docs {
        finds: "A skill that is to be packed or published, and says no version: neither `package.version` in `skillpm.toml` nor \
                `metadata.version` in `SKILL.md`.",
        hurts: "A registry keeps every version for ever, and has to know which one this is.",
        ignore: "It cannot be ignored: `package` and `publish` stop.",
        bad: &[page_and!("Fill the form.\n", ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"acme/pdf\"\n")))],
        good: &[page_and!(
            "Fill the form.\n",
            ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"acme/pdf\"\nversion = \"1.0.0\"\n"))
        )],
    },
    check: Check::Command("package"),
};

pub(in crate::lint) static SHORT: Rule = Rule {
    code: "SK815",
    name: "version-short",
    level: Some(Level::Note),
    fix: Fixes::Safely,
    summary: "a version that is read as another text",
    docs: Docs {
        finds: "A version in `SKILL.md` that has less than three numbers, or a `v` in front: `1.2` is read as `1.2.0`. For \
                `package` and `publish` it is a warning.",
        hurts: "What is published is not called what is written, and YAML reads `1.10` as the number `1.1`.",
        ignore: "The skill is not published.",
        bad: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nmetadata:\n  version: \"1.2\"\n---\n\nFill the form.\n",
            ),
        )])],
        good: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nmetadata:\n  version: \"1.2.0\"\n---\n\nFill the form.\n",
            ),
        )])],
    },
    check: Check::With("manifest-syntax"),
};

/// Looks at the version of a manifest.
pub(super) fn of_manifest(look: &Look, text: &str, found: &mut Found) {
    let Some(version) = &look.version else { return };
    if Version::parse(&version.text).is_ok() {
        return;
    }
    let told = not_semver(&version.text).at(version.span.clone(), text);
    let told = match lenient(&version.text) {
        Some(meant) => {
            let fix = Fix::edit(
                Applicability::Safe,
                format!("write `{meant}`"),
                version.span.clone(),
                format!("\"{meant}\""),
            );
            told.help(format!("write `{meant}`")).fix(fix)
        }
        None => told.help("write three numbers, such as `1.4.2`"),
    };
    found.add(FILE, told);
}

/// Tells that a text is no version.
pub(in crate::lint) fn not_semver(written: &str) -> Diagnostic {
    NOT_SEMVER.finding(format!("`{}` is no version: it should be like `1.4.2`", written.escape_debug()))
}

/// Tells what a text is read as.
pub(in crate::lint) fn short(written: &str, version: &Version) -> Diagnostic {
    let told = SHORT.finding(format!("version `{}` is taken as `{version}`", written.escape_debug()));
    told.help(format!("write `{version}`"))
}

/// Looks at the versions in a `SKILL.md`.
pub(super) fn of_page(page: &Page<'_>, look: Option<&Look>, found: &mut Found) {
    let (Some(skill), Some(frontmatter)) = (page.skill(), &page.frontmatter) else { return };
    let Some(written) = &skill.version else { return };
    let root = &frontmatter.root;
    let (inner, outer) = (root.get("metadata").and_then(|metadata| metadata.get("version")), root.get("version"));
    let Some(node) = inner.filter(|node| node.text().is_some()).or(outer) else { return };
    let tell = |found: &mut Found, told: Diagnostic, version: Option<&Version>| {
        let told = told.at(node.span.clone(), page.source);
        let told = match version.and_then(|version| edit(page, node, version)) {
            Some(fix) => told.fix(fix),
            None => told,
        };
        found.add(page.path, told);
    };
    match skill.semver() {
        None => {
            let mut told = not_semver(written).help("write three numbers, such as `1.4.2`");
            if !look.is_some_and(|look| look.is_package && look.version.is_none()) {
                told.level = Level::Note;
            }
            tell(found, told, None);
        }
        Some(version) => {
            let other = look.and_then(|look| Version::parse(&look.version.as_ref()?.text).ok());
            if let Some(other) = other.filter(|other| *other != version) {
                let told = DRIFT.finding(format!("the version is `{version}` here, and `{other}` in `{FILE}`"));
                tell(found, told.help(format!("write `{other}`, or leave it out")), Some(&other));
            } else if version.to_string() != *written {
                tell(found, short(written, &version), Some(&version));
            }
        }
    }
    if let (Some(inner), Some(outer)) = (inner, outer)
        && let (Some(theirs), Some(ours)) = (inner.text(), outer.text())
        && theirs != ours
        && lenient(theirs).is_none_or(|version| lenient(ours) != Some(version))
    {
        let message =
            format!("the version is `{}` here, and `{}` below `metadata`", ours.escape_debug(), theirs.escape_debug());
        let told = DRIFT.finding(message).at(outer.span.clone(), page.source);
        found.add(page.path, told.label(inner.span.clone(), "and here").help("leave this one out"));
    }
}

/// Writes another version, in the quotes that are there.
fn edit(page: &Page<'_>, node: &Node<'_>, version: &Version) -> Option<Fix> {
    let span: Span = node.span.clone();
    let written = page.source.get(span.clone())?;
    let quote =
        written.chars().next().filter(|first| matches!(first, '"' | '\'')).map(String::from).unwrap_or_default();
    if written.contains('\n') {
        return None;
    }
    Some(Fix::edit(Applicability::Safe, format!("write `{version}`"), span, format!("{quote}{version}{quote}")))
}

/// A version, read as people write them.
fn lenient(text: &str) -> Option<Version> {
    let text = text.trim().trim_start_matches('v');
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (core, tail) = text.split_at(end);
    let padding = [".0.0", ".0"].get(core.matches('.').count()).copied().unwrap_or("");
    Version::parse(&format!("{core}{padding}{tail}")).ok()
}
