//! Internal crate of skillpm: its commands, one module each. Options and a [`CommandContext`] go
//! in, a report comes out; nothing prints.
//!
//! `add`, `remove` and `update` edit the project in memory and then take the same path as
//! `install`: [`sync`].

#![cfg_attr(
    test,
    expect(
        clippy::disallowed_methods,
        reason = "tests create files and inspect them"
    )
)]

pub mod add;
pub mod agents;
pub mod audit;
pub mod availability;
pub mod budget;
pub mod bundle;
pub mod cache;
pub mod catalog;
pub mod catalog_sections;
pub mod config;
pub mod context;
pub mod convert;
pub mod create;
pub mod dependency_versions;
pub mod diff;
pub mod doctor;
pub mod export;
pub mod foreign;
pub mod import;
pub mod info;
pub mod inspect;
pub mod installed_states;
pub mod lint;
pub mod live;
pub mod lock_merge;
pub mod login;
pub mod manifest_check;
pub mod outdated;
pub mod owner;
pub mod ownership;
pub mod package;
pub mod patch;
pub mod preview;
pub mod projects;
pub mod proposals;
pub mod publish;
pub mod registry;
mod release_age;
pub mod remove;
pub mod restore;
pub mod sbom;
pub mod sbom_formats;
pub mod search;
pub mod serve;
pub mod served_site;
pub mod show;
pub mod site;
pub mod status;
pub mod sync;
pub mod undo;
pub mod update;
mod upstream;
pub mod validate;
pub mod vendor;
pub mod verify;
pub mod yank;

mod advisories;
mod auth_tokens;
mod fetch;
mod gate;
mod hidden_skills;
mod interrupted;
mod line_endings;
mod other_scope;
mod patch_files;
mod policy;
mod registry_target;
mod stage;
mod targets;
pub mod withdrawn;

pub use context::{BaseDirs, CommandContext};
pub use registry_target::IndexChangeReport;
