//! What each target makes of a `SKILL.md`, by the models of their loaders.

use super::{named, targets};
use crate::lint::agents::{Agent, Loading, load};
use crate::lint::{Check, Docs, Example, Fixes, Found, Page, Piece, Rule, Subject};
use crate::report::{Diagnostic, Level, Span};

const COLON: &str = "---\nname: harden\ndescription: Make it ready: errors, empty states\n---\n\n# Harden\n";
const QUOTED: &str = "---\nname: harden\ndescription: \"Make it ready: errors, empty states\"\n---\n\n# Harden\n";

pub(super) static DROPS: Rule = Rule {
    code: "SKA01",
    name: "agent-drops-skill",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "an agent that the skill is for does not list it, or not as it is meant",
    docs: Docs {
        finds: "A `SKILL.md` that one of the `targets` passes over, or lists without anything of its frontmatter. \
                It is found by models of six loaders (Claude Code, Codex, Gemini CLI, `npx skills`, OpenClaw and \
                OpenCode), each of which is held against the published program.",
        hurts: "Most agents say nothing when they pass a skill over: it is simply not there. The same file may work \
                in the agent of its author and in no other.",
        ignore: "Name only those agents as targets that the skill is for.",
        bad: &[
            Example { files: &[("harden/SKILL.md", Piece::Text(COLON))], settings: "targets = [\"npx-skills\"]" },
            Example {
                files: &[("harden/SKILL.md", Piece::Text("# Harden\n"))],
                settings: "targets = [\"claude-code\"]",
            },
        ],
        good: &[
            Example { files: &[("harden/SKILL.md", Piece::Text(QUOTED))], settings: "targets = [\"npx-skills\"]" },
            Example { files: &[("harden/SKILL.md", Piece::Text(COLON))], settings: "targets = [\"codex\"]" },
        ],
    },
    check: Check::Skill(check),
};

pub(super) static DIFFERS: Rule = Rule {
    code: "SKA02",
    name: "agent-sees-different-value",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "two agents that the skill is for read another name or description",
    docs: Docs {
        finds: "A name or description that two of the `targets` read differently, blanks and line ends apart. That \
                happens where the value is no YAML, and each agent mends it in its own way.",
        hurts: "A skill that is tried in one agent is chosen for other tasks in another, or is called by a name that \
                the text around it does not mention.",
        ignore: "Name only those agents as targets that the skill is for.",
        bad: &[Example {
            files: &[(
                "notes/SKILL.md",
                Piece::Text("---\nname: notes\ndescription: \"Plan\" or \"do\"\n---\n\n# Notes\n"),
            )],
            settings: "targets = [\"gemini-cli\", \"openclaw\"]",
        }],
        good: &[Example {
            files: &[(
                "notes/SKILL.md",
                Piece::Text("---\nname: notes\ndescription: '\"Plan\" or \"do\"'\n---\n\n# Notes\n"),
            )],
            settings: "targets = [\"gemini-cli\", \"openclaw\"]",
        }],
    },
    check: Check::With("agent-drops-skill"),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let mut seen: Vec<(Agent, String, String)> = Vec::new();
    for agent in targets(subject) {
        match load(agent, page.source, &subject.skill.directory) {
            Loading::Listed { name, description } => seen.push((agent, name, description)),
            Loading::Degraded { description, .. } => {
                let message = format!(
                    "{agent} makes nothing of the frontmatter, and lists the skill as `{}`",
                    shown(&description)
                );
                let finding = Diagnostic { level: Level::Warning, ..DROPS.finding(message) };
                found.add(page.path, finding.at(head(page), page.source));
            }
            Loading::Dropped(reason) => {
                let finding = DROPS.finding(format!("{agent} passes this skill over: {reason}"));
                found.add(page.path, finding.at(head(page), page.source));
            }
        }
    }
    differing(page, &seen, found);
}

/// Tells of the first two targets that read another name, and of the first two that read another description.
fn differing(page: &Page<'_>, seen: &[(Agent, String, String)], found: &mut Found) {
    // Claude Code shows the directory's name whatever the frontmatter says.
    let names = seen.iter().filter(|(agent, ..)| *agent != Agent::ClaudeCode).map(|(agent, name, _)| (*agent, name));
    let descriptions = seen.iter().map(|(agent, _, description)| (*agent, description));
    let lists: [(&str, Vec<(Agent, &String)>); 2] =
        [("name", names.collect()), ("description", descriptions.collect())];
    for (key, values) in lists {
        let Some((first, value)) = values.first() else { continue };
        let Some((_, other)) = values.iter().find(|(_, other)| one_line(other) != one_line(value)) else { continue };
        let alike = |wanted: &str| -> Vec<Agent> {
            values.iter().filter(|(_, value)| one_line(value) == one_line(wanted)).map(|(agent, _)| *agent).collect()
        };
        let message = format!(
            "the {key} is `{}` to {}, and `{}` to {}",
            shown(value),
            named(&alike(value)),
            shown(other),
            named(&alike(other))
        );
        let span = page.frontmatter.as_ref().and_then(|found| found.root.get(key)).map(|node| node.span.clone());
        let finding = DIFFERS.finding(message).at(span.unwrap_or_else(|| head(page)), page.source);
        found.add(page.path, finding.help(format!("put the whole {key} into quotes; {first} is not the only reader")));
    }
}

/// The first line.
fn head(page: &Page<'_>) -> Span {
    match &page.frontmatter {
        Some(frontmatter) => frontmatter.fences.open.clone(),
        None => 0..page.source.lines().next().map_or(0, str::len),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of a text, as messages show it.
fn shown(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", line[..end].escape_debug()),
        None => line.escape_debug().to_string(),
    }
}
