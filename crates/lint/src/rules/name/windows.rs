//! Names that Windows reserves for devices.

use super::name_field;
use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::package::is_windows_device;
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK214",
    name: "name-windows-reserved",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "the `name` is a reserved device name on Windows",
    docs: RuleDocs {
        finds: "A name such as `con`, `nul`, `aux`, `prn`, `com1` or `lpt1`, in any case.",
        hurts: "Windows does not allow a directory with this name: a repository with the skill cannot be checked out \
            there, and the skill cannot be installed.",
        ignore: "The skill is never used on Windows.",
        bad: &[page!(
            "aux",
            "---\nname: aux\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "aux-files",
            "---\nname: aux-files\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some((skill, _, node)) = name_field(page) else {
        return;
    };
    // By the same table as paths in packages, so that `add` and `lint` agree.
    if is_windows_device(&skill.name) {
        let finding = RULE.finding(format!(
            "`{}` is a reserved device name on Windows",
            skill.name
        ));
        let finding = finding
            .note("Windows does not allow a directory with this name")
            .help("add a word that says what the skill is for");
        found.add(page.path, finding.at_bytes(node.span.clone()));
    }
}
