//! What people who find a package want to know, and it does not say.

use crate::lint::{Check, Docs, Fixes, Piece, Rule};
use crate::report::{Diagnostic, Level};

pub(in crate::lint) static RULE: Rule = Rule {
    code: "SK811",
    name: "publish-metadata",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "a package does not say its licence or where it is developed",
    docs: Docs {
        finds: "A skill with `[package]` in its `skillpm.toml` that says no licence, or no repository, neither there nor in \
                `SKILL.md`. `package` and `publish` tell it of every skill.",
        hurts: "Without a licence nobody may use it, whatever its author thinks. Without a repository nobody can look where it \
                comes from, or say what is wrong with it.",
        ignore: "It goes to a registry whose readers know both.",
        bad: &[page_and!("Fill the form.\n", ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"pdf\"\n")))],
        good: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                Piece::Text("[package]\nname = \"pdf\"\nlicense = \"MIT\"\nrepository = \"https://acme.dev/pdf\"\n")
            )
        )],
    },
    check: Check::With("manifest-syntax"),
};

/// Tells of what a package does not say; `None` if it says both.
pub(in crate::lint) fn missing(license: bool, repository: bool) -> Option<Diagnostic> {
    let (what, help) = match (license, repository) {
        (true, true) => return None,
        (false, true) => {
            ("no licence", "without one nobody may use it; write `license: MIT`, or another SPDX expression")
        }
        (true, false) => (
            "no repository",
            "write `repository = \"https://…\"` below `[package]`, so that people can look where it comes from",
        ),
        (false, false) => (
            "no licence and no repository",
            "write `license = \"MIT\"`, or another SPDX expression, and `repository = \"https://…\"` below `[package]`",
        ),
    };
    Some(RULE.finding(format!("it says {what}")).help(help))
}
