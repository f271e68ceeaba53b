//! Variables that only some agents substitute.

use super::{join_titles, known_targets};
use crate::agents::AgentModel;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;

/// Variables that agents replace by the directory of the skill or the plugin (<https://code.claude.com/docs/en/skills>, and
/// the programs named in [`crate::agents`]).
const VARIABLES: &[(&str, AgentModel)] = &[
    ("${CLAUDE_PLUGIN_ROOT}", AgentModel::ClaudeCode),
    ("$CLAUDE_PLUGIN_ROOT", AgentModel::ClaudeCode),
    ("${CLAUDE_SKILL_DIR}", AgentModel::ClaudeCode),
    ("$CLAUDE_SKILL_DIR", AgentModel::ClaudeCode),
    ("{baseDir}", AgentModel::OpenClaw),
];

pub(super) static RULE: Rule = Rule {
    code: "SKA05",
    name: "client-variable",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "a variable that one of the targets does not substitute",
    docs: RuleDocs {
        finds: "`${CLAUDE_PLUGIN_ROOT}`, `${CLAUDE_SKILL_DIR}` or `{baseDir}` in the instructions, if one of the \
            `targets` does not replace it by a path.",
        hurts: "The other agents read the variable literally, and run a command with an empty or a literal path.",
        ignore: "The skill says what to do if the variable is not substituted.",
        bad: &[RuleExample {
            files: &[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF\n\nRun `python ${CLAUDE_SKILL_DIR}/fill.py`.\n",
                ),
            )],
            settings: "targets = [\"codex\"]",
        }],
        good: &[RuleExample {
            files: &[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\n# PDF\n\nRun `python ${CLAUDE_SKILL_DIR}/fill.py`.\n",
                ),
            )],
            settings: "targets = [\"claude-code\"]",
        }],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let targets = known_targets(subject);
    let Some(page) = subject.page.as_ref().filter(|_| !targets.is_empty()) else {
        return;
    };
    for (variable, owner) in VARIABLES {
        let unaware: Vec<AgentModel> = targets
            .iter()
            .copied()
            // `npx skills` copies files, and runs nothing.
            .filter(|agent| agent != owner && *agent != AgentModel::NpxSkills)
            .collect();
        if unaware.is_empty() {
            continue;
        }

        // The first use is enough: a fix changes all of them alike.
        let Some(at) = page.body().find(variable) else {
            continue;
        };
        let at = page.body_start() + at;

        let does_not = if unaware.len() == 1 {
            "does not"
        } else {
            "do not"
        };
        let message = format!(
            "{} {does_not} substitute `{variable}`, which is specific to {owner}",
            join_titles(&unaware)
        );

        let finding = RULE.finding(message).at_bytes(at..at + variable.len());
        found.add(
            page.path,
            finding.help("use paths relative to the skill's directory, which work in every agent"),
        );
    }
}
