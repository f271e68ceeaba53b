//! Listings that are longer than an agent shows.

use std::collections::BTreeMap;

use super::shadowed::split;
use super::{placed, plain};
use crate::lint::across::Summary;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Settings};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK906",
    name: "catalog-over-budget",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "the skills of a directory take more than an agent's listing has room for",
    docs: Docs {
        finds: "A directory that an agent reads (`.claude/skills`, `.agents/skills`, …) whose skills together have longer \
                names and descriptions than the agent lists: Claude Code about 8,000 characters, Codex 16,000 (one and two \
                per cent of a context of 200,000 tokens), OpenClaw 18,000 and 150 skills, Zed 50 kB. Each directory of a \
                project is counted by itself. Any other directory is a collection to choose from, and counted only for \
                the agents of `targets`.",
        hurts: "What does not fit is cut: first the descriptions, then whole skills. The agent no longer chooses them, and \
                nothing says so.",
        ignore: "A model with a larger context, where the agent's room grows with it.",
        bad: &[Example::files(&[
            (
                ".claude/skills/pdf/SKILL.md",
                Piece::Text(concat!("---\nname: pdf\ndescription: ", long!(), "\n---\n# PDF\n")),
            ),
            (
                ".claude/skills/a/SKILL.md",
                Piece::Text(concat!("---\nname: a\ndescription: ", long!(), "\n---\n# PDF\n")),
            ),
            (
                ".claude/skills/b/SKILL.md",
                Piece::Text(concat!("---\nname: b\ndescription: ", long!(), "\n---\n# PDF\n")),
            ),
            (
                ".claude/skills/c/SKILL.md",
                Piece::Text(concat!("---\nname: c\ndescription: ", long!(), "\n---\n# PDF\n")),
            ),
            (
                ".claude/skills/d/SKILL.md",
                Piece::Text(concat!("---\nname: d\ndescription: ", long!(), "\n---\n# PDF\n")),
            ),
            (
                ".claude/skills/e/SKILL.md",
                Piece::Text(concat!("---\nname: e\ndescription: ", long!(), "\n---\n# PDF\n")),
            ),
            (
                ".claude/skills/f/SKILL.md",
                Piece::Text(concat!("---\nname: f\ndescription: ", long!(), "\n---\n# PDF\n")),
            ),
            (
                ".claude/skills/g/SKILL.md",
                Piece::Text(concat!("---\nname: g\ndescription: ", long!(), "\n---\n# PDF\n")),
            ),
            (
                ".claude/skills/h/SKILL.md",
                Piece::Text(concat!("---\nname: h\ndescription: ", long!(), "\n---\n# PDF\n")),
            ),
        ])],
        good: &[Example::files(&[
            (
                ".claude/skills/pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                ),
            ),
            (
                ".claude/skills/docx/SKILL.md",
                Piece::Text(
                    "---\nname: docx\ndescription: Fill Word forms. Use when a form is to be filled in.\n---\n# Word\n",
                ),
            ),
        ])],
    },
    check: Check::Skills(check),
};

/// How much of a listing an agent shows.
struct Room {
    /// What `targets` calls the agent.
    id: &'static str,
    agent: &'static str,
    /// The directories of a project that it reads.
    directories: &'static [&'static str],
    /// Characters of the whole listing.
    characters: usize,
    /// Characters of one description that it shows at most.
    description: usize,
    /// Skills.
    skills: usize,
}

/// What is known of agents' listings: `shared/CONSUMERS.md` §3.2, `shared/LINT.md` SK906. Shares of a context are of
/// 200,000 tokens of four characters.
const ROOMS: [Room; 4] = [
    Room {
        id: "claude-code",
        agent: "Claude Code",
        directories: &[".claude/skills"],
        characters: 8_000,
        description: 1_536,
        skills: usize::MAX,
    },
    Room {
        id: "codex",
        agent: "Codex",
        directories: &[".agents/skills", ".codex/skills"],
        characters: 16_000,
        description: 1_024,
        skills: usize::MAX,
    },
    Room {
        id: "openclaw",
        agent: "OpenClaw",
        directories: &[".agents/skills"],
        characters: 18_000,
        description: usize::MAX,
        skills: 150,
    },
    Room {
        id: "zed",
        agent: "Zed",
        directories: &[".agents/skills"],
        characters: 51_200,
        description: usize::MAX,
        skills: usize::MAX,
    },
];

/// What a line of a listing takes besides name and description: `- name: description`.
const LINE: usize = 5;
/// How many of the longest are named.
const NAMED: usize = 3;

fn check(skills: &[Summary], settings: &Settings, found: &mut Found) {
    let mut roots: BTreeMap<&str, Vec<&Summary>> = BTreeMap::new();
    for skill in skills.iter().filter(|skill| skill.listed) {
        roots.entry(skill.root()).or_default().push(skill);
    }
    for (root, mut skills) in roots {
        let mut rooms = ROOMS.iter().filter(|room| room.is_for(root, &settings.targets)).peekable();
        if rooms.peek().is_some() {
            skills.sort_by(|a, b| plain(&a.path).cmp(plain(&b.path)));
            skills.dedup_by(|a, b| plain(&a.path) == plain(&b.path));
        }
        for room in rooms {
            over(room, root, &skills, found);
        }
    }
}

impl Room {
    /// Whether the skills of a directory are for this agent: it reads it, or somebody says so and none else does.
    fn is_for(&self, root: &str, targets: &[String]) -> bool {
        let meant = targets.iter().any(|target| target == self.id);
        match split(root).filter(|(_, directory)| *directory != "skills") {
            Some((_, directory)) => (meant || targets.is_empty()) && self.directories.contains(&directory),
            None => meant,
        }
    }
}

fn over(room: &Room, root: &str, skills: &[&Summary], found: &mut Found) {
    let cost =
        |skill: &&Summary| skill.name.chars().count() + skill.description.chars().count().min(room.description) + LINE;
    let characters: usize = skills.iter().map(cost).sum();
    let message = if characters > room.characters {
        format!(
            "the {} skills of `{root}` take {characters} characters of {}'s listing; it has room for {}",
            skills.len(),
            room.agent,
            room.characters
        )
    } else if skills.len() > room.skills {
        format!("`{root}` has {} skills; {} lists {}", skills.len(), room.agent, room.skills)
    } else {
        return;
    };
    let mut longest = skills.to_vec();
    longest.sort_by_key(|skill| std::cmp::Reverse(cost(skill)));
    let named: Vec<String> =
        longest.iter().take(NAMED).map(|skill| format!("`{}` ({})", skill.name.escape_debug(), cost(skill))).collect();
    let finding = placed(RULE.finding(message), longest[0].description_at.as_ref())
        .note(format!("the longest: {}", named.join(", ")))
        .help(
            "shorten descriptions, take skills away, or say `disable-model-invocation: true` of those called by name",
        );
    found.add(&longest[0].path, finding);
}
