//! Whether an agent runs the program. An agent reads every line that is printed and answers no question, so that it gets
//! results, warnings and, as a JSON line, the error; and neither color nor progress nor questions.

use clap::ValueEnum;

/// When to print for an agent.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum AgentMode {
    /// If one of the variables that agents set is set.
    Auto,
    Always,
    Never,
}

/// The variables that agents set for the commands that they run. An empty one counts as unset.
///
/// Those that editors also set in a terminal for people (`CURSOR_TRACE_ID`, `REPL_ID`) say nothing.
// https://github.com/agentsmd/agents.md/issues/136 has the first and most of the others; AI_AGENT is of
// https://github.com/vercel/vercel/tree/main/packages/detect-agent, QWEN_CODE of npm:@qwen-code/qwen-code@0.24.4,
// CODEX_CI and CODEX_THREAD_ID of openai/codex codex-rs/core/src/exec_env.rs.
const VARIABLES: [&str; 14] = [
    "AGENT",
    "AI_AGENT",
    "ANTIGRAVITY_AGENT",
    "AUGMENT_AGENT",
    "CLAUDECODE",
    "CLINE_ACTIVE",
    "CODEX_CI",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "OPENCODE_CLIENT",
    "QWEN_CODE",
    "TRAE_AI_SHELL_ID",
];

impl AgentMode {
    /// Whether to print for an agent, given the environment.
    pub(super) fn is_on(self, variable: &dyn Fn(&str) -> Option<String>) -> bool {
        let is_set = |name: &&str| variable(name).is_some_and(|value| !value.is_empty());

        match self {
            AgentMode::Always => true,
            AgentMode::Never => false,
            AgentMode::Auto => VARIABLES.iter().any(is_set),
        }
    }
}
