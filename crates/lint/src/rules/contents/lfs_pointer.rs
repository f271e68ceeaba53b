//! Files that are not there, but somewhere else.

use crate::lint::{Check, Docs, Fixes, Found, Piece, Rule, Subject};
use crate::report::Level;

/// How the pointers of git-lfs begin; see <https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md>.
const BEGINNING: &str = "version https://git-lfs.github.com/spec/v1\n";

/// Longest pointer, in bytes, as git-lfs has it.
const POINTER_MAX: usize = 1024;

pub(super) static RULE: Rule = Rule {
    code: "SK516",
    name: "lfs-pointer",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "a pointer of git-lfs in place of a file",
    docs: Docs {
        finds: "A file that is what git-lfs commits in place of a large one: a few lines with its digest and its size.",
        hurts: "Skills are read from the commits of a repository, and the file itself is not in them: whoever installs the skill \
                gets the pointer, and a script that opens it fails. `add`, `install` and `update` warn of it.",
        ignore: "There is no reason to, but in a skill about git-lfs.",
        bad: &[page_and!(
            "Fill `assets/form.pdf`.\n",
            (
                "pdf/assets/form.pdf",
                Piece::Text(
                    "version https://git-lfs.github.com/spec/v1\n\
                     oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
                )
            )
        )],
        good: &[page_and!(
            "Read `pointers.md`.\n",
            ("pdf/pointers.md", Piece::Text("A pointer begins with `version https://git-lfs.github.com/spec/v1`.\n"))
        )],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    for file in &subject.skill.files {
        let Some(text) = file.text().filter(|text| is_pointer(text)) else { continue };
        let size = text.lines().find_map(|line| line.strip_prefix("size ")).unwrap_or("?");
        let told = RULE.finding(format!(
            "this is a pointer of git-lfs, not the file itself, which has {} bytes",
            size.escape_debug()
        ));
        let told = told.note("who installs the skill gets the pointer");
        found.add(&file.path, told.help("commit the file itself: `git lfs untrack` its pattern, and add it again"));
    }
}

/// Whether a text is what git-lfs commits in place of a file.
fn is_pointer(text: &str) -> bool {
    text.len() <= POINTER_MAX
        && text.starts_with(BEGINNING)
        && text.contains("\noid sha256:")
        && text.contains("\nsize ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_has_a_version_a_digest_and_a_size() {
        let whole = format!("{BEGINNING}oid sha256:4d7a\nsize 12345\n");
        assert!(is_pointer(&whole));
        assert!(!is_pointer(BEGINNING) && !is_pointer(&format!("See:\n{whole}")));
        assert!(!is_pointer(&format!("{whole}{}", "x".repeat(POINTER_MAX))));
    }
}
