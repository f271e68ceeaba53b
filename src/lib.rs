//! skillpm, the package manager for agent skills: from what a project asks for to the skills that its agents read.
//!
//! # The house
//!
//! Rooms stand on floors. Imports run downwards only, neighbours on a floor do not import each other
//! (`tests/suite/layers.rs` holds them to it), and whoever wants to touch the disk or the network goes through [`io`].
//!
//! | floor | room | what it does |
//! |---|---|---|
//! | 8 | [`cli`] | arguments in, lines and an exit code out; the only printer |
//! | 7 | [`mcp`] | the catalog for programs that ask: an MCP server, and plain HTTP beside it |
//! | 6 | [`ops`] | the verbs: `add`, `remove`, `update` edit the project in memory, [`ops::sync`] makes it true |
//! | 5 | [`sources`] | where packages come from: git, registries, directories, archives; all yield a `Fetched` |
//! | | [`install`] | wanted − present = plan; one transaction does it, or undoes it |
//! | | [`tiers`] | finds the skills in the directories of workspace, user and program |
//! | 4 | [`catalog`] | which of them an agent is shown, and the texts it is shown them in; pure |
//! | | [`index`] | a registry's list of packages |
//! | | [`site`] | the files of a static web site of skills |
//! | | [`store`] | our copies of packages, by checksum |
//! | | [`config`] | settings in layers, each value with its origin |
//! | | [`credentials`] | the token that goes with just one index |
//! | | [`foreign`] | what other tools write down of the skills that they install; pure |
//! | | [`lint`] | what a package holds: can it be published, and as what; pure |
//! | | [`vendor`] | packages kept in the project's own repository, in place of their sources |
//! | | [`workspace`] | the project: its root, manifest and lockfile |
//! | 3 | [`advisory`] | what is known against packages that were published; pure |
//! | | [`skill`] | what a `SKILL.md` says; reads what agents read, and says what was wrong; pure |
//! | | [`lockfile`] | `skillpm.lock`, what was decided; pure |
//! | | [`io`] | the hands: disk, git, HTTP, archives |
//! | 2 | [`manifest`] | `skillpm.toml`, what people want; edits it at its spans; pure |
//! | | [`resolver`] | which version of which package; or the reason why none; pure |
//! | | [`provenance`] | who vouches for what: signatures of commits and tags, and the keys that are listed; pure |
//! | | [`report`] | events and findings, as data |
//! | | [`bundled`] | the skills inside the program |
//! | 1 | [`package`] | the nouns: names, sources, paths, trees and their checksum |
//! | 0 | [`error`] | the one error: its kind is the exit code |
//!
//! # How one `add` goes through it
//!
//! ```text
//! cli::commands::add        gh:obra/superpowers --skill brainstorming     text        → PackageSpec
//! ops::add                  hold the project; find the skill;
//!                           put it into the manifest, in memory           PackageSpec → Wish
//! ops::sync                 the way that install, remove and update go, too
//!   sources::gather           ask every source, until nothing is unread   roots       → Candidates
//!   resolver::resolve         choose; the old lockfile is a preference    Candidates  → Resolve
//!   ops::fetch                from the store or the source, checked       Lockfile    → Trees
//!   install::plan             compare with what is there; refuse to lose  Trees       → Plan
//!   install::transaction      swap all of it in, or nothing: skills,
//!                             manifest and lockfile together              Plan        → Changes
//! cli                       print them                                    Changes     → lines
//! ```
//!
//! A step never calls the next; `ops::sync` does. Nothing is called back, so each can be tested with values.
//! `docs/architecture.md` goes the same way slowly, and says what happens if the program is killed on it.

#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests make files, and look at what was made"))]

// The modules of each layer are in the directory of the crate that they become; until each has its `Cargo.toml`, all are
// modules of this one.

#[path = "../crates/core/src"]
mod core_files {
    pub mod error;
    pub mod lockfile;
}
pub use core_files::{error, lockfile};
#[path = "../crates/core/src/advisory/mod.rs"]
pub mod advisory;
#[path = "../crates/core/src/manifest/mod.rs"]
pub mod manifest;
#[path = "../crates/core/src/package/mod.rs"]
pub mod package;
#[path = "../crates/core/src/provenance/mod.rs"]
pub mod provenance;
#[path = "../crates/core/src/report/mod.rs"]
pub mod report;
#[path = "../crates/core/src/resolver/mod.rs"]
pub mod resolver;
#[path = "../crates/core/src/skill/mod.rs"]
pub mod skill;

#[path = "../crates/registry/src"]
mod registry_files {
    pub mod bundled;
    pub mod store;
}
pub use registry_files::{bundled, store};
#[path = "../crates/registry/src/config/mod.rs"]
pub mod config;
#[path = "../crates/registry/src/credentials/mod.rs"]
pub mod credentials;
#[path = "../crates/registry/src/index/mod.rs"]
pub mod index;
#[path = "../crates/registry/src/install/mod.rs"]
pub mod install;
#[path = "../crates/registry/src/sources/mod.rs"]
pub mod sources;
#[path = "../crates/registry/src/vendor.rs"]
pub mod vendor;
#[path = "../crates/registry/src/workspace.rs"]
pub mod workspace;

#[path = "../crates/catalog/src/catalog/mod.rs"]
pub mod catalog;
#[path = "../crates/catalog/src/site/mod.rs"]
pub mod site;
#[path = "../crates/catalog/src/tiers/mod.rs"]
pub mod tiers;

#[path = "../crates/ops/src/foreign/mod.rs"]
pub mod foreign;
#[path = "../crates/io/src/lib.rs"]
pub mod io;
#[path = "../crates/lint/src/lib.rs"]
pub mod lint;
#[path = "../crates/mcp/src/lib.rs"]
pub mod mcp;
#[path = "../crates/merge/src/lib.rs"]
pub mod merge;
#[path = "../crates/ops/src/lib.rs"]
pub mod ops;
#[path = "../crates/ops/src/sbom_formats/mod.rs"]
pub mod sbom;

pub mod cli;

#[cfg(any(test, fuzzing))]
pub mod fuzz;
