//! The examples in the help of commands, run as they are printed there.

use skillpm::cli::generate::command_examples;

use crate::support::Sandbox;

/// The examples that need no network, no other person and no terminal, in an order in which they work, each with its exit
/// code.
const RUN: &[(&str, i32)] = &[
    ("skillpm add commit-messages", 0),
    ("skillpm install", 0),
    ("skillpm install --locked", 0),
    ("skillpm install --frozen", 0),
    ("skillpm lock", 0),
    ("skillpm lock --locked", 0),
    ("skillpm update", 0),
    ("skillpm update --dry-run", 0),
    ("skillpm outdated", 0),
    ("skillpm list", 0),
    ("skillpm list --format json", 0),
    ("skillpm tree", 0),
    ("skillpm tree --invert --depth 1", 0),
    ("skillpm why commit-messages", 0),
    ("skillpm why commit-messages --format json", 0),
    ("skillpm search release notes", 0),
    ("skillpm info release", 0),
    ("skillpm verify", 0),
    ("skillpm verify --format json", 0),
    ("skillpm diff", 0),
    ("skillpm audit", 0),
    ("skillpm audit --capabilities", 0),
    ("skillpm sbom --output bom.json", 0),
    ("skillpm sbom --format spdx --output skills.spdx.json", 0),
    ("skillpm lint", 0),
    ("skillpm lint skills/pdf --notes", 0),
    ("skillpm lint --explain SK401", 0),
    ("skillpm validate", 0),
    ("skillpm validate skills/pdf --profile reference", 0),
    ("skillpm new pdf-forms", 0),
    (
        "skillpm convert skills/pdf --to nova --out backend/skills",
        0,
    ),
    ("skillpm catalog", 0),
    ("skillpm catalog --format xml", 0),
    ("skillpm catalog --format markdown --into AGENTS.md", 0),
    ("skillpm catalog --all --format json", 0),
    ("skillpm catalog --format well-known --out public", 0),
    ("skillpm list --tokens", 0),
    ("skillpm agents list", 0),
    ("skillpm proposals", 0),
    ("skillpm registry new index --git", 0),
    ("skillpm vendor", 0),
    ("skillpm bundle", 0),
    ("skillpm undo --list", 0),
    ("skillpm cache size", 0),
    ("skillpm cache verify", 0),
    ("skillpm cache prune --older-than '90 days' --dry-run", 0),
    ("skillpm config list", 0),
    ("skillpm import --dry-run", 0),
    ("skillpm config set net.offline true", 0),
    ("skillpm config unset net.offline", 0),
    ("skillpm undo", 0),
];

#[test]
fn examples_of_the_help_do_what_they_say() {
    let known = command_examples();
    let sandbox = Sandbox::project_here();
    sandbox.write_skill(
        "skills/pdf",
        "Fills in PDF forms. Use it when a form has to be filled in.",
    );

    for (line, code) in RUN {
        assert!(
            known.iter().any(|example| example.line == *line),
            "no help has the example `{line}`"
        );
        let arguments = line.strip_prefix("skillpm ").unwrap();
        sandbox.skillpm(arguments).exits(*code);
    }
}
