//! Unix, with all that its systems offer: names opened from the handle of their directory, atomic exchanges, modes, owners.

pub(crate) mod directory;
pub(crate) mod files;
pub(crate) mod modes;
pub(crate) mod process;
pub(crate) mod volumes;
