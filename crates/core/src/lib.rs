//! Internal to skillpm: the types and decisions of a package manager for skills, without any input or output.
//!
//! | module | what it has |
//! |---|---|
//! | [`error`] | the one error: its kind is the exit code |
//! | [`package`] | names, sources, paths, trees and their checksum |
//! | [`report`] | events and findings, as data |
//! | [`manifest`] | `skillpm.toml`, written by people; edits it at its spans |
//! | [`lockfile`] | `skillpm.lock`, the resolved versions |
//! | [`resolver`] | which version of which package, or the reason why there is none |
//! | [`provenance`] | signatures of commits and tags, and trusted keys |
//! | [`advisory`] | security advisories about published packages |
//! | [`skill`] | reads a `SKILL.md`, and reports what is wrong with it |
//!
//! Nothing here touches the disk, the network, the clock or the environment, so string literals are enough to test it.

pub mod advisory;
pub mod error;
pub mod lockfile;
pub mod manifest;
pub mod package;
pub mod provenance;
pub mod report;
pub mod resolver;
pub mod skill;
pub mod text;
pub mod toml_error;
