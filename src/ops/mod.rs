//! The verbs. Each takes what was asked for and a [`Context`], and returns what came of it; none prints.
//!
//! `add`, `remove` and `update` edit the project in memory and then go the one way that `install` goes: [`sync`].

pub mod add;
pub mod catalog;
pub mod config;
pub mod context;
pub mod create;
pub mod inspect;
pub mod outdated;
mod release_age;
pub mod remove;
pub mod sync;
pub mod update;
pub mod verify;

mod fetch;
mod targets;

pub use context::{Context, Places};
