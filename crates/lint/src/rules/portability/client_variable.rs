//! Variables that only some agents fill in.

use super::{named, targets};
use crate::lint::agents::Agent;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::Level;

/// What agents put the skill's or the plugin's directory in for (`shared/CONSUMERS.md` §8).
const VARIABLES: &[(&str, Agent)] = &[
    ("${CLAUDE_PLUGIN_ROOT}", Agent::ClaudeCode),
    ("$CLAUDE_PLUGIN_ROOT", Agent::ClaudeCode),
    ("${CLAUDE_SKILL_DIR}", Agent::ClaudeCode),
    ("$CLAUDE_SKILL_DIR", Agent::ClaudeCode),
    ("{baseDir}", Agent::OpenClaw),
];

pub(super) static RULE: Rule = Rule {
    code: "SKA05",
    name: "client-variable",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "a variable that one of the targets does not fill in",
    docs: Docs {
        finds: "`${CLAUDE_PLUGIN_ROOT}`, `${CLAUDE_SKILL_DIR}` or `{baseDir}` in the instructions, where one of the \
                `targets` is another agent than the one that puts a path there.",
        hurts: "The others read the variable as it stands, and run a command with an empty or a literal path.",
        ignore: "A skill whose text says what to do where the variable is not filled in.",
        bad: &[Example {
            files: &[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF\n\nRun `python ${CLAUDE_SKILL_DIR}/fill.py`.\n",
                ),
            )],
            settings: "targets = [\"codex\"]",
        }],
        good: &[Example {
            files: &[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF\n\nRun `python ${CLAUDE_SKILL_DIR}/fill.py`.\n",
                ),
            )],
            settings: "targets = [\"claude-code\"]",
        }],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let targets = targets(subject);
    let Some(page) = subject.page.as_ref().filter(|_| !targets.is_empty()) else { return };
    for (variable, owner) in VARIABLES {
        let deaf: Vec<Agent> =
            targets.iter().copied().filter(|agent| agent != owner && *agent != Agent::NpxSkills).collect();
        if deaf.is_empty() {
            continue;
        }
        let Some(at) = page.body().find(variable) else { continue };
        let at = page.body_start() + at;
        let does_not = if deaf.len() == 1 { "does not" } else { "do not" };
        let message = format!("{} {does_not} fill in `{variable}`, which is {owner}'s", named(&deaf));
        let finding = RULE.finding(message).at(at..at + variable.len(), page.source);
        found.add(page.path, finding.help("write paths relative to the skill's directory, which every agent knows"));
    }
}
