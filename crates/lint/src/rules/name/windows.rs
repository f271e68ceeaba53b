//! A name that Windows keeps for a device.

use super::written;
use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::package::is_windows_device;
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK214",
    name: "name-windows-reserved",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "Windows keeps the `name` for a device",
    docs: Docs {
        finds: "A name such as `con`, `nul`, `aux`, `prn`, `com1` or `lpt1`, in any case.",
        hurts: "No directory can be called so on Windows: a repository that holds the skill cannot be checked out there, \
                and nobody can install it.",
        ignore: "A skill that never leaves one machine that does not run Windows.",
        bad: &[page!(
            "aux",
            "---\nname: aux\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "aux-files",
            "---\nname: aux-files\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some((skill, _, node)) = written(page) else { return };
    if is_windows_device(&skill.name) {
        let finding = RULE.finding(format!("no directory can be called `{}` on Windows", skill.name));
        let finding = finding.note("Windows keeps the word for a device").help("add a word: say what the skill is for");
        found.add(page.path, finding.at(node.span.clone(), page.source));
    }
}
