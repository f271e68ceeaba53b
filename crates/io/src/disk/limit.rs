//! Resource limits of the process.

/// Ignores `SIGXFSZ` where there is one, so that a write beyond the file size limit (`ulimit -f`) fails like one on a full
/// disk, instead of killing the process without a message.
pub fn ignore_file_size_signal() {
    crate::platform::ignore_file_size_signal();
}
