//! Paths that are there on one machine only.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK408",
    name: "machine-path",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "a path into somebody's home directory, such as `/Users/alice/…`",
    docs: Docs {
        finds: "`/Users/alice/…`, `/home/alice/…` or `C:\\Users\\alice\\…` in the body, in code or not, where the name is \
                somebody's: not `user`, `you`, `name`, `me`, `runner` and others that stand for anybody or for a \
                container, and nothing with brackets, `$` or `%`.",
        hurts: "On every other machine the path is not there, and the agent stops or makes it. It also tells the world \
                the author's account.",
        ignore: "An example of such a path; `~/…` or `/Users/you/…` shows the same.",
        bad: &[
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\n```sh\npython /Users/alice/tools/fill.py\n```\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nRun C:\\Users\\Alice\\fill.exe and \"C:\\\\Users\\\\Alice\\\\x\".\n"
            ),
        ],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n\nRun \
             `~/fill.py`, `/Users/you/fill.py`, `/home/$USER/x`, `C:\\Users\\<name>\\x`, or ask \
             https://api.example.com/Users/alice/forms and `GET /Users/42`.\n"
        )],
    },
    check: Check::Skill(check),
};

const HOMES: [&str; 6] = ["/Users/", "/home/", ":\\Users\\", ":\\\\Users\\\\", ":/Users/", "/c/Users/"];

/// Names that stand for anybody, for a machine of a service, or for a container; in lower case, sorted.
const ANYBODY: [&str; 54] = [
    "account",
    "admin",
    "agent",
    "app",
    "appuser",
    "arch",
    "azureuser",
    "builder",
    "circleci",
    "claude",
    "coder",
    "codespace",
    "default",
    "deploy",
    "dev",
    "developer",
    "docker",
    "ec2-user",
    "example",
    "foo",
    "git",
    "gitpod",
    "guest",
    "jane",
    "janedoe",
    "jdoe",
    "john",
    "johndoe",
    "jovyan",
    "jsmith",
    "linuxbrew",
    "me",
    "mockuser",
    "myname",
    "name",
    "node",
    "nonroot",
    "oai",
    "opc",
    "path",
    "pi",
    "project",
    "public",
    "root",
    "runner",
    "shared",
    "someone",
    "test",
    "ubuntu",
    "vagrant",
    "vscode",
    "www",
    "xxx",
    "you",
];

fn check(subject: &Subject<'_>, found: &mut Found) {
    static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasick::builder()
            .match_kind(aho_corasick::MatchKind::LeftmostLongest)
            .build(HOMES)
            .expect("a few short words")
    });
    let Some(page) = &subject.page else { return };
    let (body, start) = (page.body(), page.body_start());
    // Most pages have none of them, which one word at a time is the quickest to say.
    if HOMES.iter().all(|home| memchr::memmem::find(body.as_bytes(), home.as_bytes()).is_none()) {
        return;
    }
    let mut told: Vec<&str> = Vec::new();
    for hit in SEARCH.find_iter(body) {
        let Some((path, name)) = home(body, hit.range()) else { continue };
        if told.contains(&name) {
            continue;
        }
        told.push(name);
        let span = start + path.start..start + path.end;
        let finding = RULE.finding(format!("`{}` is a path of one machine", body[path].escape_debug()));
        let finding = finding.note("on every other machine it is not there");
        let finding = finding.help("write it relative to the skill, or from `~`");
        found.add(page.path, finding.at(span, page.source));
    }
}

/// The path into somebody's home that such words begin, and whose it is.
fn home(body: &str, hit: Range<usize>) -> Option<(Range<usize>, &str)> {
    let before = body[..hit.start].chars().next_back();
    let (start, foreign) = match body.as_bytes()[hit.start] {
        // The letter of the drive.
        b':' => (hit.start.checked_sub(1)?, !before.is_some_and(|c| c.is_ascii_alphabetic())),
        _ => (
            hit.start,
            before.is_some_and(|c| {
                c.is_alphanumeric() || matches!(c, '/' | '.' | '}' | ')' | '>' | ']' | '_' | '-' | '~' | '*')
            }),
        ),
    };
    if foreign {
        return None;
    }
    let rest = &body[hit.end..];
    let name = &rest[..rest.find(['/', '\\'])?];
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(plain) || !name.chars().any(char::is_alphabetic) {
        return None;
    }
    let lower = name.to_lowercase();
    let anybody = lower.contains("user") || lower.contains("your") || lower.contains("name");
    if anybody || lower.contains("...") || ANYBODY.binary_search(&lower.as_str()).is_ok() {
        return None;
    }
    Some((start..hit.end + name.len(), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(ANYBODY.is_sorted());
    }
}
