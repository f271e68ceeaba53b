//! Size limits.

use std::collections::BTreeMap;

/// The sizes above which rules report a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizeBudgets {
    /// Lines of a body: `body-too-many-lines`.
    pub body_lines: usize,
    /// Estimated tokens of a body: `body-over-5000-tokens`.
    pub body_tokens: usize,
    /// Estimated tokens of a body, upper limit: `body-over-10000-tokens`.
    pub body_tokens_max: usize,
    /// Bytes of one file: `large-file`.
    pub file_bytes: u64,
    /// Bytes of all files: `large-file`.
    pub package_bytes: u64,
}

impl Default for SizeBudgets {
    /// 500 lines and 5,000 tokens are the specification's guidance
    /// (<https://agentskills.io/specification#progressive-disclosure>); the rest is ours.
    fn default() -> Self {
        SizeBudgets {
            body_lines: 500,
            body_tokens: 5_000,
            body_tokens_max: 10_000,
            file_bytes: 1 << 20,
            package_bytes: 8 << 20,
        }
    }
}

impl SizeBudgets {
    /// Reads the budgets of `[lint]`, by [`skillpm_core::manifest::lint::BUDGETS`].
    pub(super) fn read(&mut self, written: &BTreeMap<&'static str, u64>) {
        for (key, value) in written {
            // A budget above every size means that there is none.
            let count = usize::try_from(*value).unwrap_or(usize::MAX);
            match *key {
                "body-lines" => self.body_lines = count,
                "body-tokens" => self.body_tokens = count,
                "body-tokens-max" => self.body_tokens_max = count,
                "file-bytes" => self.file_bytes = *value,
                "package-bytes" => self.package_bytes = *value,
                other => unreachable!("`{other}` is not a key of a budget"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_core::manifest::lint::BUDGETS;

    #[test]
    fn every_budget_can_be_set() {
        let mut budgets = SizeBudgets::default();
        budgets.read(&BUDGETS.into_iter().zip(1..).collect());
        let expected = SizeBudgets {
            body_lines: 1,
            body_tokens: 2,
            body_tokens_max: 3,
            file_bytes: 4,
            package_bytes: 5,
        };
        assert_eq!(budgets, expected);
    }
}
