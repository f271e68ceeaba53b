//! Listings that are longer than an agent shows.

use std::collections::BTreeMap;

use super::shadowed::split;
use super::{placed, plain};
use crate::lint::across::Summary;
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, Settings};
use crate::report::{Diagnostic, Level};
use crate::skill::name::shown;

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
    for (root, mut listed) in roots {
        let mut lists = ROOMS.iter().filter(|room| room.is_for(root, &settings.targets)).peekable();
        if lists.peek().is_some() {
            listed.sort_by(|a, b| plain(&a.path).cmp(plain(&b.path)));
            listed.dedup_by(|a, b| plain(&a.path) == plain(&b.path));
        }
        for room in lists {
            if let Some((at, finding)) = over(room, root, &listed) {
                found.add(at, finding);
            }
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

/// What is said of a listing for which there is too little room, and of which file.
fn over<'s>(room: &Room, directory: &str, listed: &[&'s Summary]) -> Option<(&'s str, Diagnostic)> {
    let cost =
        |skill: &&Summary| skill.name.chars().count() + skill.description.chars().count().min(room.description) + LINE;
    let characters: usize = listed.iter().map(cost).sum();
    let (count, agent) = (listed.len(), room.agent);
    let message = if characters > room.characters {
        let most = room.characters;
        format!(
            "the {count} skills of `{directory}` take {characters} characters of {agent}'s listing; it has room for {most}"
        )
    } else if count > room.skills {
        format!("`{directory}` has {count} skills; {agent} lists {}", room.skills)
    } else {
        return None;
    };
    let mut longest = listed.to_vec();
    longest.sort_by_key(|skill| std::cmp::Reverse(cost(skill)));
    let first = *longest.first()?;
    let named = longest.iter().take(NAMED).map(|skill| format!("`{}` ({})", shown(&skill.name), cost(skill)));
    let finding = placed(RULE.finding(message), first.description_at.as_ref())
        .note(format!("the longest: {}", named.collect::<Vec<_>>().join(", ")))
        .help(
            "shorten descriptions, take skills away, or say `disable-model-invocation: true` of those called by name",
        );
    Some((&first.path, finding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::check_across;

    fn told(root: &str, count: usize, length: usize, targets: &[&str]) -> Vec<String> {
        let skills: Vec<_> = (0..count)
            .map(|at| Summary {
                path: format!("{root}/s{at:03}/SKILL.md"),
                name: format!("s{at:03}"),
                description: format!("{at} {}", "x".repeat(length)),
                listed: true,
                digest: at as u64,
                ..Summary::default()
            })
            .collect();
        let mut settings = Settings::default();
        settings.targets = targets.iter().map(|target| (*target).to_owned()).collect();
        let found = check_across(&skills, &settings);
        let ours = found.into_iter().filter(|found| found.diagnostic.rule == RULE.name);
        ours.map(|found| found.diagnostic.message).collect()
    }

    #[test]
    fn only_what_an_agent_reads_is_counted_and_only_for_it() {
        let claude =
            "the 20 skills of `.claude/skills` take 10230 characters of Claude Code's listing; it has room for 8000";
        assert_eq!(told(".claude/skills", 20, 500, &[]), [claude]);
        assert_eq!(told(".claude/skills", 20, 300, &[]), [""; 0]);
        assert_eq!(told(".claude/skills", 20, 500, &["codex"]), [""; 0]);
        assert_eq!(told("skills", 20, 500, &[]), [""; 0]);
        assert_eq!(told("skills", 20, 500, &["claude-code"]), [claude.replace(".claude/skills", "skills")]);
        assert_eq!(told(".agents/skills", 151, 40, &[]), ["`.agents/skills` has 151 skills; OpenClaw lists 150"]);
        // What is cut anyway does not count.
        assert_eq!(told(".claude/skills", 5, 5_000, &[]), [""; 0]);
    }
}
