//! How skills are to be judged: which rules, how loud, for which agents, within which budgets.

/// How skills are to be judged. The default is what `lint` does in a project that says nothing.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The budgets.
    pub budgets: Budgets,
}

/// How large things may be before a rule speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budgets {
    /// Lines of a body: `body-too-many-lines`.
    pub body_lines: usize,
    /// Tokens of a body, about: `body-over-5000-tokens`.
    pub body_tokens: usize,
    /// Tokens of a body, about, that are too many for anybody: `body-over-10000-tokens`.
    pub body_tokens_max: usize,
    /// Bytes of one file: `large-file`.
    pub file_bytes: u64,
    /// Bytes of all files: `large-file`.
    pub package_bytes: u64,
}

impl Default for Budgets {
    /// 500 lines and 5,000 tokens are the specification's guidance
    /// (<https://agentskills.io/specification#progressive-disclosure>); the rest is ours (`shared/LINT.md` §4).
    fn default() -> Self {
        Budgets {
            body_lines: 500,
            body_tokens: 5_000,
            body_tokens_max: 10_000,
            file_bytes: 1 << 20,
            package_bytes: 8 << 20,
        }
    }
}
