//! A name that an agent has a command of its own for.

use super::written;
use crate::lint::{Check, Docs, Fixes, Found, Rule, Subject};
use crate::report::Level;

pub(super) static RULE: Rule = Rule {
    code: "SK211",
    name: "name-shadows-builtin",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "an agent has a command of its own with the skill's `name`",
    docs: Docs {
        finds: "A name that is a command of an agent in which skills are called as commands, `/name`: Claude Code, \
                OpenCode, OpenClaw. With `targets` set, only theirs count. Agents where a skill is called in another way \
                (Codex's `$name`, pi's `/skill:name`) have no such clash. Skills that people cannot call \
                (`user-invocable: false`) are left alone.",
        hurts: "One of the two wins, and mostly it is the agent's: whoever types the skill's name gets something else.",
        ignore: "A skill that is meant to take the command's place in an agent that lets it.",
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
    check: Check::Skill(check),
};

/// Agents that call skills as commands, and the commands that they had first.
///
/// Commands whose names are common words of the trade (`test`, `plan`, `review` aside) and came late are left out: a
/// list is never complete, and one that grows makes good names bad.
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
            "agents", "compact", "connect", "exit", "export", "help", "init", "mcps", "models", "new", "redo",
            "review", "sessions", "share", "skills", "status", "themes", "undo", "unshare",
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

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some((skill, _, node)) = written(page) else { return };
    if !skill.user_invocable {
        return;
    }
    let targets = &subject.settings.targets;
    let meant = |id: &str| targets.is_empty() || targets.iter().any(|target| target == id);
    let has = AGENTS.iter().filter(|(id, _, own)| meant(id) && own.binary_search(&skill.name.as_str()).is_ok());
    let agents: Vec<&str> = has.map(|(_, agent, _)| *agent).collect();
    let Some(who) = told(&agents) else { return };
    let (verb, own) = if agents.len() == 1 { ("has", "its") } else { ("have", "their") };
    let finding = RULE.finding(format!("{who} {verb} a command `/{}` of {own} own", skill.name));
    let finding = finding.note(format!("typing `/{}` there need not reach this skill", skill.name));
    let finding = finding.help("add a word, or say `user-invocable: false` if nobody is to call it by name");
    found.add(page.path, finding.at(node.span.clone(), page.source));
}

/// `a`, `a and b`, `a, b and c`.
fn told(names: &[&str]) -> Option<String> {
    let (last, first) = names.split_last()?;
    Some(if first.is_empty() { (*last).to_owned() } else { format!("{} and {last}", first.join(", ")) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        assert!(AGENTS.iter().all(|(_, _, commands)| commands.is_sorted()));
    }
}
