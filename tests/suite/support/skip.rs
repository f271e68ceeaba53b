//! Tests that cannot run on this machine: reported while they run, and recorded for `.ci/run`, which lists them at its end.

use std::fs::OpenOptions;
use std::io::Write as _;
#[cfg(target_os = "linux")]
use std::{process::Command, sync::LazyLock};

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
