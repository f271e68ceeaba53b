//! Skills with the same name in several project directories that one agent reads.

use super::name::normalize_name;
use super::{group_skills, place_finding};
use crate::across::SkillSummary;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSettings, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;
use skillpm_core::skill::name::shorten_for_display;

pub(super) static RULE: Rule = Rule {
    code: "SK902",
    name: "shadowed",
    // A warning: two variants may be meant, each for the agent that reads its directory.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "another directory that the same agent reads has a different skill with this name",
    docs: RuleDocs {
        finds: "Skills with the same name but different content in several skill directories of one project \
            (`.agents/skills`, `.claude/skills`, …) that the same agent reads; if `targets` is set, an agent in \
            `targets`. The notes list which skill each agent uses. Identical copies are allowed: that is how one \
            skill is given to several agents. Directories outside the linted paths, such as those of the user, are \
            not checked; `skillpm catalog` shows all of them.",
        hurts: "A change to one of them has no effect on an agent that uses the other; and two agents in one project \
            behave differently under one name.",
        ignore: "The skills are variants, each for the one agent that reads its directory, and the other agents are \
            not used here.",
        bad: &[RuleExample::files(&[
            (
                "project/.agents/skills/pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                ),
            ),
            (
                "project/.claude/skills/pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is there.\n---\n# PDF\n",
                ),
            ),
        ])],
        // Identical copies, and two directories that no agent of the table reads together.
        good: &[
            RuleExample::files(&[
                (
                    "project/.agents/skills/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "project/.claude/skills/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
            ]),
            RuleExample::files(&[
                (
                    "project/.kodelet/skills/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                    ),
                ),
                (
                    "project/.claude/skills/pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is there.\n---\n# PDF\n",
                    ),
                ),
            ]),
        ],
    },
    check: RuleCheck::Skills(check),
};

/// How an agent handles the same name in two of its directories.
enum DuplicateNamePolicy {
    /// It lists the one in the first directory.
    First,
    /// It lists all.
    All,
    /// Its documentation does not say.
    Undocumented,
}

/// Agents that read several directories of a project, by precedence where that is known.
///
/// From `agents.toml` of `crates/registry`, which cites a source for each, of 2026-11-21.
const AGENTS: [(&str, &str, DuplicateNamePolicy, &[&str]); 11] = [
    (
        "amp",
        "Amp",
        DuplicateNamePolicy::First,
        &[".agents/skills", ".claude/skills"],
    ),
    (
        "cline",
        "Cline",
        DuplicateNamePolicy::Undocumented,
        &[
            ".agents/skills",
            ".claude/skills",
            ".cline/skills",
            ".clinerules/skills",
        ],
    ),
    (
        "codex",
        "Codex",
        DuplicateNamePolicy::All,
        // Codex shows both under one name, and the model chooses.
        &[".agents/skills", ".codex/skills"],
    ),
    (
        "crush",
        "Crush",
        DuplicateNamePolicy::Undocumented,
        &[
            ".agents/skills",
            ".claude/skills",
            ".crush/skills",
            ".cursor/skills",
        ],
    ),
    (
        "cursor",
        "Cursor",
        DuplicateNamePolicy::Undocumented,
        &[
            ".agents/skills",
            ".claude/skills",
            ".codex/skills",
            ".cursor/skills",
        ],
    ),
    (
        "deepagents",
        "deepagents",
        DuplicateNamePolicy::First,
        &[".claude/skills", ".agents/skills", ".deepagents/skills"],
    ),
    (
        "gemini-cli",
        "Gemini CLI",
        DuplicateNamePolicy::First,
        &[".agents/skills", ".gemini/skills"],
    ),
    (
        "github-copilot",
        "GitHub Copilot",
        DuplicateNamePolicy::Undocumented,
        &[".agents/skills", ".claude/skills", ".github/skills"],
    ),
    (
        "openclaw",
        "OpenClaw",
        DuplicateNamePolicy::First,
        &["skills", ".agents/skills"],
    ),
    (
        "opencode",
        "OpenCode",
        DuplicateNamePolicy::First,
        &[".opencode/skills", ".agents/skills", ".claude/skills"],
    ),
    (
        "pi",
        "pi",
        DuplicateNamePolicy::First,
        &[".pi/skills", ".agents/skills"],
    ),
];

