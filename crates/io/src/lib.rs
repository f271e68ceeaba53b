//! The hands: only these files touch the world.
//!
//! | file | owns | the rest of the house sees |
//! |---|---|---|
//! | [`disk`] | `std::fs`, `rustix` | trees, stamps, atomic writes, locks |
//! | [`git`] | `gix` | references, listings, trees |
//! | [`archive`] | `tar`, `flate2`, `zip` | bytes ⇄ trees |
//! | [`http`] | `reqwest` | bytes by URL |
//! | [`ignore`] | `ignore` | which files of a directory are meant |
//! | [`bucket`] | `object_store` | bytes by path in an object store, and conditional writes |
//! | [`keychain`] | `keyring` | the operating system's store of secrets |
//! | [`gpgv`] | the program that verifies OpenPGP | what it says of a signature |
//! | [`program`] | `std::process` | another program, asked one question |
//! | [`watch`] | `notify` | that something has changed |

#![expect(clippy::disallowed_methods, reason = "the owner of the disk, the network and programs")]

pub mod archive;
pub mod bucket;
pub mod disk;
pub mod git;
pub mod gpgv;
pub mod http;
pub mod ignore;
pub mod keychain;
mod parallel;
pub mod program;
mod runtime;
pub mod skill_files;
pub mod skills_dir;
pub mod watch;

pub use parallel::{on_all_processors, parallel};
