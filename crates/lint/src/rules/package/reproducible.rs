//! Files that are not the same on every system.

use crate::{
    ExampleFile, FileContent, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs,
    RuleExample,
};
use skillpm_core::package::resolve_under;
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK812",
    name: "non-reproducible-content",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "a symbolic link or a special file, which differs between systems",
    docs: RuleDocs {
        finds: "A symbolic link within the skill, or a pipe, a socket or a device. Links that point outside the skill \
            are reported by `symlink-escape`.",
        hurts: "A package contains regular files only: `package` and `publish` reject links. On Windows, git checks \
            out a link as a text file with the path in it, and several agents do not follow links at all.",
        ignore: "The skill is used in place, on systems that support links, and never published.",
        bad: &[RuleExample::files(&[
            (
                "pdf/SKILL.md",
                page!("See [fields](references/fields.md).\n"),
            ),
            ("pdf/references/all.md", ExampleFile::Text("# Fields\n")),
            ("pdf/references/fields.md", ExampleFile::Link("all.md")),
        ])],
        good: &[page_and!(
            "See [fields](references/fields.md).\n",
            ("pdf/references/fields.md", ExampleFile::Text("# Fields\n"))
        )],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    for file in &subject.skill.files {
        let message = match &file.content {
            FileContent::Link(to) => {
                let dir = file.path.rsplit_once('/').map_or("", |(dir, _)| dir);
                // Links that leave the skill are reported by another rule.
                if to.starts_with('/') || resolve_under(dir, to).is_none() {
                    continue;
                }
                format!("this is a symbolic link to `{}`", to.escape_debug())
            }
            FileContent::Special => "this is a pipe, a socket or a device".to_owned(),
            // Regular files are the same everywhere.
            _ => continue,
        };

        let finding = RULE
            .finding(message)
            .note("a package contains regular files only, and several agents do not follow links");
        found.add(&file.path, finding.help("replace it by a copy of the file"));
    }
}
