//! The verbs. Each takes what was asked for and a [`Context`], and returns what came of it; none prints.
//!
//! `add`, `remove` and `update` edit the project in memory and then go the one way that `install` goes: [`sync`].

pub mod add;
pub mod agents;
pub mod audit;
pub mod budget;
pub mod bundle;
pub mod cache;
pub mod catalog;
pub mod config;
pub mod context;
pub mod convert;
pub mod create;
pub mod diff;
pub mod doctor;
pub mod export;
pub mod import;
pub mod info;
pub mod inspect;
pub mod lint;
pub mod live;
pub mod lock_merge;
pub mod login;
pub mod outdated;
pub mod owner;
pub mod ownership;
pub mod package;
pub mod patch;
pub mod projects;
pub mod proposals;
pub mod publish;
pub mod registry;
mod release_age;
pub mod remove;
pub mod sbom;
pub mod search;
pub mod serve;
pub mod show;
pub mod site;
pub mod sync;
pub mod undo;
pub mod update;
pub mod validate;
pub mod vendor;
pub mod verify;
pub mod yank;

mod advisories;
mod fetch;
mod gate;
mod interrupted;
mod ledger;
mod patch_files;
mod policy;
mod stage;
mod targets;
mod tokens;
pub mod withdrawn;

pub use context::{Context, Places};
