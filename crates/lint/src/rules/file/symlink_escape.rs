//! Links, and other things that are no files.

use super::PAGE;
use crate::lint::{Check, Content, Docs, Example, File, Fixes, Found, Piece, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK010",
    name: "symlink-escape",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "a symbolic link leaves the skill, or something in it is no file",
    docs: Docs {
        finds: "A symbolic link that leads out of the skill's directory, by an absolute path or by `..`, and what is no \
                file at all: a device, a pipe, a socket. A link that stays within the skill is a warning.",
        hurts: "An agent that reads the link reads a file of the machine it runs on, which may be anything: a key, for \
                instance. Nothing of it is in a package, because packing follows no link, and `skillpm install` refuses a \
                skill that has one. A link within the skill is refused there, too, and is a text file with a path in it \
                where Windows checked it out.",
        ignore: "In a repository whose skills are only used from where they stand.",
        bad: &[
            Example::files(&[("pdf/SKILL.md", Piece::Text(PAGE)), ("pdf/notes.md", Piece::Link("../../notes.md"))]),
            Example::files(&[
                ("pdf/SKILL.md", Piece::Text(PAGE)),
                ("pdf/key", Piece::Link("/home/me/.ssh/id_ed25519")),
            ]),
            Example::files(&[
                ("pdf/SKILL.md", Piece::Text(PAGE)),
                ("pdf/a.md", Piece::Text("# A\n")),
                ("pdf/b.md", Piece::Link("a.md")),
            ]),
        ],
        good: &[Example::files(&[("pdf/SKILL.md", Piece::Text(PAGE)), ("pdf/notes.md", Piece::Text("# Notes\n"))])],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    for file in &subject.skill.files {
        match &file.content {
            Content::Link(to) => link(file, to, found),
            Content::Special => {
                let finding = RULE.finding("this is no file: a device, a pipe or a socket");
                found.add(&file.path, finding.note("nothing that packs or installs skills takes it").help("remove it"));
            }
            Content::Text(_) | Content::Bytes(_) | Content::Large(..) => {}
        }
    }
}

fn link(file: &File, to: &str, found: &mut Found) {
    let shown = to.escape_debug();
    let finding = if leaves(&file.path, to) {
        let finding = RULE.finding(format!("the link leads out of the skill, to `{shown}`"));
        finding.note("whoever installs the skill does not have that file, or has another one there")
    } else {
        let mut finding = RULE.finding(format!("this is a link, to `{shown}`"));
        finding.level = Level::Warning;
        finding.note("`skillpm install` and `skillpm package` refuse links, and Windows may check them out as text")
    };
    found.add(&file.path, finding.help("put a copy of the file in its place"));
}

/// Whether a link at `path` leads out of the directory that paths are relative to.
fn leaves(path: &str, to: &str) -> bool {
    let to = to.replace('\\', "/");
    if to.starts_with('/') || to.as_bytes().get(1) == Some(&b':') {
        return true;
    }
    let mut depth = path.matches('/').count();
    for part in to.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::leaves;

    #[test]
    fn a_link_leaves_where_it_climbs_above_the_root_even_for_a_moment() {
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
            assert_eq!(leaves(path, to), expected, "{path} to {to}");
        }
    }
}
