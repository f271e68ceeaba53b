//! Skills that lie deeper than an agent looks.

use super::targets;
use crate::lint::agents::Agent;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::Level;

/// How many directories below its directory of skills an agent finds a skill (`shared/CONSUMERS.md` §2.4, and the
/// programs named in [`crate::lint::agents`]).
fn reach(agent: Agent) -> usize {
    match agent {
        Agent::ClaudeCode | Agent::GeminiCli => 1,
        Agent::NpxSkills => 5,
        Agent::Codex => 6,
        Agent::OpenClaw | Agent::OpenCode => usize::MAX,
    }
}

const PAGE: &str = "---\nname: fill\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# Fill\n";

pub(super) static RULE: Rule = Rule {
    code: "SKA07",
    name: "too-deep-for-target",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "the skill lies deeper below `skills` than one of the targets looks",
    docs: Docs {
        finds: "A skill more directories below a directory called `skills` than one of the `targets` looks: one for \
                Claude Code and Gemini CLI, five for `npx skills`, six for Codex.",
        hurts: "The agent does not find it, and says nothing.",
        ignore: "A collection that is only ever installed by a tool which puts each skill side by side, as skillpm does.",
        bad: &[Example {
            files: &[("skills/pdf/fill/SKILL.md", Piece::Text(PAGE))],
            settings: "targets = [\"gemini-cli\"]",
        }],
        good: &[
            Example { files: &[("skills/fill/SKILL.md", Piece::Text(PAGE))], settings: "targets = [\"gemini-cli\"]" },
            Example { files: &[("skills/pdf/fill/SKILL.md", Piece::Text(PAGE))], settings: "targets = [\"opencode\"]" },
        ],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let targets = targets(subject);
    let Some(page) = subject.page.as_ref().filter(|_| !targets.is_empty()) else { return };
    let mut parts = subject.skill.path.split('/').rev();
    let Some(depth) = parts.position(|part| part == "skills") else { return };
    for agent in targets.into_iter().filter(|agent| reach(*agent) < depth) {
        let limit = reach(agent);
        let directories = if limit == 1 { "directory" } else { "directories" };
        let message = format!("{agent} looks {limit} {directories} below `skills`, and this one lies {depth} below it");
        found.add(page.path, RULE.finding(message).help("move it up, so that it lies side by side with the others"));
    }
}
