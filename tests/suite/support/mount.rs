//! Full and read-only disks, in a mount namespace of the run's own.

use std::process::Command;
use std::sync::LazyLock;

use super::skipped;

/// Whether this machine lets a test mount; if it does not, says that the test is skipped.
pub(crate) fn permitted() -> bool {
    static PERMITTED: LazyLock<bool> = LazyLock::new(|| {
        let probe = "mount -t tmpfs -o size=64k none \"$0\" && mount --bind \"$0\" \"$0\" && mount -o remount,ro,bind \"$0\"";
        let dir = tempfile::tempdir().unwrap();
        let output = Command::new("unshare")
            .args(["-rm", "sh", "-c", probe])
            .arg(dir.path())
            .output();
        output.is_ok_and(|output| output.status.success())
    });
    if !*PERMITTED {
        skipped("this machine does not let a test mount a disk (`unshare -rm`)");
    }
    *PERMITTED
}
