//! Failpoints: every change of the disk is counted, so that a test can kill the command, or let the disk fail,
//! at each of them in turn.
//!
//! ```text
//! SKILLPM_FAILPOINT=kill@7     before the seventh change it is killed, as by `kill -9`
//!                   stop@7     before the seventh change it stops, until it gets `SIGCONT`
//!                   panic@7    before the seventh change it panics
//!                   fail@7     the seventh change fails, and those after it do not
//!                   full@7     from the seventh change on, the disk is full: nothing is created or written, all else works
//!                   note@FILE  nothing fails; a line for each change is appended to FILE
//! ```
//!
//! Only builds with `debug_assertions` have this; in a release, [`failpoint`] only refuses changes of a protected directory
//! ([`super::protection`]).

use std::io;
use std::path::Path;

use super::protection::check_change;

/// A kind of change of the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DiskOperation {
    /// A file, a directory or a link is created.
    Make,
    /// Bytes are written into a file.
    Write,
    /// A file or directory is synced.
    Sync,
    /// A path is renamed, or two are exchanged.
    Rename,
    /// A name is removed.
    Remove,
    /// Mode, owner or time is changed.
    Mark,
}

/// Counts a change of the disk; called before each of them.
///
/// # Errors
/// If it is in a protected directory, or a test wants this change to fail.
#[cfg(debug_assertions)]
pub(crate) fn failpoint(act: DiskOperation, path: &Path) -> io::Result<()> {
    check_change(path)?;
    armed::FAILPOINT
        .get()
        .map_or(Ok(()), |plan| plan.check(act, path))
}

/// Called before each change of the disk; failpoints exist only in builds with `debug_assertions`.
///
/// # Errors
/// If it is in a protected directory.
#[cfg(not(debug_assertions))]
pub(crate) fn failpoint(_: DiskOperation, path: &Path) -> io::Result<()> {
    check_change(path)
}

/// Arms the failpoint that `SKILLPM_FAILPOINT` describes.
#[cfg(debug_assertions)]
pub fn arm_failpoint(wish: &str) {
    armed::arm_failpoint(wish);
}

#[cfg(debug_assertions)]
mod armed {
    use std::fs::OpenOptions;
    use std::io::{self, Write as _};
    use std::path::{Path, PathBuf};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::DiskOperation;
    use crate::platform::{FailpointAction, run_failpoint};

    pub(super) static FAILPOINT: OnceLock<FailpointPlan> = OnceLock::new();

    pub(super) struct FailpointPlan {
        effect: FailpointEffect,
        at: u64,
        count: AtomicU64,
    }

    enum FailpointEffect {
        Once(FailpointAction),
        Panic,
        Full,
        Log(PathBuf),
    }

    pub(super) fn arm_failpoint(wish: &str) {
        let Some((what, at)) = wish.split_once('@') else {
            return;
        };

        let what = match what {
            "kill" => FailpointEffect::Once(FailpointAction::Kill),
            "stop" => FailpointEffect::Once(FailpointAction::Stop),
            "panic" => FailpointEffect::Panic,
            "fail" => FailpointEffect::Once(FailpointAction::Fail),
            "full" => FailpointEffect::Full,
            "note" => FailpointEffect::Log(at.into()),
            _ => return,
        };

        // Only the first call counts, so that changes are counted from the start of the process.
        let _ = FAILPOINT.set(FailpointPlan {
            effect: what,
            at: at.parse().unwrap_or(0),
            count: AtomicU64::new(0),
        });
    }

    impl FailpointPlan {
        pub(super) fn check(&self, act: DiskOperation, path: &Path) -> io::Result<()> {
            let now = self.count.fetch_add(1, Ordering::SeqCst) + 1;

            match &self.effect {
                FailpointEffect::Log(file) => {
                    append_line(file, &format!("{now} {act:?} {}\n", path.display()))
                }
                // Removing and renaming still work on a full disk.
                FailpointEffect::Full
                    if now >= self.at
                        && matches!(act, DiskOperation::Make | DiskOperation::Write) =>
                {
                    run_failpoint(FailpointAction::ReportFull)
                }
                FailpointEffect::Once(action) if now == self.at => run_failpoint(*action),
                // A second panic while unwinding aborts, and skips the undo that is under test.
                FailpointEffect::Panic if now == self.at && !std::thread::panicking() => {
                    panic!("a test wanted this before change {now}")
                }
                _ => Ok(()),
            }
        }
    }

    fn append_line(file: &Path, line: &str) -> io::Result<()> {
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(file)?
            .write_all(line.as_bytes())
    }
}
