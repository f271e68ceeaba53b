//! The limits of what one command may fetch: the bytes of skills in memory, whatever requires them, and the files of one.

use skillpm_core::error::{Error, Result};
use skillpm_core::package::{Tree, TreeLimits};
use skillpm_io::http::ByteAllowance;

/// A counter of the fetched bytes of skills, with a limit, and the limit on the files of each.
///
/// Each package is small enough by itself; a lockfile with thousands of them, or a dependency with as many, would exhaust
/// memory.
#[derive(Debug)]
pub struct SizeBudget {
    bytes: ByteAllowance,
    files_max: u64,
}

impl SizeBudget {
    /// Creates a budget of `limit` bytes, for skills of at most `files_max` files.
    #[must_use]
    pub fn new(limit: u64, files_max: u64) -> SizeBudget {
        SizeBudget {
            bytes: ByteAllowance::new(limit),
            files_max,
        }
    }

    /// The bytes that are left.
    #[must_use]
    pub fn remaining(&self) -> u64 {
        self.bytes.remaining()
    }

    /// Counts the bytes of a tree, and returns it.
    ///
    /// # Errors
    /// If they exceed the limit, or it has too many files.
    pub fn charge(&self, tree: Tree) -> Result<Tree> {
        self.check_file_count(tree.len())?;
        self.charge_bytes(tree.files().map(|(_, file)| file.bytes.len() as u64).sum())?;
        Ok(tree)
    }

    /// Counts bytes.
    ///
    /// # Errors
    /// If they exceed the limit.
    pub fn charge_bytes(&self, bytes: u64) -> Result<()> {
        self.bytes.take(bytes).map_err(size_limit_error)
    }

    /// Checks the number of files of one skill.
    ///
    /// # Errors
    /// If they exceed the limit.
    pub fn check_file_count(&self, files: usize) -> Result<()> {
        check_file_count(files, self.files_max)
    }
}

/// Checks the number of files of one skill against the value of `net.max-files`.
///
/// # Errors
/// If there are more.
pub fn check_file_count(files: usize, limit: u64) -> Result<()> {
    let hard = TreeLimits::default().files;
    if files as u64 <= limit.min(hard as u64) {
        return Ok(());
    }
    if files > hard {
        let message = format!("the package is too large: {files} files; the limit is {hard}");
        return Err(Error::integrity(message));
    }
    Err(Error::integrity(format!(
        "refusing a skill of {files} files; the limit is {limit}"
    ))
    .note("the limit is set by `net.max-files`: each file is checked, and copied for each agent")
    .help(format!(
        "if you trust the source, raise it: `skillpm config set net.max-files {files}`"
    )))
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
        let budget = SizeBudget::new(3 << 20, 1_000);
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

    #[test]
    fn number_of_files_has_a_limit_that_no_setting_raises() {
        assert!(check_file_count(1_000, 1_000).is_ok());
        let error = check_file_count(1_101, 1_000).unwrap_err();
        assert!(format!("{error:?}").contains("config set net.max-files 1101"));
        assert!(check_file_count(1_101, 1_200).is_ok());
        let error = check_file_count(10_001, u64::MAX).unwrap_err();
        assert!(error.helps().is_empty(), "{error:?}");
    }
}
