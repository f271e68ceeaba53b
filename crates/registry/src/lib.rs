//! Internal to skillpm: where packages come from, where they are cached, and how they get into a project.
//!
//! | module | what it does |
//! |---|---|
//! | [`bundled`] | the skills inside the program |
//! | [`config`] | settings in layers, each value with its origin |
//! | [`credentials`] | the token of each index |
//! | [`index`] | a registry's list of packages: read, written, searched |
//! | [`store`] | cached copies of packages, by checksum |
//! | [`vendor`] | packages kept in the project's own repository, in place of their sources |
//! | [`workspace`] | the project: its root, manifest and lockfile |
//! | [`sources`] | git, registries, directories, archives; all yield a `Fetched` |
//! | [`install`] | wanted − installed = plan; one transaction applies it, or undoes it |

#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        reason = "tests make files, and look at what was made"
    )
)]

pub mod bundled;
pub mod config;
pub mod credentials;
pub mod index;
pub mod install;
pub mod sources;
pub mod store;
pub mod vendor;
pub mod workspace;
