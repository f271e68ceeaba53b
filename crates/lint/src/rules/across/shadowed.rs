//! One name in several of a project's directories that one agent reads.

use super::name::composed;
use super::{groups, placed};
use crate::lint::across::Summary;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Settings};
use crate::report::Level;
use crate::skill::name::shown;

pub(super) static RULE: Rule = Rule {
    code: "SK902",
    name: "shadowed",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "another directory that the same agent reads has a skill of this name",
    docs: Docs {
        finds: "Skills of one name in several skill directories of one project (`.agents/skills`, `.claude/skills`, …) that \
                differ, where some agent reads both; with `targets` set, one of those. The notes say for each agent which one it takes. Copies, byte for \
                byte, are no fault: that is how one skill is given to several agents. Directories outside of what is \
                linted, such as those of the user, are not looked at; `skillpm catalog` knows all of them.",
        hurts: "Whoever changes the one wonders why the agent does as the other says; and two agents in one project do \
                different things under one name.",
        ignore: "Two variants, each made for the one agent that reads its directory, if the others are not used here.",
        bad: &[Example::files(&[
            (
                "project/.agents/skills/pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                ),
            ),
            (
                "project/.claude/skills/pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: Fill PDF forms. Use when a form is there.\n---\n# PDF\n"),
            ),
        ])],
        good: &[
            Example::files(&[
                (
                    "project/.agents/skills/pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "project/.claude/skills/pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
            ]),
            Example::files(&[
                (
                    "project/.kodelet/skills/pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "project/.claude/skills/pdf/SKILL.md",
                    Piece::Text("---\nname: pdf\ndescription: Fill PDF forms. Use when a form is there.\n---\n# PDF\n"),
                ),
            ]),
        ],
    },
    check: Check::Skills(check),
};

/// What an agent does with one name in two of its directories.
enum Clash {
    /// It takes the one of the directory that comes first.
    First,
    /// It lists all.
    All,
    /// It is not said.
    Unsaid,
}

/// Agents that read several directories of a project, highest first where that is known.
///
/// From `shared/CONSUMERS.md` §4.1 and `shared/agents.toml`, of 2026-11-21.
const AGENTS: [(&str, &str, Clash, &[&str]); 11] = [
    ("amp", "Amp", Clash::First, &[".agents/skills", ".claude/skills"]),
    ("cline", "Cline", Clash::Unsaid, &[".agents/skills", ".claude/skills", ".cline/skills", ".clinerules/skills"]),
    ("codex", "Codex", Clash::All, &[".agents/skills", ".codex/skills"]),
    ("crush", "Crush", Clash::Unsaid, &[".agents/skills", ".claude/skills", ".crush/skills", ".cursor/skills"]),
    ("cursor", "Cursor", Clash::Unsaid, &[".agents/skills", ".claude/skills", ".codex/skills", ".cursor/skills"]),
    ("deepagents", "deepagents", Clash::First, &[".claude/skills", ".agents/skills", ".deepagents/skills"]),
    ("gemini-cli", "Gemini CLI", Clash::First, &[".agents/skills", ".gemini/skills"]),
    ("github-copilot", "GitHub Copilot", Clash::Unsaid, &[".agents/skills", ".claude/skills", ".github/skills"]),
    ("openclaw", "OpenClaw", Clash::First, &["skills", ".agents/skills"]),
    ("opencode", "OpenCode", Clash::First, &[".opencode/skills", ".agents/skills", ".claude/skills"]),
    ("pi", "pi", Clash::First, &[".pi/skills", ".agents/skills"]),
];

/// The project and the skill directory that a root is; `None` if no agent of the table reads it.
pub(super) fn split(root: &str) -> Option<(&str, &'static str)> {
    let directories = || AGENTS.iter().flat_map(|(_, _, _, directories)| directories.iter().copied());
    let below = |directory: &'static str| {
        let project = root.strip_suffix(directory)?;
        let whole = project.is_empty() || project.ends_with('/');
        whole.then(|| (project.trim_end_matches('/'), directory))
    };
    // `.agents/skills` ends in `skills` as well.
    directories().filter_map(below).min_by_key(|(project, _)| project.len())
}

fn check(skills: &[Summary], settings: &Settings, found: &mut Found) {
    let key = |skill: &Summary| {
        let (project, _) = split(skill.root())?;
        Some((project.to_owned(), composed(&skill.name).into_owned()))
    };
    for group in groups(skills, key) {
        let first = group[0];
        if group.iter().all(|other| other.digest == first.digest) {
            continue;
        }
        let mut at: Vec<(&str, &Summary)> = Vec::new();
        for skill in &group {
            let Some((_, directory)) = split(skill.root()) else { continue };
            if at.iter().all(|(known, _)| *known != directory) {
                at.push((directory, skill));
            }
        }
        let notes = notes(&at, &settings.targets);
        let Some((_, last)) = at.last().filter(|_| !notes.is_empty()) else { continue };
        let others: Vec<String> = at[..at.len() - 1].iter().map(|(directory, _)| format!("`{directory}`")).collect();
        let message = format!("the skill `{}` is another one in {}", shown(&last.name), others.join(" and "));
        let mut finding = placed(RULE.finding(message), last.name_at.as_ref());
        finding.notes = notes;
        found.add(&last.path, finding.help("make them equal, or keep one"));
    }
}

/// What each agent does that sees more than one of them.
fn notes(at: &[(&str, &Summary)], targets: &[String]) -> Vec<String> {
    let mut notes: Vec<(String, Vec<&str>)> = Vec::new();
    let meant = |id: &str| targets.is_empty() || targets.iter().any(|target| target == id);
    for (_, agent, clash, directories) in AGENTS.iter().filter(|(id, ..)| meant(id)) {
        let seen: Vec<_> = directories.iter().filter_map(|d| at.iter().find(|(directory, _)| directory == d)).collect();
        let differ = seen.iter().any(|(_, skill)| skill.digest != seen[0].1.digest);
        if !differ {
            continue;
        }
        let told = match clash {
            Clash::First => format!("the one of `{}`", seen[0].0),
            Clash::All => "all of them".to_owned(),
            Clash::Unsaid => "one of them, it is not said which".to_owned(),
        };
        match notes.iter_mut().find(|(known, _)| *known == told) {
            Some((_, agents)) => agents.push(agent),
            None => notes.push((told, vec![agent])),
        }
    }
    let tell = |(told, agents): (String, Vec<&str>)| {
        let verb = if agents.len() == 1 { "lists" } else { "list" };
        format!("{} {verb} {told}", agents.join(", "))
    };
    notes.into_iter().map(tell).collect()
}
