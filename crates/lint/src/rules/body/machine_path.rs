//! Paths that exist on one machine only.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK408",
    name: "machine-path",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "a path in a user's home directory, such as `/Users/alice/…`",
    docs: RuleDocs {
        finds: "`/Users/alice/…`, `/home/alice/…` or `C:\\Users\\alice\\…` in the body, in code or not, where the \
            name is a real account: not `user`, `you`, `name`, `me`, `runner` and other generic names, and nothing \
            with brackets, `$` or `%`.",
        hurts: "The path does not exist on any other machine, and the agent stops or creates it. It also reveals the \
            author's account name.",
        ignore: "The path is an example; consider `~/…` or `/Users/you/…` instead.",
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
    check: RuleCheck::Skill(check),
};

const HOMES: [&str; 6] = [
    "/Users/",
    "/home/",
    ":\\Users\\",
    ":\\\\Users\\\\",
    ":/Users/",
    "/c/Users/",
];

/// Generic account names: placeholders, service accounts and container users; in lower case, sorted.
const GENERIC_NAMES: [&str; 54] = [
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

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
        AhoCorasick::builder()
            // `:/Users/` must win over the `/Users/` within it, or the drive's letter is lost.
            .match_kind(aho_corasick::MatchKind::LeftmostLongest)
            .build(HOMES)
            .expect("a few short words")
    });
    let Some(page) = &subject.page else { return };
    let (body, start) = (page.body(), page.body_start());

    // Most pages have none of them, and searching for one word at a time is the fastest check.
    if HOMES
        .iter()
        .all(|home| memchr::memmem::find(body.as_bytes(), home.as_bytes()).is_none())
    {
        return;
    }

    let mut reported: HashSet<&str> = HashSet::new();
    for hit in SEARCH.find_iter(body) {
        let Some((path, name)) = home_path_at(body, hit.range()) else {
            continue;
        };
        // Each account once: a skill with one such path usually has many.
        if !reported.insert(name) {
            continue;
        }

        let span = start + path.start..start + path.end;
        let finding = RULE.finding(format!(
            "`{}` is a path on one machine only",
            body[path].escape_debug()
        ));
        let finding = finding.note("it does not exist on other machines");
        let finding = finding.help("use a path relative to the skill, or to `~`");
        found.add(page.path, finding.at_bytes(span));
    }
}

/// The path in a user's home directory around a match, and the user's name.
fn home_path_at(body: &str, hit: Range<usize>) -> Option<(Range<usize>, &str)> {
    let start = path_start(body, hit.start)?;
    // Without another separator after it, the name may be the end of a sentence.
    let rest = &body[hit.end..];
    let name = &rest[..rest.find(['/', '\\'])?];
    is_account(name).then(|| (start..hit.end + name.len(), name))
}

/// Where the path begins whose root was found; `None` if that is the middle of another path or a URL.
fn path_start(body: &str, root: usize) -> Option<usize> {
    let before = body[..root].chars().next_back();
    if body.as_bytes()[root] == b':' {
        // The letter of the drive.
        let is_drive = before.is_some_and(|c| c.is_ascii_alphabetic());
        return root.checked_sub(1).filter(|_| is_drive);
    }

    // `api.example.com/Users/alice`, `$HOME/Users/x`, `~/home/x`.
    let is_inside = before.is_some_and(|c| {
        c.is_alphanumeric()
            || matches!(c, '/' | '.' | '}' | ')' | '>' | ']' | '_' | '-' | '~' | '*')
    });
    (!is_inside).then_some(root)
}

/// Whether a name is that of an account, not a placeholder and not generic.
fn is_account(name: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || !name.chars().all(is_plain) || !name.chars().any(char::is_alphabetic) {
        return false;
    }

    let lower = name.to_lowercase();
    // `/home/user`, `/Users/yourname`: a placeholder, not a real account.
    let is_placeholder = ["user", "your", "name", "..."]
        .iter()
        .any(|word| lower.contains(word));
    !is_placeholder && GENERIC_NAMES.binary_search(&lower.as_str()).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_names_are_sorted() {
        assert!(GENERIC_NAMES.is_sorted());
    }
}
