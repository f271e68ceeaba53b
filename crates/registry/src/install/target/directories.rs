//! The skill directories of the agents in `agents.toml`, as constants, so that the table need not be parsed.
//!
//! Sorted by agent, then by path; a directory that several agents read is listed with the first one that owns it. When the
//! table changes, the test below prints the new rows.

/// One directory that an agent reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownDirectory {
    /// The agent that owns it.
    pub agent: &'static str,
    /// Relative to a project's root, or to be expanded with [`UserEnvironment`](super::UserEnvironment).
    pub path: &'static str,
}

/// Project directories, except `skills` and `.agents/skills`, which no agent owns.
// Constants, since most commands need the directories and not the rest of the table.
pub static PROJECT_DIRECTORIES: &[KnownDirectory] = &[
    KnownDirectory {
        agent: "adal",
        path: ".adal/skills",
    },
    KnownDirectory {
        agent: "aider-desk",
        path: ".aider-desk/skills",
    },
    KnownDirectory {
        agent: "astrbot",
        path: "data/skills",
    },
    KnownDirectory {
        agent: "augment",
        path: ".augment/skills",
    },
    KnownDirectory {
        agent: "autohand-code",
        path: ".autohand/skills",
    },
    KnownDirectory {
        agent: "bob",
        path: ".bob/skills",
    },
    KnownDirectory {
        agent: "claude-code",
        path: ".claude/skills",
    },
    KnownDirectory {
        agent: "cline",
        path: ".cline/skills",
    },
    KnownDirectory {
        agent: "cline",
        path: ".clinerules/skills",
    },
    KnownDirectory {
        agent: "codearts-agent",
        path: ".codeartsdoer/skills",
    },
    KnownDirectory {
        agent: "codebuddy",
        path: ".codebuddy/skills",
    },
    KnownDirectory {
        agent: "codemaker",
        path: ".codemaker/skills",
    },
    KnownDirectory {
        agent: "codestudio",
        path: ".codestudio/skills",
    },
    KnownDirectory {
        agent: "codex",
        path: ".codex/skills",
    },
    KnownDirectory {
        agent: "command-code",
        path: ".commandcode/skills",
    },
    KnownDirectory {
        agent: "continue",
        path: ".continue/skills",
    },
    KnownDirectory {
        agent: "cortex",
        path: ".cortex/skills",
    },
    KnownDirectory {
        agent: "crush",
        path: ".crush/skills",
    },
    KnownDirectory {
        agent: "crush",
        path: ".cursor/skills",
    },
    KnownDirectory {
        agent: "deepagents",
        path: ".deepagents/skills",
    },
    KnownDirectory {
        agent: "devin",
        path: ".devin/skills",
    },
    KnownDirectory {
        agent: "eve",
        path: "agent/skills",
    },
    KnownDirectory {
        agent: "forgecode",
        path: ".forge/skills",
    },
    KnownDirectory {
        agent: "gemini-cli",
        path: ".gemini/skills",
    },
    KnownDirectory {
        agent: "github-copilot",
        path: ".github/skills",
    },
    KnownDirectory {
        agent: "goose",
        path: ".goose/skills",
    },
    KnownDirectory {
        agent: "grok",
        path: ".grok/skills",
    },
    KnownDirectory {
        agent: "iflow-cli",
        path: ".iflow/skills",
    },
    KnownDirectory {
        agent: "inference-sh",
        path: ".inferencesh/skills",
    },
    KnownDirectory {
        agent: "jazz",
        path: ".jazz/skills",
    },
    KnownDirectory {
        agent: "junie",
        path: ".junie/skills",
    },
    KnownDirectory {
        agent: "kilo",
        path: ".kilo/skills",
    },
    KnownDirectory {
        agent: "kilo",
        path: ".kilocode/skills",
    },
    KnownDirectory {
        agent: "kimchi",
        path: ".kimchi/skills",
    },
    KnownDirectory {
        agent: "kimi-code-cli",
        path: ".kimi-code/skills",
    },
    KnownDirectory {
        agent: "kiro-cli",
        path: ".kiro/skills",
    },
    KnownDirectory {
        agent: "kode",
        path: ".kode/skills",
    },
    KnownDirectory {
        agent: "kodelet",
        path: ".kodelet/skills",
    },
    KnownDirectory {
        agent: "lingma",
        path: ".lingma/skills",
    },
    KnownDirectory {
        agent: "mcpjam",
        path: ".mcpjam/skills",
    },
    KnownDirectory {
        agent: "minimax-code",
        path: ".minimax/skills",
    },
    KnownDirectory {
        agent: "mistral-vibe",
        path: ".vibe/skills",
    },
    KnownDirectory {
        agent: "moxby",
        path: ".moxby/skills",
    },
    KnownDirectory {
        agent: "mux",
        path: ".mux/skills",
    },
    KnownDirectory {
        agent: "neovate",
        path: ".neovate/skills",
    },
    KnownDirectory {
        agent: "nova",
        path: "backend/skills",
    },
    KnownDirectory {
        agent: "ona",
        path: ".ona/skills",
    },
    KnownDirectory {
        agent: "opencode",
        path: ".opencode/skills",
    },
    KnownDirectory {
        agent: "openhands",
        path: ".openhands/skills",
    },
    KnownDirectory {
        agent: "pi",
        path: ".pi/skills",
    },
    KnownDirectory {
        agent: "pochi",
        path: ".pochi/skills",
    },
    KnownDirectory {
        agent: "posit-assistant",
        path: ".posit/assistant/skills",
    },
    KnownDirectory {
        agent: "qoder",
        path: ".qoder/skills",
    },
    KnownDirectory {
        agent: "qwen-code",
        path: ".qwen/skills",
    },
    KnownDirectory {
        agent: "reasonix",
        path: ".reasonix/skills",
    },
    KnownDirectory {
        agent: "roo",
        path: ".roo/skills",
    },
    KnownDirectory {
        agent: "rovodev",
        path: ".rovodev/skills",
    },
    KnownDirectory {
        agent: "tabnine-cli",
        path: ".tabnine/agent/skills",
    },
    KnownDirectory {
        agent: "terramind",
        path: ".terramind/skills",
    },
    KnownDirectory {
        agent: "tinycloud",
        path: ".tinycloud/skills",
    },
    KnownDirectory {
        agent: "trae",
        path: ".trae/skills",
    },
    KnownDirectory {
        agent: "windsurf",
        path: ".windsurf/skills",
    },
    KnownDirectory {
        agent: "yodoca",
        path: "sandbox/skills",
    },
    KnownDirectory {
        agent: "zcode",
        path: ".zcode/skills",
    },
    KnownDirectory {
        agent: "zencoder",
        path: ".zencoder/skills",
    },
];

