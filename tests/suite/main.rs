//! The end-to-end tests: the real binary in a world of its own, one file a command or topic, one fact a test.
//!
//! `support/` makes the world. Tests in a `corpus_…` file need the real repositories (see
//! [`support::Repo::from_bundle`]) and skip without them.

#![expect(
    clippy::disallowed_methods,
    reason = "a test makes its world, and looks at what became of it"
)]
// What only the tests of Unix use.
#![cfg_attr(not(unix), allow(dead_code, unused_imports))]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed, and says where"
)]

mod support;

mod layers;

mod add;
mod addresses;
mod advisories;
mod agent_copies;
mod agent_detection;
#[cfg(unix)]
mod agent_mode;
#[cfg(unix)]
mod agent_trees;
mod agent_views;
mod agents;
mod archive_source;
mod audit;
mod audit_accuracy;
mod audit_held_out;
mod auth;
mod bad_input;
mod bucket;
mod budget;
mod bundle;
mod cache;
mod catalog;
mod catalog_cache;
mod catalog_formats;
mod catalog_sections;
mod changed_version;
#[cfg(unix)]
mod ci_recipes;
mod clawhub;
mod cli;
mod committed_skills;
mod completions;
mod concurrency;
mod config;
mod conversion;
mod corpus_awesome_copilot;
mod corpus_superpowers;
mod corpus_wshobson;
#[cfg(unix)]
mod crash;
mod dependency_tree;
mod devai;
mod diff;
#[cfg(target_os = "linux")]
mod disk_faults;
#[cfg(unix)]
mod doctor;
mod documents;
mod durability;
mod edits;
mod failpoints;
mod file_schemas;
mod foreign_text;
mod formats;
mod gate;
mod generated;
mod git_references;
mod git_registry;
mod help_examples;
mod hidden_skills;
mod hostile_repository;
#[cfg(target_os = "linux")]
mod hostile_state;
mod import;
mod index_expiry;
mod info;
mod init;
mod input_limits;
mod install;
mod interop;
mod kodelet;
mod library_examples;
mod line_endings;
mod linked_files;
mod lint;
mod lint_contents;
mod lint_fix;
mod lint_formats;
mod list;
#[cfg(unix)]
mod local_files;
mod lock_merge;
mod lockfile;
mod login;
#[cfg(unix)]
mod lsp;
mod mirrors;
mod names;
mod network;
mod nova;
mod offline;
mod openpgp;
mod outdated;
mod owner;
#[cfg(unix)]
mod package;
#[cfg(unix)]
mod packaging;
mod patch;
mod patch_files;
mod path_source;
mod pickle_bot;
mod policy;
mod private_registry;
mod project_root;
mod prompts;
mod proposals;
mod provenance;
mod publish;
#[cfg(unix)]
mod publish_many;
mod published_repositories;
mod publishing_forms;
mod reftable;
mod registry;
mod registry_check;
mod registry_index;
mod registry_transports;
mod release_age;
mod remove;
mod resolver;
mod restore;
mod root_user;
mod sbom;
mod schemas;
mod search;
mod search_index;
mod serve;
#[cfg(unix)]
mod serve_site;
mod shared_scopes;
mod show;
mod site;
#[cfg(unix)]
mod site_browser;
mod site_pages;
#[cfg(unix)]
mod skill_links;
mod skill_names;
mod sparse_registry;
#[cfg(unix)]
mod ssh_source;
#[cfg(unix)]
mod state_links;
mod status;
mod system_calls;
mod system_clock;
mod system_limits;
mod targets;
mod threat_model;
mod tiers;
#[cfg(target_os = "linux")]
mod tls;
mod undo;
mod unprivileged_user;
mod unsearched_skills;
#[cfg(target_os = "linux")]
mod unwritable_output;
mod update;
mod upstream_moves;
mod validate;
mod vendor;
mod verbose;
mod verify;
mod watch;
mod well_known;
mod workspace;
mod yank;
mod yodoca;
