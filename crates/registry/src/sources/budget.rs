//! The limit of the bytes of skills that one command may have in memory, whatever requires them.

use skillpm_core::error::{Error, Result};
use skillpm_core::package::Tree;
use skillpm_io::http::ByteAllowance;

/// A counter of the fetched bytes of skills, with a limit.
///
/// Each package is small enough by itself; a lockfile with thousands of them, or a dependency with as many, would exhaust
/// memory.
#[derive(Debug)]
pub struct SizeBudget(ByteAllowance);

impl SizeBudget {
    /// Creates a budget of `limit` bytes.
    #[must_use]
    pub fn new(limit: u64) -> SizeBudget {
        SizeBudget(ByteAllowance::new(limit))
    }

    /// The bytes that are left.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.0.remaining()
    }

    /// Counts the bytes of a tree, and returns it.
    ///
    /// # Errors
    /// If they exceed the limit.
    pub fn charge(&self, tree: Tree) -> Result<Tree> {
        self.charge_bytes(tree.files().map(|(_, file)| file.bytes.len() as u64).sum())?;
        Ok(tree)
    }

    /// Counts bytes.
    ///
    /// # Errors
    /// If they exceed the limit.
    pub fn charge_bytes(&self, bytes: u64) -> Result<()> {
        self.0.take(bytes).map_err(size_limit_error)
    }
}

fn size_limit_error(limit: u64) -> Error {
    let mebibytes = limit >> 20;
    Error::integrity(format!(
        "refusing to fetch more than {mebibytes} MiB of skills in one command"
    ))
    .note("the limit is set by `net.max-size`")
    .help(format!(
        "if you trust the sources, raise it: `skillpm config set net.max-size {}`",
        mebibytes * 2
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_over_the_limit_names_the_setting() {
        let budget = SizeBudget::new(3 << 20);
        assert!(budget.charge_bytes(2 << 20).is_ok());
        assert_eq!(budget.remaining(), 1 << 20);

        let error = budget.charge_bytes((1 << 20) + 1).unwrap_err();
        assert_eq!(
            error.message(),
            "refusing to fetch more than 3 MiB of skills in one command"
        );
        assert!(
            format!("{error:?}").contains("config set net.max-size 6"),
            "{error:?}"
        );
        assert_eq!(budget.remaining(), 0);
    }
}
