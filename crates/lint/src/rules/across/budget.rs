//! Skill listings that are longer than an agent shows.

use std::collections::BTreeMap;

use super::shadowed::split_skill_root;
use super::{place_finding, strip_dot_slash};
use crate::across::SkillSummary;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSettings, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};
use skillpm_core::skill::name::shorten_for_display;

pub(super) static RULE: Rule = Rule {
    code: "SK906",
    name: "catalog-over-budget",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "the skills of a directory exceed the size of an agent's skill list",
    docs: RuleDocs {
        finds: "A directory that an agent reads (`.claude/skills`, `.agents/skills`, …) whose skills together have \
            longer names and descriptions than the agent lists: Claude Code about 8,000 characters, Codex 16,000 (1 % \
            and 2 % of a context of 200,000 tokens), OpenClaw 18,000 and 150 skills, Zed 50 kB. Each directory of a \
            project is counted separately. Any other directory is a collection to choose from, and is checked only \
            for the agents in `targets`.",
        hurts: "Text over the limit is truncated: first descriptions, then whole skills. The agent no longer chooses \
            these skills, and reports nothing.",
        ignore: "The model has a larger context, and the agent's limit grows with it.",
        bad: &[RuleExample::files(&[
            (
                ".claude/skills/pdf/SKILL.md",
                ExampleFile::Text(concat!(
                    "---\nname: pdf\ndescription: ",
                    long!(),
                    "\n---\n# PDF\n"
                )),
            ),
            (
                ".claude/skills/a/SKILL.md",
                ExampleFile::Text(concat!(
                    "---\nname: a\ndescription: ",
                    long!(),
                    "\n---\n# PDF\n"
                )),
            ),
            (
                ".claude/skills/b/SKILL.md",
                ExampleFile::Text(concat!(
                    "---\nname: b\ndescription: ",
                    long!(),
                    "\n---\n# PDF\n"
                )),
            ),
            (
                ".claude/skills/c/SKILL.md",
                ExampleFile::Text(concat!(
                    "---\nname: c\ndescription: ",
                    long!(),
                    "\n---\n# PDF\n"
                )),
            ),
            (
                ".claude/skills/d/SKILL.md",
                ExampleFile::Text(concat!(
                    "---\nname: d\ndescription: ",
                    long!(),
                    "\n---\n# PDF\n"
                )),
            ),
            (
                ".claude/skills/e/SKILL.md",
                ExampleFile::Text(concat!(
                    "---\nname: e\ndescription: ",
                    long!(),
                    "\n---\n# PDF\n"
                )),
            ),
            (
                ".claude/skills/f/SKILL.md",
                ExampleFile::Text(concat!(
                    "---\nname: f\ndescription: ",
                    long!(),
                    "\n---\n# PDF\n"
                )),
            ),
            (
                ".claude/skills/g/SKILL.md",
                ExampleFile::Text(concat!(
                    "---\nname: g\ndescription: ",
                    long!(),
                    "\n---\n# PDF\n"
                )),
            ),
            (
                ".claude/skills/h/SKILL.md",
                ExampleFile::Text(concat!(
                    "---\nname: h\ndescription: ",
                    long!(),
                    "\n---\n# PDF\n"
                )),
            ),
        ])],
        good: &[RuleExample::files(&[
            (
                ".claude/skills/pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                ),
            ),
            (
                ".claude/skills/docx/SKILL.md",
                ExampleFile::Text(
                    "---\nname: docx\ndescription: Fill Word forms. Use when a form is to be filled in.\n---\n# Word\n",
                ),
            ),
        ])],
    },
    check: RuleCheck::Skills(check),
};

/// The limits of an agent's skill list.
struct ListingBudget {
    /// The id of the agent in `targets`.
    id: &'static str,
    agent: &'static str,
    /// The project directories that it reads.
    directories: &'static [&'static str],
    /// The limit of the whole listing, in characters.
    characters: usize,
    /// The limit of one description, in characters.
    description: usize,
    /// The limit of skills.
    skills: usize,
}

/// Known limits of agents: `docs/views.md`, "What a listing costs". Shares of a context are of 200,000 tokens of four
/// characters.
const LISTING_BUDGETS: [ListingBudget; 4] = [
    ListingBudget {
        id: "claude-code",
        agent: "Claude Code",
        directories: &[".claude/skills"],
        // 1 % of the context.
        characters: 8_000,
        description: 1_536,
        skills: usize::MAX,
    },
    ListingBudget {
        id: "codex",
        agent: "Codex",
        directories: &[".agents/skills", ".codex/skills"],
        // 2 % of the context.
        characters: 16_000,
        description: 1_024,
        skills: usize::MAX,
    },
    ListingBudget {
        id: "openclaw",
        agent: "OpenClaw",
        directories: &[".agents/skills"],
        characters: 18_000,
        // It truncates descriptions only once the list is full.
        description: usize::MAX,
        skills: 150,
    },
    ListingBudget {
        id: "zed",
        agent: "Zed",
        directories: &[".agents/skills"],
        // 50 kB, of which a character of English takes one byte.
        characters: 51_200,
        description: usize::MAX,
        skills: usize::MAX,
    },
];

/// The overhead of a listed skill besides name and description: `- name: description`.
const LINE_OVERHEAD: usize = 5;
/// How many of the longest skills are named.
const LONGEST_NAMED: usize = 3;

