//! The end-to-end tests: the real binary in a world of its own, one file a command or topic, one fact a test.
//!
//! `support/` makes the world. Tests in a `corpus_…` file need the real repositories (see
//! [`support::Repo::from_bundle`]) and skip without them.

#![expect(
    clippy::disallowed_methods,
    reason = "a test makes its world, and looks at what became of it"
)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]

mod support;

mod layers;

mod add;
mod advisories;
mod agents;
mod archive_source;
mod audit;
mod audit_bars;
mod audit_held_out;
mod auth;
mod bad_input;
mod bounds;
mod bucket;
mod budget;
mod bundle;
mod cache;
mod catalog;
mod catalog_cache;
mod catalog_formats;
mod cli;
mod clock;
mod concurrency;
mod config;
mod corpus_awesome_copilot;
mod corpus_superpowers;
mod corpus_wshobson;
#[cfg(unix)]
mod crash;
mod diff;
#[cfg(target_os = "linux")]
mod disk;
#[cfg(unix)]
mod doctor;
mod durability;
mod edits;
mod expiry;
mod forbidden;
mod formats;
mod generated;
mod git_registry;
mod graph;
mod hostile;
#[cfg(target_os = "linux")]
mod hostile_state;
mod import;
mod info;
mod init;
mod install;
mod limits;
mod lint;
mod lint_contents;
mod lint_fix;
mod lint_formats;
mod list;
mod lock_merge;
mod lockfile;
mod login;
mod mirrors;
mod moments;
mod names;
mod network;
mod offline;
mod openpgp;
mod outdated;
#[cfg(target_os = "linux")]
mod output;
mod owner;
#[cfg(unix)]
mod package;
mod patch;
mod patch_files;
mod path_source;
mod peers;
mod policy;
mod private_registry;
mod proposals;
mod provenance;
mod publish;
#[cfg(unix)]
mod publish_many;
mod questions;
mod references;
mod registry;
mod registry_check;
mod registry_index;
mod registry_tour;
mod release_age;
mod remove;
mod sbom;
mod schemas;
mod search;
mod serve;
mod show;
mod site;
mod skill_names;
mod solver;
mod sparse_registry;
#[cfg(unix)]
mod ssh_source;
mod targets;
mod threat_model;
mod tiers;
mod undo;
mod update;
mod validate;
mod vendor;
mod verify;
mod views;
mod watch;
mod well_known;
mod workspace;
mod yank;
