//! skillpm, the package manager for agent skills: from what a project asks for to the skills that its agents read.
//!
//! ```no_run
//! # fn environment() -> skillpm::ProjectEnvironment { unimplemented!() }
//! use skillpm::{CatalogOptions, SkillProject, SyncOptions};
//!
//! let project = SkillProject::open("/srv/app".as_ref(), environment())?;
//! project.sync(SyncOptions::default())?;
//!
//! for entry in project.catalog(&CatalogOptions::default())?.listed() {
//!     println!("{}", entry.candidate.listing.name);
//! }
//! # Ok::<(), skillpm::Error>(())
//! ```
//!
//! [`SkillProject`] is the library: open a project, resolve, sync, list, watch and lint it. All else that this crate exports
//! is for its own program and tests, hidden here, and may change with any version.
//!
//! # Crates
//!
//! Each layer is a crate of the workspace, so that Cargo refuses an import that climbs. This one is the program and a
//! facade over the others.
//!
//! | crate | depends on | what it has |
//! |---|---|---|
//! | `skillpm` | all | [`SkillProject`]; `cli`: arguments in, lines and an exit code out, the only printer |
//! | `skillpm-mcp` | ops, catalog | the catalog for programs that ask |
//! | `skillpm-lsp` | ops, lint | the language server for editors |
//! | `skillpm-ops` | all below | one module a command; `sync` is the one way to install |
//! | `skillpm-catalog` | io, core | `tiers`, `catalog`, `site`: which skills an agent is shown, and in which texts |
//! | `skillpm-registry` | io, core | `sources`, `index`, `store`, `install`, `workspace`, `vendor`, `config`, `credentials` |
//! | `skillpm-lint` | core | rules, fixes, models of agents |
//! | `skillpm-merge` | core | three-way merges of skills, and patch files |
//! | `skillpm-io` | core | disk, git, HTTP, archives, object stores; nothing else touches the world |
//! | `skillpm-core` | – | `package`, `manifest`, `lockfile`, `resolver`, `skill`, `provenance`, `advisory`, `report`, `error` |
//!
//! `docs/architecture.md` follows one `add` through them, and says what happens if the program is killed on its way.

#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        reason = "tests make files, and look at what was made"
    )
)]

mod project;
mod settings;

pub use project::{ProjectEnvironment, SkillProject};
pub use skillpm_catalog::catalog::loaded::LoadedSkill;
pub use skillpm_catalog::catalog::{Catalog, CatalogChange};
pub use skillpm_core::error::{Error, Result};
pub use skillpm_core::lockfile::Lockfile;
pub use skillpm_core::report::{EventReporter, ProgressEvent};
pub use skillpm_ops::catalog::CatalogOptions;
pub use skillpm_ops::lint::{LintOptions, LintReport};
pub use skillpm_ops::live::CatalogUpdate;
pub use skillpm_ops::sync::{SyncOptions, SyncReport};

// The paths by which the program and the tests name the other crates; they are no part of the API.
#[doc(hidden)]
pub use skillpm_catalog::{catalog, site, tiers};
#[doc(hidden)]
pub use skillpm_core::{
    advisory, error, lockfile, manifest, package, provenance, report, resolver, skill, text,
};
#[doc(hidden)]
pub use skillpm_io as io;
#[doc(hidden)]
pub use skillpm_lint as lint;
#[cfg(feature = "lsp")]
#[doc(hidden)]
pub use skillpm_lsp as lsp;
#[cfg(feature = "mcp")]
#[doc(hidden)]
pub use skillpm_mcp as mcp;
#[doc(hidden)]
pub use skillpm_merge as merge;
#[doc(hidden)]
pub use skillpm_ops as ops;
#[doc(hidden)]
pub use skillpm_ops::{foreign, sbom_formats as sbom};
#[doc(hidden)]
pub use skillpm_registry::{
    bundled, config, credentials, index, install, sources, store, vendor, workspace,
};

#[doc(hidden)]
pub mod cli;

/// The page on using this library: its example is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/how-to/own-agent.md")]
struct OwnAgentPage;

#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzz;
