//! The hands: only these files touch the world.
//!
//! | file | owns | the rest of the house sees |
//! |---|---|---|
//! | [`disk`] | `std::fs`, `rustix` | trees, stamps, atomic writes, locks |
//! | [`git`] | `gix` | references, listings, trees |
//! | [`archive`] | `tar`, `flate2`, `zip` | bytes ⇄ trees |
//! | [`http`] | `reqwest` | bytes by URL |
//! | [`ignore`] | `ignore` | which files of a directory are meant |

#![expect(clippy::disallowed_methods, reason = "the owner of the disk, the network and programs")]

pub mod archive;
pub mod disk;
pub mod git;
pub mod http;
pub mod ignore;
mod parallel;
pub mod skills_dir;

pub use parallel::parallel;
