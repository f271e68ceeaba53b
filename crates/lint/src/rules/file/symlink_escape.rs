//! Symbolic links and special files.

use super::PAGE;
use crate::{
    ExampleFile, FileContent, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs,
    RuleExample, SkillFile,
};
use skillpm_core::package::resolve_under;
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK010",
    name: "symlink-escape",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "a symbolic link points outside the skill, or a file is not a regular file",
    docs: RuleDocs {
        finds: "A symbolic link that points outside the skill's directory, by an absolute path or by `..`, and \
            special files: devices, pipes, sockets. A link that stays within the skill is a warning.",
        hurts: "An agent that reads the link reads a file of the machine it runs on, which may be anything: a key, \
            for example. The target is not in a package, because packing does not follow links, and `skillpm install` \
            rejects a skill with one. A link within the skill is rejected too, and Windows may check it out as a text \
            file with a path in it.",
        ignore: "The skills of the repository are only used in place.",
        bad: &[
            RuleExample::files(&[
                ("pdf/SKILL.md", ExampleFile::Text(PAGE)),
                ("pdf/notes.md", ExampleFile::Link("../../notes.md")),
            ]),
            RuleExample::files(&[
                ("pdf/SKILL.md", ExampleFile::Text(PAGE)),
                ("pdf/key", ExampleFile::Link("/home/me/.ssh/id_ed25519")),
            ]),
            RuleExample::files(&[
                ("pdf/SKILL.md", ExampleFile::Text(PAGE)),
                ("pdf/a.md", ExampleFile::Text("# A\n")),
                ("pdf/b.md", ExampleFile::Link("a.md")),
            ]),
        ],
        good: &[RuleExample::files(&[
            ("pdf/SKILL.md", ExampleFile::Text(PAGE)),
            ("pdf/notes.md", ExampleFile::Text("# Notes\n")),
        ])],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    for file in &subject.skill.files {
        match &file.content {
            FileContent::Link(to) => check_link(file, to, found),
            // Opening a pipe blocks, and a device has no end, so its content is not even read.
            FileContent::Special => {
                let finding = RULE.finding("not a regular file: a device, a pipe or a socket");
                found.add(
                    &file.path,
                    finding
                        .note("it cannot be packaged or installed")
                        .help("remove it"),
                );
            }
            FileContent::Text(_) | FileContent::Bytes(_) | FileContent::Large(..) => {}
        }
    }
}

fn check_link(file: &SkillFile, to: &str, found: &mut FindingList) {
    let shown = to.escape_debug();
    let finding = if escapes_skill(&file.path, to) {
        let finding = RULE.finding(format!("the link points outside the skill, to `{shown}`"));
        finding.note("users of the skill do not have that file, or have another one there")
    } else {
        let mut finding = RULE.finding(format!("this is a symbolic link to `{shown}`"));
        // Nothing leaks through a link within the skill; it only breaks on other systems.
        finding.level = DiagnosticLevel::Warning;
        finding.note("`skillpm install` and `skillpm package` reject links, and Windows may check them out as text")
    };

    found.add(
        &file.path,
        finding.help("replace the link by a copy of the file"),
    );
}

/// Whether a link at `path` points outside the directory that paths are relative to.
fn escapes_skill(path: &str, to: &str) -> bool {
    // A link created on Windows has backslashes, or a drive letter.
    let to = to.replace('\\', "/");
    if to.starts_with('/') || to.as_bytes().get(1) == Some(&b':') {
        return true;
    }

    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    resolve_under(dir, &to).is_none()
}

#[cfg(test)]
mod tests {
    use super::escapes_skill;

    #[test]
    fn link_that_goes_above_the_root_at_any_point_escapes() {
        for (path, to, expected) in [
            ("a", "b", false),
            ("a", "../b", true),
            ("sub/a", "../b", false),
            ("sub/a", "../../skill/b", true),
            ("sub/a", "x/../../b", false),
            ("sub/a", "./../b/../../c", true),
            ("a", "/etc/passwd", true),
            ("a", "C:\\x", true),
            ("a", "..\\x", true),
        ] {
            assert_eq!(escapes_skill(path, to), expected, "{path} to {to}");
        }
    }
}
