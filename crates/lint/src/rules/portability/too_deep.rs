//! Skills that are nested deeper than an agent looks.

use super::known_targets;
use crate::agents::AgentModel;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;

/// The number of directories below its skill directory in which an agent finds a skill (`docs/agents.md`, "What an agent
/// lists", and the programs named in [`crate::agents`]).
fn max_depth(agent: AgentModel) -> usize {
    match agent {
        AgentModel::ClaudeCode | AgentModel::GeminiCli => 1,
        AgentModel::NpxSkills => 5,
        AgentModel::Codex => 6,
        // They search the whole tree, or all of it that is not very deep.
        AgentModel::OpenClaw | AgentModel::OpenCode | AgentModel::Pi => usize::MAX,
    }
}

const PAGE: &str = "---\nname: fill\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# Fill\n";

pub(super) static RULE: Rule = Rule {
    code: "SKA07",
    name: "too-deep-for-target",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "the skill is nested deeper below `skills` than one of the targets looks",
    docs: RuleDocs {
        finds: "A skill nested deeper below a directory named `skills` than one of the `targets` looks: one directory \
            for Claude Code and Gemini CLI, five for `npx skills`, six for Codex.",
        hurts: "The agent does not find the skill, and reports nothing.",
        ignore: "The collection is always installed by a tool that puts all skills in one directory, such as skillpm.",
        bad: &[RuleExample {
            files: &[("skills/pdf/fill/SKILL.md", ExampleFile::Text(PAGE))],
            settings: "targets = [\"gemini-cli\"]",
        }],
        good: &[
            RuleExample {
                files: &[("skills/fill/SKILL.md", ExampleFile::Text(PAGE))],
                settings: "targets = [\"gemini-cli\"]",
            },
            RuleExample {
                files: &[("skills/pdf/fill/SKILL.md", ExampleFile::Text(PAGE))],
                settings: "targets = [\"opencode\"]",
            },
        ],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let targets = known_targets(subject);
    let Some(page) = subject.page.as_ref().filter(|_| !targets.is_empty()) else {
        return;
    };

    // The nearest `skills` above it is the directory that the agent reads.
    let mut parts = subject.skill.path.split('/').rev();
    let Some(depth) = parts.position(|part| part == "skills") else {
        return;
    };

    for agent in targets
        .into_iter()
        .filter(|agent| max_depth(*agent) < depth)
    {
        let limit = max_depth(agent);
        let directories = if limit == 1 {
            "directory"
        } else {
            "directories"
        };
        let message = format!(
            "{agent} looks {limit} {directories} below `skills`, but this skill is {depth} below it"
        );
        found.add(
            page.path,
            RULE.finding(message)
                .help("move it up, next to the other skills"),
        );
    }
}
