//! Missing metadata of a package.

use crate::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

pub(crate) static RULE: Rule = Rule {
    code: "SK811",
    name: "publish-metadata",
    // A note while writing; profile `publish` makes it a warning.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "a package has no license or no repository",
    docs: RuleDocs {
        finds: "A skill with `[package]` in its `skillpm.toml` without a license or a repository, neither there nor \
            in `SKILL.md`. `package` and `publish` report it for every skill.",
        hurts: "Without a license others are not allowed to use it, whatever its author intends. Without a repository \
            users cannot see where it comes from, or report problems.",
        ignore: "The package is for a registry whose users know both.",
        bad: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[package]\nname = \"pdf\"\n")
            )
        )],
        good: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                ExampleFile::Text(
                    "[package]\nname = \"pdf\"\nlicense = \"MIT\"\nrepository = \"https://acme.dev/pdf\"\n"
                )
            )
        )],
    },
    check: RuleCheck::SharedWith("manifest-syntax"),
};

/// Reports missing metadata; `None` if a package has both.
pub(crate) fn missing(license: bool, repository: bool) -> Option<Diagnostic> {
    let (what, help) = match (license, repository) {
        (true, true) => return None,
        (false, true) => (
            "license",
            "without one others are not allowed to use it; add `license: MIT`, or another SPDX expression",
        ),
        (true, false) => (
            "repository",
            "add `repository = \"https://…\"` under `[package]`, so that users can see where it comes from",
        ),
        (false, false) => (
            "license and repository",
            "add `license = \"MIT\"`, or another SPDX expression, and `repository = \"https://…\"` under `[package]`",
        ),
    };
    Some(RULE.finding(format!("missing {what}")).help(help))
}
