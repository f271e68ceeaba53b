//! How each target loads a `SKILL.md`, by the models of their loaders.

use super::{join_titles, known_targets};
use crate::agents::{AgentModel, LoadOutcome, load};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, RuleExample,
};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, Span};

const COLON: &str =
    "---\nname: harden\ndescription: Make it ready: errors, empty states\n---\n\n# Harden\n";
const QUOTED: &str =
    "---\nname: harden\ndescription: \"Make it ready: errors, empty states\"\n---\n\n# Harden\n";

pub(super) static DROPS: Rule = Rule {
    code: "SKA01",
    name: "agent-drops-skill",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "a target agent does not list the skill, or not as intended",
    docs: RuleDocs {
        finds: "A `SKILL.md` that one of the `targets` skips, or lists without its frontmatter. It is found by models \
            of six loaders (Claude Code, Codex, Gemini CLI, `npx skills`, OpenClaw and OpenCode), each of which is \
            tested against the published program.",
        hurts: "Most agents skip a skill without a message. The same file may work in the author's agent and in no \
            other.",
        ignore: "The skill is not for this agent; remove it from `targets`.",
        bad: &[
            RuleExample {
                files: &[("harden/SKILL.md", ExampleFile::Text(COLON))],
                settings: "targets = [\"npx-skills\"]",
            },
            RuleExample {
                files: &[("harden/SKILL.md", ExampleFile::Text("# Harden\n"))],
                settings: "targets = [\"claude-code\"]",
            },
        ],
        // The second is invalid YAML that Codex repairs, so for this target nothing is wrong.
        good: &[
            RuleExample {
                files: &[("harden/SKILL.md", ExampleFile::Text(QUOTED))],
                settings: "targets = [\"npx-skills\"]",
            },
            RuleExample {
                files: &[("harden/SKILL.md", ExampleFile::Text(COLON))],
                settings: "targets = [\"codex\"]",
            },
        ],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static DIFFERS: Rule = Rule {
    code: "SKA02",
    name: "agent-sees-different-value",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "two target agents read different names or descriptions",
    docs: RuleDocs {
        finds: "A name or description that two of the `targets` read differently, ignoring whitespace and line ends. \
            That happens if the value is not valid YAML, and each agent repairs it in its own way.",
        hurts: "A skill that was tested in one agent is chosen for other tasks in another, or has a name that its \
            text does not mention.",
        ignore: "The skill is not for this agent; remove it from `targets`.",
        bad: &[RuleExample {
            files: &[(
                "notes/SKILL.md",
                ExampleFile::Text(
                    "---\nname: notes\ndescription: \"Plan\" or \"do\"\n---\n\n# Notes\n",
                ),
            )],
            settings: "targets = [\"gemini-cli\", \"openclaw\"]",
        }],
        // In quotes the value is the same to every parser.
        good: &[RuleExample {
            files: &[(
                "notes/SKILL.md",
                ExampleFile::Text(
                    "---\nname: notes\ndescription: '\"Plan\" or \"do\"'\n---\n\n# Notes\n",
                ),
            )],
            settings: "targets = [\"gemini-cli\", \"openclaw\"]",
        }],
    },
    check: RuleCheck::SharedWith("agent-drops-skill"),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let mut seen: Vec<(AgentModel, String, String)> = Vec::new();
    // Without targets nothing is asked: which agents matter is for the author to say.
    for agent in known_targets(subject) {
        match load(agent, page.source, &subject.skill.directory) {
            LoadOutcome::Listed { name, description } => seen.push((agent, name, description)),
            LoadOutcome::Degraded { description, .. } => {
                let message = format!(
                    "{agent} cannot read the frontmatter and lists the skill as `{}`",
                    excerpt(&description)
                );
                let finding = Diagnostic {
                    level: DiagnosticLevel::Warning,
                    // The skill is there, only chosen worse, so this is a warning.
                    ..DROPS.finding(message)
                };
                found.add(page.path, finding.at_bytes(first_line(page)));
            }
            LoadOutcome::Dropped(reason) => {
                let finding = DROPS.finding(format!("{agent} skips this skill: {reason}"));
                found.add(page.path, finding.at_bytes(first_line(page)));
            }
        }
    }

    report_differences(page, &seen, found);
}

/// Reports the first two targets that read different names, and the first two that read different descriptions.
fn report_differences(
    page: &MarkdownPage<'_>,
    seen: &[(AgentModel, String, String)],
    found: &mut FindingList,
) {
    // Claude Code shows the directory's name whatever the frontmatter says.
    let names: Vec<_> = seen
        .iter()
        .filter(|(agent, ..)| *agent != AgentModel::ClaudeCode)
        .map(|(agent, name, _)| (*agent, name.as_str()))
        .collect();
    let descriptions: Vec<_> = seen
        .iter()
        .map(|(agent, _, description)| (*agent, description.as_str()))
        .collect();

    for (key, values) in [("name", names), ("description", descriptions)] {
        let Some(message) = describe_difference(key, &values) else {
            continue;
        };
        let span = page
            .frontmatter
            .as_ref()
            .and_then(|found| found.root.get(key))
            .map(|node| node.span.clone());

        let finding = DIFFERS
            .finding(message)
            .at_bytes(span.unwrap_or_else(|| first_line(page)));
        found.add(
            page.path,
            finding.help(format!(
                "quote the whole {key}, so that all agents read the same value"
            )),
        );
    }
}

/// Says which agents read which of the first two different values.
fn describe_difference(key: &str, values: &[(AgentModel, &str)]) -> Option<String> {
    let (_, value) = values.first()?;
    let (_, other) = values
        .iter()
        .find(|(_, other)| !is_same_text(other, value))?;

    Some(format!(
        "the {key} is `{}` in {}, but `{}` in {}",
        excerpt(value),
        join_titles(&list_readers(value, values)),
        excerpt(other),
        join_titles(&list_readers(other, values))
    ))
}

/// The agents that read a value like this.
fn list_readers(wanted: &str, values: &[(AgentModel, &str)]) -> Vec<AgentModel> {
    values
        .iter()
        .filter(|(_, value)| is_same_text(value, wanted))
        .map(|(agent, _)| *agent)
        .collect()
}

/// Agents fold and trim the text in their own ways, which changes nothing for the model.
fn is_same_text(a: &str, b: &str) -> bool {
    collapse_whitespace(a) == collapse_whitespace(b)
}

/// The span of the first line.
fn first_line(page: &MarkdownPage<'_>) -> Span {
    match &page.frontmatter {
        Some(frontmatter) => frontmatter.fences.open.clone(),
        None => 0..page.source.lines().next().map_or(0, str::len),
    }
}

fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of a text for a message.
fn excerpt(text: &str) -> String {
    let line = collapse_whitespace(text);
    // Enough to recognize the value; the whole one is in the file.
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", line[..end].escape_debug()),
        None => line.escape_debug().to_string(),
    }
}
