//! Things in a skill that are not the same everywhere.

use crate::lint::{Check, Content, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::package::resolve_below;
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK812",
    name: "non-reproducible-content",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "a link or a special file, which is not the same everywhere",
    docs: Docs {
        finds: "A symbolic link within the skill, or a pipe, a socket or a device. Links that lead out of it are told by \
                `symlink-escape`.",
        hurts: "A package has files only: `package` and `publish` refuse links. On Windows, git writes a link as a file that \
                has the path in it, and several agents do not follow links at all.",
        ignore: "The skill is used where it is, on systems that know links, and never published.",
        bad: &[Example::files(&[
            ("pdf/SKILL.md", page!("See [fields](references/fields.md).\n")),
            ("pdf/references/all.md", Piece::Text("# Fields\n")),
            ("pdf/references/fields.md", Piece::Link("all.md")),
        ])],
        good: &[page_and!(
            "See [fields](references/fields.md).\n",
            ("pdf/references/fields.md", Piece::Text("# Fields\n"))
        )],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    for file in &subject.skill.files {
        let message = match &file.content {
            Content::Link(to) => {
                let dir = file.path.rsplit_once('/').map_or("", |(dir, _)| dir);
                if to.starts_with('/') || resolve_below(dir, to).is_none() {
                    continue;
                }
                format!("this is a symbolic link to `{}`", to.escape_debug())
            }
            Content::Special => "this is a pipe, a socket or a device".to_owned(),
            _ => continue,
        };
        let told = RULE.finding(message).note("a package has files only, and several agents follow no links");
        found.add(&file.path, told.help("put a copy of the file in its place"));
    }
}
