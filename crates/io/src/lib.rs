//! The I/O layer of skillpm (an internal crate): the only code that touches disk, network and processes.
//!
//! | module | owns | what other crates see |
//! |---|---|---|
//! | [`disk`] | `std::fs` | trees, stamps, atomic writes, locks |
//! | [`git`] | `gix` | references, listings, trees |
//! | [`archive`] | `tar`, `flate2`, `zip` | bytes ⇄ trees |
//! | [`http`] | `reqwest` | bytes by URL |
//! | [`ignore`] | `ignore` | which files of a directory are included |
//! | [`local_files`] | | which files of an installed skill are part of it |
//! | [`bucket`] | `object_store` | bytes by path in an object store, and conditional writes |
//! | [`keychain`] | `keyring` | the operating system's store of secrets |
//! | [`gpgv`] | `gpgv`, which verifies OpenPGP | its status output for a signature |
//! | [`program`] | `std::process` | the stdout of another program |
//! | [`traffic`] | the log of requests | what was asked of which host |
//! | [`watch`] | `notify` | when something has changed |
//! | [`platform`] | `rustix`, signals | what differs between operating systems |

#![expect(
    clippy::disallowed_methods,
    reason = "the owner of the disk, the network and programs"
)]

pub mod archive;
pub mod bucket;
pub mod disk;
pub mod git;
#[cfg_attr(not(feature = "openpgp"), path = "no_gpgv.rs")]
pub mod gpgv;
pub mod http;
pub mod ignore;
#[cfg_attr(not(feature = "keyring"), path = "no_keychain.rs")]
pub mod keychain;
pub mod linked_file;
pub mod local_files;
mod parallel;
pub mod platform;
#[cfg(skillpm_portable)]
mod portable;
pub mod program;
mod runtime;
pub mod skill_files;
pub mod skills_dir;
pub mod traffic;
#[cfg(not(skillpm_portable))]
mod unix;
pub mod watch;

pub use parallel::{run_on_all_processors, run_parallel};