fn check(skills: &[SkillSummary], settings: &LintSettings, found: &mut FindingList) {
    let mut roots: BTreeMap<&str, Vec<&SkillSummary>> = BTreeMap::new();
    // A skill that is only invoked by name is in no list.
    for skill in skills.iter().filter(|skill| skill.is_listed) {
        roots.entry(skill.skills_root()).or_default().push(skill);
    }

    for (root, mut listed) in roots {
        let mut lists = LISTING_BUDGETS
            .iter()
            .filter(|budget| budget.applies_to(root, &settings.targets))
            .peekable();
        if lists.peek().is_some() {
            // A skill given twice, as `a` and as `./a`, is listed once.
            listed.sort_by(|a, b| strip_dot_slash(&a.path).cmp(strip_dot_slash(&b.path)));
            listed.dedup_by(|a, b| strip_dot_slash(&a.path) == strip_dot_slash(&b.path));
        }
        for budget in lists {
            if let Some((at, finding)) = check_listing(budget, root, &listed) {
                found.add(at, finding);
            }
        }
    }
}

impl ListingBudget {
    /// Whether the skills of a directory are listed by this agent: it reads the directory, or it is in `targets` and no
    /// agent reads the directory.
    fn applies_to(&self, root: &str, targets: &[String]) -> bool {
        let is_target = targets.iter().any(|target| target == self.id);
        match split_skill_root(root).filter(|(_, directory)| *directory != "skills") {
            Some((_, directory)) => {
                // Another agent's directory costs this one nothing.
                (is_target || targets.is_empty()) && self.directories.contains(&directory)
            }
            // A collection is listed by no agent as a whole, unless its author says so.
            None => is_target,
        }
    }
}

/// Reports a listing over the budget, at the file with the longest entry.
fn check_listing<'s>(
    budget: &ListingBudget,
    directory: &str,
    listed: &[&'s SkillSummary],
) -> Option<(&'s str, Diagnostic)> {
    // Agents cut a description before they list it, so the rest costs nothing.
    let cost = |skill: &&SkillSummary| {
        skill.name.chars().count()
            + skill.description.chars().count().min(budget.description)
            + LINE_OVERHEAD
    };
    let characters: usize = listed.iter().map(cost).sum();

    let (count, agent) = (listed.len(), budget.agent);
    // Size before count: shorter descriptions solve the first, only fewer skills the second.
    let message = if characters > budget.characters {
        let most = budget.characters;
        format!(
            "the {count} skills of `{directory}` take {characters} characters of {agent}'s skill list; the limit is {most}"
        )
    } else if count > budget.skills {
        format!(
            "`{directory}` has {count} skills; {agent} lists at most {}",
            budget.skills
        )
    } else {
        return None;
    };

    let mut longest = listed.to_vec();
    longest.sort_by_key(|skill| std::cmp::Reverse(cost(skill)));
    // At the skill whose shortening helps most.
    let first = *longest.first()?;
    let named = longest
        .iter()
        .take(LONGEST_NAMED)
        .map(|skill| format!("`{}` ({})", shorten_for_display(&skill.name), cost(skill)));

    let finding = place_finding(RULE.finding(message), first.description_location.as_ref())
        .note(format!("the longest are: {}", named.collect::<Vec<_>>().join(", ")))
        .help(
            "shorten descriptions, remove skills, or set `disable-model-invocation: true` for skills that are invoked by name",
        );
    Some((&first.path, finding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check_across;

    fn messages(root: &str, count: usize, length: usize, targets: &[&str]) -> Vec<String> {
        let skills: Vec<_> = (0..count)
            .map(|at| SkillSummary {
                path: format!("{root}/s{at:03}/SKILL.md"),
                name: format!("s{at:03}"),
                description: format!("{at} {}", "x".repeat(length)),
                is_listed: true,
                digest: at as u64,
                ..SkillSummary::default()
            })
            .collect();
        let mut settings = LintSettings::default();
        settings.targets = targets.iter().map(|target| (*target).to_owned()).collect();
        let found = check_across(&skills, &settings);
        let ours = found
            .into_iter()
            .filter(|found| found.diagnostic.rule == RULE.name);
        ours.map(|found| found.diagnostic.message).collect()
    }

    #[test]
    fn only_directories_that_an_agent_reads_are_counted_and_only_for_it() {
        let claude = "the 20 skills of `.claude/skills` take 10230 characters of Claude Code's skill list; the limit is 8000";
        assert_eq!(messages(".claude/skills", 20, 500, &[]), [claude]);
        assert_eq!(messages(".claude/skills", 20, 300, &[]), [""; 0]);
        assert_eq!(messages(".claude/skills", 20, 500, &["codex"]), [""; 0]);
        assert_eq!(messages("skills", 20, 500, &[]), [""; 0]);
        assert_eq!(
            messages("skills", 20, 500, &["claude-code"]),
            [claude.replace(".claude/skills", "skills")]
        );
        assert_eq!(
            messages(".agents/skills", 151, 40, &[]),
            ["`.agents/skills` has 151 skills; OpenClaw lists at most 150"]
        );
        // Truncated text does not count.
        assert_eq!(messages(".claude/skills", 5, 5_000, &[]), [""; 0]);
    }
}
