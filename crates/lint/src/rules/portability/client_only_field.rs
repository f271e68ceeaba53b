//! Fields that only some agents read.

use super::{join_titles, known_targets};
use crate::agents::AgentModel;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};

/// Top-level fields that are not part of the specification, and the agents that read them
/// (<https://code.claude.com/docs/en/skills#frontmatter-reference>, and the programs named in [`crate::agents`]).
const FIELDS: &[(&str, &[AgentModel])] = &[
    ("agent", &[AgentModel::ClaudeCode]),
    ("argument-hint", &[AgentModel::ClaudeCode]),
    ("arguments", &[AgentModel::ClaudeCode]),
    ("background", &[AgentModel::ClaudeCode]),
    ("command-dispatch", &[AgentModel::OpenClaw]),
    ("command-tool", &[AgentModel::OpenClaw]),
    ("context", &[AgentModel::ClaudeCode]),
    (
        "disable-model-invocation",
        &[AgentModel::ClaudeCode, AgentModel::OpenClaw, AgentModel::Pi],
    ),
    ("disallowed-tools", &[AgentModel::ClaudeCode]),
    ("disallowedTools", &[AgentModel::ClaudeCode]),
    ("effort", &[AgentModel::ClaudeCode]),
    ("hooks", &[AgentModel::ClaudeCode]),
    ("model", &[AgentModel::ClaudeCode]),
    ("paths", &[AgentModel::ClaudeCode]),
    ("shell", &[AgentModel::ClaudeCode]),
    (
        "user-invocable",
        &[AgentModel::ClaudeCode, AgentModel::OpenClaw],
    ),
    ("when_to_use", &[AgentModel::ClaudeCode]),
];

pub(super) static RULE: Rule = Rule {
    code: "SKA03",
    name: "client-only-field",
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Never,
    summary: "a field of the frontmatter that one of the targets does not read",
    docs: RuleDocs {
        finds: "A field for some agents only, such as `model`, `hooks` or `argument-hint`, if one of the `targets` \
            does not read it. `disable-model-invocation: true` is a warning.",
        hurts: "The field does not take effect everywhere. A skill that should not be chosen by the model is chosen \
            by agents that do not know the field.",
        ignore: "The field is harmless if it is not read, such as `argument-hint`.",
        bad: &[
            RuleExample {
                files: &[(
                    "deploy/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: deploy\ndescription: Deploy the service. Use when asked to.\nmodel: opus\n---\n\n# Deploy\n",
                    ),
                )],
                settings: "targets = [\"claude-code\", \"codex\"]",
            },
            RuleExample {
                files: &[(
                    "deploy/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: deploy\ndescription: Deploy the service. Use when asked to.\ndisable-model-invocation: true\n---\n\n# Deploy\n",
                    ),
                )],
                settings: "targets = [\"gemini-cli\"]",
            },
            RuleExample {
                files: &[(
                    "deploy/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: deploy\ndescription: Deploy the service. Use when asked to.\ndisallowed-tools: WebFetch\n---\n\n# Deploy\n",
                    ),
                )],
                settings: "targets = [\"claude-code\", \"pi\"]",
            },
        ],
        good: &[
            RuleExample {
                files: &[(
                    "deploy/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: deploy\ndescription: Deploy the service. Use when asked to.\nmodel: opus\n---\n\n# Deploy\n",
                    ),
                )],
                settings: "targets = [\"claude-code\"]",
            },
            RuleExample {
                files: &[(
                    "deploy/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: deploy\ndescription: Deploy the service. Use when asked to.\ndisable-model-invocation: true\n---\n\n# Deploy\n",
                    ),
                )],
                settings: "targets = [\"claude-code\", \"openclaw\", \"pi\"]",
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
    let Some(entries) = page
        .frontmatter
        .as_ref()
        .and_then(|frontmatter| frontmatter.root.entries())
    else {
        return;
    };

    for (key, value) in entries {
        let Some((name, readers)) = FIELDS.iter().find(|(name, _)| key.text() == Some(name)) else {
            continue;
        };
        let unaware: Vec<AgentModel> = targets
            .iter()
            .copied()
            // It installs for other agents, and reads none of these fields.
            .filter(|agent| !readers.contains(agent) && *agent != AgentModel::NpxSkills)
            .collect();
        if unaware.is_empty() {
            continue;
        }

        let hides = *name == "disable-model-invocation" && value.text() == Some("true");
        let finding = if hides {
            hiding_finding(&unaware)
        } else {
            unread_finding(name, &unaware)
        };
        let finding = finding.at_bytes(key.span.clone());
        found.add(
            page.path,
            finding.note(format!("it is read by {}", join_titles(readers))),
        );
    }
}

/// Reports a field that has no effect in some agents.
fn unread_finding(name: &str, unaware: &[AgentModel]) -> Diagnostic {
    let (agents, do_not) = (join_titles(unaware), do_not(unaware));
    Diagnostic {
        level: DiagnosticLevel::Note,
        ..RULE.finding(format!("{agents} {do_not} read `{name}`"))
    }
}

/// Reports a skill that its author hides from the model, and that some agents list.
fn hiding_finding(unaware: &[AgentModel]) -> Diagnostic {
    let (agents, do_not) = (join_titles(unaware), do_not(unaware));
    // A warning: its author wants only people to run it.
    let finding = Diagnostic {
        level: DiagnosticLevel::Warning,
        ..RULE.finding(format!(
            "{agents} {do_not} know `disable-model-invocation` and can choose this skill automatically"
        ))
    };

    // Codex has the same setting in a file of its own.
    if unaware.contains(&AgentModel::Codex) {
        finding.help(
            "for Codex, set `policy.allow_implicit_invocation: false` in `agents/openai.yaml`",
        )
    } else {
        finding
    }
}

fn do_not(agents: &[AgentModel]) -> &'static str {
    if agents.len() == 1 {
        "does not"
    } else {
        "do not"
    }
}
