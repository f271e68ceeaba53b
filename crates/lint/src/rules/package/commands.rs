//! Rules that only commands check, because they need more than the files.

use crate::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs, RuleExample};
use skillpm_core::report::DiagnosticLevel;

pub(super) static LOCKFILE: Rule = Rule {
    code: "SK810",
    name: "lockfile-stale",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "`skillpm.lock` does not match `skillpm.toml`",
    docs: RuleDocs {
        finds: "A lockfile that lacks a dependency of the manifest, or has one that the manifest does not require. \
            Reported by `skillpm lock --locked`, and by every command with `--locked`; `skillpm lock` fixes it.",
        hurts: "Installations get other versions than those that were tested.",
        ignore: "Never: run `skillpm lock`.",
        bad: &[RuleExample::files(&[
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[dependencies]\nforms = \"^2\"\n"),
            ),
            ("pdf/skillpm.lock", ExampleFile::Text("version = 1\n")),
        ])],
        good: &[RuleExample::files(&[
            ("pdf/skillpm.toml", ExampleFile::Text("[dependencies]\n")),
            ("pdf/skillpm.lock", ExampleFile::Text("version = 1\n")),
        ])],
    },
    // It needs the resolver's view of the lockfile, which `lint` does not have.
    check: RuleCheck::Command("lock --locked"),
};

pub(crate) static NAME: Rule = Rule {
    code: "SK813",
    name: "package-name",
    // An error: the name becomes a directory and a part of a URL, and is never changed again.
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "an invalid package name",
    docs: RuleDocs {
        finds: "A skill that is packaged or published without a `package.name` in `skillpm.toml`, and with a name in \
            `SKILL.md` that is not a valid package name.",
        hurts: "A registry allows names of lowercase letters, digits and single hyphens only, since names become \
            directories and parts of URLs.",
        ignore: "It cannot be ignored: `package` and `publish` fail.",
        bad: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: PDF forms\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\nFill it.\n",
            ),
        )])],
        good: &[page_only!("Fill it.\n")],
    },
    check: RuleCheck::Command("package"),
};

pub(crate) static KEYWORD: Rule = Rule {
    code: "SK816",
    name: "keyword-invalid",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "too many keywords, or an invalid one",
    docs: RuleDocs {
        finds: "More than 32 keywords of a package (or tags of its `SKILL.md`), or one that is empty, longer than 64 \
            characters or contains control characters.",
        hurts: "`search` finds packages by their keywords, and an index stores them for every version.",
        ignore: "It cannot be ignored: `package` and `publish` fail.",
        bad: &[page_and!(
            "Fill it.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text(
                    "[package]\nname = \"pdf\"\nversion = \"1.0.0\"\nkeywords = [\"\"]\n"
                )
            )
        )],
        good: &[page_and!(
            "Fill it.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text(
                    "[package]\nname = \"pdf\"\nversion = \"1.0.0\"\nkeywords = [\"forms\"]\n"
                )
            )
        )],
    },
    check: RuleCheck::Command("package"),
};

pub(crate) static UNPUBLISHED: Rule = Rule {
    code: "SK817",
    name: "dependency-not-published",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "a published package depends on something that is not in a registry",
    docs: RuleDocs {
        finds: "A dependency of a package that comes only from a directory or a repository, without a version \
            requirement for a registry.",
        hurts: "Anyone who installs the package from a registry has neither the directory nor a reason to trust the repository.",
        ignore: "It cannot be ignored: `package` and `publish` fail.",
        bad: &[page_and!(
            "Fill it.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text(
                    "[package]\nname = \"pdf\"\nversion = \"1.0.0\"\n\n[dependencies]\nforms = { git = \"https://acme.dev/forms\" }\n"
                )
            )
        )],
        // The repository serves development; the published package requires the version.
        good: &[page_and!(
            "Fill it.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text(
                    "[package]\nname = \"pdf\"\nversion = \"1.0.0\"\n\n[dependencies]\nforms = { git = \"https://acme.dev/forms\", version = \"^1\" }\n"
                )
            )
        )],
    },
    check: RuleCheck::Command("package"),
};
