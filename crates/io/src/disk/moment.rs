//! The moments at which a command is about to change the disk, counted, so that a test can end the command, or let the
//! disk fail it, at each of them in turn.
//!
//! ```text
//! SKILLPM_MOMENT=kill@7     before the seventh change it is killed, as by `kill -9`
//!                stop@7     before the seventh change it stops, until it is told to continue
//!                panic@7    before the seventh change it panics
//!                fail@7     the seventh change fails, and those after it do not
//!                full@7     from the seventh change on, the disk is full: nothing is made or written, all else works
//!                note@FILE  nothing happens; a line for each change goes into FILE
//! ```
//!
//! Only builds with `debug_assertions` have this; in a release, [`moment`] is nothing.

use std::io;
use std::path::Path;

/// What is about to be done to the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::io) enum Act {
    /// A file, a directory or a link is made.
    Make,
    /// Bytes are written into a file.
    Write,
    /// What was written is made durable.
    Sync,
    /// Something gets another name, or two things exchange theirs.
    Rename,
    /// A name is taken away.
    Remove,
    /// Mode, owner or time are changed.
    Mark,
}

/// Stands before every change of the disk.
///
/// # Errors
/// If a test wants this change to fail.
#[cfg(debug_assertions)]
pub(in crate::io) fn moment(act: Act, path: &Path) -> io::Result<()> {
    armed::PLAN.get().map_or(Ok(()), |plan| plan.moment(act, path))
}

/// Stands before every change of the disk, for tests; there are none here.
///
/// # Errors
/// Never.
#[cfg(not(debug_assertions))]
pub(in crate::io) fn moment(_: Act, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Takes what a test wants from the text of `SKILLPM_MOMENT`.
#[cfg(debug_assertions)]
pub fn arm(wish: &str) {
    armed::arm(wish);
}

#[cfg(debug_assertions)]
mod armed {
    use std::fs::OpenOptions;
    use std::io::{self, Write as _};
    use std::path::{Path, PathBuf};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use rustix::io::Errno;
    use rustix::process::{Signal, getpid, kill_process};

    use super::Act;

    pub(super) static PLAN: OnceLock<Plan> = OnceLock::new();

    pub(super) struct Plan {
        what: What,
        at: u64,
        count: AtomicU64,
    }

    enum What {
        Signal(Signal),
        Panic,
        Fail,
        Full,
        Note(PathBuf),
    }

    pub(super) fn arm(wish: &str) {
        let Some((what, at)) = wish.split_once('@') else { return };
        let what = match what {
            "kill" => What::Signal(Signal::KILL),
            "stop" => What::Signal(Signal::STOP),
            "panic" => What::Panic,
            "fail" => What::Fail,
            "full" => What::Full,
            "note" => What::Note(at.into()),
            _ => return,
        };
        let _ = PLAN.set(Plan { what, at: at.parse().unwrap_or(0), count: AtomicU64::new(0) });
    }

    impl Plan {
        pub(super) fn moment(&self, act: Act, path: &Path) -> io::Result<()> {
            let now = self.count.fetch_add(1, Ordering::SeqCst) + 1;
            match &self.what {
                What::Note(file) => note(file, &format!("{now} {act:?} {}\n", path.display())),
                What::Full if now >= self.at && matches!(act, Act::Make | Act::Write) => Err(Errno::NOSPC.into()),
                What::Fail if now == self.at => Err(Errno::IO.into()),
                What::Signal(signal) if now == self.at => kill_process(getpid(), *signal).map_err(Into::into),
                What::Panic if now == self.at && !std::thread::panicking() => {
                    panic!("a test wanted this before change {now}")
                }
                _ => Ok(()),
            }
        }
    }

    fn note(file: &Path, line: &str) -> io::Result<()> {
        OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())
    }
}
