//! Every system that is not Unix, and with `SKILLPM_PORTABLE=1` any system: `std`, and crates that exist on all of them.
//!
//! A directory is held by its path and the identity that it had when it was opened, which is compared before each change in
//! it. `docs/durability.md` has what that promises less than handles do.

mod directory;
mod files;
mod modes;
mod process;
mod volumes;

pub(crate) use directory::{DirectoryListing, OpenDirectory, is_link_refusal};
pub(crate) use files::{
    canonicalize, create_temporary, file_identity, file_kind, file_stat, is_file_at,
    is_lock_unsupported, make_link, mark_as_used, open_directory_lock, open_file,
    open_file_no_follow, open_lock_file, open_staged_lock, outside_hard_links, read_once,
    remove_file, sync_closed_file, sync_directory,
};
pub(crate) use modes::{
    ExecutableFiles, block_other_users, file_ownership, is_executable, is_read_only, is_root,
    is_writable, make_executable, set_default_mode, set_mode_like,
};
pub use process::ShutdownSignals;
#[cfg(debug_assertions)]
pub(crate) use process::run_failpoint;
pub(crate) use process::{detach_from_terminal, ignore_file_size_signal};
pub(crate) use volumes::{
    HAS_FILE_SYSTEM_SYNC, can_move_between, free_space, is_remote, is_same_mount, sync_file_system,
};
