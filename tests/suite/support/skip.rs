//! Tests that cannot run on this machine: reported while they run, and recorded for `.ci/run`, which lists them at its end.

use std::fs::OpenOptions;
use std::io::Write as _;
#[cfg(target_os = "linux")]
use std::{process::Command, sync::LazyLock};

pub(crate) use skillpm_io::platform::IS_PORTABLE;

const DURABILITY: &str = include_str!("../../../docs/durability.md");

/// Names the file that each skip is appended to, one line each: the test, a tab, the reason.
const RECORD: &str = "SKILLPM_SKIPPED_TESTS";

/// Reports on the terminal, past the test harness's capture, that the test that runs now proves nothing here, and records it.
///
/// libtest has no way to end a test as skipped, and counts it as passed.
pub(crate) fn skipped(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    let _ = writeln!(std::io::stderr(), "skipped {test}: {reason}");
    let Some(path) = std::env::var_os(RECORD) else {
        return;
    };

    // Tests run in parallel threads and processes: one write of a whole line to a file opened for appending is not torn.
    let line = format!("{test}\t{reason}\n");
    let record = OpenOptions::new().create(true).append(true).open(path);
    record
        .and_then(|mut file| file.write_all(line.as_bytes()))
        .expect("the record of skipped tests can be written");
}

/// Whether the program has the Unix implementation of what differs between systems. If not, the rest of the test is left
/// out, and recorded: the portable implementation promises less, in the row of the table of `docs/durability.md` that
/// begins with `row`.
///
/// # Panics
/// If there is no such row.
#[track_caller]
pub(crate) fn has_unix(row: &str) -> bool {
    let is_documented = DURABILITY.contains(&format!("\n| {row} |"));
    assert!(is_documented, "docs/durability.md has no row `{row}`");
    if IS_PORTABLE {
        skipped(&format!("the portable implementation promises less: {row}"));
    }
    !IS_PORTABLE
}

/// Whether there is `strace`, and it may look at a process of ours.
#[cfg(target_os = "linux")]
pub(crate) fn is_traceable() -> bool {
    static TRACEABLE: LazyLock<bool> = LazyLock::new(|| {
        let probe = Command::new("strace")
            .args(["-f", "-o", "/dev/null", "true"])
            .output();
        probe.is_ok_and(|output| output.status.success())
    });
    if !*TRACEABLE {
        skipped("there is no `strace`, or it may trace nothing");
    }
    *TRACEABLE
}
