//! Linked files that are excluded from the package.

use crate::exclusion::PackageFilter;
use crate::rules::contents::link_target::{ResolvedLink, resolve_link};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck, RuleDocs,
};
use skillpm_core::manifest::FILE;
use skillpm_core::manifest::inspect::ManifestOutline;
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

pub(crate) static RULE: Rule = Rule {
    code: "SK809",
    name: "include-misses-reference",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "the package excludes a file that `SKILL.md` links to",
    docs: RuleDocs {
        finds: "A link in `SKILL.md` to an existing file that `include` or `exclude` under `[package]`, or \
            `.skillpmignore`, excludes from the package.",
        hurts: "The link works locally, and is broken for everyone who installs the package.",
        ignore: "Never: remove the link, or include the file.",
        bad: &[
            page_and!(
                "See [fields](references/fields.md).\n",
                ("pdf/references/fields.md", ExampleFile::Text("# Fields\n")),
                (
                    "pdf/skillpm.toml",
                    ExampleFile::Text("[package]\nname = \"pdf\"\nexclude = [\"references/\"]\n")
                )
            ),
            page_and!(
                "See [fields](references/fields.md).\n",
                ("pdf/references/fields.md", ExampleFile::Text("# Fields\n")),
                (
                    "pdf/skillpm.toml",
                    ExampleFile::Text("[package]\nname = \"pdf\"\ninclude = [\"scripts/**\"]\n")
                )
            ),
        ],
        good: &[page_and!(
            "See [fields](references/fields.md).\n",
            ("pdf/references/fields.md", ExampleFile::Text("# Fields\n")),
            (
                "pdf/.skillpmignore",
                ExampleFile::Text("references/*\n!fields.md\n")
            ),
            (
                "pdf/skillpm.toml",
                ExampleFile::Text("[package]\nname = \"pdf\"\nexclude = [\"*.log\"]\n")
            )
        )],
    },
    check: RuleCheck::SharedWith("manifest-syntax"),
};

pub(super) fn check(
    subject: &LintSubject<'_>,
    page: &MarkdownPage<'_>,
    manifest: &ManifestOutline,
    found: &mut FindingList,
) {
    // Most packages exclude nothing, and need no Markdown parsed for this rule.
    let Some(filter) = PackageFilter::from_manifest(subject.skill, manifest) else {
        return;
    };

    let mut reported = Vec::new();
    for link in &page.markdown().links {
        let ResolvedLink::Existing { path, .. } = resolve_link(subject.skill, "", &link.target)
        else {
            continue;
        };
        // A link to a directory may be meant for any of its files. The two files that make a package
        // are always part of it.
        if subject.skill.file(&path).is_none()
            || reported.contains(&path)
            || ["SKILL.md", FILE].contains(&path.as_str())
        {
            continue;
        }

        if let Some(by) = filter.excluded_by(&path) {
            let finding = finding(&path, &by).at_bytes(link.target_span.clone());
            found.add(page.path, finding);
            reported.push(path);
        }
    }
}

/// Reports a file that is linked to and excluded.
pub(crate) fn finding(path: &str, by: &str) -> Diagnostic {
    let finding = RULE.finding(format!(
        "the link points to `{}`, which {by} excludes from the package",
        path.escape_debug()
    ));
    finding
        .note("anyone who installs the package does not get the file")
        .help("include the file, or remove the link")
}
