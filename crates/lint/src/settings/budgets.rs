//! How large things may be.

use std::collections::BTreeMap;

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

impl Budgets {
    /// Takes over what `[lint]` says, by [`crate::manifest::lint::BUDGETS`].
    pub(super) fn read(&mut self, written: &BTreeMap<&'static str, u64>) {
        for (key, value) in written {
            let count = usize::try_from(*value).unwrap_or(usize::MAX);
            match *key {
                "body-lines" => self.body_lines = count,
                "body-tokens" => self.body_tokens = count,
                "body-tokens-max" => self.body_tokens_max = count,
                "file-bytes" => self.file_bytes = *value,
                "package-bytes" => self.package_bytes = *value,
                other => unreachable!("`{other}` is no key of a budget"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::lint::BUDGETS;

    #[test]
    fn every_budget_can_be_set() {
        let mut budgets = Budgets::default();
        budgets.read(&BUDGETS.into_iter().zip(1..).collect());
        let expected = Budgets { body_lines: 1, body_tokens: 2, body_tokens_max: 3, file_bytes: 4, package_bytes: 5 };
        assert_eq!(budgets, expected);
    }
}
