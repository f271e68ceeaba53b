//! Placeholders for arguments, which only some agents fill in.

use super::{named, targets};
use crate::lint::agents::Agent;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::Level;

/// Those that put what a person typed behind the skill's name in for `$ARGUMENTS` and `$1`.
const READERS: [Agent; 1] = [Agent::ClaudeCode];

pub(super) static RULE: Rule = Rule {
    code: "SKA06",
    name: "arguments-placeholder",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "`$ARGUMENTS` or `$1`, which one of the targets does not fill in",
    docs: Docs {
        finds: "`$ARGUMENTS`, or `$1` to `$9` outside of code, in the instructions, where one of the `targets` does not \
                put arguments there.",
        hurts: "The agent reads the sign itself where the author saw a file name or a question.",
        ignore: "A skill that is called as a command in one agent only.",
        bad: &[Example {
            files: &[(
                "fix/SKILL.md",
                Piece::Text(
                    "---\nname: fix\ndescription: Fix an issue by its number. Use when asked to.\n---\n\n# Fix\n\nRead issue $ARGUMENTS first.\n",
                ),
            )],
            settings: "targets = [\"codex\"]",
        }],
        good: &[Example {
            files: &[(
                "fix/SKILL.md",
                Piece::Text(
                    "---\nname: fix\ndescription: Fix an issue by its number. Use when asked to.\n---\n\n# Fix\n\nRead the issue that was named; `echo $1` shows it.\n",
                ),
            )],
            settings: "targets = [\"codex\"]",
        }],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let deaf: Vec<Agent> =
        targets(subject).into_iter().filter(|agent| !READERS.contains(agent) && *agent != Agent::NpxSkills).collect();
    let Some(page) = subject.page.as_ref().filter(|_| !deaf.is_empty()) else { return };
    for at in memchr::memchr_iter(b'$', page.body().as_bytes()) {
        let at = page.body_start() + at;
        let rest = &page.source[at + 1..];
        let length = if rest.starts_with("ARGUMENTS") {
            "$ARGUMENTS".len()
        } else if rest.starts_with(|c: char| ('1'..='9').contains(&c))
            && !rest[1..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | '_'))
            && !page.markdown().is_code(at)
        {
            2
        } else {
            continue;
        };
        let does_not = if deaf.len() == 1 { "does not" } else { "do not" };
        let message = format!("{} {does_not} fill in `{}`", named(&deaf), &page.source[at..at + length]);
        let finding = RULE.finding(message).at(at..at + length, page.source);
        found.add(page.path, finding.help("say in words what the person asks for"));
        // One is enough to be told.
        return;
    }
}
