//! Names of built-in commands of agents.

use super::name_field;
use crate::{FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = Rule {
    code: "SK211",
    name: "name-shadows-builtin",
    // Not an error: agents still choose the skill by its description.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "an agent has a built-in command with the skill's `name`",
    docs: RuleDocs {
        finds: "A name that is a built-in command of an agent in which skills are invoked as commands, `/name`: \
            Claude Code, OpenCode, OpenClaw. If `targets` is set, only those are checked. Agents that invoke skills \
            in another way (Codex's `$name`, pi's `/skill:name`) have no such conflict. Skills that users cannot \
            invoke (`user-invocable: false`) are ignored.",
        hurts: "One of the two wins, usually the agent's command: a user who types the skill's name gets something else.",
        ignore: "The skill is intended to replace the command in an agent that allows it.",
        bad: &[page!(
            "compact",
            "---\nname: compact\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[
            page!(
                "compact-forms",
                "---\nname: compact-forms\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "compact",
                "---\nname: compact\ndescription: Fill PDF forms. Use when a form is to be filled in.\nuser-invocable: \
                 false\n---\n# PDF\n"
            ),
            page!(
                "compact",
                "---\nname: compact\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n",
                "targets = [\"codex\"]"
            ),
        ],
    },
    check: RuleCheck::Skill(check),
};

/// Agents that invoke skills as commands, and their built-in commands.
///
/// Recent commands whose names are common words are not listed (except `test`, `plan`, `review`): a list is never
/// complete, and a growing one turns good names into bad ones.
const AGENTS: [(&str, &str, &[&str]); 3] = [
    (
        "claude-code",
        "Claude Code",
        &[
            "add-dir",
            "agents",
            "bug",
            "clear",
            "compact",
            "config",
            "context",
            "cost",
            "doctor",
            "exit",
            "export",
            "feedback",
            "help",
            "hooks",
            "ide",
            "init",
            "install-github-app",
            "login",
            "logout",
            "mcp",
            "memory",
            "model",
            "output-style",
            "permissions",
            "plugin",
            "pr-comments",
            "quit",
            "release-notes",
            "resume",
            "review",
            "rewind",
            "sandbox",
            "security-review",
            "skills",
            "status",
            "statusline",
            "tasks",
            "terminal-setup",
            "theme",
            "todos",
            "upgrade",
            "usage",
            "vim",
        ],
    ),
    (
        "opencode",
        "OpenCode",
        &[
            "agents", "compact", "connect", "exit", "export", "help", "init", "mcps", "models",
            "new", "redo", "review", "sessions", "share", "skills", "status", "themes", "undo",
            "unshare",
        ],
    ),
    (
        "openclaw",
        "OpenClaw",
        &[
            "approve",
            "bash",
            "commands",
            "compact",
            "config",
            "context",
            "debug",
            "elevated",
            "help",
            "model",
            "models",
            "new",
            "queue",
            "reasoning",
            "reset",
            "restart",
            "skill",
            "status",
            "stop",
            "subagents",
            "think",
            "usage",
            "verbose",
            "whoami",
        ],
    ),
];

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some((skill, _, node)) = name_field(page) else {
        return;
    };
    // Users cannot type its name, so nothing competes with the command.
    if !skill.user_invocable {
        return;
    }

    let targets = &subject.settings.targets;
    let is_target = |id: &str| targets.is_empty() || targets.iter().any(|target| target == id);
    let has = AGENTS
        .iter()
        // The lists are sorted.
        .filter(|(id, _, own)| is_target(id) && own.binary_search(&skill.name.as_str()).is_ok());
    let agents: Vec<&str> = has.map(|(_, agent, _)| *agent).collect();

    // One finding for all agents, since one new name solves it for all.
    let Some(who) = join_names(&agents) else {
        return;
    };
    let verb = if agents.len() == 1 { "has" } else { "have" };

    let finding = RULE.finding(format!("{who} {verb} a built-in command `/{}`", skill.name));
    let finding = finding.note(format!("`/{}` may not invoke this skill there", skill.name));
    let finding = finding.help(
        "add a word to the name, or set `user-invocable: false` if users should not invoke it",
    );
    found.add(page.path, finding.at_bytes(node.span.clone()));
}

/// `a`, `a and b`, `a, b and c`.
fn join_names(names: &[&str]) -> Option<String> {
    let (last, first) = names.split_last()?;
    Some(if first.is_empty() {
        (*last).to_owned()
    } else {
        format!("{} and {last}", first.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(AGENTS.iter().all(|(_, _, commands)| commands.is_sorted()));
    }
}
