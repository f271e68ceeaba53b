//! Git LFS pointers committed instead of files.

use crate::{ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

/// The beginning of a Git LFS pointer; see <https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md>.
const POINTER_PREFIX: &str = "version https://git-lfs.github.com/spec/v1\n";

/// The longest pointer, in bytes, according to Git LFS.
const POINTER_MAX: usize = 1024;

pub(super) static RULE: Rule = Rule {
    code: "SK516",
    name: "lfs-pointer",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "a Git LFS pointer instead of a file",
    docs: RuleDocs {
        finds: "A file that Git LFS commits instead of a large one: a few lines with its digest and its size.",
        hurts: "Skills are read from the commits of a repository, which do not contain the file itself: anyone who \
            installs the skill gets the pointer, and a script that opens it fails. `add`, `install` and `update` warn \
            about it.",
        ignore: "Never, except in a skill about Git LFS.",
        bad: &[page_and!(
            "Fill `assets/form.pdf`.\n",
            (
                "pdf/assets/form.pdf",
                ExampleFile::Text(
                    "version https://git-lfs.github.com/spec/v1\n\
                     oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
                )
            )
        )],
        good: &[page_and!(
            "Read `pointers.md`.\n",
            (
                "pdf/pointers.md",
                ExampleFile::Text(
                    "A pointer begins with `version https://git-lfs.github.com/spec/v1`.\n"
                )
            )
        )],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    for file in &subject.skill.files {
        let Some(text) = file.text().filter(|text| is_pointer(text)) else {
            continue;
        };
        // The pointer comes from the skill, so what it says is escaped before it is shown.
        let size = text
            .lines()
            .find_map(|line| line.strip_prefix("size "))
            .unwrap_or("?");

        let finding = RULE.finding(format!(
            "this is a Git LFS pointer, not the file itself, which has {} bytes",
            size.escape_debug()
        ));
        let finding = finding.note("anyone who installs the skill gets the pointer");

        found.add(
            &file.path,
            finding.help(
                "commit the file itself: run `git lfs untrack` with its pattern, and add it again",
            ),
        );
    }
}

/// Whether a text is a Git LFS pointer.
fn is_pointer(text: &str) -> bool {
    text.len() <= POINTER_MAX
        && text.starts_with(POINTER_PREFIX)
        && text.contains("\noid sha256:")
        && text.contains("\nsize ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointer_has_a_version_a_digest_and_a_size() {
        let whole = format!("{POINTER_PREFIX}oid sha256:4d7a\nsize 12345\n");
        assert!(is_pointer(&whole));
        assert!(!is_pointer(POINTER_PREFIX) && !is_pointer(&format!("See:\n{whole}")));
        assert!(!is_pointer(&format!("{whole}{}", "x".repeat(POINTER_MAX))));
    }
}
