//! skillpm, the package manager for agent skills: from what a project asks for to the skills that its agents read.
//!
//! # Crates
//!
//! Each layer is a crate of the workspace, so that Cargo refuses an import that climbs. This one is the program and a
//! facade over the others.
//!
//! | crate | depends on | what it has |
//! |---|---|---|
//! | `skillpm` | all | [`cli`]: arguments in, lines and an exit code out; the only printer |
//! | `skillpm-mcp` | ops, catalog | [`mcp`]: the catalog for programs that ask |
//! | `skillpm-ops` | all below | [`ops`]: one module a command; [`ops::sync`] is the one way to install |
//! | `skillpm-catalog` | io, core | [`tiers`], [`catalog`], [`site`]: which skills an agent is shown, and in which texts |
//! | `skillpm-registry` | io, core | [`sources`], [`index`], [`store`], [`install`], [`workspace`], [`vendor`], [`config`], [`credentials`] |
//! | `skillpm-lint` | core | [`lint`]: rules, fixes, models of agents |
//! | `skillpm-merge` | core | [`merge`]: three-way merges of skills, and patch files |
//! | `skillpm-io` | core | [`io`]: disk, git, HTTP, archives, object stores; nothing else touches the world |
//! | `skillpm-core` | – | [`package`], [`manifest`], [`lockfile`], [`resolver`], [`skill`], [`provenance`], [`advisory`], [`report`], [`error`] |
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

#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        reason = "tests make files, and look at what was made"
    )
)]

pub use skillpm_catalog::{catalog, site, tiers};
pub use skillpm_core::{
    advisory, error, lockfile, manifest, package, provenance, report, resolver, skill,
};
pub use skillpm_io as io;
pub use skillpm_lint as lint;
#[cfg(feature = "mcp")]
pub use skillpm_mcp as mcp;
pub use skillpm_merge as merge;
pub use skillpm_ops as ops;
pub use skillpm_ops::{foreign, sbom_formats as sbom};
pub use skillpm_registry::{
    bundled, config, credentials, index, install, sources, store, vendor, workspace,
};

pub mod cli;

#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