/// User directories, except `~/.agents/skills` and those for the whole machine.
pub static USER_DIRECTORIES: &[KnownDirectory] = &[
    KnownDirectory {
        agent: "adal",
        path: "~/.adal/skills",
    },
    KnownDirectory {
        agent: "aider-desk",
        path: "~/.aider-desk/skills",
    },
    KnownDirectory {
        agent: "amp",
        path: "~/.claude/skills",
    },
    KnownDirectory {
        agent: "amp",
        path: "~/.config/agents/skills",
    },
    KnownDirectory {
        agent: "amp",
        path: "~/.config/amp/skills",
    },
    KnownDirectory {
        agent: "antigravity",
        path: "~/.gemini/antigravity/skills",
    },
    KnownDirectory {
        agent: "antigravity-cli",
        path: "~/.gemini/antigravity-cli/skills",
    },
    KnownDirectory {
        agent: "astrbot",
        path: "~/.astrbot/data/skills",
    },
    KnownDirectory {
        agent: "augment",
        path: "~/.augment/skills",
    },
    KnownDirectory {
        agent: "autohand-code",
        path: "${AUTOHAND_HOME:-~/.autohand}/skills",
    },
    KnownDirectory {
        agent: "bob",
        path: "~/.bob/skills",
    },
    KnownDirectory {
        agent: "claude-code",
        path: "${CLAUDE_CONFIG_DIR:-~/.claude}/skills",
    },
    KnownDirectory {
        agent: "cline",
        path: "~/.cline/skills",
    },
    KnownDirectory {
        agent: "codearts-agent",
        path: "~/.codeartsdoer/skills",
    },
    KnownDirectory {
        agent: "codebuddy",
        path: "~/.codebuddy/skills",
    },
    KnownDirectory {
        agent: "codemaker",
        path: "~/.codemaker/skills",
    },
    KnownDirectory {
        agent: "codestudio",
        path: "~/.codestudio/skills",
    },
    KnownDirectory {
        agent: "codex",
        path: "${CODEX_HOME:-~/.codex}/skills",
    },
    KnownDirectory {
        agent: "command-code",
        path: "~/.commandcode/skills",
    },
    KnownDirectory {
        agent: "continue",
        path: "${CONTINUE_GLOBAL_DIR:-~/.continue}/skills",
    },
    KnownDirectory {
        agent: "cortex",
        path: "~/.snowflake/cortex/skills",
    },
    KnownDirectory {
        agent: "crush",
        path: "$CRUSH_SKILLS_DIR",
    },
    KnownDirectory {
        agent: "crush",
        path: "~/.config/crush/skills",
    },
    KnownDirectory {
        agent: "cursor",
        path: "~/.codex/skills",
    },
    KnownDirectory {
        agent: "cursor",
        path: "~/.cursor/skills",
    },
    KnownDirectory {
        agent: "deepagents",
        path: "~/.deepagents/agent/skills",
    },
    KnownDirectory {
        agent: "devin",
        path: "${XDG_CONFIG_HOME:-~/.config}/devin/skills",
    },
    KnownDirectory {
        agent: "droid",
        path: "~/.factory/skills",
    },
    KnownDirectory {
        agent: "firebender",
        path: "~/.firebender/skills",
    },
    KnownDirectory {
        agent: "forgecode",
        path: "~/.forge/skills",
    },
    KnownDirectory {
        agent: "gemini-cli",
        path: "~/.gemini/skills",
    },
    KnownDirectory {
        agent: "github-copilot",
        path: "${COPILOT_HOME:-~/.copilot}/skills",
    },
    KnownDirectory {
        agent: "goose",
        path: "${XDG_CONFIG_HOME:-~/.config}/goose/skills",
    },
    KnownDirectory {
        agent: "grok",
        path: "${GROK_HOME:-~/.grok}/skills",
    },
    KnownDirectory {
        agent: "hermes-agent",
        path: "${HERMES_HOME:-~/.hermes}/skills",
    },
    KnownDirectory {
        agent: "iflow-cli",
        path: "~/.iflow/skills",
    },
    KnownDirectory {
        agent: "inference-sh",
        path: "~/.inferencesh/skills",
    },
    KnownDirectory {
        agent: "jazz",
        path: "~/.jazz/skills",
    },
    KnownDirectory {
        agent: "junie",
        path: "~/.junie/skills",
    },
    KnownDirectory {
        agent: "kilo",
        path: "$KILO_CONFIG_DIR/skills",
    },
    KnownDirectory {
        agent: "kilo",
        path: "${XDG_CONFIG_HOME:-~/.config}/kilo/skills",
    },
    KnownDirectory {
        agent: "kilo",
        path: "~/.kilo/skills",
    },
    KnownDirectory {
        agent: "kilo",
        path: "~/.kilocode/skills",
    },
    KnownDirectory {
        agent: "kimchi",
        path: "~/.config/kimchi/harness/skills",
    },
    KnownDirectory {
        agent: "kimi-code-cli",
        path: "${KIMI_CODE_HOME:-~/.kimi-code}/skills",
    },
    KnownDirectory {
        agent: "kiro-cli",
        path: "~/.kiro/skills",
    },
    KnownDirectory {
        agent: "kode",
        path: "~/.kode/skills",
    },
    KnownDirectory {
        agent: "kodelet",
        path: "~/.kodelet/skills",
    },
    KnownDirectory {
        agent: "lingma",
        path: "~/.lingma/skills",
    },
    KnownDirectory {
        agent: "mcpjam",
        path: "~/.mcpjam/skills",
    },
    KnownDirectory {
        agent: "minimax-code",
        path: "~/.minimax/skills",
    },
    KnownDirectory {
        agent: "mistral-vibe",
        path: "${VIBE_HOME:-~/.vibe}/skills",
    },
    KnownDirectory {
        agent: "moxby",
        path: "~/.moxby/skills",
    },
    KnownDirectory {
        agent: "mux",
        path: "~/.mux/skills",
    },
    KnownDirectory {
        agent: "neovate",
        path: "~/.neovate/skills",
    },
    KnownDirectory {
        agent: "ona",
        path: "~/.ona/skills",
    },
    KnownDirectory {
        agent: "openclaw",
        path: "~/.clawdbot/skills",
    },
    KnownDirectory {
        agent: "openclaw",
        path: "~/.moltbot/skills",
    },
    KnownDirectory {
        agent: "openclaw",
        path: "~/.openclaw/skills",
    },
    KnownDirectory {
        agent: "opencode",
        path: "${XDG_CONFIG_HOME:-~/.config}/opencode/skills",
    },
    KnownDirectory {
        agent: "openhands",
        path: "~/.openhands/skills",
    },
    KnownDirectory {
        agent: "pi",
        path: "~/.pi/agent/skills",
    },
    KnownDirectory {
        agent: "pickle-bot",
        path: "~/.pickle-bot/skills",
    },
    KnownDirectory {
        agent: "pochi",
        path: "~/.pochi/skills",
    },
    KnownDirectory {
        agent: "posit-assistant",
        path: "~/.posit/assistant/skills",
    },
    KnownDirectory {
        agent: "qoder",
        path: "~/.qoder/skills",
    },
    KnownDirectory {
        agent: "qoder-cn",
        path: "~/.qoder-cn/skills",
    },
    KnownDirectory {
        agent: "qwen-code",
        path: "${QWEN_HOME:-~/.qwen}/skills",
    },
    KnownDirectory {
        agent: "reasonix",
        path: "${REASONIX_HOME:-~/.reasonix}/skills",
    },
    KnownDirectory {
        agent: "replit",
        path: "${XDG_CONFIG_HOME:-~/.config}/agents/skills",
    },
    KnownDirectory {
        agent: "roo",
        path: "~/.roo/skills",
    },
    KnownDirectory {
        agent: "rovodev",
        path: "~/.rovodev/skills",
    },
    KnownDirectory {
        agent: "tabnine-cli",
        path: "~/.tabnine/agent/skills",
    },
    KnownDirectory {
        agent: "terramind",
        path: "~/.terramind/skills",
    },
    KnownDirectory {
        agent: "tinycloud",
        path: "~/.tinycloud/skills",
    },
    KnownDirectory {
        agent: "trae",
        path: "~/.trae/skills",
    },
    KnownDirectory {
        agent: "trae-cn",
        path: "~/.trae-cn/skills",
    },
    KnownDirectory {
        agent: "windsurf",
        path: "~/.codeium/windsurf/skills",
    },
    KnownDirectory {
        agent: "zcode",
        path: "~/.zcode/skills",
    },
    KnownDirectory {
        agent: "zencoder",
        path: "~/.zencoder/skills",
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write;

    use super::super::{AgentSpec, SHARED_DIR, all_agents};
    use super::*;

    type Read = for<'a> fn(&'a AgentSpec) -> Vec<&'a str>;

    /// The rows that the table asks for: own directories first, then those that agents read besides.
    fn wanted(own: Read, read: Read, common: &[&str]) -> Vec<(String, String)> {
        let mut first = BTreeMap::new();
        for directories in [own, read] {
            for agent in all_agents() {
                for path in directories(agent) {
                    if !common.contains(&path) && !path.starts_with('/') {
                        first
                            .entry(path.to_owned())
                            .or_insert_with(|| agent.id.clone());
                    }
                }
            }
        }
        let mut rows: Vec<_> = first
            .into_iter()
            .map(|(path, agent)| (agent, path))
            .collect();
        rows.sort();
        rows
    }

    fn compare(table: &[KnownDirectory], wanted: &[(String, String)]) {
        let rows: Vec<_> = table
            .iter()
            .map(|row| (row.agent.to_owned(), row.path.to_owned()))
            .collect();
        let mut text = String::new();
        for (agent, path) in wanted {
            writeln!(
                text,
                "    KnownDirectory {{ agent: \"{agent}\", path: \"{path}\" }},"
            )
            .unwrap();
        }
        assert!(rows == wanted, "the table asks for\n{text}");
    }

    #[test]
    fn the_directories_are_those_of_the_agents_table() {
        compare(
            PROJECT_DIRECTORIES,
            &wanted(
                |a| a.project_dir.as_deref().into_iter().collect(),
                |a| a.project_directories().collect(),
                &[SHARED_DIR, "skills"],
            ),
        );
        compare(
            USER_DIRECTORIES,
            &wanted(
                |a| {
                    a.global_dir
                        .as_deref()
                        .into_iter()
                        .chain(a.global_fallbacks.iter().map(String::as_str))
                        .collect()
                },
                |a| a.user_directories().collect(),
                &["~/.agents/skills"],
            ),
        );
    }
}