/// Splits a root into the project and its skill directory; `None` if no agent of the table reads it.
pub(super) fn split_skill_root(root: &str) -> Option<(&str, &'static str)> {
    let directories = || {
        AGENTS
            .iter()
            .flat_map(|(_, _, _, directories)| directories.iter().copied())
    };

    let below = |directory: &'static str| {
        let project = root.strip_suffix(directory)?;
        let whole = project.is_empty() || project.ends_with('/');
        whole.then(|| (project.trim_end_matches('/'), directory))
    };

    // `.agents/skills` ends in `skills` as well.
    directories()
        .filter_map(below)
        .min_by_key(|(project, _)| project.len())
}

fn check(skills: &[SkillSummary], settings: &LintSettings, found: &mut FindingList) {
    let key = |skill: &SkillSummary| {
        let (project, _) = split_skill_root(skill.skills_root())?;
        Some((project.to_owned(), normalize_name(&skill.name).into_owned()))
    };

    for group in group_skills(skills, key) {
        let first = group[0];
        // Identical copies are harmless, whichever of them is listed.
        if group.iter().all(|other| other.digest == first.digest) {
            continue;
        }

        let copies = first_in_each_directory(&group);
        let notes = collect_notes(&copies, &settings.targets);
        // Without a note no agent reads two of them.
        let Some((last, others)) = copies.split_last().filter(|_| !notes.is_empty()) else {
            continue;
        };

        let skill = last.skill;
        let mut finding = place_finding(
            RULE.finding(describe_difference(skill, others)),
            skill.name_location.as_ref(),
        );
        finding.notes = notes;
        found.add(
            &skill.path,
            finding.help("make them identical, or keep one"),
        );
    }
}

/// A skill in one of the directories that agents read.
struct DirectoryCopy<'s> {
    directory: &'static str,
    skill: &'s SkillSummary,
}

/// The first skill of a group in each directory: the same name twice in one directory is reported by another rule.
fn first_in_each_directory<'s>(group: &[&'s SkillSummary]) -> Vec<DirectoryCopy<'s>> {
    let mut copies: Vec<DirectoryCopy<'s>> = Vec::new();
    for &skill in group {
        let Some((_, directory)) = split_skill_root(skill.skills_root()) else {
            continue;
        };
        if copies.iter().all(|known| known.directory != directory) {
            copies.push(DirectoryCopy { directory, skill });
        }
    }
    copies
}

fn describe_difference(skill: &SkillSummary, others: &[DirectoryCopy<'_>]) -> String {
    let others: Vec<String> = others
        .iter()
        .map(|other| format!("`{}`", other.directory))
        .collect();
    format!(
        "the skill `{}` differs from the one in {}",
        shorten_for_display(&skill.name),
        others.join(" and ")
    )
}

/// Describes which skill is used by each agent that reads more than one of them.
fn collect_notes(copies: &[DirectoryCopy<'_>], targets: &[String]) -> Vec<String> {
    let is_target = |id: &str| targets.is_empty() || targets.iter().any(|target| target == id);

    // Agents that behave alike share a note; there are eleven of them.
    let mut notes: Vec<(String, Vec<&str>)> = Vec::new();
    for (_, agent, policy, directories) in AGENTS.iter().filter(|(id, ..)| is_target(id)) {
        let seen: Vec<&DirectoryCopy<'_>> = directories
            .iter()
            .filter_map(|directory| copies.iter().find(|copy| copy.directory == *directory))
            .collect();
        let Some(behavior) = policy.describe(&seen) else {
            continue;
        };

        match notes.iter_mut().find(|(known, _)| *known == behavior) {
            Some((_, agents)) => agents.push(agent),
            None => notes.push((behavior, vec![agent])),
        }
    }

    notes
        .into_iter()
        .map(|(behavior, agents)| {
            let verb = if agents.len() == 1 { "lists" } else { "list" };
            format!("{} {verb} {behavior}", agents.join(", "))
        })
        .collect()
}

impl DuplicateNamePolicy {
    /// What an agent lists that reads these copies, in the order of its directories; `None` if they do not differ.
    fn describe(&self, seen: &[&DirectoryCopy<'_>]) -> Option<String> {
        let first = seen.first()?;
        // The agent may see only those directories in which the copies agree.
        if seen
            .iter()
            .all(|copy| copy.skill.digest == first.skill.digest)
        {
            return None;
        }

        Some(match self {
            DuplicateNamePolicy::First => format!("the one in `{}`", first.directory),
            DuplicateNamePolicy::All => "all of them".to_owned(),
            DuplicateNamePolicy::Undocumented => {
                "one of them; which one is not documented".to_owned()
            }
        })
    }
}
