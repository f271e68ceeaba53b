//! Every system that is not Unix, and with `SKILLPM_PORTABLE=1` any system: `std`, and crates that exist on all of them.
//!
//! A directory is held by its path and the identity that it had when it was opened, which is compared before each change in
//! it. `docs/durability.md` has what that promises less than handles do.

pub(crate) mod directory;
pub(crate) mod files;
pub(crate) mod modes;
pub(crate) mod process;
pub(crate) mod volumes;
