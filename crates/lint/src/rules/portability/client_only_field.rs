//! Fields that only some agents read.

use super::{named, targets};
use crate::lint::agents::Agent;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Subject};
use crate::report::{Diagnostic, Level};

/// Fields of the top level that are no part of the specification, and the agents that read them
/// (`shared/CONSUMERS.md` §2.2).
const FIELDS: &[(&str, &[Agent])] = &[
    ("agent", &[Agent::ClaudeCode]),
    ("argument-hint", &[Agent::ClaudeCode]),
    ("arguments", &[Agent::ClaudeCode]),
    ("command-dispatch", &[Agent::OpenClaw]),
    ("command-tool", &[Agent::OpenClaw]),
    ("context", &[Agent::ClaudeCode]),
    ("disable-model-invocation", &[Agent::ClaudeCode, Agent::OpenClaw]),
    ("effort", &[Agent::ClaudeCode]),
    ("hooks", &[Agent::ClaudeCode]),
    ("model", &[Agent::ClaudeCode]),
    ("paths", &[Agent::ClaudeCode]),
    ("shell", &[Agent::ClaudeCode]),
    ("user-invocable", &[Agent::ClaudeCode, Agent::OpenClaw]),
    ("when_to_use", &[Agent::ClaudeCode]),
];

pub(super) static RULE: Rule = Rule {
    code: "SKA03",
    name: "client-only-field",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "a field of the frontmatter that one of the targets does not read",
    docs: Docs {
        finds: "A field that belongs to some agents only, such as `model`, `hooks` or `argument-hint`, where one of the \
                `targets` does not read it. `disable-model-invocation: true` is a warning.",
        hurts: "What the field promises does not hold everywhere. A skill that is not to be chosen by the model is \
                chosen by those that do not know the switch.",
        ignore: "A field that does no harm where it is not read, such as `argument-hint`.",
        bad: &[
            Example {
                files: &[(
                    "deploy/SKILL.md",
                    Piece::Text(
                        "---\nname: deploy\ndescription: Deploy the service. Use when asked to.\nmodel: opus\n---\n\n# Deploy\n",
                    ),
                )],
                settings: "targets = [\"claude-code\", \"codex\"]",
            },
            Example {
                files: &[(
                    "deploy/SKILL.md",
                    Piece::Text(
                        "---\nname: deploy\ndescription: Deploy the service. Use when asked to.\ndisable-model-invocation: true\n---\n\n# Deploy\n",
                    ),
                )],
                settings: "targets = [\"gemini-cli\"]",
            },
        ],
        good: &[Example {
            files: &[(
                "deploy/SKILL.md",
                Piece::Text(
                    "---\nname: deploy\ndescription: Deploy the service. Use when asked to.\nmodel: opus\n---\n\n# Deploy\n",
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
    let Some(entries) = page.frontmatter.as_ref().and_then(|frontmatter| frontmatter.root.entries()) else { return };
    for (key, value) in entries {
        let Some((name, readers)) = FIELDS.iter().find(|(name, _)| key.text() == Some(name)) else { continue };
        let deaf: Vec<Agent> = targets
            .iter()
            .copied()
            // It installs for others, and reads nothing of this.
            .filter(|agent| !readers.contains(agent) && *agent != Agent::NpxSkills)
            .collect();
        if deaf.is_empty() {
            continue;
        }
        let hides = *name == "disable-model-invocation" && value.text() == Some("true");
        let do_not = if deaf.len() == 1 { "does not" } else { "do not" };
        let (level, message) = if hides {
            (
                Level::Warning,
                format!("{} {do_not} know `{name}`, and will choose this skill by themselves", named(&deaf)),
            )
        } else {
            (Level::Note, format!("{} {do_not} read `{name}`", named(&deaf)))
        };
        let mut finding = Diagnostic { level, ..RULE.finding(message) }.at(key.span.clone(), page.source);
        finding.notes.push(format!("it belongs to {}", named(readers)));
        if hides && deaf.contains(&Agent::Codex) {
            finding.help =
                Some("for Codex, say `policy.allow_implicit_invocation: false` in `agents/openai.yaml`".into());
        }
        found.add(page.path, finding);
    }
}
