//! What differs between operating systems, behind one interface with two implementations:
//!
//! | | uses | promises |
//! |---|---|---|
//! | `unix` | `std::os::unix`, `rustix`, signals | all that `docs/durability.md` says |
//! | `portable` | `std`, and crates that exist on Linux, macOS and Windows | less: a table on that page lists what |
//!
//! Unix systems get the first, all others the second. A build with `SKILLPM_PORTABLE=1` in its environment gets the second
//! on any system, so that a Unix machine can run the tests of what other systems run. Only `unix` names an API of Unix.

use std::fs::File;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

#[cfg(skillpm_portable)]
use crate::portable as system;
#[cfg(not(skillpm_portable))]
use crate::unix as system;

pub(crate) use system::directory::{DirectoryListing, OpenDirectory, is_link_refusal};
pub(crate) use system::files::{
    REMOVES_OPEN_FILES, canonicalize, create_temporary, file_identity, file_kind, file_stat,
    is_file_at, is_lock_unsupported, make_link, mark_as_used, open_directory_lock, open_file,
    open_file_no_follow, open_lock_file, open_staged_lock, outside_hard_links, read_once,
    remove_file, sync_closed_file, sync_directory,
};
pub(crate) use system::modes::{
    ExecutableFiles, block_other_users, block_other_writers, file_ownership, give_to_owner_above,
    is_executable, is_read_only, is_root, is_writable, make_executable, set_default_mode,
    set_mode_like,
};
pub use system::process::ShutdownSignals;
#[cfg(debug_assertions)]
pub(crate) use system::process::run_failpoint;
pub(crate) use system::process::{detach_from_terminal, ignore_file_size_signal};
pub(crate) use system::volumes::{
    HAS_FILE_SYSTEM_SYNC, can_move_between, free_space, is_remote, is_same_mount, sync_file_system,
};

/// The name of the record of executable files that the portable implementation keeps in the directory of a package: a name
/// that no package contains, by the definition of the checksum.
pub(crate) const EXECUTABLE_RECORD: &str = ".skillpm";

/// Whether this build has the portable implementation.
pub const IS_PORTABLE: bool = cfg!(skillpm_portable);

/// What a path is, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    skillpm_portable,
    expect(dead_code, reason = "`std` does not name each kind on every system")
)]
pub(crate) enum FileKind {
    File,
    Directory,
    Link,
    Pipe,
    Socket,
    /// A device, or what the system has no name for.
    Device,
}

/// What the system records about a file, without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileStat {
    pub kind: FileKind,
    /// In bytes.
    pub size: u64,
    /// The last change of the content, in nanoseconds since 1970.
    pub modified: i64,
    /// The last change of content or attributes, in nanoseconds since 1970, which no program can set; 0 if the system has none.
    pub changed: i64,
    /// 0 if the system has none.
    pub inode: u64,
    /// Whether anyone may run it; `false` if the system has no such permission.
    pub executable: bool,
}

/// Identity of a file or directory, independent of its name: device and inode, or 0 and a digest of what the system has
/// instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileIdentity(pub u64, pub u64);

/// The permissions of a new file, less the umask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NewFileMode {
    /// 0666, as any program creates files.
    Default,
    /// 0644, or 0755 if it is executable, without the bits that are not in `most`: a file of a package.
    Packaged { executable: bool, most: u32 },
}

/// What a rename does if the new name exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RenameMode {
    /// Replaces a file, or an empty directory.
    Replace,
    /// Fails.
    Keep,
    /// Exchanges the two, atomically.
    Exchange,
}

/// Who a temporary file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TemporaryAccess {
    /// Its owner, as long as it is temporary and afterwards.
    Owner,
    /// Everyone who may read the file that it becomes.
    Default,
}

/// What is locked for a directory.
#[derive(Debug)]
pub(crate) struct DirectoryLockFile {
    pub file: File,
    /// Where the file is, if it is one that was created for the lock, and is removed with it.
    pub path: Option<PathBuf>,
}

/// What to do if there is no file to lock for a staged directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingLock {
    Create,
    Ignore,
}

/// The owner and permissions of a file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileOwnership {
    /// Whether it belongs to the current user.
    pub is_ours: bool,
    /// The uid of its owner.
    pub user: u32,
    /// Whether others than its owner may write it.
    pub others_write: bool,
    /// Whether others than its owner have any access.
    pub others_access: bool,
    /// Its permission bits.
    pub mode: u32,
}

impl FileOwnership {
    /// Whether it belongs to the user in `SUDO_UID` and we are root: git treats that as owned, too.
    #[must_use]
    pub fn is_of_sudo_user(&self, sudo_user: Option<u32>) -> bool {
        is_root() && sudo_user == Some(self.user)
    }
}

/// What a failpoint does.
#[cfg(debug_assertions)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailpointAction {
    /// Ends this process, as `kill -9` does.
    Kill,
    /// Stops this process until it is continued.
    Stop,
    /// Reports that the device failed.
    Fail,
    /// Reports that the disk is full.
    ReportFull,
}
